package translate

import (
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// TestModels: a fallback is not asked for what its model refuses, and others still are.
func TestModels(t *testing.T) {
	const all = `{"messages":[{"role":"user","content":"Hi"}],"max_tokens":99,"temperature":0.2,"top_p":0.9,"presence_penalty":0.5,"stop":"END","seed":1}`
	for _, c := range []struct {
		api      wire.API
		provider fault.Provider
		model    string
		dropped  string
	}{
		{chat, fault.OpenAI, "gpt-4.1-mini", ""},
		{chat, fault.OpenAI, "gpt-5-chat-latest", ""},
		{chat, fault.OpenAI, "gpt-oss-120b", ""},
		{chat, fault.OpenAI, "omni", ""},
		{chat, fault.OpenAI, "gpt-5.5", "/temperature, /top_p, /presence_penalty, /stop"},
		{chat, fault.OpenAI, "o4-mini", "/temperature, /top_p, /presence_penalty, /stop"},
		{chat, fault.Gloo, "gpt-5.5", ""},
		{responses, fault.OpenAI, "gpt-5-mini", "/seed, /presence_penalty, /temperature, /top_p, /stop"},
		{chat, fault.XAI, "grok-4.5", "/presence_penalty, /stop"},
		{chat, fault.XAI, "grok-4-1-fast-non-reasoning", ""},
		{chat, fault.XAI, "grok-3", ""},
		{messages, fault.Anthropic, "claude-sonnet-4-5-20250929", "/seed, /presence_penalty, /top_p"},
		{messages, fault.Anthropic, "claude-3-7-sonnet-latest", "/seed, /presence_penalty, /top_p"},
		{messages, fault.Anthropic, "claude-opus-4-20250514", "/seed, /presence_penalty, /top_p"},
		{messages, fault.Anthropic, "claude-opus-4-8", "/seed, /presence_penalty, /temperature, /top_p"},
		{messages, fault.Anthropic, "claude-sonnet-5", "/seed, /presence_penalty, /temperature, /top_p"},
	} {
		r, err := Request(Source{API: chat}, json.Value(all), Target{API: c.api, Provider: c.provider, Model: c.model})
		var dropped []string
		for _, d := range r.Dropped {
			at, _, _ := strings.Cut(d, " ")
			dropped = append(dropped, strings.TrimSuffix(at, "/0"))
		}
		if got := strings.Join(dropped, ", "); err != nil || got != c.dropped {
			t.Errorf("%s: %v, dropped %q, want %q: %s", c.model, err, got, c.dropped, r.Body)
		}
	}
	usual := json.Value(`{"messages":[{"role":"user","content":"Hi"}],"temperature":1,"top_p":1,"presence_penalty":0,"logprobs":false}`)
	r, err := Request(Source{API: chat, Provider: fault.OpenAI}, usual, Target{API: chat, Provider: fault.OpenAI, Model: "gpt-5"})
	if err != nil || len(r.Dropped) > 0 || string(r.Body) != `{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}` {
		t.Errorf("%v %q %s", err, r.Dropped, r.Body)
	}
	long := json.Value(`{"messages":[{"role":"user","content":"Hi"}],"logit_bias":{"1":2},"n":2}`)
	r, err = Request(Source{API: chat, Provider: fault.OpenAI}, long, Target{API: chat, Provider: fault.OpenAI, Model: "gpt-5"})
	if err != nil || strings.Join(r.Dropped, ", ") != "/logit_bias (the model refuses it)" {
		t.Errorf("%v %q %s", err, r.Dropped, r.Body)
	}
}

// TestLastTurnOfTheAssistant: who would not go on from it is told to.
func TestLastTurnOfTheAssistant(t *testing.T) {
	body := json.Value(`{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"{"}],"max_tokens":99}`)
	for _, c := range []struct {
		from  wire.API
		to    wire.API
		model string
		told  bool
	}{
		{messages, messages, "claude-sonnet-4-5", false}, {messages, messages, "claude-opus-4-6", true}, {messages, messages, "other", false},
		{chat, messages, "claude-haiku-4-5", false}, {chat, messages, "claude-sonnet-5", true},
		{messages, chat, "m", true}, {messages, responses, "m", true}, {messages, generate, "m", true},
		{chat, chat, "m", false}, {chat, responses, "m", false}, {chat, generate, "m", false},
	} {
		r, err := Request(Source{API: c.from}, body, Target{API: c.to, Model: c.model})
		if told := strings.Contains(string(r.Body), goOn); err != nil || told != c.told || told != (len(r.Adjusted) == 1) {
			t.Errorf("%s to %s of %s: %v %s %q", c.from, c.model, c.to, err, r.Body, r.Adjusted)
		}
	}
}
