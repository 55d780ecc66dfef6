//go:build !tinygo

package view

import "bytes"

// Equal tells whether a and b hold the same bytes.
func Equal(a, b []byte) bool { return bytes.Equal(a, b) }

// Index is the place of the first c in b, or -1.
func Index(b []byte, c byte) int { return bytes.IndexByte(b, c) }
