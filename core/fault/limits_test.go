package fault

import (
	"testing"

	"holdfast/core/time"
)

func TestRateLimits(t *testing.T) {
	l := RateLimits(headers("x-ratelimit-limit-requests: 60|x-ratelimit-remaining-requests: 59|x-ratelimit-reset-requests: 1s|"+
		"x-ratelimit-limit-tokens: 150000|x-ratelimit-remaining-tokens: 0|x-ratelimit-reset-tokens: 6m0s|"+
		"x-ratelimit-remaining-project-tokens: 5|retry-after: 2"), now)
	if l.Requests != (Window{Amount{60, true}, Amount{59, true}, Hint{time.Second, true, "x-ratelimit-reset-requests"}}) {
		t.Errorf("requests %+v", l.Requests)
	}
	if l.Tokens.Remaining != (Amount{0, true}) || l.Tokens.Reset.Wait != 6*time.Minute {
		t.Errorf("tokens %+v", l.Tokens)
	}
	if l.ProjectTokens.Remaining.N != 5 || l.RetryAfter.Wait != 2*time.Second {
		t.Errorf("%+v", l)
	}

	l = RateLimits(headers("date: Tue, 21 Apr 2026 14:38:20 GMT|anthropic-ratelimit-requests-limit: 50|"+
		"anthropic-ratelimit-input-tokens-remaining: 49000|anthropic-ratelimit-input-tokens-reset: 2026-04-21T14:38:25Z|"+
		"anthropic-ratelimit-output-tokens-reset: 2026-04-21T14:00:00Z"), now)
	if l.Requests.Limit.N != 50 || l.InputTokens.Remaining.N != 49000 || l.InputTokens.Reset.Wait != 5*time.Second {
		t.Errorf("%+v", l)
	}
	if r := l.OutputTokens.Reset; !r.Known || r.Wait != 0 {
		t.Errorf("a reset that has passed: %+v", r)
	}
}

func TestResetIn(t *testing.T) {
	clock := time.Unix(1790000000, 0)
	for s, want := range map[string]time.Duration{
		"": absent, "-1": absent, "-1s": absent, "junk": absent, "NaN": absent, "Inf": absent, "1e400": absent,
		"1s": time.Second, "0s": 0, "12ms": 12 * time.Millisecond, "1h0m0s": time.Hour, "59.70s": 59700 * time.Millisecond,
		"60": time.Minute, "1790000060": time.Minute, "1790000060000": time.Minute, "1789999990": 0,
		"2026-09-21T14:14:20Z": time.Minute, "9999-01-01T00:00:00Z": absent, "999999999999999999999": absent,
	} {
		d, ok := resetIn(s, clock)
		if !ok {
			d = absent
		}
		if d != want {
			t.Errorf("%q: %v, want %v", s, d, want)
		}
	}
	if d, ok := resetIn("1790000060", time.Time{}); ok {
		t.Errorf("without any clock an epoch gives %v", d)
	}
}

func TestAmount(t *testing.T) {
	for s, want := range map[string]Amount{
		"": {}, "-1": {}, "junk": {}, "NaN": {}, "99999999999999999999": {}, "1e3": {},
		"0": {0, true}, "12": {12, true}, "12.0": {12, true},
	} {
		if got := amount(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}
