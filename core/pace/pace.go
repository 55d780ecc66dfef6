// Package pace says how long to wait before the next attempt, and when not to wait at all.
package pace

import (
	"holdfast/core/fault"
	"holdfast/core/time"
)

// Shape is how own backoff grows and is spread. base·2^(n-1) never passes cap.
type Shape string

const (
	Full  Shape = "full"  // U(0, min(cap, base·2^(n-1))): someone waits
	Added Shape = "added" // min(cap, base·2^(n-1)) + U(0, 1 s): nobody waits
)

// Off switches a limit off.
const Off time.Duration = -1

// hintJitter spreads clients that got the same hint at the same moment.
const hintJitter = 500 * time.Millisecond

// Budget bounds one kind of call.
type Budget struct {
	Attempts  int           // in all, the first included
	Backoff   Shape         // of own backoff
	Base, Cap time.Duration // of own backoff
	MaxHint   time.Duration // the longest hint that is obeyed
	// Window: no attempt starts later than this after the call began, an attempt ended that had brought
	// something, the network came back, or the machine woke up; Off: no bound.
	Window    time.Duration
	Total     time.Duration // the whole call; Off: no bound
	Continues int           // automatic continuations after shown text
}

// Default returns a provider's budget. Sources: brief 000 step 3 for gloo, brief 001 §3 for the
// others.
func Default(p fault.Provider, background bool) Budget {
	switch {
	case p == fault.Gloo && background:
		return Budget{Attempts: 5, Backoff: Added, Base: time.Second, Cap: 30 * time.Second, MaxHint: 30 * time.Second, Window: Off, Total: Off}
	case p == fault.Gloo:
		return Budget{Attempts: 3, Backoff: Full, Base: 500 * time.Millisecond, Cap: 2 * time.Second, MaxHint: 2 * time.Second, Window: Off, Total: 600 * time.Second, Continues: 1}
	}
	b := Budget{Attempts: 4, Backoff: Full, Base: 500 * time.Millisecond, Cap: 20 * time.Second, MaxHint: 60 * time.Second, Window: 120 * time.Second, Total: Off}
	if !background {
		b.Continues = 1
	}
	return b
}

// Wait is a decided wait.
type Wait struct {
	For    time.Duration
	Source string // "hint" or "backoff"
}

// Before returns the wait before the attempt that follows n failed ones (n >= 1), and false when
// the server asked for longer than the budget allows: a shorter wait would fail again, so there
// is none. A hint of 0 means "now is allowed" and leaves the wait to own backoff.
func (b Budget) Before(n int, hint fault.Hint, random func() float64) (Wait, bool) {
	if hint.Known && hint.Wait > 0 {
		if hint.Wait > b.MaxHint {
			return Wait{}, false
		}
		return Wait{hint.Wait + spread(hintJitter, random), "hint"}, true
	}
	grown := b.Base
	for i := 1; i < n && grown < b.Cap; i++ {
		grown *= 2
	}
	grown = min(grown, b.Cap)
	if b.Backoff == Added {
		return Wait{grown + spread(time.Second, random), "backoff"}, true
	}
	return Wait{spread(grown, random), "backoff"}, true
}

// spread returns U(0, d). A random source that breaks its promise of [0, 1) is held to it.
func spread(d time.Duration, random func() float64) time.Duration {
	r := random()
	if !(r >= 0 && r <= 1) {
		r = 1
	}
	return time.Duration(r * float64(d))
}
