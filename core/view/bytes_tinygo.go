//go:build tinygo

package view

import (
	"math/bits"
	"unsafe"
)

// TinyGo's own functions go byte by byte; these take eight at a time.

// Equal tells whether a and b hold the same bytes.
func Equal(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for ; i+8 <= len(a); i += 8 {
		if word(a, i) != word(b, i) {
			return false
		}
	}
	for ; i < len(a); i++ {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Index is the place of the first c in b, or -1.
func Index(b []byte, c byte) int {
	const low, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := word(b, i) ^ low*uint64(c)               // has a zero byte where b has a c
		if zero := (x - low) &^ x & high; zero != 0 { // its lowest bit is of the first one
			return i + bits.TrailingZeros64(zero)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] == c {
			return i
		}
	}
	return -1
}

// word is the eight bytes at i, the first one lowest: WebAssembly is little-endian and reads at any address.
func word(b []byte, i int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}
