// Package sse turns bytes into events by the WHATWG event-stream rules, with the few product
// rules that real providers make necessary. How the bytes are cut into chunks is invisible.
//
// Beyond WHATWG:
//   - At the end of the body what is left counts as an event (Flush), since several servers omit
//     the last blank line. Event.Cut tells that its last line had no end.
//   - Lines that are no fields but JSON or HTML on their own (a proxy's or a provider's raw error
//     in mid-stream) come out as an Event with Bare set. So does JSON behind "error:" (llama.cpp).
//   - "event: error" without data comes out with empty Data instead of being dropped.
//   - An event larger than the limit is an error, never a silent end.
//   - A body that is one JSON array is taken apart into its elements (array.go).
package sse

import (
	"bytes"
	"errors"

	"holdfast/core/view"
)

// MaxEvent is the default bound on the bytes held for one event: 8 MiB.
const MaxEvent = 8 << 20

// ErrTooLong says that one event outgrew the decoder's limit. The decoder is of no use after it.
var ErrTooLong = errors.New("event larger than the limit")

// Event is one dispatched event.
type Event struct {
	Type string // the "event" field; "" stands for "message"
	ID   string // the last event id in force
	Data []byte // "data" lines joined by \n; valid until the next call of the decoder
	Bare bool   // Data is not from data lines but raw text that stood among them
	Cut  bool   // the body ended in the middle of this event's last line
}

// Decoder decodes one body. The zero value is ready, with the limit MaxEvent.
type Decoder struct {
	Limit int // bytes; 0 means MaxEvent

	in    []byte // what was fed: the caller's chunk, or held with what completes it
	next  []byte // the rest of the chunk, behind the line that in completes
	pos   int    // in[:pos] has been read; pos <= seen <= len(in)
	seen  int    // in[pos:seen] is known to hold no line end, so that nothing is searched twice
	cr    int    // where the next \r of in is, len(in) for nowhere; behind that place it is not known
	held  []byte // our own copy of an unfinished line between chunks
	data  []byte // data lines of the event being built
	kind  string
	known string // a kind that came before: mostly it comes again
	id    string

	retryMs int64 // the last valid "retry" field, or 0
	lines   int   // data lines seen, since an empty one counts as well
	bare    bool  // data holds bare lines
	ready   bool  // data was handed out by Next and is dropped by the next call
	lf      bool  // the last line ended in \r at a chunk's end: a \n that follows belongs to it
	begun   bool  // the byte order mark has been dealt with
	decided bool  // something besides blanks came, so that array is known
	flushed bool
	failed  bool
	fed     int64 // bytes fed in all

	array   bool // the body is an array; in[pos:seen] is the element begun
	depth   int  // how many brackets are open in it
	quoted  bool // seen is within a string
	escaped bool // and behind a backslash
}

// RetryMs is the reconnection time that the stream asked for last, in milliseconds, or 0.
func (d *Decoder) RetryMs() int64 { return d.retryMs }

// Feed gives the decoder the next chunk, which must stay unchanged until Next returns false.
func (d *Decoder) Feed(chunk []byte) {
	d.in, d.cr = chunk, -1
	d.fed += int64(len(chunk))
	if len(d.held) == 0 {
		return
	}
	if seen := d.seen; d.decided && !d.array {
		d.seen = 0
		if end := d.lineEnd(); end >= 0 {
			chunk, d.next = chunk[:end+1], chunk[end+1:]
		}
		d.seen, d.cr = seen, -1
	}
	d.held = append(d.held, chunk...)
	d.in = d.held
}

// Offset is how many bytes of the body the event that Next has just returned, and all before it,
// took up, their blank lines included.
func (d *Decoder) Offset() int64 {
	pos := d.pos
	if d.lf && pos < len(d.in) && d.in[pos] == '\n' {
		pos++
	}
	return d.fed - int64(len(d.in)-pos)
}

// Flush says that the body ended. Next then yields what is left.
func (d *Decoder) Flush() {
	d.in = d.held
	d.cr = -1
	d.flushed = true
}

// Next returns the next event of what was fed. Without one it returns false, and ErrTooLong when
// an event outgrew the limit.
func (d *Decoder) Next() (Event, bool, error) {
	if d.failed {
		return Event{}, false, ErrTooLong
	}
	if d.ready {
		d.reset()
	}
	for !d.array {
		line, ended, ok := d.line()
		if !ok {
			break
		}
		if len(line) == 0 && ended {
			if d.dispatchable() {
				return d.dispatch(false), true, nil
			}
			d.reset()
			continue
		}
		d.field(line)
		if d.tooLong(len(d.data)) {
			return Event{}, false, ErrTooLong
		}
		if !ended && d.dispatchable() { // the body's last line had no end
			return d.dispatch(true), true, nil
		}
	}
	switch {
	case d.array:
		return d.element()
	case d.flushed && d.dispatchable():
		return d.dispatch(false), true, nil
	case d.flushed:
		return Event{}, false, nil
	}
	return d.hold()
}

