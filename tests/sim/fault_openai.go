package sim

import "holdfast/core/json"

// openAIFaults are OpenAI's errors: error.type and error.code.
var openAIFaults = faultsOf(nil, []row{
	{"rate_limit", "rate_limit", 429, "tokens", "rate_limit_exceeded",
		"Rate limit reached for {model} in organization org-sim on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.{wait} Visit https://platform.openai.com/account/rate-limits to learn more."},
	{"rate_limit_requests", "rate_limit", 429, "requests", "rate_limit_exceeded",
		"Rate limit reached for {model} in organization org-sim on requests per min (RPM): Limit 3, Used 3, Requested 1.{wait}"},
	{"slow_down", "rate_limit", 429, "rate_limit_error", "slow_down",
		"Please slow down: the rate of your requests grew too fast.{wait}"},
	{"resource_unavailable", "rate_limit", 429, "rate_limit_error", "resource_unavailable",
		"Resource Unavailable: there is no flex capacity at the moment. You were not charged."},
	{"too_large_for_limit", "context_length", 429, "tokens", "rate_limit_exceeded",
		"Request too large for {model} in organization org-sim on tokens per min (TPM): Limit 30000, Requested 51442. The input or output tokens must be reduced in order to run successfully."},
	{"quota", "quota", 429, "insufficient_quota", "insufficient_quota",
		"You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."},
	{"spend_limit", "quota", 429, "insufficient_quota", "organization_spend_limit_exceeded",
		"Your organization has reached its spend limit."},
	{"billing", "billing", 429, "billing_not_active", "billing_not_active",
		"Your account is not active, please check your billing details on our website."},
	{"billing_hard_limit", "billing", 400, "invalid_request_error", "billing_hard_limit_reached",
		"Billing hard limit has been reached."},
	{"overloaded", "overloaded", 503, "service_unavailable_error", "server_is_overloaded",
		"Our servers are currently overloaded. Please try again later."},
	{"server_error", "server_error", 500, "server_error", "server_error",
		"The server had an error while processing your request. Sorry about that! You can retry your request."},
	{"timeout", "timeout", 504, "server_error", "",
		"The request took too long."},
	{"request_timeout", "timeout", 408, "server_error", "",
		"The request took too long."},
	{"auth", "auth", 401, "invalid_request_error", "invalid_api_key",
		"Incorrect API key provided: sk-sim******demo. You can find your API key at https://platform.openai.com/account/api-keys."},
	{"permission", "permission", 403, "invalid_request_error", "unsupported_country_region_territory",
		"Country, region, or territory not supported"},
	{"context_length", "context_length", 400, "invalid_request_error", "context_length_exceeded",
		"This model's maximum context length is 128000 tokens. However, your messages resulted in 130002 tokens. Please reduce the length of the messages."},
	{"content_policy", "content_policy", 400, "invalid_request_error", "content_policy_violation",
		"Your request was rejected as a result of our safety system."},
	{"invalid_prompt", "content_policy", 400, "invalid_request_error", "invalid_prompt",
		"Invalid prompt: your prompt was flagged as potentially violating our usage policy."},
	{"prefill", "prefill", 400, "invalid_request_error", "invalid_value",
		"The last message must have role 'user' or 'tool'."},
	{"invalid_request", "invalid_request", 400, "invalid_request_error", "invalid_value",
		"Invalid value."},
	{"previous_response_not_found", "invalid_request", 400, "invalid_request_error", "previous_response_not_found",
		"Previous response with id 'resp_gone' not found."},
	{"validation", "validation", 400, "invalid_request_error", "missing_required_parameter",
		"Missing required parameter: 'messages'."},
	{"not_found", "not_found", 404, "invalid_request_error", "",
		"Not found."},
	{"model_not_found", "model_not_found", 404, "invalid_request_error", "model_not_found",
		"The model `{model}` does not exist or you do not have access to it."},
	{"conflict", "server_error", 409, "invalid_request_error", "conflict",
		"Another request holds the lock on this object."},
	{"method_not_allowed", "method_not_allowed", 405, "invalid_request_error", "method_not_supported",
		"Not allowed to use this method on this path."},
	{"request_too_large", "request_too_large", 413, "invalid_request_error", "request_too_large",
		"The request body is too large."},
})

// writeOpenAI writes the member "error" as OpenAI and its look-alikes do.
func (p *problem) writeOpenAI(w *json.Writer) {
	w.Open("error", '{')
	p.writeOpenAIMembers(w)
	w.Close('}')
}

func (p *problem) writeOpenAIMembers(w *json.Writer) {
	w.Text("message", p.text(" Please try again in {}.")).
		Text("type", p.typ).
		Raw("param", nil)
	switch {
	case p.number > 0: // Gloo's word, at a look-alike
		w.Text("code", p.code)
	case p.word == "":
		w.Raw("code", nil)
	default:
		w.Text("code", p.word)
	}
}
