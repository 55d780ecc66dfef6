package limits

import (
	"fmt"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/time"
)

var now = time.Unix(1790000000, 0) // 2026-09-21 14:13:20 UTC

// last has noted one answer with these headers: name, value, name, value, …
func last(fields ...string) *Last {
	var h header.Header
	for i := 0; i < len(fields); i += 2 {
		h = append(h, header.Field{Name: fields[i], Value: fields[i+1]})
	}
	var l Last
	l.Note(now, fault.RateLimits(h, now))
	return &l
}

func TestWait(t *testing.T) {
	for _, c := range []struct {
		name  string
		last  *Last
		after time.Duration
		want  time.Duration
	}{
		{"nothing was ever said", &Last{}, 0, 0},
		{"plenty", last("x-ratelimit-remaining-requests", "1", "x-ratelimit-reset-requests", "6m0s"), 0, 0},
		{"nothing left", last("x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "6m0s"), 0, 6 * time.Minute},
		{"some time later", last("x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "6m0s"), time.Minute, 5 * time.Minute},
		{"full again", last("x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "6m0s"), time.Hour, 0},
		{"the clock went back", last("x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "6m0s"), -time.Hour, 6 * time.Minute},
		{"the longest of two", last("x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "1s",
			"x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "3s"), 0, 3 * time.Second},
		{"no reset known", last("x-ratelimit-remaining-requests", "0"), 0, 0},
		{"anthropic", last("anthropic-ratelimit-input-tokens-remaining", "0", "anthropic-ratelimit-input-tokens-reset", "2026-09-21T14:13:29Z"), 0, 9 * time.Second},
	} {
		if got := c.last.Wait(now.Add(c.after)); got.Wait != c.want || got.Known != (c.want > 0) {
			t.Errorf("%s: %+v, want %v", c.name, got, c.want)
		}
	}
}

func TestNote(t *testing.T) {
	l := last("x-ratelimit-remaining-requests", "3")
	l.Note(now.Add(time.Minute), fault.RateLimits(header.Header{{Name: "retry-after", Value: "5"}}, now))
	if l.At != now || l.Limits.Requests.Remaining != (fault.Amount{N: 3, Known: true}) || l.Limits.RetryAfter.Known {
		t.Errorf("%+v", l)
	}
}

// The field cases of this area, beyond the reading of headers (package fault).
func TestCases(t *testing.T) {
	for _, c := range []struct {
		id, source string
		test       func(*testing.T)
	}{
		{"rtl-003", "openai/openai-dotnet#838", func(t *testing.T) {
			l := last("x-ratelimit-limit-requests", "-1", "x-ratelimit-remaining-requests", "-1", "x-ratelimit-reset-requests", "-1")
			if *l != (Last{}) || l.Wait(now).Known {
				t.Errorf("%+v", l)
			}
		}},
		{"rtl-004", "weaviate/weaviate#7562", func(t *testing.T) {
			if l := last("content-type", "application/json"); *l != (Last{}) || l.Wait(now).Known {
				t.Errorf("%+v", l)
			}
		}},
		{"rtl-005", "router-for-me/CLIProxyAPI#5389", func(t *testing.T) {
			for _, reset := range []string{"1790000060", "1790000060000", "60"} {
				if got := last("x-ratelimit-remaining", "0", "x-ratelimit-reset", reset).Wait(now).Wait; got != time.Minute {
					t.Errorf("%s: %v", reset, got)
				}
			}
		}},
		{"rtl-006", "withcoral/coral#89", func(t *testing.T) {
			if got := last("x-ratelimit-remaining", "0", "x-ratelimit-reset", "1789999990").Wait(now); got.Wait != 0 {
				t.Errorf("%v", got)
			}
		}},
		{"rtl-007", "Azure/azure-rest-api-specs#24904", func(t *testing.T) {
			if l := last(); !l.At.IsZero() || l.Limits.Requests.Remaining.Known { // "not exposed", not 0
				t.Errorf("%+v", l)
			}
		}},
		{"rtl-008", "anthropics/anthropic-sdk-python#1258", func(t *testing.T) {
			for _, status := range []string{"allowed", "rejected"} {
				l := last("anthropic-ratelimit-unified-status", status, "anthropic-ratelimit-unified-reset", "1790000060")
				if l.Limits.PlanStatus != status || l.Wait(now).Known {
					t.Errorf("%+v", l)
				}
			}
		}},
	} {
		t.Run(c.id, c.test)
	}
}

// FuzzWait: a wait is never negative, never grows with time, and needs a remaining amount of 0.
func FuzzWait(f *testing.F) {
	f.Add("0", "6m0s", "1", "2s", int64(5))
	f.Fuzz(func(t *testing.T, requests, requestsReset, tokens, tokensReset string, later int64) {
		l := last("x-ratelimit-remaining-requests", requests, "x-ratelimit-reset-requests", requestsReset,
			"x-ratelimit-remaining-tokens", tokens, "x-ratelimit-reset-tokens", tokensReset)
		first := l.Wait(now)
		then := l.Wait(now.Add(time.Duration(later)))
		if first.Wait < 0 || then.Wait < 0 || then.Wait > first.Wait || first.Known != (first.Wait > 0) {
			t.Fatalf("%v, then %v", first, then)
		}
		none := fault.Amount{Known: true}
		if first.Known && l.Limits.Requests.Remaining != none && l.Limits.Tokens.Remaining != none {
			t.Fatalf("%+v waits", l.Limits)
		}
	})
}

func ExampleLast_Wait() {
	l := last("x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "2s")
	fmt.Println(l.Wait(now).Wait, l.Wait(now.Add(time.Second)).Wait)
	// Output: 2s 1s
}
