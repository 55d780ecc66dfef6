//go:build js

package main

import "honnef.co/go/js/dom/v2"

// page is the conversation and the controls around it.
type page struct {
	service  *service
	failures *failures
	composer *composer
	turns    []*turn

	conversation, welcome, live dom.HTMLElement
}

func newPage(s *service) *page {
	p := &page{service: s, conversation: byID("conversation"), welcome: byID("welcome"), live: byID("announcements")}
	byID("about").SetTextContent(s.about())
	show(document.QuerySelector(".links"), s.mode == simulator || s.mode == gateway) // that page asks a simulated provider on the server
	p.failures = newFailures(s)
	p.composer = newComposer(p)
	on(window, "keydown", func(e dom.Event) {
		if key := e.(*dom.KeyboardEvent); key.Key() == "Escape" && !composing(key) {
			p.stop()
		}
	})
	return p
}

// current is the turn at the end of the conversation, or nil.
func (p *page) current() *turn {
	if len(p.turns) == 0 {
		return nil
	}
	return p.turns[len(p.turns)-1]
}

func (p *page) running() bool { return len(p.turns) > 0 && p.current().running }

// ask begins a turn.
func (p *page) ask(question string) {
	if p.running() {
		return
	}
	if last := p.current(); last != nil {
		last.retire()
	}
	show(p.welcome, false)
	chosen := p.failures.chosen()
	body := map[string]any{"model": p.service.model, "messages": p.messages(question)}
	t := p.add(question, chosen.name, chosen.title)
	t.ask(body, p.failures.background())
	p.follow(t)
}

func (p *page) add(question, scenario, title string) *turn {
	t := newTurn(p, question, scenario, title)
	p.turns = append(p.turns, t)
	p.conversation.AppendChild(t.item)
	return t
}

// messages is the conversation so far, with the answers that are whole, and the new question.
func (p *page) messages(question string) []any {
	var list []any
	for _, t := range p.turns {
		if t.whole && t.text != "" {
			list = append(list, message("user", t.question), message("assistant", t.text))
		}
	}
	return append(list, message("user", question))
}

func message(role, content string) map[string]any {
	return map[string]any{"role": role, "content": content}
}

func (p *page) stop() {
	if p.running() {
		p.current().stop()
	}
}

func (p *page) pullPlug() {
	if p.running() {
		p.current().pullPlug()
		p.announce("You pulled the plug")
	}
}

// changed brings the controls up to date with the current turn.
func (p *page) changed() {
	t := p.current()
	p.composer.draw(t != nil && t.running, t != nil && t.live)
}

// ended moves the focus to what the reader most likely wants next, unless they are busy.
func (p *page) ended(t *turn) {
	p.changed()
	if t != p.current() || p.composer.busy() {
		return
	}
	p.follow(t)
	if action := t.mainAction(); action != nil {
		bringIntoView(action) // it may stand above an end that is higher than the window
		action.Underlying().Call("focus", map[string]any{"preventScroll": true})
	}
}

// announce tells a state to those who do not see the page. It is for states, not for words.
func (p *page) announce(words string) {
	setText(p.live, words)
}

// near is how far below the window an answer's end still counts as being read, in pixels.
const near = 160

// following reports whether the reader is where the answer grows, and not further up.
func (p *page) following(t *turn) bool {
	return t.tail.GetBoundingClientRect().Top() < float64(window.InnerHeight()+near)
}

// follow brings the end of an answer into view; the style sheet keeps it clear of the dock.
func (p *page) follow(t *turn) {
	bringIntoView(t.tail)
}

func bringIntoView(e dom.Element) {
	e.Underlying().Call("scrollIntoView", map[string]any{"block": "nearest"})
}
