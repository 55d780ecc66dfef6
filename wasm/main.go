//go:build js && wasm

// The Holdfast library as a WebAssembly program: dist/holdfast/holdfast-full.wasm. Built with the tag
// lean, it is holdfast.wasm, which does without targets, fetch and live sessions.
package main

import "holdfast/wasm/bind"

func main() { bind.Serve() }
