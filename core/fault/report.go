package fault

import (
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/decimal"
	"holdfast/core/header"
	"holdfast/core/time"
)

// far is the longest wait that Classify calls a retry; it is the default of what a call waits for.
// More is a Stop with a known Hint: see RetryWithin.
const far = time.Minute

// RetryWithin reports whether the same request should be sent again by somebody who can wait as
// long as longest. It differs from Decision == Retry only where the server named a wait: a longer
// one than longest is never cut short, and one that was too long for Classify's default may suit a
// caller with more patience.
func (f Fault) RetryWithin(longest time.Duration) bool {
	if f.Hint.Wait > longest {
		return false
	}
	return f.Decision == Retry || f.Decision == Stop && f.Hint.Known
}

// conclude writes the Fault that an outcome and the evidence make.
func (x *evidence) conclude(o outcome) Fault {
	e := &x.env
	f := Fault{
		Decision: o.decision, Reason: o.reason, Breaker: o.breaker, Fallback: o.fallback, MaxRetries: o.max,
		Code: name(x.code()), Type: name(e.typ), Name: name(e.symbol), Blame: name(e.blame),
		TraceID:   name(e.traceID),
		RequestID: requestID(x.header, e.requestID),
		Ray:       name(x.header.Get("cf-ray")),
	}
	if f.Type == "" {
		f.Type = name(e.status)
	}
	if f.Ray == "" {
		f.Ray = name(e.ray)
	}
	if x.provider == Gloo {
		if e.shape == structure && int64(int32(e.number)) == e.number {
			f.Number = int(e.number)
		}
		switch {
		case e.retryable.True():
			f.Retryable = "true"
		case e.retryable.False():
			f.Retryable = "false"
		}
	} else if !x.inside {
		if verdict := ascii.Lower(x.header.Get("x-should-retry")); verdict == "true" || verdict == "false" {
			f.Retryable = verdict
		}
	}

	hint := x.hint()
	switch {
	case f.Decision == Retry:
		f.Hint = hint
		// On Gloo the verdict is Gloo's; what an edge asks for is generic.
		if hint.Wait > far && x.provider != Gloo && o.reason != EdgeError {
			f.Decision = Stop
		}
	case f.Reason == PlanWindow:
		f.Resets = hint
	case f.Reason == SpendCap: // a Retry-After beside it is a habit of the server's, not a promise
		f.Resets = x.regainHint()
	}

	f.Message = sentence(f.Reason)
	if text := strings.TrimSpace(e.message); x.provider == Gloo && e.shape == structure && text != "" && text[0] != '<' {
		f.Message = mask(cut(text, maxText)) // Gloo's contract says that it is fit to show
	}
	f.Developer = x.developer()
	return f
}

// code returns the most exact code that the provider gave.
func (x *evidence) code() string {
	if code := x.header.Get("x-gloo-error-code"); code != "" && x.provider == Gloo {
		return code
	}
	switch e := &x.env; {
	case e.symbol != "":
		return e.symbol
	case len(e.inner) > 0:
		return e.inner[0]
	case e.code != "":
		return e.code
	case e.status != "":
		return e.status
	case e.number != 0:
		return decimal.String(e.number)
	}
	return ""
}

// developer says in one line, for logs, what came.
func (x *evidence) developer() string {
	text := x.env.advice
	if strings.TrimSpace(text) == "" {
		text = x.env.message
	}
	text = strings.TrimSpace(text)
	switch {
	case x.env.shape == page && text == "":
		text = "an HTML page instead of an answer"
	case x.env.shape == page:
		text = "an HTML page instead of an answer: " + text
	case text == "" && x.env.code+x.env.typ+x.env.status != "":
		text = strings.TrimSpace(x.env.code + " " + x.env.typ + " " + x.env.status)
	case text == "" && x.inside:
		text = "an error without an explanation, inside an answer"
	case text == "" && x.status != 0:
		text = "HTTP " + decimal.String(x.status) + " without an explanation"
	}
	return mask(cut(text, maxText))
}

// requestID prefers the header: it is there for every answer.
func requestID(h header.Header, body string) string {
	for _, key := range []string{"x-request-id", "request-id", "apim-request-id"} {
		if id := h.Get(key); id != "" {
			return name(id)
		}
	}
	return name(body)
}
