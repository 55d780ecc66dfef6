package markdown

import "strings"

// maxLabel bounds the search for the end of a link's text.
const maxLabel = 1000

// link reads a link, an image (shown as a link: the page loads nothing from elsewhere), a bare
// address or a <br> at byte i of text. It gives 0 when there is none.
func (s *spans) link(text string, i, at int) (Node, int) {
	rest := text[i:]
	switch {
	case rest[0] == '[':
		return s.labelled(rest, at+i)
	case strings.HasPrefix(rest, "!["):
		node, n := s.labelled(rest[1:], at+i+1)
		if n > 0 {
			n++
		}
		return node, n
	case rest[0] == '<':
		for _, br := range []string{"<br>", "<br/>", "<br />"} {
			if strings.HasPrefix(rest, br) {
				return Node{Kind: Break}, len(br)
			}
		}
		if end := strings.IndexByte(rest, '>'); end > 0 && safe(rest[1:end]) {
			return bare(rest[1:end], at+i+1), end + 1
		}
	case rest[0] == 'h' && (i == 0 || !isWord(text[i-1])):
		end := strings.IndexAny(rest, " \t<>|*`\"")
		if end < 0 {
			end = len(rest)
		}
		address := strings.TrimRight(rest[:end], ".,;:!?)]}'_~")
		if safe(address) {
			return bare(address, at+i), len(address)
		}
	}
	return Node{}, 0
}

// labelled reads [text](address "title").
func (s *spans) labelled(rest string, at int) (Node, int) {
	depth, end := 0, 0
	for end < len(rest) && end < maxLabel {
		switch rest[end] {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			break
		}
		end++
	}
	if end+1 >= len(rest) || rest[end] != ']' || rest[end+1] != '(' {
		return Node{}, 0
	}
	label := line{at + 1, rest[1:end]}
	target := rest[end+2:]
	to := strings.IndexByte(target, ')')
	if to < 0 {
		if s.tail(at + len(rest)) {
			return Node{Kind: Link, Children: s.label(label)}, len(rest)
		}
		return Node{}, 0
	}
	address, _, _ := strings.Cut(strings.TrimSpace(target[:to]), " ")
	if !safe(address) {
		return Node{}, 0
	}
	return Node{Kind: Link, Info: address, Children: s.label(label)}, end + 2 + to + 1
}

// label reads a link's text.
func (s *spans) label(l line) []Node {
	inner := spans{parser: &parser{source: s.source}, frames: []frame{{}}}
	inner.line(l, false)
	return inner.finish()
}

func bare(address string, at int) Node {
	return Node{Kind: Link, Info: address, Children: []Node{{Kind: Text, Text: address, At: at}}}
}

// safe lets through what a model may send a reader to: addresses of pages and of people.
func safe(address string) bool {
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if len(address) > len(scheme) && strings.EqualFold(address[:len(scheme)], scheme) {
			return !strings.ContainsAny(address, " \t\n\r\"<>")
		}
	}
	return false
}
