package translate

import (
	"holdfast/core/ascii"
	"holdfast/core/json"
)

// dialect is a way to write a JSON Schema.
type dialect int

const (
	// standard is JSON Schema, out of Google's Schema object: types in small letters, nullable as
	// a type, counts as numbers.
	standard dialect = iota
	// google is Google's Schema object: types in capitals and "nullable".
	google
	// closed is JSON Schema with no members allowed beyond the named ones, and without the words that
	// structured answers of messages refuse.
	closed
)

// googleWords are the members of Google's Schema object. A schema with others goes into the
// fields that take any JSON Schema.
const googleWords = "type format title description nullable enum maxItems minItems properties required minProperties maxProperties " +
	"minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum"

// isGoogle tells whether Google's Schema object can say a JSON Schema.
func isGoogle(v json.Value) bool {
	if v.Kind() != '{' {
		return false
	}
	ok := true
	v.Each(func(key string, item json.Value) bool {
		switch key {
		case "type":
			_, _, ok = simpleType(item)
		case "enum":
			each(item, "", func(_ string, e json.Value) { ok = ok && e.Kind() == '"' })
		case "properties":
			ok = item.Kind() == '{'
			item.Each(func(_ string, s json.Value) bool { ok = ok && isGoogle(s); return ok })
		case "anyOf":
			each(item, "", func(_ string, s json.Value) { ok = ok && isGoogle(s) })
		case "items":
			ok = isGoogle(item)
		default:
			ok = has(googleWords, key)
		}
		return ok
	})
	return ok
}

// simpleType reads a type, or a type and "null".
func simpleType(v json.Value) (name string, nullable, ok bool) {
	if v.Kind() == '"' {
		return v.Text(), false, v.Text() != "null"
	}
	first, second, third := v.At(0).Text(), v.At(1).Text(), v.At(2)
	switch {
	case third != nil || first == "" || second == "":
		return "", false, false
	case first == "null":
		return second, true, second != "null"
	}
	return first, true, second == "null"
}

// writeSchema writes a schema as member key in a dialect.
func writeSchema(w *json.Writer, key string, v json.Value, as dialect) {
	if v.Kind() != '{' {
		w.Raw(key, v)
		return
	}
	nullable := as == standard && named(v, "nullable").True()
	object, open := false, true
	w.Open(key, '{')
	v.Each(func(key string, item json.Value) bool {
		name := key
		switch {
		case as == standard:
			name = camel(key)
		case as == closed && refused(key, item):
			return true
		case as == closed && key == "oneOf":
			name = "anyOf"
		}
		switch name {
		case "properties", "patternProperties", "$defs", "definitions":
			object = object || name == "properties"
			if item.Kind() != '{' {
				w.Raw(key, item)
				return true
			}
			w.Open(name, '{')
			item.Each(func(key string, s json.Value) bool {
				if key != "" { // the Writer has no word for an empty name
					writeSchema(w, key, s, as)
				}
				return true
			})
			w.Close('}')
		case "items", "not", "additionalProperties":
			open = open && name != "additionalProperties"
			writeSchema(w, name, item, as)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			if item.Kind() != '[' {
				w.Raw(key, item)
				return true
			}
			w.Open(name, '[')
			each(item, "", func(_ string, s json.Value) { writeSchema(w, "", s, as) })
			w.Close(']')
		case "type":
			object = object || ascii.Equal(item.Text(), "object")
			writeType(w, item, as, nullable)
		case "nullable", "propertyOrdering":
			if as != standard {
				w.Raw(key, item)
			}
		case "":
		case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
			if n := item.Text(); as == standard && n != "" && json.Value(n).Kind() == '0' && json.Valid([]byte(n)) {
				item = json.Value(n) // Google writes 64-bit numbers as strings
			}
			w.Raw(name, item)
		default:
			w.Raw(key, item)
		}
		return true
	})
	if as == closed && object && open {
		w.Bool("additionalProperties", false)
	}
	w.Close('}')
}

