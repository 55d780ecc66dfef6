package wire

import (
	"holdfast/core/json"
	"holdfast/core/sse"
	"holdfast/core/view"
)

// repeat reads a long answer at the speed of a comparison. Providers send thousands of events that
// differ only in the text of their delta, and most of the work of reading one is to find out that
// all the rest is as before. So after an event whose only effect was one text, a stream keeps the
// bytes around that text: an event with the same bytes around another text has the same effect.
//
// This holds since whatever else a reader takes from an event (ids, usage, numbers) is the same
// again when the bytes are, and is set, never added up.
type repeat struct {
	event         string // the "event" field
	kind          Kind
	before, after []byte // of the data, around the quoted text; before is empty when there is nothing to repeat

	// What the event at hand has done so far.
	texts    int
	lastKind Kind
	lastText json.Value
	warnings int // there were before it
}

// begin forgets what the last event did.
func (r *repeat) begin(s *Stream) { r.texts, r.lastText, r.warnings = 0, nil, len(s.Warnings) }

// added notes that the event added a text.
func (r *repeat) added(kind Kind, text json.Value) {
	r.texts++
	r.lastKind, r.lastText = kind, text
}

// take adds the text of an event that repeats the last one, or reports false.
func (r *repeat) take(s *Stream, e *sse.Event, data []byte) bool {
	n := len(r.before)
	if n == 0 || n >= len(data) || e.Bare || e.Type != r.event || s.End != Open || s.ending != "" || data[n] != '"' || !view.Equal(data[:n], r.before) {
		return false
	}
	end, ok := json.StringEnd(data, n)
	if !ok || !view.Equal(data[end:], r.after) {
		return false
	}
	s.add(r.kind, data[n:end:end])
	return true
}

// learn keeps what is around the text of an event that did nothing else. Any other event may have set
// what the one before it had set, so that what was learnt of that one is forgotten.
func (r *repeat) learn(s *Stream, e *sse.Event, data []byte) {
	at := json.Offset(data, r.lastText)
	if r.texts != 1 || at <= 0 || s.End != Open || s.ending != "" || s.Done || s.Tool || s.Pending || len(s.Warnings) != r.warnings {
		r.before = r.before[:0]
		return
	}
	r.event, r.kind = e.Type, r.lastKind
	r.before = append(r.before[:0], data[:at]...)
	r.after = append(r.after[:0], data[at+len(r.lastText):]...)
}
