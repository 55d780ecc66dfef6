package translate

import (
	"holdfast/core/json"
	"holdfast/core/wire"
)

// Answers as chat completions have them, whole and as chat.completion.chunk events.

func writeChatAnswer(w *json.Writer, a *answer) {
	said := map[wire.Kind][]byte{}
	var calls []wire.Tool
	for _, d := range a.deltas {
		if d.Kind == wire.ToolCall {
			calls = append(calls, d.Tool)
		} else {
			said[d.Kind] = append(said[d.Kind], d.Text...)
		}
	}
	m := a.meta.orElse("chatcmpl-0", "", 0)
	w.Open("", '{').Text("id", m.ID).Text("object", "chat.completion").Int("created", m.Created).Text("model", m.Model)
	w.Open("choices", '[').Open("", '{').Int("index", 0).Open("message", '{').Text("role", "assistant")
	for _, k := range []struct {
		name string
		kind wire.Kind
	}{{"content", wire.Text}, {"refusal", wire.Refusal}, {"reasoning_content", wire.Reasoning}} {
		if text := said[k.kind]; len(text) > 0 {
			w.Raw(k.name, quoted(text))
		} else if k.kind != wire.Reasoning {
			w.Raw(k.name, nil)
		}
	}
	if len(calls) > 0 {
		w.Open("tool_calls", '[')
		for _, t := range calls {
			w.Open("", '{')
			writeChatCall(w, t)
			w.Close('}')
		}
		w.Close(']')
	}
	w.Close('}').Raw("logprobs", nil).Text("finish_reason", words[a.finish][0]).Close('}').Close(']')
	if a.usage != (wire.Usage{}) {
		writeChatUsage(w, a.usage)
	}
	w.Close('}')
}

func writeChatCall(w *json.Writer, t wire.Tool) {
	w.Text("id", t.ID).Text("type", "function").Open("function", '{')
	w.Text("name", t.Name).Text("arguments", orObject(t.Arguments)).Close('}')
}

func writeChatUsage(w *json.Writer, u wire.Usage) {
	w.Open("usage", '{').Int("prompt_tokens", u.Input).Int("completion_tokens", u.Output).Int("total_tokens", u.Total)
	w.Open("prompt_tokens_details", '{').Int("cached_tokens", u.Cached)
	w.IntIf("cache_write_tokens", u.CacheWrite).Close('}')
	w.Open("completion_tokens_details", '{').Int("reasoning_tokens", u.Reasoning).Close('}').Close('}')
}

// chatStream writes chunks: one with the role, one for each delta, one with the finish reason, the
// usage where it was asked for, and [DONE].
type chatStream struct{ calls int64 }

func (c *chatStream) chunk(e *Encoder, write func(w *json.Writer)) {
	e.event("", func(w *json.Writer) {
		w.Text("id", e.meta.ID).Text("object", "chat.completion.chunk").Int("created", e.meta.Created).Text("model", e.meta.Model)
		write(w)
	})
}

func (c *chatStream) choice(e *Encoder, finish string, write func(w *json.Writer)) {
	c.chunk(e, func(w *json.Writer) {
		w.Open("choices", '[').Open("", '{').Int("index", 0).Open("delta", '{')
		write(w)
		w.Close('}').Raw("logprobs", nil)
		if finish == "" {
			w.Raw("finish_reason", nil)
		} else {
			w.Text("finish_reason", finish)
		}
		w.Close('}').Close(']')
		if e.meta.Usage {
			w.Raw("usage", nil)
		}
	})
}

func (c *chatStream) start(e *Encoder) {
	c.choice(e, "", func(w *json.Writer) { w.Text("role", "assistant").Text("content", "") })
}

func (c *chatStream) delta(e *Encoder, d wire.Delta) {
	c.choice(e, "", func(w *json.Writer) {
		switch d.Kind {
		case wire.Reasoning:
			w.Raw("reasoning_content", quoted(d.Text))
		case wire.Refusal:
			w.Raw("refusal", quoted(d.Text))
		case wire.ToolCall:
			w.Open("tool_calls", '[').Open("", '{').Int("index", c.calls)
			writeChatCall(w, d.Tool)
			w.Close('}').Close(']')
			c.calls++
		default:
			w.Raw("content", quoted(d.Text))
		}
	})
}

func (c *chatStream) finish(e *Encoder, f finish, u wire.Usage) {
	c.choice(e, words[f][0], func(*json.Writer) {})
	if e.meta.Usage && u != (wire.Usage{}) {
		c.chunk(e, func(w *json.Writer) {
			w.Open("choices", '[').Close(']')
			writeChatUsage(w, u)
		})
	}
	e.out = append(e.out, "data: [DONE]\n\n"...)
}
