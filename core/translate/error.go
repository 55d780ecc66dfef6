package translate

import (
	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// name is how the APIs call one reason for a failure.
type name struct {
	reason       fault.Reason
	status       int
	kind, code   string // OpenAI's error.type and error.code
	anthropic    string // error.type
	google       string // google.rpc.Code
	gloo         int64  // Gloo's number and symbol
	symbol, part string // and its category
}

// names is ordered like the words of design.md §3; the last row stands for the rest. Read back,
// most rows mean the reason again (TestErrorsAreUnderstood).
var names = []name{
	{fault.RateLimit, 429, "rate_limit_error", "rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED", 2004, "RATE_LIMIT", "provider_error"},
	{fault.Overloaded, 503, "service_unavailable_error", "server_is_overloaded", "overloaded_error", "UNAVAILABLE", 2002, "PROVIDER_UNAVAILABLE", "provider_error"},
	{fault.Timeout, 504, "timeout_error", "timeout", "timeout_error", "DEADLINE_EXCEEDED", 2001, "PROVIDER_TIMEOUT", "provider_error"},
	{fault.EmptyCompletion, 502, "server_error", "empty_completion", "api_error", "INTERNAL", 2006, "EMPTY_COMPLETION", "provider_error"},
	{fault.Quota, 429, "insufficient_quota", "insufficient_quota", "rate_limit_error", "RESOURCE_EXHAUSTED", 2004, "RATE_LIMIT", "provider_error"},
	{fault.DailyQuota, 429, "insufficient_quota", "insufficient_quota", "rate_limit_error", "RESOURCE_EXHAUSTED", 2004, "RATE_LIMIT", "provider_error"},
	{fault.Billing, 402, "billing_error", "billing_not_active", "billing_error", "FAILED_PRECONDITION", 2004, "RATE_LIMIT", "provider_error"},
	{fault.SpendCap, 402, "invalid_request_error", "billing_hard_limit_reached", "billing_error", "FAILED_PRECONDITION", 2004, "RATE_LIMIT", "provider_error"},
	{fault.Budget, 402, "billing_error", "budget_exceeded", "billing_error", "FAILED_PRECONDITION", 2004, "RATE_LIMIT", "client_error"},
	{fault.ModelNotFound, 404, "invalid_request_error", "model_not_found", "not_found_error", "NOT_FOUND", 1001, "MODEL_NOT_FOUND", "client_error"},
	{fault.ModelNotOnPlan, 403, "invalid_request_error", "model_not_available", "permission_error", "PERMISSION_DENIED", 1001, "MODEL_NOT_FOUND", "client_error"},
	{fault.Auth, 401, "authentication_error", "invalid_api_key", "authentication_error", "UNAUTHENTICATED", 1001, "INVALID_REQUEST", "client_error"},
	{fault.Permission, 403, "permission_error", "permission_denied", "permission_error", "PERMISSION_DENIED", 1001, "INVALID_REQUEST", "client_error"},
	{fault.Region, 403, "invalid_request_error", "unsupported_country_region_territory", "permission_error", "PERMISSION_DENIED", 1001, "INVALID_REQUEST", "client_error"},
	{fault.ContentPolicy, 400, "invalid_request_error", "content_policy_violation", "invalid_request_error", "INVALID_ARGUMENT", 1001, "CONTENT_POLICY_VIOLATION", "client_error"},
	{fault.ContextLength, 400, "invalid_request_error", "context_length_exceeded", "invalid_request_error", "INVALID_ARGUMENT", 1002, "CONTEXT_LENGTH_EXCEEDED", "client_error"},
	{fault.RequestTooLarge, 413, "invalid_request_error", "request_too_large", "request_too_large", "INVALID_ARGUMENT", 1001, "INVALID_REQUEST", "client_error"},
	{fault.InvalidRequest, 400, "invalid_request_error", "invalid_request", "invalid_request_error", "INVALID_ARGUMENT", 1001, "INVALID_REQUEST", "client_error"},
	{fault.Cancelled, 499, "invalid_request_error", "cancelled", "api_error", "CANCELLED", 3001, "INTERNAL_ERROR", "internal_error"},
	{fault.CircuitOpen, 503, "service_unavailable_error", "circuit_open", "overloaded_error", "UNAVAILABLE", 3003, "SERVICE_UNAVAILABLE", "internal_error"},
	{fault.Deadline, 504, "timeout_error", "deadline", "timeout_error", "DEADLINE_EXCEEDED", 3007, "GATEWAY_DEADLINE", "internal_error"},
	{fault.ServerError, 500, "server_error", "server_error", "api_error", "INTERNAL", 2013, "PROVIDER_INFERENCE_ERROR", "provider_error"},
	{fault.Unknown, 502, "server_error", "server_error", "api_error", "INTERNAL", 2014, "PROVIDER_STREAM_ERROR", "provider_error"},
}

func nameOf(f fault.Fault) name {
	for _, n := range names {
		if n.reason == f.Reason {
			return n
		}
	}
	last := names[len(names)-1]
	if 400 <= f.Status && f.Status < 500 && f.Decision != fault.Retry {
		for _, n := range names {
			if n.reason == fault.InvalidRequest {
				last = n
			}
		}
	}
	return last
}

// Status is the HTTP status to answer with: the provider's own, or for a fault that came without
// one the usual status of its reason. A wrong key, which some call a bad request, is one of those.
func Status(api wire.API, f fault.Fault) int {
	switch {
	case f.Reason == fault.Auth:
		return nameOf(f).status
	case 400 <= f.Status && f.Status <= 599:
		return f.Status
	case f.Reason == fault.Overloaded && api == messages:
		return 529
	}
	return nameOf(f).status
}

// Error writes a fault in the error form of the API that the caller asked in: OpenAI's error
// object for chat and responses, Gloo's where provider says so, Anthropic's error for messages,
// google.rpc.Status for generate. status 0 means that of Status. The message is the one that is
// safe to show. Waits that belong into headers are the caller's to send.
func Error(api wire.API, provider fault.Provider, status int, f fault.Fault) []byte {
	if f.Status = status; status == 0 {
		f.Status = Status(api, f)
	}
	var w json.Writer
	w.Open("", '{')
	switch api {
	case messages:
		w.Text("type", "error")
		writeAnthropicError(&w, f)
		w.TextIf("request_id", f.RequestID)
	case generate:
		writeGoogleError(&w, f)
	default:
		writeOpenAIError(&w, provider, f)
	}
	return w.Close('}').Out
}

func writeOpenAIError(w *json.Writer, provider fault.Provider, f fault.Fault) {
	n := nameOf(f)
	w.Open("error", '{').Text("message", f.Message).Text("type", n.kind)
	if provider != fault.Gloo {
		w.Raw("param", nil).Text("code", n.code).Close('}')
		return
	}
	blame := "provider"
	switch n.part {
	case "client_error":
		blame = "client"
	case "internal_error":
		blame = "internal"
	}
	w.Int("code", n.gloo).Text("name", n.symbol).Text("category", n.part).Text("fault", blame)
	w.Bool("retryable", f.Decision == fault.Retry).TextIf("trace_id", f.TraceID)
	w.IntIf("retry_after", seconds(f.Hint.Wait)).Close('}')
}

func writeAnthropicError(w *json.Writer, f fault.Fault) {
	w.Open("error", '{').Text("type", nameOf(f).anthropic).Text("message", f.Message).Close('}')
}

func writeGoogleError(w *json.Writer, f fault.Fault) {
	n := nameOf(f)
	w.Open("error", '{').Int("code", int64(Status(generate, f))).Text("message", f.Message).Text("status", n.google)
	if f.Decision == fault.Retry && f.Hint.Wait > 0 {
		w.Open("details", '[').Open("", '{').Text("@type", "type.googleapis.com/google.rpc.RetryInfo")
		w.Text("retryDelay", decimal.String(seconds(f.Hint.Wait))+"s").Close('}').Close(']')
	}
	w.Close('}')
}

// seconds rounds a wait up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
