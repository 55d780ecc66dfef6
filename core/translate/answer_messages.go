package translate

import (
	"holdfast/core/json"
	"holdfast/core/wire"
)

// Answers as Messages has them, whole and as named events. A refusal's words are text here; that
// it is one stands in the stop reason.

// messagesBlock writes a content block: whole, or as it begins in a stream, with an empty text and
// an empty input.
func messagesBlock(w *json.Writer, d wire.Delta, text json.Value, input json.Value) {
	switch d.Kind {
	case wire.ToolCall:
		w.Text("type", "tool_use").Text("id", d.Tool.ID).Text("name", d.Tool.Name).Raw("input", input)
	case wire.Reasoning:
		w.Text("type", "thinking").Raw("thinking", text).Text("signature", Unsigned)
	default:
		w.Text("type", "text").Raw("text", text)
	}
}

func writeMessagesAnswer(w *json.Writer, a *answer) {
	m := a.meta.orElse("msg_0", "", 0)
	w.Open("", '{').Text("id", m.ID).Text("type", "message").Text("role", "assistant").Text("model", m.Model)
	w.Open("content", '[')
	for _, d := range a.deltas {
		w.Open("", '{')
		var input json.Value
		if d.Kind == wire.ToolCall {
			input = arguments(d.Tool)
		}
		messagesBlock(w, d, quoted(d.Text), input)
		w.Close('}')
	}
	w.Close(']').Text("stop_reason", words[a.finish][2]).Raw("stop_sequence", nil)
	writeMessagesUsage(w, a.usage)
	w.Close('}')
}

// writeMessagesUsage writes the usage: what a cache gave or took stands beside the input.
func writeMessagesUsage(w *json.Writer, u wire.Usage) {
	w.Open("usage", '{').Int("input_tokens", max(0, u.Input-u.Cached-u.CacheWrite)).Int("cache_creation_input_tokens", u.CacheWrite)
	w.Int("cache_read_input_tokens", u.Cached).Int("output_tokens", u.Output).Close('}')
}

// messagesStream writes message_start, the content blocks one after the other, message_delta with
// the stop reason and the usage, and message_stop.
type messagesStream struct {
	index int64     // of the open block, or of the next
	kind  wire.Kind // of the open block; "" when none is
}

func (m *messagesStream) event(e *Encoder, name string, write func(w *json.Writer)) {
	e.event(name, func(w *json.Writer) {
		w.Text("type", name)
		write(w)
	})
}

func (m *messagesStream) start(e *Encoder) {
	m.event(e, "message_start", func(w *json.Writer) {
		w.Open("message", '{').Text("id", e.meta.ID).Text("type", "message").Text("role", "assistant").Text("model", e.meta.Model)
		w.Open("content", '[').Close(']').Raw("stop_reason", nil).Raw("stop_sequence", nil)
		writeMessagesUsage(w, wire.Usage{})
		w.Close('}')
	})
}

func (m *messagesStream) delta(e *Encoder, d wire.Delta) {
	kind, name, member := wire.Text, "text_delta", "text"
	content := quoted(d.Text)
	switch d.Kind {
	case wire.Reasoning:
		kind, name, member = d.Kind, "thinking_delta", "thinking"
	case wire.ToolCall:
		kind, name, member = d.Kind, "input_json_delta", "partial_json"
		content = quoted(arguments(d.Tool))
	}
	if m.kind != kind || kind == wire.ToolCall {
		m.close(e)
		m.kind = kind
		m.event(e, "content_block_start", func(w *json.Writer) {
			w.Int("index", m.index).Open("content_block", '{')
			messagesBlock(w, d, json.Value(`""`), json.Value(`{}`))
			w.Close('}')
		})
	}
	m.event(e, "content_block_delta", func(w *json.Writer) {
		w.Int("index", m.index).Open("delta", '{').Text("type", name).Raw(member, content).Close('}')
	})
	if kind == wire.ToolCall { // complete
		m.close(e)
	}
}

// close ends the open block.
func (m *messagesStream) close(e *Encoder) {
	if m.kind == "" {
		return
	}
	m.event(e, "content_block_stop", func(w *json.Writer) { w.Int("index", m.index) })
	m.kind = ""
	m.index++
}

func (m *messagesStream) finish(e *Encoder, f finish, u wire.Usage) {
	m.close(e)
	m.event(e, "message_delta", func(w *json.Writer) {
		w.Open("delta", '{').Text("stop_reason", words[f][2]).Raw("stop_sequence", nil).Close('}')
		writeMessagesUsage(w, u)
	})
	m.event(e, "message_stop", func(*json.Writer) {})
}
