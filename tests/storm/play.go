package main

import (
	"math/rand/v2"

	"holdfast/core/time"
)

// call is one on its way.
type call struct {
	caller
	began    time.Duration
	streamed bool
	exchange exchange
}

// storm is one run of the simulation.
type storm struct {
	queue
	provider *provider
	record   record
	now      time.Duration
}

// play lets clients live through the weather with a policy.
func play(p policy, clients int, seed uint64, hints bool) *record {
	random := func(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
	// Arrivals have their own randomness: every policy meets the same calls.
	arrivals, which, n := random(1), random(2), p.clients(clients)
	perSecond := float64(clients) / 60
	s := storm{provider: newProvider(perSecond, random(3))}
	s.provider.hints = hints
	caller := p.make(random(4), n)

	s.plan(0, nil)
	for {
		m, ok := s.next()
		if !ok {
			return &s.record
		}
		s.now = m.at
		if m.call != nil {
			s.goOn(m.call)
			continue
		}
		c := &call{began: s.now, streamed: arrivals.IntN(2) == 0}
		client := -1
		if n > 0 {
			client = which.IntN(n)
		}
		if gap := time.Duration(arrivals.ExpFloat64() / perSecond * float64(time.Second)); s.now+gap < end {
			s.plan(s.now+gap, nil)
		}
		c.caller = caller(client, c.streamed)
		s.record.at(s.now).calls++
		s.tell(c, sign{kind: begin})
	}
}

// goOn tells a call what has become due: its exchange's next sign, or that its time has come.
func (s *storm) goOn(c *call) {
	x := &c.exchange
	if x.next == x.n || x.at[x.next] > s.now {
		s.tell(c, sign{kind: wake})
		return
	}
	what := x.sign[x.next]
	if x.next++; x.next == x.n {
		s.leave(x)
	}
	s.tell(c, what)
}

// leave frees the place of an exchange at the provider.
func (s *storm) leave(x *exchange) {
	if x.busy {
		s.provider.busy--
	}
	*x = exchange{}
}

// tell lets a call hear a sign, and does what it wants.
func (s *storm) tell(c *call, what sign) {
	o := c.hear(s.now, what)
	if o.drop {
		s.leave(&c.exchange)
	}
	if o.send {
		s.record.at(s.now).requests++
		c.exchange = s.provider.take(s.now, c.streamed)
	}
	if o.done {
		s.leave(&c.exchange)
		s.record.at(s.now).ended++
		if o.served {
			s.record.at(s.now).served++
			s.record.at(c.began).lucky++
		}
		return
	}
	at, ok := c.alarm()
	if x := &c.exchange; x.next < x.n && (!ok || x.at[x.next] <= at) {
		at, ok = x.at[x.next], true
	}
	if !ok {
		panic("a call waits for nothing")
	}
	s.plan(max(at, s.now), c)
}
