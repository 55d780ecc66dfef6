package breaker

import "holdfast/core/time"

// Rest is a span of time that must pass, from From to Until. The zero value has passed.
//
// Clocks step: a machine sleeps, a user sets the time, a snapshot comes from a clock that was
// wrong. A step forward ends a rest early, which costs one attempt. A step back must not stretch
// it: a clock that stands before the rest's beginning begins it anew (field case brk-011).
type Rest struct{ From, Until time.Time }

func begin(now time.Time, d time.Duration) Rest { return Rest{now, now.Add(d)} }

// seen returns the rest as it stands at now.
func (r Rest) seen(now time.Time) Rest {
	if now.Before(r.From) {
		return Rest{now, now.Add(r.Until.Sub(r.From))}
	}
	return r
}

// over tells whether the rest has passed at now.
func (r Rest) over(now time.Time) bool { return !now.Before(r.Until) }

func (r Rest) none() bool { return r.From.IsZero() && r.Until.IsZero() }

// within tells whether the rest takes some time, and not more than most.
func (r Rest) within(most time.Duration) bool {
	span := r.Until.Sub(r.From)
	return !r.From.IsZero() && 0 < span && span <= most
}
