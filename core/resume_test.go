package core

import (
	"fmt"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
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
