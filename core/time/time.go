// Package time is what the core needs of Go's own: instants and durations, as numbers. Go's package
// brings timers, time zones and syscall/js along, 60 kB (brotli) of a standard build. It has the same
// names and meanings, so that code reads the same with either; there is no clock in it.
package time

import (
	"cmp"
	"strings"

	"holdfast/core/decimal"
)

// Duration is a span of time in nanoseconds, as Go's is.
type Duration int64

const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
)

const (
	highest Duration = 1<<63 - 1
	lowest  Duration = -1 << 63
)

// Microseconds and the like round toward zero.
func (d Duration) Microseconds() int64 { return int64(d / Microsecond) }
func (d Duration) Milliseconds() int64 { return int64(d / Millisecond) }
func (d Duration) Seconds() float64    { return float64(d/Second) + float64(d%Second)/1e9 }

// String writes a duration as Go's package does: 1h2m3.5s, 250ms.
func (d Duration) String() string {
	out, rest := []byte(nil), uint64(d)
	if d < 0 {
		out, rest = append(out, '-'), -rest
	}
	unit, name := Second, "s"
	switch {
	case rest == 0:
	case rest < uint64(Microsecond):
		unit, name = Nanosecond, "ns"
	case rest < uint64(Millisecond):
		unit, name = Microsecond, "µs"
	case rest < uint64(Second):
		unit, name = Millisecond, "ms"
	}
	for _, u := range []struct {
		unit Duration
		name string
	}{{Hour, "h"}, {Minute, "m"}} {
		if n := rest / uint64(u.unit); n > 0 || len(out) > 1 {
			out = append(decimal.Append(out, int64(n)), u.name...)
			rest %= uint64(u.unit)
		}
	}
	out = decimal.Append(out, int64(rest/uint64(unit)))
	if rest %= uint64(unit); rest > 0 {
		digits := decimal.String(int(unit) + int(rest))[1:]
		out = append(append(out, '.'), strings.TrimRight(digits, "0")...)
	}
	return string(append(out, name...))
}

// Truncate rounds toward zero to a multiple of m.
func (d Duration) Truncate(m Duration) Duration { return d - d%m }

// Time is an instant: nanoseconds since 1970 (UTC). The zero value is no instant. What lies outside
// of the years 1678 to 2262 becomes the nearest instant inside.
type Time struct{ ns Duration }

// Unix returns the instant so long after 1970; nanoseconds may be more than a second's. As the zero
// value is taken, 1970 begins one nanosecond late.
func Unix(seconds, nanoseconds int64) Time {
	switch {
	case seconds > int64(highest/Second)-1:
		return Time{highest}
	case seconds < int64(lowest/Second)+1:
		return Time{lowest}
	}
	t := Time{Duration(seconds) * Second}.Add(Duration(nanoseconds))
	if t.ns == 0 {
		t.ns = 1
	}
	return t
}

func UnixMilli(ms int64) Time { return Unix(ms/1000, ms%1000*int64(Millisecond)) }

func (t Time) Unix() int64      { return floor(t.ns, Second) }
func (t Time) UnixMilli() int64 { return floor(t.ns, Millisecond) }
func (t Time) UnixNano() int64  { return int64(t.ns) }

// Nanosecond is what Unix leaves out, from 0 to 999,999,999.
func (t Time) Nanosecond() int { return int(t.ns - Duration(t.Unix())*Second) }

func floor(d, unit Duration) int64 {
	n := d / unit
	if d%unit < 0 {
		n--
	}
	return int64(n)
}

func (t Time) IsZero() bool { return t.ns == 0 }

func (t Time) Before(u Time) bool { return t.ns < u.ns }
func (t Time) After(u Time) bool  { return t.ns > u.ns }
func (t Time) Equal(u Time) bool  { return t.ns == u.ns }

func (t Time) Compare(u Time) int { return cmp.Compare(t.ns, u.ns) }

// Add returns the instant d later.
func (t Time) Add(d Duration) Time {
	sum := t.ns + d
	switch {
	case d > 0 && sum < t.ns:
		sum = highest
	case d < 0 && sum > t.ns:
		sum = lowest
	}
	return Time{sum}
}

// Sub returns how long t is after u.
func (t Time) Sub(u Time) Duration {
	d := t.ns - u.ns
	switch {
	case t.ns >= u.ns && d < 0:
		return highest
	case t.ns < u.ns && d > 0:
		return lowest
	}
	return d
}
