package shared

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"holdfast/core/breaker"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/spend"
	"holdfast/core/sse"
	"holdfast/core/time"
	"holdfast/core/wire"
)

var start = time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC

// rig is a State with a clock.
type rig struct {
	*testing.T
	*State
	now time.Time
}

func newRig(t *testing.T, c Config) *rig { return &rig{t, New(c), start} }

var (
	a  = Target{Provider: fault.OpenAI, Model: "gpt-5"}
	a2 = Target{Provider: fault.OpenAI, Model: "gpt-5-mini"}
	b  = Target{Provider: fault.Anthropic, Model: "claude-sonnet-5"}
	e  = spend.Estimate{Input: 100, Output: 100}

	down     = fault.Lost(fault.Transport, "connection reset")
	limited  = fault.Classify(fault.XAI, fault.Response{Status: 429, Body: []byte(`{"code":"resource-exhausted","error":"slow down"}`)})
	patience = fault.Classify(fault.OpenAI, fault.Response{Status: 429, Header: header.Header{{Name: "retry-after", Value: "7"}},
		Body: []byte(`{"error":{"code":"rate_limit_exceeded","message":"slow down"}}`)})
)

func (r *rig) admit(t Target) *Ticket {
	r.Helper()
	ticket, refused := r.Admit(r.now, t, e)
	if refused.Decision != "" {
		r.Fatalf("%v is refused: %s, %s", t, refused.Reason, refused.Developer)
	}
	return ticket
}

func (r *rig) refused(t Target) fault.Fault {
	r.Helper()
	ticket, refused := r.Admit(r.now, t, e)
	if ticket != nil || refused.Decision == "" {
		r.Fatalf("%v is admitted", t)
	}
	return refused
}

func (r *rig) fail(t Target, f fault.Fault, times int) {
	r.Helper()
	for range times {
		r.admit(t).Report(r.now, Outcome{Fault: f})
	}
}

// of returns what health says of a target; "" as the model is the provider.
func (r *rig) of(host fault.Provider, model string) (found TargetHealth) {
	for _, h := range r.Health(r.now).Targets {
		if h.Host == string(host) && h.Model == model {
			found = h
		}
	}
	return found
}

func TestABreakerIsTheProviders(t *testing.T) {
	r := newRig(t, Config{})
	r.fail(a, down, 5)
	for _, target := range []Target{a, a2} {
		f := r.refused(target)
		if f.Reason != fault.CircuitOpen || f.Resets.Wait != 30*time.Second || f.Hint.Known || f.Breaker != fault.Ignore {
			t.Errorf("%+v", f)
		}
	}
	r.admit(b)
	r.admit(Target{Provider: fault.OpenAI, Host: "localhost:8080", Model: "gpt-5"}) // another server
	if h := r.of(fault.OpenAI, ""); h.Breaker != breaker.Open || h.RetryAt != start.Add(30*time.Second) {
		t.Errorf("%+v", h)
	}
}

func TestABreakerOfEachModel(t *testing.T) {
	r := newRig(t, Config{PerModel: true})
	r.fail(a, down, 5)
	if f := r.refused(a); f.Reason != fault.CircuitOpen {
		t.Errorf("%+v", f)
	}
	r.admit(a2)
}

func TestAnAnswerResetsTheCount(t *testing.T) {
	r := newRig(t, Config{})
	r.fail(a, down, 4)
	r.admit(a2).Report(r.now, Outcome{Usage: wire.Usage{Input: 10, Output: 10}})
	r.fail(a, down, 4)
	r.admit(a)
}

func TestARateLimitWithAHintIsAGate(t *testing.T) {
	r := newRig(t, Config{})
	for range 20 { // as when many calls are under way
		r.fail(a, patience, 0)
	}
	tickets := []*Ticket{r.admit(a), r.admit(a), r.admit(a), r.admit(a), r.admit(a), r.admit(a)}
	for _, ticket := range tickets {
		ticket.Report(r.now, Outcome{Fault: patience})
	}
	f := r.refused(a)
	if f.Reason != fault.RateLimit || f.Hint.Wait != 7*time.Second || !f.RetryWithin(time.Minute) || f.RetryWithin(time.Second) || f.Breaker != fault.Ignore {
		t.Errorf("%+v", f)
	}
	r.admit(a2)
	if h := r.of(fault.OpenAI, a.Model); !h.Gated || h.RetryAt != start.Add(7*time.Second) || h.Breaker != breaker.Closed || h.Failures != 0 {
		t.Errorf("%+v", h)
	}
	r.now = r.now.Add(7 * time.Second)
	r.admit(a)
}

