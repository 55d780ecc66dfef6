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
	name     string
	provider fault.Provider
	api      wire.API
	path     string
	body     string
	resumes  bool // the provider lets its own answer be taken up again
}

var streams = []stream{
	{"gloo chat", fault.Gloo, wire.Chat, "/ai/v2/guarded/chat/completions", `{"model":"gloo-x","stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Tell me of tide pools."}]}`, false},
	{"gloo responses", fault.Gloo, wire.Responses, "/ai/v2/direct/responses", `{"model":"gloo-x","input":"Tell me of tide pools."}`, false},
	{"openai chat", fault.OpenAI, wire.Chat, "/openai/v1/chat/completions", `{"model":"gpt-x","messages":[{"role":"user","content":"Tell me of tide pools."}]}`, false},
	{"openai responses in background", fault.OpenAI, wire.Responses, "/openai/v1/responses", `{"model":"gpt-x","background":true,"input":"Tell me of tide pools."}`, true},
	{"xai responses", fault.XAI, wire.Responses, "/xai/v1/responses", `{"model":"grok-x","input":"Tell me of tide pools."}`, false},
	{"anthropic messages", fault.Anthropic, wire.Messages, "/anthropic/v1/messages", `{"model":"claude-x","max_tokens":4000,"messages":[{"role":"user","content":"Tell me of tide pools."}]}`, false},
	{"gemini generate", fault.Gemini, wire.Generate, "/gemini/v1beta/models/gemini-x:generateContent", `{"contents":[{"role":"user","parts":[{"text":"Tell me of tide pools."}]}]}`, false},
	{"gemini interactions", fault.Gemini, wire.Interactions, "/gemini/v1beta/interactions", `{"model":"gemini-x","input":"Tell me of tide pools."}`, false},
	{"gemini interactions in background", fault.Gemini, wire.Interactions, "/gemini/v1beta/interactions", `{"model":"gemini-x","background":true,"input":"Tell me of tide pools."}`, true},
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
		path, query, _ := strings.Cut(r.URL, "?")
		return sim.Plan(store, sim.Request{Method: r.Method, Path: path, Query: query, Sim: script, Session: "s", Pace: "0", Body: r.Body})
	}
}

// healthy is the uncut stream by a behaviour, as bytes.
func (s stream) healthy(t *testing.T, text, behaviour string) []byte {
	t.Helper()
	var body []byte
	plan := s.plan(script(text, behaviour, `{}`))
	got := Play(s.spec(false), func(n int, r *core.Request) sim.Exchange {
		x := plan(n, r)
		body = x.Body()
		return x
	}, 0)
	if got.Status != core.Complete || got.Text != text && text != "" || got.Requests != 1 {
		t.Fatalf("%s: the uncut answer is %s: %q (%+v)", s.name, got.Status, got.Text, got.Fault)
	}
	return body
}

var ways = []string{"exact", "last_word", "last_sentence", "restart"}

