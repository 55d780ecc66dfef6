//go:build js

package main

import (
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"honnef.co/go/js/dom/v2"
)

// turn is one question and its answer, however many attempts and continuations that takes.
type turn struct {
	page     *page
	question string
	scenario string
	session  string

	body    js.Value // what was asked: made once, for a Go map has another order each time, and the gateway compares
	answer  Answer
	call    int             // counts answers; what an older one still reports is ignored
	text    string          // the answer so far
	grows   strings.Builder // holds it, so that what was read of a shorter one need not keep that
	seams   []seam
	live    bool // an exchange is under way that a plug could be pulled on
	running bool
	whole   bool // complete, or final for another reason

	item, article, status, ending, tail dom.HTMLElement
	prose                               prose
	timeline                            *timeline
	painting                            bool
	rests                               float64 // when it may be drawn again: drawing takes a third of the time at most
	countdown                           *countdownTimer
}

func newTurn(p *page, question, scenario, title string) *turn {
	number := " " + strconv.Itoa(len(p.turns)+1) // landmarks need names of their own
	t := &turn{page: p, question: question, scenario: scenario, session: newSession(), timeline: newTimeline("Attempts" + number)}
	t.timeline.behind = p.service.mode == gateway
	t.prose.root = el("div", "prose")
	t.status = el("p", "status")
	t.ending = el("div", "ending-place")
	t.tail = el("div", "turn-tail")
	t.article = el("section", "answer", attr{"aria-label", "Answer" + number}, attr{"tabindex", "-1"}, t.prose.root, t.status)
	asked := el("div", "question", el("h2", "question-text", attr{"dir", "auto"}, question))
	if title != "" {
		add(asked, el("p", "question-failure", icon("break"), title))
	}
	t.item = el("article", "turn", attr{"data-session", t.session}, asked, el("div", "turn-main", t.article, t.ending, t.tail), t.timeline.root)
	return t
}

// ask sends the question.
func (t *turn) ask(body map[string]any, background bool) {
	s := t.page.service
	options := map[string]any{"headers": s.headers(t.scenario, t.session), "background": background, "durable": s.mode == gateway}
	t.body = js.ValueOf(body)
	t.begin("Sending")
	t.answer = s.client.Stream(s.path, t.body, options, t.handlers())
	t.keep()
}

// goOn is the reader's Continue.
func (t *turn) goOn() {
	t.timeline.note("You chose Continue")
	t.begin("Asking the model to go on")
	t.answer = t.answer.Continue(t.handlers())
	t.keep()
	t.article.Focus()
}

// tryAgain replaces the answer.
func (t *turn) tryAgain() {
	t.text, t.seams = "", nil
	t.timeline.note("You chose Try again")
	t.begin("Asking again")
	t.answer = t.answer.TryAgain(t.handlers())
	t.keep()
	t.article.Focus()
}

func (t *turn) stop() {
	if t.running {
		t.answer.Cancel()
	}
}

// pullPlug cuts the connection at this very moment.
func (t *turn) pullPlug() {
	if t.live {
		t.timeline.plugged()
		t.page.service.plug(t.session)
	}
}

func (t *turn) begin(words string) {
	t.call++
	t.running, t.whole = true, false
	t.clearEnding()
	t.timeline.begin()
	t.say(words, "send")
	t.paint()
	t.page.changed()
}

// handlers are for the answer that has just begun.
func (t *turn) handlers() Handlers {
	call := t.call
	return Handlers{
		Delta: func(kind, text string) {
			if call == t.call {
				t.delta(kind, text)
			}
		},
		Event: func(e Event) {
			if call == t.call {
				t.event(e)
			}
		},
		Done: func(r *Result, err error) {
			if call == t.call {
				t.done(r, err)
			}
		},
	}
}

func (t *turn) delta(kind, text string) {
	switch kind {
	case "text", "refusal":
		if t.grows.String() != t.text {
			t.grows.Reset()
			t.grows.WriteString(t.text)
		}
		t.grows.WriteString(text)
		t.text = t.grows.String()
	case "restart":
		t.text, t.seams = "", nil
	default:
		return
	}
	t.paintSoon()
}

func (t *turn) event(e Event) {
	t.timeline.event(e)
	t.live = e.Type == "sent" || t.live && e.Type != "failed" && e.Type != "done"
	switch e.Type {
	case "sent":
		switch e.Kind {
		case "continue":
			t.say("Continuing the answer", "send")
		case "retry", "restart":
			t.say("Trying again", "send")
		}
	case "streaming":
		t.say("The answer is arriving", "stream")
	case "failed":
		t.say(sentence(reason(e.Error)), "cut")
	case "waiting":
		t.say("Waiting before the next attempt", "clock")
	case "offline":
		t.say("The network is away; the answer goes on when it is back", "clock")
	case "joined":
		t.seams = append(t.seams, seam{at: len(t.text), trimmed: e.Trimmed})
	case "restarted":
		t.say("Starting over; the text so far is discarded", "send")
	}
	t.page.changed()
}

func (t *turn) done(r *Result, err error) {
	t.running, t.live = false, false
	t.timeline.finish(r)
	if t.page.service.mode == gateway && r != nil && len(r.Attempts) > 0 && r.Attempts[0].API != "answers" {
		t.timeline.note(work(r.Attempts))
	}
	if err != nil {
		t.broken(err)
	} else {
		t.end(r)
	}
	t.paint()
	t.page.ended(t)
}

// say shows the state under the answer and tells it to those who listen.
func (t *turn) say(words, sign string) {
	t.status.SetTextContent("")
	t.status.SetAttribute("class", "status is-"+sign)
	add(t.status, icon(sign), el("span", "", words))
	t.page.announce(words)
}

// paintSoon draws the text in the next frame, however many words arrive until then.
func (t *turn) paintSoon() {
	if t.painting {
		return
	}
	t.painting = true
	window.RequestAnimationFrame(t.frame)
}

func (t *turn) frame(time.Duration) {
	if t.painting && steady() < t.rests {
		window.RequestAnimationFrame(t.frame)
	} else if t.painting {
		t.paint()
	}
}

func (t *turn) paint() {
	t.painting = false
	began := steady()
	follow := t.page.following(t)
	t.prose.draw(t.text, t.seams, !t.whole)
	setClass(t.article, "is-running", t.running)
	setClass(t.article, "has-text", t.text != "")
	setClass(t.article, "is-cut", t.text != "" && !t.running && !t.whole)
	if follow {
		t.page.follow(t)
	}
	t.rests = 3*steady() - 2*began
}
