//go:build js && wasm && !tinygo

package main

import "os"

func exit(code int) { os.Exit(code) }
