package sim

import (
	"strconv"

	"holdfast/core/json"
)

// gloo is what Gloo says about a fault beyond what all do.
type gloo struct {
	number    int
	name      string
	category  string
	blame     string // error.fault
	developer string
}

// glooFaults are Gloo's errors. Where nothing public tells the number (1003 to 1429), it is made
// up. The look-alikes of OpenAI use its codes and types too.
var glooFaults = []fault{
	{"invalid_request", "invalid_request", 400, "invalid_request_error", "", "The request is not valid.", "", false,
		gloo{1001, "INVALID_REQUEST", "client_error", "client", "A parameter has a value that this endpoint does not take."}},
	{"context_length_exceeded", "context_length", 400, "invalid_request_error", "", "The conversation is too long for this model.", "", false,
		gloo{1002, "CONTEXT_LENGTH_EXCEEDED", "client_error", "client", "Shorten the messages or choose a model with a larger context window."}},
	{"policy_refusal", "content_policy", 400, "invalid_request_error", "", "This request can't be answered.", "", false,
		gloo{1003, "CONTENT_POLICY_VIOLATION", "client_error", "client", "The content policy refuses this request."}},
	{"prefill", "prefill", 400, "invalid_request_error", "", "The last message must not be one of the assistant.", "", false,
		gloo{1007, "PREFILL_NOT_SUPPORTED", "client_error", "client", "This model does not go on from an assistant message; end with a user message."}},
	{"unauthorized", "auth", 401, "authentication_error", "", "The key is not valid.", "", false,
		gloo{1401, "UNAUTHORIZED", "client_error", "client", "Send a valid key in the Authorization header."}},
	{"forbidden", "permission", 403, "permission_error", "", "This key may not do that.", "", false,
		gloo{1403, "FORBIDDEN", "client_error", "client", "The key lacks a permission."}},
	{"validation", "validation", 422, "invalid_request_error", "", "A field is missing.", "", false,
		gloo{1422, "VALIDATION_ERROR", "client_error", "client", "Add the field that the endpoint requires."}},
	{"not_found", "not_found", 404, "invalid_request_error", "", "There is nothing at this address.", "", false,
		gloo{1004, "NOT_FOUND", "client_error", "client", "Check the path."}},
	{"model_not_found", "model_not_found", 404, "invalid_request_error", "", "There is no such model.", "", false,
		gloo{1008, "MODEL_NOT_FOUND", "client_error", "client", "Ask for the list of models."}},
	{"method_not_allowed", "method_not_allowed", 405, "invalid_request_error", "", "This address takes POST requests.", "", false,
		gloo{1005, "METHOD_NOT_ALLOWED", "client_error", "client", "Send the request with POST."}},
	{"request_too_large", "request_too_large", 413, "invalid_request_error", "", "The request is too large.", "", false,
		gloo{1006, "REQUEST_TOO_LARGE", "client_error", "client", "Send a smaller body."}},
	{"billing", "billing", 402, "billing_error", "", "This account has no credit left.", "", false,
		gloo{1402, "PAYMENT_REQUIRED", "account_error", "client", "Add credit in Studio."}},
	{"account_limit", "quota", 429, "rate_limit_error", "", "This account has reached its limit.", "", false,
		gloo{1429, "ACCOUNT_LIMIT", "account_error", "client", "The account's own limit is used up; waiting a little does not help."}},
	{"provider_timeout", "timeout", 504, "timeout_error", "", "The provider did not respond in time. Please try again.", "", true,
		gloo{2001, "PROVIDER_TIMEOUT", "provider_error", "provider", "The upstream model provider did not respond within the allowed time window."}},
	{"provider_unavailable", "overloaded", 503, "provider_error", "", "The model is unavailable at the moment. Please try again.", "", true,
		gloo{2002, "PROVIDER_UNAVAILABLE", "provider_error", "provider", "Every provider of this model failed; retry with backoff or choose another model."}},
	{"rate_limit", "rate_limit", 429, "rate_limit_error", "", "Too many requests for this model. Please wait a moment.", "", true,
		gloo{2004, "RATE_LIMIT", "provider_error", "provider", "The provider limits requests for this model; this is not your quota."}},
	{"provider_inference_error", "server_error", 500, "provider_error", "", "The model failed while answering. Please try again.", "", true,
		gloo{2013, "PROVIDER_INFERENCE_ERROR", "provider_error", "provider", "The provider reported an error during inference."}},
	{"empty_completion", "server_error", 503, "provider_error", "", "The model gave no answer. Please try again.", "", true,
		gloo{2006, "EMPTY_COMPLETION", "provider_error", "provider", "The provider returned a completion without content."}},
	{"provider_stream_error", "server_error", 500, "provider_error", "", "The answer was interrupted.", "", true,
		gloo{2014, "PROVIDER_STREAM_ERROR", "provider_error", "provider", "The provider's stream broke after it had started."}},
	{"internal_error", "server_error", 500, "internal_error", "", "Something went wrong on our side.", "", false,
		gloo{3001, "INTERNAL_ERROR", "internal_error", "internal", "An unexpected error; contact support with the trace id."}},
	{"service_unavailable", "overloaded", 503, "service_error", "", "The service is busy. Please try again shortly.", "", true,
		gloo{3003, "SERVICE_UNAVAILABLE", "internal_error", "internal", "No capacity at the moment; wait for Retry-After."}},
	{"gateway_deadline", "timeout", 504, "timeout_error", "", "The answer took too long.", "", false,
		gloo{3007, "GATEWAY_DEADLINE", "internal_error", "internal", "A non-streaming request ran past the response deadline; stream it, or ask for less."}},
}

// glooDetails are the faults whose body Gloo gives as a detail of some shape instead of an error
// object. Not every one is one on the direct endpoints.
var glooDetails = []struct {
	code   string
	direct bool
	body   string
}{
	{"unauthorized", false, `{"detail":"Invalid or expired token"}`},
	{"policy_refusal", true, `{"detail":{"code":"content_policy_violation","message":"This request can't be answered.","retryable":false}}`},
	{"validation", true, `{"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required","input":{}}]}`},
}

// writeGloo writes the member "error" as Gloo does. traceID may be empty; hints are the members
// that the direct endpoints and stream errors add.
func (p *problem) writeGloo(w *json.Writer, traceID string, hints bool) {
	w.Open("error", '{').
		Text("message", p.message).
		Text("type", p.typ).
		Int("code", int64(p.number)).
		Text("name", p.name).
		Text("category", p.category).
		Text("description", p.developer).
		Text("fault", p.blame).
		Bool("retryable", p.retryable).
		TextIf("trace_id", traceID)
	if hints {
		w.Text("developer_message", p.developer)
		p.writeRetryAfter(w)
	}
	w.Close('}')
}

// writeRetryAfter writes the wait in seconds when it is a number.
func (p *problem) writeRetryAfter(w *json.Writer) {
	if seconds, known := p.seconds(); known {
		w.Raw("retry_after", strconv.AppendFloat(nil, seconds, 'f', -1, 64))
	}
}
