package fault

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"holdfast/core/ascii"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/time"
)

var providers = []Provider{Gloo, OpenAI, Anthropic, XAI, Gemini, "any"}

// law is what holds of every Fault, whatever came in.
func law(t *testing.T, p Provider, f Fault) {
	t.Helper()
	switch f.Decision {
	case Success:
		return
	case Retry, FixRequest, Stop:
	default:
		t.Fatalf("%s: decision %q", p, f.Decision)
	}
	if f.Reason == "" || f.Message == "" || f.Breaker == "" || f.Fallback == "" {
		t.Fatalf("%s: something is missing in %+v", p, f)
	}
	for _, text := range []string{f.Message, f.Developer, f.Code, f.Type, f.Name, f.TraceID, f.RequestID, f.Ray} {
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxText {
			t.Fatalf("%s: text %q", p, text)
		}
	}
	for _, h := range []Hint{f.Hint, f.Resets} {
		if h.Wait < 0 || h.Wait >= longest || h.Wait > 0 && !h.Known {
			t.Fatalf("%s: hint %v", p, h)
		}
	}
	if f.Decision == FixRequest && f.Hint.Known || f.MaxRetries < 0 {
		t.Fatalf("%s: %+v", p, f)
	}
}

// failsClosed is Gloo's own law, checked without the parser: no retry where the bytes hold no
// literal true.
func failsClosed(t *testing.T, p Provider, f Fault, body []byte) {
	t.Helper()
	if p == Gloo && f.Decision == Retry && (!bytes.Contains(body, []byte("true")) || f.Retryable != "true") {
		t.Fatalf("gloo retries %s", body)
	}
}

var bodies = []string{
	``, `null`, `{}`, `[]`, `"text"`, `<html><title>502</title>`, `error code: 1015`, "data: {\"error\":1}\n",
	`{"error":{"message":"m","type":"t","code":"c","retryable":true,"retry_after":3}}`,
	`{"error":{"code":2002,"name":"PROVIDER_UNAVAILABLE","retryable":false}}`,
	`{"error":"m","code":"The service is currently unavailable"}`,
	`{"detail":[{"loc":["body","m"],"msg":"x"}]}`, `{"detail":{"code":"c","retryable":true}}`,
	`[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"limit: 0. Please retry in 1h2m3.5s","details":[{"@type":"x.RetryInfo","retryDelay":{"seconds":"9","nanos":5}},{"@type":"x.QuotaFailure","violations":[{"quotaId":"PerDay","quotaValue":"0"}]}]}}]`,
	`{"error":{"message":"{\"error\":{\"message\":\"Request too large for m: Limit 1, Requested 2\"}}"}}`,
	`{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"try again in 6m0s"}}}`,
	`{"cloudflare_error":true,"error_code":1015,"title":"t","ray_id":"r","retry_after":1}`,
	`{"error":{"message":"x","details":[,,{}]}}`,
	`{"error":{"message":"You will regain access on 2026-12-01 at 00:00 UTC. spending limit sk-abcdefghijkl"}}`,
}

func FuzzClassify(f *testing.F) {
	for i, body := range bodies {
		f.Add(400+13*i, "retry-after", "3", []byte(body))
	}
	f.Add(200, "content-type", "text/html", []byte("<!doctype html>"))
	f.Add(200, "content-type", "application/json", []byte(`{"a":`))
	f.Add(500, "x-should-retry", "true", []byte("\xff"))
	f.Add(403, "cf-mitigated", "challenge", []byte(""))
	f.Add(503, "x-gloo-error-code", "rate_limit", []byte(`{"error":{"retryable":true}}`))
	f.Fuzz(func(t *testing.T, status int, name, value string, body []byte) {
		before := bytes.Clone(body)
		r := Response{Status: status, Header: header.Header{{Name: name, Value: value}}, Body: body, Now: now}
		for _, p := range providers {
			got := Classify(p, r)
			law(t, p, got)
			failsClosed(t, p, got, body)
			if got != Classify(p, r) {
				t.Fatal("the same answer means two things")
			}
			if got.Decision == Success && status/100 != 2 {
				t.Fatalf("status %d is a success", status)
			}
		}
		if !bytes.Equal(before, body) {
			t.Fatal("the body was changed")
		}
	})
}

func FuzzEvent(f *testing.F) {
	for _, body := range bodies {
		f.Add([]byte(body), "UNAVAILABLE")
	}
	f.Fuzz(func(t *testing.T, data []byte, reason string) {
		raw, err := json.Parse(data)
		for _, p := range providers {
			if err == nil {
				got := Event(p, nil, raw)
				law(t, p, got)
				failsClosed(t, p, got, data)
				if got.Decision == Success {
					t.Fatal("an error event is no success")
				}
			}
			law(t, p, FinishError(p, reason))
			law(t, p, Lost(Reason(reason), string(data)))
			law(t, p, Network(reason, string(data), reason))
		}
	})
}

func FuzzSDKError(f *testing.F) {
	f.Add([]byte(`{"name":"Error","message":"429 {\"error\":{}}","status":429,"headers":[["a","b"]],"body":{"code":"c"}}`))
	f.Add([]byte(`{"name":"TypeError","message":"fetch failed","causeCode":"ECONNRESET","aiRetryable":true}`))
	f.Add([]byte(`{"status":"503","body":"<html>"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := json.Parse(data)
		if err != nil {
			return
		}
		for _, p := range providers {
			retry, got := SDKError(p, v)
			law(t, p, got)
			if retry != (got.Decision == Retry) || got.Decision == Success {
				t.Fatalf("%s: %v and %+v", p, retry, got)
			}
			if got.Status != 0 {
				failsClosed(t, p, got, data)
			}
		}
	})
}

func FuzzHint(f *testing.F) {
	for _, s := range []string{"3", "1.5", "-3", "1e9", "6m0s", "20ms", "Wed, 02 Dec 2026 08:00:20 GMT", "2026-12-02T08:00:20Z",
		"99999999999999999999", "1.99999999999999999d", "try again in 1h2m3.5s and 2 minutes", "1790000060000"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		h := header.Header{{Name: "retry-after-ms", Value: a}, {Name: "retry-after", Value: b}, {Name: "date", Value: a},
			{Name: "x-ratelimit-remaining-requests", Value: "0"}, {Name: "x-ratelimit-reset-requests", Value: b},
			{Name: "x-ratelimit-limit-tokens", Value: a}, {Name: "anthropic-ratelimit-tokens-reset", Value: b}}
		l := RateLimits(h, now)
		hints := []Hint{retryAfter(h, now), retryAfter(h, time.Time{}), messageHint(ascii.Lower(a + b)), l.exhausted(), l.Tokens.Reset, l.RetryAfter}
		if d, ok := wholeDuration(a); ok {
			hints = append(hints, Hint{d, true, ""})
		}
		for _, unit := range []time.Duration{time.Nanosecond, time.Millisecond, time.Second, 24 * time.Hour} {
			if d, ok := number(a, unit); ok {
				hints = append(hints, Hint{d, true, ""})
			}
		}
		for _, hint := range hints {
			if hint.Wait < 0 || hint.Wait >= longest {
				t.Fatalf("%q %q: %v", a, b, hint)
			}
		}
		if l.Tokens.Limit.N < 0 {
			t.Fatalf("%q: limit %d", a, l.Tokens.Limit.N)
		}
	})
}
