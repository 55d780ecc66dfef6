package splice_test

import (
	"strings"
	"testing"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/time"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// What a fetch costs beside an ordinary stream, an event a chunk.
func BenchmarkStream(b *testing.B) {
	for _, c := range []struct {
		name     string
		provider fault.Provider
		api      wire.API
		path     string
		body     string
	}{
		{"chat", fault.OpenAI, wire.Chat, "/openai/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"Tell me of tide pools."}]}`},
		{"responses", fault.OpenAI, wire.Responses, "/openai/v1/responses", `{"model":"m","stream":true,"input":"Tell me of tide pools."}`},
		{"messages", fault.Anthropic, wire.Messages, "/anthropic/v1/messages", `{"model":"m","stream":true,"max_tokens":4000,"messages":[{"role":"user","content":"Tell me of tide pools."}]}`},
		{"generate", fault.Gemini, wire.Generate, "/gemini/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"Tell me of tide pools."}]}]}`},
	} {
		path, query, _ := strings.Cut(c.path, "?")
		x := sim.Plan(new(sim.Store), sim.Request{Method: "POST", Path: path, Query: query, Sim: "{}", Session: "s", Pace: "0", Body: []byte(c.body)})
		end := "\n\n"
		if c.api == wire.Generate {
			end = "\r\n\r\n"
		}
		events := strings.SplitAfter(string(x.Body()), end)
		for _, raw := range []bool{false, true} {
			name := c.name + "/deltas"
			if raw {
				name = c.name + "/fetch"
			}
			b.Run(name, func(b *testing.B) {
				body, _ := json.Parse([]byte(c.body))
				now := time.Unix(1, 0)
				for b.Loop() {
					call := core.New(core.Spec{
						Target: core.Target{Provider: c.provider, API: c.api, Path: c.path, Policy: core.Defaults(c.provider, false)},
						Body:   body, Stream: true, Raw: raw, Random: func() float64 { return 0 },
					})
					call.Handle(now, core.Event{Kind: core.Start})
					call.Handle(now, core.Event{Kind: core.Responded, Attempt: 1, Status: 200})
					for _, e := range events {
						call.Handle(now, core.Event{Kind: core.Demand})
						call.Handle(now, core.Event{Kind: core.Received, Attempt: 1, Bytes: []byte(e)})
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
			})
		}
	}
}
