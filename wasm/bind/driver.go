//go:build js && wasm

package bind

import (
	"holdfast/core"
	"holdfast/core/json"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// The program's whole state. The host enters it from one place at a time, and no export waits, so
// nothing here needs a lock.
var (
	clients = map[int32]*client{}
	calls   = map[int32]*call{}
	in      []byte // what the host wrote
	out     []byte // what it may read
)

func init() { hostReady() }

// Serve keeps a standard Go program alive: one whose main has returned cannot be called. TinyGo's
// never runs main.
func Serve() { select {} }

// call is a core.Call with its place in the host.
type call struct {
	handle int32
	spec   core.Spec
	core   *core.Call
	clock  clock
	armed  time.Time // when the host will tick; zero when it will not

	streams bool // a fetch: its response has begun as a stream
}

// clock turns the host's time into one that never runs backwards: when a wall clock is set back,
// it goes on from where it was instead of standing still.
type clock struct {
	last  time.Time
	ahead time.Duration
}

// instant reads the host's time, in milliseconds.
func instant(ms float64) time.Time {
	// A float64 holds today's milliseconds exactly, but not their nanoseconds: a tick would come early.
	whole := int64(ms)
	return time.UnixMilli(whole).Add(time.Duration((ms - float64(whole)) * 1e6))
}

func (c *clock) at(ms float64) time.Time {
	t := instant(ms).Add(c.ahead)
	if t.Before(c.last) {
		c.ahead += c.last.Sub(t)
		t = c.last
	}
	c.last = t
	return t
}

// tell gives the call an event and does what it asks for. Its result is the export's.
func (c *call) tell(now float64, e core.Event) int32 {
	at := c.clock.at(now)
	actions := c.core.Handle(at, e)
	bits := int32(0)
	for i := range actions {
		switch a := &actions[i]; a.Kind {
		case core.Send:
			c.send(a)
		case core.Read:
			bits |= readBit
		case core.Cancel:
			hostCancel(c.handle, int32(a.Attempt), a.Whole)
		case core.Done:
			delete(calls, c.handle)
		}
	}
	if c.spec.Raw {
		out = writeFetch(out[:0], e.Bytes, c.handle, actions, c.spec.API, &c.streams)
		bits |= textBit
	} else if text, ok := plain(actions); ok {
		out = append(out[:0], text...)
		bits |= textBit
	} else {
		out = c.write(actions)
	}
	c.wake(at)
	return int32(len(out))<<lengthBit | bits
}

// plain finds the common cases, an output of one text delta and one of nothing, which need no JSON.
func plain(actions []core.Action) (text []byte, ok bool) {
	for i := range actions {
		switch a := &actions[i]; a.Kind {
		case core.Emit:
			if text != nil || a.Note != nil || a.Cursor != nil || a.Delta.Kind != wire.Text {
				return nil, false
			}
			text = a.Delta.Text
		case core.Done:
			return nil, false
		}
	}
	return text, true
}

// write writes what the caller gets as JSON.
func (c *call) write(actions []core.Action) []byte {
	w := json.Writer{Out: out[:0]}
	w.Open("", '[')
	for i := range actions {
		switch a := &actions[i]; {
		case a.Kind == core.Emit && a.Note != nil:
			writeNote(w.Open("", '{'), c.handle, c.spec.Stream, a.Note)
		case a.Kind == core.Emit && a.Cursor != nil:
			writeCursor(w.Open("", '{'), a.Cursor)
		case a.Kind == core.Emit:
			writeDelta(w.Open("", '{'), a.Delta)
		case a.Kind == core.Done:
			w.Open("", '{').Open("done", '{')
			if c.spec.Stream {
				writeAnswer(&w, a.Result)
			} else {
				writeDocument(&w, a.Result)
			}
			w.Close('}')
		default:
			continue
		}
		w.Close('}')
	}
	return w.Close(']').Out
}

// send hands a request to the host, which copies it before it returns.
func (c *call) send(a *core.Action) {
	r := a.Request
	var w json.Writer
	w.Open("", '{').Int("target", int64(r.Target)).Text("method", r.Method).Text("url", r.URL).Text("auth", r.Auth)
	writeHeaders(&w, r.Header)
	w.Close('}')
	hostSend(c.handle, int32(a.Attempt), pointer(w.Out), int32(len(w.Out)), pointer(r.Body), int32(len(r.Body)))
}

// wake asks the host for a tick at the call's deadline.
func (c *call) wake(now time.Time) {
	if at, ok := c.core.Deadline(); ok {
		wake(c.handle, now, at, c.core.Waiting(), &c.armed)
	}
}

// wake asks the host for a tick at a time. One that comes too early costs less than asking again
// for every chunk, so a deadline that moved away is left alone; but a wait between attempts is
// always asked for whole, since an injected sleep may stand for it.
func wake(handle int32, now, at time.Time, waiting bool, armed *time.Time) {
	later := !armed.IsZero() && at.After(*armed) && !waiting
	if at.Equal(*armed) || later {
		return
	}
	*armed = at
	// A tick must not come before its time: round up to what the host's timers can tell apart.
	delay := max(0, at.Sub(now)+time.Millisecond-1).Truncate(time.Millisecond)
	hostWake(handle, float64(delay.Milliseconds()), waiting)
}
