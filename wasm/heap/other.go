//go:build !(tinygo.wasm && gc.none)

package heap

import "runtime"

var turns uint

// Collect lets the collector of the Go runtime go on. It works in goroutines of its own, and no export
// waits for anything, so that without this a cycle would hardly ever come to its end.
func Collect() {
	if turns++; turns%64 == 0 {
		runtime.Gosched()
	}
}
