// Package header holds HTTP header fields as a plain list, the form in which they cross the
// border to JavaScript.
package header

import (
	"strings"

	"holdfast/core/ascii"
)

// Header is a list of fields in the order in which they came. Names compare without case.
type Header []Field

// Field is one header line.
type Field struct{ Name, Value string }

// Get returns the first value of name with surrounding white space removed, or "".
// A browser hides headers that the server does not expose: "" is "unknown", never "absent".
func (h Header) Get(name string) string {
	for _, f := range h {
		if len(f.Name) == len(name) && ascii.Equal(f.Name, name) {
			return strings.TrimSpace(f.Value)
		}
	}
	return ""
}

// Set replaces every field called name by one, or adds it, and returns the list.
func (h Header) Set(name, value string) Header {
	kept := h[:0:0]
	for _, f := range h {
		if !ascii.Equal(f.Name, name) {
			kept = append(kept, f)
		}
	}
	return append(kept, Field{name, value})
}
