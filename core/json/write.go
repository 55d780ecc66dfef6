package json

import (
	"unicode/utf8"

	"holdfast/core/decimal"
)

// Writer appends one JSON document to Out, member by member. It puts the commas; the caller
// closes what it opens. Values written with an empty key are array elements.
//
//	var w json.Writer
//	w.Open("", '{').Text("status", "complete").Int("n", 3).Close('}')
type Writer struct {
	Out   []byte
	comma bool
}

func (w *Writer) key(key string) {
	if w.comma {
		w.Out = append(w.Out, ',')
	}
	w.comma = true
	if key != "" {
		w.Out = append(AppendQuoted(w.Out, key), ':')
	}
}

// Open starts an object ('{') or array ('[').
func (w *Writer) Open(key string, bracket byte) *Writer {
	w.key(key)
	w.Out = append(w.Out, bracket)
	w.comma = false
	return w
}

// Close ends an object ('}') or array (']').
func (w *Writer) Close(bracket byte) *Writer {
	w.Out = append(w.Out, bracket)
	w.comma = true
	return w
}

// Text writes a string.
func (w *Writer) Text(key, s string) *Writer {
	w.key(key)
	w.Out = AppendQuoted(w.Out, s)
	return w
}

// TextIf writes a string unless it is empty.
func (w *Writer) TextIf(key, s string) *Writer {
	if s == "" {
		return w
	}
	return w.Text(key, s)
}

// Int writes a whole number.
func (w *Writer) Int(key string, n int64) *Writer {
	w.key(key)
	w.Out = decimal.Append(w.Out, n)
	return w
}

// IntIf writes a whole number unless it is 0.
func (w *Writer) IntIf(key string, n int64) *Writer {
	if n == 0 {
		return w
	}
	return w.Int(key, n)
}

// Parts writes n parts of which ten to the power of places are one.
func (w *Writer) Parts(key string, n int64, places int) *Writer {
	w.key(key)
	w.Out = decimal.AppendParts(w.Out, n, places)
	return w
}

// Bool writes true or false.
func (w *Writer) Bool(key string, b bool) *Writer {
	w.key(key)
	if b {
		w.Out = append(w.Out, "true"...)
	} else {
		w.Out = append(w.Out, "false"...)
	}
	return w
}

// Raw writes a value as it stands; a missing one becomes null.
func (w *Writer) Raw(key string, v Value) *Writer {
	w.key(key)
	if len(v) == 0 {
		v = Value("null")
	}
	w.Out = append(w.Out, v...)
	return w
}

// AppendQuoted appends s as a JSON string. Bytes that are not UTF-8 become U+FFFD; the
// line separators U+2028 and U+2029 stay as they are, as JSON allows.
func AppendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// With returns a copy of the object with member key set to value, in the place of the old one or
// at the end; a missing value becomes null. What is not an object comes back unchanged.
func (v Value) With(key string, value []byte) Value {
	if v.Kind() != '{' {
		return v
	}
	if len(value) == 0 {
		value = []byte("null")
	}
	return v.replace(key, value)
}

// Without returns the object without the members named key; the others keep their bytes.
func (v Value) Without(key string) Value {
	if v.Get(key) == nil {
		return v
	}
	return v.replace(key, nil)
}

// replace returns a copy of the object with value as member key, or without that when value is nil.
func (v Value) replace(key string, value []byte) Value {
	out := append(make([]byte, 0, len(v)+len(key)+len(value)+8), '{')
	member := func(name string, item []byte) {
		if item == nil {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(AppendQuoted(out, name), ':'), item...)
	}
	found := false
	v.Each(func(name string, item Value) bool {
		if name == key {
			found, item = true, value
		}
		member(name, item)
		return true
	})
	if !found {
		member(key, value)
	}
	return append(out, '}')
}

// Add returns a copy of the array with item at its end; a missing one becomes null. What is not an
// array comes back unchanged.
func (v Value) Add(item []byte) Value {
	if v.Kind() != '[' {
		return v
	}
	if len(item) == 0 {
		item = []byte("null")
	}
	out := append(make([]byte, 0, len(v)+len(item)+1), v[:len(v)-1]...)
	if v.At(0) != nil {
		out = append(out, ',')
	}
	return append(append(out, item...), ']')
}
