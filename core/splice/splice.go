// Package splice writes one answer as one uninterrupted stream of an API's own wire format, over as
// many attempts as the call takes, so that the official SDK that reads it learns of no break.
//
// The bytes of a first attempt pass as they are, event by event; what the Splicer remembers of them
// is what the next attempt has to fit: the block that is open, ids, indices, numbers, the items that
// are finished. The events of a continuation, or of a resumption, are rewritten to fit: no second
// start, the open block of text goes on, its text is what the call decided at the seam, usage is
// summed up, and there is one end. An answer that comes in another wire format, or as one document,
// is written by translate.Encoder first and then treated as any other.
//
// What is thought goes out at once. All else waits until something of the attempt counts (text, a
// tool call, the terminal), so that an attempt that breaks before leaves no trace but a thought: the
// next one thinks on behind it. Law (tests/cut): cut anywhere, the stream
// has one start and one end and reads back as the uncut text; uncut, it is the same bytes.
package splice

import (
	"bytes"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/sse"
	"holdfast/core/translate"
	"holdfast/core/wire"
)

// maxHeld bounds what is held back of an attempt of which nothing counts yet: pictures. What is
// longer goes out, and cannot be begun anew.
const maxHeld = 1 << 20

// Knows tells whether streams of an API can be spliced.
func Knows(api wire.API) bool { return newFormat(api) != nil }

// Source is the attempt that events come from.
type Source struct {
	API wire.API
	// Resumed: the attempt takes up the answer of the one before it, by the provider's own cursor.
	Resumed bool
	Before  wire.Usage // of the attempts before
	// Unasked: the caller did not ask for usage, which this attempt was told to report. A chunk
	// without a choice, which tells it in chat, is more than some readers expect.
	Unasked bool
	// Several answers were asked for at once: all of it passes as it comes.
	Several bool
	Meta    translate.Meta
}

// Splicer writes one answer's stream. Give it, for each attempt, Attempt and then the events; at
// the end Finish or Fail. Take the bytes at any time.
type Splicer struct {
	// Array: the stream is one JSON array instead of events (Gemini without alt=sse).
	Array bool
	// Holds: text of the attempt is held back at the seam, so that it is not known where it will stand.
	Holds bool

	api    wire.API
	format format
	source Source
	mode   mode
	out    []byte // may go out
	sent   bool   // something went out, or may
	bound  bool   // and it is more than a thought: the answer cannot be begun anew
	last   byte   // the last byte that did

	held    []byte // whole events that wait until something of them counts
	more    bool   // held has more than a start and a thought
	unseen  []seen // held events as they came, which the format has not seen
	textAt  int    // where in held the first event with text begins, or -1
	textNo  int    // and in unseen
	pending []byte // text shown of held
	shows   []byte // backs the text that an event shows

	begun   []byte // of the body, as it came: the event that earlier chunks have begun
	chunk   []byte // and what is left of the chunk at hand
	base    int64  // where in the body the events end that were taken
	units   int    // of text that the attempt has brought
	joining bool   // text went out before this attempt, which goes on from it
	waiting []seen // annotations of text that is held back
	apart   bool   // a thought did, which broke off, and none of this attempt yet
	encoder *translate.Encoder

	errors []ownError // of all attempts: one of them may become the stream's end
}

// ownError is a provider's own error event, and what it means.
type ownError struct {
	fault fault.Fault
	event json.Value
}

// seen is an event that passes as it is.
type seen struct {
	kind string
	v    json.Value
}

// mode is how an attempt's events become the stream's.
type mode int

const (
	pass    mode = iota // as they are
	rewrite             // made to fit
	encode              // written anew from the deltas, then made to fit
)

// format knows one API's events. It writes by Splicer.write.
type format interface {
	// see notes an event that goes out. v is nil for an end mark that is not JSON.
	see(kind string, v json.Value)
	// attempt says that another attempt begins.
	attempt()
	// said notes the text of events that went out as they were.
	said(text []byte)
	// early tells whether an event comes before all that counts: a start, a sign of life, a thought.
	early(kind string, v json.Value) bool
	// carries tells whether an event has answer text in it.
	carries(kind string, v json.Value) bool
	// fit writes an event of another attempt so that it fits. text replaces the answer text in it.
	fit(s *Splicer, kind string, v json.Value, text []byte)
	// text writes answer text as an event of its own.
	text(s *Splicer, text []byte)
	// finish writes what is missing of the stream's end.
	finish(s *Splicer)
	// fail writes an error, given as the API writes it in a response.
	fail(s *Splicer, body json.Value)
}

