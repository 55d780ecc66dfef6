// Package limits remembers what a provider last said about the caller's allowance.
//
// It is there to be shown, and to tell how long nothing can succeed. It says nothing about the
// provider's health: a server that reports plenty may be overloaded all the same (field case
// rtl-008). What is not known, because the server or the browser hides it, is never taken for 0.
package limits

import (
	"holdfast/core/fault"
	"holdfast/core/time"
)

// Last is the latest word about one target. The zero value is that nothing was ever said.
type Last struct {
	At     time.Time // when it came; zero when nothing did
	Limits fault.Limits
}

// Note takes the limits of an answer. An answer that says nothing about them leaves the last word
// standing.
func (l *Last) Note(now time.Time, said fault.Limits) {
	said.RetryAfter = fault.Hint{} // a word about one request; gates hold it
	if said != (fault.Limits{}) {
		l.At, l.Limits = now, said
	}
}

// Wait tells how long from now nothing remains of some window: the longest reset of those whose
// remaining amount is known to be 0. Not known means that there is no reason to wait. The resets of
// OpenAI's windows say when they are full again; a small request may pass before that, so nobody
// has to wait for it (see shared.Config.Preempt).
func (l *Last) Wait(now time.Time) (wait fault.Hint) {
	for _, w := range l.windows() {
		if w.Remaining != (fault.Amount{N: 0, Known: true}) || !w.Reset.Known {
			continue
		}
		// A clock that went back makes the word look young, and a wait never longer than it was.
		left := w.Reset.Wait - max(0, now.Sub(l.At))
		if left > wait.Wait {
			wait = fault.Hint{Wait: left, Known: true, Source: w.Reset.Source}
		}
	}
	return wait
}

// windows are those that an ordinary request draws on. Anthropic's priority tier and fast mode fall
// back to the ordinary ones, and of a plan only the reset is known.
func (l *Last) windows() [5]fault.Window {
	s := &l.Limits
	return [...]fault.Window{s.Requests, s.Tokens, s.ProjectTokens, s.InputTokens, s.OutputTokens}
}
