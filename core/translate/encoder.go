package translate

import (
	"holdfast/core/json"
	"holdfast/core/wire"
)

// Encoder writes an answer as a stream in an API's own wire format: one start, one end, indices
// and sequence numbers without gaps, whatever the parts came from. It is what a client's official
// SDK reads while the answer comes from elsewhere.
//
//	new ──first Delta──▶ open ──Finish──▶ ended
//
// The bytes that a method returns are whole events, valid until the next call. In the ended state
// everything returns nothing.
type Encoder struct {
	meta   Meta
	state  encoderState
	out    []byte
	format streamWriter
	calls  int // handed out
}

type encoderState int

const (
	fresh encoderState = iota
	open
	ended
)

// streamWriter writes one API's events by the Encoder's event method.
type streamWriter interface {
	start(e *Encoder)
	delta(e *Encoder, d wire.Delta)
	finish(e *Encoder, f finish, u wire.Usage)
}

// NewEncoder returns an encoder for one answer. An API that cannot be translated gets chat's.
func NewEncoder(api wire.API, meta Meta) *Encoder {
	e := &Encoder{}
	switch api {
	case responses:
		e.meta = meta.orElse("resp_0", "", 0)
		e.format = &responsesStream{}
	case messages:
		e.meta = meta.orElse("msg_0", "", 0)
		e.format = &messagesStream{}
	case generate:
		e.meta = meta.orElse("answer-0", "", 0)
		e.format = &generateStream{}
	default:
		e.meta = meta.orElse("chatcmpl-0", "", 0)
		e.format = &chatStream{}
	}
	return e
}

// Delta adds a piece of the answer. A Restart cannot be said in any wire format: it ends the stream, which
// its reader finds cut off.
func (e *Encoder) Delta(d wire.Delta) []byte {
	e.out = e.out[:0]
	switch {
	case d.Kind == wire.Restart:
		e.state = ended
		return nil
	case d.Kind != wire.ToolCall && len(d.Text) == 0:
		return e.out
	case !e.begin():
		return nil
	}
	if d.Kind == wire.ToolCall {
		e.calls++
		if d.Tool.ID == "" {
			d.Tool.ID = e.meta.callID(e.calls)
		}
	}
	e.format.delta(e, d)
	return e.out
}

// Finish ends the answer: end and word are the stream's that it came from (wire.Stream's End and
// Finish). An end that is none, Open or Failed, ends the stream as a Restart does.
func (e *Encoder) Finish(end wire.End, word string, usage wire.Usage) []byte {
	if end != wire.Complete && end != wire.Filtered {
		e.state = ended
	}
	e.out = e.out[:0]
	if !e.begin() {
		return nil
	}
	e.format.finish(e, finishOf(end, word, e.calls > 0), usage)
	e.state = ended
	return e.out
}

// begin writes the start once, and reports false when the stream has ended.
func (e *Encoder) begin() bool {
	if e.state == fresh {
		e.state = open
		e.format.start(e)
	}
	return e.state == open
}

// event writes one event. name is "" where the wire format has none.
func (e *Encoder) event(name string, write func(w *json.Writer)) {
	if name != "" {
		e.out = append(append(append(e.out, "event: "...), name...), '\n')
	}
	w := json.Writer{Out: append(e.out, "data: "...)}
	w.Open("", '{')
	write(&w)
	e.out = append(w.Close('}').Out, "\n\n"...)
}

// arguments are a call's arguments as an object.
func arguments(t wire.Tool) json.Value {
	if v := object(orObject(t.Arguments)); v != nil {
		return v
	}
	var w json.Writer
	return w.Open("", '{').Text("arguments", t.Arguments).Close('}').Out
}
