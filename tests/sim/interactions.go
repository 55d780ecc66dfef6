package sim

import (
	"strconv"

	"holdfast/core/json"
)

// interactions is Gemini's Interactions API: input in, steps out, events without names whose ids
// are the cursors of a resume, [DONE]. An interaction is kept unless the request says otherwise.
var interactions = api{read: readInteraction, whole: wholeInteraction, stream: streamInteraction,
	id: func(r reply) string {
		if r.unstored {
			return ""
		}
		return "v1_" + r.id
	}}

func readInteraction(body json.Value, p *prompt) bool {
	p.model = first(body.Get("model").Text(), body.Get("agent").Text())
	p.stream = body.Get("stream").True()
	p.background = body.Get("background").True()
	p.unstored = body.Get("store").False()
	if p.background && p.unstored {
		p.wrong = "background=true requires store=true."
	}
	input := body.Get("input")
	p.readInput(input, "user")
	return !input.Missing() && p.model != ""
}

// readInput reads a text, a content, a turn, a step, or a list of them.
func (p *prompt) readInput(input json.Value, role string) {
	if input.Kind() == '[' {
		input.Each(func(_ string, item json.Value) bool {
			p.readInput(item, role)
			return true
		})
		return
	}
	text := input.Text()
	if input.Kind() == '{' {
		if input.Get("role").Text() == "model" || input.Get("type").Text() == "model_output" {
			role = "model"
		}
		if content := input.Get("content"); content != nil {
			p.readInput(content, role)
			return
		}
		text = input.Get("text").Text()
	}
	p.tokens += len(words(text))
	p.prefill = ""
	if role == "model" {
		p.prefill = text
	} else {
		p.first, p.last = first(p.first, text), text
	}
}

// interactionStatus is the status of a finished interaction.
func (r *reply) interactionStatus() string {
	switch {
	case r.failure != nil:
		return "failed"
	case r.status == "queued":
		return "in_progress"
	case r.status != "":
		return r.status
	case r.refusal != "" || r.finish == "content_filter":
		return "failed"
	case r.finish == "length":
		return "incomplete"
	case r.finish == "tool_calls":
		return "requires_action"
	case r.finish == "stop":
		return "completed"
	}
	return r.finish // a status of Gemini's own: budget_exceeded, …
}

func wholeInteraction(r reply) []byte {
	var w json.Writer
	r.writeInteraction(&w, "", r.interactionStatus(), true)
	return w.Out
}

// writeInteraction writes the resource; its steps are left out in events.
func (r *reply) writeInteraction(w *json.Writer, key, status string, steps bool) {
	id := ""
	if !r.unstored {
		id = "v1_" + r.id
	}
	w.Open(key, '{').Text("id", id).Text("object", "interaction").Text("status", status).
		Text("model", r.model).Text("role", "model").
		Text("created", "2026-01-01T00:00:00Z").Text("updated", "2026-01-01T00:00:00Z")
	if steps {
		w.Open("steps", '[')
		r.writeSteps(w)
		w.Close(']')
	}
	if r.failure != nil {
		w.Open("errors", '[').Open("", '{').Text("code", r.failure.word).Text("message", r.failure.text("")).Close('}').Close(']')
	}
	if status != "in_progress" && status != "cancelled" && !r.noUsage {
		u := r.usage
		w.Open("usage", '{').
			Int("total_input_tokens", int64(u.input)).
			Int("total_output_tokens", int64(u.output-u.reasoning)).
			Int("total_thought_tokens", int64(u.reasoning)).
			Int("total_cached_tokens", 0).
			Int("total_tool_use_tokens", 0).
			Int("total_tokens", int64(u.input+u.output)).
			Close('}')
	}
	w.Close('}')
}

func (r *reply) writeSteps(w *json.Writer) {
	if r.reasoning != "" {
		w.Open("", '{').Text("type", "thought").Text("signature", "c2ln"+r.id).
			Open("summary", '[').Open("", '{').Text("type", "text").Text("text", r.reasoning).Close('}').Close(']').Close('}')
	}
	if text := first(r.text, r.refusal); text != "" {
		w.Open("", '{').Text("type", "model_output").
			Open("content", '[').Open("", '{').Text("type", "text").Text("text", text).Close('}').Close(']').Close('}')
	}
	if r.tool != nil {
		w.Open("", '{').Text("type", "function_call").Text("id", "call_"+r.id).Text("name", r.tool.Name).
			Raw("arguments", json.Value(first(r.tool.Arguments, "{}"))).Close('}')
	}
}

