//go:build js && wasm

// The Holdfast library as a WebAssembly program: what dist/holdfast/holdfast.wasm is made of.
package main

import "holdfast/wasm/bind"

func main() { bind.Serve() }
