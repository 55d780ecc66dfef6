package pace

import (
	"math"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/time"
)

func fixed(r float64) func() float64 { return func() float64 { return r } }

func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		provider   fault.Provider
		background bool
		waits      []time.Duration // with the highest draw
	}{
		{fault.Gloo, false, []time.Duration{500 * time.Millisecond, time.Second}},
		{fault.Gloo, true, []time.Duration{2 * time.Second, 3 * time.Second, 5 * time.Second, 9 * time.Second}},
		{fault.OpenAI, false, []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}},
	} {
		b := Default(c.provider, c.background)
		if b.Attempts != len(c.waits)+1 {
			t.Errorf("%s: %d attempts", c.provider, b.Attempts)
		}
		for i, want := range c.waits {
			if w, ok := b.Before(i+1, fault.Hint{}, fixed(1)); !ok || w.For != want || w.Source != "backoff" {
				t.Errorf("%s background=%v before attempt %d: %v %v, want %v", c.provider, c.background, i+2, w, ok, want)
			}
		}
	}
}

func TestHint(t *testing.T) {
	live, background := Default(fault.Gloo, false), Default(fault.Gloo, true)
	for _, c := range []struct {
		name   string
		budget Budget
		hint   fault.Hint
		random float64
		want   Wait
		ok     bool
	}{
		{"a hint is a minimum", background, fault.Hint{Wait: 3 * time.Second, Known: true}, 0, Wait{3 * time.Second, "hint"}, true},
		{"a hint is spread upwards", background, fault.Hint{Wait: 3 * time.Second, Known: true}, 1, Wait{3500 * time.Millisecond, "hint"}, true},
		{"the longest hint is obeyed", live, fault.Hint{Wait: 2 * time.Second, Known: true}, 0, Wait{2 * time.Second, "hint"}, true},
		{"a longer one ends the waiting", live, fault.Hint{Wait: 2*time.Second + 1, Known: true}, 0, Wait{}, false},
		{"0 leaves it to backoff (hin-004)", live, fault.Hint{Known: true}, 1, Wait{500 * time.Millisecond, "backoff"}, true},
		{"a bad random source", live, fault.Hint{}, math.NaN(), Wait{500 * time.Millisecond, "backoff"}, true},
	} {
		if got, ok := c.budget.Before(1, c.hint, fixed(c.random)); got != c.want || ok != c.ok {
			t.Errorf("%s: %v %v, want %v %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

// FuzzBefore: no wait is negative, below its hint, or above what the budget allows.
func FuzzBefore(f *testing.F) {
	f.Add(1, int64(0), false, 0.5)
	f.Add(1<<30, int64(math.MaxInt64), true, math.Inf(1))
	f.Fuzz(func(t *testing.T, n int, hint int64, known bool, r float64) {
		for _, b := range []Budget{Default(fault.Gloo, false), Default(fault.Gloo, true), Default(fault.XAI, false)} {
			h := fault.Hint{Wait: time.Duration(max(0, hint)), Known: known}
			w, ok := b.Before(n, h, fixed(r))
			if !ok {
				if !known || h.Wait <= b.MaxHint {
					t.Fatalf("refused %v within %v", h.Wait, b.MaxHint)
				}
				continue
			}
			if w.For < 0 || known && w.For < h.Wait || w.For > max(b.Cap+time.Second, b.MaxHint+hintJitter) {
				t.Fatalf("waits %v on hint %v", w.For, h)
			}
		}
	})
}