func newFormat(api wire.API) format {
	switch api {
	case wire.Chat:
		return &chat{}
	case wire.Responses:
		return &responses{}
	case wire.Messages:
		return &messages{open: -1}
	case wire.Generate:
		return &generate{}
	case wire.Interactions:
		return &interactions{open: -1}
	}
	return nil
}

// New returns a Splicer for an API that it Knows.
func New(api wire.API) *Splicer {
	return &Splicer{api: api, format: newFormat(api), textAt: -1}
}

// Sent tells that the reader has been given something.
func (s *Splicer) Sent() bool { return s != nil && s.sent }

// Bound tells that the reader has been given something that no other attempt can begin anew.
func (s *Splicer) Bound() bool { return s != nil && s.bound }

// Encoded tells that the attempt's own headers do not describe the stream.
func (s *Splicer) Encoded() bool { return s.mode == encode }

// Take ends a chunk and returns the bytes that may go out, whole events all. They are valid until the
// next call.
func (s *Splicer) Take() []byte {
	s.begun, s.chunk = append(s.begun, s.chunk...), nil
	out := s.out
	s.out = s.out[:0]
	return out
}

// Attempt begins an attempt. What is left of the one before is dropped, but for its text that
// counts as shown.
func (s *Splicer) Attempt(source Source) {
	s.cut(source.Resumed)
	s.source, s.encoder, s.units = source, nil, 0
	s.begun, s.chunk, s.base, s.waiting = nil, nil, 0, nil
	s.format.attempt()
	s.joining = s.bound && !source.Resumed
	s.apart = s.sent && !s.bound && !source.Resumed
	switch {
	case source.Several && source.API == s.api:
		s.mode = pass
	case source.API != s.api:
		s.mode = encode
	case s.sent || len(s.held) > 0 || source.Before != (wire.Usage{}):
		s.mode = rewrite
	default:
		s.mode = pass
	}
}

// Feed gives the next chunk of the attempt's body, before its events. It must stay unchanged until
// Take.
func (s *Splicer) Feed(chunk []byte) {
	if s.mode == pass {
		s.chunk = chunk
	}
}

// Event takes an event that from has taken. at is the decoder's Offset behind it. deltas are what
// the caller may be shown now; half says that a character is still to be completed.
func (s *Splicer) Event(e sse.Event, from *wire.Stream, at int64, deltas []wire.Delta, half bool) {
	text := s.shows[:0]
	for _, d := range deltas {
		if d.Kind == wire.Text {
			text = append(text, d.Text...)
		}
	}
	s.shows = text
	if e.Bare && from.End != wire.Failed {
		s.mode = encode
	}
	if s.textAt < 0 && from.Cursor.Text > s.units {
		s.textAt, s.textNo = len(s.held), len(s.unseen)
	}
	s.units = from.Cursor.Text
	s.pending = append(s.pending, text...)
	switch {
	case from.End == wire.Failed:
		s.fault(from)
		return
	case s.mode == encode && s.api == wire.Interactions:
		s.format.(*interactions).document(s, from, deltas)
	case s.mode == encode:
		s.encode(from, deltas)
	case s.mode == rewrite:
		s.fit(e.Type, s.readable(e, from), text)
	default:
		s.pass(e, s.readable(e, from), at)
	}
	counts := len(s.pending) > 0 || from.Tool || from.Cursor.Refusal > 0 || from.Others || from.End != wire.Open || len(s.held) > maxHeld
	thinks := (s.sent || from.Cursor.Reasoning > 0) && !s.more
	if (s.bound || counts || thinks || s.sent && s.mode != pass) && !(half && s.mode == pass) {
		s.release()
	} else if n := len(s.unseen); n > 0 {
		s.unseen[n-1].v = clone(s.unseen[n-1].v)
	}
}

// fault keeps an error event, which is not shown unless nothing mends it.
func (s *Splicer) fault(from *wire.Stream) {
	if s.mode == pass || s.mode == rewrite {
		s.errors = append(s.errors, ownError{from.Fault, clone(from.Last)})
	}
}

// readable is the event's JSON; nil for the end mark; missing for what no reader needs, or could
// read: heartbeats, and what a server says after its own end.
func (s *Splicer) readable(e sse.Event, from *wire.Stream) json.Value {
	switch {
	case from.Last == nil && string(bytes.TrimSpace(e.Data)) == "[DONE]":
		return nil
	case s.source.Unasked && onlyUsage(from.Last):
		return json.Value("null")
	case from.Last == nil, from.End != wire.Open && !from.Last.Get("error").Missing() && s.api != wire.Responses:
		return json.Value("null")
	}
	return from.Last
}

