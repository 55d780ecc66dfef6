package main

import (
	"math/rand/v2"

	"holdfast/core/time"
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

// policy is what the clients of one run do, and how many they are. The traffic is always the same, call
// by call: what differs is over how many clients it is spread, and so how much each of them can learn
// from its earlier calls. For who learns nothing, that makes no difference.
type policy struct {
	name, says string
	colour     string
	// share is one client for so many of the clients asked for; 0: every call is a new client.
	share int
	make  func(r *rand.Rand, clients int) func(client int, streamed bool) caller
}

var policies = []policy{
	{"no jitter", "ten retries, each after exactly 2 s", "#d1495b", 0, plainly(func(n int, _ *rand.Rand) (time.Duration, bool) {
		return 2 * time.Second, n <= 10
	})},
	// As the official SDKs do it: 0.5 s, doubled up to 8 s, less up to a quarter.
	{"plain SDK", "two retries after 0.5–8 s, less up to 25 %", "#e09f3e", 0, plainly(func(n int, r *rand.Rand) (time.Duration, bool) {
		wait := min(8*time.Second, 500*time.Millisecond<<(n-1))
		return time.Duration(float64(wait) * (1 - r.Float64()/4)), n <= 2
	})},
	{"Holdfast, one call", "every call is a new client that knows nothing", "#8a7bc8", 0, withHoldfast},
	{"Holdfast, people", "a client makes a call a minute", "#4f9fd0", 1, withHoldfast},
	{"Holdfast, agents", "a client makes a call every ten seconds", "#2a9d8f", 6, withHoldfast},
	{"Holdfast, gateways", "a client makes ten calls a second", "#1d4e5f", 600, withHoldfast},
}

// clients is how many there are of n asked for; 0 when each makes only one call.
func (p *policy) clients(n int) int {
	if p.share == 0 {
		return 0
	}
	return max(1, n/p.share)
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
