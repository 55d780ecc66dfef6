//go:build js && wasm

// Command dying speaks just enough of the protocol to be loaded, and dies when it is told to. By TinyGo,
// which runs no main here and knows no exit, it dies of everything else.
// The loader's tests use it: a healthy program gives no occasion.
package main

import "unsafe"

var (
	room   []byte
	output = []byte(`[{"done":{"answer":{"status":"complete","text":"alive","attempts":[],"offer":[]}}}]`)
)

//go:wasmimport holdfast ready
func ready()

//go:wasmimport holdfast send
func send(call, attempt int32, request unsafe.Pointer, n int32, body unsafe.Pointer, m int32)

// Set by the linker to make a program of another release.
var release string

//go:wasmexport hf_protocol
func protocol() int32 { return int32(1 + len(release)) }

//go:wasmexport hf_in
func in(n int32) *byte {
	room = make([]byte, n+1)
	return &room[0]
}

//go:wasmexport hf_out
func out() *byte { return &output[0] }

//go:wasmexport hf_client
func client(handle, n int32) int32 { return 0 }

//go:wasmexport hf_close
func closeClient(handle int32) {}

//go:wasmexport hf_open
func open(client, call, stream, n, m int32, now float64) int32 {
	request := []byte(`{"method":"POST","url":"http://test/","auth":"","headers":[]}`)
	send(call, 1, unsafe.Pointer(&request[0]), int32(len(request)), nil, 0)
	return 0
}

//go:wasmexport hf_responded
func responded(call, attempt, status, n int32, now float64) int32 { return 1 }

//go:wasmexport hf_received
func received(call, attempt, n int32, now float64) int32 {
	switch string(room[:n]) {
	case "panic":
		panic("told to die")
	case "exit":
		exit(3)
	case "nil":
		var p *struct{ x [1 << 20]int32 }
		return p.x[n]
	case "overflow":
		return deeper(n)
	case "hello":
		output = []byte("hello")
		return int32(len(output))<<3 | 3
	}
	return 1
}

//go:noinline
func deeper(n int32) int32 { return deeper(n+1) + deeper(n+2) }

//go:wasmexport hf_ended
func ended(call, attempt int32, now float64) int32 { return int32(len(output)) << 3 }

//go:wasmexport hf_flow
func flow(call int32, now float64) int32 { return 1 }

//go:wasmexport hf_demand
func demand(call int32, now float64) int32 { return 1 }

//go:wasmexport hf_abort
func abort(call int32, now float64) int32 { return 0 }

//go:wasmexport hf_free
func free(call int32) int32 { return 0 }

func init() { ready() }

func main() { select {} }
