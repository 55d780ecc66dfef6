package breaker

import (
	"holdfast/core/fault"
	"holdfast/core/time"
)

// Kind is the name of a state, shared with JavaScript.
type Kind string

const (
	Closed   Kind = "closed"    // everybody is admitted
	Open     Kind = "open"      // nobody is
	HalfOpen Kind = "half_open" // one probe is
)

// state is where a breaker stands: closed, open or halfOpen.
//
//	      enough failures in a row         a call, 30 s later
//	closed ──────────────────────▶ open ──────────────────────▶ halfOpen ◀─┐
//	  ▲                             ▲                            │  │  │   │ the probe is released,
//	  │                             └─────── the probe failed ───┘  │  └───┘ or silent for 30 s
//	  └───────────────────────────────────── a probe succeeded ─────┘
type state interface {
	kind() Kind
	// admit answers to one that asks: the state from now on, and whether it may go. If not,
	// retryAt says when to ask again.
	admit(now time.Time) (next state, retryAt time.Time, ok bool)
	// report takes the result of an attempt that was admitted in this state.
	report(now time.Time, p Permit, e fault.Effect) (next state)
}

// closed counts the failures since the last success.
type closed struct {
	failures int
	lately   successes
}

func (closed) kind() Kind { return Closed }

func (s closed) admit(time.Time) (state, time.Time, bool) { return s, time.Time{}, true }

func (s closed) report(now time.Time, p Permit, e fault.Effect) state {
	switch e {
	case fault.Healthy:
		return closed{lately: s.lately.and(now)}
	case fault.Failing:
		if s.failures++; s.failures >= p.config.enough(s.lately.count(now)) {
			return open{begin(now, p.config.open())}
		}
	}
	return s
}

// open waits. That its time is over changes nothing until somebody asks.
type open struct{ rest Rest }

func (open) kind() Kind { return Open }

func (s open) admit(now time.Time) (state, time.Time, bool) {
	if s.rest = s.rest.seen(now); s.rest.over(now) {
		return halfOpen{}.admit(now) // the change itself admits the probe (field case brk-005)
	}
	return s, s.rest.Until, false
}

func (s open) report(time.Time, Permit, fault.Effect) state { return s } // it admitted nobody

// halfOpen lets one probe find out. Who leaves without a result, by word or by silence, makes room
// for the next.
type halfOpen struct {
	probe uint64 // the number of the last probe
	busy  bool   // it is under way
	lease Rest   // and may be silent so long
}

func (halfOpen) kind() Kind { return HalfOpen }

func (s halfOpen) admit(now time.Time) (state, time.Time, bool) {
	if s.lease = s.lease.seen(now); s.busy && !s.lease.over(now) {
		return s, s.lease.Until, false
	}
	return halfOpen{s.probe + 1, true, begin(now, maxSilence)}, time.Time{}, true
}

func (s halfOpen) report(now time.Time, p Permit, e fault.Effect) state {
	last := s.busy && s.probe == p.probe
	switch {
	case e == fault.Healthy:
		return closed{} // an earlier probe that only took long proves as much
	case e == fault.Failing && last:
		return open{begin(now, p.config.open())}
	case last:
		s.busy, s.lease = false, Rest{}
	}
	return s
}
