//go:build js

package main

import "strconv"

// This file is for pages behind a gateway, which goes on with an answer while its page is away.

// keep remembers the answer under way, and all that was said before it, until it is whole.
func (t *turn) keep() {
	if s := t.page.service; s.store != nil {
		s.store.Keep(t.answer, s.path, t.body)
	}
}

// comeBack shows the conversation that the page was left in, and goes on with its answer. It blocks.
func (p *page) comeBack() {
	if p.service.store == nil {
		return
	}
	kept := p.service.store.Get()
	if kept == nil || len(kept.Messages) == 0 {
		return
	}
	show(p.welcome, false)
	said := kept.Messages
	for ; len(said) > 2; said = said[2:] {
		p.add(said[0][1], "", "").recall(said[1][1])
	}
	t := p.add(said[0][1], "", "")
	t.body = kept.value.Get("body")
	t.comeBack(*kept)
	p.follow(t)
}

// recall shows an answer that was whole before the page was left.
func (t *turn) recall(text string) {
	t.text, t.whole = text, true
	t.say("Complete", "done")
	t.paint()
}

// comeBack goes on with the answer from the exact character.
func (t *turn) comeBack(kept Kept) {
	t.text = kept.Text
	t.timeline.note("You came back")
	t.begin("Taking up the answer where the page left it")
	s := t.page.service
	options := map[string]any{"headers": s.headers("", t.session)}
	t.answer = s.client.ResumeAnswer(kept, options, t.handlers())
	t.keep()
}

// work says what the gateway did for an answer.
func work(attempts []Attempt) string {
	words := "The gateway asked the model once"
	if n := len(attempts); n > 1 {
		words = "The gateway asked " + strconv.Itoa(n) + " times"
		for i, a := range attempts {
			sep := ", "
			if i == 0 {
				sep = ": "
			}
			words += sep + nameOf(a.Kind)
		}
	}
	return words
}
