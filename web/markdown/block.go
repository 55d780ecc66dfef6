package markdown

import "strings"

// maxDepth bounds the nesting of lists and quotes; deeper ones are shown as they were written.
const maxDepth = 12

// block reads the block that begins at the first line and returns the lines after it. It reports
// false for a blank line.
func (p *parser) block(lines []line, depth int) (Node, []line, bool) {
	first := lines[0].text
	if strings.TrimSpace(first) == "" {
		return Node{}, lines[1:], false
	}
	if f, ok := openingFence(first); ok {
		node, rest := p.code(lines, f)
		return node, rest, true
	}
	if level, at := heading(first); level > 0 {
		body := lines[0].cut(at)
		body.text = strings.TrimRight(strings.TrimRight(body.text, " \t"), "#")
		return Node{Kind: Heading, Level: level, Children: p.inline([]line{body})}, lines[1:], true
	}
	if isRule(first) {
		return Node{Kind: Rule}, lines[1:], true
	}
	if depth < maxDepth {
		if quotePrefix(first) > 0 {
			node, rest := p.quote(lines, depth)
			return node, rest, true
		}
		if m, ok := listMarker(first); ok {
			node, rest := p.list(lines, m, depth)
			return node, rest, true
		}
	}
	if p.startsTable(lines) {
		node, rest := p.table(lines)
		return node, rest, true
	}
	node, rest := p.paragraph(lines, depth)
	return node, rest, true
}

func (p *parser) blocks(lines []line, depth int) []Node {
	var nodes []Node
	for len(lines) > 0 {
		node, rest, found := p.block(lines, depth)
		if found {
			nodes = append(nodes, node)
		}
		lines = rest
	}
	return nodes
}

func (p *parser) paragraph(lines []line, depth int) (Node, []line) {
	n := 1
	for n < len(lines) && !p.interrupts(lines[n:], depth) {
		n++
	}
	return Node{Kind: Paragraph, Children: p.inline(lines[:n])}, lines[n:]
}

// interrupts reports whether a paragraph ends before the first of lines.
func (p *parser) interrupts(lines []line, depth int) bool {
	text := lines[0].text
	if strings.TrimSpace(text) == "" || isRule(text) {
		return true
	}
	if _, ok := openingFence(text); ok {
		return true
	}
	if level, _ := heading(text); level > 0 {
		return true
	}
	if depth < maxDepth {
		if _, ok := listMarker(text); ok || quotePrefix(text) > 0 {
			return true
		}
	}
	return p.startsTable(lines)
}

// A fence opens a code block: at least three of the same mark.
type fence struct {
	mark   byte
	size   int
	indent int
	info   string
}

func openingFence(text string) (fence, bool) {
	indent := indentOf(text)
	rest := text[indent:]
	if indent > 3 || len(rest) < 3 || rest[0] != '`' && rest[0] != '~' {
		return fence{}, false
	}
	f := fence{mark: rest[0], indent: indent}
	for f.size < len(rest) && rest[f.size] == f.mark {
		f.size++
	}
	f.info = strings.TrimSpace(rest[f.size:])
	if f.size < 3 || f.mark == '`' && strings.Contains(f.info, "`") {
		return fence{}, false
	}
	return f, true
}

func (f fence) closedBy(text string) bool {
	other, ok := openingFence(text)
	return ok && other.mark == f.mark && other.size >= f.size && other.info == ""
}

func (p *parser) code(lines []line, f fence) (Node, []line) {
	node := Node{Kind: Code, Info: f.info}
	for i, l := range lines[1:] {
		if f.closedBy(l.text) {
			return node, lines[i+2:]
		}
		l = l.cut(min(f.indent, indentOf(l.text)))
		node.Children = p.appendText(node.Children, p.withLineEnd(l), l.at)
	}
	last := lines[len(lines)-1]
	p.inCode = p.tail(last.at + len(last.text))
	return node, nil
}

// withLineEnd gives a line and its line end, when it has a plain one.
func (p *parser) withLineEnd(l line) string {
	if end := l.at + len(l.text); end < len(p.source) && p.source[end] == '\n' {
		return p.source[l.at : end+1]
	}
	if end := l.at + len(l.text); end+1 < len(p.source) && p.source[end:end+2] == "\r\n" {
		return p.source[l.at : end+2]
	}
	return l.text
}

func heading(text string) (level, at int) {
	for level < len(text) && text[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level < len(text) && text[level] != ' ' && text[level] != '\t' {
		return 0, 0
	}
	return level, level + indentOf(text[level:])
}

func isRule(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '-' && text[0] != '*' && text[0] != '_' {
		return false
	}
	marks := strings.Count(text, text[:1])
	return marks >= 3 && marks+strings.Count(text, " ") == len(text)
}

func quotePrefix(text string) int {
	n := indentOf(text)
	if n > 3 || n == len(text) || text[n] != '>' {
		return 0
	}
	if n++; n < len(text) && text[n] == ' ' {
		n++
	}
	return n
}

func (p *parser) quote(lines []line, depth int) (Node, []line) {
	var inner []line
	for len(lines) > 0 {
		n := quotePrefix(lines[0].text)
		if n == 0 && (strings.TrimSpace(lines[0].text) == "" || p.interrupts(lines, depth)) {
			break
		}
		inner, lines = append(inner, lines[0].cut(n)), lines[1:]
	}
	return Node{Kind: Quote, Children: p.blocks(inner, depth+1)}, lines
}

func indentOf(text string) int {
	n := 0
	for n < len(text) && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return n
}