func writeType(w *json.Writer, v json.Value, as dialect, nullable bool) {
	switch name, null, ok := simpleType(v); {
	case as == google && ok:
		w.Text("type", ascii.Upper(name))
		if null {
			w.Bool("nullable", true)
		}
	case as == standard && v.Kind() == '"' && nullable:
		w.Open("type", '[').Text("", ascii.Lower(v.Text())).Text("", "null").Close(']')
	case as == standard && v.Kind() == '"':
		w.Text("type", ascii.Lower(v.Text()))
	default:
		w.Raw("type", v)
	}
}

// standardSchema is a schema of Google's as JSON Schema, unless it goes back to Google. The order
// of the properties is then the one in which they stand.
func (r *request) standardSchema(v json.Value) json.Value {
	if v.Missing() || tooDeep(v) || r.to.API == generate && isGoogle(v) {
		return v
	}
	var w json.Writer
	writeSchema(&w, "", v, standard)
	return w.Out
}

// parts calls yield for the schemas directly inside of a schema.
func parts(v json.Value, yield func(s json.Value)) {
	v.Each(func(key string, item json.Value) bool {
		switch key {
		case "properties", "patternProperties", "$defs", "definitions":
			item.Each(func(_ string, s json.Value) bool { yield(s); return true })
		case "items", "not", "additionalProperties":
			yield(item)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			each(item, "", func(_ string, s json.Value) { yield(s) })
		}
		return true
	})
}

// refused tells whether structured answers of messages take a schema only without one of its members.
// Source: Anthropic's guide to structured outputs.
func refused(key string, v json.Value) bool {
	switch key {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems",
		"uniqueItems", "minProperties", "maxProperties":
		return true
	case "minItems":
		n, ok := v.Int()
		return !ok || n > 1
	}
	return false
}

// refuses tells whether any schema within v has a member that messages refuses.
func refuses(v json.Value) (found bool) {
	v.Each(func(key string, item json.Value) bool {
		found = found || refused(key, item)
		return !found
	})
	parts(v, func(s json.Value) { found = found || refuses(s) })
	return found
}

// closable tells whether a schema means the same when all its objects are closed: none has members that
// the schema does not name. It is closed when all of them say so.
func closable(v json.Value) (ok, isClosed bool) {
	more := v.Get("additionalProperties")
	object := ascii.Equal(v.Get("type").Text(), "object") || v.Get("properties").Kind() == '{'
	named := v.Get("properties").Kind() == '{' && !nothing(v.Get("properties"))
	ok = more == nil && (named || !object) || more.False()
	ok = ok && v.Get("patternProperties") == nil && v.Get("prefixItems") == nil && v.Get("not") == nil && v.Get("$ref").Text() != "#"
	isClosed = !object || more.False()
	parts(v, func(s json.Value) {
		if s.Kind() == '{' {
			inner, innerClosed := closable(s)
			ok, isClosed = ok && inner, isClosed && innerClosed
		}
	})
	return ok, isClosed
}

// strictAnswer tells whether OpenAI would hold an answer to a schema: an answer is an object.
func strictAnswer(v json.Value) bool { return v.Get("type").Text() == "object" && strictable(v) }

// strictable tells whether OpenAI would hold a value to a schema: in every object all members
// are required and no others allowed.
func strictable(v json.Value) bool {
	ok := true
	v.Each(func(key string, item json.Value) bool {
		switch key {
		case "properties":
			required := v.Get("required")
			item.Each(func(name string, s json.Value) bool {
				listed := false
				each(required, "", func(_ string, r json.Value) { listed = listed || r.Text() == name })
				ok = ok && listed && strictable(s)
				return ok
			})
			ok = ok && v.Get("additionalProperties").False()
		case "items", "additionalProperties":
			ok = item.Kind() != '{' || strictable(item)
		case "anyOf":
			each(item, "", func(_ string, s json.Value) { ok = ok && strictable(s) })
		case "$defs", "definitions":
			item.Each(func(_ string, s json.Value) bool { ok = ok && strictable(s); return ok })
		case "oneOf", "allOf", "not", "patternProperties", "prefixItems":
			ok = false
		}
		return ok
	})
	return ok
}
