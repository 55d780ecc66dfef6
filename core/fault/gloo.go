package fault

// Gloo. It says itself whether to retry, and only the literal true counts: whatever is missing,
// misspelt or unknown fails closed. The rows say what happened, not whether to retry it.
// Sources: docs.gloo.com, "Build a Resilient Client" and the errors reference.

var glooRows = []row{
	// status, X-Gloo-Error-Code or name or code, message, outcome
	{0, "1001|INVALID_REQUEST", "", badRequest},
	{0, "1002|CONTEXT_LENGTH_EXCEEDED", "", tooLong},
	{0, "2001|PROVIDER_TIMEOUT", "", timedOut},
	{0, "2002|PROVIDER_UNAVAILABLE", "", overloaded},
	{0, "2004|RATE_LIMIT", "", rateLimited}, // a provider limits this model; not the caller's quota
	{0, "2006|EMPTY_COMPLETION", "", emptyAnswer},
	{0, "2013|PROVIDER_INFERENCE_ERROR", "", serverFailed},
	{0, "2014|PROVIDER_STREAM_ERROR", "", serverFailed},
	{0, "3001|INTERNAL_ERROR", "", glooInternal},
	{0, "3003|SERVICE_UNAVAILABLE", "", overloaded},
	{0, "3007|GATEWAY_DEADLINE", "", glooDeadline},
	{0, "content_policy_violation|content_policy|guardrail_blocked", "", againstRules},
	{0, "model_not_found", "", noSuchModel},
}

// glooRest apply when no name is known.
var glooRest = []row{
	{404, "", "model", noSuchModel},
	{401, "", "", badKey},
}

var (
	// Never retryable, though it is a 500.
	glooInternal = &outcome{Stop, ServerError, Failing, Never, 0}
	// The answer takes longer than Gloo waits: stream it, or ask for less. The same again meets
	// the same deadline.
	glooDeadline = &outcome{Stop, Deadline, Ignore, Never, 0}
)

// gloo applies the verdict to what the tables found. The names count in the order of their
// exactness: X-Gloo-Error-Code wins over what the body says.
func (x *evidence) gloo() outcome {
	o, ok := outcome{}, false
	for i := 0; i < len(x.names) && !ok; i++ {
		one := evidence{names: x.names[i : i+1]}
		o, ok = one.find(glooRows)
	}
	if !ok {
		o = x.meaning(glooRest, moneyRows, contextRows, openaiRows)
		if x.status == 429 && o.reason == RateLimit && x.env.retryable.False() {
			o = *quotaSpent // a limit of the account, not of a provider
		}
	}
	switch {
	case x.env.retryable.True():
		o.decision = Retry
		return o
	case o.decision == Retry && !x.env.retryable.False():
		o = *failedClosed // no verdict
	}
	switch x.status {
	case 400, 404, 405, 413, 422:
		o.decision = FixRequest
	default:
		if o.decision != FixRequest || !x.inside && o.reason != ContentPolicy {
			o.decision = Stop
		}
	}
	return o
}
