package breaker

import "holdfast/core/time"

// MaxGate is the longest that a gate stays shut. A server may name a longer wait; one request an
// hour is no burden to it, and finds out what people have mended by hand, a plan or a limit.
const MaxGate = time.Hour

// Gate holds back everybody until a time that a server named. It stands for a rate limit, which is
// no failure: five quick callers must not open a breaker on a provider that is well. The zero
// value is open.
type Gate struct{ rest Rest }

// Shut closes the gate for d from now on, at most MaxGate, and reports whether that changed it. Of
// two waits the one that ends later counts.
func (g *Gate) Shut(now time.Time, d time.Duration) bool {
	return d > 0 && g.Merge(begin(now, min(d, MaxGate)))
}

// Until tells when the gate opens, and whether it is shut at now.
func (g *Gate) Until(now time.Time) (time.Time, bool) {
	if g.rest.over(now) {
		return time.Time{}, false
	}
	g.rest = g.rest.seen(now)
	return g.rest.Until, true
}

// Rest returns the gate as data.
func (g *Gate) Rest() Rest { return g.rest }

// Merge takes what another has learned, and reports whether that changed the gate. The order in
// which it comes does not count, nor how often. What no gate can be is refused.
func (g *Gate) Merge(r Rest) bool {
	later := r.Until.After(g.rest.Until) || r.Until == g.rest.Until && r.From.After(g.rest.From)
	if !r.within(MaxGate) || !later {
		return false
	}
	g.rest = r
	return true
}
