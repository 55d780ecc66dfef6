//go:build js && wasm && !lean

package bind

import (
	"holdfast/core/json"
	"holdfast/core/spend"
)

// hf_quote says what one attempt of a call may cost. It takes what hf_open takes.
//
//go:wasmexport hf_quote
func quote(clientHandle, bits, n, m int32, now float64) (result int32) {
	defer guard(0, &result)
	client := clients[clientHandle]
	if client == nil {
		return unknown
	}
	spec, err := client.asked(bits, n, m)
	if err != nil {
		return fail(err)
	}
	cost := spec.Quote(instant(now))
	return answer(func(w *json.Writer) { w.Open("done", '{').Parts("costUsd", int64(cost), spend.Places).Close('}') })
}
