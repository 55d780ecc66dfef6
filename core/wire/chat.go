package wire

import (
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/fault"
	"holdfast/core/json"
)

// chat reads chat.completion.chunk streams: OpenAI, xAI, Gloo, Gemini's compatible layer, and the
// many servers that imitate them. Its terminal is a non-empty finish_reason; "[DONE]" is none. Like
// Gemini's, a "stop" is the end only where no more of the answer follows.
type chat struct {
	calls []partialCall
}

// chatEnd says what a finish_reason means. A word that nobody knows is a complete answer: the wire
// format's terminal is that there is one.
func chatEnd(word string) End {
	switch plain(word) {
	case "content_filter", "refusal", "sensitive": // GLM's
		return Filtered
	}
	if fault.FinishFails(word) {
		return Failed
	}
	return max(Complete, generateEnds[ascii.Upper(word)]) // Gemini's
}

func (c *chat) read(s *Stream, kind string, v json.Value) {
	choice := first(v.Get("choices"))
	delta, again := choice.Get("delta"), false
	if delta.Missing() { // some servers send the answer in one piece, MiniMax once more behind its pieces
		delta = choice.Get("message")
		again = v.Get("object").Text() == "chat.completion" && !choice.Get("finish_reason").Missing()
	}
	if again {
		s.again()
		c.calls = nil
	} else if s.ending != "" && follows(delta) {
		s.goesOn()
	}
	c.content(s, delta)
	if again {
		s.skip = Cursor{}
	}
	s.note(v)
	s.count(choice.Get("usage"))      // Moonshot's
	s.count(v.Get("x_groq", "usage")) // Groq's, where nobody asked for it
	word := s.word(choice, v.Get("choices"), "finish_reason", func(item json.Value) bool { return speaks(item.Get("delta")) })
	if kind == "error" || fault.Refuses(v) || choice == nil && isError(v) {
		s.explain(word, v)
		return
	}
	if fault.Wrong(choice.Get("error")) { // OpenRouter puts it there
		s.explain(word, choice)
		return
	}
	if word != "" {
		c.end(s, word, v)
	}
}

// follows tells whether a delta holds more of an answer. What else comes behind a stop describes it:
// citations, the details of its thoughts, when its sound expires.
func follows(delta json.Value) (found bool) {
	delta.Each(func(name string, item json.Value) bool {
		switch name {
		case "content":
			found = item.Kind() == '[' || strings.TrimSpace(item.Text()) != ""
		case "tool_calls", "function_call", "refusal":
			found = !item.Missing() && len(item) > len(`""`)
		}
		return !found
	})
	return found
}

// speaks tells whether a delta holds something.
func speaks(delta json.Value) (found bool) {
	delta.Each(func(name string, item json.Value) bool {
		found = name != "role" && !item.Missing() && len(item) > len(`""`)
		return !found
	})
	return found
}

func (c *chat) whole(s *Stream, v json.Value) bool {
	choice := first(v.Get("choices"))
	if choice == nil {
		id := v.Get("request_id").Text() // xAI's ticket for a deferred completion
		s.identify(id)
		s.Pending = id != "" && s.End == Open
		return s.Pending
	}
	c.content(s, choice.Get("message"))
	s.note(v)
	if word := ending(choice.Get("finish_reason")); word != "" {
		c.end(s, word, nil)
	}
	return true
}

// content reads a delta or a message.
func (c *chat) content(s *Stream, d json.Value) {
	if s.End != Open || d.Kind() != '{' {
		return
	}
	if r := d.Get("reasoning_content"); len(r) > len(`""`) && !r.Missing() {
		s.add(Reasoning, r)
	} else {
		s.add(Reasoning, d.Get("reasoning"))
	}
	switch text := d.Get("content"); text.Kind() {
	case '"':
		s.add(Text, text)
	case '[': // some servers send parts as a request has them
		text.Each(func(_ string, part json.Value) bool {
			s.add(Text, part.Get("text"))
			thought := part.Get("thinking") // Mistral's
			thought.Each(func(_ string, part json.Value) bool {
				s.add(Reasoning, part.Get("text"))
				return true
			})
			s.Output = s.Output || thought == nil && part.Get("type").Text() != "text"
			return true
		})
	}
	s.Others = s.Others || !d.Get("audio").Missing()
	s.Output = s.Output || s.Others || d.Get("images").At(0) != nil // OpenRouter's pictures
	s.add(Refusal, d.Get("refusal"))
	place := int64(0)
	d.Get("tool_calls").Each(func(_ string, call json.Value) bool {
		s.begin()
		index, ok := call.Get("index").Int()
		if !ok {
			index = place
		}
		place++
		tool, where := call.Get("function"), "arguments"
		if custom := call.Get("custom"); custom != nil {
			tool, where = custom, "input"
		}
		c.merge(s, index, call.Get("id").Text(), tool, where)
		return true
	})
	if f := d.Get("function_call"); !f.Missing() {
		s.begin()
		c.merge(s, 0, "", f, "arguments")
	}
}

// merge adds a fragment to the call that it belongs to, and what stands at where to its arguments.
// Servers number all calls 0, or none, so that their place counts: a new id always begins a new call.
func (c *chat) merge(s *Stream, index int64, id string, tool json.Value, where string) {
	var call *partialCall
	for i := range c.calls {
		known := &c.calls[i]
		if id != "" && known.id != "" && id != known.id {
			continue
		}
		if known.index == index || id != "" && id == known.id {
			call = known // the last one that fits
		}
	}
	if call == nil {
		c.calls = append(c.calls, partialCall{index: index})
		call = &c.calls[len(c.calls)-1]
	}
	more := tool.Get(where)
	s.Cursor.Bytes += len(more)
	call.identify(id, tool.Get("name").Text())
	call.text = where == "input"
	call.append(more)
}

// end takes a finish_reason, of the chunk v, or when nothing follows it. Only now are tool calls known
// to be complete.
func (c *chat) end(s *Stream, word string, v json.Value) {
	if s.End != Open {
		return
	}
	if plain(word) == "stop" && v != nil {
		s.ending = word
		return
	}
	end := chatEnd(word)
	if end == Failed {
		s.breakDown(word, word)
		return
	}
	s.ending = ""
	handed := 0
	for _, call := range c.calls {
		tool, whole := call.tool()
		if end != Complete || !whole || AtLimit(word) && (call.text || len(call.arguments) == 0) {
			s.broken(call.name)
			continue
		}
		s.call(tool)
		handed++
	}
	if handed == 0 && len(c.calls) > 0 && end == Complete && !AtLimit(word) {
		s.breakDown(word, "malformed_tool_call")
		return
	}
	s.finish(end, word)
}
