package sim

import "holdfast/core/json"

// chat is the chat completions API: messages in, choices out, chunks without event names, [DONE].
var chat = api{read: readChat, whole: wholeChat, stream: streamChat, id: deferredID}

func readChat(body json.Value, p *prompt) bool {
	p.model = body.Get("model").Text()
	p.stream = body.Get("stream").True()
	p.usage = body.Get("stream_options", "include_usage").True()
	p.deferred = p.speaks == xAI && body.Get("deferred").True()
	messages := body.Get("messages")
	p.readMessages(messages)
	return messages.Kind() == '['
}

func wholeChat(r reply) []byte {
	var w json.Writer
	w.Open("", '{').
		Text("id", "chatcmpl-"+r.id).
		Text("object", "chat.completion").
		Int("created", created).
		Text("model", r.model).
		Open("choices", '[').Open("", '{').Int("index", 0)
	w.Open("message", '{').Text("role", "assistant")
	if r.text == "" && (r.tool != nil || r.refusal != "") {
		w.Raw("content", nil)
	} else {
		w.Text("content", r.text)
	}
	w.TextIf("reasoning_content", r.reasoning)
	if r.refusal == "" {
		w.Raw("refusal", nil)
	} else {
		w.Text("refusal", r.refusal)
	}
	if r.tool != nil {
		w.Open("tool_calls", '[').Open("", '{').Text("id", "call_"+r.id).Text("type", "function").
			Open("function", '{').Text("name", r.tool.Name).Text("arguments", r.tool.Arguments).
			Close('}').Close('}').Close(']')
	}
	w.Close('}').Raw("logprobs", nil).Text("finish_reason", r.finish).Close('}').Close(']')
	r.writeChatUsage(&w)
	return w.Close('}').Out
}

// writeChatUsage writes the usage. What a model thought is a part of the completion, but not at xAI.
func (r *reply) writeChatUsage(w *json.Writer) {
	u := r.usage
	completion := u.output
	if r.speaks == xAI {
		completion -= u.reasoning
	}
	w.Open("usage", '{').
		Int("prompt_tokens", int64(u.input)).
		Int("completion_tokens", int64(completion)).
		Int("total_tokens", int64(u.input+u.output)).
		Open("prompt_tokens_details", '{').Int("cached_tokens", 0).Close('}').
		Open("completion_tokens_details", '{').Int("reasoning_tokens", int64(u.reasoning)).Close('}')
	r.writeTicks(w)
	w.Close('}')
}

// writeTicks writes what xAI charges, in 1e-10 USD: a token in costs 2e-6, a token out 6e-6.
func (r *reply) writeTicks(w *json.Writer) {
	if r.speaks == xAI {
		w.Int("num_sources_used", 0).Int("cost_in_usd_ticks", int64(r.usage.input)*20_000+int64(r.usage.output)*60_000)
	}
}

// chatStream writes chunks.
type chatStream struct {
	reply
	call wholeCall
}

func streamChat(r reply) encoder { return &chatStream{reply: r} }

// chunk writes one chunk with a single choice, whose members after the index are given.
func (c *chatStream) chunk(members func(w *json.Writer)) []byte {
	var w json.Writer
	c.head(&w)
	w.Open("choices", '[').Open("", '{').Int("index", 0)
	members(&w)
	w.Close('}').Close(']')
	return event("", w.Close('}').Out)
}

func (c *chatStream) head(w *json.Writer) {
	w.Open("", '{').
		Text("id", "chatcmpl-"+c.id).
		Text("object", "chat.completion.chunk").
		Int("created", created).
		Text("model", c.model)
}

func (c *chatStream) start() []byte {
	return c.chunk(func(w *json.Writer) {
		w.Open("delta", '{').Text("role", "assistant").Text("content", "").Close('}').Raw("finish_reason", nil)
	})
}

func (c *chatStream) delta(kind deltaKind, text string) []byte {
	member := map[deltaKind]string{textDelta: "content", refusalDelta: "refusal", reasoningDelta: "reasoning_content"}[kind]
	return c.chunk(func(w *json.Writer) {
		w.Open("delta", '{').Text(member, text).Close('}').Raw("finish_reason", nil)
	})
}

func (c *chatStream) callTool(id string, tool *Tool) []byte {
	if c.speaks == xAI || c.speaks == geminiCompat {
		c.call = wholeCall{id: id, tool: tool}
		return nil
	}
	return c.chunk(func(w *json.Writer) {
		w.Open("delta", '{').Open("tool_calls", '[').Open("", '{').
			Int("index", 0).Text("id", id).Text("type", "function").
			Open("function", '{').Text("name", tool.Name).Text("arguments", "").Close('}').
			Close('}').Close(']').Close('}').Raw("finish_reason", nil)
	})
}

func (c *chatStream) toolArguments(piece string) []byte {
	if c.call.tool != nil {
		return c.call.add(piece, c.toolAtOnce)
	}
	return c.chunk(func(w *json.Writer) {
		w.Open("delta", '{').Open("tool_calls", '[').Open("", '{').
			Int("index", 0).
			Open("function", '{').Text("arguments", piece).Close('}').
			Close('}').Close(']').Close('}').Raw("finish_reason", nil)
	})
}

// toolAtOnce is a call in one chunk, as xAI and Gemini send it.
func (c *chatStream) toolAtOnce(call wholeCall) []byte {
	return c.chunk(func(w *json.Writer) {
		w.Open("delta", '{').Open("tool_calls", '[').Open("", '{').
			Int("index", 0).Text("id", call.id).Text("type", "function").
			Open("function", '{').Text("name", call.tool.Name).Text("arguments", call.arguments).Close('}').
			Close('}').Close(']').Close('}').Raw("finish_reason", nil)
	})
}

func (c *chatStream) finish(word string) []byte {
	return c.chunk(func(w *json.Writer) {
		w.Open("delta", '{').Close('}').Text("finish_reason", word)
	})
}

// fail is Gloo's chunk with finish_reason "error" beside an error object; others send the error
// object alone. The direct endpoints give no trace id here.
func (c *chatStream) fail(p problem) []byte {
	if !c.speaks.ofGloo() {
		if c.speaks == geminiCompat {
			return event("", p.body(gemini))
		}
		return event("", p.body(c.speaks))
	}
	var w json.Writer
	c.head(&w)
	w.Open("choices", '[').Open("", '{').Int("index", 0).
		Open("delta", '{').Close('}').Text("finish_reason", "error").
		Close('}').Close(']')
	traceID := p.traceID
	if c.speaks == direct {
		traceID = ""
	}
	p.writeGloo(&w, traceID, true)
	return event("", w.Close('}').Out)
}

func (c *chatStream) after() []byte {
	if !c.sendUsage && c.speaks != xAI {
		return nil
	}
	var w json.Writer
	c.head(&w)
	w.Open("choices", '[').Close(']')
	c.writeChatUsage(&w)
	return event("", w.Close('}').Out)
}

func (c *chatStream) done() []byte { return event("", []byte("[DONE]")) }
