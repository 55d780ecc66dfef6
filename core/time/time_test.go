package time

import (
	"testing"
	std "time"
)

// The law: within the years 1678 to 2262 everything is as with Go's own package; outside of them it
// is the nearest that there is.
func FuzzTime(f *testing.F) {
	f.Add(int64(0), int64(0), int64(0))
	f.Add(int64(1796040000), int64(-1), int64(90_061_001_002_003))
	f.Add(int64(-1), int64(999_999_999), int64(-1))
	f.Add(int64(1<<62), int64(1<<62), int64(1<<62))
	f.Add(int64(9223372035), int64(854775807), int64(1))
	f.Fuzz(func(t *testing.T, seconds, nanoseconds, more int64) {
		if nanoseconds < -1e18 || nanoseconds > 1e18 {
			return
		}
		a, want := Unix(seconds, nanoseconds), std.Unix(seconds, nanoseconds)
		if far := want.Year() < 1678 || want.Year() > 2261; far {
			if early := want.Year() < 1970; a.Before(Unix(0, 0)) != early {
				t.Fatalf("%d s and %d ns are at %d ns", seconds, nanoseconds, a.UnixNano())
			}
			return
		}
		if want.UnixNano() == 0 {
			want = want.Add(1)
		}
		b, later := a.Add(Duration(more)), want.Add(std.Duration(more))
		if !same(a, want) {
			t.Fatalf("%v is %d ns", want, a.UnixNano())
		}
		if y := later.Year(); y >= 1678 && y < 2262 && !same(b, later) {
			t.Fatalf("%v and %d ns are %d", want, more, b.UnixNano())
		}
		if d := b.Sub(a); later.Year() >= 1678 && later.Year() < 2262 && d != Duration(later.Sub(want)) {
			t.Fatalf("%v after %v: %v", later, want, d)
		}
		if b.Before(a) != (more < 0) || b.After(a) != (more > 0) || a.Compare(b) != -b.Compare(a) || a.Equal(b) != (more == 0) {
			t.Fatalf("%d ns later: not so", more)
		}
		d, wanted := Duration(more), std.Duration(more)
		if d.String() != wanted.String() || d.Milliseconds() != wanted.Milliseconds() || d.Microseconds() != wanted.Microseconds() || d.Seconds() != wanted.Seconds() || Duration(wanted.Truncate(std.Millisecond)) != d.Truncate(Millisecond) {
			t.Fatalf("%v is %v", wanted, d)
		}
	})
}

func same(t Time, want std.Time) bool {
	return t.UnixNano() == want.UnixNano() && t.UnixMilli() == want.UnixMilli() && t.Unix() == want.Unix() && t.Nanosecond() == want.Nanosecond()
}

// The zero value is no instant, and no instant is the zero value.
func TestZero(t *testing.T) {
	if !(Time{}).IsZero() || Unix(0, 0).IsZero() || UnixMilli(0).IsZero() || UnixMilli(0).Unix() != 0 {
		t.Error("1970 and the zero value are one")
	}
	if end := Unix(1<<62, 0); end.Add(Hour) != end || end.Sub(Unix(-1<<62, 0)) != highest {
		t.Error("the end of time is passed")
	}
}
