// Package wire knows the wire formats: how each API streams an answer, ends it, counts tokens and
// reports errors, and how a request is made to stream or to go on from a partial answer. One file
// an API; this file is what they share.
package wire

import (
	"bytes"
	"math"
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/sse"
	"holdfast/core/view"
)

// API names a wire format.
type API string

const (
	Chat         API = "chat"         // OpenAI chat completions and everything that imitates them
	Responses    API = "responses"    // OpenAI Responses
	Messages     API = "messages"     // Anthropic Messages
	Generate     API = "generate"     // Gemini generateContent
	Interactions API = "interactions" // Gemini Interactions
	Answers      API = "answers"      // answers that Holdfast's gateway keeps, asked for in any of the others
	Embeddings   API = "embeddings"   // vectors; cannot be streamed
	Plain        API = "json"         // any other JSON endpoint; cannot be streamed
)

// Known tells whether an API is one that can be named. Answers are asked for in another.
func Known(a API) bool { return a == Plain || a == Embeddings || Streams(a) && a != Answers }

// Streams tells whether an API can stream its answers.
func Streams(a API) bool {
	switch a {
	case Chat, Responses, Messages, Generate, Interactions, Answers:
		return true
	}
	return false
}

// DetectAPI tells the wire format from a request path.
func DetectAPI(path string) API {
	path, _, _ = strings.Cut(path, "?")
	path = strings.TrimRight(path, "/")
	for _, a := range apis {
		if strings.HasSuffix(path, a.suffix) {
			return a.api
		}
	}
	return Plain
}

var apis = []struct {
	suffix string
	api    API
}{
	{"/chat/completions", Chat},
	{"/responses", Responses},
	{"/messages", Messages},
	{":generateContent", Generate},
	{":streamGenerateContent", Generate},
	{"/interactions", Interactions},
	{"/embeddings", Embeddings},
	{":embedContent", Embeddings},
	{":batchEmbedContents", Embeddings},
}

// Kind is the kind of a Delta.
type Kind string

const (
	Text      Kind = "text"
	Reasoning Kind = "reasoning"
	Refusal   Kind = "refusal"
	ToolCall  Kind = "tool_call"
	Restart   Kind = "restart" // made by a call, here or in the gateway, never by a provider
)

// Delta is a piece of an answer. Text of consecutive deltas of one kind comes as one.
type Delta struct {
	Kind Kind
	Text []byte // for text, reasoning and refusal; may end in the half of a character (see json.AppendText)
	Tool Tool   // for tool_call
}

// Tool is one complete tool call. Arguments is the JSON text that the model wrote; of a custom tool
// of OpenAI's, which takes no JSON, it is the text itself. Gemini often gives no ID.
type Tool struct{ ID, Name, Arguments string }

// End is how a stream ended by its own terminal.
type End int

const (
	Open     End = iota // no terminal yet
	Complete            // the whole answer, or all that fitted the token limit
	Filtered            // refused or filtered: final, shown, never retried
	Failed              // the provider said that it failed: see Stream.Fault
)

// Stream is what one attempt's stream has told so far. Feed it the events; it fills itself.
type Stream struct {
	API      API
	Provider fault.Provider
	Header   header.Header // of the response, for hints that error events refer to
	// MayBeEmpty: an answer that ends with nothing in it is complete. So it is with a continuation,
	// when everything had been said before the break.
	MayBeEmpty bool
	// Several is how many answers were asked for at once, if more than one. The stream tells the first
	// of them, and ends when all have ended that came.
	Several int

	Deltas []Delta // new since Take
	// Last is the event taken last, when it was JSON; it aliases the event's data.
	Last   json.Value
	Tool   bool // a tool call has begun, complete or not
	Output bool // anything of an answer came: text, refusal, a tool call; a thought is none
	Others bool // and of one beside the first, or sound: all that is given to the reader at once besides

	End    End
	Finish string      // the provider's own word
	Fault  fault.Fault // why it failed, when End is Failed
	Done   bool        // nothing worth reading can follow
	// Pending: the answer came as one object and is still being made. End stays Open; see Retrieve.
	Pending bool

	ID, Model string
	Usage     Usage
	Told      json.Value // of Answers: the result that the gateway came to, an AnswerResult
	Warnings  []string
	Cursor    Cursor

	ended map[int64]string // of several answers, those that came, and their words for the end
	// ending is a word for the end that what follows may still take back. reopened is one that it took
	// back.
	ending   string
	reopened string
	cut      *fault.Fault // the break that ended the body, if one did
	reader   reader
	repeat   repeat
	text     []byte // backs the Deltas' texts
	counts   counts // behind Usage
	from     int64  // Responses events with a lower number repeat what was taken before
	skip     Cursor // how much of each text that comes now repeats what was taken before
	// document: the answer comes as one object. short: of the text taken before it brought less.
	document, short bool
}