// hold keeps what is unfinished until the next chunk.
func (d *Decoder) hold() (Event, bool, error) {
	if rest := d.in[d.pos:]; d.pos > 0 || len(d.held) < len(d.in) {
		d.held = append(d.held[:0], rest...)
	}
	d.seen -= d.pos
	d.in, d.pos = nil, 0
	if d.tooLong(len(d.held) + len(d.data)) {
		return Event{}, false, ErrTooLong
	}
	return Event{}, false, nil
}

// line takes the next line. While the body goes on, a line without its end stays.
func (d *Decoder) line() (line []byte, ended, ok bool) {
	if !d.begun {
		const mark = "\xEF\xBB\xBF"
		if len(d.in) < len(mark) && !d.flushed && string(d.in) == mark[:len(d.in)] {
			return nil, false, false
		}
		if bytes.HasPrefix(d.in, []byte(mark)) {
			d.pos = len(mark)
		}
		d.begun = true
	}
	if !d.decided {
		array, undecided := isArray(d.in[d.pos:])
		if d.array, d.decided = array, !undecided; array {
			d.seen = d.pos
			return nil, false, false
		}
	}
	if d.lf && d.pos < len(d.in) {
		if d.in[d.pos] == '\n' {
			d.pos++
		}
		d.lf = false
	}
	d.seen = max(d.seen, d.pos)
	end := d.lineEnd()
	if end < 0 {
		d.seen = len(d.in)
		if !d.flushed || d.pos == len(d.in) {
			return nil, false, false
		}
		line, d.pos = d.in[d.pos:], len(d.in)
		return line, false, true
	}
	line = d.in[d.pos:end]
	d.pos = end + 1
	d.lf = d.in[end] == '\r'
	if len(d.next) > 0 { // line was the one that stood in two chunks
		d.in, d.next, d.held, d.pos, d.seen, d.cr = d.next, nil, d.held[:0], 0, 0, -1
	}
	return line, true, true
}

// lineEnd is the index of the first \n or \r at or after seen, or -1. Hardly any stream has a \r, so
// one search of the whole chunk does for all its lines.
func (d *Decoder) lineEnd() int {
	if d.cr < d.seen {
		d.cr = len(d.in)
		if i := view.Index(d.in[d.seen:], '\r'); i >= 0 {
			d.cr = d.seen + i
		}
	}
	if i := view.Index(d.in[d.seen:d.cr], '\n'); i >= 0 {
		return d.seen + i
	}
	if d.cr < len(d.in) {
		return d.cr
	}
	return -1
}

func (d *Decoder) field(line []byte) {
	if line[0] == ':' {
		return
	}
	name, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch view.String(name) {
	case "data":
		d.push(value)
		d.bare = false
	case "event":
		if d.known != view.String(value) {
			d.known = string(value)
		}
		d.kind = d.known
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			d.id = string(value)
		}
	case "retry":
		d.retry(value)
	default:
		// A raw body in place of fields: JSON or HTML. It goes on to the next blank line.
		if view.String(name) == "error" && !d.bare && len(value) > 0 {
			line = value
		}
		if c := line[0]; d.bare || d.lines == 0 && (c == '{' || c == '[' || c == '<') {
			d.push(line)
			d.bare = true
		}
	}
}

func (d *Decoder) push(value []byte) {
	if d.lines > 0 {
		d.data = append(d.data, '\n')
	}
	d.data = append(d.data, value...)
	d.lines++
}

func (d *Decoder) retry(digits []byte) {
	var ms int64
	for _, c := range digits {
		if c < '0' || c > '9' || ms > 1<<52 {
			return
		}
		ms = ms*10 + int64(c-'0')
	}
	if len(digits) > 0 {
		d.retryMs = ms
	}
}

func (d *Decoder) dispatchable() bool { return d.lines > 0 || d.kind == "error" }

func (d *Decoder) dispatch(cut bool) Event {
	d.ready = true
	return Event{Type: d.kind, ID: d.id, Data: d.data, Bare: d.bare, Cut: cut}
}

func (d *Decoder) reset() {
	d.data, d.lines, d.kind, d.bare, d.ready = d.data[:0], 0, "", false, false
}

func (d *Decoder) tooLong(n int) bool {
	limit := d.Limit
	if limit <= 0 {
		limit = MaxEvent
	}
	d.failed = n > limit
	return d.failed
}
