package fault

import (
	"testing"

	"holdfast/core/time"
)

// now is the local clock of these tests: wrong by a day, so that a test notices who uses it.
var now = time.Unix(1796198400, 0) // 2026-12-02 08:00 UTC

const absent = -1 * time.Second

func (h Hint) seconds() time.Duration {
	if !h.Known {
		return absent
	}
	return h.Wait
}

func TestRetryAfter(t *testing.T) {
	const date = "date: Tue, 01 Dec 2026 08:00:00 GMT|"
	for lines, want := range map[string]time.Duration{
		"":                                     absent,
		"retry-after: ":                        absent,
		"retry-after: 5":                       5 * time.Second,
		"Retry-After:  5 ":                     5 * time.Second,
		"retry-after: 0":                       0, // hin-004
		"retry-after: 1.5":                     1500 * time.Millisecond,
		"retry-after: +3":                      3 * time.Second, // hin-001
		"retry-after: -3":                      absent,
		"retry-after: 3s":                      absent,
		"retry-after: 1e3":                     absent,
		"retry-after: 0x10":                    absent,
		"retry-after: NaN":                     absent,
		"retry-after: Infinity":                absent,
		"retry-after: 2026":                    2026 * time.Second,
		"retry-after: 99999999999999999999999": absent,
		"retry-after: 315360000":               absent, // ten years
		"retry-after: 315359999":               longest - time.Second,
		"retry-after: 0.000000000000000000001": 0,
		date + "retry-after: Tue, 01 Dec 2026 08:00:20 GMT":     20 * time.Second,
		date + "retry-after: Tuesday, 01-Dec-26 08:00:20 GMT":   20 * time.Second,
		date + "retry-after: Tue Dec  1 08:00:20 2026":          20 * time.Second,
		date + "retry-after: Tue, 01 Dec 2026 07:59:00 GMT":     0, // hin-003
		"retry-after: Wed, 02 Dec 2026 08:00:20 GMT":            20 * time.Second,
		"date: junk|retry-after: Wed, 02 Dec 2026 08:00:20 GMT": 20 * time.Second,
		"retry-after: Wed, 21 Oct 2015 07:28:00 GMT":            0,
		"retry-after: Fri, 31 Dec 99999 23:59:59 GMT":           absent, // hin-023
		"retry-after: Fri, 31 Dec 9999 23:59:59 GMT":            absent,
		"retry-after: 2026-12-02T08:00:20Z":                     absent,
		"retry-after: Dec 2 2026":                               absent,
		"retry-after-ms: 0|retry-after: 5":                      0,               // hin-006
		"retry-after-ms: |retry-after: 5":                       5 * time.Second, // hin-007
		"retry-after-ms: junk|retry-after: 5":                   5 * time.Second,
		"retry-after-ms: -1|retry-after: 5":                     5 * time.Second,
		"retry-after-ms: 1500.5|retry-after: 5":                 1500500 * time.Microsecond,
		"x-ms-retry-after-ms: 700|retry-after: 5":               700 * time.Millisecond,
		"retry-after-ms: 99999999999999999999|retry-after: 5":   5 * time.Second,
	} {
		if got := retryAfter(headers(lines), now).seconds(); got != want {
			t.Errorf("%s: %v, want %v", lines, got, want)
		}
	}
	if h := retryAfter(headers("retry-after: Wed, 02 Dec 2026 08:00:20 GMT"), time.Time{}); h.Known {
		t.Errorf("without any clock a date gives %v", h)
	}
}

