// Package date reads the few forms of dates that providers send. It stands for time.Parse, which
// brings the world's time zones along and costs a WebAssembly build 20 kB (brotli); a fuzz test
// holds it to time.Parse's opinion.
package date

import (
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/time"
)

// The forms that Parse knows, in letters behind a percent sign:
//
//	%W  a weekday, whole or its first three letters; nobody checks that it fits the date
//	%D  the day in two digits; %B with a blank for a leading 0
//	%M  the month's first three letters; %N in two digits
//	%Y  the year in four digits; %y in two, for 1969 to 2068
//	%h, %m, %s  hour, minute and second in two digits, the second perhaps with a fraction
//	%Z  Z, or an offset such as -08:00
const (
	RFC1123 = "%W, %D %M %Y %h:%m:%s GMT" // these three are RFC 9110's dates in a header
	RFC850  = "%W, %D-%M-%y %h:%m:%s GMT"
	ANSIC   = "%W %M %B %h:%m:%s %Y"
	RFC3339 = "%Y-%N-%DT%h:%m:%s%Z"
	Day     = "%Y-%N-%D"
)

const (
	months   = "janfebmaraprmayjunjulaugsepoctnovdec"
	weekdays = "monday tuesday wednesday thursday friday saturday sunday"
)

// Parse reads a date of one form, in UTC where it names no offset.
func Parse(form, s string) (t time.Time, ok bool) {
	r := reader{rest: s}
	year, month, day, hour, minute, second, nanosecond, offset := 1970, 1, 1, 0, 0, 0, 0, 0
	for i := 0; i < len(form); i++ {
		if form[i] != '%' {
			r.literal(form[i])
			continue
		}
		i++
		switch form[i] {
		case 'W':
			r.weekday()
		case 'B':
			if strings.HasPrefix(r.rest, " ") {
				r.literal(' ')
				day = r.number(1)
				break
			}
			fallthrough
		case 'D':
			day = r.number(2)
		case 'M':
			month = r.month()
		case 'N':
			month = r.number(2)
		case 'Y':
			year = r.number(4)
		case 'y':
			if year = 1900 + r.number(2); year < 1969 {
				year += 100
			}
		case 'h':
			hour = r.number(2)
		case 'm':
			minute = r.number(2)
		case 's':
			second = r.number(2)
			nanosecond = r.fraction()
		case 'Z':
			offset = r.zone()
		}
	}
	if r.bad || r.rest != "" || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	seconds := ((days(year, month, day)*24+hour)*60+minute)*60 + second - offset
	return time.Unix(int64(seconds), int64(nanosecond)), true
}

// reader takes one part of a date after another; bad says that one of them was not there.
type reader struct {
	rest string
	bad  bool
}

func (r *reader) take(n int) string {
	if len(r.rest) < n {
		r.bad, r.rest = true, ""
		return ""
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) literal(c byte) {
	r.bad = r.take(1) != string(c) || r.bad
}

func (r *reader) number(digits int) (n int) {
	for _, c := range []byte(r.take(digits)) {
		if c < '0' || c > '9' {
			r.bad = true
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// fraction reads a fraction of a second, if there is one, in nanoseconds.
func (r *reader) fraction() (n int) {
	if len(r.rest) < 2 || r.rest[0] != '.' || r.rest[1] < '0' || r.rest[1] > '9' {
		return 0
	}
	r.take(1)
	for unit := 100_000_000; r.rest != "" && '0' <= r.rest[0] && r.rest[0] <= '9'; unit /= 10 {
		n += r.number(1) * unit
	}
	return n
}

// zone reads an offset from UTC in seconds.
func (r *reader) zone() int {
	sign := r.take(1)
	if sign == "Z" {
		return 0
	}
	hours := r.number(2)
	r.literal(':')
	minutes := r.number(2)
	r.bad = r.bad || sign != "+" && sign != "-" || hours > 24 || minutes > 60 // as time.Parse has it
	if sign == "-" {
		return -(hours*60 + minutes) * 60
	}
	return (hours*60 + minutes) * 60
}

func (r *reader) month() int {
	at := strings.Index(months, ascii.Lower(r.take(3)))
	r.bad = r.bad || at < 0 || at%3 != 0
	return at/3 + 1
}

func (r *reader) weekday() {
	n := 0
	for n < len(r.rest) && (r.rest[n]|0x20) >= 'a' && (r.rest[n]|0x20) <= 'z' {
		n++
	}
	name := ascii.Lower(r.take(n))
	for _, day := range strings.Fields(weekdays) {
		if name == day || name == day[:3] {
			return
		}
	}
	r.bad = true
}

func daysIn(year, month int) int {
	if month == 12 {
		return 31
	}
	return days(year, month+1, 1) - days(year, month, 1)
}

// days counts the days from 1970-01-01. The year is taken to begin in March, so that the leap day
// is its last.
func days(year, month, day int) int {
	year += 400 // never below zero
	if month < 3 {
		year, month = year-1, month+12
	}
	return year*365 + year/4 - year/100 + year/400 + (month*153-457)/5 + day - 719469 - 146097
}
