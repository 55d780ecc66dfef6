package sim

import (
	"encoding/json"
	"strings"
	"testing"

	"holdfast/core/header"
)

// everything is a request that every API understands.
const everything = `{"model":"model-x","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Why?"}],"input":"Why?",` +
	`"contents":[{"role":"user","parts":[{"text":"Why?"}]}],"content":{"parts":[{"text":"Why?"}]},"requests":[{"content":{"parts":[{"text":"Why?"}]}}]}`

// streams are a streaming path of each API behind each prefix.
var streams = []string{
	"/gloo/ai/v2/guarded/chat/completions", "/gloo/ai/v2/direct/responses",
	"/openai/v1/chat/completions", "/openai/v1/responses",
	"/xai/v1/chat/completions", "/xai/v1/responses",
	"/anthropic/v1/messages",
	"/gemini/v1beta/models/gemini-x:streamGenerateContent?alt=sse", "/gemini/v1beta/models/gemini-x:streamGenerateContent",
	"/gemini/v1beta/interactions", "/gemini/v1beta/openai/chat/completions",
}

// send plans a request with any method, path and query in session "s".
func send(store *Store, method, where, script, body string) Exchange {
	path, query, _ := strings.Cut(where, "?")
	return Plan(store, Request{Method: method, Path: path, Query: query, Body: []byte(body),
		Header: header.Header{{Name: "x-sim", Value: script}, {Name: "x-sim-session", Value: "s"}}})
}

// Law: a table answers for every kind, and every code means something at every provider.
func TestEveryDialectKnowsEveryFault(t *testing.T) {
	codes := append([]string{}, kinds...)
	dialects := []dialect{guarded, direct, compatible, openAI, anthropic, xAI, gemini, geminiCompat, interacting}
	for _, d := range dialects {
		for _, kind := range kinds {
			if f, ok := lookUp(d.rows(), kind); !ok || f.kind != kind {
				t.Errorf("%s has no %s", d, kind)
			}
		}
		for _, f := range d.rows() {
			codes = append(codes, f.code)
		}
	}
	for _, d := range dialects {
		for _, code := range codes {
			p := problem{fault: d.fault(code), retryAfter: "2", traceID: "trace"}
			if p.status == 0 || p.kind != kindOf(code) && p.code != code {
				t.Errorf("%s %s: %+v", d, code, p.fault)
			}
			if body := p.body(d); !json.Valid(body) || strings.Contains(string(body), "{wait}") {
				t.Errorf("%s %s: %s", d, code, body)
			}
		}
	}
}

