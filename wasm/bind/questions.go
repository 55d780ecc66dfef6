//go:build js && wasm

package bind

import (
	"bytes"

	"holdfast/core/fault"
	"holdfast/core/json"
)

// What the program answers at once: questions about a provider's rules, and about what a client's calls
// know of each other.

// question reads what is asked of a provider's rules, without a client.
func question(data []byte) (json.Value, fault.Provider, error) {
	v, err := json.Parse(data)
	if err != nil {
		return nil, "", badOption(err.Error())
	}
	p, err := readProvider(v)
	return v, p, err
}

//go:wasmexport hf_classify
func classify(n, m int32) (result int32) {
	defer guard(0, &result)
	data := bytes.Clone(in[:n+m])
	v, provider, err := question(data[:n])
	if err != nil {
		return fail(err)
	}
	status, _ := v.Get("status").Int()
	f := fault.Classify(provider, fault.Response{Status: int(status), Header: readHeader(v.Get("headers")), Body: data[n:]})
	return answer(func(w *json.Writer) {
		if f.Decision == fault.Success {
			w.Open("done", '{').Text("decision", string(f.Decision)).TextIf("requestId", f.RequestID).Close('}')
		} else {
			writeFailure(w, "done", &f)
		}
	})
}

//go:wasmexport hf_retryable
func retryable(n int32) (result int32) {
	defer guard(0, &result)
	v, provider, err := question(bytes.Clone(in[:n]))
	if err != nil {
		return fail(err)
	}
	retry, _ := fault.SDKError(provider, v.Get("error"))
	return answer(func(w *json.Writer) { w.Bool("done", retry) })
}

//go:wasmexport hf_limits
func limits(n int32, now float64) (result int32) {
	defer guard(0, &result)
	v, _, err := question(bytes.Clone(in[:n]))
	if err != nil {
		return fail(err)
	}
	l := fault.RateLimits(readHeader(v.Get("headers")), instant(now))
	return answer(func(w *json.Writer) { writeLimits(w, "done", l) })
}

//go:wasmexport hf_health
func health(handle int32, now float64) (result int32) {
	defer guard(0, &result)
	c := clients[handle]
	if c == nil {
		return unknown
	}
	return answer(func(w *json.Writer) { writeHealth(w, "done", c.state.Health(instant(now))) })
}

// hf_state gives what a client knows of its targets: 0 all of it, 1 what has changed since it was
// asked last. The output is text, or empty when there is nothing to tell.
//
//go:wasmexport hf_state
func state(handle, changes int32) (result int32) {
	defer guard(0, &result)
	c := clients[handle]
	if c == nil {
		return unknown
	}
	data := []byte(nil)
	if changes != 0 {
		data = c.state.Changes()
	} else {
		data = c.state.Snapshot()
	}
	return answer(func(w *json.Writer) { w.Text("done", toHex(data)) })
}

// hf_restore takes n bytes of text that hf_state gave, of this client or another. What is damaged
// or of another make is refused, and changes nothing.
//
//go:wasmexport hf_restore
func restore(handle, kind, n int32, now float64) (result int32) {
	defer guard(0, &result)
	c := clients[handle]
	if c == nil {
		return unknown
	}
	text, second, _ := bytes.Cut(in[:n], []byte{'\n'})
	data, err := fromHex(text)
	switch {
	case err != nil:
	case kind == 1:
		err = c.state.Apply(instant(now), data)
	case kind == 2:
		if text, err = fromHex(second); err == nil {
			err = c.state.Join(data, text)
		}
	default:
		err = c.state.Restore(data)
	}
	if err != nil {
		return fail(&failure{"bad_snapshot", "snapshot: " + err.Error()})
	}
	return answer(func(w *json.Writer) { w.Bool("done", true) })
}

// answer writes an output of one value.
func answer(write func(w *json.Writer)) int32 {
	w := json.Writer{Out: out[:0]}
	w.Open("", '[').Open("", '{')
	write(&w)
	out = w.Close('}').Close(']').Out
	return int32(len(out)) << lengthBit
}
