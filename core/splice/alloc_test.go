package splice_test

import (
	"testing"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// What a delta leaves behind is memory that a collector must find again, and under WebAssembly it never
// goes back to the host. Most of them leave nothing.
func TestDeltaLeavesNothing(t *testing.T) {
	for _, c := range []struct {
		provider    fault.Provider
		api         wire.API
		path, event string
	}{
		{fault.OpenAI, wire.Chat, "/v1/chat/completions", `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n"},
		{fault.OpenAI, wire.Responses, "/v1/responses", "event: response.output_text.delta\n" + `data: {"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":0,"delta":" word"}` + "\n\n"},
		{fault.Anthropic, wire.Messages, "/v1/messages", "event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" word"}}` + "\n\n"},
	} {
		for _, raw := range []bool{false, true} {
			t.Run(string(c.api), func(t *testing.T) { leavesNothing(t, c.provider, c.api, c.path, []byte(c.event), raw) })
		}
	}
}

func leavesNothing(t *testing.T, provider fault.Provider, api wire.API, path string, event []byte, raw bool) {
	body, _ := json.Parse([]byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}`))
	now := time.Unix(1, 0)
	call := core.New(core.Spec{
		Target: core.Target{Provider: provider, API: api, Base: "https://x", Path: path, Policy: core.Defaults(provider, false)},
		Body:   body, Stream: true, Raw: raw, Random: func() float64 { return 0 },
	})
	call.Handle(now, core.Event{Kind: core.Start})
	call.Handle(now, core.Event{Kind: core.Flow})
	call.Handle(now, core.Event{Kind: core.Responded, Attempt: 1, Status: 200})
	given := 0
	const deltas = 1000
	feed := func() {
		for range deltas {
			for _, a := range call.Handle(now, core.Event{Kind: core.Received, Attempt: 1, Bytes: event}) {
				if a.Kind == core.Emit && (a.Delta.Text != nil || a.Bytes != nil) {
					given++
				}
			}
		}
	}
	feed()
	if allocs := testing.AllocsPerRun(1, feed); allocs > deltas/20 { // the answer itself grows
		t.Errorf("raw %v: %v allocations for %d deltas", raw, allocs, deltas)
	}
	if given != 3*deltas {
		t.Errorf("raw %v: %d deltas given of %d", raw, given, 3*deltas)
	}
}
