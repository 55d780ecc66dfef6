package fault

import (
	"testing"

	"holdfast/core/time"
)

func TestAnthropic(t *testing.T) {
	run(t, Anthropic, []exchange{
		{"providers §3.3", 429, "retry-after: 12", `{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`, "retry rate_limit failure after_retries 12s"},
		{"a plan that is used up", 429, "date: Mon, 30 Nov 2026 12:00:00 GMT|anthropic-ratelimit-unified-status: rejected|anthropic-ratelimit-unified-reset: 1796050800", `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account's rate limit. Please try again later."}}`, "stop rate_limit failure after_retries 3h0m0s"},
		{"a plan that is not", 429, "date: Mon, 30 Nov 2026 12:00:00 GMT|anthropic-ratelimit-unified-status: allowed|anthropic-ratelimit-unified-reset: 1796050800", `{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`, "retry rate_limit failure after_retries"},
		{"providers §3.3", 529, "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`, "retry overloaded failure after_retries"},
		{"providers §3.3", 503, "", `{"error":{"type":"overloaded_error","message":"m"}}`, "retry overloaded failure after_retries"},
		{"providers §3.3", 500, "", `{"type":"error","error":{"type":"api_error","message":"m"}}`, "retry server_error failure after_retries"},
		{"providers §3.3", 504, "", `{"type":"error","error":{"type":"timeout_error","message":"m"}}`, "retry timeout failure after_retries"},

		// Money hides in a 429, a 400 and a 402.
		{"api/rate-limits", 429, "", `{"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":"enforced_spend_limit_reached"}}}`, "stop spend_cap ignore never"},
		{"the SDK's codes", 429, "", `{"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":"contract_spend_limit_reached"}}}`, "stop spend_cap ignore never"},
		{"the SDK's codes", 429, "retry-after: 9", `{"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":"ramp_limit_exceeded"}}}`, "retry rate_limit failure after_retries 9s"},
		{"the SDK's codes", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"m","details":{"error_code":"organization_on_hold","appeal_url":null}}}`, "stop permission ignore never"},
		{"the SDK's codes", 503, "", `{"type":"error","error":{"type":"api_error","message":"m","details":{"error_code":"cmek_key_unreachable"}}}`, "retry overloaded failure after_retries"},
		{"the SDK's codes", 529, "", `{"type":"error","error":{"type":"overloaded_error","message":"m","details":{"error_code":"compaction_unavailable"}}}`, "retry overloaded failure after_retries"},
		{"api/rate-limits", 429, "", `{"type":"error","error":{"type":"rate_limit_error","message":"You have reached your API usage limits: … You will regain access on 2026-12-01 at 00:00 UTC."}}`, "stop spend_cap ignore never"},
		{"api/errors", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}`, "stop spend_cap ignore never"},
		{"api/errors", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, "stop billing ignore never"},
		{"api/errors", 402, "", `{"type":"error","error":{"type":"billing_error","message":"m"}}`, "stop billing ignore never"},
		{"gsd-build/gsd-2#3257", 429, "retry-after: 3387", `{"type":"error","error":{"type":"rate_limit_error","message":"Extra usage is required for long context requests."}}`, "stop plan_gate ignore never"},

		{"api/errors", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`, "fix_request context_length ignore never"},
		{"api/errors", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"This model does not support assistant message prefill"}}`, "fix_request invalid_request ignore never"},
		{"field", 400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, "fix_request content_policy ignore never"},
		{"api/errors", 401, "", `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, "stop auth ignore never"},
		{"api/errors", 403, "", `{"type":"error","error":{"type":"permission_error","message":"m"}}`, "stop permission ignore never"},
		{"api/errors", 404, "", `{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"api/errors", 409, "", `{"type":"error","error":{"type":"conflict_error","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"413 comes from Cloudflare", 413, "content-type: text/html", `<html><title>413 Request Entity Too Large</title></html>`, "fix_request request_too_large ignore never"},
		{"cls-017", 503, "content-type: text/plain", `upstream connect error or disconnect/reset before headers. reset reason: overflow`, "retry proxy_unavailable failure after_retries"},

		// The server's verdict.
		{"hin-011", 500, "x-should-retry: false|retry-after: 2", `{"type":"error","error":{"type":"api_error","message":"x"}}`, "stop server_error failure after_retries"},
		{"a fix stays a fix", 400, "x-should-retry: false", `{"type":"error","error":{"type":"invalid_request_error","message":"x"}}`, "fix_request invalid_request ignore never"},
		{"providers §3.3", 409, "x-should-retry: true|retry-after: 2", `{"type":"error","error":{"type":"conflict_error","message":"x"}}`, "retry invalid_request ignore never 2s"},
		{"case does not count", 500, "X-Should-Retry: FALSE", ``, "stop server_error failure after_retries"},
		{"never for money", 429, "x-should-retry: true", `{"error":{"details":{"error_code":"enforced_spend_limit_reached"}}}`, "stop spend_cap ignore never"},
		{"never for credentials", 401, "x-should-retry: true", `{"error":{"type":"authentication_error"}}`, "stop auth ignore never"},
		{"never for a context", 400, "x-should-retry: true", `{"error":{"message":"prompt is too long"}}`, "fix_request context_length ignore never"},

		// Inside a stream.
		{"str-001", 0, "anthropic-ratelimit-unified-status: allowed", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "retry overloaded failure after_retries"},
		{"api/streaming", 0, "", `{"type":"error","error":{"type":"api_error","message":"m"}}`, "retry server_error failure after_retries"},
		{"api/streaming", 0, "", `{"type":"error","error":{"type":"timeout_error","message":"m"}}`, "retry timeout failure after_retries"},
		{"api/streaming", 0, "", `{"type":"error","error":{"type":"invalid_request_error","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"api/streaming", 0, "", `{"type":"error","error":{"type":"billing_error","message":"m"}}`, "stop billing ignore never"},
	})
}

func TestAnthropicRegainsAccess(t *testing.T) {
	f := exchange{status: 429, headers: "date: Mon, 30 Nov 2026 00:00:00 GMT|request-id: req_7", body: `{"type":"error","error":{"type":"rate_limit_error",
		"message":"You have reached your API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."},"request_id":"req_8"}`}.fault(t, Anthropic)
	if f.Resets.Wait != 24*time.Hour || f.RequestID != "req_7" {
		t.Errorf("resets %v, request %q", f.Resets, f.RequestID)
	}
	if f := (exchange{status: 504}).fault(t, Anthropic); f.MaxRetries != 1 {
		t.Errorf("504: %d retries", f.MaxRetries)
	}
}
