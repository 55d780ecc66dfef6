package main

import "holdfast/core/time"

// record is what was seen in each second.
type record []second

type second struct {
	requests int // that reached the provider
	calls    int // that began
	ended    int
	served   int // that ended with a whole answer
	lucky    int // of those that began, how many will have ended so
}

func (r *record) at(t time.Duration) *second {
	i := int(t / time.Second)
	for len(*r) <= i {
		*r = append(*r, second{})
	}
	return &(*r)[i]
}

// sum adds up the seconds from one time to another.
func (r record) sum(from, to time.Duration) (s second) {
	for _, x := range r[min(len(r), int(from/time.Second)):min(len(r), int(to/time.Second))] {
		s.requests += x.requests
		s.calls += x.calls
		s.ended += x.ended
		s.served += x.served
		s.lucky += x.lucky
	}
	return s
}

// figures is what a record comes to.
type figures struct {
	outage, brownOut spell
}

// spell is a time of trouble and what came after it.
type spell struct {
	load     float64       // requests per call, relative to normal
	served   float64       // the part of its calls that got their answer
	recovery time.Duration // until goodput is back; negative: not within the time given
	peak     float64       // most requests in a second after it, relative to normal
}

const (
	// Goodput is back when, for some seconds, it is within what chance does to it anyway.
	back, window = 0.95, 5 * time.Second
)

func (r record) figures() figures {
	return figures{r.spell(down, up, dim), r.spell(dim, clear, end)}
}

// spell measures the trouble from one time to another, and what follows until a third.
func (r record) spell(from, to, until time.Duration) (s spell) {
	normal, trouble := r.sum(settled, down), r.sum(from, to)
	perSecond := func(n int) float64 { return float64(n) / (down - settled).Seconds() }
	s.load = ratio(trouble.requests, trouble.calls) / ratio(normal.requests, normal.calls)
	s.served = ratio(trouble.lucky, trouble.calls)
	for t := to; t < until; t += time.Second {
		s.peak = max(s.peak, float64(r.sum(t, t+time.Second).requests)/perSecond(normal.requests))
	}
	for s.recovery = 0; ; s.recovery += time.Second {
		t := to + s.recovery
		if t+window > until {
			s.recovery = -1
			break
		}
		if float64(r.sum(t, t+window).served)/window.Seconds() >= back*perSecond(normal.served) {
			break
		}
	}
	return s
}

func ratio(a, b int) float64 { return float64(a) / float64(max(1, b)) }
