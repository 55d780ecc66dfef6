package sim

import "holdfast/core/json"

// responses is the Responses API: input in, output items out, named events with sequence numbers,
// no [DONE]. Usage is always in its terminal. A response is kept unless the request says otherwise;
// one made in the background can be streamed again.
var responses = api{read: readResponses, whole: wholeResponses, stream: streamResponses,
	id: func(r reply) string {
		if r.unstored && r.speaks != xAI { // there it can be read all the same
			return ""
		}
		return r.responseID()
	}}

func readResponses(body json.Value, p *prompt) bool {
	p.model = body.Get("model").Text()
	p.stream = body.Get("stream").True()
	p.background = body.Get("background").True()
	p.unstored = body.Get("store").False()
	for _, member := range notAtXAI {
		if p.speaks == xAI && !body.Get(member).Missing() {
			p.wrong = "Argument not supported: " + member
		}
	}
	input := body.Get("input")
	if input.Kind() == '"' {
		p.first, p.last = input.Text(), input.Text()
		p.tokens = len(words(p.first))
	}
	p.readMessages(input)
	return input.Kind() == '"' || input.Kind() == '['
}

// notAtXAI are members that xAI's Responses do not take.
var notAtXAI = []string{"background", "metadata"}

// responseID is bare at xAI.
func (r *reply) responseID() string {
	if r.speaks == xAI {
		return r.uuid
	}
	return "resp_" + r.id
}

func wholeResponses(r reply) []byte {
	_, status := terminalOf(r.finish)
	if r.failure != nil {
		status = "failed"
	}
	status = first(r.status, status)
	items := status
	if items != "completed" && items != "in_progress" {
		items = "incomplete"
	}
	s := responseStream{reply: r}
	add := func(i item) { s.items = append(s.items, s.named(i).value(items)) }
	if r.reasoning != "" {
		add(item{kind: "reasoning", part: reasoningDelta, text: r.reasoning})
	}
	switch {
	case r.refusal != "":
		add(item{kind: "message", part: refusalDelta, text: r.refusal})
	case r.text != "":
		add(item{kind: "message", part: textDelta, text: r.text})
	}
	if r.tool != nil {
		add(item{kind: "function_call", name: r.tool.Name, text: r.tool.Arguments})
	}
	var w json.Writer
	s.response(&w, "", status, r.failure)
	return w.Out
}

// named gives an item the id that its answer's items have, and its reasoning the right form.
func (s *responseStream) named(i item) item {
	i.id = s.id
	if s.speaks == xAI {
		i.id = s.uuid
	}
	i.summary = i.kind == "reasoning" && (s.speaks == openAI || s.speaks == xAI)
	return i
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
		Text("id", s.responseID()).
		Text("object", "response").
		Int("created_at", created)
	if s.speaks != xAI || s.sequence > 1 || key == "" { // xAI's first event lacks it
		w.Text("status", status)
	}
	if s.background {
		w.Bool("background", true)
	}
	w.Text("model", s.model).
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
	if (status == "completed" || status == "incomplete") && !s.noUsage {
		u := s.usage
		w.Open("usage", '{').
			Int("input_tokens", int64(u.input)).
			Open("input_tokens_details", '{').Int("cached_tokens", 0).Close('}').
			Int("output_tokens", int64(u.output)).
			Open("output_tokens_details", '{').Int("reasoning_tokens", int64(u.reasoning)).Close('}').
			Int("total_tokens", int64(u.input+u.output))
		s.writeTicks(w)
		w.Close('}')
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
	code := p.code
	if p.number == 0 {
		code = first(p.word, p.code)
	}
	w.Open("error", '{').Text("code", code).Text("message", p.text(" Please try again in {}."))
	if s.speaks.ofGloo() {
		w.Int("gloo_code", int64(p.number)).Bool("retryable", p.retryable)
		p.writeRetryAfter(w)
	}
	w.Close('}')
}

func (s *responseStream) start() []byte {
	states := []struct{ event, status string }{{"response.created", "in_progress"}, {"response.in_progress", "in_progress"}}
	if s.background {
		states = append([]struct{ event, status string }{{"response.created", "queued"}, {"response.queued", "queued"}}, states[1])
	}
	var out []byte
	for _, state := range states {
		out = append(out, s.event(state.event, func(w *json.Writer) {
			s.response(w, "response", state.status, nil)
		})...)
	}
	return out
}

func (s *responseStream) delta(kind deltaKind, text string) []byte {
	var out []byte
	if s.open == nil || s.open.part != kind {
		opened := item{kind: "message", part: kind}
		if kind == reasoningDelta {
			opened.kind = "reasoning"
		}
		out = s.begin(s.named(opened))
		out = append(out, s.event(s.open.partEvent("added"), func(w *json.Writer) {
			s.where(w).Int(s.open.index(), 0).Raw("part", s.open.content())
		})...)
	}
	s.open.text += text
	return append(out, s.event(s.open.event("delta"), func(w *json.Writer) {
		s.where(w).Int(s.open.index(), 0).Text("delta", text)
	})...)
}

func (s *responseStream) callTool(_ string, tool *Tool) []byte {
	return s.begin(s.named(item{kind: "function_call", part: noDelta, name: tool.Name}))
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

// fail is response.failed; at OpenAI and xAI an event error comes before it, in one of two shapes.
func (s *responseStream) fail(p problem) []byte {
	var out []byte
	if s.sequence == 0 {
		out = s.start()
	}
	shape := p.shape
	if shape == "" && (s.speaks == openAI || s.speaks == xAI) {
		shape = "nested"
	}
	switch shape {
	case "nested":
		members := p.writeOpenAI
		if s.speaks == xAI {
			p.shape = "openai"
			members = p.writeXAI
		}
		out = append(out, s.event("error", members)...)
	case "flat":
		var w json.Writer
		w.Open("", '{').Text("type", "error").Int("sequence_number", s.sequence).
			Text("code", first(p.word, p.code)).Text("message", p.text(" Please try again in {}.")).Raw("param", nil)
		s.sequence++
		out = append(out, event("error", w.Close('}').Out)...)
	}
	return append(out, s.event("response.failed", func(w *json.Writer) {
		s.response(w, "response", "failed", &p)
	})...)
}

func (s *responseStream) after() []byte { return nil }

func (s *responseStream) done() []byte { return nil }
