package fault

import "holdfast/core/ascii"

// Failures without an answer: what happened between us and the provider, or on our own side.

// lostRows say what each kind of loss means.
var lostRows = []outcome{
	{Retry, Transport, Failing, AfterRetries, 0},
	{Retry, Timeout, Failing, AfterRetries, 0},
	{Retry, Truncated, Failing, AfterRetries, 0},
	{Retry, IdleTimeout, Failing, AfterRetries, 1}, // it would likely stall again (xAI's client never retries it)
	{Retry, MalformedStream, Failing, AfterRetries, 0},
	{Retry, EmptyCompletion, Failing, AfterRetries, 0},
	{Retry, MalformedToolCall, Ignore, AfterRetries, 1},
	{Retry, NotProcessed, Failing, AfterRetries, 0}, // provably not begun: no double bill
	{Stop, Cancelled, Ignore, Never, 0},
	{Stop, Deadline, Ignore, Never, 0},
	{Stop, PlatformLimit, Ignore, Never, 0},
	{Stop, Budget, Ignore, Never, 0},
	{Stop, CircuitOpen, Ignore, AfterRetries, 0}, // the next target at once; never this one
	{FixRequest, InvalidRequest, Ignore, Never, 0},
}

// Lost says what a failure without a response means. kind is one of Transport, Timeout, Truncated,
// IdleTimeout, MalformedStream, EmptyCompletion, MalformedToolCall, NotProcessed, Cancelled,
// Deadline, PlatformLimit, Budget, CircuitOpen or InvalidRequest (a call that could not even be
// sent); any other gives Stop and keeps the word. detail is for logs. It holds for Gloo, too: what
// did not answer gave no verdict.
func Lost(kind Reason, detail string) Fault {
	o := *unexplained
	if kind != "" {
		o.reason = kind
	}
	for _, r := range lostRows {
		if r.reason == kind {
			o = r
		}
	}
	return Fault{
		Decision: o.decision, Reason: o.reason, Breaker: o.breaker, Fallback: o.fallback, MaxRetries: o.max,
		Message: sentence(o.reason), Developer: mask(cut(detail, maxText)),
	}
}

// networkRows map what JavaScript reports. The first row counts whose text is the error's name or
// code, or stands in its message. Sources: undici, Chromium, Firefox, Safari, Node, Bun, workerd.
var networkRows = []struct {
	name string // the error's name or code is one of these
	says string // the message contains one of these, as in row
	then Reason
}{
	{"AbortError|ABORT_ERR|APIUserAbortError|RequestAbortedError|ResponseAborted", "request was aborted|the user aborted a request|the operation was aborted.|this operation was aborted", Cancelled},
	{"", "too many subrequests|subrequest depth limit|exceeded cpu|exceeded memory|would exceed memory|" +
		"on behalf of a different request|will never generate a response|hanging promise|" +
		"content security policy", PlatformLimit},
	{"BudgetError", "", Budget}, // a gateway's, before it sends anything
	{"ERR_HTTP2_GOAWAY_SESSION|REFUSED_STREAM|NGHTTP2_REFUSED_STREAM", "refused_stream|goaway", NotProcessed},
	{"ECONNREFUSED|ENOTFOUND|EAI_AGAIN", "", Transport},
	{"TimeoutError|ETIMEDOUT|ESOCKETTIMEDOUT|TIMEOUT_ERR|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|" +
		"APIConnectionTimeoutError|ConnectTimeoutError|HeadersTimeoutError|BodyTimeoutError|RequestTimeoutError", "timed out|timeout", Timeout},
	{"", "incomplete json segment|ended without producing a message|ended without producing a chat|ended without sending any |" + // SDKs
		"missing finish_reason", Truncated},
	{"RedirectError|ERR_INVALID_URL|ERR_INVALID_CHAR|ERR_INVALID_HTTP_TOKEN", "invalid url|failed to parse url|cannot be parsed as a url|" +
		"body not allowed|method cannot have body|invalid header|not a valid bytestring|bytestring|" +
		"redirect count exceeded|too many redirects|too many http redirects", InvalidRequest}, // round in circles
}

// Network says what an error means that JavaScript threw instead of answering. name is the
// error's name, code its code or its cause's, message its message and its cause's. What it does
// not know is Transport: browsers hide the reason of most failures. An AbortError is taken for the
// caller's; whoever knows that its own timer fired says Lost(Timeout) instead.
func Network(name, code, message string) Fault {
	message = cut(message, maxText)
	detail := message
	for _, part := range []string{code, name} {
		if part = cut(part, maxName); part != "" {
			detail = part + ": " + detail
		}
	}
	if name == "TokenError" { // ours, of the caller's own function: the provider was not even asked
		f := Lost(Transport, detail)
		f.Breaker, f.Message = Ignore, "Your access could not be confirmed. Please try again."
		return f
	}
	words := ascii.Lower(message)
	x := evidence{names: []string{name, code}}
	for _, r := range networkRows {
		if r.name != "" && x.named(r.name) || r.says != "" && says(words, r.says) {
			return Lost(r.then, detail)
		}
	}
	return Lost(Transport, detail)
}
