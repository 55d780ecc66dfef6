package breaker

import "time"

// instant is a time in nanoseconds since 1970. Were there a time.Time in the methods of state, which
// is an interface, the linker would keep all of package time's formatting, 30 kB.
type instant int64

func at(t time.Time) instant { return instant(t.UnixNano()) }

func (i instant) time() time.Time { return time.Unix(0, int64(i)).UTC() }

// window is a span of time that must pass. The zero value has passed.
//
// Clocks step: a machine sleeps, a user sets the time, a snapshot comes from a clock that was
// wrong. A step forward ends a window early, which costs one attempt. A step back must not stretch
// it: a clock that stands before the window's beginning begins it anew (field case brk-011).
type window struct{ from, until instant }

func begin(now instant, d time.Duration) window { return window{now, now + instant(d)} }

// seen returns the window as it stands at now.
func (w window) seen(now instant) window {
	if now < w.from {
		return window{now, now + w.until - w.from}
	}
	return w
}

// over tells whether the window has passed at now.
func (w window) over(now instant) bool { return now >= w.until }

// Rest is a window as data: from From to Until. Both are zero when there is nothing to wait for.
type Rest struct{ From, Until time.Time }

func (w window) rest() Rest {
	if w == (window{}) {
		return Rest{}
	}
	return Rest{w.from.time(), w.until.time()}
}

func (r Rest) window() window {
	if r.none() {
		return window{}
	}
	return window{at(r.From), at(r.Until)}
}

func (r Rest) none() bool { return r.From.IsZero() && r.Until.IsZero() }

// within tells whether the rest takes some time, and not more than most.
func (r Rest) within(most time.Duration) bool {
	span := r.Until.Sub(r.From)
	return !r.From.IsZero() && 0 < span && span <= most
}
