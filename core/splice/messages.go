package splice

import (
	"holdfast/core/json"
	"holdfast/core/translate"
)

// messages splices Anthropic's streams: the open block of text goes on, other blocks follow it by
// their number. A block of text is closed only when something else begins, since the seam may still
// hold some of it.
type messages struct {
	started, stopped, ended bool   // message_start, message_delta, message_stop went out
	open                    int64  // the open block's number, or -1
	kind                    string // and type
	signed                  bool   // and whether its thought is signed, or its maker does without
	next                    int64  // the number of the next block

	// Of the attempt that is made to fit:
	blocks map[int64]int64 // its blocks' numbers in the stream, dropped or goesOn
	usage  json.Value      // of its message_start
}

func (m *messages) see(kind string, v json.Value) {
	switch kind {
	case "message_start":
		m.started = true
	case "content_block_start":
		m.open, _ = v.Get("index").Int()
		m.next, m.kind = m.open+1, v.Get("content_block", "type").Text()
		m.signed = v.Get("content_block", "signature").Text() != ""
	case "content_block_delta":
		m.signed = m.signed || m.kind == "thinking" && v.Get("delta", "type").Text() == "signature_delta"
	case "content_block_stop":
		m.open = -1
	case "message_delta":
		m.stopped = true
	case "message_stop":
		m.ended = true
	}
}

func (m *messages) said([]byte) {}

func (m *messages) attempt() {}

func (m *messages) early(kind string, v json.Value) bool {
	switch kind {
	case "message_start", "ping", "content_block_stop": // what other block could end
		return true
	case "content_block_start":
		return thinking(v.Get("content_block", "type").Text())
	case "content_block_delta":
		of := v.Get("delta", "type").Text()
		return of == "thinking_delta" || of == "signature_delta"
	}
	return false
}

// thinking tells a type of block that holds a thought.
func thinking(kind string) bool { return kind == "thinking" || kind == "redacted_thinking" }

func (m *messages) carries(kind string, v json.Value) bool {
	return kind == "content_block_delta" && v.Get("delta", "type").Text() == "text_delta"
}

func (m *messages) fit(s *Splicer, kind string, v json.Value, text []byte) {
	index, _ := v.Get("index").Int()
	switch kind {
	case "message_start":
		m.blocks, m.usage = nil, clone(v.Get("message", "usage"))
		if !m.started {
			s.write(kind, v)
		}
	case "content_block_start":
		m.start(s, index, v)
	case "content_block_stop":
		if at := m.at(index); at == m.open && at >= 0 && m.kind != "text" {
			m.signed = true
			m.close(s)
		}
	case "message_delta":
		m.close(s)
		s.write(kind, v.With("usage", m.total(s, v.Get("usage"))))
	case "content_block_delta":
		at := m.at(index)
		switch {
		case m.carries(kind, v):
			if len(text) == 0 {
				return
			}
			m.openText(s)
			at, v = m.open, v.With("delta", v.Get("delta").With("text", quoted(text)))
		case at == goesOn:
			at = m.open
		}
		if at >= 0 {
			s.write(kind, v.With("index", number(at)))
		}
	default:
		s.write(kind, v)
	}
}

// Places of blocks that have none of their own: one that is left out, and one of text, which goes on
// with the open one, or is opened when there is something to say.
const dropped, goesOn = -1, -2

// start begins a block. What was thought for a continuation is left out: it belongs to another
// conversation.
func (m *messages) start(s *Splicer, index int64, v json.Value) {
	if m.blocks == nil {
		m.blocks = map[int64]int64{}
	}
	switch kind := v.Get("content_block", "type").Text(); {
	case s.joining && thinking(kind):
		m.blocks[index] = dropped
	case kind == "text":
		m.blocks[index] = goesOn
	default:
		m.close(s)
		m.blocks[index] = m.next
		s.write("content_block_start", v.With("index", number(m.next)))
	}
}

// at is a block's number in the stream.
func (m *messages) at(index int64) int64 {
	if at, ok := m.blocks[index]; ok {
		return at
	}
	return index
}

// close ends the open block. A thought that broke off is signed as such.
func (m *messages) close(s *Splicer) {
	if m.open < 0 {
		return
	}
	if m.kind == "thinking" && !m.signed {
		m.delta(s, "signature_delta", "signature", []byte(translate.Unsigned))
	}
	var w json.Writer
	s.write("content_block_stop", w.Open("", '{').Text("type", "content_block_stop").Int("index", m.open).Close('}').Out)
}

// total is the final usage. It names the input as well, since the reader knows only the first
// attempt's.
func (m *messages) total(s *Splicer, usage json.Value) json.Value {
	if usage.Kind() != '{' {
		usage = json.Value("{}")
	}
	for _, key := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		if n := m.usage.Get(key); usage.Get(key).Missing() && !n.Missing() {
			usage = usage.With(key, n)
		}
	}
	before := s.source.Before
	before.Input -= before.Cached + before.CacheWrite // they stand beside it
	return plus(usage, before)
}

// openText opens a block of text, unless one is open.
func (m *messages) openText(s *Splicer) {
	if m.open >= 0 && m.kind == "text" {
		return
	}
	m.close(s)
	var w json.Writer
	w.Open("", '{').Text("type", "content_block_start").Int("index", m.next)
	s.write("content_block_start", w.Open("content_block", '{').Text("type", "text").Text("text", "").Close('}').Close('}').Out)
}

func (m *messages) text(s *Splicer, text []byte) {
	m.openText(s)
	m.delta(s, "text_delta", "text", text)
}

// delta adds to the open block.
func (m *messages) delta(s *Splicer, kind, member string, text []byte) {
	var w json.Writer
	w.Open("", '{').Text("type", "content_block_delta").Int("index", m.open)
	s.write("content_block_delta", w.Open("delta", '{').Text("type", kind).Raw(member, quoted(text)).Close('}').Close('}').Out)
}

func (m *messages) finish(s *Splicer) {
	if m.stopped && !m.ended {
		s.write("message_stop", json.Value(`{"type":"message_stop"}`))
	}
}

func (m *messages) fail(s *Splicer, body json.Value) { s.write("error", body) }
