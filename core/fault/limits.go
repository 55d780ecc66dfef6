package fault

import (
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/date"
	"holdfast/core/decimal"
	"holdfast/core/header"
	"holdfast/core/time"
)

// Limits is what the rate-limit headers of an answer say, in one form for all providers. They
// describe the caller's allowance, never the provider's health.
type Limits struct {
	Requests, Tokens          Window
	ProjectTokens             Window // OpenAI, where a project has a limit of its own
	InputTokens, OutputTokens Window // Anthropic
	PriorityInput, PriorityOutput,
	FastInput, FastOutput Window // Anthropic's priority tier and fast mode
	Plan       Window // Anthropic's plans: only Reset is known
	PlanStatus string // "allowed", "rejected", …: what is not rejected is for display
	RetryAfter Hint
}

// Window is one limit. A browser hides headers that the server does not expose; so does a server
// that sends -1. Both are unknown, which is not 0.
type Window struct {
	Limit, Remaining Amount
	Reset            Hint // until the window is full again
}

// Amount is a number that may be unknown. The zero value is unknown.
type Amount struct {
	N     int64
	Known bool
}

// limitRows say which headers make up a window. In each, "*" is limit, remaining or reset.
var limitRows = []struct {
	pattern string
	window  func(*Limits) *Window
}{
	{"x-ratelimit-*-requests", func(l *Limits) *Window { return &l.Requests }}, // OpenAI, xAI, Azure
	{"x-ratelimit-*-tokens", func(l *Limits) *Window { return &l.Tokens }},
	{"x-ratelimit-*-project-tokens", func(l *Limits) *Window { return &l.ProjectTokens }},
	{"anthropic-ratelimit-requests-*", func(l *Limits) *Window { return &l.Requests }},
	{"anthropic-ratelimit-tokens-*", func(l *Limits) *Window { return &l.Tokens }},
	{"anthropic-ratelimit-input-tokens-*", func(l *Limits) *Window { return &l.InputTokens }},
	{"anthropic-ratelimit-output-tokens-*", func(l *Limits) *Window { return &l.OutputTokens }},
	{"anthropic-priority-input-tokens-*", func(l *Limits) *Window { return &l.PriorityInput }},
	{"anthropic-priority-output-tokens-*", func(l *Limits) *Window { return &l.PriorityOutput }},
	{"anthropic-fast-input-tokens-*", func(l *Limits) *Window { return &l.FastInput }},
	{"anthropic-fast-output-tokens-*", func(l *Limits) *Window { return &l.FastOutput }},
	{"anthropic-ratelimit-unified-*", func(l *Limits) *Window { return &l.Plan }},
	{"x-ratelimit-*", func(l *Limits) *Window { return &l.Requests }}, // Gloo's older page, OpenRouter
	{"ratelimit-*", func(l *Limits) *Window { return &l.Requests }},   // the IETF draft
}

// RateLimits reads the rate-limit headers of an answer. now is the local clock; it counts only
// where the answer has no Date of its own, and may be zero. What is missing, negative or cannot be
// read is unknown. A reset that has passed is 0. Gemini sends none of these headers, and no two
// providers mean different things by one name.
func RateLimits(h header.Header, now time.Time) Limits {
	if !mentionLimits(h) {
		return Limits{RetryAfter: retryAfter(h, now)}
	}
	var l Limits
	clock := serverTime(h, now)
	for _, r := range limitRows {
		before, after, _ := strings.Cut(r.pattern, "*")
		w := r.window(&l)
		if !w.Limit.Known {
			w.Limit = amount(h.Get(before + "limit" + after))
		}
		if !w.Remaining.Known {
			w.Remaining = amount(h.Get(before + "remaining" + after))
		}
		if !w.Reset.Known {
			key := before + "reset" + after
			if d, ok := resetIn(h.Get(key), clock); ok {
				w.Reset = Hint{d, true, key}
			}
		}
	}
	l.PlanStatus = name(h.Get("anthropic-ratelimit-unified-status"))
	l.RetryAfter = retryAfter(h, now)
	return l
}

// mentionLimits tells most answers, which say nothing about limits, from those worth a search.
func mentionLimits(h header.Header) bool {
	for _, f := range h {
		name := ascii.Lower(f.Name)
		if strings.Contains(name, "limit") || strings.Contains(name, "remaining") || strings.Contains(name, "reset") {
			return true
		}
	}
	return false
}

// exhausted is the longest wait among the windows of which nothing remains.
func (l Limits) exhausted() (longest Hint) {
	if l.PlanStatus == "rejected" {
		longest = l.Plan.Reset
	}
	for _, w := range []Window{l.Requests, l.Tokens, l.ProjectTokens, l.InputTokens, l.OutputTokens} {
		if w.Remaining == (Amount{0, true}) && w.Reset.Known && (!longest.Known || w.Reset.Wait > longest.Wait) {
			longest = w.Reset
		}
	}
	return longest
}

// amount reads a count; some servers write it with a fraction.
func amount(s string) Amount {
	if s == "" { // most of what is looked for is not there
		return Amount{}
	}
	whole, fraction, _ := strings.Cut(s, ".")
	n, ok := decimal.Int(whole)
	if !ok || n < 0 || strings.Trim(fraction, "0123456789") != "" {
		return Amount{}
	}
	return Amount{n, true}
}

// resetIn reads when a window is full again, as each sender writes it: a duration ("6m0s"), a
// number of seconds, the epoch in seconds (from 10^9) or milliseconds (from 10^12), RFC 3339, or
// an HTTP date.
func resetIn(s string, clock time.Time) (time.Duration, bool) {
	if s == "" {
		return 0, false
	}
	if n, ok := decimal.Float(s); ok {
		switch {
		case !(n >= 0 && n < 1e15): // NaN included
			return 0, false
		case n >= 1e12:
			return until(time.UnixMilli(int64(n)), clock)
		case n >= 1e9:
			return until(time.Unix(int64(n), 0), clock)
		}
		return number(s, time.Second)
	}
	if d, ok := wholeDuration(s); ok {
		return d, true
	}
	if len(s) > 40 {
		return 0, false
	}
	if then, ok := date.Parse(date.RFC3339, s); ok {
		return until(then, clock)
	}
	if then, ok := httpDate(s); ok {
		return until(then, clock)
	}
	return 0, false
}
