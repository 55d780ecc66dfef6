package sim

import (
	"strings"

	"holdfast/core/json"
)

// messages is Anthropic's Messages API: messages in, content blocks out, named events. The usage
// at a stream's end counts from its begin. countMessages only counts the prompt.
var (
	messages = api{read: readMessagesAPI, whole: wholeMessage, stream: streamMessages,
		alive: "event: ping\ndata: {\"type\":\"ping\"}\n\n"}
	countMessages = api{
		read: func(body json.Value, p *prompt) bool {
			p.model = body.Get("model").Text()
			p.readMessages(body.Get("messages"))
			p.prefill = ""
			return body.Get("messages").Kind() == '['
		},
		whole: func(r reply) []byte {
			var w json.Writer
			return w.Open("", '{').Int("input_tokens", int64(r.usage.input)).Close('}').Out
		},
	}
)

// oldClaudes are pieces of the names of the models that go on from an assistant message. Newer
// ones refuse it.
var oldClaudes = []string{"claude-2", "claude-3", "-4-0", "-4-1", "-4-2025", "-4-5"}

func readMessagesAPI(body json.Value, p *prompt) bool {
	p.model = body.Get("model").Text()
	p.stream = body.Get("stream").True()
	list := body.Get("messages")
	p.readMessages(list)
	p.noPrefill = true
	for _, old := range oldClaudes {
		if strings.Contains(p.model, old) {
			p.noPrefill = false
		}
	}
	if _, ok := body.Get("max_tokens").Int(); !ok {
		p.wrong = "max_tokens: Field required"
	}
	return list.Kind() == '['
}

// stopReason translates a finish word. Words of Anthropic's own pass.
func (r *reply) stopReason(finish string) string {
	if r.refusal != "" {
		return "refusal"
	}
	switch finish {
	case "stop":
		return "end_turn"
	case "length":
		return "max_tokens"
	case "tool_calls":
		return "tool_use"
	case "content_filter":
		return "refusal"
	}
	return finish
}

// writeStop writes why the message ended; a refusal has details.
func (r *reply) writeStop(w *json.Writer, finish string) {
	reason := r.stopReason(finish)
	w.Text("stop_reason", reason).Raw("stop_sequence", nil)
	if reason == "refusal" {
		w.Open("stop_details", '{').Text("type", "refusal").Raw("category", nil).
			Text("explanation", first(r.refusal, "The model stopped for reasons of safety.")).Close('}')
	}
}

// signature is what stands for the thinking when it is sent back.
func (r *reply) signature() string { return "EqQBSIM" + r.id }

func (r *reply) writeToolUse(w *json.Writer, key string, input json.Value) {
	w.Open(key, '{').Text("type", "tool_use").Text("id", "toolu_"+r.id).Text("name", r.tool.Name).
		Raw("input", input).Close('}')
}

func wholeMessage(r reply) []byte {
	s := messageStream{reply: r}
	var w json.Writer
	w.Open("", '{')
	s.writeHead(&w)
	w.Open("content", '[')
	if r.reasoning != "" {
		w.Open("", '{').Text("type", "thinking").Text("thinking", r.reasoning).Text("signature", r.signature()).Close('}')
	}
	if text := first(r.text, r.refusal); text != "" {
		w.Open("", '{').Text("type", "text").Text("text", text).Close('}')
	}
	if r.tool != nil {
		r.writeToolUse(&w, "", json.Value(first(r.tool.Arguments, "{}")))
	}
	w.Close(']')
	r.writeStop(&w, r.finish)
	s.writeUsage(&w, r.usage.output)
	return w.Close('}').Out
}

// messageStream writes events. At most one content block is open at a time.
type messageStream struct {
	reply
	index int64 // of the open block, or of the next one
	open  deltaKind
	tool  bool // the open block is a tool's
}

func streamMessages(r reply) encoder { return &messageStream{reply: r} }

