package wire

import (
	"strings"

	"holdfast/core/json"
)

// responses reads the event vocabulary of the Responses API: OpenAI, xAI, Gloo. Its terminals are
// response.completed, response.incomplete and response.failed. An error event ends the stream as
// well: the response.failed that may follow says the same.
//
// A text comes in deltas, and is said again as a whole at its own end and at those of its part, its item
// and the response. Some servers leave out the deltas, of all texts or of some.
type responses struct {
	texts, parts, items again
}

// again is one kind of end of which each says again what has come, so that all of them tell the whole text.
type again struct {
	told int    // in UTF-16 units
	said string // at all of them, to know one that comes twice
}

// responsesEnds says what each status of a response means. A status that is not listed is no end.
var responsesEnds = map[string]End{
	"completed":  Complete,
	"incomplete": Complete, // its reason is the word; see incompleteEnds
	"failed":     Failed,
	"cancelled":  Failed,
}

// incompleteEnds says what the reasons of an incomplete response mean besides the token limits.
var incompleteEnds = map[string]End{
	"content_filter": Filtered,
}

func (r *responses) read(s *Stream, kind string, v json.Value) {
	if t := v.Get("type").TextAs(kind); t != "" {
		kind = t
	}
	if n, ok := v.Get("sequence_number").Int(); ok && n >= 0 && n < 1<<53 {
		switch {
		case n < s.from: // the server repeats what was taken before
			return
		case s.from > 0 && n > s.Cursor.Next && !brings(kind, v):
			s.truncated("the resumed stream leaves events out")
			return
		}
		s.Cursor.Next = max(s.Cursor.Next, n+1)
	}
	switch kind {
	case "response.output_text.delta":
		s.add(Text, v.Get("delta"))
	case "response.output_text.done", "response.refusal.done":
		r.texts.take(s, v, v)
	case "response.refusal.delta":
		s.add(Refusal, v.Get("delta"))
	case "response.content_part.done":
		r.parts.take(s, v, v.Get("part"))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.add(Reasoning, v.Get("delta"))
	case "response.output_item.added":
		r.item(s, v.Get("item"))
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		s.begin()
		s.Cursor.Bytes += len(v.Get("delta"))
	case "response.output_item.done":
		item := v.Get("item")
		item.Get("content").Each(func(_ string, part json.Value) bool {
			r.items.take(s, v, part)
			return true
		})
		r.call(s, item)
	case "response.audio.delta", "response.audio.transcript.delta":
		s.Output, s.Others = true, true
	case "response.created", "response.queued", "response.in_progress":
		s.note(v.Get("response"))
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		if response := v.Get("response"); response.Get("status").Text() == "" { // then the event's name says it
			r.end(s, strings.TrimPrefix(kind, "response."), response)
		} else {
			r.whole(s, response)
		}
	case "error":
		s.explain("", v)
	default:
		if isError(v) {
			s.explain("", v)
		}
	}
}

// take takes a text that has ended, by event v. It is new when all that came is told already. What is missing of
// one that came in part, or had begun before the stream broke, the response says at its end.
func (a *again) take(s *Stream, v, part json.Value) {
	if s.Cursor.Refusal == 0 {
		s.add(Refusal, part.Get("refusal"))
	}
	text := part.Get("text")
	end := string(v.Get("output_index")) + string(text)
	if part.Get("type").Text() == "reasoning_text" || strings.Contains(a.said, end) {
		return
	}
	switch {
	case a.said == "" && s.from > 0 && s.Cursor.Text > 0:
		a.told = s.Cursor.Text
	case a.told == s.Cursor.Text:
		s.add(Text, text)
		s.repeat.texts++ // it does more than that
	}
	a.said += end
	a.told = min(a.told+units(json.AppendText(nil, text)), s.Cursor.Text)
}

