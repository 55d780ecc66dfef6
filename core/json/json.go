// Package json reads JSON in place: it checks a document once, then looks up what a caller
// asks for without building a tree, and appends what it writes to a byte slice.
//
// It exists because an answer arrives as thousands of small JSON events. A Value is a piece of
// the caller's own bytes; Get and Each skip over what nobody asked for. Reading a 200-byte chat
// event costs about a third of a decode into a struct (BenchmarkEvent), and the package adds about 10 kB to a
// WebAssembly build where encoding/json/jsontext adds 50 kB (both brotli). Its fuzz tests hold
// it to encoding/json's opinion of what is JSON.
//
// Invariants: every Value that this package returns is nil or one complete, valid JSON value
// without surrounding white space; its nesting is at most MaxDepth; it aliases the bytes that
// Parse was given, which the caller must not change while it uses the Value.
package json

import (
	"bytes"
	"math"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe" // for a difference of two pointers

	"holdfast/core/decimal"
	"holdfast/core/view"
)

// MaxDepth is how deep arrays and objects may nest before Parse refuses them. Providers nest
// about ten deep; the cap keeps the recursion within a small stack.
const MaxDepth = 64

// Kind is the type of a Value by its first byte: '{', '[', '"', '0' for every number, 't', 'f',
// 'n', or 0 for a missing value.
type Kind byte

// Value is one JSON value; nil means missing. All methods are safe on a missing value.
type Value []byte

// SyntaxError says where a document stops being JSON and why.
type SyntaxError struct {
	Offset int    // byte offset of the first byte that cannot be
	Why    string // what was expected there
}

func (e *SyntaxError) Error() string {
	return "invalid JSON at byte " + decimal.String(e.Offset) + ": " + e.Why
}

// Parse checks that data is exactly one JSON value and returns it.
func Parse(data []byte) (Value, error) {
	start := space(data, 0)
	end, err := check(data, start, 0)
	if err != nil {
		return nil, err
	}
	if rest := space(data, end); rest != len(data) {
		return nil, &SyntaxError{rest, "something follows the value"}
	}
	return Value(data[start:end:end]), nil
}

// Valid reports whether data is exactly one JSON value.
func Valid(data []byte) bool {
	_, err := Parse(data)
	return err == nil
}

// Kind tells the type of v.
func (v Value) Kind() Kind {
	if len(v) == 0 {
		return 0
	}
	if c := v[0]; c == '-' || '0' <= c && c <= '9' {
		return '0'
	}
	return Kind(v[0])
}

// Missing reports that v is absent or null.
func (v Value) Missing() bool { return len(v) == 0 || v[0] == 'n' }

// Get follows keys through nested objects and returns the value there, or nil when a step is
// missing or is not an object. Where an object repeats a key, the first one counts.
func (v Value) Get(keys ...string) Value {
	for _, key := range keys {
		v = v.member(key)
		if v == nil {
			return nil
		}
	}
	return v
}

func (v Value) member(key string) (found Value) {
	if v.Kind() != '{' {
		return nil
	}
	for i := space(v, 1); v[i] != '}'; {
		nameEnd := skip(v, i)
		name := v[i:nameEnd]
		i = space(v, nameEnd) // at ':'
		i = space(v, i+1)     // at the value
		end := skip(v, i)
		if equalName(name, key) {
			return v[i:end:end]
		}
		i = space(v, end)
		if v[i] == ',' {
			i = space(v, i+1)
		}
	}
	return nil
}

// Pick is Get for several keys of one object in a single pass over it: found[i] becomes the
// member keys[i], or stays as it was when there is none. The first of a repeated key counts.
func (v Value) Pick(keys []string, found []Value) {
	if v.Kind() != '{' {
		return
	}
	var have uint64 // bit i: found[i] is set; so at most 64 keys
	for i := space(v, 1); v[i] != '}'; {
		nameEnd := skip(v, i)
		name := v[i:nameEnd]
		i = space(v, space(v, nameEnd)+1)
		end := skip(v, i)
		for k := range keys {
			if have&(1<<k) == 0 && equalName(name, keys[k]) {
				found[k], have = v[i:end:end], have|1<<k
			}
		}
		i = space(v, end)
		if v[i] == ',' {
			i = space(v, i+1)
		}
	}
}

// Each calls yield for every member of an object (key unquoted) or element of an array (key
// empty), in order, until yield returns false. On other kinds it does nothing.
func (v Value) Each(yield func(key string, item Value) bool) {
	kind := v.Kind()
	if kind != '{' && kind != '[' {
		return
	}
	for i := space(v, 1); v[i] != '}' && v[i] != ']'; {
		key := ""
		if kind == '{' {
			nameEnd := skip(v, i)
			key = Value(v[i:nameEnd]).Text()
			i = space(v, space(v, nameEnd)+1)
		}
		end := skip(v, i)
		if !yield(key, v[i:end:end]) {
			return
		}
		i = space(v, end)
		if v[i] == ',' {
			i = space(v, i+1)
		}
	}
}

