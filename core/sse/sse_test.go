package sse

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

type got struct {
	Type, ID, Data string
	Bare, Cut      bool
}

// decode feeds chunks and then the end of the body.
func decode(t testing.TB, d *Decoder, chunks ...string) (events []got) {
	t.Helper()
	drain := func() {
		for {
			e, ok, err := d.Next()
			if err != nil {
				t.Fatalf("Next: %v", err)
			}
			if !ok {
				return
			}
			events = append(events, got{e.Type, e.ID, string(e.Data), e.Bare, e.Cut})
		}
	}
	for _, c := range chunks {
		d.Feed([]byte(c))
		drain()
	}
	d.Flush()
	drain()
	return events
}

func TestDecoder(t *testing.T) {
	for _, c := range []struct {
		name   string
		chunks []string
		want   []got
	}{
		{"plain", []string{"data: a\n\n"}, []got{{Data: "a"}}},
		{"no space after the colon", []string{"data:a\n\n"}, []got{{Data: "a"}}},
		{"one space only is removed", []string{"data:  a\n\n"}, []got{{Data: " a"}}},
		{"byte order mark", []string{"\xEF", "\xBB", "\xBFdata: a\n\n"}, []got{{Data: "a"}}},
		{"no byte order mark after all", []string{"\xEF", "\xBBdata: a\n\ndata: b\n\n"}, []got{{Data: "b"}}},
		{"a byte order mark only at the start", []string{"data: a\n\n\xEF\xBB\xBFdata: b\n\n"}, []got{{Data: "a"}}},
		{"every line end", []string{"data: a\r\n\r\ndata: b\r\rdata: c\n\n"}, []got{{Data: "a"}, {Data: "b"}, {Data: "c"}}},
		{"CRLF cut in two", []string{"data: A\r\n", "data: B\r", "\ndata: C\r\n", "\r\n"}, []got{{Data: "A\nB\nC"}}}, // sse-001
		{"comments within an event", []string{":\n\n", "data: {\"x\":\n", ":\n", "data: 1}\n\n"}, []got{{Data: "{\"x\":\n1}"}}},
		{"id and retry alone", []string{"retry: 3000\n\n", "id: 7\n\n", "data: x\n\n"}, []got{{ID: "7", Data: "x"}}},
		{"an id with NUL is ignored", []string{"id: 1\nid: a\x00b\ndata: x\n\n"}, []got{{ID: "1", Data: "x"}}},
		{"an empty id resets", []string{"id: 1\ndata: x\n\nid\ndata: y\n\n"}, []got{{ID: "1", Data: "x"}, {Data: "y"}}},
		{"empty data", []string{"data\n\ndata:\ndata:\n\n"}, []got{{}, {Data: "\n"}}},
		{"the type goes with its event", []string{"event: a\ndata: 1\n\ndata: 2\n\n"}, []got{{Type: "a", Data: "1"}, {Data: "2"}}},
		{"a type without data", []string{"event: a\n\ndata: 2\n\n"}, []got{{Data: "2"}}},
		{"an error without data", []string{"\nevent: error\nid: 1\n\n"}, []got{{Type: "error", ID: "1"}}},
		{"no blank line at the end", []string{"data: a\n"}, []got{{Data: "a"}}},
		{"no line end at the end", []string{"data: a"}, []got{{Data: "a", Cut: true}}},
		{"raw JSON among the fields", []string{"data: a\n\n", "{\"error\":\n", " {\"code\": 503}}\n", "\ndata: b\n\n"},
			[]got{{Data: "a"}, {Data: "{\"error\":\n {\"code\": 503}}", Bare: true}, {Data: "b"}}},
		{"JSON behind the word for its event", []string{"data: a\n\n", "error: {\"code\":400}\n\n", "error: words\n\ndata: b\nerror: {}\n\n"},
			[]got{{Data: "a"}, {Data: `{"code":400}`, Bare: true}, {Data: "b"}}},
		{"an array in pieces", []string{"\xEF\xBB\xBF\r\n", " [", "{\"a\":\"]}", "\\\\\"}\r\n,", "\r\n{\"b\":[1]", "}\n", "]\n"},
			[]got{{Data: `{"a":"]}\\"}`}, {Data: `{"b":[1]}`}}},
		{"an array cut within an element", []string{"[{\"a\":1}\n,{\"b\""}, []got{{Data: `{"a":1}`}, {Data: `{"b"`, Cut: true}}},
		{"an array with stray commas and scalars", []string{"[,{},, 1, \"x y\",tr", "ue]"},
			[]got{{Data: "{}"}, {Data: "1"}, {Data: `"x y"`}, {Data: "true"}}},
		{"no array after an event", []string{"data: a\n\n[{\"error\":1}]\n\n"}, []got{{Data: "a"}, {Data: `[{"error":1}]`, Bare: true}}},
		{"unknown fields", []string{"foo: x\ndata: a\nbar\n\n"}, []got{{Data: "a"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decode(t, new(Decoder), c.chunks...); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestRetry(t *testing.T) {
	d := new(Decoder)
	decode(t, d, "retry: 3000\n\nretry: -1\n\nretry: 1s\n\nretry: 99999999999999999999\n\n")
	if d.RetryMs() != 3000 {
		t.Errorf("RetryMs = %d", d.RetryMs())
	}
}

func TestLimit(t *testing.T) {
	for name, chunks := range map[string][]string{
		"one line":   {strings.Repeat("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 3)},
		"many lines": {strings.Repeat("data: xxxxxxxxxxxxxxxxxxxx\n", 5)},
		"an element": {"[{\"a\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
	} {
		d := &Decoder{Limit: 64}
		var err error
		for _, c := range chunks {
			d.Feed([]byte(c))
			for ok := true; ok && err == nil; {
				_, ok, err = d.Next()
			}
		}
		if !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: err = %v", name, err)
		}
		if _, ok, err := d.Next(); ok || err == nil {
			t.Errorf("%s: usable after the error", name)
		}
	}
}

// A line far beyond a scanner's 64 KiB is one event. sse-016.
func TestLongLine_sse_016(t *testing.T) {
	long := strings.Repeat("a", 70000)
	if got := decode(t, new(Decoder), "data: "+long+"\n\n"); len(got) != 1 || got[0].Data != long {
		t.Errorf("%d events", len(got))
	}
}

// FuzzChunks holds the decoder to its law: how bytes are cut into chunks is invisible.
func FuzzChunks(f *testing.F) {
	f.Add([]byte("\xEF\xBB\xBFdata: A\r\n\r\nevent: error\r\rid: 1\ndata\n\n{\"x\"\n:1}\n\ndata: z"), uint64(0x5A5A))
	f.Add([]byte("data: \r\n\r\n\r"), uint64(3))
	f.Add([]byte(" \r\n[{\"a\":\"\\\"]\"},\r\n{\"b\":[{}]},\"x\\\\\" 1]"), uint64(0x1B3))
	f.Fuzz(func(t *testing.T, body []byte, cuts uint64) {
		whole := decode(t, new(Decoder), string(body))
		var chunks []string
		rest := body
		for len(rest) > 0 {
			n := min(int(cuts%5), len(rest))
			cuts = cuts>>3 | cuts<<61
			chunks = append(chunks, string(rest[:n]))
			if n == 0 {
				n = 1
				chunks[len(chunks)-1] = string(rest[:1])
			}
			rest = rest[n:]
		}
		if cut := decode(t, new(Decoder), chunks...); !reflect.DeepEqual(cut, whole) {
			t.Errorf("chunks %q\ngot  %+v\nwant %+v", chunks, cut, whole)
		}
	})
}

func BenchmarkEvent(b *testing.B) {
	event := []byte("data: " + strings.Repeat("x", 200) + "\n\n")
	d := new(Decoder)
	b.SetBytes(int64(len(event)))
	for b.Loop() {
		d.Feed(event)
		for ok := true; ok; {
			_, ok, _ = d.Next()
		}
	}
}

func ExampleDecoder() {
	var d Decoder
	for _, chunk := range []string{"event: greeting\nda", "ta: hello\n\n"} {
		d.Feed([]byte(chunk))
		for {
			e, ok, _ := d.Next()
			if !ok {
				break
			}
			fmt.Println(e.Type, string(bytes.ToUpper(e.Data)))
		}
	}
	// Output: greeting HELLO
}
