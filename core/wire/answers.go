package wire

import (
	"bytes"
	"math"
	"strings"

	"holdfast/core/fault"
	"holdfast/core/json"
)

// answers reads an answer that Holdfast's gateway keeps (wasm/worker): a stream of messages by the
// Durable Streams protocol, as Server-Sent Events:
//
//	event: data     an array of messages
//	event: control  {"streamNextOffset": …}, from where to go on behind the messages before it
//
// A message is a delta, or, as the last one, {"type":"done","result":{…}}, which is the terminal:
// however the answer ended there, nothing is to be recovered here. The gateway ends a connection when
// it likes; that is no end of the answer.
//
// What comes without its control event is dropped, since the next connection brings it again.
type answers struct {
	held []json.Value // arrays of messages whose control event has not come
}

// Rests tells that an answer's connection may end here: between two messages, while the answer goes on.
func (s *Stream) Rests() bool {
	r, ok := s.reader.(*answers)
	return ok && s.End == Open && len(r.held) == 0
}

// Beginning is the offset of an answer's begin.
const Beginning = "-1"

// Ahead is how much of what comes behind a cursor was taken already: the caller left off between two
// messages that came as one.
type Ahead struct{ Text, Reasoning, Refusal, Tools int } // texts in UTF-16 units

func (r *answers) read(s *Stream, kind string, v json.Value) {
	switch kind {
	case "data":
		r.held = append(r.held, bytes.Clone(v))
	case "control":
		r.control(s, v)
	}
}

func (r *answers) control(s *Stream, v json.Value) {
	offset := v.Get("streamNextOffset").Text()
	if offset == "" {
		s.malformed("a control event does not say where it stands")
		return
	}
	ahead := &s.Cursor.Ahead
	s.skip = Cursor{Text: ahead.Text, Reasoning: ahead.Reasoning, Refusal: ahead.Refusal}
	for _, messages := range r.held {
		messages.Each(func(_ string, m json.Value) bool {
			r.message(s, m)
			return s.End == Open
		})
	}
	r.held = r.held[:0]
	ahead.Text, ahead.Reasoning, ahead.Refusal, s.skip = s.skip.Text, s.skip.Reasoning, s.skip.Refusal, Cursor{}
	s.Cursor.Event = offset
	switch {
	case s.End != Open:
		s.Done = true
	case v.Get("streamClosed").True():
		s.fail(fault.Lost(fault.Unknown, "the gateway closed the answer without saying how it ended"))
	}
}

func (r *answers) message(s *Stream, m json.Value) {
	switch kind := Kind(m.Get("type").Text()); kind {
	case Text, Reasoning, Refusal:
		s.add(kind, m.Get("text"))
	case ToolCall:
		s.begin()
		if s.Cursor.Ahead.Tools > 0 {
			s.Cursor.Ahead.Tools--
			return
		}
		tool := Tool{ID: m.Get("id").Text(), Name: m.Get("name").Text(), Arguments: m.Get("arguments").Text()}
		s.Deltas = append(s.Deltas, Delta{Kind: ToolCall, Tool: tool})
	case Restart:
		s.Cursor = Cursor{ID: s.Cursor.ID}
		s.skip, s.Tool = Cursor{}, false
		s.Deltas = append(s.Deltas, Delta{Kind: Restart})
	case "done":
		s.told(m.Get("result"))
	}
}

// told ends the stream with the result that the gateway came to.
func (s *Stream) told(result json.Value) {
	if result.Kind() != '{' {
		s.malformed("the end of the answer has no result")
		return
	}
	s.End, s.Told = Complete, bytes.Clone(result)
	s.Finish, s.Model = result.Get("finishReason").Text(), result.Get("model").Text()
	n := func(key string) int64 { n, _ := result.Get("usage", key).Int(); return n }
	s.Usage = Usage{
		Input: n("inputTokens"), Output: n("outputTokens"), Total: n("totalTokens"), Cached: n("cachedTokens"),
		CacheWrite: n("cacheWriteTokens"), CacheWrite1h: n("cacheWrite1hTokens"),
		ToolPrompt: n("toolPromptTokens"), Reasoning: n("reasoningTokens"),
	}
	if usd, ok := result.Get("costUsd").Float(); ok && usd > 0 && usd < 1e6 {
		s.Usage.CostTicks = int64(math.Round(usd * 1e10))
	}
}

// whole takes nothing: the gateway gives no answer as one object.
func (r *answers) whole(*Stream, json.Value) bool { return false }

// answerURL is where the gateway has an answer: asked is the URL that asked for it, /answers and the
// path of the API in which it was asked.
func answerURL(asked, id string) string {
	asked, _, _ = strings.Cut(asked, "?")
	if at := strings.LastIndex(asked, answersPath); at >= 0 {
		asked = asked[:at+len(answersPath)]
	}
	return asked + "/" + escape(id, "")
}

const answersPath = "/answers"

// FormOf is the wire format of a request's body: of one for the gateway, which keeps the answer in a
// format of its own, that of the API in which it is asked.
func FormOf(api API, path string, body json.Value) API {
	if api != Answers {
		return api
	}
	switch form := DetectAPI(path); {
	case form != Plain:
		return form
	case body.Get("messages").Kind() == '[':
		return Chat
	default:
		return Responses
	}
}
