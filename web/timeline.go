//go:build js

package main

import "honnef.co/go/js/dom/v2"

// timeline shows the attempts behind one answer while they happen: a row each, on one axis.
//
// The axis is the time in which something was under way. Between an interruption and the
// reader's Continue it stands still, so that the bars stay readable however long that took.
type timeline struct {
	root    dom.HTMLElement
	list    dom.HTMLElement
	rows    []*row
	first   int     // the row of the present call's first attempt
	started float64 // when the present call began, or 0 between calls
	before  float64 // the axis at that moment
	ticking bool
	behind  bool // a gateway makes the attempts that results report
}

// shortest is the least that an axis shows, in milliseconds.
const shortest = 3000

func newTimeline(name string) *timeline {
	t := &timeline{list: el("ol", "attempts")}
	t.root = el("section", "timeline", attr{"aria-label", name},
		el("h3", "timeline-title", "Attempts"), t.list)
	return t
}

// note adds a line between rows, for what the reader did.
func (t *timeline) note(words string) {
	t.list.AppendChild(el("li", "attempts-note", words))
}

// begin starts the axis for a new call.
func (t *timeline) begin() {
	t.first, t.started = len(t.rows), now()
	t.tick()
}

// at turns a moment into a place on the axis.
func (t *timeline) at(ms float64) float64 {
	if t.started == 0 {
		return t.before
	}
	return t.before + max(0, ms-t.started)
}

// last is the row that events of the present call are about.
func (t *timeline) last() *row {
	if len(t.rows) == t.first {
		return t.add()
	}
	return t.rows[len(t.rows)-1]
}

func (t *timeline) add() *row {
	r := newRow(len(t.rows)+1, t.at(now()))
	t.rows = append(t.rows, r)
	t.list.AppendChild(r.item)
	return r
}

// next is the row of an attempt that is waited for or sent: one that waits already, or a new one.
func (t *timeline) next() *row {
	if len(t.rows) > t.first && t.last().state == waiting {
		return t.last()
	}
	return t.add()
}

// event shows what the module reports.
func (t *timeline) event(e Event) {
	at := t.at(e.AtMs)
	switch e.Type {
	case "sent":
		if n := len(t.rows); n > t.first && t.rows[n-1].until == 0 && t.rows[n-1].state != waiting {
			t.rows[n-1].until = at // the gateway ended a connection, and the answer goes on in another
		}
		t.next().sent(e, at)
	case "waiting", "offline":
		t.next().waits(e)
	case "responded":
		t.last().responded(e)
	case "streaming":
		t.last().streams(at)
	case "failed":
		t.last().failed(e.Error, at)
	case "joined":
		t.last().joined(e.Trimmed)
	case "restarted":
		t.last().restarted()
	}
	t.draw()
}

// plugged marks the live attempt: the reader cut it.
func (t *timeline) plugged() { t.last().plugged = true }

// finish completes the rows of the call that ended with what its report adds.
func (t *timeline) finish(r *Result) {
	end := t.at(now())
	if r != nil {
		for i, attempt := range r.Attempts {
			if n := t.first + i; n < len(t.rows) && t.own(attempt) {
				t.rows[n].report(attempt)
			}
		}
		if len(t.rows) > t.first {
			t.last().finish(r, end)
		}
	}
	t.before, t.started = end, 0
	t.draw()
}

// own tells that an attempt was made from here. Those of a gateway are behind the rows.
func (t *timeline) own(a Attempt) bool { return !t.behind || a.API == "answers" }

// draw scales the bars to the axis as it is now.
func (t *timeline) draw() {
	present := t.at(now())
	length := max(present, shortest)
	for _, row := range t.rows {
		row.draw(present, length)
	}
}

// tick redraws ten times a second while a call is under way: bars grow and waits count down.
func (t *timeline) tick() {
	if t.ticking {
		return
	}
	t.ticking = true
	var next func()
	next = func() {
		if t.ticking = t.started > 0; t.ticking {
			t.draw()
			window.SetTimeout(next, 100)
		}
	}
	window.SetTimeout(next, 100)
}
