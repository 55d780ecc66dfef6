// Package fault says what a provider's answer means: it reads the error envelopes of five
// providers and of the proxies before them, and turns status, headers and body into one Fault.
//
// It is total: any bytes give a Fault, and nothing panics. What it knows of a provider stands in
// that provider's file as a table; to teach it a code or a message is to add a row there, and a
// line to the table of its test. What all providers share has tables of its own: money.go,
// context.go, status.go, edge.go, transport.go. The words of the rows' last cell are in outcome.go.
//
// The way of an answer: Classify reads the body (envelope.go), gathers the names and words in it
// (evidence.go), asks the tables, lets the server's own verdict count, finds the wait (hint.go) and
// writes the Fault (report.go).
package fault

import (
	"holdfast/core/header"
	"holdfast/core/time"
)

// Provider names whose rules apply.
type Provider string

// The providers. An OpenAI-compatible server that is none of these is treated as OpenAI.
const (
	Gloo      Provider = "gloo"
	OpenAI    Provider = "openai"
	Anthropic Provider = "anthropic"
	XAI       Provider = "xai"
	Gemini    Provider = "gemini"
)

// Decision is what to do about an exchange.
type Decision string

const (
	Success    Decision = "success"
	Retry      Decision = "retry"       // the same request may succeed later
	FixRequest Decision = "fix_request" // it fails again until the caller changes it
	Stop       Decision = "stop"        // credentials, money, policy: tell the caller
)

// Reason is why; the words are stable and shared with JavaScript.
type Reason string

const (
	RateLimit         Reason = "rate_limit"
	Overloaded        Reason = "overloaded"
	ServerError       Reason = "server_error"
	Timeout           Reason = "timeout"
	Transport         Reason = "transport"
	Truncated         Reason = "truncated"
	IdleTimeout       Reason = "idle_timeout"
	MalformedStream   Reason = "malformed_stream"
	EmptyCompletion   Reason = "empty_completion"
	MalformedToolCall Reason = "malformed_tool_call"
	NotProcessed      Reason = "not_processed"
	EdgeError         Reason = "edge_error"
	EdgeTimeout       Reason = "edge_timeout"
	ProxyUnavailable  Reason = "proxy_unavailable"
	Quota             Reason = "quota"
	DailyQuota        Reason = "daily_quota"
	Billing           Reason = "billing"
	SpendCap          Reason = "spend_cap"
	PlanGate          Reason = "plan_gate"
	PlanWindow        Reason = "plan_window"
	ModelNotOnPlan    Reason = "model_not_on_plan"
	ModelNotFound     Reason = "model_not_found"
	Auth              Reason = "auth"
	Permission        Reason = "permission"
	Region            Reason = "region"
	ContentPolicy     Reason = "content_policy"
	ContextLength     Reason = "context_length"
	RequestTooLarge   Reason = "request_too_large"
	InvalidRequest    Reason = "invalid_request"
	Deadline          Reason = "deadline"
	FailClosed        Reason = "fail_closed"
	Cancelled         Reason = "cancelled"
	CircuitOpen       Reason = "circuit_open"
	Budget            Reason = "budget"
	PlatformLimit     Reason = "platform_limit"
	Unknown           Reason = "unknown"
)

// Effect is what a fault tells a circuit breaker about the provider's health.
type Effect string

const (
	Healthy Effect = "success" // it proves that the provider works
	Failing Effect = "failure"
	Ignore  Effect = "ignore"
)

// Scope is where else the request may go.
type Scope string

const (
	Never         Scope = "never"
	OtherModel    Scope = "same_provider_other_model"
	OtherProvider Scope = "other_provider"
	AfterRetries  Scope = "after_retries" // anywhere, once the retries are used up
)

// Hint is how long the server asked us to wait. The zero value is "it did not say". A Wait of 0
// that is Known means "now is allowed" and leaves the choice to our own backoff.
type Hint struct {
	Wait   time.Duration
	Known  bool
	Source string // where it stood: "retry-after", "RetryInfo", "message", …
}

// Fault says what one failed exchange means. The zero value stands for "no fault".
type Fault struct {
	Decision Decision
	Reason   Reason
	Breaker  Effect
	Fallback Scope
	// Hint is the wait before the same request may be sent again. With Decision Stop it is known
	// only for a rate limit whose wait is too long to hold a call open for: show it, or come back.
	Hint Hint
	// Resets says when money or a plan's allowance comes back, for people to read. Nobody waits
	// for it.
	Resets Hint
	// MaxRetries bounds how often this kind of fault may be retried within one call, below the
	// call's own budget. 0 means that only the budget counts.
	MaxRetries int

	Status int // HTTP status; 0 when the fault did not come as a response status

	// What the provider said, for logs. Empty when it did not say.
	Code      string // the most specific machine-readable code (X-Gloo-Error-Code, error.name, error.code, …)
	Type      string // error.type, or Google's error.status
	Name      string // Gloo's symbolic name
	Blame     string // Gloo's fault: client, provider, internal
	Number    int    // Gloo's numeric code
	Retryable string // the server's literal verdict (Gloo's retryable, x-should-retry): "true", "false" or ""
	Message   string // safe to show to users; never HTML, never empty
	Developer string // what happened in the provider's words, at most 500 characters
	TraceID   string
	RequestID string
	Ray       string // Cloudflare's cf-ray, where the answer came from its edge
}

// Response is one answer as it came.
type Response struct {
	Status int
	Header header.Header
	Body   []byte
	// Now is the local clock, used for HTTP dates only when the answer carries no Date header.
	// The zero value means unknown: dates then give no hint.
	Now time.Time
}