func (s *messageStream) writeHead(w *json.Writer) {
	w.Text("id", "msg_"+s.id).Text("type", "message").Text("role", "assistant").Text("model", s.model)
}

func (s *messageStream) writeUsage(w *json.Writer, output int) {
	w.Open("usage", '{').
		Int("input_tokens", int64(s.usage.input)).
		Int("cache_creation_input_tokens", 0).
		Int("cache_read_input_tokens", 0).
		Int("output_tokens", int64(output)).
		Close('}')
}

// event writes one event, whose name its data repeats.
func (s *messageStream) event(name string, members func(w *json.Writer)) []byte {
	var w json.Writer
	w.Open("", '{').Text("type", name)
	members(&w)
	return event(name, w.Close('}').Out)
}

func (s *messageStream) start() []byte {
	out := s.event("message_start", func(w *json.Writer) {
		w.Open("message", '{')
		s.writeHead(w)
		w.Open("content", '[').Close(']').Raw("stop_reason", nil).Raw("stop_sequence", nil)
		s.writeUsage(w, 1)
		w.Close('}')
	})
	return append(out, s.event("ping", func(*json.Writer) {})...)
}

// begin ends the open block and opens another, whose members are given.
func (s *messageStream) begin(block func(w *json.Writer)) []byte {
	return append(s.end(), s.event("content_block_start", func(w *json.Writer) {
		w.Int("index", s.index)
		block(w)
	})...)
}

// end closes the open block, if there is one. A signature comes just before the end of thinking.
func (s *messageStream) end() []byte {
	if s.open == noDelta && !s.tool {
		return nil
	}
	var out []byte
	if s.open == reasoningDelta {
		out = s.blockDelta("signature_delta", "signature", s.signature())
	}
	out = append(out, s.event("content_block_stop", func(w *json.Writer) { w.Int("index", s.index) })...)
	s.open, s.tool = noDelta, false
	s.index++
	return out
}

func (s *messageStream) blockDelta(kind, member, text string) []byte {
	return s.event("content_block_delta", func(w *json.Writer) {
		w.Int("index", s.index).Open("delta", '{').Text("type", kind).Text(member, text).Close('}')
	})
}

func (s *messageStream) delta(kind deltaKind, text string) []byte {
	block, member := "text", "text"
	if kind == reasoningDelta {
		block, member = "thinking", "thinking"
	} else {
		kind = textDelta // a refusal is text; only the stop reason tells
	}
	var out []byte
	if s.open != kind {
		out = s.begin(func(w *json.Writer) {
			w.Open("content_block", '{').Text("type", block).Text(member, "")
			if kind == reasoningDelta {
				w.Text("signature", "")
			}
			w.Close('}')
		})
		s.open = kind
	}
	return append(out, s.blockDelta(block+"_delta", member, text)...)
}

func (s *messageStream) callTool(_ string, tool *Tool) []byte {
	out := s.begin(func(w *json.Writer) { s.writeToolUse(w, "content_block", json.Value("{}")) })
	s.tool = true
	return append(out, s.blockDelta("input_json_delta", "partial_json", "")...)
}

func (s *messageStream) toolArguments(piece string) []byte {
	return s.blockDelta("input_json_delta", "partial_json", piece)
}

func (s *messageStream) finish(word string) []byte {
	out := append(s.end(), s.event("message_delta", func(w *json.Writer) {
		w.Open("delta", '{')
		s.writeStop(w, word)
		w.Close('}')
		s.writeUsage(w, s.usage.output)
	})...)
	return append(out, s.event("message_stop", func(*json.Writer) {})...)
}

// fail is an event without the request's id. xAI has this API too, but no words for its errors.
func (s *messageStream) fail(p problem) []byte {
	if s.speaks != anthropic {
		p.typ, p.details = "api_error", ""
	}
	var w json.Writer
	w.Open("", '{')
	p.writeAnthropic(&w, "")
	return event("error", w.Close('}').Out)
}

func (s *messageStream) after() []byte { return nil }
func (s *messageStream) done() []byte  { return nil }
