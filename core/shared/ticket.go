package shared

import (
	"holdfast/core/breaker"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// Ticket is the leave to make one attempt. A nil Ticket takes any report and does nothing.
type Ticket struct {
	state           *State
	target          Target
	since           time.Time
	provider, model breaker.Permit
	hold            *spend.Hold
	kept            bool // a report said so
	done            bool
}

// Amount is what is set aside for the attempt.
func (t *Ticket) Amount() spend.Ticks {
	if t == nil || t.hold == nil {
		return 0
	}
	return t.hold.Amount
}

// Outcome is what came of an attempt.
type Outcome struct {
	// Fault is why it failed, and zero when the answer reached its own terminal: not when HTTP 200
	// arrived (field case brk-012). A call that is given up, by its user or its deadline, reports
	// that fault.
	Fault fault.Fault
	// Impatient: it was ended by a time limit that the caller chose and that is shorter than the
	// default. That proves nothing about the provider (field case brk-007).
	Impatient bool
	// Unsent: the request never left, so that it cost nothing.
	Unsent bool
	// Kept: the provider keeps the answer, and it is taken up again. Another report says what came of
	// it, and what it cost.
	Kept bool

	Header header.Header // of the response; nil when none came
	Usage  wire.Usage    // the latest that was reported
	Model  string        // the model that answered, where the provider said
	Seen   int           // bytes of text, reasoning and tool arguments that arrived
	Silent time.Duration // until the first of them did
}

// Report ends an attempt: breakers, gates, limits, throttle and money learn of it. It returns what
// the attempt cost. A second report does nothing, unless the answer was kept: then money and
// throttle learn from it, and nobody else.
func (t *Ticket) Report(now time.Time, o Outcome) spend.Bill {
	if t == nil || t.done {
		return spend.Bill{}
	}
	s := t.state
	target := s.targets.at(now, keyOf(t.target))
	target.limits.Note(now, fault.RateLimits(o.Header, now))

	if o.succeeded() {
		s.throttle.Succeeded()
	}
	f := o.Fault
	switch {
	case t.kept:
	case o.succeeded():
		t.learn(now, fault.Healthy, fault.Healthy)
	case o.Impatient && (f.Reason == fault.Timeout || f.Reason == fault.IdleTimeout):
		t.release(now)
	case f.Reason == fault.RateLimit && f.Hint.Wait > 0:
		target.gate.Shut(now, f.Hint.Wait)
		t.release(now)
	case f.Reason == fault.RateLimit || s.config.PerModel:
		t.learn(now, fault.Ignore, f.Breaker)
	default:
		t.learn(now, f.Breaker, fault.Ignore)
	}
	if t.kept = t.kept || o.Kept; o.Kept {
		return spend.Bill{}
	}
	t.done = true
	return t.hold.Settle(now, spend.Use{
		Free: t.free(now, o), Complete: o.succeeded(), Usage: o.Usage, Model: o.Model, Seen: o.Seen, Silent: o.Silent,
	})
}

func (o *Outcome) succeeded() bool {
	return o.Fault.Decision == "" || o.Fault.Decision == fault.Success
}

// release gives the breakers' permits back without a word about the target.
func (t *Ticket) release(now time.Time) { t.learn(now, fault.Ignore, fault.Ignore) }

func (t *Ticket) learn(now time.Time, provider, model fault.Effect) {
	t.provider.Report(now, provider)
	t.model.Report(now, model)
}

// maybeBilled tells whether a provider may have done its work all the same when an attempt failed so:
// nobody was there to take it, or what came was of no use. With every other reason it has said no.
func maybeBilled(r fault.Reason) bool {
	switch r {
	case fault.Transport, fault.Timeout, fault.Truncated, fault.IdleTimeout, fault.EdgeTimeout,
		fault.MalformedStream, fault.MalformedToolCall, fault.EmptyCompletion,
		fault.Cancelled, fault.Deadline, fault.PlatformLimit, fault.Unknown:
		return true
	}
	return false
}

// unreached is how soon a connection fails that was never made. Who fails later may have been heard.
const unreached = 2 * time.Second

// free tells whether the attempt cost nothing, if no usage was reported.
func (t *Ticket) free(now time.Time, o Outcome) bool {
	switch {
	case o.Unsent:
		return true
	case o.succeeded() || o.Seen > 0:
		return false
	case o.Fault.Reason == fault.Transport && o.Header == nil && !t.kept:
		return now.Sub(t.since) < unreached
	}
	return !maybeBilled(o.Fault.Reason)
}