// brings tells whether an event makes up for those that were left out before it.
func brings(kind string, v json.Value) bool {
	switch kind {
	case "response.completed", "response.incomplete":
		return v.Get("response", "output").At(0) != nil
	case "response.failed", "response.cancelled", "error":
		return true
	}
	return false
}

// whole takes a response object: the terminal event's, or a body that is no stream. It brings what
// the stream did not bring.
func (r *responses) whole(s *Stream, v json.Value) bool {
	status := v.Get("status").Text()
	switch status {
	case "queued", "in_progress":
		s.note(v)
		s.Pending = s.End == Open
		r.output(s, v.Get("output"))
		return true
	}
	if _, ok := responsesEnds[status]; !ok {
		return false
	}
	r.end(s, status, v)
	return true
}

func (r *responses) end(s *Stream, status string, v json.Value) {
	s.note(v)
	switch end := responsesEnds[status]; {
	case status == "cancelled" && !isError(v): // by somebody: nobody is to ask again
		s.breakDown(status, status)
	case end == Failed:
		s.explain(status, v)
	case status == "incomplete":
		r.output(s, v.Get("output"))
		if why := v.Get("incomplete_details", "reason").Text(); why != "" {
			status, end = why, max(end, incompleteEnds[why])
		}
		s.finish(end, status)
	default:
		r.output(s, v.Get("output"))
		if s.Tool && len(s.Cursor.Tools) == 0 {
			s.breakDown(status, "malformed_tool_call")
			break
		}
		s.finish(end, status)
	}
	s.Done = true
}

// output takes the output of a response object, whose texts are those of the whole answer.
func (r *responses) output(s *Stream, output json.Value) {
	s.again()
	late := s.Cursor.Text > 0 // behind the text, what it was thought from is of no use
	output.Each(func(_ string, item json.Value) bool {
		kind := item.Get("type").Text()
		for _, list := range []string{"summary", "content"} {
			item.Get(list).Each(func(_ string, part json.Value) bool {
				switch part.Get("type").Text() {
				case "output_text":
					s.add(Text, part.Get("text"))
				case "refusal":
					s.add(Refusal, part.Get("refusal"))
				case "summary_text", "reasoning_text":
					if kind == "reasoning" && !late {
						s.add(Reasoning, part.Get("text"))
					}
				}
				return true
			})
		}
		r.call(s, item)
		return true
	})
	s.short, s.skip = s.skip.Text > 0, Cursor{}
}

// item notes what has begun. Tools that run on the provider's side are part of an answer, too, as are
// pictures, but no calls for the caller.
func (r *responses) item(s *Stream, item json.Value) {
	switch kind := item.Get("type").Text(); {
	case arguments(kind) != "":
		s.begin()
	case kind != "" && kind != "message" && kind != "reasoning":
		s.Output = true
	}
}

// call hands out a finished tool call, once.
func (r *responses) call(s *Stream, item json.Value) {
	kind := item.Get("type").Text()
	where := arguments(kind)
	if r.item(s, item); s.End != Open || where == "" || s.Pending { // its arguments may still grow
		return
	}
	id := item.Get("call_id").Text()
	if id == "" {
		id = item.Get("id").Text()
	}
	call := partialCall{id: id, name: item.Get("name").Text(), text: where == "input"}
	if call.name == "" && where != "arguments" { // its kind says it all
		call.name = strings.TrimSuffix(kind, "_call")
	}
	if call.append(item.Get(where)); kind == "computer_call" {
		call.append(item.Get("actions")) // of newer models
	}
	tool, whole := call.tool()
	if !whole || item.Get("status").Text() == "incomplete" {
		s.broken(call.name)
		return
	}
	s.call(tool)
}

// arguments is where an output item that asks the caller to do something says with what, and "" for others.
func arguments(kind string) string {
	switch kind {
	case "function_call", "mcp_approval_request":
		return "arguments"
	case "custom_tool_call":
		return "input"
	case "local_shell_call", "shell_call", "computer_call":
		return "action"
	case "apply_patch_call":
		return "operation"
	}
	return ""
}
