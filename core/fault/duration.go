package fault

import (
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/date"
	"holdfast/core/time"
)

// Waits as servers write them. All parsers are total: what is negative, too long to be meant, or
// not quite in the grammar is no wait at all. A wrong wait is worse than none: mastra once read
// "-3" as a year and slept for 31 of them.

// longest is where a number stops being a wait that somebody meant.
const longest = 10 * 365 * 24 * time.Hour

// quantity reads digits with an optional fraction from the start of s, and returns them in units
// of unit together with the rest. It is exact to the nanosecond and cannot overflow.
func quantity(s string, unit time.Duration) (d time.Duration, rest string, ok bool) {
	i, whole := 0, time.Duration(0)
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		if whole = whole*10 + time.Duration(s[i]-'0'); whole > longest/unit {
			whole = longest/unit + 1 // out of range for certain; go on to find the end
		}
	}
	digits := i
	d = whole * unit
	if i+1 < len(s) && s[i] == '.' && '0' <= s[i+1] && s[i+1] <= '9' {
		part, scale := time.Duration(0), time.Duration(1)
		for i++; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
			if scale < 1e9 && scale <= 9e17/unit { // more digits cannot matter, or would overflow
				part, scale = part*10+time.Duration(s[i]-'0'), scale*10
			}
		}
		d += part * unit / scale
	}
	return d, s[i:], digits > 0
}

// number reads all of s as a number of units: "3", "+3", "1.5", ".5" is not one.
func number(s string, unit time.Duration) (time.Duration, bool) {
	d, rest, ok := quantity(strings.TrimPrefix(s, "+"), unit)
	return d, ok && rest == "" && d < longest
}

// unitNames are the units of Go durations, protobuf durations, and sentences.
var unitNames = []struct {
	names string
	unit  time.Duration
}{
	{" ns nanosecond nanoseconds ", time.Nanosecond},
	{" us µs μs microsecond microseconds ", time.Microsecond},
	{" ms msec msecs millisecond milliseconds ", time.Millisecond},
	{" s sec secs second seconds ", time.Second},
	{" m min mins minute minutes ", time.Minute},
	{" h hr hrs hour hours ", time.Hour},
	{" d day days ", 24 * time.Hour},
}

// duration reads a wait from the start of s, in lower case: "1.5s", "6m0s", "1h2m3s", "20ms",
// "20 seconds", "1 minute and 30 seconds", or a bare number of seconds that a sentence ends
// after. It returns what follows.
func duration(s string) (total time.Duration, rest string, ok bool) {
	for n := 0; n < 8; n++ {
		_, after, isNumber := quantity(s, time.Nanosecond)
		if !isNumber {
			break
		}
		word := strings.TrimLeft(after, " ")
		end := 0
		for end < len(word) && (word[end] >= 'a' && word[end] <= 'z' || word[end] >= 0x80) {
			end++
		}
		unit := time.Duration(0)
		if end == 0 && !ok && ends(after) {
			unit = time.Second
			word = after
		}
		for _, u := range unitNames {
			if end > 0 && strings.Contains(u.names, " "+word[:end]+" ") {
				unit = u.unit
			}
		}
		if unit == 0 && ok {
			break // "20s 3 requests": the number belongs to the next thought
		} else if unit == 0 {
			return 0, s, false
		}
		d, _, _ := quantity(s, unit)
		if total += d; total >= longest {
			return 0, s, false
		}
		ok = true
		rest = word[end:]
		s = strings.TrimLeft(rest, " ")
		s = strings.TrimPrefix(s, "and ")
		s = strings.TrimLeft(s, " ")
	}
	return total, rest, ok
}

// ends reports that a number is over here: at the end of the text, of a sentence or of a clause.
func ends(s string) bool {
	s = strings.TrimLeft(s, ".)")
	return s == "" || s[0] == ',' || s[0] == ';' || s[0] == '\n' || len(s) > 1 && s[0] == ' ' && !('a' <= s[1] && s[1] <= 'z')
}

// wholeDuration reads a wait that is all of s; a bare number is seconds.
func wholeDuration(s string) (time.Duration, bool) {
	if d, ok := number(s, time.Second); ok {
		return d, true
	}
	d, rest, ok := duration(ascii.Lower(s))
	return d, ok && rest == ""
}

// httpDates are the three forms of RFC 9110. A free date parser must never see a header.
var httpDates = []string{date.RFC1123, date.RFC850, date.ANSIC}

func httpDate(s string) (time.Time, bool) {
	if s == "" || len(s) > 40 {
		return time.Time{}, false
	}
	for _, form := range httpDates {
		if t, ok := date.Parse(form, s); ok {
			return t, true
		}
	}
	return time.Time{}, false
}

// until is the wait from now to then: 0 when it has passed.
func until(then, now time.Time) (time.Duration, bool) {
	d := then.Sub(now)
	return max(d, 0), !now.IsZero() && d < longest
}
