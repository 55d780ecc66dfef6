//go:build js

package main

import (
	"strconv"
	"strings"

	"honnef.co/go/js/dom/v2"
)

// example is the question that stands ready, so that one key is enough to see an answer.
const example = "How do tidepools survive a storm?"

// composer is the bar at the bottom: the question, Send or Stop, and the plug.
type composer struct {
	page     *page
	question *dom.HTMLTextAreaElement
	send     dom.HTMLElement
	plug     dom.HTMLElement
	running  bool
}

func newComposer(p *page) *composer {
	c := &composer{page: p, question: byID("question").(*dom.HTMLTextAreaElement), send: byID("send"), plug: byID("plug")}
	c.question.SetValue(example)
	on(c.question, "input", func(dom.Event) { c.fit() })
	on(c.question, "focus", func(dom.Event) {
		if c.question.Value() == example {
			c.question.Select()
		}
	})
	on(c.question, "keydown", func(e dom.Event) {
		key := e.(*dom.KeyboardEvent)
		if key.Key() == "Enter" && !key.ShiftKey() && !composing(key) {
			e.PreventDefault()
			c.submit()
		}
	})
	press(c.send, func() {
		if c.running {
			p.stop()
		} else {
			c.submit()
		}
	})
	press(c.plug, p.pullPlug)
	on(window, "resize", func(dom.Event) { c.fit() })
	c.fit()
	c.draw(false, false)
	return c
}

// submit asks the question; while an answer is on its way the question waits.
func (c *composer) submit() {
	question := strings.TrimSpace(c.question.Value())
	if c.running {
		return
	}
	if question == "" {
		c.question.Focus()
		return
	}
	c.question.SetValue(example)
	c.fit()
	c.page.ask(question)
}

// busy reports whether the reader is writing a question of their own.
func (c *composer) busy() bool {
	return c.question.Value() != example && document.ActiveElement() != nil &&
		document.ActiveElement().Underlying().Equal(c.question.Underlying())
}

func (c *composer) draw(running, live bool) {
	c.running = running
	words, sign := "Send", "send"
	if running {
		words, sign = "Stop", "stop"
	}
	if c.send.TextContent() != words {
		c.send.SetTextContent("")
		add(c.send, icon(sign), el("span", "button-label", words))
	}
	enable(c.plug, live)
}

// fit makes the field as high as its text.
func (c *composer) fit() {
	style := c.question.Style()
	style.SetProperty("height", "auto", "")
	style.SetProperty("height", strconv.Itoa(c.question.Underlying().Get("scrollHeight").Int())+"px", "")
}
