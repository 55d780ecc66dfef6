package sim

import "holdfast/core/json"

// xAIFaults are xAI's errors: the code as a sentence, the code as a slug, the text. A wrong key is
// a 400, missing credit a 403 with the code of a permission, and a body that does not fit its type
// a JSON string.
var xAIFaults = faultsOf(map[string]string{
	"validation": `"Failed to deserialize the JSON body into the target type: messages: missing field ` + "`content`" + ` at line 1 column 40"`,
	"wke":        `{"code":429,"error":"You ran out of credits. [WKE=personal-team-blocked:spending-limit]"}`,
}, []row{
	{"rate_limit", "rate_limit", 429, "Some resource has been exhausted", "resource-exhausted",
		"Too many requests for team sim and model {model}. Your team's rate limit is 1 request per second."},
	{"quota", "quota", 403, "The caller does not have permission to execute the specified operation", "permission-denied",
		"Your team sim has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit."},
	{"quota_429", "quota", 429, "Some resource has been exhausted", "resource-exhausted",
		"Your team sim has either used all available credits or reached its monthly spending limit."},
	{"wke", "quota", 429, "", "", ""},
	{"billing", "billing", 403, "The caller does not have permission to execute the specified operation", "permission-denied",
		"Your newly created team doesn't have any credits yet: it has used all available credits."},
	{"overloaded", "overloaded", 503, "The service is currently unavailable", "unavailable",
		"Service temporarily unavailable. The model is at capacity and currently cannot serve this request. Please try again later."},
	{"unavailable_200", "overloaded", 200, "The service is currently unavailable", "The service is currently unavailable",
		"Service temporarily unavailable."},
	{"server_error", "server_error", 500, "Internal error", "internal", "Internal error."},
	{"timeout", "timeout", 504, "Deadline expired before operation could complete", "deadline-exceeded",
		"The request took too long."},
	{"auth", "auth", 400, "Client specified an invalid argument", "invalid-argument",
		"Incorrect API key provided: xa***gh. You can obtain an API key from https://console.x.ai."},
	{"no_key", "auth", 401, "The request does not have valid authentication credentials", "unauthenticated:no-credentials",
		"No credentials were provided."},
	{"permission", "permission", 403, "The caller does not have permission to execute the specified operation", "permission-denied",
		"The API key may not use this endpoint."},
	{"context_length", "context_length", 400, "Client specified an invalid argument", "invalid-argument",
		"This model's maximum prompt length is 131072 but the request contains 213462 tokens."},
	{"content_policy", "content_policy", 403, "The caller does not have permission to execute the specified operation", "permission-denied",
		"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_SIM"},
	{"prefill", "prefill", 400, "Client specified an invalid argument", "invalid-argument",
		"The last message must not be one of the assistant."},
	{"invalid_request", "invalid_request", 400, "Client specified an invalid argument", "invalid-argument",
		"The request is not valid."},
	{"data_loss", "invalid_request", 400, "Unrecoverable data loss or corruption", "data-loss",
		"The image could not be fetched."},
	{"live_search", "invalid_request", 410, "Client specified an invalid argument", "invalid-argument",
		"Live search is deprecated. Please switch to the Agent Tools API."},
	{"validation", "validation", 422, "", "", ""},
	{"not_found", "not_found", 404, "Some requested entity was not found", "not-found",
		"There is nothing under this id."},
	{"model_not_found", "model_not_found", 404, "Some requested entity was not found", "not-found",
		"The model {model} does not exist or your team sim does not have access to it."},
	{"method_not_allowed", "method_not_allowed", 405, "Operation is not implemented or not supported", "unimplemented",
		"Method Not Allowed"},
	{"request_too_large", "request_too_large", 413, "Operation was attempted past the valid range", "out-of-range",
		"The request is too large."},
})

// writeXAI writes the members of an error body.
func (p *problem) writeXAI(w *json.Writer) {
	switch p.shape {
	case "openai":
		w.Open("error", '{').Text("message", p.text("")).Text("type", "invalid_request_error").
			Raw("param", nil).Text("code", p.word).Close('}')
	case "sentence":
		w.Text("code", p.typ).Text("error", p.text(""))
	default:
		w.Text("code", p.word).Text("error", p.text(""))
	}
}
