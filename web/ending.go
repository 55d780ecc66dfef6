//go:build js

package main

import (
	"strings"

	"honnef.co/go/js/dom/v2"
)

// This file shows how an answer ended. What may be offered is the module's word; the page only
// finds the sentences.

// watched is the longest wait that is counted down before the reader's eyes. Of a longer one the
// page tells the time, and a reader who knows better may try at once.
const watched = 10 * 60 * 1000

// end shows a result.
func (t *turn) end(r *Result) {
	t.text = r.Text
	if t.text == "" {
		t.text = r.Refusal
	}
	t.whole = r.Status == "complete" || r.Status == "content_filter"
	t.clearEnding()
	switch r.Status {
	case "complete":
		t.say(completion(r, len(t.seams)), "done")
		switch {
		case r.Tool != "":
			t.note("done", "The model asks for the tool "+r.Tool, "This page has no tools, so its answer ends here.")
		case t.text == "":
			t.note("done", "There is no text", emptyBecause(r))
		}
	case "content_filter":
		t.final(r)
	case "cancelled":
		t.say("Stopped here", "stop")
		words := "Nothing had arrived yet."
		if t.text != "" {
			words = "It is incomplete. What arrived is kept."
		}
		t.offer(r, "stop", "You stopped this answer", words)
	default: // interrupted or failed; what the reader has before them makes the difference
		if t.text == "" {
			t.say("No answer", "refused")
			t.offer(r, "refused", "There is no answer", because(r))
		} else {
			t.say("The answer breaks off here", "cut")
			t.offer(r, "broken", "This answer is incomplete", because(r)+" What arrived is kept.")
		}
	}
	for _, warning := range r.Warnings {
		t.timeline.note(warning)
	}
	if r.RedirectedFrom != "" {
		t.timeline.note(r.Model + " answered in place of " + r.RedirectedFrom)
	}
}

// final ends an answer that the service or the model has decided about. Nothing is offered: the
// same would happen again.
func (t *turn) final(r *Result) {
	t.say("The answer has ended", "shield")
	switch {
	case r.Refusal != "":
		t.note("shield", "The model declined to answer", "This is final. Another question may get an answer.")
	case t.text == "":
		t.note("shield", "The service refused this question", because(r)+" This is final: its content policy would refuse it again.")
	default:
		t.note("shield", "The service ended this answer here", "Its content filter decided so. This is final: asking to continue would meet the same filter.")
	}
}

// broken is for a failure of the module itself, not of the provider.
func (t *turn) broken(err error) {
	t.say("Something on this page failed", "refused")
	t.note("refused", "This page failed", err.Error())
}

// completion sums up in a line.
func completion(r *Result, seams int) string {
	words := "Complete"
	if n := len(r.Attempts); n > 1 {
		words += ", after " + count(n, "attempt")
	}
	if seams > 0 {
		words += ", joined in " + count(seams, "place")
	}
	if r.FinishReason == "length" {
		words += "; the output limit was reached"
	}
	return words
}

func emptyBecause(r *Result) string {
	if r.FinishReason == "length" {
		return "The model used up its output limit before it wrote a word. A higher limit or less thinking helps; asking again does not."
	}
	return "The service reported a complete answer without text."
}

// because says what went wrong. Of a refusal the service's own sentence is the best; of a line
// that broke nobody sent one.
func because(r *Result) string {
	if r.Error == nil {
		return "The connection broke."
	}
	if r.Error.Message == "" || onTheLine[r.Error.Reason] {
		return sentence(reason(r.Error))
	}
	return sentence(r.Error.Message)
}

var onTheLine = map[string]bool{"transport": true, "truncated": true, "idle_timeout": true, "malformed_stream": true}

func sentence(words string) string {
	if words == "" {
		return ""
	}
	words = strings.ToUpper(words[:1]) + words[1:]
	if !strings.ContainsAny(words[len(words)-1:], ".!?") {
		words += "."
	}
	return words
}

// note ends an answer that nothing more can be done about.
func (t *turn) note(sign, title, words string) {
	t.ending.AppendChild(endingBox(sign, title, words))
}

func endingBox(sign, title, words string) dom.HTMLElement {
	return el("div", "ending is-"+sign, attr{"role", "group"}, attr{"aria-label", title},
		el("p", "ending-title", icon(sign), title), el("p", "ending-words", words))
}

// offer ends an answer with what the reader can do now.
func (t *turn) offer(r *Result, sign, title, words string) {
	var actions []dom.HTMLElement
	if r.MayContinue {
		actions = append(actions, button("action is-main", "Continue", "adds to this answer", t.goOn))
	}
	if r.MayTryAgain {
		class, effect := "action", "replaces this answer"
		if t.text == "" {
			class, effect = "action is-main", ""
		}
		actions = append(actions, button(class, "Try again", effect, t.tryAgain))
	}
	box := endingBox(sign, title, words)
	if r.RetryAtMs > now() {
		add(box, t.wait(r.RetryAtMs, actions))
	}
	if len(actions) > 0 {
		row := el("div", "actions")
		for _, action := range actions {
			add(row, action)
		}
		add(box, row)
	}
	t.ending.AppendChild(box)
}

// wait says when the service allows the next try. A short wait counts down and holds the buttons
// until it is over.
func (t *turn) wait(until float64, actions []dom.HTMLElement) dom.Node {
	words := el("p", "ending-wait")
	if until-now() > watched {
		add(words, "The service asks to wait until "+clock(until)+". Earlier tries will probably be refused.")
		return words
	}
	hold := func(on bool) {
		for _, action := range actions {
			enable(action, !on)
		}
	}
	hold(true)
	t.countdown = startCountdown(until,
		func(left string) { setText(words, "The service asks to wait another "+left+".") },
		func() {
			hold(false)
			setText(words, "The wait is over.")
			t.page.announce("The wait is over")
		})
	return words
}

func (t *turn) clearEnding() {
	if t.countdown != nil {
		t.countdown.stop()
		t.countdown = nil
	}
	t.ending.SetTextContent("")
}

// retire takes the offers away when the conversation has gone on; the mark stays.
func (t *turn) retire() {
	if t.countdown != nil {
		t.countdown.stop()
	}
	for _, gone := range t.ending.QuerySelectorAll(".actions, .ending-wait") {
		gone.Remove()
	}
}

// mainAction is the button that a reader most likely wants next, or nil.
func (t *turn) mainAction() dom.HTMLElement {
	if e := t.ending.QuerySelector(".action"); e != nil {
		return e.(dom.HTMLElement)
	}
	return nil
}

// countdownTimer counts seconds down to a moment.
type countdownTimer struct{ stopped bool }

func (c *countdownTimer) stop() { c.stopped = true }

func startCountdown(until float64, show func(left string), over func()) *countdownTimer {
	c := &countdownTimer{}
	var step func()
	step = func() {
		switch left := until - now(); {
		case c.stopped:
		case left <= 0:
			over()
		default:
			show(countdown(left))
			window.SetTimeout(step, min(1000, int(left)%1000+1))
		}
	}
	step()
	return c
}
