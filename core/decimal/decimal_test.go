package decimal

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// The law: what package strconv reads, this one reads, and nothing else of what has digits only; whole
// numbers and short fractions to the same value, long ones to almost the same.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"0", "-0", "+7", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1.5", ".5", "5.", ".", "", "-", "1e3", "1e", "1e+", "0.1e-7",
		"123456789012345678901234567890", "1e308", "1e309", "1.7976931348623157e308", "5e-324", "1e-400", "0e999999999999", "1e99999999999999999999", "00012", "1_0", "0x1p3", "inf", "NaN", "1.2.3", "12 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, ok := Int(s); true {
			want, err := strconv.ParseInt(s, 10, 64)
			if ok != (err == nil) || ok && got != want {
				t.Fatalf("Int(%q) is %d, %v; strconv says %d, %v", s, got, ok, want, err)
			}
		}
		got, ok := Float(s)
		want, err := strconv.ParseFloat(s, 64)
		if special := strings.ContainsAny(s, "xXpPnN_"); special {
			if ok {
				t.Fatalf("Float(%q) is %v", s, got)
			}
			return
		}
		near := math.Abs(want) > math.MaxFloat64/2 // where a unit of the last place decides
		if ok != (err == nil) && !near && !math.IsInf(want, 0) {
			t.Fatalf("Float(%q) is %v, %v; strconv says %v, %v", s, got, ok, want, err)
		}
		if !ok || math.Abs(want) < 1e-290 {
			return
		}
		if off := math.Abs(got-want) / math.Abs(want); off > 1e-13 {
			t.Fatalf("Float(%q) is %v, strconv says %v", s, got, want)
		}
		if short := len(s) <= 15 && !strings.ContainsAny(s, "eE"); short && got != want {
			t.Fatalf("Float(%q) is %v, strconv says %v", s, got, want)
		}
	})
}

// What is written is what strconv writes.
func FuzzWrite(f *testing.F) {
	for _, n := range []int64{0, 1, -1, 10, 1500, -1500, 37756000, 1<<63 - 1, -1 << 63} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		if got, want := String(n), strconv.FormatInt(n, 10); got != want {
			t.Fatalf("%q, not %q", got, want)
		}
		for places := range 11 {
			got := string(AppendParts(nil, n, places))
			if n > -1<<50 && n < 1<<50 {
				if want := strconv.FormatFloat(float64(n)/math.Pow10(places), 'f', -1, 64); got != want {
					t.Fatalf("%d with %d places: %q, not %q", n, places, got, want)
				}
			}
			if back, ok := Float(got); !ok || math.Abs(back-float64(n)/math.Pow10(places)) > 1e-15*math.Abs(back) {
				t.Fatalf("%d with %d places: %q is %v", n, places, got, back)
			}
		}
	})
}
