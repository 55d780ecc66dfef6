package sim

import "holdfast/core/json"

// anthropicFaults are Anthropic's errors: error.type. Money comes as 400, 402 and 429.
var anthropicFaults = faultsOf(map[string]string{
	"spend_limit": `{"error_code":"enforced_spend_limit_reached"}`,
}, []row{
	{"rate_limit", "rate_limit", 429, "rate_limit_error", "",
		"This request would exceed your organization's rate limit of 50,000 input tokens per minute. For details, refer to: https://docs.claude.com/en/api/rate-limits."},
	{"acceleration_limit", "rate_limit", 429, "rate_limit_error", "",
		"Your usage grew too fast: the acceleration limit was reached. Please scale up more slowly."},
	{"spend_limit", "quota", 429, "rate_limit_error", "",
		"You have reached your API usage limits: this organization's monthly spend limit. You will regain access on 2026-12-01 at 00:00 UTC."},
	{"quota", "quota", 400, "invalid_request_error", "",
		"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."},
	{"usage_limit", "quota", 400, "invalid_request_error", "",
		"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."},
	{"billing", "billing", 402, "billing_error", "",
		"There is an issue with your billing or payment information."},
	{"overloaded", "overloaded", 529, "overloaded_error", "", "Overloaded"},
	{"overloaded_503", "overloaded", 503, "overloaded_error", "", "Overloaded"},
	{"server_error", "server_error", 500, "api_error", "", "Internal server error"},
	{"timeout", "timeout", 504, "timeout_error", "", "Request timed out"},
	{"auth", "auth", 401, "authentication_error", "", "invalid x-api-key"},
	{"cors", "auth", 401, "authentication_error", "",
		"CORS requests must set 'anthropic-dangerous-direct-browser-access' header"},
	{"permission", "permission", 403, "permission_error", "", "Your API key does not have permission to use the specified resource."},
	{"context_length", "context_length", 400, "invalid_request_error", "",
		"prompt is too long: 213462 tokens > 200000 maximum"},
	{"content_policy", "content_policy", 400, "invalid_request_error", "", "Output blocked by content filtering policy"},
	{"prefill", "prefill", 400, "invalid_request_error", "",
		"This model does not support assistant message prefill. The conversation must end with a user message."},
	{"prefill_space", "invalid_request", 400, "invalid_request_error", "",
		"messages: final assistant content cannot end with trailing whitespace"},
	{"invalid_request", "invalid_request", 400, "invalid_request_error", "", "The request is not valid."},
	{"thinking_block", "invalid_request", 400, "invalid_request_error", "",
		"messages.1.content.0: Invalid `signature` in `thinking` block"},
	{"validation", "validation", 400, "invalid_request_error", "", "messages: Field required"},
	{"conflict", "invalid_request", 409, "conflict_error", "", "The resource is in a state that conflicts with the request."},
	{"not_found", "not_found", 404, "not_found_error", "", "Not found"},
	{"model_not_found", "model_not_found", 404, "not_found_error", "", "model: {model}"},
	{"method_not_allowed", "method_not_allowed", 405, "invalid_request_error", "", "Method Not Allowed"},
	{"request_too_large", "request_too_large", 413, "request_too_large", "", "Request exceeds the maximum size"},
})

// writeAnthropic writes the members of an error. Those in streams have no request id.
func (p *problem) writeAnthropic(w *json.Writer, requestID string) {
	w.Text("type", "error").Open("error", '{').Text("type", p.typ).Text("message", p.text(""))
	if p.details != "" {
		w.Raw("details", json.Value(p.details))
	}
	w.Close('}').TextIf("request_id", requestID)
}
