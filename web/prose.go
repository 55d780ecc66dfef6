//go:build js

package main

import (
	"strconv"

	"holdfast/web/markdown"
	"honnef.co/go/js/dom/v2"
)

// seam is a place where two parts of an answer meet.
type seam struct {
	at      int // bytes of the answer before it
	trimmed int // characters of overlap that were removed there
}

// words says what happened at the seam.
func (s seam) words() string {
	if s.trimmed == 0 {
		return "Joined here"
	}
	return "Joined here, " + count(s.trimmed, "character") + " of overlap removed"
}

// prose shows an answer's Markdown, and redraws only the blocks that changed since the last time.
type prose struct {
	root   dom.HTMLElement
	source string
	blocks []drawn
	seams  []seam
}

// drawn is a block on the page and what it was drawn from.
type drawn struct {
	source string
	seams  int  // seams in it
	open   bool // it was the last of an open text, which closes its marks
	node   dom.Node
}

func (d drawn) same(next drawn) bool {
	return d.source == next.source && d.seams == next.seams && d.open == next.open
}

// draw brings the page up to date. open says that the text may go on.
func (p *prose) draw(source string, seams []seam, open bool) {
	p.source = source
	blocks := markdown.Parse(source, open)
	left := seams
	for i, block := range blocks {
		p.seams = nil
		for len(left) > 0 && (left[0].at < block.To || i == len(blocks)-1) {
			p.seams, left = append(p.seams, left[0]), left[1:]
		}
		next := drawn{source: source[block.From:block.To], seams: len(p.seams), open: open && i == len(blocks)-1}
		if i < len(p.blocks) && p.blocks[i].same(next) {
			continue
		}
		node := p.node(block.Node)
		if block.Node.Kind != markdown.Code {
			node.SetAttribute("dir", "auto") // each in the direction of its own language
		}
		next.node = node
		for _, s := range p.seams { // after the last word
			next.node.AppendChild(seamMark(s))
		}
		if i < len(p.blocks) {
			p.root.ReplaceChild(next.node, p.blocks[i].node)
			p.blocks[i] = next
		} else {
			p.root.AppendChild(next.node)
			p.blocks = append(p.blocks, next)
		}
	}
	for _, gone := range p.blocks[min(len(blocks), len(p.blocks)):] {
		p.root.RemoveChild(gone.node)
	}
	p.blocks = p.blocks[:len(blocks)]
}

// node draws a block or a span. Everything a model wrote becomes text nodes.
func (p *prose) node(n markdown.Node) dom.Element {
	switch n.Kind {
	case markdown.Heading: // the question is an h2, and most answers begin with ##
		return p.fill(el("h"+strconv.Itoa(min(max(n.Level+1, 3), 6)), ""), n.Children)
	case markdown.List:
		if !n.Ordered {
			return p.fill(el("ul", ""), n.Children)
		}
		return p.fill(el("ol", "", attr{"start", strconv.Itoa(n.Level)}), n.Children)
	case markdown.Code:
		// A wide block scrolls, so the keyboard must reach it.
		return el("pre", "", attr{"tabindex", "0"}, attr{"role", "group"}, attr{"aria-label", "Code"},
			p.fill(el("code", ""), n.Children))
	case markdown.Table:
		return p.table(n)
	case markdown.Link:
		if n.Info == "" {
			return p.fill(el("span", ""), n.Children)
		}
		return p.fill(el("a", "", attr{"href", n.Info}, attr{"rel", "noopener noreferrer nofollow"}, attr{"target", "_blank"}), n.Children)
	}
	tags := map[markdown.Kind]string{markdown.Paragraph: "p", markdown.Item: "li", markdown.Quote: "blockquote",
		markdown.Rule: "hr", markdown.Strong: "strong", markdown.Emphasis: "em", markdown.Strike: "del",
		markdown.CodeSpan: "code", markdown.Break: "br"}
	return p.fill(el(tags[n.Kind], ""), n.Children)
}

func (p *prose) fill(parent dom.Element, children []markdown.Node) dom.Element {
	for _, n := range children {
		if n.Kind == markdown.Text {
			p.text(parent, n)
		} else {
			parent.AppendChild(p.node(n))
		}
	}
	return parent
}

// text draws a run of text, with the seams that lie before or inside it.
func (p *prose) text(parent dom.Element, n markdown.Node) {
	for len(p.seams) > 0 && p.seams[0].at < n.At+len(n.Text) {
		cut := max(0, p.seams[0].at-n.At)
		add(parent, n.Text[:cut], seamMark(p.seams[0]))
		n.Text, n.At = n.Text[cut:], n.At+cut
		p.seams = p.seams[1:]
	}
	add(parent, n.Text)
}

func (p *prose) table(n markdown.Node) dom.Element {
	head, body := el("thead", ""), el("tbody", "")
	for i, row := range n.Children {
		line := el("tr", "")
		for _, cell := range row.Children {
			tag, into := "td", [...]string{"", "align-center", "align-end"}[cell.Align]
			if i == 0 {
				tag = "th"
			}
			c := el(tag, into)
			if i == 0 {
				c.SetAttribute("scope", "col")
			}
			line.AppendChild(p.fill(c, cell.Children))
		}
		if i == 0 {
			head.AppendChild(line)
		} else {
			body.AppendChild(line)
		}
	}
	return el("div", "table", attr{"tabindex", "0"}, attr{"role", "group"}, attr{"aria-label", "Table"},
		el("table", "", head, body))
}

// seamMark is a small button, so that every pointer and keyboard can ask what it is.
func seamMark(s seam) dom.Node {
	mark := el("button", "seam", attr{"type", "button"}, attr{"aria-label", s.words()},
		attr{"data-note", s.words()}, icon("knot"))
	return mark
}
