package pace

import "holdfast/core/time"

// Throttle bounds the retries of one client to a share of its traffic, so that what fails for
// everybody is not asked three times by everybody. It is a bucket: an answer that succeeds earns a
// part of a retry, time earns a little, and each retry takes one out.
//
// It is on by default, with numbers that one person's ordinary retries never meet: ten calls at
// once, each retried three times, empty it, and a breaker opens long before. What it holds back is
// a busy client in a brown-out, where some answers succeed and no breaker opens: there the retries
// are at most a fifth of the answers.
//
// The zero value is full.
type Throttle struct {
	Off   bool  // no bound
	used  int64 // thousandths of a retry missing from a full bucket
	since time.Time
}

const (
	whole = 1000 // thousandths in a retry
	// share is what a success earns: the load of an outage stays below 1.2 times the ordinary.
	share = 200
	// floor is what a full bucket holds: ten calls with three retries.
	floor = 30 * whole
	// every is how often time earns a thousandth, a retry in 2 s. Backoff alone makes one call's retries
	// about as slow.
	every = 2 * time.Second / whole
)

// Retry asks to send the same request again, and takes that out of the bucket. False means: end the
// call with the failure that it has, or go elsewhere.
func (t *Throttle) Retry(now time.Time) bool {
	if t.Off {
		return true
	}
	t.refill(now)
	if t.used+whole > floor {
		return false
	}
	t.used += whole
	return true
}

// Succeeded earns the share of one answer that came to its end.
func (t *Throttle) Succeeded() { t.used = max(0, t.used-share) }

// Left is how many retries may follow one another at now, and false when there is no bound.
func (t *Throttle) Left(now time.Time) (int, bool) {
	t.refill(now)
	return int((floor - t.used) / whole), !t.Off
}

// Used is the throttle as data: the thousandths of a retry that were missing, and when.
func (t *Throttle) Used() (used int64, since time.Time) { return t.used, t.since }

// Restore sets what Used has returned, within the bounds of this throttle.
func (t *Throttle) Restore(used int64, since time.Time) {
	t.used, t.since = max(0, min(used, floor)), since
}

// refill adds what time has earned since the last look. A clock that goes back earns nothing.
func (t *Throttle) refill(now time.Time) {
	passed := now.Sub(t.since)
	if t.used == 0 || t.since.IsZero() || passed < 0 {
		t.since = now
		return
	}
	earned := int64(passed / every)
	t.used = max(0, t.used-earned)
	t.since = t.since.Add(time.Duration(earned) * every)
}
