package translate

import (
	"holdfast/core/decimal"
	"holdfast/core/json"
	"holdfast/core/sse"
	"holdfast/core/wire"
)

// Meta is what an answer says of itself.
type Meta struct {
	ID      string // as it came from the provider; "" gets a fixed one
	Model   string // the model that answered, not the one asked for
	Created int64  // Unix seconds, for chat and responses
	// Usage asks for the usage in a chat stream, as stream_options.include_usage does. Whole
	// answers and the other APIs' streams always have it.
	Usage bool
}

// orElse fills what is missing.
func (m Meta) orElse(id, model string, created int64) Meta {
	if m.ID == "" {
		m.ID = id
	}
	if m.Model == "" {
		m.Model = model
	}
	if m.Created == 0 {
		m.Created = created
	}
	return m
}

// callID is the id of the nth call, which came without one. It is another in every answer: a later
// request holds the calls of several, and Anthropic refuses an id that stands there twice.
func (m Meta) callID(n int) string {
	number := decimal.String(n)
	if id := "call_" + m.ID + "_" + number; goodID(id) {
		return id
	}
	return "call_" + number
}

// answer is a whole answer in the neutral form.
type answer struct {
	meta   Meta
	deltas []wire.Delta
	finish finish
	usage  wire.Usage
}

// finish is why an answer ended: the rows of the table of words.
type finish int

const (
	complete finish = iota
	length
	toolCalls
	filtered
)

// words are what each API says at the end of an answer. Responses says it by a status and a
// reason, and has no word for calls. Source: providers.md §6.6.
var words = [...][len(columns)]string{
	//          chat              responses            messages      generate
	complete:  {"stop", "", "end_turn", "STOP"},
	length:    {"length", "max_output_tokens", "max_tokens", "MAX_TOKENS"},
	toolCalls: {"tool_calls", "", "tool_use", "STOP"},
	filtered:  {"content_filter", "content_filter", "refusal", "SAFETY"},
}

// finishOf tells why an answer ended from its terminal.
func finishOf(end wire.End, word string, called bool) finish {
	switch {
	case end == wire.Filtered:
		return filtered
	case wire.AtLimit(word):
		return length
	case called:
		return toolCalls
	}
	return complete
}

// Answer rebuilds a whole answer of API from in the form of API to. What meta leaves empty is
// taken from the answer. An answer that failed, or never ended, is ErrNotAnAnswer: Error writes
// those. Between an API and itself the body comes back as it is.
func Answer(from, to wire.API, body json.Value, meta Meta) (Result, error) {
	if !Knows(from) || !Knows(to) {
		return Result{}, ErrUnknownAPI
	}
	s := wire.NewStream(from, "", nil)
	s.MayBeEmpty = true
	s.Event(sse.Event{Data: body, Bare: true})
	if s.End != wire.Complete && s.End != wire.Filtered {
		return Result{}, ErrNotAnAnswer
	}
	if from == to {
		return Result{Body: body}, nil
	}
	created, ok := body.Get("created").Int()
	if !ok {
		created, _ = body.Get("created_at").Int()
	}
	a := answer{
		meta:   meta.orElse(s.ID, s.Model, created),
		usage:  s.Usage,
		finish: finishOf(s.End, s.Finish, s.Tool),
		deltas: s.Take(),
	}
	for i := range a.deltas {
		if d := &a.deltas[i]; d.Kind == wire.ToolCall && d.Tool.ID == "" {
			d.Tool.ID = a.meta.callID(i)
		}
	}
	var w json.Writer
	switch to {
	case chat:
		writeChatAnswer(&w, &a)
	case responses:
		writeResponsesAnswer(&w, &a)
	case messages:
		writeMessagesAnswer(&w, &a)
	case generate:
		writeGenerateAnswer(&w, &a)
	}
	var l losses
	l.unsaid(from, body)
	return Result{Body: w.Out, Dropped: l.dropped}, nil
}

// carried are the parts of an answer that have a neutral form, by API: where the list stands, the
// member that names a part's kind, and the kinds.
var carried = [len(columns)]struct{ list, kind, kinds string }{
	{"choices", "", ""},
	{"output", "type", "message reasoning function_call custom_tool_call"},
	{"content", "type", "text thinking redacted_thinking tool_use fallback"},
	{"candidates", "", ""},
}

// unsaid lists the parts of an answer that are left behind: further choices, images, what tools
// on the provider's side did.
func (l *losses) unsaid(from wire.API, body json.Value) {
	c := carried[column(from)]
	each(body.Get(c.list), "/"+c.list, func(at string, v json.Value) {
		switch {
		case c.kind != "":
			if kind := v.Get(c.kind).Text(); !has(c.kinds, kind) {
				l.drop(at, kind)
			}
		case at != "/"+c.list+"/0":
			l.drop(at, "")
		case from == chat:
			l.others(v, at, "index message delta finish_reason native_finish_reason")
			l.others(v.Get("message"), at+"/message", "role content refusal tool_calls function_call reasoning reasoning_content")
		default:
			each(v.Get("content", "parts"), at+"/content/parts", func(at string, p json.Value) {
				l.others(p, at, "text thought thoughtSignature functionCall")
			})
		}
	})
}

// quoted is text as a JSON string. The half of a character that a delta may begin or end with
// (see json.AppendText) stays one, as the escape of its surrogate.
func quoted(text []byte) json.Value {
	out := append(make([]byte, 0, len(text)+16), '"')
	for {
		n := surrogate(text)
		start := len(out)
		out = json.AppendQuoted(out, string(text[:n]))
		copy(out[start:], out[start+1:]) // its quotation marks are not ours
		out = out[:len(out)-2]
		if n == len(text) {
			return append(out, '"')
		}
		const hex = "0123456789abcdef"
		unit := uint16(0xD000) | uint16(text[n+1]&0x3F)<<6 | uint16(text[n+2]&0x3F)
		out = append(out, '\\', 'u', hex[unit>>12], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
		text = text[n+3:]
	}
}

// surrogate is the index of the first surrogate in text, or its length.
func surrogate(text []byte) int {
	for i := 0; i+2 < len(text); i++ {
		if text[i] == 0xED && text[i+1]&0xE0 == 0xA0 && text[i+2]&0xC0 == 0x80 {
			return i
		}
	}
	return len(text)
}
