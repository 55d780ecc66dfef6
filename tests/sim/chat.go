package sim

import "holdfast/core/json"

// chat is the chat completions API: messages in, choices out, chunks without event names, [DONE].
var chat = api{read: readChat, whole: wholeChat, stream: streamChat}

func readChat(body json.Value) (prompt, bool) {
	p := prompt{
		model:  body.Get("model").Text(),
		stream: body.Get("stream").True(),
		usage:  body.Get("stream_options", "include_usage").True(),
	}
	messages := body.Get("messages")
	p.readMessages(messages)
	return p, messages.Kind() == '['
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
	writeChatUsage(&w, r.usage)
	return w.Close('}').Out
}

func writeChatUsage(w *json.Writer, u usage) {
	w.Open("usage", '{').
		Int("prompt_tokens", int64(u.input)).
		Int("completion_tokens", int64(u.output)).
		Int("total_tokens", int64(u.input+u.output)).
		Open("completion_tokens_details", '{').Int("reasoning_tokens", int64(u.reasoning)).Close('}').
		Close('}')
}

// chatStream writes chunks.
type chatStream struct{ reply }

func streamChat(r reply) encoder { return &chatStream{r} }

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
	return c.chunk(func(w *json.Writer) {
		w.Open("delta", '{').Open("tool_calls", '[').Open("", '{').
			Int("index", 0).Text("id", id).Text("type", "function").
			Open("function", '{').Text("name", tool.Name).Text("arguments", "").Close('}').
			Close('}').Close(']').Close('}').Raw("finish_reason", nil)
	})
}

func (c *chatStream) toolArguments(piece string) []byte {
	return c.chunk(func(w *json.Writer) {
		w.Open("delta", '{').Open("tool_calls", '[').Open("", '{').
			Int("index", 0).
			Open("function", '{').Text("arguments", piece).Close('}').
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
	var w json.Writer
	if c.speaks == openAI {
		w.Open("", '{')
		p.writeOpenAI(&w)
		return event("", w.Close('}').Out)
	}
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
	if !c.sendUsage {
		return nil
	}
	var w json.Writer
	c.head(&w)
	w.Open("choices", '[').Close(']')
	writeChatUsage(&w, c.usage)
	return event("", w.Close('}').Out)
}

func (c *chatStream) done() []byte { return event("", []byte("[DONE]")) }
