package markdown

import "strings"

// startsTable reports whether a table begins here: a row, and under it a row of dashes. In an
// open source the dashes may still be on their way.
func (p *parser) startsTable(lines []line) bool {
	head := strings.TrimSpace(lines[0].text)
	if !strings.Contains(head, "|") {
		return false
	}
	last := lines[len(lines)-1]
	atEnd := p.tail(last.at + len(last.text))
	switch len(lines) {
	case 1:
		return atEnd && head[0] == '|'
	case 2:
		if atEnd && head[0] == '|' && strings.Trim(lines[1].text, "|-: \t") == "" {
			return true
		}
	}
	return isDelimiter(lines[1].text)
}

func isDelimiter(text string) bool {
	return strings.Contains(text, "-") && strings.Contains(text, "|") && strings.Trim(text, "|-: \t") == ""
}

func (p *parser) table(lines []line) (Node, []line) {
	node := Node{Kind: Table}
	var aligns []Align
	head := cells(lines[0])
	node.Children = append(node.Children, p.row(head, len(head), nil, 1))
	lines = lines[1:]
	if len(lines) > 0 && strings.Trim(lines[0].text, "|-: \t") == "" && strings.TrimSpace(lines[0].text) != "" {
		for _, c := range cells(lines[0]) {
			aligns = append(aligns, alignment(c.text))
		}
		node.Children[0] = p.row(head, len(head), aligns, 1)
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.Contains(lines[0].text, "|") {
		node.Children = append(node.Children, p.row(cells(lines[0]), len(head), aligns, 0))
		lines = lines[1:]
	}
	return node, lines
}

func (p *parser) row(cells []line, width int, aligns []Align, level int) Node {
	row := Node{Kind: Row}
	for i := range width {
		cell := Node{Kind: Cell, Level: level}
		if i < len(aligns) {
			cell.Align = aligns[i]
		}
		if i < len(cells) {
			cell.Children = p.inline(cells[i : i+1])
		}
		row.Children = append(row.Children, cell)
	}
	// A row with more cells than the head keeps them: nothing that was written is lost.
	for i := width; i < len(cells); i++ {
		row.Children = append(row.Children, Node{Kind: Cell, Level: level, Children: p.inline(cells[i : i+1])})
	}
	return row
}

// cells cuts a row at its bars, except escaped ones and those in code.
func cells(l line) []line {
	lead := indentOf(l.text)
	l = l.cut(lead)
	l.text = strings.TrimRight(l.text, " \t")
	if strings.HasPrefix(l.text, "|") {
		l = l.cut(1)
	}
	var found []line
	start, code := 0, false
	for i := 0; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			i++
		case '`':
			code = !code && strings.Contains(l.text[i+1:], "`")
		case '|':
			if !code {
				found = append(found, trim(line{l.at + start, l.text[start:i]}))
				start = i + 1
			}
		}
	}
	if start < len(l.text) {
		found = append(found, trim(line{l.at + start, l.text[start:]}))
	}
	return found
}

func trim(l line) line {
	l = l.cut(indentOf(l.text))
	l.text = strings.TrimRight(l.text, " \t")
	return l
}

func alignment(text string) Align {
	left, right := strings.HasPrefix(text, ":"), strings.HasSuffix(text, ":")
	switch {
	case left && right:
		return Center
	case right:
		return End
	}
	return Start
}
