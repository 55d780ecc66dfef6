package sim

import "holdfast/core/json"

// responses is the Responses API: input in, output items out, named events with sequence numbers,
// no [DONE]. Usage is always in its terminal.
var responses = api{read: readResponses, whole: wholeResponses, stream: streamResponses}

func readResponses(body json.Value) (prompt, bool) {
	p := prompt{
		model:  body.Get("model").Text(),
		stream: body.Get("stream").True(),
	}
	input := body.Get("input")
	if input.Kind() == '"' {
		p.first, p.last = input.Text(), input.Text()
		p.tokens = len(words(p.first))
	}
	p.readMessages(input)
	return p, input.Kind() == '"' || input.Kind() == '['
}

func wholeResponses(r reply) []byte {
	_, status := terminalOf(r.finish)
	s := responseStream{reply: r}
	add := func(i item) { s.items = append(s.items, i.value(status)) }
	if r.reasoning != "" {
		add(item{id: r.id, kind: "reasoning", part: reasoningDelta, text: r.reasoning})
	}
	switch {
	case r.refusal != "":
		add(item{id: r.id, kind: "message", part: refusalDelta, text: r.refusal})
	case r.text != "":
		add(item{id: r.id, kind: "message", part: textDelta, text: r.text})
	}
	if r.tool != nil {
		add(item{id: r.id, kind: "function_call", name: r.tool.Name, text: r.tool.Arguments})
	}
	var w json.Writer
	s.response(&w, "", status, nil)
	return w.Out
}

// terminalOf translates a finish word into the terminal event and the response's status.
func terminalOf(finish string) (event, status string) {
	switch finish {
	case "stop", "tool_calls":
		return "response.completed", "completed"
	}
	return "response.incomplete", "incomplete"
}

// responseStream writes events. At most one item is open at a time.
type responseStream struct {
	reply
	sequence int64
	items    []json.Value // finished output items
	open     *item        // the one that is being written, or nil
}

func streamResponses(r reply) encoder { return &responseStream{reply: r} }

// event writes one event with its type and sequence number.
func (s *responseStream) event(name string, members func(w *json.Writer)) []byte {
	var w json.Writer
	w.Open("", '{').Text("type", name).Int("sequence_number", s.sequence)
	s.sequence++
	members(&w)
	return event(name, w.Close('}').Out)
}

// response writes the response object as it stands.
func (s *responseStream) response(w *json.Writer, key, status string, failure *problem) {
	w.Open(key, '{').
		Text("id", "resp_"+s.id).
		Text("object", "response").
		Int("created_at", created).
		Text("status", status).
		Text("model", s.model).
		Open("output", '[')
	for _, item := range s.items {
		w.Raw("", item)
	}
	w.Close(']')
	if status == "incomplete" {
		reason := s.reply.finish
		if reason == "length" {
			reason = "max_output_tokens"
		}
		w.Open("incomplete_details", '{').Text("reason", reason).Close('}')
	} else {
		w.Raw("incomplete_details", nil)
	}
	if status == "completed" || status == "incomplete" {
		u := s.usage
		w.Open("usage", '{').
			Int("input_tokens", int64(u.input)).
			Open("input_tokens_details", '{').Int("cached_tokens", 0).Close('}').
			Int("output_tokens", int64(u.output)).
			Open("output_tokens_details", '{').Int("reasoning_tokens", int64(u.reasoning)).Close('}').
			Int("total_tokens", int64(u.input+u.output)).
			Close('}')
	} else {
		w.Raw("usage", nil)
	}
	if failure == nil {
		w.Raw("error", nil)
	} else {
		s.failure(w, failure)
	}
	w.Close('}')
}

// failure writes the error of a failed response. Gloo's holds the string code, its own number and
// the verdict.
func (s *responseStream) failure(w *json.Writer, p *problem) {
	w.Open("error", '{').Text("code", p.code).Text("message", p.message)
	if s.speaks != openAI {
		w.Int("gloo_code", int64(p.number)).Bool("retryable", p.retryable)
		p.writeRetryAfter(w)
	}
	w.Close('}')
}

func (s *responseStream) start() []byte {
	state := func(w *json.Writer) {
		s.response(w, "response", "in_progress", nil)
	}
	return append(s.event("response.created", state), s.event("response.in_progress", state)...)
}

func (s *responseStream) delta(kind deltaKind, text string) []byte {
	var out []byte
	if s.open == nil || s.open.part != kind {
		opened := item{id: s.id, kind: "message", part: kind}
		if kind == reasoningDelta {
			opened.kind = "reasoning"
		}
		out = s.begin(opened)
		out = append(out, s.event("response.content_part.added", func(w *json.Writer) {
			s.where(w).Int("content_index", 0).Raw("part", s.open.content())
		})...)
	}
	s.open.text += text
	return append(out, s.event(partEvents[kind]+".delta", func(w *json.Writer) {
		s.where(w).Int("content_index", 0).Text("delta", text)
	})...)
}

func (s *responseStream) callTool(_ string, tool *Tool) []byte {
	return s.begin(item{id: s.id, kind: "function_call", part: noDelta, name: tool.Name})
}

func (s *responseStream) toolArguments(piece string) []byte {
	s.open.text += piece
	return s.event("response.function_call_arguments.delta", func(w *json.Writer) {
		s.where(w).Text("delta", piece)
	})
}

func (s *responseStream) finish(word string) []byte {
	terminal, status := terminalOf(word)
	out := s.end(status)
	return append(out, s.event(terminal, func(w *json.Writer) {
		s.response(w, "response", status, nil)
	})...)
}

func (s *responseStream) fail(p problem) []byte {
	var out []byte
	if s.sequence == 0 {
		out = s.start()
	}
	return append(out, s.event("response.failed", func(w *json.Writer) {
		s.response(w, "response", "failed", &p)
	})...)
}

func (s *responseStream) after() []byte { return nil }

func (s *responseStream) done() []byte { return nil }
