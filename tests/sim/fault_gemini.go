package sim

import (
	"strconv"

	"holdfast/core/json"
)

// geminiFaults are the errors of Gemini's generateContent: error.status, with the HTTP status
// again in error.code. A wrong key is a 400.
var geminiFaults = faultsOf(map[string]string{
	"rate_limit":        quotaFailure("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "10"),
	"daily_quota":       quotaFailure("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "20"),
	"quota":             quotaFailure("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "20"),
	"model_not_on_plan": quotaFailure("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "0"),
	"capacity": `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"MODEL_CAPACITY_EXHAUSTED",` +
		`"domain":"cloudcode-pa.googleapis.com","metadata":{"model":"gemini-sim"}}`,
	"auth": `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com",` +
		`"metadata":{"service":"generativelanguage.googleapis.com"}},` +
		`{"@type":"type.googleapis.com/google.rpc.LocalizedMessage","locale":"en-US","message":"API key not valid. Please pass a valid API key."}`,
	"referrer": `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_HTTP_REFERRER_BLOCKED","domain":"googleapis.com","metadata":{}}`,
	"validation": `{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":` +
		`[{"field":"contents","description":"contents is not specified"}]}`,
}, []row{
	{"rate_limit", "rate_limit", 429, "RESOURCE_EXHAUSTED", "",
		"You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 10{wait}"},
	{"resource_exhausted", "rate_limit", 429, "RESOURCE_EXHAUSTED", "", "Resource has been exhausted (e.g. check quota)."},
	{"quota", "quota", 429, "RESOURCE_EXHAUSTED", "",
		"You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 20{wait}"},
	{"daily_quota", "quota", 429, "RESOURCE_EXHAUSTED", "",
		"You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 20{wait}"},
	{"model_not_on_plan", "quota", 429, "RESOURCE_EXHAUSTED", "",
		"You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0{wait}"},
	{"billing", "billing", 402, "RESOURCE_EXHAUSTED", "", "Your prepaid credits are used up."},
	{"overloaded", "overloaded", 503, "UNAVAILABLE", "", "The model is overloaded. Please try again later."},
	{"capacity", "overloaded", 429, "RESOURCE_EXHAUSTED", "", "No capacity available for model {model} on the server"},
	{"server_error", "server_error", 500, "INTERNAL", "", "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"},
	{"aborted", "server_error", 409, "ABORTED", "", "The operation was aborted."},
	{"timeout", "timeout", 504, "DEADLINE_EXCEEDED", "", "Deadline expired before operation could complete."},
	{"cancelled", "timeout", 499, "CANCELLED", "", "The operation was cancelled."},
	{"auth", "auth", 400, "INVALID_ARGUMENT", "", "API key not valid. Please pass a valid API key."},
	{"unauthenticated", "auth", 401, "UNAUTHENTICATED", "", "Request had invalid authentication credentials."},
	{"permission", "permission", 403, "PERMISSION_DENIED", "", "Generative Language API has not been used in project 1 before or it is disabled."},
	{"referrer", "permission", 403, "PERMISSION_DENIED", "", "Requests from referer <empty> are blocked."},
	{"region", "permission", 400, "FAILED_PRECONDITION", "", "User location is not supported for the API use."},
	{"context_length", "context_length", 400, "INVALID_ARGUMENT", "",
		"The input token count (1213462) exceeds the maximum number of tokens allowed (1048576)."},
	{"content_policy", "content_policy", 400, "INVALID_ARGUMENT", "", "The prompt was blocked."},
	{"prefill", "prefill", 400, "INVALID_ARGUMENT", "", "Please ensure that the conversation ends with a user turn."},
	{"invalid_request", "invalid_request", 400, "INVALID_ARGUMENT", "", "Request contains an invalid argument."},
	{"validation", "validation", 400, "INVALID_ARGUMENT", "", "* GenerateContentRequest.contents: contents is not specified"},
	{"not_found", "not_found", 404, "NOT_FOUND", "", "Requested entity was not found."},
	{"model_not_found", "model_not_found", 404, "NOT_FOUND", "",
		"models/{model} is not found for API version v1beta, or is not supported for generateContent."},
	{"method_not_allowed", "method_not_allowed", 405, "UNIMPLEMENTED", "", "The method is not allowed here."},
	{"request_too_large", "request_too_large", 413, "INVALID_ARGUMENT", "", "Request payload size exceeds the limit."},
})

// interactionFaults are the errors of Gemini Interactions: a code, and nothing but a text beside it.
var interactionFaults = faultsOf(nil, []row{
	{"rate_limit", "rate_limit", 429, "", "rate_limit_exceeded", "Too many requests.{wait}"},
	{"quota", "quota", 429, "", "quota_exceeded", "The daily quota of this project is used up."},
	{"billing", "billing", 402, "", "payment_required", "Your prepaid credits are used up."},
	{"overloaded", "overloaded", 503, "", "service_unavailable", "The model is overloaded. Please try again later."},
	{"server_error", "server_error", 500, "", "api_error", "An internal error has occurred."},
	{"timeout", "timeout", 504, "", "deadline_exceeded", "Deadline expired before operation could complete."},
	{"auth", "auth", 400, "", "invalid_request", "API key not valid. Please pass a valid API key."},
	{"permission", "permission", 403, "", "permission_denied", "The caller does not have permission."},
	{"failed_precondition", "invalid_request", 400, "", "failed_precondition", "User location is not supported for the API use."},
	{"invalid_request", "invalid_request", 400, "", "invalid_request", "The value 'x' is not supported for 'type' at 'tools[0]'."},
	{"validation", "validation", 400, "", "invalid_request", "Missing required field 'input'."},
	{"context_length", "context_length", 400, "", "invalid_request", "The input token count (1213462) exceeds the maximum number of tokens allowed (1048576)."},
	{"content_policy", "content_policy", 400, "", "prohibited_content", "The prompt was blocked."},
	{"tool_call", "server_error", 500, "", "malformed_function_call", "The model wrote a function call that is none."},
	{"prefill", "prefill", 400, "", "invalid_request", "The input must end with a user turn."},
	{"not_found", "not_found", 404, "", "not_found", "Interaction not found."},
	{"model_not_found", "model_not_found", 404, "", "model_not_found", "The model {model} does not exist."},
	{"method_not_allowed", "method_not_allowed", 405, "", "invalid_request", "The method is not allowed here."},
	{"request_too_large", "request_too_large", 413, "", "invalid_request", "Request payload size exceeds the limit."},
})

// quotaFailure is the detail about a quota, and Google's hint where to read about it.
func quotaFailure(id, limit string) string {
	return `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":` +
		`"generativelanguage.googleapis.com/generate_content_free_tier_requests","quotaId":"` + id + `",` +
		`"quotaDimensions":{"location":"global","model":"gemini-sim"},"quotaValue":"` + limit + `"}]},` +
		`{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"Learn more about Gemini API quotas",` +
		`"url":"https://ai.google.dev/gemini-api/docs/rate-limits"}]}`
}

// writeStatus writes the member "error" as a google.rpc.Status. The wait is a detail, and a
// sentence of the message; Gemini has no header for it.
func (p *problem) writeStatus(w *json.Writer) {
	w.Open("error", '{').
		Int("code", int64(p.status)).
		Text("message", p.text(" Please retry in {}.")).
		Text("status", p.typ)
	seconds, known := p.seconds()
	if p.details != "" || known {
		w.Open("details", '[')
		if p.details != "" {
			w.Raw("", json.Value(p.details)) // one detail or more, with commas between
		}
		if known {
			w.Open("", '{').Text("@type", "type.googleapis.com/google.rpc.RetryInfo").
				Text("retryDelay", strconv.FormatFloat(seconds, 'f', -1, 64)+"s").Close('}')
		}
		w.Close(']')
	}
	w.Close('}')
}

// writeWord writes the member "error" as Interactions do.
func (p *problem) writeWord(w *json.Writer) {
	w.Open("error", '{').Text("code", p.word).Text("message", p.text(" Please retry in {}.")).Close('}')
}
