package fault

import "testing"

func TestSDKError(t *testing.T) {
	for _, c := range []struct {
		source   string
		provider Provider
		err      string
		want     string
	}{
		{"openai: inner error", OpenAI, `{"name":"Error","message":"429 m","status":429,"code":"rate_limit_exceeded","type":"tokens","headers":[["retry-after","3"]],"body":{"message":"m","code":"rate_limit_exceeded","type":"tokens"}}`, "retry rate_limit failure after_retries 3s"},
		{"openai: quota", OpenAI, `{"status":429,"code":"insufficient_quota","body":{"message":"m","code":"insufficient_quota"}}`, "stop quota ignore never"},
		{"openai: only code survives", OpenAI, `{"status":429,"code":"insufficient_quota","message":"429 m"}`, "stop quota ignore never"},
		{"openai: no body", OpenAI, `{"status":500,"message":"500 status code (no body)"}`, "retry server_error failure after_retries"},
		{"openai: in the stream", OpenAI, `{"name":"Error","message":"m","body":{"code":"server_is_overloaded","message":"m"}}`, "retry overloaded failure after_retries"},
		{"openai: APIConnectionError", OpenAI, `{"name":"Error","message":"Connection error.","causeName":"TypeError","causeCode":"ECONNRESET","causeMessage":"fetch failed"}`, "retry transport failure after_retries"},
		{"openai: APIConnectionTimeoutError", OpenAI, `{"name":"Error","message":"Request timed out."}`, "retry timeout failure after_retries"},
		{"openai: APIUserAbortError", OpenAI, `{"name":"Error","message":"Request was aborted."}`, "stop cancelled ignore never"},
		{"openai on xai: error is a text", XAI, `{"status":403,"message":"403 m","body":"Your team has either used all available credits or reached its monthly spending limit."}`, "stop spend_cap ignore never"},
		{"openai on gloo: inner error", Gloo, `{"status":503,"body":{"code":2002,"retryable":true}}`, "retry overloaded failure after_retries"},
		{"openai on gloo: no verdict", Gloo, `{"status":503,"aiRetryable":true,"body":{"code":2002}}`, "stop fail_closed ignore never"},
		{"gloo: FastAPI", Gloo, `{"status":422,"body":{"detail":[{"loc":["body","m"],"msg":"x"}]}}`, "fix_request invalid_request ignore never"},
		{"gloo: no answer", Gloo, `{"name":"TypeError","message":"Failed to fetch"}`, "retry transport failure after_retries"},
		{"anthropic: whole body", Anthropic, `{"status":529,"type":"overloaded_error","body":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}}`, "retry overloaded failure after_retries"},
		{"anthropic: in the stream", Anthropic, `{"message":"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}"}`, "retry overloaded failure after_retries"},
		{"anthropic: the server's verdict", Anthropic, `{"status":500,"headers":[["X-Should-Retry","false"]],"body":{"type":"error","error":{"type":"api_error"}}}`, "stop server_error failure after_retries"},
		{"@google/genai: the body is the message", Gemini, `{"name":"ApiError","status":429,"message":"{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"Please retry in 3s\"}}"}`, "retry rate_limit failure after_retries 3s"},
		{"@google/genai: in the stream", Gemini, `{"name":"ApiError","status":503,"message":"got status: UNAVAILABLE. {\"error\":{\"code\":503,\"status\":\"UNAVAILABLE\",\"message\":\"m\"}}"}`, "retry overloaded failure after_retries"},
		{"@google/genai: a spent day", Gemini, `{"name":"ApiError","status":429,"message":"{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"m\",\"details\":[` +
			`{\"@type\":\"type.googleapis.com/google.rpc.QuotaFailure\",\"violations\":[{\"quotaId\":\"PerDay\"}]}]}}"}`, "stop daily_quota ignore same_provider_other_model"},
		{"ai: retryable by status alone", OpenAI, `{"name":"AI_APICallError","status":429,"aiRetryable":true,"body":{"error":{"code":"insufficient_quota"}}}`, "stop quota ignore never"},
		{"ai: body as text", OpenAI, `{"name":"AI_APICallError","status":"503","body":"{\"error\":{\"message\":\"m\"}}"}`, "retry overloaded failure after_retries"},
		{"ai: a page as text", OpenAI, `{"status":521,"body":"<!DOCTYPE html><title>521</title>"}`, "retry edge_error failure after_retries"},
		{"ai: no answer", OpenAI, `{"name":"AI_APICallError","message":"Cannot connect to API: ","aiRetryable":true}`, "retry transport failure after_retries"},
		{"ai: a stream that broke", OpenAI, `{"name":"AI_APICallError","message":"Failed to process successful response","status":200,"aiRetryable":false,"causeName":"TypeError","causeCode":"ECONNRESET","causeMessage":"terminated: read ECONNRESET"}`, "retry transport failure after_retries"},
		{"@google/genai: a stream cut", Gemini, `{"name":"Error","message":"Incomplete JSON segment at the end"}`, "retry truncated failure after_retries"},
		{"anthropic: a stream of nothing", Anthropic, `{"name":"Error","message":"stream ended without producing a Message with role=assistant"}`, "retry truncated failure after_retries"},
		{"anthropic: a message without text", Anthropic, `{"name":"Error","message":"stream ended without producing a content block with type=text"}`, "stop unknown ignore never"},
		{"openai: a stream cut", OpenAI, `{"name":"Error","message":"missing finish_reason for choice 0"}`, "retry truncated failure after_retries"},
		{"fetch", OpenAI, `{"name":"TypeError","message":"terminated","causeCode":"UND_ERR_SOCKET","causeMessage":"other side closed"}`, "retry transport failure after_retries"},
		{"fetch", OpenAI, `{"name":"TypeError","message":"Failed to fetch","body":"Failed to fetch"}`, "retry transport failure after_retries"},
		{"WebKit", OpenAI, `{"name":"TypeError","message":"The Internet connection appears to be offline."}`, "retry transport failure after_retries"},
		{"WebKit", OpenAI, `{"name":"TypeError","message":"Could not connect to the server."}`, "retry transport failure after_retries"},
		{"WebKit", OpenAI, `{"name":"TypeError","message":"A server with the specified hostname could not be found."}`, "retry transport failure after_retries"},
		{"AbortSignal.timeout", OpenAI, `{"name":"TimeoutError","message":"signal timed out","code":23}`, "retry timeout failure after_retries"},
		{"the user", OpenAI, `{"name":"AbortError","message":"This operation was aborted","code":20}`, "stop cancelled ignore never"},
		{"a bug", OpenAI, `{"name":"TypeError","message":"undefined is not a function"}`, "stop unknown ignore never"},
		{"a bug with a code", OpenAI, `{"name":"TypeError","message":"bad","code":"ERR_INVALID_ARG_TYPE","causeCode":"ERR_ASSERTION"}`, "stop unknown ignore never"},
		{"node:http2", OpenAI, `{"name":"Error","message":"Stream closed","code":"ERR_HTTP2_STREAM_ERROR"}`, "retry transport failure after_retries"},
		{"a bug with data", OpenAI, `{"name":"Error","message":"bad","body":{"hello":1}}`, "stop unknown ignore never"},
		{"nothing", OpenAI, `{}`, "stop unknown ignore never"},
		{"not an object", OpenAI, `[1]`, "stop unknown ignore never"},
		{"wrong types", OpenAI, `{"name":1,"message":{},"status":"x","headers":{"a":[]},"body":[],"code":null}`, "stop unknown ignore never"},
	} {
		retry, f := SDKError(c.provider, parse(t, c.err))
		if got := short(f); got != c.want || retry != (f.Decision == Retry) {
			t.Errorf("%s: %s\n got %s\nwant %s", c.source, c.err, got, c.want)
		}
	}
	if retry, f := SDKError(OpenAI, nil); retry || f.Reason != Unknown {
		t.Errorf("nil: %s", short(f))
	}
}
