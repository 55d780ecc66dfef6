package breaker

import "time"

// window is a span of time that must pass.
//
// Clocks step: a machine sleeps, a user sets the time, a snapshot comes from a clock that was
// wrong. A step forward ends a window early, which costs one attempt. A step back must not stretch
// it: a clock that stands before the window's beginning begins it anew (field case brk-011).
type window struct{ from, until time.Time }

func begin(now time.Time, d time.Duration) window { return window{now, now.Add(d)} }

// seen returns the window as it stands at now.
func (w window) seen(now time.Time) window {
	if now.Before(w.from) {
		return begin(now, w.until.Sub(w.from))
	}
	return w
}

// over tells whether the window has passed at now.
func (w window) over(now time.Time) bool { return !now.Before(w.until) }
