package splice

import (
	"unicode/utf8"

	"holdfast/core/json"
)

// Annotations say by offsets which text of the answer they are about. An attempt that goes on counts
// from where it began itself: its offsets are moved by as much as its text is.

// offsets are what they are called. OpenAI counts characters, Gemini bytes.
var offsets = map[string]bool{"start_index": true, "end_index": true, "startIndex": true, "endIndex": true}

// moved returns a value with the offsets in it moved.
func moved(v json.Value, by int) json.Value {
	switch {
	case by == 0:
		return v
	case v.Kind() == '[':
		list := json.Value("[]")
		v.Each(func(_ string, item json.Value) bool {
			list = list.Add(moved(item, by))
			return true
		})
		return list
	case v.Kind() != '{':
		return v
	}
	if !v.Get("endIndex").Missing() && v.Get("startIndex").Missing() {
		v = v.With("startIndex", json.Value("0")) // Google leaves it out
	}
	var w json.Writer
	w.Open("", '{')
	v.Each(func(name string, item json.Value) bool {
		if n, ok := item.Int(); ok && offsets[name] {
			w.Int(name, max(0, n+int64(by)))
		} else {
			w.Raw(name, moved(item, by))
		}
		return true
	})
	return w.Close('}').Out
}

// annotates tells an event that is nothing but an annotation.
func annotates(kind string, v json.Value) bool {
	return kind == annotationAdded || v.Get("delta", "type").Text() == "text_annotation_delta"
}

// bytesIn and runesIn are the length of a JSON string's text.
func bytesIn(text json.Value) int { return len(json.AppendText(nil, text)) }
func runesIn(text json.Value) int { return utf8.RuneCount(json.AppendText(nil, text)) }
