package json

import (
	stdjson "encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func parse(t testing.TB, s string) Value {
	t.Helper()
	v, err := Parse([]byte(s))
	if err != nil {
		t.Fatalf("Parse(%q): %v", s, err)
	}
	return v
}

func TestLookup(t *testing.T) {
	v := parse(t, ` { "a" : [ 1 , {"b":"x\"y", "n":null} , [] ] , "\u0061b":true,"a":2, "e":1e3, "f":1.5 } `)
	for _, c := range []struct {
		got  Value
		want string
	}{
		{v.Get("a").At(0), "1"},
		{v.Get("a").At(1).Get("b"), `"x\"y"`},
		{v.Get("a").At(2), "[]"},
		{v.Get("a").At(3), ""},
		{v.Get("a").At(-1), ""},
		{v.Get("ab"), "true"},
		{v.Get("a", "b"), ""},
		{v.Get("missing", "deeper"), ""},
		{v.Get("a").At(1).Get("n"), "null"},
	} {
		if string(c.got) != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if n, ok := v.Get("e").Int(); n != 1000 || !ok {
		t.Errorf("1e3 = %d, %v", n, ok)
	}
	if _, ok := v.Get("f").Int(); ok {
		t.Error("1.5 passes as a whole number")
	}
	if !v.Get("ab").True() || parse(t, `"true"`).True() || v.Get("nope").True() {
		t.Error("True accepts what is not the literal true")
	}
	if !v.Get("nope").Missing() || !v.Get("a").At(1).Get("n").Missing() || v.Get("a").Missing() {
		t.Error("Missing is for absent and null")
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`"plain"`:              "plain",
		`"\b\f\n\r\t\/\\\""`:   "\b\f\n\r\t/\\\"",
		`"\u4e2d\ud83d\ude00"`: "中😀",
		`"\ud83d"`:             "\xED\xA0\xBD",
		`"\ude00x"`:            "\xED\xB8\x80x",
		`"\ud83d\ud83d\ude00"`: "\xED\xA0\xBD😀",
		`12`:                   "",
	} {
		v := parse(t, in)
		if got := v.Text(); got != want {
			t.Errorf("%s = %q, want %q", in, got, want)
		}
		// Whatever is known, even what stands there with its escapes.
		for _, known := range []string{"", "plain", want, strings.Trim(in, `"`)} {
			if got := v.TextAs(known); got != want {
				t.Errorf("%s = %q beside %q, want %q", in, got, known, want)
			}
		}
	}
}

func TestDepth(t *testing.T) {
	if !Valid([]byte(strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth))) {
		t.Error("MaxDepth is refused")
	}
	if Valid([]byte(strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1))) {
		t.Error("deeper than MaxDepth is accepted")
	}
	if Valid([]byte(strings.Repeat("[", 1<<20))) {
		t.Error("an open tower is accepted")
	}
}

func TestWriter(t *testing.T) {
	var w Writer
	w.Open("", '{').Text("s", "a\"\\\n\x01\u2028é\xff").Int("i", -3).Parts("f", 25, 2).
		Bool("b", true).TextIf("gone", "").Raw("r", Value(`[1]`)).Raw("none", nil).
		Open("l", '[').Int("", 1).Text("", "x").Open("", '{').Close('}').Close(']').Close('}')
	want := `{"s":"a\"\\\n\u0001` + "\u2028é\uFFFD" + `","i":-3,"f":0.25,"b":true,"r":[1],"none":null,"l":[1,"x",{}]}`
	if string(w.Out) != want {
		t.Errorf("got  %s\nwant %s", w.Out, want)
	}
}

