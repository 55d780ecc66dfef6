//go:build !(tinygo.wasm && gc.none)

package heap

// Collect does nothing where the compiler brings a collector of its own.
func Collect() {}
