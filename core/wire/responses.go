package wire

import (
	"holdfast/core/fault"
	"holdfast/core/json"
)

// responses reads the event vocabulary of the Responses API: OpenAI, xAI, Gloo. Its terminals are
// response.completed, response.incomplete and response.failed; an error event before one of them
// is remembered, since response.failed may follow and says the same.
type responses struct {
	handed []string // item ids of the tool calls handed out
	length int      // bytes of answer text seen, to add only what is missing at the end
}

func (r *responses) read(s *Stream, kind string, v json.Value) {
	if t := v.Get("type").Text(); t != "" {
		kind = t
	}
	switch kind {
	case "response.output_text.delta":
		r.text(s, v.Get("delta"))
	case "response.refusal.delta":
		s.add(Refusal, v.Get("delta"))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.add(Reasoning, v.Get("delta"))
	case "response.output_item.added":
		if isCall(v.Get("item")) {
			s.Tool, s.Output = true, true
		}
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		s.Tool, s.Output = true, true
	case "response.output_item.done":
		r.item(s, v.Get("item"))
	case "response.created", "response.queued", "response.in_progress":
		s.note(v.Get("response"))
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		r.whole(s, v.Get("response"))
	case "error":
		s.fail(fault.Event(s.Provider, s.Header, v))
	default:
		if isError(v) {
			s.fail(fault.Event(s.Provider, s.Header, v))
		}
	}
}

// whole takes a response object: the terminal event's, or a body that is no stream.
func (r *responses) whole(s *Stream, v json.Value) bool {
	status := v.Get("status").Text()
	s.note(v)
	switch status {
	case "completed":
		r.output(s, v.Get("output"))
		s.finish(Complete, "completed")
	case "incomplete":
		r.output(s, v.Get("output"))
		switch why := v.Get("incomplete_details", "reason").Text(); why {
		case "content_filter":
			s.finish(Filtered, why)
		case "":
			s.finish(Complete, "incomplete")
		default:
			s.finish(Complete, why)
		}
	case "failed", "cancelled":
		s.fail(fault.Event(s.Provider, s.Header, v))
		s.Finish = status
	default:
		return false
	}
	s.Done = true
	return true
}

func (r *responses) text(s *Stream, v json.Value) {
	s.add(Text, v)
	r.length += len(v.Text())
}

// output adds what a final response object holds and the stream did not bring.
func (r *responses) output(s *Stream, output json.Value) {
	seen := r.length
	output.Each(func(_ string, item json.Value) bool {
		item.Get("content").Each(func(_ string, part json.Value) bool {
			if part.Get("type").Text() != "output_text" {
				if seen == 0 && r.length == 0 {
					s.add(Refusal, part.Get("refusal"))
				}
				return true
			}
			text := part.Get("text").Text()
			if len(text) > seen {
				s.add(Text, json.AppendQuoted(nil, text[seen:]))
				r.length += len(text) - seen
				seen = 0
			} else {
				seen -= len(text)
			}
			return true
		})
		r.item(s, item)
		return true
	})
}

// item hands out a finished tool call, once.
func (r *responses) item(s *Stream, item json.Value) {
	if s.End != Open || !isCall(item) {
		return
	}
	s.Tool, s.Output = true, true
	id := item.Get("id").Text()
	for _, known := range r.handed {
		if known == id && id != "" {
			return
		}
	}
	call := Tool{ID: item.Get("call_id").Text(), Name: item.Get("name").Text(), Arguments: item.Get("arguments").Text()}
	if call.ID == "" {
		call.ID = id
	}
	if item.Get("type").Text() == "custom_tool_call" {
		call.Arguments = item.Get("input").Text()
	} else if !json.Valid([]byte(call.Arguments)) || item.Get("status").Text() == "incomplete" {
		s.warn("the tool call " + call.Name + " was not handed out: it is incomplete")
		return
	}
	r.handed = append(r.handed, id)
	s.call(call)
}

// isCall tells whether an output item asks the caller to run something. Tools that run on the
// provider's side do not count.
func isCall(item json.Value) bool {
	switch item.Get("type").Text() {
	case "function_call", "custom_tool_call", "local_shell_call", "shell_call":
		return true
	}
	return false
}
