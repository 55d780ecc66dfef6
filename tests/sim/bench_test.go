package sim

import (
	"strings"
	"testing"
	"time"
)

// ask60 asks a bench model the way the bench does.
func ask60(store *Store, model, last string, now time.Duration) Exchange {
	return Plan(store, Request{Method: "POST", Path: "/openai/v1/chat/completions", Now: now, Body: []byte(
		`{"model":"` + model + `","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Go"}` + last + `]}`)})
}

func TestBench(t *testing.T) {
	if n := len(words(benchAnswer)); n != 60 {
		t.Errorf("%d words", n)
	}
	for _, c := range []struct {
		model         string
		first, second int // status
		end           End
		want          string // in the first answer
	}{
		{"sim-bench", 200, 200, Close, "[DONE]"},
		{"sim-s01", 429, 200, Close, "try again in 2s"},
		{"sim-S02@x", 429, 429, Close, "rate_limit_exceeded"},
		{"sim-s03", 500, 200, Close, "server_error"},
		{"sim-s04", 503, 503, Close, ""},
		{"sim-s05", 0, 200, Reset, ""},
		{"sim-s06", 200, 200, Close, ""},
		{"sim-s07", 200, 200, Close, ""},
		{"sim-s08", 200, 200, Reset, " and"},
		{"sim-s09", 200, 200, Hang, ""},
		{"sim-s10", 200, 200, Close, "\"finish_reason\":null}]\n\n"},
		{"sim-s11", 200, 200, Hang, `"total_tokens":61`},
		{"sim-s12", 400, 400, Close, "context_length_exceeded"},
		{"sim-s13", 400, 400, Close, "content_policy_violation"},
		{"sim-s14", 200, 200, Reset, ""},
		{"sim-s15", 503, 503, Close, ""},
		{"sim-s16", 503, 503, Close, ""},
	} {
		store := &Store{}
		for i, status := range []int{c.first, c.second} {
			e := ask60(store, c.model, "", 0)
			if e.Status != status || i == 0 && (e.Ends() != c.end || !strings.Contains(string(e.Body()), c.want)) {
				t.Errorf("%s, request %d: %d, %s\n%.300s", c.model, i+1, e.Status, e.Ends(), e.Body())
			}
		}
	}
	store := &Store{}
	if e := ask60(store, "sim-s10", "", 0); strings.Count(strings.Split(string(e.Body()), "null}]\n\n")[0], "data:") != 10 {
		t.Error("the broken event is not the tenth")
	}
	if ask60(store, "sim-s15", "", 0).Status != 503 || ask60(store, "sim-s15", "", 61*time.Second).Status != 200 {
		t.Error("s15 is not down for a minute")
	}
	part := `,{"role":"user","content":"Cut after:\n\n` + benchAnswer[:200] + `\n\nGo on."}`
	e := ask60(store, "sim-s08", part, 0)
	if text, _ := said(t, e.Body()); !e.Continues || text != benchAnswer {
		t.Errorf("continued with %.60s", text)
	}
	prefill := `,{"role":"assistant","content":"` + benchAnswer[:200] + `"}`
	if e := ask60(store, "sim-s14-fallback", prefill, 0); e.Status != 400 {
		t.Error(e.Status)
	}
	for _, s := range append(append([]Scenario{}, Providers...), Bench...) {
		if _, err := ParseScript(s.Script); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}
