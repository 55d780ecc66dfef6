package wire

import (
	"strings"

	"holdfast/core/json"
)

// messages reads Anthropic's Messages API. Its terminal is a stop_reason in a message_delta;
// message_stop only says that nothing follows.
type messages struct {
	calls []partialCall // the open tool_use blocks
	// bare is a finished block without any input: a call without parameters, unless the token limit
	// ended the answer there.
	bare *partialCall
}

// messagesEnds says what each stop_reason means. Any other word is a complete answer.
var messagesEnds = map[string]End{
	"end_turn":                      Complete,
	"stop_sequence":                 Complete,
	"tool_use":                      Complete,
	"max_tokens":                    Complete, // see AtLimit
	"model_context_window_exceeded": Complete, // see WindowFull
	"pause_turn":                    Complete, // the caller sends the content back to go on
	"compaction":                    Complete, // likewise
	"refusal":                       Filtered, // explained by stop_details
}

func (m *messages) read(s *Stream, event string, v json.Value) {
	kind := v.Get("type").Text()
	if kind == "" {
		kind = event
	}
	if event == "error" || kind == "error" || strings.HasSuffix(kind, "_error") {
		s.explain("", v)
		return
	}
	switch kind {
	case "message_start":
		if id := v.Get("message", "id").Text(); (s.Output || s.Cursor.Reasoning > 0) && id != "" && s.ID != "" && id != s.ID {
			s.malformed("another message began within the answer") // a proxy asked again, behind what it had passed on
			return
		}
		s.note(v.Get("message"))
	case "content_block_start":
		m.start(s, blockIndex(v), v.Get("content_block"))
	case "content_block_delta":
		m.delta(s, blockIndex(v), v.Get("delta"))
	case "content_block_stop":
		m.stop(s, blockIndex(v))
	case "message_delta":
		s.count(v.Get("usage"))
		m.end(s, v.Get("delta"))
	case "message_stop":
		s.Done = true
	case "ping":
	default:
		if isError(v) {
			s.explain("", v)
		}
	}
}

func (m *messages) whole(s *Stream, v json.Value) bool {
	content := v.Get("content")
	if content.Kind() != '[' {
		return false
	}
	s.note(v)
	index := int64(0)
	content.Each(func(_ string, block json.Value) bool {
		m.start(s, index, block)
		m.stop(s, index)
		index++
		return true
	})
	m.end(s, v)
	return true
}

func blockIndex(v json.Value) int64 {
	n, ok := v.Get("index").Int()
	if !ok {
		return -1
	}
	return n
}

// start begins a content block, with what it holds already. Tools that run on Anthropic's side are
// part of an answer, but no calls for the caller.
func (m *messages) start(s *Stream, index int64, block json.Value) {
	if s.End != Open {
		return
	}
	m.handBare(s)
	switch block.Get("type").Text() {
	case "text":
		s.add(Text, block.Get("text"))
	case "thinking":
		s.add(Reasoning, block.Get("thinking"))
	case "tool_use":
		s.begin()
		call := partialCall{index: index}
		call.identify(block.Get("id").Text(), block.Get("name").Text())
		call.give(block.Get("input"))
		m.calls = append(m.calls, call)
	case "fallback": // another model goes on; what is shown stays
		if model := block.Get("to", "model").Text(); model != "" {
			s.Model = model
		}
	case "":
	default:
		s.Output = true
	}
}

func (m *messages) delta(s *Stream, index int64, delta json.Value) {
	switch delta.Get("type").Text() {
	case "text_delta":
		s.add(Text, delta.Get("text"))
	case "thinking_delta":
		s.add(Reasoning, delta.Get("thinking"))
	case "input_json_delta":
		if i := callAt(m.calls, index); i >= 0 {
			more := delta.Get("partial_json")
			s.Cursor.Bytes += len(more)
			m.calls[i].append(more)
		}
	}
}

// stop ends a block. A tool call is complete now.
func (m *messages) stop(s *Stream, index int64) {
	i := callAt(m.calls, index)
	if i < 0 || s.End != Open {
		return
	}
	call := m.calls[i]
	m.calls = append(m.calls[:i], m.calls[i+1:]...)
	tool, whole := call.tool()
	switch {
	case !whole:
		s.broken(call.name)
	case len(call.arguments) == 0:
		m.bare = &call
	default:
		s.call(tool)
	}
}

// handBare hands out the call without parameters, now that it is known to be one.
func (m *messages) handBare(s *Stream) {
	if m.bare != nil {
		tool, _ := m.bare.tool()
		s.call(tool)
		m.bare = nil
	}
}

// end takes the delta of a message_delta, or a whole message.
func (m *messages) end(s *Stream, v json.Value) {
	word := v.Get("stop_reason").Text()
	if word == "" || s.End != Open {
		return
	}
	end, known := messagesEnds[word]
	if !known {
		end = Complete
	}
	if !AtLimit(word) && end == Complete {
		m.handBare(s)
	} else if m.bare != nil {
		s.broken(m.bare.name)
	}
	for i := range m.calls {
		tool, whole := m.calls[i].tool()
		if word == "tool_use" && whole && len(m.calls[i].arguments) > 0 { // only the block's stop is missing
			s.call(tool)
			continue
		}
		s.broken(tool.Name)
	}
	if end == Filtered {
		s.add(Refusal, v.Get("stop_details", "explanation"))
	}
	if word == "tool_use" && s.Tool && len(s.Cursor.Tools) == 0 {
		s.breakDown(word, "malformed_tool_call")
		return
	}
	// Claude may have nothing to add, often behind a tool's result, and has nothing when it is asked
	// again; or the answer begins with a stop sequence.
	s.MayBeEmpty = s.MayBeEmpty || word == "end_turn" || word == "stop_sequence"
	s.finish(end, word)
}

// empty tells whether an object has no members.
func empty(v json.Value) bool {
	none := true
	v.Each(func(string, json.Value) bool {
		none = false
		return false
	})
	return none
}
