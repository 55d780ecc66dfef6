// Package view looks at bytes as text without a copy, for what runs once an event: comparisons and
// switches. The Go compiler finds these by itself where it sees string(b) == s; TinyGo copies.
package view

import "unsafe"

// String is b as a string. It is valid until b changes: compare it, and keep nothing of it.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
