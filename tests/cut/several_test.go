package cut

import (
	"strings"
	"testing"

	"holdfast/core"
	"holdfast/tests/sim"
)

// Several answers in one stream are retried before any of them says something, and whole only when all
// have ended. None of them can be gone on with.
func TestFetchSeveral(t *testing.T) {
	chat := func(choices string) string {
		return `data: {"id":"c","created":1,"model":"m","choices":[` + choices + "]}\n\n"
	}
	const role0, role1 = `{"index":0,"delta":{"role":"assistant","content":""}}`, `{"index":1,"delta":{"role":"assistant","content":""}}`
	const text0, text1 = `{"index":0,"delta":{"content":"Hello"}}`, `{"index":1,"delta":{"content":"Good day"}}`
	const stop0, stop1 = `{"index":0,"delta":{},"finish_reason":"stop"}`, `{"index":1,"delta":{},"finish_reason":"stop"}`
	roles := chat(role0) + chat(role1)
	whole := roles + chat(text1) + chat(text0) + chat(stop0) + chat(text1) + chat(stop1) + "data: [DONE]\n\n"

	generate := func(index, text, end string) string {
		return `data: {"candidates":[{"content":{"parts":[{"text":"` + text + `"}]},"index":` + index + end + `}],"usageMetadata":{"totalTokenCount":3}}` + "\n\n"
	}
	const over = `,"finishReason":"STOP"`
	both := generate("0", "Hello", over) + generate("1", "Good ", "") + generate("1", "day", over)

	openai, gemini := streams[2], streams[6]
	for _, c := range []struct {
		name     string
		s        stream
		n        string
		bodies   []string
		body     string // what comes of them; "": an error
		requests int
	}{
		{"whole", openai, `"n":2`, []string{whole}, whole, 1},
		{"two in one event", openai, `"n":2`, []string{chat(role0+","+role1) + chat(text0+","+text1) + chat(stop0+","+stop1)}, chat(role0+","+role1) + chat(text0+","+text1) + chat(stop0+","+stop1) + "data: [DONE]\n\n", 1},
		{"cut before a word", openai, `"n":2`, []string{roles, strings.ReplaceAll(whole, `"c"`, `"d"`)}, strings.ReplaceAll(whole, `"c"`, `"d"`), 2},
		{"cut behind a word of the second", openai, `"n":2`, []string{roles + chat(text1), whole}, "", 1},
		{"cut when the first has ended", openai, `"n":2`, []string{roles + chat(text1) + chat(text0) + chat(stop0), whole}, "", 1},
		{"one of three never came", openai, `"n":3`, []string{whole}, whole, 1},
		{"cut, and one of three never came", openai, `"n":3`, []string{strings.TrimSuffix(whole, "data: [DONE]\n\n"), whole}, "", 1},
		{"cut without a word for the end", openai, `"n":2`, []string{roles + chat(text0) + chat(stop0) + "data: [DONE]\n\n", whole}, "", 1},
		{"a document", openai, `"n":2`, []string{`{"choices":[{"index":0,"message":{"content":"Hello"},"finish_reason":"stop"},{"index":1,"message":{"content":"Hello"},"finish_reason":"stop"}]}`, whole}, whole, 2},
		{"Gemini, whole", gemini, `"generationConfig":{"candidateCount":2}`, []string{both}, both, 1},
		{"Gemini, one of three never came", gemini, `"generationConfig":{"candidateCount":3}`, []string{both}, both, 1},
		{"Gemini, cut", gemini, `"generationConfig":{"candidateCount":2}`, []string{generate("0", "Hello", over) + generate("1", "Good ", ""), both}, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.body = strings.Replace(c.s.body, "{", "{"+c.n+",", 1)
			for _, chunk := range []int{0, 1, 7} {
				got := Play(c.s.raw(), func(n int, _ *core.Request) sim.Exchange {
					end := sim.Reset
					if n == len(c.bodies) {
						end = sim.Close
					}
					return sim.Exchange{Status: 200, Steps: []sim.Step{{Write: []byte(c.bodies[n-1])}, {End: end}}}
				}, chunk)
				if got.Requests != c.requests {
					t.Fatalf("%d requests", got.Requests)
				}
				if c.body == "" {
					if !strings.Contains(string(got.Body), `"error"`) || got.Status == core.Complete {
						t.Fatalf("%v in\n%s", got.Status, got.Body)
					}
				} else if string(got.Body) != c.body || got.Status != core.Complete {
					t.Fatalf("%v\n%s\ninstead of\n%s", got.Status, got.Body, c.body)
				}
			}
		})
	}
}
