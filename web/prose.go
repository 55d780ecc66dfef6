//go:build js

package main

import (
	"strconv"
	"strings"
	"syscall/js"

	"holdfast/web/markdown"
	"honnef.co/go/js/dom/v2"
)

// seam is a place where two parts of an answer meet.
type seam struct {
	at      int // bytes of the answer before it
	trimmed int // characters of overlap that were removed there
}

// sewn is a seam in the tree of an answer; its Level is how many characters were removed.
const sewn markdown.Kind = 255

func (s seam) node() markdown.Node { return markdown.Node{Kind: sewn, Level: s.trimmed} }

// prose shows an answer's Markdown. A long one is drawn many times a second while it grows: what is
// known of it is not read again, and only what has changed is drawn, down to the end of its last words.
type prose struct {
	root   dom.HTMLElement
	source string
	open   bool
	blocks []markdown.Block
	drawn  []markdown.Node // the blocks with their seams, as they are on the page
}

// draw brings the page up to date. open says that the text may go on.
func (p *prose) draw(source string, seams []seam, open bool) {
	if !p.open || !strings.HasPrefix(source, p.source) {
		p.blocks = nil
	}
	p.source, p.open, p.blocks = source, open, markdown.ParseOn(p.blocks, source, open)
	nodes := make([]markdown.Node, len(p.blocks))
	for i, b := range p.blocks {
		n := 0
		for n < len(seams) && (seams[n].at < b.To || i == len(nodes)-1) {
			n++
		}
		nodes[i] = b.Node
		if n > 0 {
			nodes[i], _ = sew(b.Node, seams[:n], true)
			seams = seams[n:]
		}
	}
	bring(p.root.Underlying(), p.drawn, nodes, block)
	p.drawn = nodes
}

// sew puts seams into the text of a node and, if it is the last, those that are left at the end of
// its last line. It returns the others.
func sew(n markdown.Node, seams []seam, last bool) (markdown.Node, []seam) {
	var children []markdown.Node
	for i, c := range n.Children {
		if c.Kind != markdown.Text {
			c, seams = sew(c, seams, last && i == len(n.Children)-1 && c.Kind < markdown.Rule)
			children = append(children, c)
			continue
		}
		for len(seams) > 0 && seams[0].at < c.At+len(c.Text) {
			before := c
			cut := max(0, seams[0].at-c.At)
			before.Text, c.Text, c.At = c.Text[:cut], c.Text[cut:], c.At+cut
			children = append(children, before, seams[0].node())
			seams = seams[1:]
		}
		children = append(children, c)
	}
	for ; last && len(seams) > 0; seams = seams[1:] {
		children = append(children, seams[0].node())
	}
	n.Children = children
	return n, seams
}

// bring makes the children of an element on the page, which show old, show next.
func bring(parent js.Value, old, next []markdown.Node, draw func(markdown.Node) js.Value) {
	for i, n := range next {
		switch {
		case i >= len(old):
			parent.Call("appendChild", draw(n))
		case !same(old[i], n):
			if there := child(parent, i); !change(there, old[i], n) {
				parent.Call("replaceChild", draw(n), there)
			}
		}
	}
	for i := len(old); i > len(next); i-- {
		parent.Call("removeChild", child(parent, i-1))
	}
}

// change makes a node on the page, which shows old, show next. It reports false when another must take its place.
func change(there js.Value, old, next markdown.Node) bool {
	if !alike(old, next) || old.Kind == sewn {
		return false
	}
	switch next.Kind {
	case markdown.Text:
		if more, grown := strings.CutPrefix(next.Text, old.Text); grown {
			there.Call("appendData", more) // what is selected stays so
		} else {
			there.Set("data", next.Text)
		}
	case markdown.Code:
		bring(child(there, 0), old.Children, next.Children, node)
	case markdown.Table:
		table := child(there, 0)
		bring(child(table, 0), old.Children[:1], next.Children[:1], node)
		bring(child(table, 1), old.Children[1:], next.Children[1:], node)
	default:
		bring(there, old.Children, next.Children, node)
	}
	return true
}

