package markdown

import "strings"

// inline reads the text of one paragraph, heading or cell.
func (p *parser) inline(lines []line) []Node {
	s := spans{parser: p, frames: []frame{{}}}
	for i, l := range lines {
		if i == len(lines)-1 {
			l.text = strings.TrimRight(l.text, " \t")
		}
		s.line(l, i < len(lines)-1)
	}
	return s.finish()
}

// A frame collects nodes until its mark is closed. The lowest frame has no mark.
type frame struct {
	mark  byte // '*', '_' or '~'
	size  int  // 1 emphasis, 2 strong or strike
	at    int
	nodes []Node
}

func (f frame) node() Node {
	kind := Emphasis
	switch {
	case f.mark == '~':
		kind = Strike
	case f.size == 2:
		kind = Strong
	}
	return Node{Kind: kind, Children: f.nodes}
}

type spans struct {
	*parser
	frames []frame
	end    int // of the text read so far, in the source
}

func (s *spans) top() *frame { return &s.frames[len(s.frames)-1] }

func (s *spans) add(nodes ...Node) {
	f := s.top()
	for _, n := range nodes {
		if n.Kind == Text {
			f.nodes = s.appendText(f.nodes, n.Text, n.At)
		} else {
			f.nodes = append(f.nodes, n)
		}
	}
}

func (s *spans) addText(text string, at int) { s.add(Node{Kind: Text, Text: text, At: at}) }

// line reads one line; more says that another follows in the same paragraph.
func (s *spans) line(l line, more bool) {
	text := l.text
	hard := more && (strings.HasSuffix(text, "  ") || strings.HasSuffix(text, `\`))
	if hard {
		text = strings.TrimRight(strings.TrimSuffix(text, `\`), " ")
	}
	plain := 0 // where the run of plain text begins that is not added yet
	flush := func(to int) {
		s.addText(text[plain:to], l.at+plain)
		plain = to
	}
	for i := 0; i < len(text); {
		used := 0 // bytes that were a mark, or were added as something else than plain text
		switch text[i] {
		case '\\':
			if i+1 < len(text) && isPunct(text[i+1]) {
				flush(i)
				plain, i = i+1, i+1 // the mark after it is plain text
			}
		case '`':
			flush(i)
			used = s.code(text[i:], l.at+i)
		case '*', '_', '~':
			flush(i)
			used = s.emphasis(text, i, l.at)
		case '[', '!', '<', 'h':
			if node, n := s.link(text, i, l.at); n > 0 {
				flush(i)
				s.add(node)
				used = n
			}
		}
		if used == 0 {
			i++
			continue
		}
		i += used
		plain = i
	}
	flush(len(text))
	s.end = l.at + len(l.text)
	if hard {
		s.add(Node{Kind: Break})
	} else if at := strings.IndexByte(s.source[s.end:], '\n'); more && at >= 0 {
		s.addText("\n", s.end+at)
	}
}

// code reads a code span at the beginning of text, which ends with the line.
func (s *spans) code(text string, at int) int {
	size := run(text)
	inner := text[size:]
	end := -1
	for i := 0; i < len(inner); {
		if inner[i] != '`' {
			i++
			continue
		}
		n := run(inner[i:])
		if n == size {
			end = i
			break
		}
		i += n
	}
	used := size + end + size
	if end < 0 {
		if !s.tail(at + len(text)) {
			s.addText(text[:size], at)
			return size
		}
		end, used = len(inner), len(text)
		inner = strings.TrimRight(inner, "`") // the closing mark is on its way
		end = len(inner)
	}
	if inner = inner[:end]; len(inner) > 2 && inner[0] == ' ' && inner[end-1] == ' ' {
		inner, size = inner[1:end-1], size+1
	}
	if inner != "" {
		s.add(Node{Kind: CodeSpan, Children: s.appendText(nil, inner, at+size)})
	}
	return used
}

// emphasis reads the marks at byte i of text. Like CommonMark it asks what stands on either side,
// with simpler rules: a mark closes after text and opens before text.
func (s *spans) emphasis(text string, i, at int) int {
	mark, size := text[i], run(text[i:])
	before, after := byte(' '), byte(' ')
	if i > 0 {
		before = text[i-1]
	}
	if i+size < len(text) {
		after = text[i+size]
	}
	opens, closes := !isSpace(after), !isSpace(before)
	if mark == '_' && isWord(before) && isWord(after) || mark == '~' && size != 2 || size > 3 {
		opens, closes = false, false
	}
	left := size
	for closes && left > 0 {
		f := s.find(mark, left)
		if f < 0 {
			break
		}
		s.flatten(f + 1)
		closed := *s.top()
		s.frames = s.frames[:f]
		s.add(closed.node())
		left -= closed.size
	}
	for opens && left > 0 {
		n := min(left, 2)
		s.frames = append(s.frames, frame{mark: mark, size: n, at: at + i + size - left})
		left -= n
	}
	if left > 0 && !s.tail(at+i+size) {
		s.addText(text[i+size-left:i+size], at+i+size-left)
	}
	return size
}

// find gives the nearest frame that a run of size marks closes, or -1.
func (s *spans) find(mark byte, size int) int {
	for f := len(s.frames) - 1; f > 0; f-- {
		if s.frames[f].mark == mark && s.frames[f].size <= size {
			return f
		}
	}
	return -1
}

// flatten turns the frames from the given one up into plain text: their marks were not closed.
func (s *spans) flatten(from int) {
	for f := from; f < len(s.frames); f++ {
		open := s.frames[f]
		into := &s.frames[from-1]
		into.nodes = s.appendText(into.nodes, strings.Repeat(string(open.mark), open.size), open.at)
		for _, n := range open.nodes {
			if n.Kind == Text {
				into.nodes = s.appendText(into.nodes, n.Text, n.At)
			} else {
				into.nodes = append(into.nodes, n)
			}
		}
	}
	s.frames = s.frames[:from]
}

func (s *spans) finish() []Node {
	for len(s.frames) > 1 && s.tail(s.end) {
		open := *s.top()
		s.frames = s.frames[:len(s.frames)-1]
		if len(open.nodes) > 0 {
			s.add(open.node())
		}
	}
	s.flatten(1)
	return s.frames[0].nodes
}

// run counts how often the first byte of text stands there.
func run(text string) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func isPunct(c byte) bool { return '!' <= c && c <= '~' && !isWord(c) }