func TestProbeThatNobodyReports(t *testing.T) {
	r := newRig(t, Config{})
	r.fail(a, down, 5)
	r.now = r.now.Add(30 * time.Second)
	lost := r.admit(a)
	if f := r.refused(a); f.Resets.Wait != 30*time.Second {
		t.Errorf("%+v", f)
	}
	r.now = r.now.Add(30 * time.Second)
	r.admit(a).Report(r.now, Outcome{})
	lost.Report(r.now, Outcome{Fault: down})
	if h := r.of(fault.OpenAI, ""); h.Breaker != breaker.Closed || h.Failures != 0 {
		t.Errorf("%+v", h)
	}
}

// A refusal takes nothing: neither the probe nor the money.
func TestARefusalTakesNothing(t *testing.T) {
	r := newRig(t, Config{Limit: spend.AtMost(1)})
	b, _, _ := r.targets.at(r.now, keyOf(a).provider()).breaker.Admit(r.now, breaker.Config{Failures: 1})
	b.Report(r.now, fault.Failing)
	r.now = r.now.Add(30 * time.Second)
	for range 3 {
		if f := r.refused(a); f.Reason != fault.Budget || !strings.Contains(f.Developer, "0.0000000001") || f.RetryWithin(time.Hour) {
			t.Fatalf("%+v", f)
		}
	}
	r = newRig(t, Config{})
	r.fail(a, limited, 5)
	r.refused(a)
	if f := r.Health(r.now).Spend; f.Held != 0 {
		t.Errorf("%+v", f)
	}
}

func TestPreempt(t *testing.T) {
	none := header.Header{{Name: "x-ratelimit-remaining-requests", Value: "0"}, {Name: "x-ratelimit-reset-requests", Value: "6s"}}
	for _, preempt := range []bool{false, true} {
		r := newRig(t, Config{Preempt: preempt})
		r.admit(a).Report(r.now, Outcome{Header: none})
		ticket, f := r.Admit(r.now, a, e)
		if (ticket == nil) != preempt || preempt && f.Hint.Wait != 6*time.Second {
			t.Errorf("preempt %v: %+v", preempt, f)
		}
		if h := r.of(fault.OpenAI, a.Model); h.Wait.Wait != 6*time.Second || h.At != start {
			t.Errorf("%+v", h)
		}
	}
}

func TestThrottle(t *testing.T) {
	r := newRig(t, Config{})
	for r.Retry(r.now) {
	}
	if h := r.Health(r.now); h.Retries != 0 || !h.Throttled {
		t.Errorf("%+v", h)
	}
	for range 5 {
		r.admit(a).Report(r.now, Outcome{})
	}
	if !r.Retry(r.now) || r.Retry(r.now) {
		t.Error("five answers earn a retry")
	}
}

func TestWhatAnAttemptCosts(t *testing.T) {
	const in, out = 12_500, 100_000 // ticks per token of gpt-5
	half := wire.Usage{Input: 50}
	for _, c := range []struct {
		name    string
		outcome Outcome
		took    time.Duration
		want    spend.Bill
	}{
		{"an answer", Outcome{Usage: wire.Usage{Input: 50, Output: 10}}, time.Second, spend.Bill{Cost: 50*in + 10*out}},
		{"never sent", Outcome{Unsent: true, Fault: fault.Lost(fault.Cancelled, "")}, time.Second, spend.Bill{}},
		{"refused by the provider", Outcome{Fault: patience, Header: header.Header{}}, time.Second, spend.Bill{}},
		{"not processed", Outcome{Fault: fault.Lost(fault.NotProcessed, "")}, time.Minute, spend.Bill{}},
		{"no connection", Outcome{Fault: down}, time.Second, spend.Bill{}},
		{"a lost connection", Outcome{Fault: down}, time.Minute, spend.Bill{Cost: 100*in + 100*out, Estimated: true}},
		{"cut", Outcome{Fault: fault.Lost(fault.Truncated, ""), Header: header.Header{}, Usage: half, Seen: 80}, time.Second, spend.Bill{Cost: 50*in + 20*out, Estimated: true}},
		{"stopped by the user", Outcome{Fault: fault.Lost(fault.Cancelled, ""), Seen: 80}, time.Second, spend.Bill{Cost: 100*in + 20*out, Estimated: true}},
		{"an error event after text", Outcome{Fault: fault.Event(fault.OpenAI, nil, nil), Seen: 80}, time.Second, spend.Bill{Cost: 100*in + 20*out, Estimated: true}},
		{"an error event before text", Outcome{Fault: fault.Event(fault.OpenAI, nil, nil)}, time.Second, spend.Bill{}},
	} {
		r := newRig(t, Config{})
		ticket := r.admit(a)
		if got := ticket.Report(r.now.Add(c.took), c.outcome); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if again := ticket.Report(r.now, Outcome{Fault: down}); again != (spend.Bill{}) || r.Health(r.now).Spend.Held != 0 {
			t.Errorf("%s: reported twice", c.name)
		}
	}
}

