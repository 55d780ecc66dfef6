package translate

import (
	"holdfast/core/decimal"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// Answers as Responses has them, whole and as events. Text and refusals are parts of a message,
// reasoning and calls are items of their own.

func writeResponsesAnswer(w *json.Writer, a *answer) {
	// The items of the whole answer are those that the stream would have closed.
	e := &Encoder{meta: a.meta.orElse("resp_0", "", 0), state: open}
	r := &responsesStream{}
	for _, d := range a.deltas {
		r.delta(e, d)
		e.out = e.out[:0]
	}
	r.close(e, a.finish)
	status, _ := responsesStatus(a.finish)
	r.object(w, "", e, status, a.finish, a.usage)
}

// responsesStatus is the status of a finished answer, and the event that says so.
func responsesStatus(f finish) (status, event string) {
	if words[f][1] != "" {
		return "incomplete", "response.incomplete"
	}
	return "completed", "response.completed"
}

// responsesStream writes created and in_progress, then item by item, part by part: added, deltas,
// done; and at the end the whole response.
type responsesStream struct {
	sequence int64
	items    []json.Value // closed

	item  wire.Kind    // the open item: Text for a message, Reasoning, or ""
	id    string       // its id
	part  wire.Kind    // the open part of a message: Text, Refusal, or ""
	parts []json.Value // closed, of the open message
	text  []byte       // of the open part
}

func (r *responsesStream) event(e *Encoder, name string, write func(w *json.Writer)) {
	e.event(name, func(w *json.Writer) {
		w.Text("type", name).Int("sequence_number", r.sequence)
		write(w)
	})
	r.sequence++
}

func (r *responsesStream) start(e *Encoder) {
	for _, name := range []string{"response.created", "response.in_progress"} {
		r.event(e, name, func(w *json.Writer) {
			r.object(w, "response", e, "in_progress", complete, wire.Usage{})
		})
	}
}

// object writes the response as a whole, as far as it has come.
func (r *responsesStream) object(w *json.Writer, key string, e *Encoder, status string, f finish, u wire.Usage) {
	w.Open(key, '{').Text("id", e.meta.ID).Text("object", "response").Int("created_at", e.meta.Created).Text("status", status)
	w.Raw("error", nil)
	if status == "incomplete" {
		w.Open("incomplete_details", '{').Text("reason", words[f][1]).Close('}')
	} else {
		w.Raw("incomplete_details", nil)
	}
	w.Raw("instructions", nil).Raw("metadata", json.Value("{}")).Text("model", e.meta.Model).Open("output", '[')
	for _, item := range r.items {
		w.Raw("", item)
	}
	w.Close(']').Bool("parallel_tool_calls", true).Raw("temperature", nil).Text("tool_choice", "auto")
	w.Raw("tools", json.Value("[]")).Raw("top_p", nil)
	if u == (wire.Usage{}) {
		w.Raw("usage", nil)
	} else {
		writeResponsesUsage(w, u)
	}
	w.Close('}')
}

func writeResponsesUsage(w *json.Writer, u wire.Usage) {
	w.Open("usage", '{').Int("input_tokens", u.Input).Open("input_tokens_details", '{').Int("cached_tokens", u.Cached)
	w.IntIf("cache_write_tokens", u.CacheWrite).Close('}').Int("output_tokens", u.Output).Open("output_tokens_details", '{').Int("reasoning_tokens", u.Reasoning).Close('}')
	w.Int("total_tokens", u.Total).Close('}')
}

// place writes where in the answer an event belongs.
func (r *responsesStream) place(w *json.Writer) *json.Writer {
	return w.Text("item_id", r.id).Int("output_index", int64(len(r.items)))
}

func (r *responsesStream) delta(e *Encoder, d wire.Delta) {
	switch d.Kind {
	case wire.ToolCall:
		r.close(e, complete)
		r.call(e, d.Tool)
		return
	case wire.Reasoning:
		r.openItem(e, wire.Reasoning)
		r.event(e, "response.reasoning_summary_text.delta", func(w *json.Writer) {
			r.place(w).Int("summary_index", 0).Raw("delta", quoted(d.Text))
		})
	default:
		r.openItem(e, wire.Text)
		r.openPart(e, d.Kind)
		r.event(e, messageParts[d.Kind].event+".delta", func(w *json.Writer) {
			r.place(w).Int("content_index", int64(len(r.parts))).Raw("delta", quoted(d.Text))
			if d.Kind == wire.Text {
				w.Raw("logprobs", json.Value("[]"))
			}
		})
	}
	r.text = append(r.text, d.Text...)
}

// messageParts are the words for the two kinds of parts that a message has.
var messageParts = map[wire.Kind]struct{ event, kind, member string }{
	wire.Text:    {"response.output_text", "output_text", "text"},
	wire.Refusal: {"response.refusal", "refusal", "refusal"},
}

// openItem opens an item of a kind, unless it is open.
func (r *responsesStream) openItem(e *Encoder, kind wire.Kind) {
	if r.item == kind {
		return
	}
	r.close(e, complete)
	r.item = kind
	prefix := "msg_"
	if kind == wire.Reasoning {
		prefix = "rs_" + Unsigned + "_"
	}
	r.id = r.itemID(e, prefix)
	r.event(e, "response.output_item.added", func(w *json.Writer) {
		w.Int("output_index", int64(len(r.items)))
		r.writeItem(w, "item", "in_progress", nil)
	})
	if kind == wire.Reasoning {
		r.event(e, "response.reasoning_summary_part.added", func(w *json.Writer) {
			r.place(w).Int("summary_index", 0).Open("part", '{').Text("type", "summary_text").Text("text", "").Close('}')
		})
	}
}

func (r *responsesStream) itemID(e *Encoder, prefix string) string {
	return prefix + e.meta.ID + "_" + decimal.String(len(r.items))
}

// openPart opens a part of the open message, unless it is open.
func (r *responsesStream) openPart(e *Encoder, kind wire.Kind) {
	if r.part == kind {
		return
	}
	r.closePart(e)
	r.part = kind
	r.event(e, "response.content_part.added", func(w *json.Writer) {
		r.place(w).Int("content_index", int64(len(r.parts))).Raw("part", messagePart(kind, nil))
	})
}

func messagePart(kind wire.Kind, text []byte) json.Value {
	p := messageParts[kind]
	var w json.Writer
	w.Open("", '{').Text("type", p.kind)
	if kind == wire.Text {
		w.Raw("annotations", json.Value("[]")).Raw("logprobs", json.Value("[]"))
	}
	return w.Raw(p.member, quoted(text)).Close('}').Out
}

func (r *responsesStream) closePart(e *Encoder) {
	if r.part == "" {
		return
	}
	p, index := messageParts[r.part], int64(len(r.parts))
	r.event(e, p.event+".done", func(w *json.Writer) {
		r.place(w).Int("content_index", index).Raw(p.member, quoted(r.text))
		if r.part == wire.Text {
			w.Raw("logprobs", json.Value("[]"))
		}
	})
	part := messagePart(r.part, r.text)
	r.event(e, "response.content_part.done", func(w *json.Writer) {
		r.place(w).Int("content_index", index).Raw("part", part)
	})
	r.parts = append(r.parts, part)
	r.part, r.text = "", nil
}

// writeItem writes the open item.
func (r *responsesStream) writeItem(w *json.Writer, key, status string, summary json.Value) {
	w.Open(key, '{').Text("id", r.id)
	if r.item == wire.Reasoning {
		w.Text("type", "reasoning").Open("summary", '[')
		if summary != nil {
			w.Raw("", summary)
		}
		w.Close(']').Close('}')
		return
	}
	w.Text("type", "message").Text("status", status).Text("role", "assistant").Open("content", '[')
	for _, part := range r.parts {
		w.Raw("", part)
	}
	w.Close(']').Close('}')
}

// close ends the open item; f tells whether the answer ended in the middle of it.
func (r *responsesStream) close(e *Encoder, f finish) {
	var summary json.Value
	switch r.item {
	case "":
		return
	case wire.Reasoning:
		var part json.Writer
		summary = part.Open("", '{').Text("type", "summary_text").Raw("text", quoted(r.text)).Close('}').Out
		r.event(e, "response.reasoning_summary_text.done", func(w *json.Writer) {
			r.place(w).Int("summary_index", 0).Raw("text", quoted(r.text))
		})
		r.event(e, "response.reasoning_summary_part.done", func(w *json.Writer) {
			r.place(w).Int("summary_index", 0).Raw("part", summary)
		})
		r.text = nil
	default:
		r.closePart(e)
	}
	status, _ := responsesStatus(f)
	var item json.Writer
	r.writeItem(&item, "", status, summary)
	r.done(e, item.Out)
	r.item, r.parts = "", nil
}

// done closes an item with all that it holds.
func (r *responsesStream) done(e *Encoder, item json.Value) {
	r.event(e, "response.output_item.done", func(w *json.Writer) {
		w.Int("output_index", int64(len(r.items))).Raw("item", item)
	})
	r.items = append(r.items, item)
}

// call writes a tool call, which is complete.
func (r *responsesStream) call(e *Encoder, t wire.Tool) {
	r.id = r.itemID(e, "fc_")
	args := orObject(t.Arguments)
	write := func(status, args string) json.Value {
		var w json.Writer
		w.Open("", '{').Text("id", r.id).Text("type", "function_call").Text("status", status)
		return w.Text("arguments", args).Text("call_id", t.ID).Text("name", t.Name).Close('}').Out
	}
	r.event(e, "response.output_item.added", func(w *json.Writer) {
		w.Int("output_index", int64(len(r.items))).Raw("item", write("in_progress", ""))
	})
	r.event(e, "response.function_call_arguments.delta", func(w *json.Writer) { r.place(w).Text("delta", args) })
	r.event(e, "response.function_call_arguments.done", func(w *json.Writer) {
		r.place(w).Text("name", t.Name).Text("arguments", args)
	})
	r.done(e, write("completed", args))
}

func (r *responsesStream) finish(e *Encoder, f finish, u wire.Usage) {
	r.close(e, f)
	status, event := responsesStatus(f)
	r.event(e, event, func(w *json.Writer) { r.object(w, "response", e, status, f, u) })
}