func child(of js.Value, i int) js.Value { return of.Get("childNodes").Index(i) }

// alike reports whether two nodes are the same but for what is in them.
func alike(a, b markdown.Node) bool {
	return a.Kind == b.Kind && a.Level == b.Level && a.Ordered == b.Ordered && a.Align == b.Align && a.Info == b.Info
}

func same(a, b markdown.Node) bool {
	if !alike(a, b) || a.Text != b.Text || len(a.Children) != len(b.Children) {
		return false
	}
	if len(a.Children) > 0 && &a.Children[0] == &b.Children[0] {
		return true
	}
	for i := range a.Children {
		if !same(a.Children[i], b.Children[i]) {
			return false
		}
	}
	return true
}

// block draws a node at the top of an answer, in the direction of its own language.
func block(n markdown.Node) js.Value {
	drawn := node(n)
	if n.Kind != markdown.Code {
		drawn.Call("setAttribute", "dir", "auto")
	}
	return drawn
}

// node draws a node. Everything a model wrote becomes text nodes. An answer has thousands, and
// asking each for its type, as package dom does, takes ten times as long as making it.
func node(n markdown.Node) js.Value {
	switch n.Kind {
	case markdown.Text:
		return document.Underlying().Call("createTextNode", n.Text)
	case sewn:
		return seamMark(n.Level).Underlying()
	case markdown.Heading: // the question is an h2, and most answers begin with ##
		return raw("h"+strconv.Itoa(min(max(n.Level+1, 3), 6)), n.Children)
	case markdown.List:
		if !n.Ordered {
			return raw("ul", n.Children)
		}
		return raw("ol", n.Children, attr{"start", strconv.Itoa(n.Level)})
	case markdown.Code:
		return wide("pre", "Code", raw("code", n.Children))
	case markdown.Table:
		table := raw("table", nil)
		table.Call("append", raw("thead", n.Children[:1]), raw("tbody", n.Children[1:]))
		return wide("div", "Table", table, attr{"class", "table"})
	case markdown.Cell:
		class := [...][]attr{nil, {{"class", "align-center"}}, {{"class", "align-end"}}}[n.Align]
		if n.Level == 0 {
			return raw("td", n.Children, class...)
		}
		return raw("th", n.Children, append(class, attr{"scope", "col"})...)
	case markdown.Link:
		if n.Info == "" {
			return raw("span", n.Children)
		}
		return raw("a", n.Children, attr{"href", n.Info}, attr{"rel", "noopener noreferrer nofollow"}, attr{"target", "_blank"})
	}
	return raw(tags[n.Kind], n.Children)
}

var tags = map[markdown.Kind]string{markdown.Paragraph: "p", markdown.Item: "li", markdown.Quote: "blockquote",
	markdown.Rule: "hr", markdown.Row: "tr", markdown.Strong: "strong", markdown.Emphasis: "em", markdown.Strike: "del",
	markdown.CodeSpan: "code", markdown.Break: "br"}

func raw(tag string, children []markdown.Node, attrs ...attr) js.Value {
	e := document.Underlying().Call("createElement", tag)
	for _, a := range attrs {
		e.Call("setAttribute", a.name, a.value)
	}
	for _, n := range children {
		e.Call("appendChild", node(n))
	}
	return e
}

// wide draws what scrolls when it is wide, so that the keyboard must reach it.
func wide(tag, label string, inner js.Value, attrs ...attr) js.Value {
	e := raw(tag, nil, append(attrs, attr{"tabindex", "0"}, attr{"role", "group"}, attr{"aria-label", label})...)
	e.Call("appendChild", inner)
	return e
}

// seamMark is a small button, so that every pointer and keyboard can ask what it is.
func seamMark(trimmed int) dom.Node {
	words := "Joined here"
	if trimmed != 0 {
		words += ", " + count(trimmed, "character") + " of overlap removed"
	}
	return el("button", "seam", attr{"type", "button"}, attr{"aria-label", words}, attr{"data-note", words}, icon("knot"))
}
