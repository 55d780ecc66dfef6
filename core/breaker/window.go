package breaker

import "holdfast/core/time"

// window is a span of time that must pass. The zero value has passed.
//
// Clocks step: a machine sleeps, a user sets the time, a snapshot comes from a clock that was
// wrong. A step forward ends a window early, which costs one attempt. A step back must not stretch
// it: a clock that stands before the window's beginning begins it anew (field case brk-011).
type window struct{ from, until time.Time }

func begin(now time.Time, d time.Duration) window { return window{now, now.Add(d)} }

// seen returns the window as it stands at now.
func (w window) seen(now time.Time) window {
	if now.Before(w.from) {
		return window{now, now.Add(w.until.Sub(w.from))}
	}
	return w
}

// over tells whether the window has passed at now.
func (w window) over(now time.Time) bool { return !now.Before(w.until) }

// Rest is a window as data: from From to Until. Both are zero when there is nothing to wait for.
type Rest struct{ From, Until time.Time }

func (w window) rest() Rest {
	if w == (window{}) {
		return Rest{}
	}
	return Rest{w.from, w.until}
}

func (r Rest) window() window {
	if r.none() {
		return window{}
	}
	return window{r.From, r.Until}
}

func (r Rest) none() bool { return r.From.IsZero() && r.Until.IsZero() }

// within tells whether the rest takes some time, and not more than most.
func (r Rest) within(most time.Duration) bool {
	span := r.Until.Sub(r.From)
	return !r.From.IsZero() && 0 < span && span <= most
}
