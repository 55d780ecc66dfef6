//go:build js && wasm && !lean

package bind

import (
	"bytes"

	"holdfast/core"
	"holdfast/core/live"
	"holdfast/core/time"
)

// lines are the live sessions. Their handles are of the same kind as those of calls.
var lines = map[int32]*line{}

// line is a live.Session with its place in the host.
type line struct {
	handle  int32
	request []byte // what connect is given
	session *live.Session
	clock   clock
	armed   time.Time // when the host will tick; zero when it will not
}

// tell gives the session an event and does what it asks for. Its result is the export's.
func (l *line) tell(now float64, e live.Event) int32 {
	at := l.clock.at(now)
	actions := l.session.Handle(at, e)
	for i := range actions {
		switch a := &actions[i]; a.Kind {
		case live.Open:
			hostConnect(l.handle, int32(a.Connection), pointer(l.request), int32(len(l.request)))
		case live.Frame:
			hostTransmit(l.handle, int32(a.Connection), pointer(a.Data), int32(len(a.Data)))
		case live.Close:
			hostDisconnect(l.handle, int32(a.Connection))
		case live.Done:
			delete(lines, l.handle)
		}
	}
	out = writeLive(out[:0], l.handle, actions)
	l.wake(at)
	return int32(len(out)) << lengthBit
}

// wake asks the host for a tick at the session's deadline, as for a call.
func (l *line) wake(now time.Time) {
	if at, ok := l.session.Deadline(); ok {
		wake(l.handle, now, at, l.session.Waiting(), &l.armed)
	}
}

// told gives a session what can also happen to a call.
func (l *line) told(now float64, kind core.EventKind) int32 {
	e := live.Event{}
	switch kind {
	case core.Tick:
		e.Kind = live.Tick
	case core.Aborted, core.Left:
		e.Kind = live.Aborted
	case core.Online:
		e.Kind = live.Online
	case core.Offline:
		e.Kind = live.Offline
	default:
		return unknown
	}
	return l.tell(now, e)
}

// tellLine gives an event to a session.
func tellLine(handle int32, now float64, e live.Event) (result int32) {
	defer guard(handle, &result)
	l := lines[handle]
	if l == nil {
		return unknown
	}
	return l.tell(now, e)
}

//go:wasmexport hf_live
func openLine(clientHandle, handle, n, m int32, now float64) (result int32) {
	defer guard(handle, &result)
	client := clients[clientHandle]
	if client == nil {
		return unknown
	}
	data := bytes.Clone(in[:n+m])
	spec, protocols, err := client.liveSpec(data[:n], data[n:])
	if err != nil {
		return fail(err)
	}
	spec.Random = random
	l := &line{handle: handle, request: writeConnect(&spec, protocols), session: live.New(spec)}
	lines[handle] = l
	return l.tell(now, live.Event{Kind: live.Start})
}

//go:wasmexport hf_opened
func opened(handle, connection int32, now float64) int32 {
	return tellLine(handle, now, live.Event{Kind: live.Opened, Connection: int(connection)})
}

//go:wasmexport hf_message
func message(handle, connection, n int32, now float64) int32 {
	return tellLine(handle, now, live.Event{Kind: live.Message, Connection: int(connection), Data: in[:n]})
}

//go:wasmexport hf_closed
func closed(handle, connection, n int32, now float64) int32 {
	return tellLine(handle, now, live.Event{Kind: live.Closed, Connection: int(connection), Closing: readClosing(bytes.Clone(in[:n]))})
}

//go:wasmexport hf_say
func say(handle, n int32, now float64) int32 {
	return tellLine(handle, now, live.Event{Kind: live.Say, Data: in[:n]})
}

//go:wasmexport hf_shut
func shut(handle int32, now float64) int32 {
	return tellLine(handle, now, live.Event{Kind: live.Shut})
}
