package wire

import (
	"strings"

	"holdfast/core/fault"
	"holdfast/core/json"
)

// interactions reads Gemini's Interactions API, in the vocabulary of steps and in the older one of
// contents. Its terminal is the status of interaction.completed. The id of each event is the
// cursor behind which a stored interaction can be taken up again.
type interactions struct {
	begun bool // an event came
}

// interactionEnds says what each status means. A status that is not listed is no end.
var interactionEnds = map[string]End{
	"completed":             Complete,
	"complete":              Complete,
	"requires_action":       Complete, // a tool call waits
	"incomplete":            Complete, // see AtLimit
	"requires_continuation": Complete, // likewise
	"failed":                Failed,   // explained by errors
	"cancelled":             Failed,
	"budget_exceeded":       Failed,
}

func (r *interactions) read(s *Stream, event string, v json.Value) {
	kind := v.Get("event_type").Text()
	if kind == "" {
		kind = event
	}
	begins := !r.begun
	r.begun = true
	switch kind {
	case "interaction.created", "interaction.start":
		if begins { // then a stream that was to go on begins anew
			s.again()
			s.skip.sum = 0 // in the same pieces
		}
		s.note(v.Get("interaction"))
	case "interaction.in_progress", "interaction.queued":
		s.note(v.Get("interaction"))
	case "interaction.status_update":
		s.identify(v.Get("interaction_id").Text())
		s.count(v.Get("usage"))
		if status := v.Get("status").Text(); interactionEnds[status] == Complete {
			s.ending = status // what is missing may come with the end
		} else {
			r.status(s, status)
		}
	case "step.start":
		r.start(s, blockIndex(v), v.Get("step"))
	case "content.start":
		r.start(s, blockIndex(v), v.Get("content"))
	case "step.delta", "content.delta":
		r.delta(s, blockIndex(v), v.Get("delta"))
	case "step.stop", "content.stop":
		r.stop(s, blockIndex(v))
	case "interaction.completed", "interaction.complete", "interaction.requires_action", "interaction.incomplete",
		"interaction.failed", "interaction.cancelled":
		status := v.Get("interaction", "status").Text()
		if _, known := interactionEnds[status]; !known { // then the event's name says it
			status = strings.TrimPrefix(kind, "interaction.")
		}
		r.end(s, status, v.Get("interaction"))
	case "error":
		s.explain("", v)
	default:
		if isError(v) {
			s.explain("", v)
		}
	}
	s.count(v.Get("metadata", "total_usage")) // may come with any event
	// Of a stream that began anew, what was taken before stays behind the cursor.
	again := s.skip.Text+s.skip.Refusal > 0 || s.skip.Reasoning > 0 && s.Cursor.Text == 0
	if id := v.Get("event_id").Text(); id != "" && s.End != Failed && !again {
		s.Cursor.Event = id
	}
}

// status takes a status, which may come ahead of the interaction that explains it.
func (r *interactions) status(s *Stream, status string) {
	switch end := interactionEnds[status]; {
	case end == Complete:
		for i := range s.Cursor.calls {
			tool, whole := s.Cursor.calls[i].tool()
			if whole && status == "requires_action" && len(s.Cursor.calls[i].arguments) > 0 { // only the step's stop is missing
				s.call(tool)
				continue
			}
			s.broken(tool.Name)
		}
		if status == "requires_action" && s.Tool && len(s.Cursor.Tools) == 0 {
			s.breakDown(status, "malformed_tool_call")
			return
		}
		s.finish(end, status)
	case end == Failed && status != "failed": // what failed is said by the next event
		s.breakDown(status, status)
	}
}

