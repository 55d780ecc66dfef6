package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"holdfast/core/fault"
	"holdfast/core/sse"
)

// taken is what came of a stream.
type taken struct {
	*Stream
	log string // the deltas, such as `text "Hi" tool f({}) `
}

// text joins what the stream brought of one kind.
func (g *taken) text(kind Kind) (all string) {
	for _, part := range strings.Split(g.log, "\n") {
		if rest, ok := strings.CutPrefix(part, string(kind)+" "); ok {
			var text string
			json.Unmarshal([]byte(rest), &text)
			all += text
		}
	}
	return all
}

// take feeds a body in chunks to a stream, to its clean end.
func take(t testing.TB, s *Stream, chunks ...string) *taken {
	t.Helper()
	g := feed(t, s, chunks...)
	s.Close()
	return g
}

// feed is take before the end is known.
func feed(t testing.TB, s *Stream, chunks ...string) *taken {
	t.Helper()
	g := &taken{Stream: s}
	var d sse.Decoder
	var kind Kind
	var text []byte
	flush := func() {
		if len(text) > 0 {
			quoted, _ := json.Marshal(wtf8(text))
			g.log += fmt.Sprintf("%s %s\n", kind, quoted)
		}
		text = text[:0]
	}
	drain := func() {
		for !s.Done {
			e, ok, err := d.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				return
			}
			ended := s.End != Open
			s.Event(e)
			for _, delta := range s.Take() {
				if ended {
					t.Errorf("a delta after the end: %+v", delta)
				}
				if delta.Kind != kind {
					flush()
				}
				kind = delta.Kind
				if delta.Kind == ToolCall {
					g.log += fmt.Sprintf("tool %s %s(%s)\n", delta.Tool.ID, delta.Tool.Name, delta.Tool.Arguments)
				}
				text = append(text, delta.Text...)
			}
		}
	}
	for _, chunk := range chunks {
		d.Feed([]byte(chunk))
		drain()
	}
	d.Flush()
	drain()
	flush()
	return g
}

// wtf8 joins surrogate pairs that came in two pieces, as the call does.
func wtf8(b []byte) string {
	var out []rune
	for i := 0; i < len(b); {
		if i+6 <= len(b) && b[i] == 0xED && b[i+3] == 0xED && b[i+1] >= 0xA0 && b[i+1] < 0xB0 && b[i+4] >= 0xB0 {
			high := rune(b[i+1]&0xF)<<6 | rune(b[i+2]&0x3F)
			low := rune(b[i+4]&0xF)<<6 | rune(b[i+5]&0x3F)
			out = append(out, 0x10000+high<<10+low)
			i += 6
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		out = append(out, r)
		i += n
	}
	return string(out)
}

// summary tells an end in a line.
func (g *taken) summary() string {
	switch g.End {
	case Open:
		return "open"
	case Complete:
		return "complete " + g.Finish
	case Filtered:
		return "filtered " + g.Finish
	}
	return strings.TrimSpace("failed " + string(g.Fault.Reason) + " " + g.Finish)
}

// transcript is a body and what should come of it.
type transcript struct {
	name    string
	body    string
	log     string // "" when nothing came
	summary string
	check   func(t *testing.T, s *Stream)
}

func run(t *testing.T, api API, p fault.Provider, transcripts []transcript) {
	t.Helper()
	for _, c := range transcripts {
		t.Run(c.name, func(t *testing.T) {
			g := take(t, NewStream(api, p, nil), c.body)
			if g.log != c.log {
				t.Errorf("deltas\ngot\n%swant\n%s", g.log, c.log)
			}
			if got := g.summary(); got != c.summary {
				t.Errorf("got %s, want %s (%s; %q)", got, c.summary, g.Fault.Developer, g.Warnings)
			}
			if c.check != nil {
				c.check(t, g.Stream)
			}
			// The law: how the body is cut does not matter.
			for _, n := range []int{1, 3, 64} {
				if cut := take(t, NewStream(api, p, nil), chop(c.body, n)...); cut.log != g.log || cut.summary() != g.summary() || cut.Usage != g.Usage {
					t.Errorf("in chunks of %d:\n%s%s\nwant\n%s%s", n, cut.log, cut.summary(), g.log, g.summary())
				}
			}
		})
	}
}

// chop cuts a body into chunks of n bytes.
func chop(body string, n int) (chunks []string) {
	for len(body) > n {
		chunks, body = append(chunks, body[:n]), body[n:]
	}
	return append(chunks, body)
}

// events writes a body of events, each named by its type where it has one.
func events(data ...string) string {
	var all strings.Builder
	for _, d := range data {
		var v struct{ Type string }
		if json.Unmarshal([]byte(d), &v); v.Type != "" {
			fmt.Fprintf(&all, "event: %s\n", v.Type)
		}
		fmt.Fprintf(&all, "data: %s\n\n", d)
	}
	return all.String()
}

func usage(want Usage) func(*testing.T, *Stream) {
	return func(t *testing.T, s *Stream) {
		t.Helper()
		if s.Usage != want {
			t.Errorf("usage %+v, want %+v", s.Usage, want)
		}
	}
}

func TestDetectAPI(t *testing.T) {
	for path, want := range map[string]API{
		"/v1/chat/completions":                                    Chat,
		"/openai/deployments/x/chat/completions?api-version=1":    Chat,
		"/v1beta/openai/chat/completions/":                        Chat,
		"/v1/responses":                                           Responses,
		"/v1/messages":                                            Messages,
		"/v1/messages/count_tokens":                               Plain,
		"/v1beta/models/gemini-x:generateContent":                 Generate,
		"/v1beta/models/gemini-x:streamGenerateContent?alt=sse":   Generate,
		"/v1beta/models/{model}:generateContent":                  Generate,
		"/v1beta/interactions":                                    Interactions,
		"/v1/embeddings":                                          Embeddings,
		"/v1beta/models/gemini-x:embedContent":                    Embeddings,
		"/v1beta/models/gemini-x:batchEmbedContents":              Embeddings,
		"/v1/models":                                              Plain,
		"/v1/completions":                                         Plain,
		"/v1beta/models/gemini-x:countTokens?x=/chat/completions": Plain,
	} {
		if got := DetectAPI(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for _, a := range []API{Chat, Responses, Messages, Generate, Interactions, Embeddings, Plain} {
		if !Known(a) || Streams(a) != (a != Embeddings && a != Plain) {
			t.Errorf("%s: known %v, streams %v", a, Known(a), Streams(a))
		}
	}
	if Known("grpc") {
		t.Error("grpc is known")
	}
}

// quoted is s as a JSON string.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// One delta of text, from its bytes to its Delta.
func BenchmarkDelta(b *testing.B) {
	for api, event := range map[API]string{
		Chat:         chunk(`{"content":" word"}`, ""),
		Responses:    `{"type":"response.output_text.delta","sequence_number":7,"item_id":"msg_1","output_index":1,"content_index":0,"delta":" word"}`,
		Messages:     textBlock("0", " word")[1],
		Generate:     candidate(`{"text":" word"}`, ""),
		Interactions: interactionText,
	} {
		b.Run(string(api), func(b *testing.B) {
			s := NewStream(api, fault.OpenAI, nil)
			e := sse.Event{Data: []byte(event)}
			b.SetBytes(int64(len(event)))
			b.ReportAllocs()
			for b.Loop() {
				s.Event(e)
				if len(s.Take()) != 1 {
					b.Fatal("no delta")
				}
			}
		})
	}
}
