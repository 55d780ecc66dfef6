// Package markdown reads the Markdown that models write, also while it is only half there.
//
// It makes a tree and no HTML: what a model wrote is never markup for the page. It covers what
// answers contain (paragraphs, headings, lists, quotes, code, tables, emphasis, links) and shows
// everything else as it was written. It never fails.
//
// Every Text node is a run of the source, byte for byte, at a known place. A reader who counts
// bytes of the source, such as one who marks where two parts were joined, finds the place again
// in the tree.
package markdown

import "strings"

// Kind says what a node is.
type Kind uint8

const (
	Paragraph Kind = iota
	Heading        // Level 1–6
	List           // Children are Items; Ordered lists start at Level
	Item
	Code // a fenced block; Info is its language
	Quote
	Table // Children are Rows
	Row   // Children are Cells; the first row of a table is its head
	Cell  // Level is 1 in the head
	Rule
	Text // Source[At:At+len(Text)]
	Strong
	Emphasis
	Strike
	CodeSpan
	Link // Info is an http, https or mailto address
	Break
)

// Node is a piece of an answer. Only Text nodes have text, all others have children.
type Node struct {
	Kind     Kind
	Level    int
	Ordered  bool
	Align    Align
	Info     string
	Text     string
	At       int
	Children []Node
}

// Align is how the text of a table's column is set.
type Align uint8

const (
	Start Align = iota
	Center
	End
)

// Block is a piece at the top of an answer, and the bytes of the source that it was read from.
// Equal sources give equal nodes, so that a page redraws only what changed.
type Block struct {
	Node
	From, To int
}

// Parse reads source. In an open source the text may go on at any time: emphasis and code that
// are not closed count as closed at the end, and a mark that is not finished stays out of sight.
func Parse(source string, open bool) []Block { return ParseOn(nil, source, open) }

// ParseOn gives what Parse does, when blocks are what Parse or ParseOn gave for an open source that
// went on as this one. It reads the last two anew: what follows cannot change those before.
func ParseOn(blocks []Block, source string, open bool) []Block {
	blocks = blocks[:max(0, len(blocks)-2):max(0, len(blocks)-2)]
	from := 0
	if n := len(blocks); n > 0 {
		from = blocks[n-1].To
	}
	if !open {
		p := parser{source: source}
		return p.top(blocks, from)
	}
	source = strings.TrimRight(source, " \t\r\n")
	// A last line that has nothing but marks so far stays out of sight, unless it is code: what it
	// will become is not known yet, and it would flicker on the page.
	if start := max(from, strings.LastIndexByte(source, '\n')+1); strings.Trim(source[start:], "#-*+`~>_|= \t") == "" {
		p := parser{source: strings.TrimRight(source[:start], " \t\r\n"), open: true}
		if above := p.top(blocks, from); !p.inCode {
			return above
		}
	}
	p := parser{source: source, open: true}
	return p.top(blocks, from)
}

// top reads the blocks from a byte on behind those given.
func (p *parser) top(blocks []Block, from int) []Block {
	for lines := p.split(from); len(lines) > 0; {
		node, rest, found := p.block(lines, 0)
		if found {
			last := lines[len(lines)-len(rest)-1]
			blocks = append(blocks, Block{Node: node, From: lines[0].at, To: last.at + len(last.text)})
		}
		lines = rest
	}
	return blocks
}

type parser struct {
	source string
	open   bool
	inCode bool // the source ended within a block of code
}

// tail reports whether the source may go on right after byte at.
func (p *parser) tail(at int) bool { return p.open && at >= len(p.source) }

// A line is a run of the source without its line end, and without the prefixes of the quotes and
// lists around it.
type line struct {
	at   int
	text string
}

func (l line) cut(n int) line { return line{l.at + n, l.text[n:]} }

// split gives the lines of the source from a byte on.
func (p *parser) split(from int) []line {
	var lines []line
	for at := from; at < len(p.source); {
		end := at
		for end < len(p.source) && p.source[end] != '\n' {
			end++
		}
		text := p.source[at:end]
		if n := len(text); n > 0 && text[n-1] == '\r' {
			text = text[:n-1]
		}
		lines = append(lines, line{at, text})
		at = end + 1
	}
	return lines
}

// appendText adds a run, and makes one of two runs that touch in the source.
func (p *parser) appendText(nodes []Node, text string, at int) []Node {
	if text == "" {
		return nodes
	}
	if n := len(nodes); n > 0 && nodes[n-1].Kind == Text && nodes[n-1].At+len(nodes[n-1].Text) == at {
		nodes[n-1].Text = p.source[nodes[n-1].At : at+len(text)]
		return nodes
	}
	return append(nodes, Node{Kind: Text, Text: text, At: at})
}
