package date

import (
	"strings"
	"testing"
	std "time"

	"holdfast/core/time"
)

// The forms as package time writes them.
var layouts = map[string]string{
	RFC1123: "Mon, 02 Jan 2006 15:04:05 GMT",
	RFC850:  "Monday, 02-Jan-06 15:04:05 GMT",
	ANSIC:   "Mon Jan _2 15:04:05 2006",
	RFC3339: std.RFC3339,
	Day:     std.DateOnly,
}

func TestEveryDay(t *testing.T) {
	for then := std.Date(1890, 1, 1, 23, 59, 58, 0, std.UTC); then.Year() < 2110; then = then.Add(24 * std.Hour) {
		for form, layout := range layouts {
			if y := then.Year(); form == RFC850 && (y < 1969 || y > 2068) {
				continue
			}
			s := then.Format(layout)
			want, _ := std.Parse(layout, s)
			if got, ok := Parse(form, s); !ok || got != time.Unix(want.Unix(), 0) {
				t.Fatalf("%s %q: %v, %v", form, s, got, ok)
			}
		}
	}
}

// stdParse is package time's opinion, which wants weekdays as the layout writes them; ours may be
// whole or short in every form.
func stdParse(layout, s string) (std.Time, error) {
	t, err := std.Parse(layout, s)
	if err != nil {
		if long, ok := strings.CutPrefix(layout, "Monday"); ok {
			return std.Parse("Mon"+long, s)
		}
		if short, ok := strings.CutPrefix(layout, "Mon"); ok {
			return std.Parse("Monday"+short, s)
		}
	}
	return t, err
}

func FuzzTime(f *testing.F) {
	for _, s := range []string{"Tue, 01 Dec 2026 08:00:20 GMT", "Tuesday, 01-Dec-26 08:00:20 GMT", "Tue Dec  1 08:00:20 2026", "2026-12-02T08:00:20.5-08:00", "2024-02-29"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for form, layout := range layouts {
			if got, ok := Parse(form, s); ok {
				if want, err := stdParse(layout, s); err != nil || got != time.Unix(want.Unix(), int64(want.Nanosecond())) {
					t.Fatalf("%s %q: %v, package time says %v, %v", form, s, got, want, err)
				}
			}
		}
	})
}