// The same misfortune in each provider's own words.
func TestDialects(t *testing.T) {
	for _, c := range []struct {
		path, script string
		status       int
		want         string
		header       string // name: value
	}{
		{"/openai/v1/chat/completions", `{"error":"rate_limit","retryAfter":2}`, 429, `"code":"rate_limit_exceeded"`, "Retry-After: 2"},
		{"/openai/v1/chat/completions", `{"error":"rate_limit","retryAfter":2}`, 429, `Please try again in 2s.`, "x-ratelimit-remaining-tokens: 0"},
		{"/openai/v1/responses", "rate_limit_then_ok", 429, `"type":"tokens"`, "x-ratelimit-reset-tokens: 1s"},
		{"/openai/v1/chat/completions", `{"error":"rate_limit"}`, 429, `Requested 2000. Visit`, "x-ratelimit-remaining-tokens: "},
		{"/openai/v1/chat/completions", `{"error":"quota"}`, 429, `"code":"insufficient_quota"`, "Retry-After: "},
		{"/openai/v1/chat/completions", "context_length", 400, `"code":"context_length_exceeded"`, ""},
		{"/openai/v1/chat/completions", "policy_refusal", 400, `"code":"content_policy_violation"`, ""},
		{"/openai/v1/chat/completions", `{"error":"timeout"}`, 504, `"code":null`, ""},
		{"/openai/nowhere", "", 404, `"type":"invalid_request_error"`, "openai-version: 2020-10-01"},
		{"/anthropic/v1/messages", `{"error":"overloaded"}`, 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_`, "x-should-retry: true"},
		{"/anthropic/v1/messages", `{"error":"spend_limit"}`, 429, `"details":{"error_code":"enforced_spend_limit_reached"}`, "x-should-retry: false"},
		{"/anthropic/v1/messages", `{"error":"rate_limit","retryAfter":7}`, 429, `"type":"rate_limit_error"`, "retry-after: 7"},
		{"/anthropic/v1/messages", `{"error":"rate_limit","retryAfter":7}`, 429, `"type":"rate_limit_error"`, "anthropic-ratelimit-input-tokens-remaining: 0"},
		{"/anthropic/v1/messages", `{"error":"server_error"}`, 500, `"type":"api_error"`, ""},
		{"/anthropic/v1/messages", `{"error":"quota"}`, 400, `credit balance is too low`, ""},
		{"/anthropic/v1/messages", `{"status":413,"body":"<html>"}`, 413, `<html>`, ""},
		{"/anthropic/v1/messages", `{"needsKey":true}`, 401, `"authentication_error"`, ""},
		{"/xai/v1/chat/completions", `{"error":"auth"}`, 400, `{"code":"invalid-argument","error":"Incorrect API key`, ""},
		{"/xai/v1/chat/completions", `{"error":"overloaded","errorShape":"sentence"}`, 503, `{"code":"The service is currently unavailable","error":"`, ""},
		{"/xai/v1/chat/completions", `{"error":"invalid_request","errorShape":"openai"}`, 400, `{"error":{"message":"`, ""},
		{"/xai/v1/chat/completions", `{"error":"unavailable_200"}`, 200, `{"code":"The service is`, "content-type: application/json"},
		{"/xai/v1/chat/completions", `{"error":"rate_limit","retryAfter":2}`, 429, `resource-exhausted`, "Retry-After: "},
		{"/xai/v1/responses", `{"error":"quota"}`, 403, `used all available credits`, ""},
		{"/xai/v1/chat/completions", "validation", 422, `"Failed to deserialize`, ""},
		{"/gemini/v1beta/models/g:generateContent", `{"error":"rate_limit","retryAfter":2.5}`, 429, `"retryDelay":"2.5s"}]`, "Retry-After: "},
		{"/gemini/v1beta/models/g:generateContent", `{"error":"daily_quota"}`, 429, `"quotaId":"GenerateRequestsPerDay`, ""},
		{"/gemini/v1beta/models/g:generateContent", `{"error":"model_not_on_plan"}`, 429, `limit: 0"`, ""},
		{"/gemini/v1beta/models/g:generateContent", "unauthorized", 400, `"reason":"API_KEY_INVALID"`, ""},
		{"/gemini/v1beta/models/g:streamGenerateContent?alt=sse", "unavailable", 503, `{"error":{"code":503,`, ""},
		{"/gemini/v1beta/models/g:streamGenerateContent?alt=sse", `{"error":"overloaded","errorShape":"array"}`, 503, `[{"error":{"code":503,`, ""},
		{"/gemini/v1beta/models/g:streamGenerateContent", "unavailable", 503, `[{"error":{"code":503,`, ""},
		{"/gemini/v1beta/openai/chat/completions", "unavailable", 503, `[{"error":{"code":503,`, ""},
		{"/gemini/v1beta/interactions", "unauthorized", 400, `{"error":{"code":"invalid_request","message":`, ""},
		{"/gloo/ai/v2/direct/chat/completions", `{"error":"quota"}`, 429, `"name":"ACCOUNT_LIMIT"`, "X-Gloo-Error-Code: account_limit"},
		{"/gloo/nowhere", "", 404, `"code":1004`, ""},
		{"/openai/ai/v2/chat/completions", "", 404, `"invalid_request_error"`, ""},
	} {
		e := send(&Store{}, "POST", c.path, c.script, everything)
		name, value, _ := strings.Cut(c.header, ": ")
		if body := string(e.Body()); e.Status != c.status || !strings.Contains(body, c.want) || c.header != "" && e.Header.Get(name) != value {
			t.Errorf("%s %s: %d %s\n%v", c.path, c.script, e.Status, body, e.Header)
		}
	}
}

// downForMs is an outage by the clock that the requests bring.
func TestOutage(t *testing.T) {
	store := &Store{}
	for _, c := range []struct {
		seconds, status int
	}{{100, 503}, {130, 503}, {159, 503}, {160, 200}, {300, 200}} {
		r := Request{Method: "POST", Path: "/openai/v1/chat/completions", Sim: `{"downForMs":60000}`, Session: "s", Body: []byte(everything)}
		r.Now = second(c.seconds)
		if e := Plan(store, r); e.Status != c.status {
			t.Errorf("after %d s: %d", c.seconds, e.Status)
		}
	}
}

// Law: whatever comes, the provider answers and the answer ends.
func FuzzPlan(f *testing.F) {
	for _, route := range routes {
		path, query, _ := strings.Cut(route.path, "?")
		for _, prefix := range append([]string{"-"}, strings.Fields(route.at)...) {
			f.Add(route.method, strings.TrimPrefix("/"+prefix, "/-")+path, query, everything, "")
		}
	}
	f.Add("POST", "/xai/v1/chat/completions", "", `{"deferred":true,"messages":[]}`, `{"pending":1}`)
	f.Add("GET", "/openai/v1/responses/x", "stream=true&starting_after=%3", ``, `{"reads":[{"produced":3}]}`)
	f.Fuzz(func(t *testing.T, method, path, query, body, script string) {
		store := &Store{}
		for range 2 {
			e := Plan(store, Request{Method: method, Path: path, Query: query, Sim: script, Session: "s", Body: []byte(body)})
			if len(e.Steps) == 0 || e.Ends() == "" {
				t.Errorf("%s %s has no end", method, path)
			}
		}
	})
}