// onlyUsage tells a chunk of chat that reports usage and says nothing.
func onlyUsage(v json.Value) bool {
	choices := v.Get("choices")
	return choices.Kind() == '[' && choices.At(0) == nil && v.Get("usage").Kind() == '{'
}

// pass takes an event as it came.
func (s *Splicer) pass(e sse.Event, v json.Value, at int64) {
	from, n := len(s.held), max(0, int(at-s.base))
	early := min(n, len(s.begun))
	late := min(n-early, len(s.chunk))
	s.held = append(append(s.held, s.begun[:early]...), s.chunk[:late]...)
	s.begun, s.chunk, s.base = append(s.begun[:0], s.begun[early:]...), s.chunk[late:], at
	if v != nil && v.Missing() {
		s.held = s.held[:from]
		return
	}
	kind := s.kind(e.Type, v)
	s.more = s.more || !s.bound && (s.source.Several || !s.format.early(kind, v))
	s.unseen = append(s.unseen, seen{kind, v})
	if !s.Array && !blank(s.held[from:]) { // the body ended with it
		s.held = append(s.held, "\n\n"...)
	}
}

// blank tells whether an event's bytes end with a blank line.
func blank(b []byte) bool {
	for _, end := range []string{"\n\n", "\r\r", "\n\r\n", "\n\r", "\r\n\r"} {
		if bytes.HasSuffix(b, []byte(end)) {
			return true
		}
	}
	return false
}

// fit rewrites an event.
func (s *Splicer) fit(name string, v json.Value, text []byte) {
	if v != nil && v.Missing() {
		return
	}
	name = s.kind(name, v)
	if len(text) > 0 && !s.format.carries(name, v) {
		s.format.text(s, text)
		text = nil
	}
	if s.Holds && (annotates(name, v) || ends(v) || len(s.waiting) > 0 && (s.api == wire.Chat || s.api == wire.Generate)) {
		s.waiting = append(s.waiting, seen{name, clone(v)})
		return
	}
	if s.Holds || len(s.waiting) == 0 {
		s.format.fit(s, name, v, text)
		return
	}
	late, carries := s.waiting, s.format.carries(name, v)
	s.waiting = nil
	if carries {
		s.format.fit(s, name, v, text)
	}
	for _, e := range late {
		s.format.fit(s, e.kind, e.v, nil)
	}
	if !carries {
		s.format.fit(s, name, v, nil)
	}
}

// kind is the name of an event, which the data may tell better than its frame. Chat and generate
// have none.
func (s *Splicer) kind(name string, v json.Value) string {
	switch s.api {
	case wire.Chat, wire.Generate:
		return ""
	case wire.Interactions:
		return v.Get("event_type").Text()
	}
	if t := v.Get("type").TextAs(name); t != "" {
		return t
	}
	return name
}

// encode writes deltas as events of the stream's API.
func (s *Splicer) encode(from *wire.Stream, deltas []wire.Delta) {
	for _, d := range deltas {
		if d.Kind == wire.Restart || d.Kind == wire.Reasoning && s.joining {
			continue
		}
		if s.encoder == nil {
			meta := s.source.Meta
			meta.ID, meta.Model = from.ID, from.Model
			s.encoder = translate.NewEncoder(s.api, meta)
		}
		s.encoded(s.encoder.Delta(d), d)
	}
}

// encoded takes the events that the encoder wrote for a delta.
func (s *Splicer) encoded(events []byte, d wire.Delta) {
	var decoder sse.Decoder
	decoder.Feed(bytes.Clone(events))
	for {
		e, ok, _ := decoder.Next()
		if !ok {
			return
		}
		v, _ := json.Parse(e.Data)
		var text []byte
		if d.Kind == wire.Text && v != nil && s.format.carries(s.kind(e.Type, v), v) {
			text = d.Text
		}
		s.format.fit(s, s.kind(e.Type, v), v, text)
	}
}

// write writes an event.
func (s *Splicer) write(name string, v json.Value) {
	s.more = s.more || !s.bound && !s.format.early(name, v)
	s.format.see(name, v)
	data := []byte(v)
	if v == nil {
		data = []byte("[DONE]")
	}
	last := s.last
	if len(s.held) > 0 {
		last = s.held[len(s.held)-1]
	}
	switch {
	case s.Array:
		before := ",\r\n"
		if !s.sent && len(s.held) == 0 {
			before = "["
		}
		s.held = append(append(s.held, before...), data...)
		return
	case last == '\r': // the rest of a line's end that was cut
		s.held = append(s.held, '\n')
	}
	if name != "" && s.api != wire.Interactions {
		s.held = append(append(append(s.held, "event: "...), name...), '\n')
	}
	s.held = append(append(append(s.held, "data: "...), data...), "\n\n"...)
}

