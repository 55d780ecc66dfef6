//go:build js && wasm

package bind

import (
	"bytes"
	"unsafe"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/time"
	"holdfast/wasm/heap"
)

// unknown is the result for a handle that stands for nothing.
const unknown = -1

//go:wasmexport hf_protocol
func protocol() int32 { return Protocol }

// hf_in gives room for n bytes. A large buffer is not kept for small needs: linear memory never
// shrinks, but it can be used again.
//
//go:wasmexport hf_in
func room(n int32) unsafe.Pointer {
	heap.Collect()
	if cap(in) < int(n) || cap(in) > 1<<20 && int(n) < 1<<16 {
		in = make([]byte, max(int(n), 1<<16))
	}
	in = in[:n]
	return pointer(in)
}

//go:wasmexport hf_out
func output() unsafe.Pointer { return pointer(out) }

// guard turns a panic into an error of the one call that met it, so that the others go on.
func guard(handle int32, result *int32) {
	if p := recover(); p != nil {
		delete(calls, handle)
		delete(lines, handle)
		what := "an error in the program"
		switch p := p.(type) {
		case error:
			what = p.Error()
		case string:
			what = p
		}
		println("holdfast:", what)
		*result = fail(&failure{"program_died", what})
	}
}

// fail writes an error as the only output; a request that is no call has none.
func fail(err error) int32 {
	f, ok := err.(*failure)
	if !ok {
		f = &failure{"program_died", err.Error()}
	}
	if f == errNotOurs {
		return 0
	}
	w := json.Writer{Out: out[:0]}
	w.Open("", '[').Open("", '{').Open("error", '{').Text("code", f.code).Text("message", f.message)
	out = w.Close('}').Close('}').Close(']').Out
	return int32(len(out)) << lengthBit
}

//go:wasmexport hf_client
func openClient(handle, n int32) (result int32) {
	defer guard(0, &result)
	c, err := newClient(bytes.Clone(in[:n]))
	if err != nil {
		return fail(err)
	}
	clients[handle] = c
	return 0
}

//go:wasmexport hf_close
func closeClient(handle int32) { delete(clients, handle) }

//go:wasmexport hf_open
func open(clientHandle, handle, bits, n, m int32, now float64) (result int32) {
	defer guard(handle, &result)
	client := clients[clientHandle]
	if client == nil {
		return unknown
	}
	spec, err := client.asked(bits, n, m)
	if err != nil {
		return fail(err)
	}
	spec.Random = random
	c := &call{handle: handle, spec: spec, core: core.New(spec)}
	calls[handle] = c
	if bits&awayBit != 0 {
		c.tell(now, core.Event{Kind: core.Offline})
	}
	if bits&cancelledBit != 0 {
		return c.tell(now, core.Event{Kind: core.Aborted})
	}
	return c.tell(now, core.Event{Kind: core.Start})
}

// asked reads what hf_open was given: n bytes of options, then m of body.
func (c *client) asked(bits, n, m int32) (core.Spec, error) {
	data := bytes.Clone(in[:n+m])
	if bits&fetchBit != 0 {
		return c.fetchSpec(data[:n], data[n:])
	}
	return c.spec(bits&streamBit != 0, data[:n], data[n:])
}

// tell gives an event to a call, or to a live session where it can have one.
func tell(handle int32, now float64, e core.Event) (result int32) {
	defer guard(handle, &result)
	if c := calls[handle]; c != nil {
		return c.tell(now, e)
	} else if l := lines[handle]; l != nil {
		return l.told(now, e.Kind)
	}
	return unknown
}

//go:wasmexport hf_responded
func responded(handle, attempt, status, n int32, now float64) int32 {
	return tell(handle, now, core.Event{Kind: core.Responded, Attempt: int(attempt), Status: int(status), Header: readHeader(in[:n])})
}

//go:wasmexport hf_received
func received(handle, attempt, n int32, now float64) int32 {
	return tell(handle, now, core.Event{Kind: core.Received, Attempt: int(attempt), Bytes: in[:n]})
}

//go:wasmexport hf_ended
func ended(handle, attempt int32, now float64) int32 {
	return tell(handle, now, core.Event{Kind: core.Ended, Attempt: int(attempt)})
}

//go:wasmexport hf_broke
func broke(handle, attempt, n int32, now float64) int32 {
	v, _ := json.Parse(bytes.Clone(in[:n]))
	f := fault.Network(v.Get("name").Text(), v.Get("code").Text(), v.Get("message").Text())
	return tell(handle, now, core.Event{Kind: core.Broke, Attempt: int(attempt), Fault: f})
}

//go:wasmexport hf_flow
func flow(handle int32, now float64) int32 {
	return tell(handle, now, core.Event{Kind: core.Flow})
}

//go:wasmexport hf_demand
func demand(handle int32, now float64) int32 {
	return tell(handle, now, core.Event{Kind: core.Demand})
}

//go:wasmexport hf_tick
func tick(handle int32, now float64) int32 {
	if c := calls[handle]; c != nil {
		c.armed = time.Time{}
	} else if l := lines[handle]; l != nil {
		l.armed = time.Time{}
	}
	return tell(handle, now, core.Event{Kind: core.Tick})
}

//go:wasmexport hf_abort
func abort(handle, left int32, now float64) int32 {
	e := core.Event{Kind: core.Aborted}
	if left != 0 {
		e.Kind = core.Left
	}
	return tell(handle, now, e)
}

//go:wasmexport hf_online
func online(handle, online int32, now float64) int32 {
	e := core.Event{Kind: core.Online}
	if online == 0 {
		e.Kind = core.Offline
	}
	return tell(handle, now, e)
}

//go:wasmexport hf_free
func free(handle int32) {
	delete(calls, handle)
	delete(lines, handle)
}