// interactionStream writes events. At most one step is open at a time.
type interactionStream struct {
	reply
	number int
	index  int64 // of the open step, or of the next one
	open   string
}

func streamInteraction(r reply) encoder { return &interactionStream{reply: r} }

// event writes one event; only those of a stored interaction have an id.
func (s *interactionStream) event(kind string, members func(w *json.Writer)) []byte {
	var w json.Writer
	w.Open("", '{').Text("event_type", kind)
	members(&w)
	s.number++
	if !s.unstored {
		w.Text("event_id", "ev_"+s.id+"_"+strconv.Itoa(s.number))
	}
	return event("", w.Close('}').Out)
}

func (s *interactionStream) start() []byte {
	out := s.event("interaction.created", func(w *json.Writer) {
		s.writeInteraction(w, "interaction", "in_progress", false)
	})
	return append(out, s.event("interaction.status_update", func(w *json.Writer) {
		w.Text("interaction_id", "v1_"+s.id).Text("status", "in_progress")
	})...)
}

// begin ends the open step and opens another.
func (s *interactionStream) begin(kind string, members func(w *json.Writer)) []byte {
	out := s.end()
	s.open = kind
	return append(out, s.event("step.start", func(w *json.Writer) {
		w.Int("index", s.index).Open("step", '{').Text("type", kind)
		members(w)
		w.Close('}')
	})...)
}

func (s *interactionStream) end() []byte {
	if s.open == "" {
		return nil
	}
	var out []byte
	if s.open == "thought" {
		out = s.stepDelta("thought_signature", func(w *json.Writer) { w.Text("signature", "c2ln"+s.id) })
	}
	out = append(out, s.event("step.stop", func(w *json.Writer) { w.Int("index", s.index) })...)
	s.open = ""
	s.index++
	return out
}

func (s *interactionStream) stepDelta(kind string, members func(w *json.Writer)) []byte {
	return s.event("step.delta", func(w *json.Writer) {
		w.Int("index", s.index).Open("delta", '{').Text("type", kind)
		members(w)
		w.Close('}')
	})
}

func (s *interactionStream) delta(kind deltaKind, text string) []byte {
	step := "model_output"
	if kind == reasoningDelta {
		step = "thought"
	}
	var out []byte
	if s.open != step {
		out = s.begin(step, func(*json.Writer) {})
	}
	if kind == reasoningDelta {
		return append(out, s.stepDelta("thought_summary", func(w *json.Writer) {
			w.Open("content", '{').Text("type", "text").Text("text", text).Close('}')
		})...)
	}
	return append(out, s.stepDelta("text", func(w *json.Writer) { w.Text("text", text) })...)
}

func (s *interactionStream) callTool(id string, tool *Tool) []byte {
	return s.begin("function_call", func(w *json.Writer) {
		w.Text("id", id).Text("name", tool.Name).Open("arguments", '{').Close('}')
	})
}

func (s *interactionStream) toolArguments(piece string) []byte {
	return s.stepDelta("arguments_delta", func(w *json.Writer) { w.Text("arguments", piece) })
}

func (s *interactionStream) finish(word string) []byte {
	s.reply.finish = word
	return append(s.end(), s.event("interaction.completed", func(w *json.Writer) {
		s.writeInteraction(w, "interaction", s.interactionStatus(), false)
	})...)
}

// fail is an event, or, in shape "array", the list that comes where the connection is cut after ten
// minutes: as the last bytes, and no event.
func (s *interactionStream) fail(p problem) []byte {
	if p.shape == "array" {
		return p.body(geminiCompat)
	}
	return s.event("error", p.writeWord)
}

func (s *interactionStream) after() []byte { return nil }
func (s *interactionStream) done() []byte  { return event("", []byte("[DONE]")) }
