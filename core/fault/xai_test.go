package fault

import "testing"

func TestXAI(t *testing.T) {
	run(t, XAI, []exchange{
		{"cls-011", 400, "", `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***gh."}`, "stop auth ignore never"},
		{"brief 001", 400, "", `{"code":"invalid-argument","error":"Incorrect API key provided"}`, "stop auth ignore never"},
		{"brief 001", 400, "", `{"code":"invalid-argument","error":"bad temperature"}`, "fix_request invalid_request ignore never"},
		{"cls-012", 429, "", `{"code":"Some resource has been exhausted","error":"Your team has either used all available credits or reached its monthly spending limit."}`, "stop spend_cap ignore never"},
		{"cls-013", 403, "", `{"code":"The caller does not have permission to execute the specified operation","error":"Your team has either used all available credits or reached its monthly spending limit."}`, "stop spend_cap ignore never"},
		{"grok-build", 429, "", `{"code":429,"error":"You ran out of credits. [WKE=personal-team-blocked:spending-limit]"}`, "stop spend_cap ignore never"},
		{"grok-build", 429, "", `{"code":429,"error":"[WKE=team-blocked:no-credits]"}`, "stop billing ignore never"},
		{"providers §2.4", 401, "", `{"code":"unauthenticated:bad-credentials","error":"m"}`, "stop auth ignore never"},
		{"providers §2.4", 0, "", `{"code":"unauthenticated:bad-credentials","error":"m"}`, "stop auth ignore never"},
		{"grok-build", 429, "", `{"code":"subscription:free-usage-exhausted","error":"m"}`, "stop quota ignore never"},
		{"docs.x.ai", 429, "", `{"code":"resource-exhausted","error":"Too many requests"}`, "retry rate_limit failure after_retries"},
		{"docs.x.ai", 429, "", ``, "retry rate_limit failure after_retries"},
		{"cls-015", 422, "", `"Failed to deserialize the JSON body into the target type: missing field"`, "fix_request invalid_request ignore never"},
		{"cls-015, without quotes", 422, "", `Failed to deserialize the JSON body into the target type: missing field`, "fix_request invalid_request ignore never"},
		{"field", 403, "", `{"code":"permission-denied","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}`, "fix_request content_policy ignore never"},
		{"providers §3.4", 403, "", `{"code":"permission-denied","error":"Your API key is blocked"}`, "stop permission ignore never"},
		{"providers §3.4", 400, "", `{"code":"invalid-argument","error":"This model's maximum prompt length is 131072 but the request contains 200000 tokens."}`, "fix_request context_length ignore never"},
		{"providers §3.4", 404, "", `{"code":"not-found","error":"The model grok-9 does not exist or your team has no access to it."}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"a 400 without the 404", 400, "", `{"code":"Client specified an invalid argument","error":"Model not found: grok-9"}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"a retired model", 410, "", `{"code":"gone","error":"The model grok-beta was deprecated on 2025-09-15 and is no longer accessible via the API."}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"providers §2.4", 409, "", `{"code":"aborted","error":"m"}`, "retry server_error ignore never"},
		{"providers §2.4", 0, "", `{"code":"The operation was aborted","error":"m"}`, "retry server_error ignore never"},
		{"grok-build ignores true", 400, "x-should-retry: true", `{"code":"invalid-argument","error":"bad temperature"}`, "fix_request invalid_request ignore never"},
		{"grok-build", 429, "x-should-retry: false", `{"code":"resource-exhausted","error":"m"}`, "stop rate_limit failure after_retries"},
		{"providers §3.4", 410, "", `{"error":"Live search is deprecated"}`, "fix_request invalid_request ignore never"},
		{"providers §3.4", 400, "", `{"code":"invalid-argument","error":"encrypted_content could not be decrypted"}`, "fix_request invalid_request ignore never"},
		{"providers §2.4", 500, "", `{"code":"Unrecoverable data loss or corruption","error":"Could not fetch image"}`, "fix_request invalid_request ignore never"},
		{"providers §3.4", 525, "", ``, "stop edge_error failure other_provider"},
		{"providers §3.4", 520, "retry-after: 120", ``, "retry edge_error failure after_retries 2m0s"},
		{"providers §2.4", 200, "content-type: application/json", `{"code":"The service is currently unavailable","error":"busy"}`, "retry overloaded failure after_retries"},
		{"providers §2.4", 0, "", `{"code":"The service is currently unavailable","error":"busy"}`, "retry overloaded failure after_retries"},
		{"providers §2.4", 0, "", `{"code":"invalid-argument","error":"bad"}`, "fix_request invalid_request ignore never"},
		{"providers §2.4", 0, "", `{"error":{"message":"m","type":"invalid_request_error","code":"invalid_value"}}`, "fix_request invalid_request ignore never"},
	})
}
