package fault

import "testing"

func TestGloo(t *testing.T) {
	run(t, Gloo, []exchange{
		// Brief 000, step 1: the table of decisions.
		{"000 §1", 429, "retry-after: 3", `{"error":{"code":2004,"name":"RATE_LIMIT","retryable":true,"message":"m"}}`, "retry rate_limit failure after_retries 3s"},
		{"000 §1", 503, "retry-after: 30", `{"error":{"code":3003,"name":"SERVICE_UNAVAILABLE","retryable":true,"message":"m"}}`, "retry overloaded failure after_retries 30s"},
		{"000 §1", 503, "", `{"error":{"code":2002,"name":"PROVIDER_UNAVAILABLE","retryable":true}}`, "retry overloaded failure after_retries"},
		{"000 §1", 504, "", `{"error":{"type":"timeout_error","code":2001,"name":"PROVIDER_TIMEOUT","retryable":true}}`, "retry timeout failure after_retries"},
		{"000 §1", 500, "", `{"error":{"code":2013,"name":"PROVIDER_INFERENCE_ERROR","retryable":true}}`, "retry server_error failure after_retries"},
		{"000 §1", 503, "", `{"error":{"code":2006,"name":"EMPTY_COMPLETION","retryable":true}}`, "retry empty_completion failure after_retries"},
		{"000 §1", 400, "", `{"error":{"code":1001,"name":"INVALID_REQUEST","retryable":false}}`, "fix_request invalid_request ignore never"},
		{"000 §1", 400, "", `{"error":{"code":1002,"name":"CONTEXT_LENGTH_EXCEEDED","retryable":false}}`, "fix_request context_length ignore never"},
		{"000 §1", 400, "", `{"detail":{"code":"content_policy_violation","message":"No.","retryable":false}}`, "fix_request content_policy ignore never"},
		{"000 §1", 401, "", `{"detail":"Invalid or expired token"}`, "stop auth ignore never"},
		{"000 §1", 403, "", `{"detail":"Forbidden"}`, "stop permission ignore never"},
		{"000 §1", 402, "", `{"error":{"message":"m","retryable":false}}`, "stop billing ignore never"},
		{"000 §1", 500, "", `{"error":{"code":3001,"name":"INTERNAL_ERROR","retryable":false}}`, "stop server_error failure never"},
		{"000 §1", 408, "", `{"error":{"code":3007,"name":"GATEWAY_DEADLINE","retryable":false}}`, "stop deadline ignore never"},

		// Fail closed: only a literal true, in the places where Gloo puts it.
		{"000 §2", 503, "", `{"error":{"code":2002,"name":"PROVIDER_UNAVAILABLE"}}`, "stop fail_closed ignore never"},
		{"000 §2", 503, "", `{"error":{"code":2002,"retryable":"true"}}`, "stop fail_closed ignore never"},
		{"000 §2", 503, "", `{"error":{"code":2002,"retryable":1}}`, "stop fail_closed ignore never"},
		{"000 §2", 503, "", `{"error":{"code":2002,"retryable":null}}`, "stop fail_closed ignore never"},
		{"000 §2", 503, "", `{"error":{"code":2002},"retryable":true}`, "stop fail_closed ignore never"},
		{"000 §2", 503, "", `{"error":"busy","retryable":true}`, "stop fail_closed ignore never"},
		{"000 §2", 503, "", `{"error":{"code":2002},"detail":{"retryable":true}}`, "stop fail_closed ignore never"},
		{"000 §2", 503, "", `{"error":{"message":"{\"error\":{\"retryable\":true}}"}}`, "stop fail_closed ignore never"},
		{"000 §2", 503, "", `[{"error":{"retryable":true}}]`, "stop fail_closed ignore never"},
		{"000 §2", 503, "", `{"retryable":true,"message":"m"}`, "stop fail_closed ignore never"},
		{"000 §2", 503, "", ``, "stop fail_closed ignore never"},
		{"000 §2", 502, "content-type: text/html", `<html><title>502 Bad Gateway</title></html>`, "stop fail_closed ignore never"},
		{"cls-017", 503, "", `upstream connect error or disconnect/reset before headers. reset reason: overflow`, "stop fail_closed ignore never"},
		{"cls-018", 521, "server: cloudflare", `<!DOCTYPE html><title>521: Web server is down</title>`, "stop fail_closed ignore never"},
		{"a page at 200", 200, "content-type: text/html", `<!DOCTYPE html><title>Log in</title>`, "stop fail_closed ignore never"},
		{"cut off at 200", 200, "content-type: application/json", `{"choices":[`, "stop fail_closed ignore never"},
		{"Cloudflare's own opinion", 429, "", `{"cloudflare_error":true,"error_code":1015,"retryable":true,"retry_after":30}`, "stop fail_closed ignore never"},
		{"a header is no verdict", 503, "x-should-retry: true", `{"error":{"code":2002}}`, "stop fail_closed ignore never"},

		{"cut off", 503, "", `{"error":{"code":2002,"name":"PROVIDER_UNAVAILABLE","retryable":true,"mess`, "stop fail_closed ignore never"},
		{"cut off", 400, "", `{"error":{"message":"m","name":"CONTEXT_LENGTH_EXCEEDED","retr`, "fix_request context_length ignore never"},

		// The verdict decides, whatever the name says.
		{"providers §3.1", 503, "", `{"error":{"code":2002,"retryable":false}}`, "stop overloaded failure after_retries"},
		{"providers §3.1", 429, "", `{"error":{"name":"ACCOUNT_LIMIT","retryable":false}}`, "stop quota ignore never"},
		{"providers §3.1", 429, "", `{"error":"Rate limit exceeded","code":"too_many_requests"}`, "stop fail_closed ignore never"},
		{"providers §3.1", 403, "", `{"detail":{"code":"content_policy_violation","retryable":false}}`, "fix_request content_policy ignore never"},
		{"providers §3.1", 404, "", `{"error":{"message":"The model x does not exist","retryable":false}}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"providers §3.1", 405, "", `{"detail":"Method Not Allowed"}`, "fix_request invalid_request ignore never"},
		{"providers §3.1", 413, "", ``, "fix_request request_too_large ignore never"},
		{"a detail object", 503, "", `{"detail":{"code":"busy","message":"m","retryable":true,"retry_after":1.5}}`, "retry overloaded failure after_retries 1.5s"},

		// Waits: the header, then error.retry_after; words of the message are none.
		{"000 §2", 503, "", `{"error":{"code":2002,"retryable":true,"retry_after":3}}`, "retry overloaded failure after_retries 3s"},
		{"000 §2", 503, "retry-after: 1", `{"error":{"code":2002,"retryable":true,"retry_after":3}}`, "retry overloaded failure after_retries 1s"},
		{"000 §2", 503, "retry-after: soon", `{"error":{"code":2002,"retryable":true,"retry_after":3}}`, "retry overloaded failure after_retries 3s"},
		{"000 §2", 503, "", `{"error":{"code":2002,"retryable":true,"retry_after":-3,"message":"try again in 5s"}}`, "retry overloaded failure after_retries"},

		// The header's code wins over the body's.
		{"000 §1", 503, "X-Gloo-Error-Code: rate_limit", `{"error":{"code":2002,"retryable":true}}`, "retry rate_limit failure after_retries"},

		// Inside a stream.
		{"str-040", 0, "", `{"choices":[{"delta":{},"finish_reason":"error"}],"error":{"code":2014,"name":"PROVIDER_STREAM_ERROR","retryable":true}}`, "retry server_error failure after_retries"},
		{"str-041", 0, "", `{"choices":[],"error":{"code":3001,"name":"INTERNAL_ERROR","retryable":false}}`, "stop server_error failure never"},
		{"str-042", 0, "", `{"type":"response.failed","response":{"status":"failed","error":{"code":"service_unavailable","gloo_code":3003,"retryable":true,"retry_after":30,"message":"m"}}}`, "retry overloaded failure after_retries 30s"},
		{"providers §6.2", 0, "", `{"type":"response.failed","response":{"error":{"code":"provider_unavailable","gloo_code":2002}}}`, "stop fail_closed ignore never"},
		{"context in a stream", 0, "", `{"error":{"code":1002,"retryable":false}}`, "fix_request context_length ignore never"},
		{"no verdict at all", 0, "", ``, "stop fail_closed ignore never"},
	})
}

func TestGlooReports(t *testing.T) {
	f := exchange{status: 504, headers: "x-request-id: req-1", body: `{"error":{"message":"The provider did not respond in time.","type":"timeout_error",
		"code":2001,"name":"PROVIDER_TIMEOUT","fault":"provider","retryable":true,"trace_id":"tr-1","developer_message":"Lower max_tokens."}}`}.fault(t, Gloo)
	want := Fault{
		Decision: Retry, Reason: Timeout, Breaker: Failing, Fallback: AfterRetries, Status: 504,
		Code: "PROVIDER_TIMEOUT", Type: "timeout_error", Name: "PROVIDER_TIMEOUT", Blame: "provider", Number: 2001, Retryable: "true",
		Message: "The provider did not respond in time.", Developer: "Lower max_tokens.", TraceID: "tr-1", RequestID: "req-1",
	}
	if f != want {
		t.Errorf("got  %+v\nwant %+v", f, want)
	}
	// Gloo's words are shown, but neither HTML nor a blank.
	for body, message := range map[string]string{
		`{"error":{"message":"Please shorten it."}}`:         "Please shorten it.",
		`{"detail":"Invalid or expired token"}`:              "Invalid or expired token",
		`{"error":{"message":"<html>no</html>"}}`:            sentence(InvalidRequest),
		`{"error":{"message":"  "}}`:                         sentence(InvalidRequest),
		`<html>no</html>`:                                    sentence(InvalidRequest),
		`plain text from some proxy`:                         sentence(InvalidRequest),
		`{"error":{"message":"key sk-abcdefghijkl is bad"}}`: "key sk-… is bad",
	} {
		if got := (exchange{status: 400, body: body}).fault(t, Gloo).Message; got != message {
			t.Errorf("%s: %q", body, got)
		}
	}
}