// Every byte × (clean end, reset) × (exactly, last word again, last sentence again, from the start).
// So it is for Gloo's chat; the other streams are cut at every byte once, and at every eleventh in
// the other ways.
func TestEveryByte(t *testing.T) {
	for i, s := range streams {
		for _, end := range []string{"close", "reset"} {
			for j, way := range ways {
				step := 1
				if i > 0 && (j > 0 || end == "close") {
					step = 11
				}
				t.Run(s.name+"/"+end+"/"+way, func(t *testing.T) {
					t.Parallel()
					n := len(s.healthy(t, short, `{"words":3}`))
					if i == 0 && n < 3000 {
						t.Fatalf("the stream has only %d bytes", n)
					}
					for at := 0; at < n; at += step {
						first := `{"words":3,"end":"` + end + `","endAfterBytes":` + strconv.Itoa(at) + `}`
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
	if alone := s.resumes && s.api == wire.Interactions; alone && got.Requests == 1 && got.Status == core.Failed && got.Text == "" {
		return // broken before it told its id: a run that may have started is not started again
	}
	if got.Status != core.Complete || got.Text != short || got.Result.Text != short {
		t.Fatalf("cut at %d: %s %q", at, got.Status, got.Text)
	}
	first := got.Attempts[0]
	switch {
	case first.Fault.Decision == "": // the terminal came before the cut
		if got.Requests != 1 {
			t.Fatalf("cut at %d: %d requests after a terminal", at, got.Requests)
		}
	case s.resumes && len(got.Attempts) > 1 && got.Attempts[1].Kind == core.Resumed:
		if got.Continues != 0 || got.Restarts != 0 || got.Retries != 0 {
			t.Fatalf("cut at %d: %d continuations, %d restarts beside a resume", at, got.Continues, got.Restarts)
		}
	case first.TextLength > 0:
		if s.resumes {
			t.Fatalf("cut at %d: not resumed", at)
		}
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
			n := len(s.healthy(t, short, `{"words":3}`))
			for at := n / 4; at < n*3/4; at += 31 {
				for _, second := range []int{0, 300, 900} {
					first := `{"words":3,"end":"reset","endAfterBytes":` + strconv.Itoa(at) + `}`
					next := `{"words":3,"continues":"` + way + `","end":"reset","endAfterBytes":` + strconv.Itoa(second) + `}`
					got := Play(s.spec(false), s.plan(script(short, first, next)), 0)
					if s.resumes || got.Attempts[1].Fault.Decision == "" {
						continue // taken up again, or the rest was shorter than that
					}
					if got.Status != core.Interrupted || !strings.HasPrefix(short, got.Text) || got.Text == "" {
						t.Fatalf("%s, %s, cut at %d and %d: %s %q", s.name, way, at, second, got.Status, got.Text)
					}
				}
			}
		}
	}
}

// In background a broken answer starts again: after the restart it is whole.
func TestBackground(t *testing.T) {
	for _, s := range streams {
		if s.resumes {
			continue
		}
		n := len(s.healthy(t, short, `{"words":3}`))
		for at := 0; at < n; at += 17 {
			first := `{"words":3,"end":"reset","endAfterBytes":` + strconv.Itoa(at) + `}`
			got := Play(s.spec(true), s.plan(script(short, first, `{}`)), 0)
			if got.Status != core.Complete || got.Text != short || got.Continues != 0 {
				t.Fatalf("%s, cut at %d: %s %q", s.name, at, got.Status, got.Text)
			}
			if len(got.Attempts) > 1 && got.Attempts[1].Kind == core.Resumed {
				continue // xAI lets its answers be looked at
			}
			if shown := got.Attempts[0].TextLength > 0 && got.Attempts[0].Fault.Decision != ""; shown != (got.Restarts == 1) {
				t.Fatalf("%s, cut at %d: %d restarts", s.name, at, got.Restarts)
			}
		}
	}
}

// A tool call that was being written when the stream broke is never handed out in part, and
// nothing is sent again by itself once text stands before it.
func TestToolCalls(t *testing.T) {
	for _, s := range streams {
		for _, text := range []string{short, ""} {
			whole := Play(s.spec(false), s.plan(script(text, `{"words":3,"tool":true}`, `{}`)), 0)
			if len(whole.Tools) != 1 || !json.Valid([]byte(whole.Tools[0].Arguments)) {
				t.Fatalf("%s: %d tool calls", s.name, len(whole.Tools))
			}
			body := s.healthy(t, text, `{"words":3,"tool":true}`)
			step := 3
			if text == "" { // the simulator's long answer
				step = 1999
			}
			for at := 0; at < len(body); at += step {
				first := `{"words":3,"tool":true,"end":"reset","endAfterBytes":` + strconv.Itoa(at) + `}`
				got := Play(s.spec(false), s.plan(strings.Replace(script(text, first, `{}`), `,{}]`, `,{"words":3,"tool":true}]`, 1)), 0)
				for _, tool := range got.Tools {
					if tool.Name != whole.Tools[0].Name || tool.Arguments != whole.Tools[0].Arguments {
						t.Fatalf("%s, cut at %d: handed out %+v", s.name, at, tool)
					}
				}
				if len(got.Tools) > 1 {
					t.Fatalf("%s, cut at %d: handed out %d calls", s.name, at, len(got.Tools))
				}
				if s.resumes {
					if got.Continues != 0 {
						t.Fatalf("%s, cut at %d: %d continuations", s.name, at, got.Continues)
					}
					continue
				}
				broken := got.Attempts[0].Fault.Decision != ""
				if broken && got.Attempts[0].ToolCall && text != "" && (got.Requests != 1 || got.Status != core.Interrupted) {
					t.Fatalf("%s, cut at %d: %d requests, %s", s.name, at, got.Requests, got.Status)
				}
			}
		}
	}
}

// The long answer, in pieces of every size, cut at places spread over it.
func TestLongAnswer(t *testing.T) {
	text := sim.LongAnswer()
	for _, s := range streams {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			n := len(s.healthy(t, text, `{}`))
			for i := range 12 {
				at := n*i/12 + 500
				for _, way := range ways {
					first := `{"end":"reset","endAfterBytes":` + strconv.Itoa(at) + `}`
					got := Play(s.spec(false), s.plan(script(text, first, `{"continues":"`+way+`"}`)), 1+i*97)
					if got.Status != core.Complete || got.Text != text {
						t.Fatalf("%s, cut at %d: %s", way, at, got.Status)
					}
				}
			}
		})
	}
}
