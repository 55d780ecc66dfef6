package sim

import "holdfast/core/json"

// item is one output item of a Responses answer.
type item struct {
	id   string    // without the prefix of its kind
	kind string    // message, reasoning or function_call
	part deltaKind // what a message or reasoning holds
	name string    // the function's
	text string    // its text or arguments so far
	// summary tells that what a reasoning holds is a summary, as OpenAI and xAI give it.
	summary bool
}

// partEvents are the events about a part's text, without ".delta" and ".done".
var partEvents = map[deltaKind]string{
	textDelta:      "response.output_text",
	refusalDelta:   "response.refusal",
	reasoningDelta: "response.reasoning_text",
}

// event is the name of an event about the item's part: "delta" or "done".
func (i item) event(what string) string {
	if i.summary {
		return "response.reasoning_summary_text." + what
	}
	return partEvents[i.part] + "." + what
}

// partEvent is the name of the event that begins or ends the part: "added" or "done".
func (i item) partEvent(what string) string {
	if i.summary {
		return "response.reasoning_summary_part." + what
	}
	return "response.content_part." + what
}

// index is the member that says which part it is.
func (i item) index() string {
	if i.summary {
		return "summary_index"
	}
	return "content_index"
}

var itemPrefixes = map[string]string{"message": "msg_", "reasoning": "rs_", "function_call": "fc_"}

func (i item) itemID() string { return itemPrefixes[i.kind] + i.id }

// value is the whole item.
func (i item) value(status string) json.Value {
	var w json.Writer
	w.Open("", '{').Text("type", i.kind).Text("id", i.itemID()).Text("status", status)
	switch i.kind {
	case "message":
		w.Text("role", "assistant").Open("content", '[')
		if i.text != "" {
			w.Raw("", i.content())
		}
		w.Close(']')
	case "reasoning":
		for _, member := range []string{"summary", "content"} {
			w.Open(member, '[')
			if i.text != "" && i.summary == (member == "summary") {
				w.Raw("", i.content())
			}
			w.Close(']')
		}
	case "function_call":
		w.Text("call_id", "call_"+i.id).Text("name", i.name).Text("arguments", i.text)
	}
	return w.Close('}').Out
}

// content is the only part of a message or reasoning item.
func (i item) content() json.Value {
	var w json.Writer
	w.Open("", '{')
	switch i.part {
	case refusalDelta:
		w.Text("type", "refusal").Text("refusal", i.text)
	case reasoningDelta:
		kind := "reasoning_text"
		if i.summary {
			kind = "summary_text"
		}
		w.Text("type", kind).Text("text", i.text)
	default:
		w.Text("type", "output_text").Text("text", i.text).Open("annotations", '[').Close(']')
	}
	return w.Close('}').Out
}

// where writes which item an event belongs to.
func (s *responseStream) where(w *json.Writer) *json.Writer {
	return w.Text("item_id", s.open.itemID()).Int("output_index", int64(len(s.items)))
}

// begin ends the open item and opens another.
func (s *responseStream) begin(opened item) []byte {
	out := s.end("completed")
	s.open = &opened
	return append(out, s.itemEvent("response.output_item.added", "in_progress")...)
}

// end closes the open item, if there is one, and keeps it in the output.
func (s *responseStream) end(status string) []byte {
	if s.open == nil {
		return nil
	}
	var out []byte
	if s.open.kind == "function_call" {
		out = s.event("response.function_call_arguments.done", func(w *json.Writer) {
			s.where(w).Text("arguments", s.open.text)
		})
	} else {
		member := "text"
		if s.open.part == refusalDelta {
			member = "refusal"
		}
		out = s.event(s.open.event("done"), func(w *json.Writer) {
			s.where(w).Int(s.open.index(), 0).Text(member, s.open.text)
		})
		out = append(out, s.event(s.open.partEvent("done"), func(w *json.Writer) {
			s.where(w).Int(s.open.index(), 0).Raw("part", s.open.content())
		})...)
	}
	out = append(out, s.itemEvent("response.output_item.done", status)...)
	s.items = append(s.items, s.open.value(status))
	s.open = nil
	return out
}

// itemEvent shows the open item as it stands.
func (s *responseStream) itemEvent(name, status string) []byte {
	return s.event(name, func(w *json.Writer) {
		w.Int("output_index", int64(len(s.items))).Raw("item", s.open.value(status))
	})
}