func TestMessageHint(t *testing.T) {
	for words, want := range map[string]time.Duration{
		"please try again in 11.054s. visit x":  11054 * time.Millisecond,
		"please try again in 6m0s.":             6 * time.Minute,
		"try again in 20ms":                     20 * time.Millisecond,
		"try again in 1h2m3s":                   time.Hour + 2*time.Minute + 3*time.Second,
		"try again in 1m2.5s":                   62500 * time.Millisecond,
		"please retry in 12.3s.":                12300 * time.Millisecond,
		"please retry in 6.193881s.":            6193881 * time.Microsecond, // hin-016
		"retry in 850ms":                        850 * time.Millisecond,
		"please retry after 20 seconds.":        20 * time.Second,
		"try again in 13 seconds":               13 * time.Second,
		"try again in 2 minutes":                2 * time.Minute,
		"try again in 1 minute and 30 seconds":  90 * time.Second,
		"retry after 20":                        20 * time.Second,
		"retry after 20.":                       20 * time.Second,
		"retry after 20, please":                20 * time.Second,
		"retry in 100µs":                        100 * time.Microsecond,
		"wait 30 seconds":                       30 * time.Second,
		"quota resets in 3 days":                72 * time.Hour,
		"try again in 20s 3 requests":           20 * time.Second,
		"try again in a while. try again in 5s": 5 * time.Second,
		"try again in 2 weeks":                  absent,
		"try again in 5 attempts":               absent,
		"retry after 2026-12-01":                absent,
		"retry after 12:30":                     absent,
		"try again in -5s":                      absent,
		"try again in ":                         absent,
		"try again later":                       absent,
		"try again in 999999999999999999999h":   absent,
		"try again in 9000000h":                 absent,
		"try again in 1.5 days":                 36 * time.Hour,
	} {
		if got := messageHint(words).seconds(); got != want {
			t.Errorf("%q: %v, want %v", words, got, want)
		}
	}
}

func TestRetryInfo(t *testing.T) {
	for delay, want := range map[string]time.Duration{
		`"40s"`:                              40 * time.Second,
		`"45.837906927s"`:                    45837906927, // hin-013
		`"900ms"`:                            900 * time.Millisecond,
		`"0s"`:                               0,
		`"-3s"`:                              absent,
		`"soon"`:                             absent,
		`null`:                               absent,
		`40`:                                 40 * time.Second,
		`{"seconds":"40","nanos":500000000}`: 40500 * time.Millisecond, // hin-014
		`{"seconds":40}`:                     40 * time.Second,
		`{"nanos":500000000}`:                500 * time.Millisecond,
		`{"seconds":"-40"}`:                  absent,
		`{"seconds":"40","nanos":-1}`:        absent,
		`{"seconds":99999999999999999}`:      absent,
		`{}`:                                 absent,
	} {
		details := parse(t, `[7, {"@type":"google.rpc.Help"}, {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":`+delay+`}]`)
		if got := retryInfo(details).seconds(); got != want {
			t.Errorf("%s: %v, want %v", delay, got, want)
		}
	}
}

// The first source that can be read counts.
func TestHintPrecedence(t *testing.T) {
	const info = `"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"40s"}]`
	const message = `"message":"Please retry in 54s"`
	for _, c := range []struct {
		headers, body string
		want          time.Duration
		source        string
	}{
		{"retry-after-ms: 1|retry-after: 2", `{"error":{` + info + `}}`, time.Millisecond, "retry-after-ms"},
		{"retry-after: 2", `{"error":{` + info + `}}`, 2 * time.Second, "retry-after"},
		{"retry-after: junk", `{"error":{` + info + `,` + message + `}}`, 40 * time.Second, "RetryInfo"},
		{"", `{"error":{"retry_after":"7",` + message + `}}`, 7 * time.Second, "retry_after"},
		{"", `{"error":{"retry_after":"x",` + message + `}}`, 54 * time.Second, "message"},
		{"x-ratelimit-remaining-requests: 0|x-ratelimit-reset-requests: 6s", `{"error":{` + message + `}}`, 54 * time.Second, "message"},
		{"x-ratelimit-remaining-requests: 0|x-ratelimit-reset-requests: 6s", `{}`, 6 * time.Second, "x-ratelimit-reset-requests"},
		{"x-ratelimit-remaining-requests: 1|x-ratelimit-reset-requests: 6s", `{}`, absent, ""},
		{"x-ratelimit-remaining-requests: 0|x-ratelimit-reset-requests: 6s|x-ratelimit-remaining-tokens: 0|x-ratelimit-reset-tokens: 9s", `{}`, 9 * time.Second, "x-ratelimit-reset-tokens"},
		{"x-ratelimit-reset-requests: 6s", `{}`, absent, ""},
		{"anthropic-ratelimit-requests-remaining: 0|anthropic-ratelimit-requests-reset: 2026-12-02T08:00:09Z", `{}`, 9 * time.Second, "anthropic-ratelimit-requests-reset"},
	} {
		f := Classify(Gemini, Response{Status: 429, Header: headers(c.headers), Body: []byte(c.body), Now: now})
		if f.Hint.seconds() != c.want || f.Hint.Source != c.source {
			t.Errorf("%s %s: %v", c.headers, c.body, f.Hint)
		}
	}
}
