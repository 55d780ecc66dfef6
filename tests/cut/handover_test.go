package cut

import (
	"strconv"
	"strings"
	"testing"

	"holdfast/core"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// pairs are answers begun by one provider and finished by another, of another wire format.
var pairs = [][2]string{
	{"openai chat", "anthropic messages"},
	{"anthropic messages", "gemini generate"},
	{"gemini generate", "openai chat"},
	{"gloo responses", "anthropic messages"},
	{"xai responses", "gemini generate"},
}

func named(t *testing.T, name string) stream {
	t.Helper()
	for _, s := range streams {
		if s.name == name {
			return s
		}
	}
	t.Fatal("no stream", name)
	return stream{}
}

// An answer that changes its provider in mid-sentence is whole, says no word twice, and tells who
// wrote which part.
func TestHandover(t *testing.T) {
	for i, pair := range pairs {
		a, b := named(t, pair[0]), named(t, pair[1])
		t.Run(a.name+" to "+b.name, func(t *testing.T) {
			t.Parallel()
			n := len(a.healthy(t, short, `{"words":3}`))
			step := 1
			if i > 0 {
				step = 5
			}
			for at := 0; at < n; at += step {
				for _, way := range []string{"exact", "restart"} {
					handover(t, a, b, at, way)
				}
			}
		})
	}
}

func handover(t *testing.T, a, b stream, at int, way string) {
	t.Helper()
	spec := a.spec(false)
	spec.Policy.Budget.Attempts, spec.Policy.Budget.Continues = 1, 0 // what A breaks, B mends
	second := b.spec(false).Target
	second.Model = "m2"
	if b.api == wire.Generate {
		second.Path = "/gemini/v1beta/models/{model}:{verb}"
	}
	spec.Fallbacks = []core.Target{second}
	first := a.plan(script(short, `{"words":3,"end":"reset","endAfterBytes":`+strconv.Itoa(at)+`}`, `{}`))
	store := new(sim.Store)
	next := script(short, `{"words":3}`, `{"words":3,"continues":"`+way+`"}`)
	got := Play(spec, func(n int, r *core.Request) sim.Exchange {
		if r.Target == 0 {
			return first(n, r)
		}
		path, query, _ := strings.Cut(r.URL, "?")
		return sim.Plan(store, sim.Request{Method: r.Method, Path: path, Query: query, Sim: next, Session: "b", Pace: "0", Body: r.Body})
	}, 0)
	if got.Status != core.Complete || got.Text != short {
		t.Fatalf("cut at %d, %s: %s %q (%+v)", at, way, got.Status, got.Text, got.Fault)
	}
	if got.Attempts[0].Fault.Decision == "" {
		return // the terminal came before the cut
	}
	if len(got.Attempts) != 2 {
		t.Fatalf("cut at %d, %s: %d attempts", at, way, len(got.Attempts))
	}
	x, y := got.Attempts[0], got.Attempts[1]
	kind := core.Elsewhere
	if x.TextLength > 0 {
		kind = core.Continued
	}
	if x.Provider != a.provider || y.Provider != b.provider || y.API != b.api || y.Model != "m2" || y.Target != 1 || y.Kind != kind {
		t.Fatalf("cut at %d, %s: begun by %s, then %s of %s %s %s", at, way, x.Provider, y.Kind, y.Provider, y.API, y.Model)
	}
	if total := x.TextLength + y.TextLength; total != len([]rune(short)) {
		t.Fatalf("cut at %d, %s: parts of %d and %d characters", at, way, x.TextLength, y.TextLength)
	}
}