// reader reads one API's events. It may call back the Stream's methods only.
type reader interface {
	// read takes one event whose data is an object. kind is the "event" field.
	read(s *Stream, kind string, v json.Value)
	// whole takes a complete answer that came as one JSON object instead of a stream, and
	// reports false when v is none.
	whole(s *Stream, v json.Value) bool
}

// NewStream returns a Stream for one attempt.
func NewStream(api API, p fault.Provider, h header.Header) *Stream {
	s := &Stream{API: api, Provider: p, Header: h}
	s.Cursor.sum = 1
	switch api {
	case Responses:
		s.reader = &responses{}
	case Messages:
		s.reader = &messages{}
	case Generate:
		s.reader = &generate{}
	case Interactions:
		s.reader = &interactions{}
	case Answers:
		s.reader = &answers{}
	default:
		s.reader = &chat{}
	}
	return s
}

// From makes the stream go on where another one of the same answer stopped (see Resume and
// Retrieve). Call it before the first event, with the other Stream's Cursor.
func (s *Stream) From(at Cursor) {
	s.Cursor, s.ID, s.from = at, at.ID, at.Next
	s.Cursor.Tools = append([]string(nil), at.Tools...)
	s.Cursor.Bytes = max(at.Bytes, at.Text+at.Reasoning+at.Refusal)
	s.Cursor.calls = nil
	for _, call := range at.calls {
		call.arguments = append([]byte(nil), call.arguments...)
		s.Cursor.calls = append(s.Cursor.calls, call)
	}
	s.Output = at.Text+at.Refusal+len(at.Tools)+len(at.calls) > 0
	s.Tool = len(at.Tools) > 0 || len(at.calls) > 0
}

// Take returns the deltas that came since the last call. They are valid until the next call of
// Event.
func (s *Stream) Take() []Delta {
	deltas := s.Deltas
	s.Deltas = s.Deltas[:0]
	return deltas
}

// Event takes the next event of the stream. After a terminal it only looks for usage.
func (s *Stream) Event(e sse.Event) {
	if len(s.Deltas) == 0 {
		s.text = s.text[:0]
	}
	data := bytes.TrimSpace(e.Data)
	s.Last = nil
	switch {
	case len(data) == 0 && e.Type == "error":
		s.explain("", nil)
		return
	case len(data) == 0 || data[0] == ':' || view.String(data) == "null": // a heartbeat, perhaps wrapped by a proxy
		return
	case view.String(data) == "[DONE]":
		s.Done = true
		if s.ending == "" { // said with a piece before the last one, which is whole all the same
			s.ending = s.reopened
		}
		s.settle()
		return
	}
	s.repeat.begin(s)
	if s.repeat.take(s, &e, data) {
		s.Last = data
		return
	}
	v, err := json.Parse(data)
	if err != nil {
		s.unreadable(e, data)
		return
	}
	if s.API != Answers && v.Kind() == '[' && v.At(0).Kind() == '{' { // Google wraps errors in an array
		v = v.At(0)
	}
	s.Last = v
	switch {
	case v.Kind() == '"' && e.Type == "error":
		s.explain("", v)
	case v.Kind() != '{' && !(s.API == Answers && v.Kind() == '['):
		s.malformed("an event is not a JSON object")
	case e.Bare:
		s.bare(v)
	default:
		s.reader.read(s, e.Type, v)
		s.repeat.learn(s, &e, data)
	}
}

// first is the item of a list with index 0, or without an index. Further choices or candidates of
// one answer are not followed.
func first(list json.Value) (found json.Value) {
	list.Each(func(_ string, item json.Value) bool {
		if n, ok := item.Get("index").Int(); !ok || n == 0 {
			found = item
		}
		return found == nil
	})
	return found
}

// Several tells how many answers a request asks for at once.
func Several(body json.Value) int {
	n, _ := body.Get("n").Int()
	candidates, _ := body.Get("generationConfig", "candidateCount").Int()
	return int(max(1, n, candidates))
}

// word is the word for the end of an answer, which stands at key in its item of a list. While others of
// several answers have not ended it is "".
func (s *Stream) word(item, list json.Value, key string, says func(item json.Value) bool) string {
	if s.Several < 2 {
		return ending(item.Get(key))
	}
	list.Each(func(_ string, item json.Value) bool {
		index, _ := item.Get("index").Int()
		if index > 0 && says(item) {
			s.Others, s.Output = true, true
		}
		if s.ended == nil {
			s.ended = map[int64]string{}
		}
		if word := ending(item.Get(key)); word != "" || s.ended[index] == "" {
			s.ended[index] = word
		}
		return true
	})
	if len(s.ended) < s.Several {
		return ""
	}
	return s.lastWord()
}