// At returns element n of an array, or nil.
func (v Value) At(n int) (found Value) {
	if v.Kind() != '[' || n < 0 {
		return nil
	}
	v.Each(func(_ string, item Value) bool {
		if n == 0 {
			found = item
		}
		n--
		return n >= 0
	})
	return found
}

// Text returns the contents of a string, and "" for every other kind. Unpaired surrogates come
// back in the three-byte form of WTF-8 (see AppendText), so that a pair split over two strings
// can still be joined.
func (v Value) Text() string {
	if v.Kind() != '"' {
		return ""
	}
	inner := v[1 : len(v)-1]
	for _, c := range inner {
		if c == '\\' {
			return string(AppendText(nil, v))
		}
	}
	return string(inner)
}

// TextAs is Text, and known itself where that is what it says: names come again and again.
func (v Value) TextAs(known string) string {
	if n := len(v) - 2; n > 0 && n == len(known) && v[0] == '"' && string(v[1:n+1]) == known && bytes.IndexByte(v, '\\') < 0 {
		return known
	}
	return v.Text()
}

// AppendText appends the unescaped contents of the string v to dst; other kinds append nothing.
func AppendText(dst []byte, v Value) []byte {
	if v.Kind() != '"' {
		return dst
	}
	inner := v[1 : len(v)-1]
	for i := 0; i < len(inner); {
		if inner[i] != '\\' {
			start := i
			for i < len(inner) && inner[i] != '\\' {
				i++
			}
			dst = append(dst, inner[start:i]...)
			continue
		}
		switch c := inner[i+1]; c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hex4(inner[i+2:])
			if utf16.IsSurrogate(r) {
				if i+12 <= len(inner) && inner[i+6] == '\\' && inner[i+7] == 'u' {
					if pair := utf16.DecodeRune(r, hex4(inner[i+8:])); pair != utf8.RuneError {
						dst = utf8.AppendRune(dst, pair)
						i += 12
						continue
					}
				}
				dst = append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
			} else {
				dst = utf8.AppendRune(dst, r)
			}
			i += 6
			continue
		default: // '"', '\\', '/'
			dst = append(dst, c)
		}
		i += 2
	}
	return dst
}

// True reports that v is the literal true; a string "true" or a 1 is not.
func (v Value) True() bool { return len(v) == 4 && v[0] == 't' }

// False reports that v is the literal false.
func (v Value) False() bool { return len(v) == 5 && v[0] == 'f' }

// Float returns a number, and whether v was one that a float64 can hold.
func (v Value) Float() (float64, bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	return decimal.Float(string(v))
}

// Int returns a whole number that fits an int64 (also one written as 1.0 or 1e3), and whether v
// was one.
func (v Value) Int() (int64, bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	if n, ok := decimal.Int(string(v)); ok {
		return n, true
	}
	f, ok := v.Float()
	if !ok || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// Offset is where in data the value v begins that was read from it, or -1 when v is missing or of
// other bytes.
func Offset(data []byte, v Value) int {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(v))) - uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	if len(v) == 0 || len(v) > len(data) || at > uintptr(len(data)-len(v)) { // what is before data wraps around
		return -1
	}
	return int(at)
}

// StringEnd is the end of the string that starts at i, and whether there is a valid one.
func StringEnd(data []byte, i int) (end int, ok bool) {
	if data[i] != '"' {
		return i, false
	}
	end, err := checkString(data, i)
	return end, err == nil
}

// equalName compares a quoted member name with key. Every escape is longer than what it stands for.
func equalName(quoted Value, key string) bool {
	inner := quoted[1 : len(quoted)-1]
	if len(inner) <= len(key) {
		return view.String(inner) == key
	}
	return bytes.IndexByte(inner, '\\') >= 0 && quoted.Text() == key
}

// space returns the first index at or after i that is not white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skip returns the end of the valid value that starts at i.
func skip(b []byte, i int) int {
	switch b[i] {
	case '"':
		for i++; b[i] != '"'; i++ {
			if b[i] == '\\' {
				i++
			}
		}
		return i + 1
	case '{', '[':
		depth := 0
		for {
			switch b[i] {
			case '"':
				i = skip(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
	}
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	return i
}

// hex4 reads four hexadecimal digits, or returns -1.
func hex4(b []byte) (r rune) {
	if len(b) < 4 {
		return -1
	}
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
