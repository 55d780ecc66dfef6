package core

import (
	"fmt"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/shared"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// A provider whose stream breaks after every event does not keep a call for ever.
func TestResumesAreBounded(t *testing.T) {
	s := spec(t, true)
	s.Provider, s.API, s.Policy = fault.OpenAI, wire.Responses, Defaults(fault.OpenAI, true)
	s.Body, _ = json.Parse([]byte(`{"model":"m","background":true,"input":"Hi"}`))
	c := New(s)
	now, attempt, done := start, 0, false
	handle := func(e Event) {
		for _, e := range []Event{e, {Kind: Demand}} {
			for _, a := range c.Handle(now, e) {
				switch a.Kind {
				case Send:
					attempt = a.Attempt
				case Done:
					done = true
				}
			}
		}
	}
	handle(Event{Kind: Start})
	for n := 0; !done; n++ {
		if n > 1000 {
			t.Fatal("it goes on for ever")
		}
		handle(Event{Kind: Responded, Attempt: attempt, Status: 200})
		handle(Event{Kind: Received, Attempt: attempt, Bytes: fmt.Appendf(nil, "data: {\"type\":\"response.created\",\"sequence_number\":%d,\"response\":{\"id\":\"r1\"}}\n\n", n)})
		handle(Event{Kind: Broke, Attempt: attempt, Fault: fault.Lost(fault.Transport, "gone")})
		now = now.Add(time.Minute)
		handle(Event{Kind: Tick})
	}
}

// An answer that is fetched later costs what it says in the end, and its provider is well.
func TestAFetchedAnswerIsBilled(t *testing.T) {
	s := spec(t, false)
	s.Provider, s.Policy = fault.XAI, Defaults(fault.XAI, false)
	s.Body, _ = json.Parse([]byte(`{"model":"grok-4.6","deferred":true,"messages":[]}`))
	s.Shared = shared.New(shared.Config{})
	for n := range 8 { // more than open a breaker
		c, now, result := New(s), start.Add(time.Duration(n)*time.Minute), (*Result)(nil)
		handle := func(e Event) {
			for _, a := range c.Handle(now, e) {
				if a.Kind == Done {
					result = a.Result
				}
			}
		}
		answer := func(attempt, status int, body string) {
			handle(Event{Kind: Responded, Attempt: attempt, Status: status})
			handle(Event{Kind: Received, Attempt: attempt, Bytes: []byte(body)})
			handle(Event{Kind: Ended, Attempt: attempt})
		}
		wait := func() {
			now, _ = c.Deadline()
			handle(Event{Kind: Tick})
		}
		handle(Event{Kind: Start})
		handle(Event{Kind: Flow})
		answer(1, 200, `{"request_id":"q1"}`)
		if s.Shared.Health(now).Spend.Held == 0 {
			t.Fatal("what is being made is settled")
		}
		wait()
		answer(2, 503, "")
		wait()
		if n == 7 {
			handle(Event{Kind: Aborted})
		} else {
			answer(3, 200, `{"choices":[{"index":0,"message":{"content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":900,"cost_in_usd_ticks":54180000}}`)
		}
		switch spent := s.Shared.Health(now).Spend; {
		case result == nil || spent.Held != 0:
			t.Fatalf("call %d: %+v, %+v", n, result, spent)
		case n == 7:
		case result.Status != Complete || result.Bill.Estimated || result.Bill.Cost != 54180000 || result.Attempts[0].Bill != result.Bill || spent.Spent != spend.Ticks(54180000*(n+1)):
			t.Fatalf("call %d: %+v, %+v", n, result, spent)
		}
	}
}

// A stream that is resumed is billed once, by what its end reports; by what came of it when that is
// never learnt.
func TestAResumedAnswerIsBilled(t *testing.T) {
	for _, ends := range []bool{true, false} {
		s := spec(t, false)
		s.Provider, s.API, s.Policy = fault.OpenAI, wire.Responses, Defaults(fault.OpenAI, false)
		s.Policy.Budget.Continues = 0
		s.Body, _ = json.Parse([]byte(`{"model":"gpt-5","background":true,"input":"Hi"}`))
		s.Shared = shared.New(shared.Config{})
		c, now, result := New(s), start, (*Result)(nil)
		handle := func(e Event) {
			for _, a := range c.Handle(now, e) {
				if a.Kind == Done {
					result = a.Result
				}
			}
		}
		handle(Event{Kind: Start})
		handle(Event{Kind: Flow})
		handle(Event{Kind: Responded, Attempt: 1, Status: 200})
		handle(Event{Kind: Received, Attempt: 1, Bytes: []byte("data: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"r1\"}}\n\n" +
			"data: {\"type\":\"response.output_text.delta\",\"sequence_number\":1,\"delta\":\"" + answer + "\"}\n\n")})
		handle(Event{Kind: Broke, Attempt: 1, Fault: fault.Lost(fault.Transport, "gone")})
		for n := 2; result == nil; n++ {
			now, _ = c.Deadline()
			handle(Event{Kind: Tick})
			if !ends {
				handle(Event{Kind: Broke, Attempt: n, Fault: fault.Lost(fault.Transport, "gone")})
				continue
			}
			handle(Event{Kind: Responded, Attempt: n, Status: 200})
			handle(Event{Kind: Received, Attempt: n, Bytes: []byte("data: {\"type\":\"response.completed\",\"sequence_number\":2,\"response\":{\"id\":\"r1\",\"status\":\"completed\",\"usage\":{\"input_tokens\":50,\"output_tokens\":10}}}\n\n")})
		}
		bill, spent := result.Bill, s.Shared.Health(now).Spend
		want := spend.Ticks(50*12_500 + 10*100_000)
		if !ends {
			want = spend.Ticks(len(answer) / 4 * 100_000) // and its input
		}
		if bill.Estimated == ends || ends && bill.Cost != want || bill.Cost < want || spent.Spent != bill.Cost || spent.Held != 0 || spent.Attempts != 1 {
			t.Errorf("to its end %v: %+v, %+v", ends, bill, spent)
		}
	}
}

// An event that is too large will be so again: it is asked for once more, and no more than that.
func TestAnEventThatIsTooLarge(t *testing.T) {
	s := spec(t, false)
	s.Provider, s.Policy = fault.OpenAI, Defaults(fault.OpenAI, false)
	s.Policy.MaxEvent = 100
	c, now, attempts, result := New(s), start, 0, (*Result)(nil)
	handle := func(e Event) {
		e.Attempt = attempts
		for _, a := range c.Handle(now, e) {
			switch a.Kind {
			case Send:
				attempts = a.Attempt
			case Done:
				result = a.Result
			}
		}
	}
	handle(Event{Kind: Start})
	handle(Event{Kind: Flow})
	for result == nil && attempts < 10 {
		handle(Event{Kind: Responded, Status: 200})
		handle(Event{Kind: Received, Bytes: []byte("data: " + answer)})
		now, _ = c.Deadline()
		handle(Event{Kind: Tick})
	}
	if attempts != 2 || result.Fault.Reason != fault.MalformedStream || result.Fault.Developer != "an event is larger than 100 bytes (policy.maxEventBytes)" {
		t.Errorf("%d attempts, %+v", attempts, result)
	}
}
