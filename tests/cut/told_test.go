package cut

import (
	"testing"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// TestToldElsewhere: an error of another provider or API is told in the form that was asked, with its wait as a
// header, whatever the provider said it by, and a wrong key with the status that every SDK knows.
func TestToldElsewhere(t *testing.T) {
	for _, c := range []struct {
		provider fault.Provider
		api      wire.API
		path     string
		status   int
		header   header.Header
		body     string
		want     int
		code     string
		after    string
	}{
		{fault.Anthropic, wire.Messages, "/v1/messages", 429, header.Header{{Name: "retry-after", Value: "90"}},
			`{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit."}}`, 429, "rate_limit_exceeded", "90"},
		{fault.Gemini, wire.Generate, "/v1beta/models/{model}:{verb}", 429, nil,
			`{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"75.2s"}]}}`, 429, "rate_limit_exceeded", "76"},
		{fault.Gemini, wire.Generate, "/v1beta/models/{model}:{verb}", 400, nil,
			`{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`, 401, "invalid_api_key", ""},
		{fault.XAI, wire.Chat, "/v1/chat/completions", 400, nil,
			`{"code":"invalid-argument","error":"Incorrect API key provided: xa***gh."}`, 401, "invalid_api_key", ""},
		{fault.Gemini, wire.Chat, "/v1beta/openai/chat/completions", 503, nil,
			`[{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]`, 503, "server_is_overloaded", ""},
		{fault.Anthropic, wire.Messages, "/v1/messages", 400, nil,
			`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}`, 400, "context_length_exceeded", ""},
	} {
		for _, stream := range []bool{false, true} {
			s := named(t, "openai chat").raw()
			s.Stream = stream
			s.Body = s.Body.With("stream", map[bool]json.Value{true: json.Value("true"), false: json.Value("false")}[stream])
			policy := core.Defaults(c.provider, false)
			policy.Budget.Attempts = 1
			s.First, s.Fallbacks = 1, []core.Target{{Provider: c.provider, API: c.api, Path: c.path, Model: "m", Policy: policy}}
			got := Play(s, func(int, *core.Request) sim.Exchange {
				return sim.Exchange{Status: c.status, Header: c.header, Steps: []sim.Step{{Write: []byte(c.body), End: sim.Close}}}
			}, 0)
			code := json.Value(got.Body).Get("error", "code").Text()
			if got.Head.Status != c.want || code != c.code || got.Head.Header.Get("retry-after") != c.after || got.Requests != 1 {
				t.Errorf("%s %d: %d %s %v after %d requests: %s", c.provider, c.status, got.Head.Status, code, got.Head.Header, got.Requests, got.Body)
			}
		}
	}
}

// TestToldFirst: a fallback that refuses what was rebuilt for it does not hide why it was asked.
func TestToldFirst(t *testing.T) {
	for _, target := range []core.Target{
		{Provider: fault.Anthropic, API: wire.Messages, Path: "/v1/messages", Model: "m"},
		{Provider: fault.OpenAI, API: wire.Chat, Path: "/v1/chat/completions", Model: "m"},
	} {
		s := named(t, "openai chat").raw()
		target.Policy = core.Defaults(target.Provider, false)
		s.Fallbacks = []core.Target{target}
		got := Play(s, func(n int, _ *core.Request) sim.Exchange {
			x := sim.Exchange{Status: 429, Header: header.Header{{Name: "retry-after", Value: "90"}}, Steps: []sim.Step{{Write: []byte(`{"error":{"message":"Slow down.","type":"requests","code":"rate_limit_exceeded"}}`), End: sim.Close}}}
			if n == 2 {
				x = sim.Exchange{Status: 400, Steps: []sim.Step{{Write: []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"x: no"}}`), End: sim.Close}}}
			}
			return x
		}, 0)
		if v := json.Value(got.Body); got.Requests != 2 || got.Head.Status != 429 || v.Get("error", "code").Text() != "rate_limit_exceeded" || got.Head.Header.Get("retry-after") != "90" {
			t.Errorf("%s: %d requests, %d %v %s", target.API, got.Requests, got.Head.Status, got.Head.Header, got.Body)
		}
	}
}