func TestEdit(t *testing.T) {
	v := parse(t, `{"a":1, "b":[ ],"a":2}`)
	for _, c := range []struct {
		got  Value
		want string
	}{
		{v.With("c", []byte(`true`)), `{"a":1,"b":[ ],"a":2,"c":true}`},
		{v.With("b", v.Get("b").Add([]byte(`3`))), `{"a":1,"b":[ 3],"a":2}`},
		{v.With("a", []byte(`0`)), `{"a":0,"b":[ ],"a":0}`},
		{v.Get("b").Add([]byte(`3`)).Add([]byte(`{}`)), `[ 3,{}]`},
		{v.Get("a").With("x", []byte(`1`)), `1`},
		{parse(t, `{"":1}`).With("x", []byte(`2`)), `{"":1,"x":2}`},
		{v.Add([]byte(`1`)), string(v)},
		{v.With("c", nil), `{"a":1,"b":[ ],"a":2,"c":null}`},
		{v.Get("b").Add(nil), `[ null]`},
		{v.Without("a"), `{"b":[ ]}`},
		{v.Without("c"), string(v)},
		{parse(t, `{"":1.0, "a":12345678901234567890}`).Without("a"), `{"":1.0}`},
		{parse(t, `{"a":1,"b":12345678901234567890}`).Without("a"), `{"b":12345678901234567890}`},
	} {
		if string(c.got) != c.want || !Valid(c.got) {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

// FuzzParse holds the package to encoding/json: both agree on what is JSON, and on what it says.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,-0.5e+3,"\u00e9\ud83d\ude00",null,true,false,{}]}`, `[1,]`, `{"a":1,}`, `01`, `"\x"`, ` 1 2`, `{"a" 1}`, "\"\t\"", `-`, `1.`, `.5`, `nul`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		var want any
		stdErr := stdjson.Unmarshal(data, &want)
		if (err == nil) != stdjson.Valid(data) {
			if err != nil && strings.Contains(err.Error(), "nested deeper") {
				return
			}
			t.Fatalf("Parse: %v, encoding/json: %v", err, stdErr)
		}
		if err != nil || stdErr != nil || !utf8.Valid(data) {
			return
		}
		if got := tree(v); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v, want %#v", got, want)
		}
		var w Writer
		w.Raw("", v)
		if !stdjson.Valid(w.Out) {
			t.Fatalf("wrote %q", w.Out)
		}
	})
}

// tree decodes v the way encoding/json does, with nothing but the package's own look-ups.
func tree(v Value) any {
	switch v.Kind() {
	case '"':
		// encoding/json replaces what is not UTF-8, and lone surrogates.
		var s string
		stdjson.Unmarshal(AppendQuoted(nil, wellFormed(v.Text())), &s)
		return s
	case '0':
		n, _ := strconv.ParseFloat(string(v), 64)
		if got, ok := v.Float(); !ok || math.Abs(got-n) > 1e-13*math.Abs(n) && math.Abs(n) > 1e-290 { // see package decimal
			return got
		}
		return n
	case 't', 'f':
		return v.True()
	case '[':
		list := []any{}
		v.Each(func(_ string, item Value) bool { list = append(list, tree(item)); return true })
		return list
	case '{':
		object := map[string]any{}
		v.Each(func(key string, item Value) bool { object[wellFormed(key)] = tree(item); return true })
		return object
	}
	return nil
}

// wellFormed replaces each lone surrogate, three bytes in WTF-8, by one U+FFFD.
func wellFormed(s string) string {
	var b strings.Builder
	for s != "" {
		if s[0] == 0xED && len(s) > 2 && s[1] >= 0xA0 {
			s = s[3:]
			b.WriteString("\uFFFD")
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		b.WriteRune(r)
		s = s[size:]
	}
	return b.String()
}

func FuzzQuoted(f *testing.F) {
	f.Add("a\"\\\x00\u2028😀\xff")
	f.Fuzz(func(t *testing.T, s string) {
		quoted := AppendQuoted(nil, s)
		v, err := Parse(quoted)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := v.Text(), string([]rune(s)); got != want { // []rune replaces each stray byte
			t.Fatalf("%q came back as %q", s, got)
		}
	})
}

var event = []byte(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764400000,"model":"gpt-x","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" tide"},"logprobs":null,"finish_reason":null}]}`)

func BenchmarkEvent(b *testing.B) {
	b.SetBytes(int64(len(event)))
	for b.Loop() {
		v, _ := Parse(event)
		choice := v.Get("choices").At(0)
		if choice.Get("delta", "content").Text() != " tide" || !choice.Get("finish_reason").Missing() {
			b.Fatal("misread")
		}
	}
}

func BenchmarkEventEncodingJSON(b *testing.B) {
	b.SetBytes(int64(len(event)))
	for b.Loop() {
		var v struct {
			Choices []struct {
				Delta        struct{ Content string }
				FinishReason *string `json:"finish_reason"`
			}
		}
		if stdjson.Unmarshal(event, &v) != nil || v.Choices[0].Delta.Content != " tide" {
			b.Fatal("misread")
		}
	}
}

func ExampleValue_Get() {
	v, _ := Parse([]byte(`{"error":{"code":2004,"retryable":true}}`))
	code, _ := v.Get("error", "code").Int()
	fmt.Println(code, v.Get("error", "retryable").True())
	// Output: 2004 true
}

func TestOffset(t *testing.T) {
	data := []byte(`{"a":"b"}`)
	v, _ := Parse(data)
	other, _ := Parse([]byte(`"a text that is longer than all of data"`))
	for _, c := range []struct {
		v    Value
		want int
	}{{v, 0}, {v.Get("a"), 5}, {nil, -1}, {other, -1}, {Value(`"b"`), -1}} {
		if at := Offset(data, c.v); at != c.want {
			t.Errorf("%s is at %d, want %d", c.v, at, c.want)
		}
	}
}
