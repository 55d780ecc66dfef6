package splice

import (
	"unicode/utf8"

	"holdfast/core/json"
)

// chat splices chat.completion.chunk streams. A chunk has no place in the answer, so it is enough
// that all of them are of one completion.
type chat struct {
	head [3]json.Value // of the first chunk: see chatHead
	done bool          // [DONE] went out
	told int           // characters of the answer
	came int           // that the attempt brought which is made to fit
}

var chatHead = []string{"id", "created", "model"}

func (c *chat) see(_ string, v json.Value) {
	if v == nil {
		c.done = true
		return
	}
	if c.head[0] != nil || choice(v) == nil { // Azure's first chunk, without a choice, has no id
		return
	}
	v.Pick(chatHead, c.head[:])
	for i := range c.head {
		c.head[i] = clone(c.head[i])
	}
}

func (c *chat) said(text []byte) { c.told += utf8.RuneCount(text) }

func (c *chat) attempt() { c.came = 0 }

func (c *chat) early(_ string, v json.Value) bool {
	first := choice(v)
	early := v != nil && first.Get("finish_reason").Missing()
	first.Get("delta").Each(func(name string, item json.Value) bool {
		if name != "role" && !thinks[name] && !item.Missing() && len(item) > len(`""`) {
			early = false
		}
		return early
	})
	return early
}

// thinks are the members of a delta that hold a thought.
var thinks = map[string]bool{"reasoning": true, "reasoning_content": true, "reasoning_details": true}

func (c *chat) carries(_ string, v json.Value) bool {
	content := choice(v).Get("delta", "content")
	return content.Kind() == '"' && len(content) > 2 || content.Kind() == '['
}

func (c *chat) fit(s *Splicer, _ string, v json.Value, text []byte) {
	if v == nil {
		if !c.done {
			s.write("", nil)
		}
		return
	}
	for i, key := range chatHead {
		if c.head[i] != nil {
			v = v.With(key, c.head[i])
		}
	}
	usage := v.Get("usage")
	if usage.Kind() == '{' {
		v = v.With("usage", plus(usage, s.source.Before))
	}
	first := choice(v)
	if first == nil {
		s.write("", v)
		return
	}
	c.came += runesIn(first.Get("delta", "content"))
	c.told += utf8.RuneCount(text)
	delta, empty := c.delta(s, first.Get("delta"), text, c.carries("", v))
	if empty && first.Get("finish_reason").Missing() && usage.Missing() {
		return
	}
	first = first.With("delta", delta)
	if first.Get("logprobs").Kind() == '{' && s.joining && string(quoted(text)) != string(choice(v).Get("delta", "content")) {
		first = first.With("logprobs", json.Value("null")) // they are of other text
	}
	s.write("", v.With("choices", json.Value("[]").Add(first)))
}

// delta is a delta without what a reader has already: the role, and the thought before the text.
func (c *chat) delta(s *Splicer, d json.Value, text []byte, carries bool) (fitted json.Value, empty bool) {
	var w json.Writer
	w.Open("", '{')
	start := len(w.Out)
	d.Each(func(name string, item json.Value) bool {
		switch {
		case s.sent && name == "role", s.joining && thinks[name]:
		case s.joining && name == "annotations":
			w.Raw(name, moved(item, c.told-c.came))
		case thinks[name]:
			w.Raw(name, s.thought(item))
		case name == "content" && len(text) > 0:
			w.Raw(name, quoted(text))
		case name == "content" && (carries || s.joining):
		default:
			w.Raw(name, item)
		}
		return true
	})
	empty = len(w.Out) == start
	return w.Close('}').Out, empty
}

// choice is the chunk's only choice.
func choice(v json.Value) json.Value { return v.Get("choices").At(0) }

func (c *chat) text(s *Splicer, text []byte) {
	c.told += utf8.RuneCount(text)
	var w json.Writer
	w.Open("", '{').Raw("id", c.head[0]).Text("object", "chat.completion.chunk").Raw("created", c.head[1]).Raw("model", c.head[2])
	w.Open("choices", '[').Open("", '{').Int("index", 0).Open("delta", '{').Raw("content", quoted(text)).Close('}')
	s.write("", w.Raw("logprobs", nil).Raw("finish_reason", nil).Close('}').Close(']').Close('}').Out)
}

func (c *chat) finish(s *Splicer) {
	if !c.done {
		s.write("", nil)
	}
}

// fail writes the chunk on which clients throw. No [DONE] follows.
func (c *chat) fail(s *Splicer, body json.Value) { s.write("", body) }
