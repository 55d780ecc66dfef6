package bind

import (
	"errors"
	"math"
	"slices"
	"strings"

	"holdfast/core/decimal"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/pace"
	"holdfast/core/time"
)

// A failure that the user made: code is one of the words in holdfast.d.ts.
type failure struct{ code, message string }

func (f *failure) Error() string { return f.message }

func badOption(message string) error { return &failure{"bad_option", message} }

// errNotOurs says that a request passes as it is: it asks no model, or in a way that cannot be helped.
var errNotOurs = &failure{"not_ours", "the request is not a call"}

// setter puts the value of one option in its place.
type setter func(v json.Value) error

// option is one of a table: a list is less code than a map, and as fast for so few.
type option struct {
	name string
	set  setter
}

// options reads an object strictly: a key that is not in the table is an error that names it and
// what there is.
func options(v json.Value, where string, table []option) (err error) {
	if v.Kind() != '{' {
		return badOption("must be an object")
	}
	v.Each(func(key string, item json.Value) bool {
		for i := range table {
			if table[i].name != key {
				continue
			}
			if e := table[i].set(item); e != nil {
				err = badOption(key + ": " + e.Error())
			}
			return err == nil
		}
		err = badOption(key + ": is not an option of " + where + "; there are " + strings.Join(names(table, where), ", "))
		return false
	})
	return err
}

// besides are the options around a table: those that users give too and the JavaScript module keeps
// for itself, and those of the table that only the module gives. Each list is sorted.
var besides = []struct{ where, kept, inner string }{
	{"createClient", "WebSocket apiKey dangerouslyAllowBrowser fetch full now onEvent random share sleep token wasm", "page"},
	{"targets", "apiKey token", ""},
	{"request", "onEvent signal", "path"},
	{"stream", "durable onDelta onEvent signal", "cursors from path route"},
	{"live", "onEvent onItem signal", "path"},
}

// names lists the options that users can give, sorted.
func names(table []option, where string) (keys []string) {
	var inner []string
	for i := range besides {
		if b := &besides[i]; b.where == where {
			keys, inner = strings.Fields(b.kept), strings.Fields(b.inner)
		}
	}
	for i := range table {
		if slices.Contains(inner, table[i].name) {
			continue
		}
		keys = append(keys, table[i].name)
		for i := len(keys) - 1; i > 0 && keys[i] < keys[i-1]; i-- {
			keys[i], keys[i-1] = keys[i-1], keys[i]
		}
	}
	return keys
}

// maxMs keeps durations far from overflow: a hundred years.
const maxMs = 100 * 365 * 24 * 3600 * 1000

func ms(to *time.Duration, highest float64) setter {
	return func(v json.Value) error {
		n, ok := v.Float()
		if !ok || n < 0 || n > highest {
			return errors.New("must be a number of milliseconds from 0 to " + decimal.String(int64(highest)))
		}
		*to = time.Duration(math.Round(n * 1e6))
		return nil
	}
}

// limit is ms where 0 switches the limit off.
func limit(to *time.Duration) setter {
	set := ms(to, maxMs)
	return func(v json.Value) error {
		err := set(v)
		if err == nil && *to == 0 {
			*to = pace.Off
		}
		return err
	}
}

func whole(to *int, lowest, highest int) setter {
	return func(v json.Value) error {
		n, ok := v.Int()
		if !ok || n < int64(lowest) || n > int64(highest) {
			return errors.New("must be a whole number from " + decimal.String(lowest) + " to " + decimal.String(highest))
		}
		*to = int(n)
		return nil
	}
}

func flag(to *bool) setter {
	return func(v json.Value) error {
		if !v.True() && !v.False() {
			return errors.New("must be true or false")
		}
		*to = v.True()
		return nil
	}
}

func text(to *string) setter {
	return func(v json.Value) error {
		if v.Kind() != '"' {
			return errors.New("must be text")
		}
		*to = v.Text()
		return nil
	}
}

func headers(to *header.Header) setter {
	return func(v json.Value) (err error) {
		if v.Kind() != '{' {
			return errors.New("must be an object of names and values")
		}
		v.Each(func(name string, value json.Value) bool {
			if value.Kind() != '"' {
				err = errors.New(name + ": must be text")
				return false
			}
			*to = to.Set(name, value.Text())
			return true
		})
		return err
	}
}
