package sim

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"holdfast/core/header"
	"holdfast/core/json"
)

// Script says how a provider behaves over the requests of one session. As JSON it is
//
//	{"text": "…", "requests": [{…}, {…}], "continuations": [{…}], "reads": [{…}]}
//
// or a list of behaviours, which are then the requests; or one behaviour, which then holds for
// every request. `{}` is a healthy provider.
type Script struct {
	// Text is the answer. "" lets the prompt choose one of the canned answers.
	Text string
	// Requests are the behaviours for the first, second, … request of a session; the last one
	// repeats. None means healthy.
	Requests []Behaviour
	// Continuations are the same for requests that ask to go on from a partial answer.
	Continuations []Behaviour
	// Reads are the same for requests that read a stored answer, or its stream, by its id.
	Reads []Behaviour
}

// ParseScript reads a script. A key that does not exist, a value of the wrong kind and a
// contradiction are errors that name it.
func ParseScript(text string) (Script, error) {
	v, err := json.Parse([]byte(text))
	if err != nil {
		return Script{}, errors.New("sim: the script is " + err.Error())
	}
	var s Script
	if v.Kind() == '[' {
		s.Requests, err = parseList(v)
		return s, err
	}
	if v.Kind() != '{' {
		return s, errors.New("sim: a script is an object or a list")
	}
	if v.Get("requests") == nil && v.Get("continuations") == nil && v.Get("reads") == nil && v.Get("text") == nil {
		b, err := parseBehaviour(v)
		s.Requests = []Behaviour{b}
		return s, err
	}
	v.Each(func(key string, item json.Value) bool {
		switch key {
		case "text":
			s.Text = item.Text()
		case "requests":
			s.Requests, err = parseList(item)
		case "continuations":
			s.Continuations, err = parseList(item)
		case "reads":
			s.Reads, err = parseList(item)
		default:
			err = errors.New("sim: " + strconv.Quote(key) + " belongs inside requests, continuations or reads")
		}
		return err == nil
	})
	return s, err
}

func parseList(v json.Value) (list []Behaviour, err error) {
	if v.Kind() != '[' {
		return nil, errors.New("sim: behaviours stand in a list")
	}
	v.Each(func(_ string, item json.Value) bool {
		var b Behaviour
		if b, err = parseBehaviour(item); err != nil {
			return false
		}
		list = append(list, b)
		return true
	})
	return list, err
}

func parseBehaviour(v json.Value) (Behaviour, error) {
	b := ordinary
	if v.Kind() != '{' {
		return b, errors.New("sim: a behaviour is an object")
	}
	var err error
	v.Each(func(key string, item json.Value) bool {
		switch field := b.field(key); {
		case field == nil:
			err = errors.New("sim: there is no key " + strconv.Quote(key))
		case !set(field, item):
			err = errors.New("sim: " + strconv.Quote(key) + " has a value of the wrong kind")
		}
		return err == nil
	})
	if err == nil {
		err = b.check()
	}
	return b, err
}

// set stores item in a field, and reports whether it is of the field's kind.
func set(field any, item json.Value) bool {
	switch f := field.(type) {
	case *bool:
		*f = item.True()
		return item.True() || item.False()
	case **bool:
		value := item.True()
		*f = &value
		return item.True() || item.False()
	case *int:
		n, ok := item.Int()
		*f = int(n)
		return ok && 0 <= n && n <= 1<<30
	case *float64:
		n, ok := item.Float()
		*f = n
		return ok && n >= 0
	case *time.Duration:
		n, ok := item.Int()
		*f = time.Duration(n) * time.Millisecond
		return ok && 0 <= n && n <= 1<<31
	case *End:
		*f = End(item.Text())
		return item.Kind() == '"'
	case *string: // a number is kept as it is written: retryAfter takes both
		*f = item.Text()
		if item.Kind() == '0' {
			*f = string(item)
		}
		return item.Kind() == '"' || item.Kind() == '0'
	case **string: // text as it is, other JSON as JSON
		body := item.Text()
		if item.Kind() != '"' {
			body = string(item)
		}
		*f = &body
		return true
	case *[]string:
		ok := item.Kind() == '['
		item.Each(func(_ string, value json.Value) bool {
			text, raw := strings.CutPrefix(value.Text(), "base64:")
			if raw {
				text, raw = unpack(text)
				ok = ok && raw
			}
			*f = append(*f, text)
			ok = ok && value.Kind() == '"'
			return true
		})
		return ok
	case *header.Header:
		item.Each(func(name string, value json.Value) bool {
			*f = append(*f, header.Field{Name: name, Value: value.Text()})
			return true
		})
		return item.Kind() == '{'
	case **Tool:
		return setTool(f, item)
	}
	return false
}

// setTool reads true (some tool) or {"name", "arguments", "parts"}.
func setTool(field **Tool, item json.Value) bool {
	tool := Tool{Name: "find_tidepool", Arguments: `{"near":"Monterey","radius_km":25,"species":["limpet","sea star"]}`}
	*field = &tool
	if item.True() {
		return true
	}
	ok := item.Kind() == '{'
	item.Each(func(key string, value json.Value) bool {
		switch key {
		case "name":
			tool.Name = value.Text()
		case "arguments":
			if tool.Arguments = value.Text(); value.Kind() != '"' {
				tool.Arguments = string(value)
			}
		case "parts":
			n, whole := value.Int()
			tool.Parts, ok = int(n), ok && whole && 0 <= n && n <= 1000
		default:
			ok = false
		}
		return true
	})
	return ok
}
