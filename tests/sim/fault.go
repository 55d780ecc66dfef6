package sim

import (
	"strconv"

	"holdfast/core/json"
)

// fault is one way in which the provider refuses or breaks, by its lowercase code, which is also
// the value of X-Gloo-Error-Code.
type fault struct {
	code      string
	status    int
	number    int
	name      string
	kind      string // error.type
	category  string
	blame     string // error.fault
	retryable bool
	message   string
	developer string
}

// faults are Gloo's errors. Where nothing public tells the number (1003 to 1429), it is made up.
var faults = []fault{
	{"invalid_request", 400, 1001, "INVALID_REQUEST", "invalid_request_error", "client_error", "client", false,
		"The request is not valid.", "A parameter has a value that this endpoint does not take."},
	{"context_length_exceeded", 400, 1002, "CONTEXT_LENGTH_EXCEEDED", "invalid_request_error", "client_error", "client", false,
		"The conversation is too long for this model.", "Shorten the messages or choose a model with a larger context window."},
	{"policy_refusal", 400, 1003, "CONTENT_POLICY_VIOLATION", "invalid_request_error", "client_error", "client", false,
		"This request can't be answered.", "The content policy refuses this request."},
	{"unauthorized", 401, 1401, "UNAUTHORIZED", "authentication_error", "client_error", "client", false,
		"The key is not valid.", "Send a valid key in the Authorization header."},
	{"validation", 422, 1422, "VALIDATION_ERROR", "invalid_request_error", "client_error", "client", false,
		"A field is missing.", "Add the field that the endpoint requires."},
	{"not_found", 404, 1004, "NOT_FOUND", "invalid_request_error", "client_error", "client", false,
		"There is nothing at this address.", "Check the path."},
	{"method_not_allowed", 405, 1005, "METHOD_NOT_ALLOWED", "invalid_request_error", "client_error", "client", false,
		"This address takes POST requests.", "Send the request with POST."},
	{"request_too_large", 413, 1006, "REQUEST_TOO_LARGE", "invalid_request_error", "client_error", "client", false,
		"The request is too large.", "Send a smaller body."},
	{"billing", 402, 1402, "PAYMENT_REQUIRED", "billing_error", "account_error", "client", false,
		"This account has no credit left.", "Add credit in Studio."},
	{"account_limit", 429, 1429, "ACCOUNT_LIMIT", "rate_limit_error", "account_error", "client", false,
		"This account has reached its limit.", "The account's own limit is used up; waiting a little does not help."},
	{"provider_timeout", 504, 2001, "PROVIDER_TIMEOUT", "timeout_error", "provider_error", "provider", true,
		"The provider did not respond in time. Please try again.", "The upstream model provider did not respond within the allowed time window."},
	{"provider_unavailable", 503, 2002, "PROVIDER_UNAVAILABLE", "provider_error", "provider_error", "provider", true,
		"The model is unavailable at the moment. Please try again.", "Every provider of this model failed; retry with backoff or choose another model."},
	{"rate_limit", 429, 2004, "RATE_LIMIT", "rate_limit_error", "provider_error", "provider", true,
		"Too many requests for this model. Please wait a moment.", "The provider limits requests for this model; this is not your quota."},
	{"empty_completion", 503, 2006, "EMPTY_COMPLETION", "provider_error", "provider_error", "provider", true,
		"The model gave no answer. Please try again.", "The provider returned a completion without content."},
	{"provider_inference_error", 500, 2013, "PROVIDER_INFERENCE_ERROR", "provider_error", "provider_error", "provider", true,
		"The model failed while answering. Please try again.", "The provider reported an error during inference."},
	{"provider_stream_error", 500, 2014, "PROVIDER_STREAM_ERROR", "provider_error", "provider_error", "provider", true,
		"The answer was interrupted.", "The provider's stream broke after it had started."},
	{"internal_error", 500, 3001, "INTERNAL_ERROR", "internal_error", "internal_error", "internal", false,
		"Something went wrong on our side.", "An unexpected error; contact support with the trace id."},
	{"service_unavailable", 503, 3003, "SERVICE_UNAVAILABLE", "service_error", "internal_error", "internal", true,
		"The service is busy. Please try again shortly.", "No capacity at the moment; wait for Retry-After."},
	{"gateway_deadline", 504, 3007, "GATEWAY_DEADLINE", "timeout_error", "internal_error", "internal", false,
		"The answer took too long.", "A non-streaming request ran past the response deadline; stream it, or ask for less."},
}

// details are the faults whose body Gloo gives as a detail of some shape instead of an error
// object. Not every one is one on the direct endpoints.
var details = []struct {
	code   string
	direct bool
	body   string
}{
	{"unauthorized", false, `{"detail":"Invalid or expired token"}`},
	{"policy_refusal", true, `{"detail":{"code":"content_policy_violation","message":"This request can't be answered.","retryable":false}}`},
	{"validation", true, `{"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required","input":{}}]}`},
}

// problem is a fault that happens to one request, with what the script changed about it.
type problem struct {
	fault
	retryAfter string // as in the Retry-After header; "" when the server does not know
	traceID    string
}

func faultNamed(code string) (fault, bool) {
	for _, f := range faults {
		if f.code == code {
			return f, true
		}
	}
	return fault{}, false
}

// body is the response that carries p in the manner of a dialect.
func (p problem) body(speaks dialect) []byte {
	for _, d := range details {
		if d.code == p.code && (speaks == guarded || speaks == direct && d.direct) {
			return []byte(d.body)
		}
	}
	var w json.Writer
	w.Open("", '{')
	if speaks == openAI {
		p.writeOpenAI(&w)
	} else {
		p.writeGloo(&w, p.traceID, speaks == direct)
	}
	return w.Close('}').Out
}

// writeGloo writes the member "error" as Gloo does. traceID may be empty; hints are the members
// that the direct endpoints and stream errors add.
func (p problem) writeGloo(w *json.Writer, traceID string, hints bool) {
	w.Open("error", '{').
		Text("message", p.message).
		Text("type", p.kind).
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
func (p problem) writeRetryAfter(w *json.Writer) {
	if seconds, err := strconv.ParseFloat(p.retryAfter, 64); err == nil {
		w.Float("retry_after", seconds)
	}
}

func (p problem) writeOpenAI(w *json.Writer) {
	w.Open("error", '{').
		Text("message", p.message).
		Text("type", p.kind).
		Raw("param", nil).
		Text("code", p.code).
		Close('}')
}