// ending is a word for the end. Some servers write "null" where they mean null.
func ending(v json.Value) string {
	if word := v.Text(); word != "null" {
		return word
	}
	return ""
}

// lastWord is the first answer's word for its end, when all answers have ended that came.
func (s *Stream) lastWord() string {
	for _, word := range s.ended {
		if word == "" {
			return ""
		}
	}
	return s.ended[0]
}

// Ends tells that a terminal has come. One that may still be taken back counts behind more of an answer
// than a thought, and as long as none was; Close makes it hold.
func (s *Stream) Ends() bool {
	return s.End != Open || s.ending != "" && s.Output && s.reopened == ""
}

// goesOn takes a word for the end back.
func (s *Stream) goesOn() {
	if s.ending != "" {
		s.ending, s.reopened = "", s.ending
	}
}

// settle ends a stream whose terminal might have been taken back, or one of fewer answers than were
// asked for: some servers give one only.
func (s *Stream) settle() {
	reader, ok := s.reader.(interface {
		end(*Stream, string, json.Value)
	})
	word := s.ending
	if s.ending = ""; word == "" {
		word = s.lastWord()
	}
	if ok && word != "" && s.End == Open {
		reader.end(s, word, nil)
	}
}

// Cut says that the body broke off with f: an event that is left unfinished is f's doing.
func (s *Stream) Cut(f fault.Fault) { s.cut = &f }

// Close says that the body ended cleanly. Without a terminal the answer was cut off.
func (s *Stream) Close() {
	s.settle()
	switch {
	case s.End != Open:
	case s.Pending:
		f := fault.Lost(fault.Truncated, "the answer is still being made")
		f.Breaker = fault.Healthy
		s.fail(f)
	default:
		s.truncated("the stream ended without its terminal")
	}
}

// bare takes JSON that stood outside of any event: an error, or an answer that is no stream.
func (s *Stream) bare(v json.Value) {
	if s.End != Open {
		return
	}
	if !isError(v) && s.Several > 1 {
		s.malformed("one document came, where a stream of several answers was asked for")
		return
	}
	s.document = true
	if !isError(v) && s.reader.whole(s, v) {
		s.Done = true
		return
	}
	s.explain("", v)
}

// Whole reads an answer that was asked for as one JSON object. End is Failed when its own word for the end
// says so, or when there is no answer in it.
func Whole(api API, p fault.Provider, v json.Value) *Stream {
	s := NewStream(api, p, nil)
	s.MayBeEmpty = true
	if Streams(api) {
		s.bare(v)
	}
	return s
}

// isError tells whether a JSON body carries an error rather than an answer.
func isError(v json.Value) bool {
	return fault.Refuses(v) || fault.Wrong(v.Get("detail")) || v.Get("object").Text() == "error" || v.Get("type").Text() == "error"
}

// unreadable takes an event that is not JSON.
func (s *Stream) unreadable(e sse.Event, data []byte) {
	if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
		// An error event glued to a line that the provider never finished.
		if v, err := json.Parse(bytes.TrimSpace(data[i+1:])); err == nil && v.Kind() == '{' && (e.Type == "error" || isError(v)) {
			s.explain("", v)
			return
		}
	}
	switch {
	case s.Ends():
		s.warn("an unreadable event after the end")
	case e.Type == "error" && !e.Cut: // said in words
		s.explain("", json.AppendQuoted(nil, string(data)))
	case e.Cut && s.cut != nil:
		s.fail(*s.cut)
	case e.Bare && data[0] == '<': // a page's last line may well have no end
		f := fault.Classify(s.Provider, fault.Response{Status: 200, Header: s.Header, Body: data})
		if f.Decision == fault.Success { // markup of another kind
			f = fault.Lost(fault.MalformedStream, "markup in place of an event")
		}
		s.fail(f)
	case e.Cut:
		s.truncated("the stream was cut inside an event")
	default:
		s.malformed("an event is not JSON")
	}
}

// truncated ends the stream because something of it did not come.
func (s *Stream) truncated(why string) {
	s.fail(fault.Lost(fault.Truncated, why))
}

// malformed ends the stream because of an event that cannot be understood.
func (s *Stream) malformed(why string) {
	s.fail(fault.Lost(fault.MalformedStream, why))
}

// fail ends the stream with a fault, unless it has ended before.
func (s *Stream) fail(f fault.Fault) {
	if s.Ends() {
		s.settle()
	}
	if s.End != Open {
		s.warn("after the end: " + f.Developer)
		return
	}
	s.End, s.Fault, s.Done = Failed, f, true
}