// tell tells the format of held events.
func (s *Splicer) tell() {
	for _, e := range s.unseen {
		s.format.see(e.kind, e.v)
	}
	s.unseen = s.unseen[:0]
}

// release lets out what was held.
func (s *Splicer) release() {
	s.tell()
	if s.mode == pass {
		s.format.said(s.pending)
	}
	if len(s.held) > 0 {
		s.out, s.sent, s.last = append(s.out, s.held...), true, s.held[len(s.held)-1]
		s.bound = s.bound || s.more
	}
	s.held, s.more, s.textAt, s.pending = s.held[:0], false, -1, s.pending[:0]
}

// cut says that no event of the attempt follows: text that counts as shown goes out, and what the
// reader does not need to have for it is forgotten, unless the answer is resumed.
func (s *Splicer) cut(resumed bool) {
	if s.textAt >= 0 {
		s.held, s.unseen = s.held[:s.textAt], s.unseen[:min(s.textNo, len(s.unseen))]
	}
	text := s.pending
	s.textAt, s.pending, s.mode = -1, nil, rewrite
	switch {
	case s.bound || len(text) > 0 || s.sent && resumed:
		if len(text) > 0 {
			s.tell()
			s.format.text(s, text)
		}
		s.release()
	case resumed: // what is held is of the answer that goes on
		s.tell()
	case s.sent:
		s.held, s.unseen, s.more = nil, nil, false
	default:
		s.held, s.unseen, s.more, s.format = nil, nil, false, newFormat(s.api)
	}
}

// thought is a piece of a thought. The first one stands apart from a thought that broke off.
func (s *Splicer) thought(text json.Value) json.Value {
	if !s.apart || text.Kind() != '"' || len(text) == 2 {
		return text
	}
	s.apart = false
	return append(json.Value(`"\n\n`), text[1:]...)
}

// Rest takes what is shown of an answer only at its end, behind its last event.
func (s *Splicer) Rest(from *wire.Stream, deltas []wire.Delta) {
	switch s.mode {
	case encode:
		s.encode(from, deltas)
	case rewrite:
		for _, d := range deltas {
			if d.Kind == wire.Text {
				s.format.text(s, d.Text)
			}
		}
	}
	for _, e := range s.waiting {
		s.format.fit(s, e.kind, e.v, nil)
	}
	s.waiting = nil
}

// Finish ends the stream of an answer whose own terminal has come; from is the last attempt's.
func (s *Splicer) Finish(from *wire.Stream) {
	if s.mode == encode && s.api != wire.Interactions {
		if s.encoder == nil {
			s.encoder = translate.NewEncoder(s.api, s.source.Meta)
		}
		s.encoded(s.encoder.Finish(from.End, from.Finish, from.Usage), wire.Delta{})
	}
	const blanks = "\r\n ]"
	if s.mode == pass && len(bytes.Trim(s.begun, blanks))+len(bytes.Trim(s.chunk, blanks)) == 0 {
		s.held = append(append(s.held, s.begun...), s.chunk...)
	}
	s.release()
	s.format.finish(s)
	s.release()
}

// Cut says that the attempt has ended and that none follows: what of it counts goes out.
func (s *Splicer) Cut() { s.cut(false) }

// Fail ends the stream with an error in the API's own form: the provider's own words where it was
// its event that ended the call, body else.
func (s *Splicer) Fail(f fault.Fault, body json.Value) {
	s.cut(false)
	if own := s.event(f); s.api == wire.Interactions && own != nil { // it may fail in its terminal
		body = own
	}
	s.format.fail(s, s.Own(f, body))
	s.release()
}

// Own is the provider's own error event when it says f, else body.
func (s *Splicer) Own(f fault.Fault, body json.Value) json.Value {
	if own := s.event(f); own.Get("error").Kind() == '{' {
		return own
	}
	return body
}

// event is the provider's own event that says f, or nil.
func (s *Splicer) event(f fault.Fault) json.Value {
	if s != nil {
		for _, e := range s.errors {
			if e.fault == f {
				return e.event
			}
		}
	}
	return nil
}

// clone is a value that stays when its event is gone.
func clone(v json.Value) json.Value { return append(json.Value(nil), v...) }

// quoted is text as a JSON string.
func quoted(text []byte) json.Value { return json.AppendQuoted(nil, string(text)) }
