package fault

import "testing"

const (
	perDay   = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","quotaValue":"20"}]}`
	perMin   = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel","quotaValue":"5"}]}`
	zero     = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel","quotaValue":"0"}]}`
	retry40s = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"40s"}`
)

func gemini429(message, details string) string {
	return `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"` + message + `","details":[` + details + `]}}`
}

func TestGemini(t *testing.T) {
	run(t, Gemini, []exchange{
		// What a 429 is, only its details say.
		{"gemini-cli", 429, "", gemini429("You exceeded your current quota, please check your plan and billing details.", perMin+","+retry40s), "retry rate_limit failure after_retries 40s"},
		{"gemini-cli: the day beats RetryInfo", 429, "", gemini429("You exceeded your current quota.", perDay+","+retry40s), "stop daily_quota ignore same_provider_other_model"},
		{"gemini-cli", 429, "", gemini429("m", perMin+","+perDay), "stop daily_quota ignore same_provider_other_model"},
		{"cls-004", 429, "", gemini429("Quota exceeded for metric free_tier_requests, limit: 0, model: m. Please retry in 28.02s.", retry40s), "stop model_not_on_plan ignore same_provider_other_model"},
		{"fal-003", 429, "", gemini429("m", zero), "stop model_not_on_plan ignore same_provider_other_model"},
		{"not zero", 429, "", gemini429("limit: 20, retry in 2s", ""), "retry rate_limit failure after_retries 2s"},
		{"not zero", 429, "", gemini429("limit: 0.5", ""), "retry rate_limit failure after_retries"},
		{"Code Assist", 429, "", gemini429("m", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"MODEL_CAPACITY_EXHAUSTED"}`), "retry overloaded failure after_retries"},
		{"Code Assist", 429, "", gemini429("You have exhausted your capacity on this model. Your quota will reset after 2h15m0s.", ""), "stop rate_limit failure after_retries 2h15m0s"},
		{"no details", 429, "", gemini429("Resource has been exhausted (e.g. check quota).", ""), "retry rate_limit failure after_retries"},
		{"hin-015", 429, "", gemini429("x", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"86400s"}`), "stop rate_limit failure after_retries 24h0m0s"},
		// A minute's quota without a wait: a minute. What the server says counts before that.
		{"providers §3.5", 429, "", gemini429("You exceeded your current quota.", perMin), "retry rate_limit failure after_retries 1m0s"},
		{"providers §3.5", 429, "", gemini429("Please retry in 7s", perMin), "retry rate_limit failure after_retries 7s"},
		{"providers §3.5", 429, "retry-after: 3", gemini429("m", perMin), "retry rate_limit failure after_retries 3s"},
		{"providers §4.2", 429, "", gemini429("m", perMin+`,{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0s"}`), "retry rate_limit failure after_retries 0s"},
		{"Vertex", 429, "", gemini429("Quota exceeded for quota metric 'Generate Content API requests per minute' and limit 'GenerateContent request limit per minute for a region'.", ""), "retry rate_limit failure after_retries 1m0s"},
		{"OpenAI's layer", 429, "", "[" + gemini429("m", perMin) + "]", "retry rate_limit failure after_retries 1m0s"},
		{"in a stream", 0, "", gemini429("m", perMin), "retry rate_limit failure after_retries 1m0s"},
		// The name of a quota stands in three places.
		{"ErrorInfo", 429, "", gemini429("Quota exceeded for quota metric 'Generate requests'.", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_limit":"GenerateRequestsPerDayPerProject","quota_limit_value":"50"}}`), "stop daily_quota ignore same_provider_other_model"},
		{"ErrorInfo: nothing in this region", 429, "", gemini429("Quota exceeded for quota metric 'Generate requests'.", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_limit":"GenerateContentRequestsPerMinutePerProjectPerRegion","quota_limit_value":"0"}}`), "stop model_not_on_plan ignore same_provider_other_model"},
		{"ErrorInfo: a minute", 429, "", gemini429("Quota exceeded.", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_limit":"GenerateRequestsPerMinutePerProject","quota_limit_value":"50"}}`), "retry rate_limit failure after_retries 1m0s"},
		{"ErrorInfo: a unit", 429, "", gemini429("Quota exceeded.", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_unit":"1/d/{project}/{model}","quota_limit_value":"50"}}`), "stop daily_quota ignore same_provider_other_model"},
		{"no free tier", 429, "", gemini429("Gemini Pro Preview doesn't have a free quota tier. For more information on this error, head to the page on limits.", ""), "stop model_not_on_plan ignore same_provider_other_model"},
		{"a description", 429, "", gemini429("Quota exceeded", `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"project:1","description":"Daily limit exceeded"}]}`), "stop daily_quota ignore same_provider_other_model"},
		{"the message", 429, "", gemini429("Quota exceeded for quota metric 'Generate requests' and limit 'GenerateRequestsPerDay'", ""), "stop daily_quota ignore same_provider_other_model"},
		{"billing: the project's own cap", 429, "", gemini429("Your project has exceeded its monthly spending cap. Please go to AI Studio to manage your project spend cap.", ""), "stop spend_cap ignore never"},
		{"billing: prepaid", 429, "", gemini429("Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.", retry40s), "stop billing ignore never"},
		{"api-errors", 402, "", `{"error":{"code":402,"status":"RESOURCE_EXHAUSTED","message":"m"}}`, "stop billing ignore never"},

		{"providers §2.5", 400, "", `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`, "stop auth ignore never"},
		{"providers §3.5", 400, "", `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"API key expired. Please renew."}}`, "stop auth ignore never"},
		{"providers §3.5", 400, "", `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."}}`, "fix_request context_length ignore never"},
		{"Vertex", 400, "", `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Unable to submit request because the input token count is 1200000 but model only supports up to 1048576. Reduce the input token count and try again."}}`, "fix_request context_length ignore never"},
		{"providers §3.5", 400, "", `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The request was blocked because of PROHIBITED_CONTENT"}}`, "fix_request content_policy ignore never"},
		{"providers §3.5", 400, "", `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"cls-023", 400, "", `{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"User location is not supported for the API use."}}`, "stop region ignore never"},
		{"api-errors", 400, "", `{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"Please enable billing."}}`, "stop billing ignore never"},
		{"brief 001", 400, "", `{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"m"}}`, "stop permission ignore never"},
		{"providers §3.5", 403, "", `{"error":{"code":403,"status":"PERMISSION_DENIED","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_HTTP_REFERRER_BLOCKED"}]}}`, "stop permission ignore never"},
		{"providers §3.5", 404, "", `{"error":{"code":404,"status":"NOT_FOUND","message":"models/gemini-9 is not found for API version v1beta"}}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"brief 001", 404, "", `{"error":{"code":404,"status":"NOT_FOUND","message":"This model is no longer available to new users."}}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"providers §3.5", 409, "", `{"error":{"code":409,"status":"ABORTED","message":"m"}}`, "retry server_error ignore never"},
		{"providers §3.5", 409, "", `{"error":{"code":409,"status":"ALREADY_EXISTS","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"providers §3.5", 499, "", `{"error":{"code":499,"status":"CANCELLED","message":"m"}}`, "retry server_error ignore never"},
		{"api-errors: the cause may be the prompt", 500, "", `{"error":{"code":500,"status":"INTERNAL","message":"Could not generate content. The input context is too long. Please reduce the input and try again."}}`, "fix_request context_length ignore never"},
		{"providers §3.5", 500, "", `{"error":{"code":500,"status":"INTERNAL","message":"m"}}`, "retry server_error failure after_retries"},
		{"providers §3.5", 503, "", `{"error":{"code":503,"status":"UNAVAILABLE","message":"The model is overloaded."}}`, "retry overloaded failure after_retries"},
		{"providers §3.5", 504, "", `{"error":{"code":504,"status":"DEADLINE_EXCEEDED","message":"m"}}`, "retry timeout failure after_retries"},

		// Arrays, stray commas, arrays never closed.
		{"providers §2.5", 503, "", `[{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}]`, "retry overloaded failure after_retries"},
		{"providers §2.5", 200, "", `[{"error":{"code":429,"message":"retry in 3s","status":"RESOURCE_EXHAUSTED"}}]`, "retry rate_limit failure after_retries 3s"},
		{"gemini-cli", 429, "", `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[,, {" @type ":"type.googleapis.com/google.rpc.RetryInfo" , , "retryDelay":"9s"},]}}`, "retry rate_limit failure after_retries 9s"},
		{"cut array", 403, "", "[{\"error\":{\"code\":403,\"status\":\"PERMISSION_DENIED\",\"message\":\"m\"}}\n,", "stop permission ignore never"},
		{"js-genai", 429, "", `{"error":{"message":"{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"Please retry in 850ms\"}}"}}`, "retry rate_limit failure after_retries 850ms"},

		{"js-genai", 400, "", `{"error":{"message":"{\"error\":{\"code\":400,\"status\":\"FAILED_PRECONDITION\",\"message\":\"m\"}}","code":400,"status":"Bad Request"}}`, "stop permission ignore never"},
		{"js-genai", 409, "", `{"error":{"message":"{\"error\":{\"code\":409,\"status\":\"ABORTED\",\"message\":\"m\"}}","code":409,"status":"Conflict"}}`, "retry server_error ignore never"},

		// Interactions: a word for a code, nothing else.
		{"providers §3.6", 400, "", `{"error":{"code":"invalid_request","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"providers §3.6", 400, "", `{"error":{"code":"failed_precondition","message":"m"}}`, "stop permission ignore never"},
		{"providers §3.6", 404, "", `{"error":{"code":"model_not_found","message":"m"}}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"providers §3.6", 429, "", `{"error":{"code":"quota_exceeded","message":"m"}}`, "stop daily_quota ignore same_provider_other_model"},
		{"providers §3.6", 0, "", `{"event_type":"error","error":{"code":"quota_exceeded","message":"m"},"event_id":"e9"}`, "stop daily_quota ignore same_provider_other_model"},
		{"providers §3.6", 0, "", `{"event_type":"error","error":{"code":"unavailable","message":"m"}}`, "retry overloaded failure after_retries"},
		{"providers §3.6", 0, "", `{"event_type":"interaction.completed","interaction":{"status":"failed","errors":[{"code":"internal","message":"m"}]}}`, "retry server_error failure after_retries"},
		{"google.rpc.Status", 0, "", `{"error":{"code":3,"message":"m"}}`, "fix_request invalid_request ignore never"},
		{"google.rpc.Status", 0, "", `{"error":{"code":8,"message":"m"}}`, "retry rate_limit failure after_retries"},
		{"google.rpc.Status", 0, "", `{"error":{"code":16,"message":"m"}}`, "stop auth ignore never"},
		{"google.rpc.Status", 0, "", `{"error":{"code":17,"message":"m"}}`, "retry server_error failure after_retries"},
		{"api-errors", 416, "", `{"error":{"code":"out_of_range","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"api-errors", 0, "", `{"event_type":"error","error":{"code":"parameter_unknown","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"api-errors", 0, "", `{"event_type":"error","error":{"code":"authentication","message":"m"}}`, "stop auth ignore never"},
		{"api-errors", 400, "", `{"error":{"code":"recitation","message":"m"}}`, "fix_request content_policy ignore never"},
		{"api-errors", 0, "", `{"event_type":"error","error":{"code":"missing_thought_signature","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"api-errors", 0, "", `{"event_type":"error","error":{"code":"no_image","message":"m"}}`, "retry server_error ignore after_retries"},

		// Its OpenAI layer, without a key or with two.
		{"openai layer", 400, "", `[{"error":{"code":400,"message":"Missing or invalid Authorization header.","status":"INVALID_ARGUMENT"}}]`, "stop auth ignore never"},
		{"openai layer", 400, "", `[{"error":{"code":400,"message":"Multiple authentication credentials received. Please pass only one.","status":"INVALID_ARGUMENT"}}]`, "stop auth ignore never"},

		// Inside a stream.
		{"sse-020", 0, "", `{"error":{"code":503,"message":"Model overloaded.","status":"UNAVAILABLE"}}`, "retry overloaded failure after_retries"},
		{"an array", 0, "", `[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]`, "stop auth ignore never"},
	})
}

// Interactions tells as errors what generateContent tells as finish reasons.
func TestInteractionsBlocked(t *testing.T) {
	for _, code := range []string{"safety", "recitation", "language", "prohibited_content", "spii", "blocklist",
		"image_safety", "image_prohibited_content", "image_recitation", "content_blocked"} {
		f := Event(Gemini, nil, []byte(`{"event_type":"error","error":{"code":"`+code+`","message":"m"}}`))
		if got, want := short(f), "fix_request content_policy ignore never"; got != want {
			t.Errorf("%s: got %s, want %s", code, got, want)
		}
	}
	for _, code := range []string{"malformed_function_call", "malformed_tool_call", "unexpected_tool_call", "too_many_tool_calls"} {
		f := Event(Gemini, nil, []byte(`{"event_type":"error","error":{"code":"`+code+`","message":"m"}}`))
		if got, want := short(f), "retry malformed_tool_call ignore after_retries"; got != want || f.MaxRetries != 1 {
			t.Errorf("%s: got %s, want %s", code, got, want)
		}
	}
}

func TestFinishError(t *testing.T) {
	for reason, want := range map[string]string{
		"MALFORMED_FUNCTION_CALL":   "retry malformed_tool_call ignore after_retries", // str-026
		"UNEXPECTED_TOOL_CALL":      "retry malformed_tool_call ignore after_retries",
		"OTHER":                     "retry server_error ignore after_retries",
		"SOMETHING_NEW":             "retry server_error ignore after_retries",
		"MISSING_THOUGHT_SIGNATURE": "fix_request invalid_request ignore never",
		"budget_exceeded":           "stop spend_cap ignore never",
		"error":                     "retry server_error failure after_retries",
	} {
		if got := short(FinishError(Gemini, reason)); got != want {
			t.Errorf("%s: got %s, want %s", reason, got, want)
		}
	}
	if f := FinishError(Gemini, "MALFORMED_FUNCTION_CALL"); f.MaxRetries != 1 {
		t.Errorf("%d retries", f.MaxRetries)
	}
	if f := FinishError(Gloo, "error"); f.Decision != Stop {
		t.Errorf("gloo: %s", short(f))
	}
}
