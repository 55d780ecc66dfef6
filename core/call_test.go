package core

import (
	"fmt"
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/shared"
	"holdfast/core/time"
	"holdfast/core/wire"
)

var start = time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC

func spec(t testing.TB, background bool) Spec {
	body, err := json.Parse([]byte(`{"model":"m","messages":[{"role":"user","content":"Hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		Target: Target{Provider: fault.Gloo, API: wire.Chat, Base: "https://provider.test", Path: "/", Policy: Defaults(fault.Gloo, background)},
		Stream: true, Background: background, Body: body, Random: func() float64 { return 0.5 },
	}
}

// A network that goes away breaks all that is under way, and that says nothing about the provider: when it is
// back, each call goes on.
func TestNetworkAway(t *testing.T) {
	state, now := shared.New(shared.Config{}), start
	var calls []*Call
	sent := 0
	tell := func(c *Call, e Event) {
		for _, a := range c.Handle(now, e) {
			if a.Kind == Send {
				sent++
			}
		}
	}
	for range 8 {
		s := spec(t, false)
		s.Shared = state
		calls = append(calls, New(s))
	}
	all := func(e Event) {
		for _, c := range calls {
			tell(c, e)
		}
	}
	all(Event{Kind: Start})
	all(Event{Kind: Demand})
	for i, c := range calls {
		if i%2 == 0 { // the others are still to be answered
			tell(c, Event{Kind: Responded, Attempt: 1, Status: 200})
			tell(c, Event{Kind: Received, Attempt: 1, Bytes: []byte(`data: {"choices":[{"delta":{"content":"Hello"}}]}` + "\n\n")})
		}
	}
	all(Event{Kind: Offline})
	all(Event{Kind: Broke, Attempt: 1, Fault: fault.Network("TypeError", "", "network error")})
	now = now.Add(time.Second)
	all(Event{Kind: Tick})
	sent = 0
	if all(Event{Kind: Online}); sent != len(calls) {
		t.Errorf("%d of %d calls asked again", sent, len(calls))
	}
	for _, target := range state.Health(now).Targets {
		if target.Failures != 0 {
			t.Errorf("%d failures of %s", target.Failures, target.Host)
		}
	}
}

// answer is what the fuzzed provider says: no word twice, so that a repeat is seen.
var answer = func() string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "w%dord%d, ", i, i*7)
	}
	return b.String()
}()

// provider plays the other side of a fuzzed call, honestly: it says the answer's words from where
// each request asks for, and ends only when all is said.
type provider struct {
	attempt, at int
	open        bool // the exchange runs
	answered    bool // with 200
}

func (p *provider) request(a Action, way byte) {
	p.attempt, p.at, p.open, p.answered = a.Attempt, 0, true, false
	last := ""
	a.Request.Body.Get("messages").Each(func(_ string, m json.Value) bool { last = m.Get("content").Text(); return true })
	for n := len(answer); n > 0; n-- {
		if !strings.Contains(last, answer[:n]) {
			continue
		}
		switch way % 3 {
		case 0:
			p.at = n
		case 1: // the last words again
			p.at = strings.LastIndex(answer[:max(0, n-6)], " ") + 1
		}
		return
	}
}

// FuzzCall: whatever happens in whatever order, a call ends at most once and does nothing after
// it; what it shows is the answer's beginning, never twice and never out of order; and complete
// means all of it.
func FuzzCall(f *testing.F) {
	f.Add([]byte{1, 2, 9, 2, 30, 6, 1, 2, 200, 2, 200, 5, 0}, false)
	f.Add([]byte{1, 2, 60, 6, 8, 1, 2, 255, 2, 255, 2, 255, 5}, true)
	f.Add([]byte{4, 1, 2, 30, 3, 8, 8, 8, 12, 9, 10, 1}, false)
	f.Fuzz(func(t *testing.T, script []byte, background bool) {
		c := New(spec(t, background))
		p := &provider{}
		now := start
		shown, done, away := "", (*Result)(nil), false
		next := func() byte {
			if len(script) == 0 {
				return 0
			}
			b := script[0]
			script = script[1:]
			return b
		}
		handle := func(e Event) {
			for _, a := range c.Handle(now, e) {
				if done != nil {
					t.Fatalf("%v after Done", a.Kind)
				}
				switch a.Kind {
				case Send:
					if p.open {
						t.Fatal("two exchanges at once")
					}
					p.request(a, next())
				case Cancel:
					p.open = false
				case Done:
					done = a.Result
				case Emit:
					switch {
					case a.Note != nil:
					case a.Delta.Kind == wire.Restart:
						if !background {
							t.Fatal("a live answer was taken back")
						}
						shown = ""
					default:
						shown += string(a.Delta.Text)
					}
				}
			}
			if !strings.HasPrefix(answer, shown) {
				t.Fatalf("shown %q", shown)
			}
		}
		handle(Event{Kind: Start})
		for step := 0; done == nil && step < 2000; step++ {
			e := Event{Attempt: p.attempt}
			op := next() % 13
			if op >= 1 && op <= 8 && !p.open || op >= 2 && op <= 5 && !p.answered || (op == 1 || op == 8) && p.answered || op == 7 && !p.answered {
				continue // an honest host does not say that
			}
			switch op {
			case 0:
				if at, ok := c.Deadline(); ok {
					now = at
				}
				e.Kind = Tick
			case 1:
				e.Kind, e.Status = Responded, 200
				p.answered = true
			case 2, 3: // text
				n := min(len(answer), p.at+int(next()))
				e.Kind = Received
				e.Bytes = fmt.Appendf(nil, "data: {\"choices\":[{\"delta\":{\"content\":%q}}]}\n\n", answer[p.at:n])
				p.at = n
			case 4:
				e.Kind, e.Bytes = Received, []byte(": ping\n\n")
			case 5: // the terminal, once all is said
				e.Kind, e.Bytes = Received, []byte("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
				if p.at < len(answer) {
					e.Bytes = []byte("data: {\"cho\n\n")
				}
			case 6:
				e.Kind, e.Fault = Broke, fault.Network("TypeError", "ECONNRESET", "terminated")
				p.open = false
			case 7:
				e.Kind = Ended
				p.open = false
			case 8:
				e.Kind, e.Status, e.Header = Responded, 503, header.Header{{Name: "retry-after", Value: "1"}}
				handle(e)
				e.Kind, e.Bytes = Received, []byte(`{"error":{"code":2004,"retryable":true}}`)
				handle(e)
				e.Kind = Ended
				p.open = false
			case 9:
				e.Kind, e.Attempt = Received, int(next()) // of an attempt that may be long gone
				e.Bytes = []byte("data: {\"choices\":[{\"delta\":{\"content\":\"stale\"}}]}\n\n")
				if e.Attempt == p.attempt {
					continue
				}
			case 10:
				e.Kind, away = Offline, true
			case 11:
				e.Kind = Online
			case 12:
				e.Kind = Demand
				if next() == 1 {
					e.Kind = Aborted
				}
			}
			handle(e)
			handle(Event{Kind: Demand})
			now = now.Add(time.Millisecond)
		}
		if done == nil {
			return
		}
		if done.Text != shown {
			t.Fatalf("the result has %q, shown was %q", done.Text, shown)
		}
		if done.Status == Complete && shown != answer {
			t.Fatalf("complete with %d of %d bytes", len(shown), len(answer))
		}
		if (done.Status == Complete) != (done.Fault.Decision == "") {
			t.Fatalf("%s with %q", done.Status, done.Fault.Reason)
		}
		live := 0
		for _, a := range done.Attempts {
			if a.Kind == Continued {
				live++
			}
		}
		if live > 1 || len(done.Attempts) > 5 && !away { // attempts that an absent network broke are free
			t.Fatalf("%d continuations in %d attempts", live, len(done.Attempts))
		}
		handle(Event{Kind: Tick})
	})
}

// Every attempt is reported with all that support asks for. Brief 000, step 8.
func TestReport(t *testing.T) {
	c := New(spec(t, false))
	var result *Result
	handle := func(at time.Duration, e Event) {
		for _, e := range []Event{e, {Kind: Demand}} {
			for _, a := range c.Handle(start.Add(at), e) {
				if a.Kind == Done {
					result = a.Result
				}
			}
		}
	}
	handle(0, Event{Kind: Start})
	handle(100*time.Millisecond, Event{Kind: Responded, Attempt: 1, Status: 503, Header: header.Header{{Name: "X-Request-Id", Value: "r1"}, {Name: "X-Gloo-Error-Code", Value: "provider_unavailable"}}})
	handle(110*time.Millisecond, Event{Kind: Received, Attempt: 1, Bytes: []byte(`{"error":{"code":2002,"name":"PROVIDER_UNAVAILABLE","fault":"provider","retryable":true,"trace_id":"t1","developer_message":"All routes failed.","message":"Busy."}}`)})
	handle(120*time.Millisecond, Event{Kind: Ended, Attempt: 1})
	handle(time.Second, Event{Kind: Tick})
	handle(1100*time.Millisecond, Event{Kind: Responded, Attempt: 2, Status: 200, Header: header.Header{{Name: "X-Gloo-Model-Redirected-From", Value: "old"}}})
	handle(1200*time.Millisecond, Event{Kind: Received, Attempt: 2, Bytes: []byte("data: {\"id\":\"c1\",\"model\":\"new\",\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1,\"total_tokens\":4}}\n\n")})
	handle(1300*time.Millisecond, Event{Kind: Ended, Attempt: 2})
	if result == nil || len(result.Attempts) != 2 {
		t.Fatalf("result %+v", result)
	}
	a, b := result.Attempts[0], result.Attempts[1]
	f := a.Fault
	if a.Number != 1 || a.Model != "m" || a.HTTPStatus != 503 || a.RequestID != "r1" || a.TraceID != "t1" || a.Headers != 100*time.Millisecond || a.Took != 120*time.Millisecond ||
		f.Code != "provider_unavailable" || f.Name != "PROVIDER_UNAVAILABLE" || f.Number != 2002 || f.Blame != "provider" || f.Retryable != "true" || f.Developer == "" || f.Message != "Busy." {
		t.Errorf("first attempt %+v", a)
	}
	if b.Kind != Retried || b.Waited != 250*time.Millisecond || b.WaitSource != "backoff" || b.TextLength != 2 || b.Finish != "stop" || b.FirstDelta != 200*time.Millisecond || b.Usage.Total != 4 {
		t.Errorf("second attempt %+v", b)
	}
	if result.Status != Complete || result.Redirected != "old" || result.Model != "new" || result.ID != "c1" || result.First.Reason != fault.Overloaded || result.Retries != 1 {
		t.Errorf("result %+v", result)
	}
}

// A whole answer of which the provider tells no usage costs what its text lets guess, and is never free.
func TestWholeWithoutUsage(t *testing.T) {
	for usage, want := range map[string]int64{"": 1000, `,"usage":{"prompt_tokens":9,"completion_tokens":2}`: 2} {
		s := spec(t, false)
		s.Stream, s.Provider, s.Shared = false, fault.OpenAI, shared.New(shared.Config{})
		s.Body = json.Value(`{"model":"gpt-5-mini","messages":[]}`)
		c, now := New(s), start
		var result *Result
		for _, e := range []Event{
			{Kind: Start},
			{Kind: Responded, Attempt: 1, Status: 200},
			{Kind: Received, Attempt: 1, Bytes: []byte(`{"choices":[{"message":{"content":"` + strings.Repeat("word ", 800) + `"},"finish_reason":"stop"}]` + usage + `}`)},
			{Kind: Ended, Attempt: 1},
		} {
			for _, a := range c.Handle(now, e) {
				if a.Kind == Done {
					result = a.Result
				}
			}
			c.Handle(now, Event{Kind: Demand})
		}
		const output = 20_000 // ticks a token of gpt-5-mini
		if result == nil || result.Status != Complete {
			t.Fatalf("%q: it did not end well", usage)
		}
		if result.Bill.Estimated != (usage == "") || int64(result.Bill.Cost) < want*output || int64(result.Bill.Cost) > (want+100)*output {
			t.Errorf("%q: %+v", usage, result.Bill)
		}
	}
}

// What came of an answer that broke off is billed: its bytes, also those of a tool's arguments.
func TestACutAnswerIsBilled(t *testing.T) {
	for _, c := range []struct {
		api         wire.API
		begin, said string
		rest        string
	}{
		{wire.Chat, `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":""}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"`, `"}}]}}]}`},
		{wire.Messages, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"`, `"}}`},
		{wire.Responses, `{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"t","name":"f"}}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"`, `"}`},
		{wire.Generate, `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]}`,
			`{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"`, `","willContinue":true}],"willContinue":true}}]}}]}`},
		{wire.Interactions, `{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"t","name":"f"}}`,
			`{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"`, `"}}`},
		{wire.Chat, "", `{"choices":[{"delta":{"content":"`, `"}}]}`},
	} {
		s := spec(t, false)
		s.API, s.Provider, s.Shared = c.api, fault.OpenAI, shared.New(shared.Config{})
		s.Body = json.Value(`{"model":"gpt-5-mini","messages":[],"input":"Hi","contents":[]}`)
		s.Policy.Passive = true
		call := New(s)
		var result *Result
		for _, e := range []Event{
			{Kind: Start},
			{Kind: Responded, Attempt: 1, Status: 200},
			{Kind: Received, Attempt: 1, Bytes: []byte("data: " + c.begin + "\n\n")},
			{Kind: Received, Attempt: 1, Bytes: []byte("data: " + c.said + strings.Repeat("字", 4000) + c.rest + "\n\n")},
			{Kind: Broke, Attempt: 1, Fault: fault.Lost(fault.Transport, "reset")},
		} {
			for _, a := range call.Handle(start, e) {
				if a.Kind == Done {
					result = a.Result
				}
			}
			call.Handle(start, Event{Kind: Demand})
		}
		const output = 20_000 // ticks a token of gpt-5-mini
		if result == nil || !result.Bill.Estimated || result.Bill.Cost < 3000*output || result.Bill.Cost > 3200*output {
			t.Errorf("%s: %+v", c.api, result)
		}
	}
}
