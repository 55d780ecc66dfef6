package markdown

import "strings"

// A marker begins a list's item: a bullet, or a number with a dot or a bracket.
type marker struct {
	sign    byte // '-', '*', '+', '.' or ')'
	number  int
	indent  int // columns before the sign
	content int // columns before the item's text
}

func (m marker) ordered() bool { return m.sign == '.' || m.sign == ')' }

func listMarker(text string) (marker, bool) {
	m := marker{indent: indentOf(text)}
	i := m.indent
	for i < len(text) && i < m.indent+9 && '0' <= text[i] && text[i] <= '9' {
		m.number = m.number*10 + int(text[i]-'0')
		i++
	}
	if i == len(text) {
		return marker{}, false
	}
	m.sign = text[i]
	bullet := m.sign == '-' || m.sign == '*' || m.sign == '+'
	if digits := i > m.indent; digits != m.ordered() || !digits && !bullet {
		return marker{}, false
	}
	i++
	gap := indentOf(text[i:])
	if gap == 0 && i < len(text) {
		return marker{}, false
	}
	m.content = i + min(max(gap, 1), 4)
	return m, true
}

// list reads items for as long as they carry the same sign. What is indented further than an
// item's sign belongs to the item, and so do plain lines right after its text. Models indent by
// two, three or four columns as they please.
func (p *parser) list(lines []line, first marker, depth int) (Node, []line) {
	node := Node{Kind: List, Ordered: first.ordered(), Level: first.number}
	for len(lines) > 0 {
		m, ok := listMarker(lines[0].text)
		if !ok || m.sign != first.sign || m.indent > first.indent+1 || isRule(lines[0].text) {
			break
		}
		inner := []line{lines[0].cut(min(m.content, len(lines[0].text)))}
		lines = lines[1:]
		for len(lines) > 0 && p.belongs(lines, m, inner, depth) {
			l := lines[0]
			inner, lines = append(inner, l.cut(min(m.content, indentOf(l.text)))), lines[1:]
		}
		node.Children = append(node.Children, Node{Kind: Item, Children: p.blocks(inner, depth+1)})
		// A blank line between two items does not end the list.
		if rest := skipBlank(lines); len(rest) > 0 {
			if next, ok := listMarker(rest[0].text); ok && next.sign == first.sign {
				lines = rest
			}
		}
	}
	return node, lines
}

// belongs reports whether the first of lines is part of the item that m began.
func (p *parser) belongs(lines []line, m marker, inner []line, depth int) bool {
	text := lines[0].text
	if strings.TrimSpace(text) == "" {
		rest := skipBlank(lines)
		return len(rest) > 0 && indentOf(rest[0].text) > m.indent+1
	}
	if indentOf(text) > m.indent+1 {
		return true
	}
	afterText := strings.TrimSpace(inner[len(inner)-1].text) != ""
	return afterText && !p.interrupts(lines, depth)
}

func skipBlank(lines []line) []line {
	for len(lines) > 0 && strings.TrimSpace(lines[0].text) == "" {
		lines = lines[1:]
	}
	return lines
}
