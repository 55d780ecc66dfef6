//go:build js

package main

import (
	"cmp"
	"math"
	"strconv"

	"honnef.co/go/js/dom/v2"
)

// state is what a row's attempt is doing, or how it ended. The name is also its CSS class.
type state string

const (
	waiting  state = "waiting"
	sending  state = "sending"
	answered state = "answered"
	streams  state = "streaming"
	refused  state = "refused"
	cut      state = "cut"
	ended    state = "ended"
	stopped  state = "stopped"
)

var stateIcons = map[state]string{
	waiting: "clock", sending: "send", answered: "send", streams: "stream",
	refused: "refused", cut: "cut", ended: "done", stopped: "stop",
}

// row is one attempt in the timeline.
type row struct {
	item, sign, title, time, detail, ids dom.HTMLElement
	waitBar, openBar, textBar            dom.HTMLElement

	state                   state
	kind                    string
	from, send, text, until float64 // on the axis; until is 0 while it goes on
	ready                   float64 // when its wait ends, since the epoch
	status, trimmed         int
	length                  int
	failure                 *Failure
	requestID, traceID      string
	plugged, join, over     bool
	filtered                bool // the content filter ended it
	drawn                   state
	drawnIDs                string
}

func newRow(number int, from float64) *row {
	r := &row{state: sending, from: from, send: from, trimmed: -1, length: -1,
		sign: el("span", "attempt-sign"), title: el("span", "attempt-title"), time: el("span", "attempt-time"),
		detail: el("p", "attempt-detail"), ids: el("dl", "attempt-ids"),
		waitBar: el("span", "bar bar-wait"), openBar: el("span", "bar bar-open"), textBar: el("span", "bar bar-text"),
	}
	r.item = el("li", "attempt",
		el("p", "attempt-head", el("span", "attempt-number", strconv.Itoa(number)), r.sign, r.title, r.time),
		el("span", "track", attr{"aria-hidden", "true"}, r.waitBar, r.openBar, r.textBar),
		r.detail, r.ids)
	return r
}

func (r *row) waits(e Event) {
	r.state, r.ready = waiting, e.UntilMs
	if e.Type == "offline" {
		r.ready = 0
	}
}

func (r *row) sent(e Event, at float64) {
	r.state, r.kind, r.send, r.ready = sending, e.Kind, at, 0
}

func (r *row) responded(e Event) {
	r.state, r.status, r.requestID = answered, e.HTTPStatus, e.RequestID
}

func (r *row) streams(at float64) { r.state, r.text = streams, at }

func (r *row) failed(f *Failure, at float64) {
	r.failure, r.until = f, at
	switch {
	case f != nil && f.Reason == "cancelled":
		r.state = stopped
	case r.status >= 400 || r.text == 0 && r.status > 0:
		r.state = refused
	default:
		r.state = cut
	}
	if f != nil {
		r.identify(f.RequestID, f.TraceID)
	}
}

func (r *row) joined(trimmed int) { r.join, r.trimmed = true, trimmed }

func (r *row) restarted() { r.over = true }

func (r *row) identify(requestID, traceID string) {
	if requestID != "" {
		r.requestID = requestID
	}
	if traceID != "" {
		r.traceID = traceID
	}
}

// report takes what is known about an attempt only when the call has ended.
func (r *row) report(a Attempt) {
	r.length = a.TextLength
	r.identify(a.RequestID, a.TraceID)
	if r.kind == "" {
		r.kind = a.Kind
	}
}

// finish is for the call's last attempt.
func (r *row) finish(result *Result, at float64) {
	if r.until == 0 {
		r.until = at
	}
	switch {
	case r.state == refused || r.state == cut:
	case result.Status == "cancelled":
		r.state = stopped
	default:
		r.state, r.filtered = ended, result.Status == "content_filter"
	}
}

func (r *row) draw(present, length float64) {
	end := r.until
	if end == 0 {
		end = present
	}
	share := func(ms float64) float64 { return 100 * max(0, ms) / length }
	send := r.send
	if r.state == waiting {
		send = end
	}
	text := r.text
	if text == 0 {
		text = end
	}
	place(r.waitBar, share(r.from), share(send-r.from))
	place(r.openBar, share(send), share(text-send))
	place(r.textBar, share(text), share(end-text))
	setText(r.title, r.words())
	setText(r.time, r.duration(end))
	setText(r.detail, r.details())
	show(r.detail, r.details() != "")
	if r.drawn != r.state {
		r.item.SetAttribute("class", "attempt is-"+string(r.state))
		r.sign.SetTextContent("")
		add(r.sign, icon(stateIcons[r.state]))
		r.drawn = r.state
	}
	r.drawIDs()
}

func (r *row) duration(end float64) string {
	if r.state == waiting {
		return ""
	}
	return seconds(end - r.send)
}

var names = map[string]string{"retry": "Retry", "continue": "Continuation", "resume": "Resumption", "restart": "Restart"}

// nameOf says why an attempt was made.
func nameOf(kind string) string { return cmp.Or(names[kind], "Request") }

// words name the attempt and its state.
func (r *row) words() string {
	if r.state == waiting && r.ready == 0 {
		return "Waiting for the network"
	}
	if r.state == waiting {
		return "Waiting " + seconds(math.Ceil((r.ready-now())/100)*100)
	}
	return nameOf(r.kind) + " " + r.stateWords()
}

func (r *row) stateWords() string {
	switch r.state {
	case sending:
		return "sent"
	case answered:
		return "connected"
	case streams:
		if r.until > 0 {
			return "received"
		}
		return "receiving"
	case refused:
		if r.status >= 400 {
			return "refused, " + strconv.Itoa(r.status)
		}
		return "failed"
	case cut:
		if r.text == 0 {
			return "not answered"
		}
		if r.failure != nil && r.failure.Reason == "idle_timeout" {
			return "went silent"
		}
		return "cut"
	case stopped:
		return "stopped"
	}
	if r.filtered {
		return "ended"
	}
	return "complete"
}

func (r *row) details() string {
	var d string
	say := func(words string) {
		if d != "" {
			d += " · "
		}
		d += words
	}
	if r.plugged && r.state == cut {
		say("you pulled the plug")
	} else if r.failure != nil && r.state != stopped {
		say(reason(r.failure))
		if r.failure.Code != "" {
			say(r.failure.Code)
		}
	}
	if r.over {
		say("its text was discarded")
	}
	if r.length > 0 {
		say(count(r.length, "character"))
	}
	if r.join && r.trimmed > 0 {
		say("joined, " + count(r.trimmed, "character") + " of overlap removed")
	} else if r.join {
		say("joined")
	}
	return d
}

func (r *row) drawIDs() {
	if r.drawnIDs == r.requestID+r.traceID {
		return
	}
	r.drawnIDs = r.requestID + r.traceID
	r.ids.SetTextContent("")
	for _, id := range [][2]string{{"request", r.requestID}, {"trace", r.traceID}} {
		if id[1] != "" {
			add(r.ids, el("div", "", el("dt", "", id[0]), el("dd", "", el("code", "", id[1]))))
		}
	}
}
