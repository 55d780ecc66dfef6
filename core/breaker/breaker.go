// Package breaker stops asking a provider that keeps failing, and finds out when it works again.
//
// A Breaker guards one thing that can fail as a whole: a provider, or one model of it. Before an
// attempt the caller asks Admit; after it, it reports what the attempt said about the provider's
// health. What counts as a failure is decided elsewhere, by the tables of package fault.
//
// A Gate is the milder tool beside it: "not before", in the words of a server that is well and
// asks for patience.
//
// Laws, fuzzed: time alone never closes a breaker; while it is half-open at most one probe is under
// way; what an attempt reports that was admitted in an earlier state changes nothing.
package breaker

import (
	"holdfast/core/fault"
	"holdfast/core/time"
)

// Config holds a breaker's numbers. The zero value is the default of each.
type Config struct {
	// Failures is how many failures in a row open the breaker. A count of consecutive ones, not a
	// rate: the first request ever that fails is 100 % of all, and no evidence (field case brk-008).
	// 0 means 5 (brief 001 §8), or for a busy client half as many as have succeeded lately, if that is
	// more: where half of ten calls a second fail, five in a row are chance, and a breaker that opens
	// on chance makes a brown-out an outage (tests/storm). Off: the breaker never opens.
	Failures int
	// Open is how long nobody is admitted; 0 means 30 s (brief 001 §8), a day is the most.
	Open time.Duration
}

// Off, as Config.Failures, switches a breaker off.
const Off = -1

// maxSilence is how long a probe may be silent before another takes its place. It is no limit for the
// probe itself, which may think for longer and still close the breaker.
const maxSilence = 30 * time.Second

// enough is how many failures in a row prove something, after so many successes of late.
func (c Config) enough(lately int) int {
	if c.Failures == 0 {
		return max(5, lately/2)
	}
	return c.Failures
}

func (c Config) open() time.Duration {
	if c.Open <= 0 {
		return 30 * time.Second
	}
	return min(c.Open, maxRest)
}

// Breaker is one circuit breaker. The zero value is closed.
type Breaker struct {
	// generation names the state that the breaker is in, so that a late result can be told from a
	// current one, here and in another tab. It grows with every change of state and is never below
	// the clock's milliseconds at that change: tabs that never met still agree on which is newer.
	generation uint64
	state      state // nil is closed{}
}

// Permit admits one attempt. Report its result exactly once; the zero Permit takes any report and
// does nothing.
type Permit struct {
	breaker    *Breaker
	config     Config
	generation uint64
	probe      uint64 // its number when it is a probe
}

// Admit asks for one attempt. It is refused while the breaker is open, and while it is half-open
// with a probe under way; retryAt then is the earliest time at which the answer may differ, never
// before now.
func (b *Breaker) Admit(now time.Time, c Config) (p Permit, retryAt time.Time, ok bool) {
	if c.Failures < 0 {
		return Permit{}, time.Time{}, true
	}
	next, until, ok := b.current().admit(now)
	b.become(now, next)
	if !ok {
		return Permit{}, until, false
	}
	p = Permit{breaker: b, config: c, generation: b.generation}
	if s, is := next.(halfOpen); is {
		p.probe = s.probe
	}
	return p, time.Time{}, true
}

// Report says what the attempt told about the provider's health, once it is over: a success is one
// at the answer's own terminal, not at HTTP 200 (field case brk-012). fault.Ignore tells nothing;
// a probe that ends so, aborted or refused for reasons of its own, frees its place at once.
func (p Permit) Report(now time.Time, e fault.Effect) {
	if b := p.breaker; b != nil && b.generation == p.generation {
		b.become(now, b.current().report(now, p, e))
	}
}

func (b *Breaker) current() state {
	if b.state == nil {
		return closed{}
	}
	return b.state
}

// become enters a state. A change of its type begins a new generation.
func (b *Breaker) become(now time.Time, next state) {
	if next.kind() != b.current().kind() {
		b.generation = max(b.generation+1, uint64(max(0, now.UnixMilli())))
	}
	b.state = next
}
