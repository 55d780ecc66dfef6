package sse

import "bytes"

// A body that is one JSON array instead of an event stream (Gemini's streamGenerateContent without
// alt=sse) is written in pieces just like one. Each element comes out as an event of its own, as
// soon as it is complete. Brackets, commas and blanks between elements are passed over, however
// many there are.

// isArray tells, from what stands at the beginning of the body, whether it is an array. undecided
// says that so far there are only blanks.
func isArray(body []byte) (array, undecided bool) {
	body = bytes.TrimLeft(body, " \t\r\n")
	return len(body) > 0 && body[0] == '[', len(body) == 0
}

// element takes the next element. While the body goes on, one without its end stays.
func (d *Decoder) element() (Event, bool, error) {
	for {
		if d.seen == d.pos { // between elements
			for d.pos < len(d.in) && isBetween(d.in[d.pos]) {
				d.pos++
			}
			d.seen = d.pos
		}
		if d.seen == len(d.in) {
			break
		}
		c := d.in[d.seen]
		if d.depth == 0 && !d.quoted && d.seen > d.pos && isBetween(c) {
			return d.take(false)
		}
		d.seen++
		switch {
		case d.escaped:
			d.escaped = false
		case d.quoted:
			d.escaped, d.quoted = c == '\\', c != '"'
		case c == '"':
			d.quoted = true
		case c == '{' || c == '[':
			d.depth++
		case c == '}' || c == ']':
			if d.depth--; d.depth <= 0 {
				return d.take(false)
			}
		}
	}
	if d.flushed && d.pos < len(d.in) {
		return d.take(true)
	}
	return d.hold()
}

// take hands out what stands between pos and seen.
func (d *Decoder) take(cut bool) (Event, bool, error) {
	e := Event{Data: d.in[d.pos:d.seen], Cut: cut}
	d.pos, d.depth, d.quoted, d.escaped = d.seen, 0, false, false
	if d.tooLong(len(e.Data)) {
		return Event{}, false, ErrTooLong
	}
	return e, true, nil
}

func isBetween(c byte) bool {
	switch c {
	case '[', ']', ',', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}
