//go:build js

package main

import (
	"strconv"
	"syscall/js"
)

// The words of the page for what the module reports.

// reasons say why an attempt failed, to follow "Refused:" or stand alone.
var reasons = map[string]string{
	"rate_limit": "too many requests", "overloaded": "overloaded", "server_error": "server error",
	"timeout": "timed out", "transport": "the connection broke", "truncated": "the stream ended too early",
	"idle_timeout": "nothing came any more", "malformed_stream": "the data was broken",
	"empty_completion": "the answer was empty", "malformed_tool_call": "a tool call was broken",
	"not_processed": "not processed", "edge_error": "a proxy failed", "edge_timeout": "a proxy timed out",
	"proxy_unavailable": "a proxy is unavailable", "quota": "quota used up", "daily_quota": "daily quota used up",
	"billing": "no credit", "spend_cap": "spending limit reached", "plan_gate": "not in the plan",
	"plan_window": "the plan's limit is reached", "model_not_on_plan": "model not in the plan",
	"model_not_found": "no such model", "auth": "not authorized", "permission": "not permitted",
	"region": "not available in this region", "content_policy": "against the content policy",
	"context_length": "the conversation is too long", "request_too_large": "the request is too large",
	"invalid_request": "the request is not valid", "deadline": "out of time",
	"fail_closed": "not marked as retryable", "cancelled": "stopped", "circuit_open": "resting after failures",
	"budget": "this page's spending limit is reached", "platform_limit": "a platform limit", "unknown": "unknown failure",
}

func reason(f *Failure) string {
	if words := reasons[f.Reason]; words != "" {
		return words
	}
	return f.Reason
}

// count writes a number with its noun: "1 character", "1,204 characters".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " " + noun
}

// seconds writes a duration for a timeline: "7 ms", "0.4 s", "12 s".
func seconds(ms float64) string {
	if ms = max(ms, 0); ms < 95 {
		return strconv.Itoa(int(ms)) + "\u00a0ms"
	}
	if ms < 9950 {
		return strconv.FormatFloat(ms/1000, 'f', 1, 64) + "\u00a0s"
	}
	return strconv.FormatFloat(ms/1000, 'f', 0, 64) + "\u00a0s"
}

// countdown writes a wait that someone watches in whole seconds, up to the next one.
func countdown(ms float64) string {
	left := int(max(ms, 0)+999) / 1000
	if left < 60 {
		return strconv.Itoa(left) + "\u00a0s"
	}
	return strconv.Itoa(left/60) + "\u00a0min " + strconv.Itoa(left%60) + "\u00a0s"
}

// clock writes a moment as the reader's language does: the time, and the day unless it is today.
func clock(ms float64) string {
	date := js.Global().Get("Date")
	at, today := date.New(ms), date.New()
	options := map[string]any{"hour": "2-digit", "minute": "2-digit"}
	if at.Call("toDateString").String() != today.Call("toDateString").String() {
		options["weekday"], options["day"], options["month"] = "long", "numeric", "long"
	}
	return at.Call("toLocaleString", js.Undefined(), options).String()
}
