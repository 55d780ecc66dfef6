package fault

import (
	"bytes"
	"strings"

	"holdfast/core/json"
)

// JSON where no JSON should be: inside strings, behind words, in event streams, with stray commas.

// nested opens a JSON error that somebody put into a string.
func nested(v json.Value) (json.Value, bool) {
	if len(v) > maxNested || bytes.IndexByte(v, '{') < 0 {
		return nil, false
	}
	return jsonWithin(v.Text())
}

// jsonWithin finds a JSON object with an error in a text such as "got status: 503. {…}"
// (js-genai), "429 {…}" (Anthropic's SDK) or "AnthropicException - {…}. Received …" (LiteLLM).
func jsonWithin(text string) (json.Value, bool) {
	start := strings.IndexByte(text, '{')
	if start < 0 || len(text) > maxNested {
		return nil, false
	}
	if start > 0 && text[start-1] == '[' {
		start--
	}
	alone := start == 0
	v, err := json.Parse([]byte(text[start:]))
	if syntax, ok := err.(*json.SyntaxError); ok { // more words follow
		alone = false
		v, err = json.Parse([]byte(text[start : start+syntax.Offset]))
	}
	if err != nil && text[start] == '[' { // an array that was never closed
		v, err = json.Parse([]byte(strings.TrimRight(text[start+1:], ", \r\n")))
	}
	if err != nil {
		return nil, false
	}
	object := v
	if v.Kind() == '[' {
		object = v.At(0)
	}
	keys := []string{"error", "detail", "code", "message"}
	if !alone { // among words it may be an example, not an error
		keys = keys[:1]
	}
	for _, key := range keys {
		if !object.Get(key).Missing() {
			return v, true
		}
	}
	return nil, false
}

// firstData opens the first event of a body that is an event stream though an answer with this
// status should not be one.
func firstData(text string) (json.Value, bool) {
	if !strings.HasPrefix(text, "data:") && !strings.HasPrefix(text, "event:") {
		return nil, false
	}
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if data, ok := strings.CutPrefix(line, "data:"); ok {
			v, err := json.Parse([]byte(data))
			return v, err == nil
		}
	}
	return nil, false
}

// withoutStrayCommas mends what gemini-cli found in streamed error bodies: several commas where
// one belongs, and commas next to a bracket. Bodies that are not small are left alone.
func withoutStrayCommas(body []byte) []byte {
	if len(body) > maxNested {
		return nil
	}
	out := make([]byte, 0, len(body))
	comma := false // one is due before the next value
	for i := 0; i < len(body); i++ {
		switch c := body[i]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case ',':
			comma = true
			continue
		case '"':
			end := i + 1
			for end < len(body) && body[end] != '"' {
				if body[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(body))
			out = appendAfterComma(out, body[i:end], comma)
			i = end - 1
		default:
			out = appendAfterComma(out, body[i:i+1], comma && c != '}' && c != ']')
		}
		comma = false
	}
	return out
}

func appendAfterComma(out, piece []byte, comma bool) []byte {
	if comma && len(out) > 0 {
		if last := out[len(out)-1]; last != '{' && last != '[' {
			out = append(out, ',')
		}
	}
	return append(out, piece...)
}
