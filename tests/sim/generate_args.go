package sim

import (
	"strconv"

	"holdfast/core/json"
)

// argumentStream says a function call of Gemini's whose arguments come leaf by leaf, each with its
// place. Newer models do so where the request asks for it; here, where a script counts the parts.
type argumentStream struct {
	leaves []json.Value
	parts  int
	said   int // parts
}

// streamArguments prepares the arguments; strings come in two pieces.
func streamArguments(tool *Tool) *argumentStream {
	s := &argumentStream{parts: tool.Parts}
	if arguments, err := json.Parse([]byte(tool.Arguments)); err == nil {
		s.walk("$", arguments)
	}
	return s
}

func (s *argumentStream) walk(path string, v json.Value) {
	n := 0
	inner := func(key string, item json.Value) bool {
		if v.Kind() == '{' {
			s.walk(path+"."+key, item)
		} else {
			s.walk(path+"["+strconv.Itoa(n)+"]", item)
		}
		n++
		return true
	}
	add := func(member string, value json.Value, more bool) {
		var w json.Writer
		w.Open("", '{').Text("jsonPath", path).Raw(member, value)
		if more {
			w.Bool("willContinue", true)
		}
		s.leaves = append(s.leaves, w.Close('}').Out)
	}
	switch v.Kind() {
	case '{', '[':
		v.Each(inner)
	case '"':
		text := []rune(v.Text())
		add("stringValue", json.AppendQuoted(nil, string(text[:len(text)/2])), true)
		add("stringValue", json.AppendQuoted(nil, string(text[len(text)/2:])), false)
	case '0':
		add("numberValue", v, false)
	case 't', 'f':
		add("boolValue", v, false)
	default:
		add("nullValue", json.Value(`"NULL_VALUE"`), false)
	}
}

// next writes the leaves of the next part as members of a functionCall. It reports whether that
// was the last part.
func (s *argumentStream) next(w *json.Writer) (last bool) {
	from, to := s.said*len(s.leaves)/s.parts, (s.said+1)*len(s.leaves)/s.parts
	s.said++
	w.Open("partialArgs", '[')
	for _, leaf := range s.leaves[from:to] {
		w.Raw("", leaf)
	}
	w.Close(']').Bool("willContinue", true)
	return s.said == s.parts
}
