// Package view compares and searches bytes for what runs once an event: at the speed of the machine
// with either compiler, and without a copy. The Go compiler sees by itself that string(b) == s needs
// none; TinyGo makes one, also in bytes.Equal.
package view

import "unsafe"

// String is b as a string. It is valid until b changes: compare it, and keep nothing of it.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
