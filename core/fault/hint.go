package fault

import (
	"strings"

	"holdfast/core/date"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/time"
)

// How long the server asked us to wait. The first source counts that can be read; one that cannot
// is as if absent and hides no other:
//
//	retry-after-ms, retry-after   headers; a browser sees them only when the server exposes them
//	RetryInfo, retry_after        members of the error
//	the message                   "Please try again in 11.054s."
//	reset headers                 only where the matching remaining is 0
//	the quota that was hit        Gemini's of a minute: 60 s
//
// On Gloo the header and error.retry_after are all there is.

// hint finds the wait for an exchange that failed.
func (x *evidence) hint() Hint {
	given := x.header
	if x.inside { // the headers of a 200 were written before anything went wrong
		given = x.own
	}
	if h := retryAfter(given, x.now); h.Known {
		return h
	}
	if h := retryInfo(x.env.details); h.Known {
		return h
	}
	if h := bodyHint(x.env.source); h.Known || x.provider == Gloo {
		return h
	}
	if h := messageHint(x.words); h.Known {
		return h
	}
	if x.status == 429 && !x.inside {
		if h := RateLimits(x.header, x.now).exhausted(); h.Known {
			return h
		}
	}
	if x.named("minute_quota") {
		return Hint{time.Minute, true, "minute_quota"}
	}
	return Hint{}
}

// retryAfter reads the headers. A date is measured against the server's own Date, and against
// the local clock only when there is none.
func retryAfter(h header.Header, now time.Time) Hint {
	for _, key := range []string{"retry-after-ms", "x-ms-retry-after-ms"} {
		if d, ok := number(h.Get(key), time.Millisecond); ok {
			return Hint{d, true, key}
		}
	}
	value := h.Get("retry-after")
	if d, ok := number(value, time.Second); ok {
		return Hint{d, true, "retry-after"}
	}
	if then, ok := httpDate(value); ok {
		if d, ok := until(then, serverTime(h, now)); ok {
			return Hint{d, true, "retry-after"}
		}
	}
	return Hint{}
}

// serverTime is the server's clock, or now.
func serverTime(h header.Header, now time.Time) time.Time {
	if t, ok := httpDate(h.Get("date")); ok {
		return t
	}
	return now
}

// retryInfo reads google.rpc.RetryInfo: "40s", "34.074824224s", or {"seconds":"40","nanos":5}.
func retryInfo(details json.Value) (h Hint) {
	n := 0
	details.Each(func(_ string, detail json.Value) bool {
		n++
		if !strings.HasSuffix(detailKind(detail), "RetryInfo") {
			return n < 32
		}
		switch delay := detail.Get("retryDelay"); delay.Kind() {
		case '"', '0':
			if d, ok := wholeDuration(scalar(delay)); ok {
				h = Hint{d, true, "RetryInfo"}
			}
		case '{':
			seconds, nanos := delay.Get("seconds"), delay.Get("nanos")
			whole, ok1 := number(scalar(seconds), time.Second)
			part, ok2 := number(scalar(nanos), time.Nanosecond)
			if (ok1 || seconds.Missing()) && (ok2 || nanos.Missing()) && (ok1 || ok2) && whole+part < longest {
				h = Hint{whole + part, true, "RetryInfo"}
			}
		}
		return !h.Known && n < 32
	})
	return h
}

// bodyHints are the members that hold a wait.
var bodyHints = []struct {
	key  string
	unit time.Duration
}{
	{"retry_after_ms", time.Millisecond},
	{"retry_after", time.Second},
	{"retry_after_seconds", time.Second},
	{"retryAfter", time.Second},
	{"resets_in_seconds", time.Second}, // ChatGPT's plans
}

func bodyHint(source json.Value) Hint {
	for _, b := range bodyHints {
		if d, ok := number(scalar(source.Get(b.key)), b.unit); ok {
			return Hint{d, true, b.key}
		}
	}
	return Hint{}
}

// scalar is the text of a string or number that is short enough to be a wait.
func scalar(v json.Value) string {
	if v.Kind() == '0' && len(v) < 40 {
		return string(v)
	}
	return strings.TrimSpace(head(v, 40))
}

// regainHint reads the day on which Anthropic's spending limit is lifted: "You will regain access
// on 2026-12-01 at 00:00 UTC."
func (x *evidence) regainHint() Hint {
	const form, size = date.Day + " at %h:%m utc", len("2026-12-01 at 00:00 utc")
	_, after, _ := strings.Cut(x.words, "regain access on ")
	if len(after) < size {
		return Hint{}
	}
	then, read := date.Parse(form, after[:size])
	d, ok := until(then, serverTime(x.header, x.now))
	if !read || !ok {
		return Hint{}
	}
	return Hint{d, true, "message"}
}

// beforeWait are the words after which a wait may follow in a sentence.
var beforeWait = []string{
	"try again in ", "retry in ", "retry after ", "try again after ", "retrying in ", "available again in ", "wait for ", "wait ",
	"reset in ", "reset after ", "resets in ", "replenished in ",
}

// messageHint looks for a wait in a message in lower case.
func messageHint(words string) Hint {
	for _, before := range beforeWait {
		for rest := words; ; {
			_, after, found := strings.Cut(rest, before)
			if !found {
				break
			}
			if d, _, ok := duration(strings.TrimLeft(after, " ")); ok {
				return Hint{d, true, "message"}
			}
			rest = after
		}
	}
	return Hint{}
}
