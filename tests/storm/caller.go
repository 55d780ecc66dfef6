package main

import (
	"math/rand/v2"
	"time"
)

// caller is one call as its client sees it through.
type caller interface {
	// hear says what to do about a sign.
	hear(now time.Duration, s sign) order
	// alarm is when it wants to be woken if it hears nothing before, and whether it wants to.
	alarm() (time.Duration, bool)
}

// order is what a caller wants: first to drop the exchange, then to send another, or to end.
type order struct{ drop, send, done, served bool }

// policy makes the callers of a population, each for the client that it belongs to.
type policy struct {
	name   string
	says   string
	colour string
	make   func(r *rand.Rand, clients int) func(client int, streamed bool) caller
}

var policies = []policy{
	{"no jitter", "ten retries, each after exactly 2 s", "#d1495b", plainly(func(n int, _ *rand.Rand) (time.Duration, bool) {
		return 2 * time.Second, n <= 10
	})},
	// As the official SDKs do it: 0.5 s, doubled up to 8 s, less up to a quarter.
	{"plain SDK", "two retries after 0.5–8 s, less up to 25 %", "#d98e04", plainly(func(n int, r *rand.Rand) (time.Duration, bool) {
		wait := min(8*time.Second, 500*time.Millisecond<<(n-1))
		return time.Duration(float64(wait) * (1 - r.Float64()/4)), n <= 2
	})},
	{"Holdfast", "its defaults, for somebody who waits", "#0b7a75", withHoldfast},
}

// plainly makes callers that wait as they are told before retry n, and know of nothing else. A
// stream that has shown words is not begun again: SDKs leave that to their users.
func plainly(wait func(n int, r *rand.Rand) (time.Duration, bool)) func(*rand.Rand, int) func(int, bool) caller {
	return func(r *rand.Rand, _ int) func(int, bool) caller {
		return func(int, bool) caller { return &plain{wait: wait, Rand: r} }
	}
}

type plain struct {
	*rand.Rand
	wait   func(n int, r *rand.Rand) (time.Duration, bool)
	failed int
	shown  bool
	until  time.Duration // the end of a wait; 0 when an exchange runs
}

// maxHint is the longest Retry-After that the SDKs obey.
const maxHint = 60 * time.Second

func (p *plain) hear(now time.Duration, s sign) order {
	switch s.kind {
	case begin, wake:
		p.until = 0
		return order{send: true}
	case opened:
		p.shown = true
	case answered, closed:
		return order{done: true, served: true}
	case refused, broke:
		p.failed++
		wait, ok := p.wait(p.failed, p.Rand)
		if !ok || p.shown {
			return order{done: true}
		}
		if 0 < s.hint && s.hint <= maxHint {
			wait = s.hint
		}
		p.until = now + wait
	}
	return order{}
}

func (p *plain) alarm() (time.Duration, bool) { return p.until, p.until > 0 }