func TestNil(t *testing.T) {
	var s *State
	ticket, f := s.Admit(start, a, e)
	if f.Decision != "" || ticket.Report(start, Outcome{}) != (spend.Bill{}) || !s.Retry(start) || !reflect.DeepEqual(s.Health(start), Health{}) {
		t.Error("a nil State is in the way")
	}
}

// Model names come from requests: anybody may invent a million of them.
func TestTheTableIsBounded(t *testing.T) {
	r := newRig(t, Config{PerModel: true})
	r.fail(a, down, 5)
	for n := range 5 * maxEntries {
		r.now = r.now.Add(time.Millisecond)
		r.admit(Target{Provider: fault.Gloo, Model: strings.Repeat("x", 500) + fmt.Sprint(n)})
		r.admit(Target{Provider: fault.Gloo, Model: fmt.Sprint(n)}).Report(r.now, Outcome{})
	}
	if n := len(r.targets.entries); n != maxEntries {
		t.Errorf("%d entries", n)
	}
	r.refused(a) // what matters is kept
}

// The field cases of this area. fal-007 needs the chain for the rest: here its ground.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		id, source string
		test       func(*testing.T)
	}{
		{"fal-007", "openclaw/openclaw#13807", func(t *testing.T) {
			r := newRig(t, Config{})
			r.fail(a, down, 5)
			calls := map[fault.Provider]int{}
			for _, target := range []Target{a, b} {
				if ticket, f := r.Admit(r.now, target, e); ticket != nil {
					calls[target.Provider]++
				} else if f.Fallback != fault.AfterRetries || f.Hint.Wait != 0 {
					t.Errorf("%+v", f)
				}
			}
			if calls[a.Provider] != 0 || calls[b.Provider] != 1 {
				t.Errorf("%v", calls)
			}
			r.now = r.now.Add(10 * time.Second) // all are open: each says when it reopens
			r.fail(b, down, 5)
			if one, other := r.refused(a).Resets.Wait, r.refused(b).Resets.Wait; min(one, other) != 20*time.Second {
				t.Errorf("%v and %v", one, other)
			}
		}},
		{"brk-002", "bytedance/deer-flow#3991", func(t *testing.T) {
			r := newRig(t, Config{})
			r.fail(a, down, 5)
			r.now = r.now.Add(30 * time.Second)
			r.fail(a, fault.Classify(fault.OpenAI, fault.Response{Status: 401}), 1)
			if h := r.of(fault.OpenAI, ""); h.Breaker != breaker.HalfOpen || h.Failures != 0 {
				t.Errorf("%+v", h)
			}
			r.admit(a)
		}},
		{"brk-003", "github/gh-aw-mcpg#10686", func(t *testing.T) {
			r := newRig(t, Config{})
			r.fail(a, down, 5)
			r.now = r.now.Add(31 * time.Second)
			r.fail(a, fault.Network("TypeError", "", "Failed to fetch"), 1)
			if f := r.refused(a); f.Resets.Wait != 30*time.Second {
				t.Errorf("%+v", f)
			}
			r.now = r.now.Add(-time.Hour)
			if f := r.refused(a); f.Resets.Wait < 0 || f.Resets.Wait > 30*time.Second {
				t.Errorf("%+v", f)
			}
		}},
		{"brk-005", "llm4s/llm4s#460", func(t *testing.T) {
			r := newRig(t, Config{})
			r.fail(a, down, 5)
			r.now = r.now.Add(30 * time.Second)
			admitted := 0
			for range 50 {
				if ticket, _ := r.Admit(r.now, a, e); ticket != nil {
					admitted++
				}
			}
			if admitted != 1 {
				t.Errorf("%d admitted", admitted)
			}
		}},
		{"brk-006", "projectbeskar/virtrigaud#70", func(t *testing.T) {
			r := newRig(t, Config{})
			r.fail(a, down, 5)
			if f := r.refused(a); f.Decision != fault.Stop || f.RetryWithin(1<<62) || f.Fallback != fault.AfterRetries {
				t.Errorf("%+v", f)
			}
		}},
		{"brk-007", "BerriAI/litellm#41223", func(t *testing.T) {
			r := newRig(t, Config{})
			for range 5 {
				r.admit(a).Report(r.now, Outcome{Fault: fault.Lost(fault.Timeout, "after 1 s"), Impatient: true})
			}
			if h := r.of(fault.OpenAI, ""); h.Breaker != breaker.Closed || h.Failures != 0 {
				t.Errorf("%+v", h)
			}
			r.fail(a, fault.Lost(fault.Timeout, "after 600 s"), 5)
			r.refused(a)
		}},
		{"brk-008", "BerriAI/litellm#17464", func(t *testing.T) {
			r := newRig(t, Config{})
			r.fail(a, fault.Classify(fault.OpenAI, fault.Response{Status: 503}), 1)
			if h := r.of(fault.OpenAI, ""); h.Breaker != breaker.Closed || h.Failures != 1 {
				t.Errorf("%+v", h)
			}
		}},
		{"brk-010", "openclaw/openclaw#5744", func(t *testing.T) {
			r := newRig(t, Config{})
			r.fail(a, limited, 1)
			if h := r.of(fault.OpenAI, a.Model); h.Failures != 1 {
				t.Errorf("%+v", h)
			}
			if h := r.of(fault.OpenAI, ""); h.Failures != 0 {
				t.Errorf("%+v", h)
			}
			r.fail(a, limited, 4)
			r.refused(a)
			r.admit(a2)
		}},
		{"brk-012", "use-agent-os/agent-os#2214", func(t *testing.T) {
			r := newRig(t, Config{})
			r.fail(a, down, 4)
			ticket := r.admit(a)
			stream := wire.NewStream(wire.Chat, fault.OpenAI, nil) // HTTP 200: nothing is reported yet
			stream.Event(sse.Event{Data: []byte(`{"error":{"code":502,"message":"x"},"choices":[]}`)})
			ticket.Report(r.now, Outcome{Fault: stream.Fault})
			if h := r.of(fault.OpenAI, ""); h.Breaker != breaker.Open {
				t.Errorf("%+v", h)
			}
		}},
		{"wrk-011", "cmliu/CF-Workers-SUB#42", func(t *testing.T) {
			r := newRig(t, Config{})
			r.fail(a, fault.Network("Error", "", "Too many subrequests."), 9)
			r.admit(a)
		}},
	} {
		t.Run(c.id, c.test)
	}
}

func Example() {
	state := New(Config{Limit: spend.AtMost(spend.USD / 100)})
	now := start
	target := Target{Provider: fault.OpenAI, Model: "gpt-5"}
	body := json.Value(`{"model":"gpt-5","max_completion_tokens":100,"messages":[{"role":"user","content":"Hi"}]}`)

	for attempt := 1; ; attempt++ {
		ticket, refused := state.Admit(now, target, spend.Guess(wire.Chat, body))
		if refused.Decision != "" {
			fmt.Println("refused:", refused.Reason, "for", refused.Resets.Wait)
			return
		}
		f := fault.Lost(fault.Transport, "connection reset") // … the exchange …
		bill := ticket.Report(now, Outcome{Fault: f})
		fmt.Println("attempt", attempt, f.Reason, "cost", bill.Cost)
		if !state.Retry(now) {
			return
		}
	}
	// Output:
	// attempt 1 transport cost 0
	// attempt 2 transport cost 0
	// attempt 3 transport cost 0
	// attempt 4 transport cost 0
	// attempt 5 transport cost 0
	// refused: circuit_open for 30s
}
