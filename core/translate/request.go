package translate

import (
	"strings"

	"holdfast/core/decimal"
	"holdfast/core/json"
)

// request is the neutral form: what at least two of the APIs can say.
type request struct {
	from   Source
	to     Target
	chosen bool // see Chosen

	model   string
	turns   []turn
	tools   []tool
	choice  choice
	serial  string // where the source forbids parallel tool calls, or ""
	limit   int64  // of output tokens; 0 means none
	limitAt string
	stops   []stop
	format  format
	stream  bool
	values  []value  // numbers and words: see knobs.go
	rest    []member // members that only the source's own API knows

	losses
}

// read takes a request of the source's API.
func (r *request) read(body json.Value) {
	switch r.from.API {
	case chat:
		r.readChat(body)
	case responses:
		r.readResponses(body)
	case messages:
		r.readMessages(body)
	case generate:
		r.readGenerate(body)
	}
}

// role is who speaks in a turn.
type role string

const (
	system    role = "system" // also a developer's message
	user      role = "user"
	assistant role = "assistant"
	results   role = "tool" // holds nothing but results, of calls in the turn before
)

// turn is one message. Its at, like every at in this package, is the place in the source.
type turn struct {
	role  role
	at    string
	parts []part
	name  string // of who speaks; chat
}

type partKind int

const (
	textPart   partKind = iota
	mediaPart           // image, document, audio, video
	callPart            // a tool call of the model's
	resultPart          // what the tool answered
)

// part is a piece of a turn.
type part struct {
	kind   partKind
	at     string
	text   string // of a text
	media  media
	id     string     // of a call or a result; "" where the source has none
	name   string     // of a call; of a result where the source says it
	args   string     // of a call: JSON text as the model wrote it, usually an object
	extra  json.Value // of a call: what its maker wants back; chat, for whom the caller meant
	inner  []part     // of a result: texts and media
	failed bool       // the result is an error
}

// tool is a function that the caller runs.
type tool struct {
	at                string
	name, description string
	schema            json.Value // JSON Schema of the arguments, or nil
	strict            bool
}

// choice says how the model may choose among the tools.
type choice struct {
	at   string
	mode string // "" (not said), "auto", "none", "required", or "tool": name must be called
	name string
}

// stop is a text that ends the answer.
type stop struct{ at, text string }

// format is the shape that the answer text must have.
type format struct {
	at                string
	kind              string // "" (text), "object" (any JSON), "schema"
	name, description string
	schema            json.Value
	strict            bool
}

type member struct {
	name  string
	value json.Value
}

// losses collects what does not arrive, or not as it was said.
type losses struct{ dropped, adjusted []string }

func (l *losses) drop(at, why string)   { l.dropped = append(l.dropped, remark(at, why)) }
func (l *losses) adjust(at, why string) { l.adjusted = append(l.adjusted, remark(at, why)) }

func remark(at, why string) string {
	if why == "" {
		return at
	}
	return at + " (" + why + ")"
}

// others drops the members of an object that are not among known, which are separated by spaces.
func (l *losses) others(v json.Value, at, known string) {
	v.Each(func(key string, item json.Value) bool {
		if key != "" && !has(known, key) && !nothing(item) {
			l.drop(below(at, key), "")
		}
		return true
	})
}

// has tells whether a word stands in a list separated by spaces.
func has(list, word string) bool {
	for more := true; more; {
		var next string
		next, list, more = strings.Cut(list, " ")
		if next == word {
			return true
		}
	}
	return false
}

// nothing tells whether a value asks for nothing, so that it can go without a word.
func nothing(v json.Value) bool {
	switch v.Kind() {
	case 0, 'n', 'f':
		return true
	case '"', '{', '[':
		return len(strings.TrimSpace(string(v[1:len(v)-1]))) == 0
	}
	return false
}

// below extends a JSON pointer by a member name.
func below(at, key string) string {
	if strings.ContainsAny(key, "~/") {
		key = strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
	}
	return at + "/" + key
}

// item extends a JSON pointer by an index.
func item(at string, n int) string { return at + "/" + decimal.String(n) }

// each calls yield for the elements of an array with their places.
func each(v json.Value, at string, yield func(at string, item json.Value)) {
	if v.Kind() != '[' {
		return
	}
	n := 0
	v.Each(func(_ string, e json.Value) bool {
		yield(item(at, n), e)
		n++
		return true
	})
}

// add appends a turn unless it is empty. Only the assistant calls tools.
func (r *request) add(who role, at string, parts []part) {
	kept := parts[:0]
	for _, p := range parts {
		if p.kind == callPart && who != assistant {
			r.drop(p.at, "a tool call that is not the assistant's")
			continue
		}
		kept = append(kept, p)
	}
	if len(kept) > 0 {
		r.turns = append(r.turns, turn{role: who, at: at, parts: kept})
	}
}

// pieces reads content that is a text, or a list whose items read takes; listed is what they are called.
func (r *request) pieces(at string, v json.Value, listed string, read func(at string, item json.Value)) (alone []part) {
	switch v.Kind() {
	case '"':
		alone = []part{text(at, v.Text())}
	case '[':
		each(v, at, read)
	default:
		if !v.Missing() {
			r.drop(at, "neither text nor "+listed)
		}
	}
	return alone
}

func text(at, s string) part { return part{kind: textPart, at: at, text: s} }

// joined is all the text of parts, in paragraphs.
func joined(parts []part) string {
	var out []byte
	for _, p := range parts {
		if p.kind == textPart && p.text != "" {
			if len(out) > 0 {
				out = append(out, "\n\n"...)
			}
			out = append(out, p.text...)
		}
	}
	return string(out)
}

// lone returns the text of parts that are a single text or none.
func lone(parts []part) (string, bool) {
	switch {
	case len(parts) == 0:
		return "", true
	case len(parts) == 1 && parts[0].kind == textPart:
		return parts[0].text, true
	}
	return "", false
}

// maxDepth is how deep a schema, the arguments or a result may nest to be embedded in another
// body: whatever surrounds them, the whole stays within json.MaxDepth.
const maxDepth = json.MaxDepth - 16

// tooDeep tells whether a value nests deeper than can be embedded.
func tooDeep(v json.Value) bool {
	depth, quoted := 0, false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// orObject is the arguments of a call, of which there may be none.
func orObject(args string) string {
	if args == "" {
		return "{}"
	}
	return args
}

// object reads text as a JSON object that can be embedded, or returns nil.
func object(text string) json.Value {
	v, err := json.Parse([]byte(text))
	if err != nil || v.Kind() != '{' || tooDeep(v) {
		return nil
	}
	return v
}

func trimRight(s string) string { return strings.TrimRight(s, " \t\r\n\v\f\u0085\u00a0") }
