package core

import (
	"unicode/utf8"

	"holdfast/core/wire"
)

// output is the answer as the caller has it. It lets through only whole characters, and no answer
// begins with blanks or bare markup: until the first other character nothing counts as shown.
type output struct {
	base      int    // length of the partial that the caller brought along
	answer    []byte // that partial, and all answer text given to the caller since
	reasoning []byte
	refusal   []byte
	thought   bool // the call that this one takes up has given reasoning, and no text

	lead   []byte    // the answer's beginning, held until something in it can be seen
	halves [3][]byte // of text, reasoning and refusal: a character whose rest is to come
	buffer []byte    // backs what whole returns
}

// reset forgets everything but the partial that the caller brought along.
func (o *output) reset(partial string) {
	*o = output{base: len(partial), answer: []byte(partial), buffer: o.buffer[:0]}
}

// begin drops what whole returned, which nobody uses any more.
func (o *output) begin() { o.buffer = o.buffer[:0] }

// text is the whole text of the answer so far.
func (o *output) text() string { return string(o.answer) }

// shown tells whether this call has given answer text to the caller.
func (o *output) shown() bool { return len(o.answer) > o.base }

// dirty tells whether the caller must drop something before the answer can start again.
func (o *output) dirty() bool { return o.shown() || o.thought || len(o.reasoning) > 0 }

// show counts text as given to the caller and returns its length in characters.
func (o *output) show(text []byte) int {
	o.answer = append(o.answer, text...)
	return utf8.RuneCount(text)
}

// whole returns what may be given to the caller of a delta: with the half of a character that an
// earlier delta left, without one that a later delta completes, and as valid UTF-8. The bytes are
// valid until begin.
func (o *output) whole(d wire.Delta) []byte {
	half := &o.halves[0]
	switch d.Kind {
	case wire.Reasoning:
		half = &o.halves[1]
	case wire.Refusal:
		half = &o.halves[2]
	}
	raw := d.Text
	if len(*half) > 0 {
		raw = append(append([]byte(nil), *half...), raw...)
	}
	cut := len(raw) - unfinished(raw)
	*half = append((*half)[:0], raw[cut:]...)
	start := len(o.buffer)
	o.buffer = appendValid(o.buffer, raw[:cut])
	text := o.buffer[start:]
	switch d.Kind {
	case wire.Reasoning:
		o.reasoning = append(o.reasoning, text...)
	case wire.Refusal:
		o.refusal = append(o.refusal, text...)
	default:
		if len(o.answer) == 0 {
			o.lead = append(o.lead, text...)
			if !visible(o.lead) {
				return nil
			}
			text, o.lead = o.lead, nil
		}
	}
	return text
}

// cut drops what only the attempt that broke could have completed.
func (o *output) cut() { o.halves = [3][]byte{} }

// half tells that a character is still to be completed.
func (o *output) half() bool { return len(o.halves[0])+len(o.halves[1])+len(o.halves[2]) > 0 }

// rest returns what is held back at the end of an answer.
func (o *output) rest() []byte {
	lead := o.lead
	o.lead = nil
	return lead
}

// visible tells whether text has a character besides blanks and the markup that lines begin with.
func visible(text []byte) bool {
	for _, c := range text {
		switch c {
		case ' ', '\t', '\r', '\n', '#', '*', '_', '-', '>', '`', '~', '|', '+':
		default:
			return true
		}
	}
	return false
}

// unfinished is the length of the character at the end of b whose rest is to come: an incomplete
// UTF-8 sequence, or a high surrogate in three bytes.
func unfinished(b []byte) int {
	for n := 1; n <= min(4, len(b)); n++ {
		c := b[len(b)-n]
		switch {
		case c < 0x80:
			return 0
		case c < 0xC0: // a continuation byte: look further left
		case n == 3 && isSurrogate(b[len(b)-3:]) && b[len(b)-2] < 0xB0:
			return n
		case c >= 0xF0 && n < 4, c >= 0xE0 && n < 3, c >= 0xC2 && n < 2:
			return n
		default:
			return 0
		}
	}
	return 0
}

func isSurrogate(b []byte) bool {
	return len(b) >= 3 && b[0] == 0xED && b[1]&0xE0 == 0xA0 && b[2]&0xC0 == 0x80
}

// ten returns the ten bits that a surrogate carries.
func ten(b []byte) rune { return rune(b[1]&0x0F)<<6 | rune(b[2]&0x3F) }

// appendValid appends b as valid UTF-8: surrogate pairs become the character that they mean,
// everything else that is none becomes U+FFFD.
func appendValid(dst, b []byte) []byte {
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			n := 1
			for n < len(b) && b[n] < utf8.RuneSelf {
				n++
			}
			dst, b = append(dst, b[:n]...), b[n:]
			continue
		}
		if isSurrogate(b) {
			r, n := utf8.RuneError, 3
			if b[1] < 0xB0 && isSurrogate(b[3:]) && b[4] >= 0xB0 {
				r, n = 0x10000+(ten(b)<<10|ten(b[3:])), 6
			}
			dst, b = utf8.AppendRune(dst, r), b[n:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		dst, b = utf8.AppendRune(dst, r), b[n:]
	}
	return dst
}