// finish ends the stream with the provider's own word, unless it has ended before. An answer that
// only refuses is final, and one with nothing in it is a failure, unless the token limit ate it.
func (s *Stream) finish(end End, word string) {
	switch {
	case s.End != Open:
		return
	case end == Complete && s.Cursor.Refusal > 0 && s.Cursor.Text == 0:
		end = Filtered
	case end == Complete && s.document && s.short:
		s.truncated("what is kept of the answer does not begin with all that came of it")
		return
	case end == Complete && !s.Output && !s.MayBeEmpty && !AtLimit(word):
		f := fault.Lost(fault.EmptyCompletion, "the answer ended with \""+word+"\" and holds nothing")
		if s.Cursor.Reasoning > 0 { // all of it is a thought, as the next one may well be
			f.MaxRetries, f.Breaker = 1, fault.Ignore
		}
		s.fail(f)
		s.Finish = word
		return
	}
	s.End, s.Finish = end, word
}

// explain ends the stream with the error that v carries, keeping the provider's word for the end.
func (s *Stream) explain(word string, v json.Value) {
	s.failWith(word, fault.Event(s.Provider, s.Header, v))
}

// breakDown ends the stream because the model failed, in what reason says; word is its own for the end.
func (s *Stream) breakDown(word, reason string) {
	s.failWith(word, fault.FinishError(s.Provider, reason))
}

// failWith is fail with the provider's word for the end.
func (s *Stream) failWith(word string, f fault.Fault) {
	open := !s.Ends()
	s.fail(f)
	if open {
		s.Finish = word
	}
}

// AtLimit tells whether a finish word says that a token limit ended the answer.
func AtLimit(word string) bool {
	switch plain(word) {
	case "length", "max_tokens", "max_output_tokens", "incomplete", "time_limit", "max_len", "model_length",
		"continuation", "requires_continuation": // Gemini's, of one request: its SDK sends the next
		return true
	}
	return WindowFull(word)
}

// WindowFull tells whether a finish word says that the context window is full, so that no
// continuation can succeed.
func WindowFull(word string) bool {
	word = plain(word)
	return word == "model_context_window_exceeded" || word == "max_context"
}

// plain is a finish word as most write it: others shout it, xAI's proto says REASON_MAX_CONTEXT, and
// Gemini's compatible layer "content_filter: RECITATION".
func plain(word string) string {
	word, _, _ = strings.Cut(ascii.Lower(word), ":")
	return strings.TrimPrefix(word, "reason_")
}

func (s *Stream) warn(text string) {
	if len(s.Warnings) < 20 {
		s.Warnings = append(s.Warnings, text)
	}
}

// add appends the text of a JSON string to the answer.
func (s *Stream) add(kind Kind, v json.Value) {
	if s.End != Open || v.Kind() != '"' || len(v) == 2 {
		return
	}
	s.repeat.added(kind, v)
	from := len(s.text)
	s.text = json.AppendText(s.text, v)
	if skip := s.skip.taken(kind); *skip > 0 {
		sum, other := &s.skip.sum, uint32(0)
		if kind != Text {
			sum = &other
		}
		s.text, *skip = drop(s.text, from, *skip, sum)
		if *skip == 0 && *sum != 0 && *sum != s.Cursor.sum { // it is told differently than before: nothing fits behind that
			s.text, *skip = s.text[:from], math.MaxInt
		}
	}
	if len(s.text) == from {
		return
	}
	s.Output = s.Output || kind != Reasoning
	s.Cursor.Bytes += len(s.text) - from
	if kind == Text {
		s.Cursor.sum = mix(s.Cursor.sum, s.text[from:])
	}
	*s.Cursor.taken(kind) += units(s.text[from:])
	if n := len(s.Deltas); n > 0 && s.Deltas[n-1].Kind == kind {
		last := &s.Deltas[n-1]
		last.Text = s.text[from-len(last.Text):]
		return
	}
	s.Deltas = append(s.Deltas, Delta{Kind: kind, Text: s.text[from:]})
}

// Describe reads the id, the model and the usage of a whole answer.
func Describe(v json.Value) (id, model string, usage Usage) {
	var s Stream
	s.note(v)
	return s.ID, s.Model, s.Usage
}

// note keeps the ids and the usage that an event or a body carries in the usual places.
func (s *Stream) note(v json.Value) {
	var found [6]json.Value
	v.Pick(noted, found[:])
	for i, v := range found {
		switch i {
		case 0, 1:
			s.identify(v.TextAs(s.ID))
		case 2, 3:
			if model := v.TextAs(s.Model); model != "" {
				s.Model = model
			}
		default:
			s.count(v)
		}
	}
}

var noted = []string{"id", "responseId", "model", "modelVersion", "usage", "usageMetadata"}

// identify keeps the answer's id.
func (s *Stream) identify(id string) {
	if id != "" {
		s.ID, s.Cursor.ID = id, id
	}
}

// count takes a usage object.
func (s *Stream) count(u json.Value) {
	if u.Kind() == '{' {
		s.counts.take(u)
		s.Usage = s.counts.normal()
	}
}
