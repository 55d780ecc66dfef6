package main

import (
	"math"
	"math/rand/v2"

	"holdfast/core/time"
)

// The weather: when the provider is well and when it is not.
const (
	settled = 30 * time.Second  // the first answers are out: from here on it is measured
	down    = 120 * time.Second // the outage: running answers break off, every request gets a 503
	up      = 420 * time.Second
	dim     = 600 * time.Second // the brown-out: half of the requests get a 503
	clear   = 720 * time.Second
	end     = 840 * time.Second // nobody calls any more; what was begun comes to its end
)

const (
	// An answer takes least and, on average, most of the time that it is longer than that.
	least, longer, longest = 500 * time.Millisecond, 1500 * time.Millisecond, 20 * time.Second
	// spare is the provider's capacity, as a multiple of what its callers normally need.
	spare = 1.5
	// door is the work of looking at a request and turning it away, as a part of answering one.
	// Without it an overloaded provider would serve as much as an idle one, which none does.
	door = 0.1
)

// signKind is what a client hears of its call.
type signKind byte

const (
	begin    signKind = iota // its user wants an answer
	wake                     // its time has come
	refused                  // 503
	answered                 // 200 and the whole document
	opened                   // 200 and the first words of a stream
	more                     // some more
	closed                   // the last ones, and the terminal
	broke                    // the connection is reset
)

// sign is what a client hears, and what it was asked to wait, if it was.
type sign struct {
	kind signKind
	hint time.Duration
}

// exchange is how an HTTP exchange goes on: at most three signs.
type exchange struct {
	at   [3]time.Duration
	sign [3]sign
	n    int // of them
	next int
	busy bool // it occupies the provider until its last sign
}

func (x *exchange) then(at time.Duration, s sign) {
	x.at[x.n], x.sign[x.n] = at, s
	x.n++
}

// provider answers requests as long as it can. What is over its capacity gets a 503 at once, as LLM
// providers do: there is no queue.
type provider struct {
	*rand.Rand
	hints bool // a 503 of the outage says in Retry-After when it will be over

	slots float64 // answers that it can give at the same time when nobody knocks in vain
	busy  int
	full  float64 // answers a second that the slots are good for
	rate  float64 // requests a second, of late
	last  time.Duration
}

func newProvider(callRate float64, r *rand.Rand) *provider {
	full := spare * callRate
	return &provider{Rand: r, full: full, slots: full * (least + longer).Seconds()}
}

// take decides about a request.
func (p *provider) take(now time.Duration, streamed bool) (x exchange) {
	p.rate = p.rate*math.Exp(-(now-p.last).Seconds()) + 1
	p.last = now
	outage := down <= now && now < up
	left := p.slots * max(0, 1-door*p.rate/p.full)
	if outage || float64(p.busy) >= left || dim <= now && now < clear && p.IntN(2) == 0 {
		s := sign{kind: refused}
		if outage && p.hints {
			s.hint = (up - now + time.Second - 1).Truncate(time.Second)
		}
		x.then(now+50*time.Millisecond+time.Duration(p.Int64N(int64(100*time.Millisecond))), s)
		return x
	}
	p.busy++
	x.busy = true
	took := min(longest, least+time.Duration(p.ExpFloat64()*float64(longer)))
	if streamed {
		x.then(now+least/2, sign{kind: opened})
		x.then(now+(least/2+took)/2, sign{kind: more})
		x.then(now+took, sign{kind: closed})
	} else {
		x.then(now+took, sign{kind: answered})
	}
	for i := range x.n { // the outage spares nobody
		if now < down && x.at[i] >= down {
			x.at[i], x.sign[i], x.n = down, sign{kind: broke}, i+1
			break
		}
	}
	return x
}
