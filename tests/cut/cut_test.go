package cut

import (
	"strconv"
	"strings"
	"testing"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// short is an answer whose stream is a little over 3 kB: emoji, CJK, Markdown, a table, code.
const short = "## Why tide pools survive 🌊\n\nThey **hold on**: mussels, limpets and *sea stars* 🦀 grip.\n\n" +
	"- 潮汐池里，海葵紧紧抓住岩石。\n- 👩‍🔬 Biologists count them — twice.\n\n| who | how |\n|---|---|\n| crab | hides |\n\n" +
	"```go\nfunc wave(h int) bool {\n\treturn h > 3\n}\n```\n\nSo the next tide finds everybody home."

// stream is one wire format as the test asks for it.
type stream struct {
	provider fault.Provider
	api      wire.API
	path     string
	body     string
}

var streams = []stream{
	{fault.Gloo, wire.Chat, "/ai/v2/guarded/chat/completions", `{"model":"gloo-x","stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Tell me of tide pools."}]}`},
	{fault.Gloo, wire.Responses, "/ai/v2/direct/responses", `{"model":"gloo-x","input":"Tell me of tide pools."}`},
}

func (s stream) spec(background bool) core.Spec {
	body, err := json.Parse([]byte(s.body))
	if err != nil {
		panic(err)
	}
	return core.Spec{
		Target: core.Target{Provider: s.provider, API: s.api, Path: s.path, Policy: core.Defaults(s.provider, background)},
		Body:   body, Stream: true, Background: background, Random: func() float64 { return 0 },
	}
}

// script writes the simulator's script: how the first request behaves, and the continuations.
func script(text, first, continuation string) string {
	var w json.Writer
	w.Open("", '{').Text("text", text).Open("requests", '[').Raw("", json.Value(first)).Raw("", json.Value(`{}`)).Close(']')
	w.Open("continuations", '[').Raw("", json.Value(continuation)).Close(']')
	return string(w.Close('}').Out)
}

// plan answers requests by a script.
func (s stream) plan(script string) Provider {
	store := new(sim.Store)
	return func(_ int, r *core.Request) sim.Exchange {
		return sim.Plan(store, sim.Request{Method: "POST", Path: s.path, Sim: script, Session: "s", Pace: "0", Body: r.Body})
	}
}

// length is how many bytes the uncut stream has, and where its terminal has been read in full.
func (s stream) length(t *testing.T, text string) int {
	t.Helper()
	x := s.plan(script(text, `{"words":4}`, `{}`))(1, &core.Request{Body: wire.Streamed(s.api, wire.Request{Body: s.spec(false).Body}).Body})
	if x.Status != 200 {
		t.Fatalf("%s: status %d: %s", s.path, x.Status, x.Body())
	}
	return len(x.Body())
}

var ways = []string{"exact", "last_word", "last_sentence", "restart"}

// Every byte × (clean end, reset) × (exactly, last word again, last sentence again, from the start).
func TestEveryByte(t *testing.T) {
	for _, s := range streams {
		for _, end := range []string{"close", "reset"} {
			for _, way := range ways {
				t.Run(string(s.api)+"/"+end+"/"+way, func(t *testing.T) {
					t.Parallel()
					n := s.length(t, short)
					if n < 3000 {
						t.Fatalf("the stream has only %d bytes", n)
					}
					for at := range n {
						first := `{"words":4,"end":"` + end + `","endAfterBytes":` + strconv.Itoa(at) + `}`
						got := Play(s.spec(false), s.plan(script(short, first, `{"continues":"`+way+`"}`)), 0)
						check(t, s, at, got)
					}
				})
			}
		}
	}
}

func check(t *testing.T, s stream, at int, got Played) {
	t.Helper()
	if got.Status != core.Complete || got.Text != short || got.Result.Text != short {
		t.Fatalf("cut at %d: %s %q", at, got.Status, got.Text)
	}
	first := got.Attempts[0]
	switch {
	case first.Fault.Decision == "": // the terminal came before the cut
		if got.Requests != 1 {
			t.Fatalf("cut at %d: %d requests after a terminal", at, got.Requests)
		}
	case first.TextLength > 0:
		if got.Continues != 1 || got.Requests != 2 || !got.Continued {
			t.Fatalf("cut at %d: %d continuations, %d requests", at, got.Continues, got.Requests)
		}
	default: // nothing was shown: an unseen retry
		if got.Continues != 0 || got.Requests != 2 || got.Restarts != 0 {
			t.Fatalf("cut at %d: %d continuations, %d requests, %d restarts", at, got.Continues, got.Requests, got.Restarts)
		}
	}
}

// When the continuation breaks as well, wherever, the answer is not complete and its text is the
// beginning of the whole.
func TestNeverComplete(t *testing.T) {
	for _, s := range streams {
		for _, way := range ways {
			n := s.length(t, short)
			for at := n / 4; at < n*3/4; at += 7 {
				for _, second := range []int{0, 300, 900} {
					first := `{"words":4,"end":"reset","endAfterBytes":` + strconv.Itoa(at) + `}`
					next := `{"words":4,"continues":"` + way + `","end":"reset","endAfterBytes":` + strconv.Itoa(second) + `}`
					got := Play(s.spec(false), s.plan(script(short, first, next)), 0)
					if got.Attempts[1].Fault.Decision == "" {
						continue // the rest was shorter than that
					}
					if got.Status != core.Interrupted || !strings.HasPrefix(short, got.Text) || got.Text == "" {
						t.Fatalf("%s, %s, cut at %d and %d: %s %q", s.api, way, at, second, got.Status, got.Text)
					}
				}
			}
		}
	}
}

// In background a broken answer starts again: after the restart it is whole.
func TestBackground(t *testing.T) {
	for _, s := range streams {
		n := s.length(t, short)
		for at := 0; at < n; at += 5 {
			first := `{"words":4,"end":"reset","endAfterBytes":` + strconv.Itoa(at) + `}`
			got := Play(s.spec(true), s.plan(script(short, first, `{}`)), 0)
			if got.Status != core.Complete || got.Text != short || got.Continues != 0 {
				t.Fatalf("%s, cut at %d: %s %q", s.api, at, got.Status, got.Text)
			}
			if shown := got.Attempts[0].TextLength > 0 && got.Attempts[0].Fault.Decision != ""; shown != (got.Restarts == 1) {
				t.Fatalf("%s, cut at %d: %d restarts", s.api, at, got.Restarts)
			}
		}
	}
}

// A tool call that was being written when the stream broke is never handed out in part, and
// nothing is sent again by itself once text stands before it.
func TestToolCalls(t *testing.T) {
	for _, s := range streams {
		for _, text := range []string{short, ""} {
			whole := Play(s.spec(false), s.plan(script(text, `{"words":4,"tool":true}`, `{}`)), 0)
			if len(whole.Tools) != 1 || !json.Valid([]byte(whole.Tools[0].Arguments)) {
				t.Fatalf("%s: %d tool calls", s.api, len(whole.Tools))
			}
			x := s.plan(script(text, `{"words":4,"tool":true}`, `{}`))(1, &core.Request{Body: wire.Streamed(s.api, wire.Request{Body: s.spec(false).Body}).Body})
			step := 1
			if text == "" { // the simulator's long answer
				step = 211
			}
			for at := 0; at < len(x.Body()); at += step {
				first := `{"words":4,"tool":true,"end":"reset","endAfterBytes":` + strconv.Itoa(at) + `}`
				got := Play(s.spec(false), s.plan(strings.Replace(script(text, first, `{}`), `,{}]`, `,{"words":4,"tool":true}]`, 1)), 0)
				for _, tool := range got.Tools {
					if tool.Name != whole.Tools[0].Name || tool.Arguments != whole.Tools[0].Arguments {
						t.Fatalf("%s, cut at %d: handed out %+v", s.api, at, tool)
					}
				}
				if len(got.Tools) > 1 {
					t.Fatalf("%s, cut at %d: handed out %d calls", s.api, at, len(got.Tools))
				}
				broken := got.Attempts[0].Fault.Decision != ""
				if broken && got.Attempts[0].ToolCall && text != "" && (got.Requests != 1 || got.Status != core.Interrupted) {
					t.Fatalf("%s, cut at %d: %d requests, %s", s.api, at, got.Requests, got.Status)
				}
			}
		}
	}
}

// The long answer, in pieces of every size, cut at places spread over it.
func TestLongAnswer(t *testing.T) {
	text := sim.LongAnswer()
	for _, s := range streams {
		n := s.length(t, text)
		for i := range 120 {
			at := n * i / 120
			for _, way := range ways {
				first := `{"end":"reset","endAfterBytes":` + strconv.Itoa(at) + `}`
				got := Play(s.spec(false), s.plan(script(text, first, `{"continues":"`+way+`"}`)), 1+i*13)
				if got.Status != core.Complete || got.Text != text {
					t.Fatalf("%s, %s, cut at %d: %s", s.api, way, at, got.Status)
				}
			}
		}
	}
}
