//go:build js

package main

import (
	"strconv"

	"honnef.co/go/js/dom/v2"
)

var (
	window   = dom.GetWindow()
	document = window.Document().(dom.HTMLDocument)
)

// attr is an attribute for el.
type attr struct{ name, value string }

// el makes an element. Children are strings, which become text, nodes, and attributes; a nil
// child is left out.
func el(tag, class string, children ...any) dom.HTMLElement {
	e := document.CreateElement(tag).(dom.HTMLElement)
	if class != "" {
		e.SetAttribute("class", class)
	}
	add(e, children...)
	return e
}

func add(e dom.Element, children ...any) {
	for _, child := range children {
		switch c := child.(type) {
		case nil:
		case string:
			e.AppendChild(document.CreateTextNode(c))
		case attr:
			e.SetAttribute(c.name, c.value)
		case dom.Node:
			e.AppendChild(c)
		default:
			panic("el: a child must be text, a node or an attr")
		}
	}
}

const svgSpace = "http://www.w3.org/2000/svg"

// icon draws one of the symbols in index.html. It is decoration: the words beside it carry the meaning.
func icon(name string) dom.Element {
	svg := document.CreateElementNS(svgSpace, "svg")
	use := document.CreateElementNS(svgSpace, "use")
	use.SetAttribute("href", "#icon-"+name)
	add(svg, attr{"class", "icon"}, attr{"aria-hidden", "true"}, use)
	return svg
}

// button makes a button whose name is label, with a second line that says what it does.
func button(class, label, effect string, click func()) dom.HTMLElement {
	b := el("button", class, attr{"type", "button"}, el("span", "button-label", label))
	if effect != "" {
		add(b, el("span", "button-effect", effect))
	}
	press(b, click)
	return b
}

// press handles a button that is on. The second click of a double one is none: another button may have taken its place.
func press(b dom.HTMLElement, handle func()) {
	on(b, "click", func(e dom.Event) {
		if enabled(b) && e.Underlying().Get("detail").Int() < 2 {
			handle()
		}
	})
}

// composing reports whether a key belongs to an input method, which needs it to write a character. Safari says so by its code.
func composing(key *dom.KeyboardEvent) bool {
	return key.Get("isComposing").Bool() || key.KeyCode() == 229
}

func on(target dom.EventTarget, event string, handle func(dom.Event)) {
	target.AddEventListener(event, false, handle)
}

func byID(id string) dom.HTMLElement { return document.GetElementByID(id).(dom.HTMLElement) }

// setText changes an element's text only when it differs, so that a reader's selection survives.
func setText(e dom.Element, text string) {
	if e.TextContent() != text {
		e.SetTextContent(text)
	}
}

func setClass(e dom.Element, class string, on bool) {
	if on {
		e.Class().Add(class)
	} else {
		e.Class().Remove(class)
	}
}

func show(e dom.Element, on bool) {
	if on {
		e.RemoveAttribute("hidden")
	} else {
		e.SetAttribute("hidden", "")
	}
}

// enable keeps the element focusable when it is off: a focus that vanishes loses the reader.
func enable(e dom.Element, on bool) { e.SetAttribute("aria-disabled", strconv.FormatBool(!on)) }

func enabled(e dom.Element) bool { return e.GetAttribute("aria-disabled") != "true" }

// place sets where a bar begins and how long it is, in hundredths of its track.
func place(bar dom.HTMLElement, from, length float64) {
	bar.Style().SetProperty("left", strconv.FormatFloat(from, 'f', 2, 64)+"%", "")
	bar.Style().SetProperty("width", strconv.FormatFloat(length, 'f', 2, 64)+"%", "")
}
