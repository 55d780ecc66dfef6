package core

import (
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/shared"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// A quote is what the dearest target of the chain would set aside, whether or not the first one only
// tells the form.
func TestQuote(t *testing.T) {
	now := time.Unix(1795996800, 0) // 2026-11-30 UTC
	body := json.Value(`{"model":"gpt-5-mini","max_completion_tokens":1000,"messages":[{"role":"user","content":"Hi"}]}`)
	own := Target{Provider: fault.OpenAI, API: wire.Chat, Base: "https://api.openai.com", Path: "/v1/chat/completions"}
	dear := Target{Provider: fault.Anthropic, API: wire.Messages, Base: "https://api.anthropic.com", Path: "/v1/messages", Model: "claude-opus-5"}
	unknown := dear
	unknown.Model = "nobody-knows"
	for _, c := range []struct {
		name        string
		spec        Spec
		least, most float64 // USD
	}{
		{"alone", Spec{Target: own, Body: body}, 0.0019, 0.0022},
		{"with a dear fallback", Spec{Target: own, Body: body, Fallbacks: []Target{dear}}, 0.024, 0.027},
		{"of the chain only", Spec{Target: own, Body: body, Fallbacks: []Target{dear}, First: 1}, 0.024, 0.027},
		{"unknown is dear", Spec{Target: own, Body: body, Fallbacks: []Target{dear, unknown}}, 0.14, 0.16},
		{"streamed", Spec{Target: own, Body: body, Stream: true, Raw: true}, 0.0019, 0.0022},
	} {
		for _, state := range []*shared.State{nil, shared.New(shared.Config{})} {
			c.spec.Shared = state
			if usd := c.spec.Quote(now).Dollars(); usd < c.least || usd > c.most {
				t.Errorf("%s: %v USD", c.name, usd)
			}
		}
	}
}