// start begins a step. Those of tools that run at Google's are part of an answer, but no calls for
// the caller.
func (r *interactions) start(s *Stream, index int64, step json.Value) {
	if s.End != Open {
		return
	}
	if fault.Wrong(step.Get("error")) {
		s.explain("", step)
		return
	}
	switch step.Get("type").Text() {
	case "function_call":
		s.begin()
		call := partialCall{index: index}
		call.identify(step.Get("id").Text(), step.Get("name").Text())
		call.give(step.Get("arguments"))
		r.drop(s, index)
		s.Cursor.calls = append(s.Cursor.calls, call)
	case "", "user_input", "function_result": // nothing, or what the caller said
	default:
		r.content(s, step)
	}
}

// content takes what a step, or a content of the older vocabulary, holds.
func (r *interactions) content(s *Stream, v json.Value) {
	switch v.Get("type").Text() {
	case "text":
		s.add(Text, v.Get("text"))
	case "model_output":
		v.Get("content").Each(func(_ string, part json.Value) bool {
			r.content(s, part)
			return true
		})
	case "thought":
		v.Get("summary").Each(func(_ string, part json.Value) bool {
			s.add(Reasoning, part.Get("text"))
			return true
		})
	default:
		s.Output = true
	}
}

func (r *interactions) delta(s *Stream, index int64, delta json.Value) {
	switch delta.Get("type").Text() {
	case "text":
		s.add(Text, delta.Get("text"))
	case "thought_summary":
		s.add(Reasoning, delta.Get("content", "text"))
	case "arguments_delta":
		if i := callAt(s.Cursor.calls, index); i >= 0 {
			more := delta.Get("arguments")
			s.Cursor.Bytes += len(more)
			s.Cursor.calls[i].append(more)
		}
	case "function_call": // the older vocabulary brings the whole call
		r.start(s, index, delta)
	case "image", "audio", "video", "document":
		s.Output = true
	}
}

// drop forgets an open call.
func (r *interactions) drop(s *Stream, index int64) {
	if i := callAt(s.Cursor.calls, index); i >= 0 {
		calls := s.Cursor.calls
		s.Cursor.calls = append(calls[:i], calls[i+1:]...)
	}
}

// stop ends a step. A tool call is complete now.
func (r *interactions) stop(s *Stream, index int64) {
	i := callAt(s.Cursor.calls, index)
	if i < 0 || s.End != Open {
		return
	}
	tool, whole := s.Cursor.calls[i].tool()
	r.drop(s, index)
	if !whole {
		s.broken(tool.Name)
		return
	}
	s.call(tool)
}

// whole takes an interaction: the terminal event's, or a body that is no stream. It brings what
// the stream did not bring.
func (r *interactions) whole(s *Stream, v json.Value) bool {
	switch status := v.Get("status").Text(); {
	case status == "queued" || status == "in_progress":
		s.note(v)
		s.Pending = s.End == Open
		r.steps(s, v)
	case interactionEnds[status] == Open:
		return false
	default:
		r.end(s, status, v)
	}
	return true
}

func (r *interactions) end(s *Stream, status string, v json.Value) {
	s.note(v)
	switch {
	case interactionEnds[status] == Complete:
		r.steps(s, v)
		r.status(s, status)
	case isError(v) || fault.Wrong(v.Get("errors")):
		s.explain(status, v)
	default:
		s.breakDown(status, status)
	}
	// The usage may be missing here. It comes later, on the stored interaction.
	s.Done = true
}

// steps takes the steps of an interaction, whose texts are those of the whole answer.
func (r *interactions) steps(s *Stream, v json.Value) {
	skip := s.skip
	s.again()
	late := s.Cursor.Text > 0 // behind the text, what it was thought from is of no use
	index := int64(-2)        // no event's
	for _, list := range []string{"steps", "outputs"} {
		v.Get(list).Each(func(_ string, step json.Value) bool {
			kind := step.Get("type").Text()
			if kind == "thought" && late || kind == "function_call" && s.Pending {
				return true
			}
			r.start(s, index, step)
			r.stop(s, index)
			return true
		})
	}
	s.short, s.skip = s.skip.Text > 0, skip
}
