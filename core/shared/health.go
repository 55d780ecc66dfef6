package shared

import (
	"holdfast/core/breaker"
	"holdfast/core/fault"
	"holdfast/core/spend"
	"holdfast/core/time"
)

// Health is a State as data, for people.
type Health struct {
	Targets []TargetHealth // in the order of their names
	// Retries is how many may follow one another now; Throttled false means that there is no bound.
	Retries   int
	Throttled bool
	Spend     spend.Figures
	Limit     spend.Limit
}

// TargetHealth is what is known of one target.
type TargetHealth struct {
	Host    string // the provider, or another host in its place
	Model   string // "" is the provider as a whole
	Breaker breaker.Kind
	// Failures is how many came in a row, of a breaker that is closed.
	Failures int
	// RetryAt is when an attempt may be made, by breaker and gate; zero is now.
	RetryAt time.Time
	Gated   bool // a server has asked for patience, and the time is not over
	// Limits are the last rate limits that were seen. At zero, none were: the provider sends none,
	// or the browser hides them. That is "not available here", never 0.
	Limits fault.Limits
	At     time.Time
	// Wait is how long nothing remains of one of them.
	Wait fault.Hint
}

// Health returns what the State knows at now.
func (s *State) Health(now time.Time) Health {
	if s == nil {
		return Health{}
	}
	h := Health{Spend: s.ledger.Figures(), Limit: s.config.Limit}
	h.Retries, h.Throttled = s.throttle.Left(now)
	for _, k := range s.targets.keys() {
		e := s.targets.entries[k]
		host, model := k.names()
		r := e.breaker.Record()
		t := TargetHealth{
			Host: host, Model: model, Breaker: r.Kind, Failures: r.Failures,
			Limits: e.limits.Limits, At: e.limits.At, Wait: e.limits.Wait(now),
		}
		if r.Until.After(now) {
			t.RetryAt = r.Until
		}
		if until, shut := e.gate.Until(now); shut {
			t.Gated = true
			if until.After(t.RetryAt) {
				t.RetryAt = until
			}
		}
		h.Targets = append(h.Targets, t)
	}
	return h
}
