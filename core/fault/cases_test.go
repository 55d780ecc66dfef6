package fault

import (
	"testing"

	"holdfast/core/time"
)

// The field cases that are prose ("fact"), each under its id. Their sources are public reports,
// named beside them. The cases of kind http and stream run in tests/cases.

func TestCases(t *testing.T) {
	const rateLimit = `{"error":{"message":"slow down","type":"rate_limit_error"}}`
	classify := func(p Provider, lines, body string) Fault {
		return Classify(p, Response{Status: 429, Header: headers(lines), Body: []byte(body), Now: now})
	}
	is := func(t *testing.T, f Fault, want string) {
		t.Helper()
		if got := short(f); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	cases := []struct {
		id, source string
		test       func(*testing.T)
	}{
		{"cls-028", "MoonshotAI/kimi-code#201", func(t *testing.T) {
			is(t, Network("TypeError", "UND_ERR_SOCKET", "terminated: other side closed"), "retry transport failure after_retries")
		}},
		{"cls-029", "smithy-lang/smithy-typescript#2268", func(t *testing.T) {
			is(t, Network("TimeoutError", "", "The operation was aborted due to timeout"), "retry timeout failure after_retries")
		}},
		{"cls-030", "zirkelc/ai-retry#21", func(t *testing.T) {
			is(t, Network("AbortError", "", "signal is aborted without reason"), "stop cancelled ignore never")
		}},
		{"cls-031", "JuliaWeb/HTTP.jl#1294", func(t *testing.T) {
			is(t, Network("Error", "", "RST_STREAM error_code=REFUSED_STREAM (0x7)"), "retry not_processed failure after_retries")
			is(t, Network("Error", "", "stream error: INTERNAL_ERROR"), "retry transport failure after_retries")
		}},
		{"hin-001", "mastra-ai/mastra#23778", func(t *testing.T) {
			for value, want := range map[string]time.Duration{"-3": absent, "+3": 3 * time.Second, "1.5": 1500 * time.Millisecond, "3s": absent} {
				if got := classify("any", "retry-after: "+value, "{}").Hint.seconds(); got != want {
					t.Errorf("%s: %v", value, got)
				}
			}
		}},
		{"hin-003", "openai/openai-java#878", func(t *testing.T) {
			is(t, classify(OpenAI, "retry-after: Wed, 21 Oct 2015 07:28:00 GMT", rateLimit), "retry rate_limit failure after_retries 0s")
		}},
		{"hin-004", "nodejs/undici#5519", func(t *testing.T) {
			is(t, classify("any", "retry-after: 0", rateLimit), "retry rate_limit failure after_retries 0s")
		}},
		{"hin-005", "AThevon/TokenEater#161", func(t *testing.T) { // 0 frees nobody from a budget
			if f := classify(Anthropic, "retry-after: 0", rateLimit); f.Breaker != Failing || f.MaxRetries != 0 {
				t.Errorf("%+v", f)
			}
		}},
		{"hin-006", "openai/openai-node#2329", func(t *testing.T) {
			if f := classify(OpenAI, "retry-after-ms: 0|retry-after: 5", rateLimit); f.Hint != (Hint{0, true, "retry-after-ms"}) {
				t.Errorf("%v", f.Hint)
			}
		}},
		{"hin-007", "openclaw/openclaw#111353", func(t *testing.T) {
			is(t, classify(OpenAI, "retry-after-ms: |retry-after: 5", rateLimit), "retry rate_limit failure after_retries 5s")
		}},
		{"hin-008", "openai/openai-python#3555", func(t *testing.T) { // neither dropped nor cut short
			f := classify(OpenAI, "retry-after: 95", rateLimit)
			is(t, f, "stop rate_limit failure after_retries 1m35s")
			if f.RetryWithin(time.Minute) || !f.RetryWithin(2*time.Minute) {
				t.Error("95 s are for those who can wait 95 s")
			}
		}},
		{"hin-013", "vercel/ai#18627", func(t *testing.T) {
			f := classify(Gemini, "", gemini429("x", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"45.837906927s"}`))
			is(t, f, "retry rate_limit failure after_retries 45.837906927s")
		}},
		{"hin-014", "dcdpr/jp#1061", func(t *testing.T) {
			f := classify(Gemini, "", gemini429("Please retry in 54.22s", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":{"seconds":"40","nanos":500000000}}`))
			is(t, f, "retry rate_limit failure after_retries 40.5s")
			if f.Hint.Source != "RetryInfo" {
				t.Error(f.Hint.Source)
			}
		}},
		{"hin-016", "NousResearch/hermes-agent#52101", func(t *testing.T) {
			f := classify(Gemini, "", gemini429("Quota hit. Please retry in 6.193881s.", ""))
			is(t, f, "retry rate_limit failure after_retries 6.193881s")
		}},
		{"hin-018", "browserbase/sdk-node#205", func(t *testing.T) { // the wait itself is the call's; this is its end
			is(t, Lost(Cancelled, ""), "stop cancelled ignore never")
		}},
		{"hin-019", "Azure/azure-rest-api-specs#24904", func(t *testing.T) { // hidden is not zero
			is(t, classify("any", "", `{"error":{"message":"slow"}}`), "retry rate_limit failure after_retries")
		}},
		{"hin-021", "vellum-ai/vellum-client-node#222", func(t *testing.T) {
			is(t, classify("any", "retry-after: 5", rateLimit), "retry rate_limit failure after_retries 5s")
		}},
		{"hin-023", "anthropics/anthropic-sdk-python#1827", func(t *testing.T) {
			is(t, classify(Anthropic, "retry-after: Fri, 31 Dec 99999 23:59:59 GMT", rateLimit), "retry rate_limit failure after_retries")
		}},
		{"rtl-003", "openai/openai-dotnet#838", func(t *testing.T) {
			l := RateLimits(headers("x-ratelimit-limit-requests: -1|x-ratelimit-remaining-requests: -1|x-ratelimit-reset-requests: -1"), now)
			if l != (Limits{}) {
				t.Errorf("%+v", l)
			}
		}},
		{"rtl-004", "weaviate/weaviate#7562", func(t *testing.T) {
			if l := RateLimits(headers("content-type: application/json"), now); l != (Limits{}) {
				t.Errorf("%+v", l)
			}
		}},
		{"rtl-005", "router-for-me/CLIProxyAPI#5389", func(t *testing.T) {
			for _, value := range []string{"1790000060", "1790000060000", "60"} {
				l := RateLimits(headers("x-ratelimit-reset-requests: "+value), time.Unix(1790000000, 0))
				if l.Requests.Reset.seconds() != time.Minute {
					t.Errorf("%s: %v", value, l.Requests.Reset)
				}
			}
		}},
		{"rtl-006", "withcoral/coral#89", func(t *testing.T) {
			l := RateLimits(headers("x-ratelimit-reset: 1789999990"), time.Unix(1790000000, 0))
			if l.Requests.Reset.seconds() != 0 {
				t.Errorf("%v", l.Requests.Reset)
			}
		}},
		{"rtl-007", "Azure/azure-rest-api-specs#24904", func(t *testing.T) {
			if l := RateLimits(nil, now); l.Requests.Remaining.Known {
				t.Errorf("%+v", l)
			}
		}},
		{"rtl-008", "anthropics/anthropic-sdk-python#1258", func(t *testing.T) {
			lines := headers("anthropic-ratelimit-unified-status: allowed|anthropic-ratelimit-unified-reset: 1790000060")
			if l := RateLimits(lines, time.Unix(1790000000, 0)); l.PlanStatus != "allowed" || l.Plan.Reset.Wait != time.Minute {
				t.Errorf("%+v", l)
			}
			event := parse(t, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
			with, without := Event(Anthropic, lines, event), Event(Anthropic, nil, event)
			if with != without {
				t.Errorf("the headers of the allowance changed the verdict: %+v", with)
			}
		}},
	}
	for _, c := range cases {
		t.Run(c.id, c.test)
	}
}
