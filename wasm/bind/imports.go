//go:build js && wasm

package bind

import "unsafe"

// What the program asks of its host; protocol.go says what each does. These are WebAssembly imports
// rather than calls by syscall/js, which cost more, need a table of references on the host's side,
// and under TinyGo never give one back.

//go:wasmimport holdfast ready
func hostReady()

//go:wasmimport holdfast send
func hostSend(call, attempt int32, request unsafe.Pointer, n int32, body unsafe.Pointer, m int32)

//go:wasmimport holdfast cancel
func hostCancel(call, attempt int32, whole bool)

//go:wasmimport holdfast connect
func hostConnect(session, connection int32, request unsafe.Pointer, n int32)

//go:wasmimport holdfast transmit
func hostTransmit(session, connection int32, frame unsafe.Pointer, n int32)

//go:wasmimport holdfast disconnect
func hostDisconnect(session, connection int32)

//go:wasmimport holdfast wake
func hostWake(call int32, ms float64, wait bool)

//go:wasmimport holdfast random
func hostRandom() float64

func random() float64 { return hostRandom() } // TinyGo takes no import as a value

// pointer is where bytes begin in linear memory, for a host that copies them at once.
func pointer(bytes []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(bytes)) }
