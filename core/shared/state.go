// Package shared is what the calls of one client know of each other: who fails, who asks for
// patience, how much has been retried and spent, what is left of the allowances.
//
// A client owns one State. Before an attempt a call asks Admit, and gets a Ticket or the fault that
// stands for the refusal; nothing has been sent then, and no attempt is used up. When the attempt is
// over, the call reports on the ticket what came of it, exactly once and whatever it was. Before it
// sends the same request again, it asks Retry.
//
//	ticket, refused := state.Admit(now, target, spend.Guess(api, body))
//	if refused.Decision != "" {
//		// as with any other fault: wait for its Hint if that is short enough, or go to the next
//		// target, or end the call with it
//	}
//	…
//	bill := ticket.Report(now, shared.Outcome{Fault: f, Header: header, Usage: usage, Seen: n})
//
// What a refusal says: circuit_open (leave for the next target, never wait for this one; Resets
// tells when it may be asked again), rate_limit (a server named a time; Hint is what is left of it),
// budget (nothing that costs may be sent any more).
//
// All of it is data. Health shows it, Snapshot and Restore carry it over a reload, Changes and Apply
// between tabs. As everywhere in core, there is no clock and no lock: calls of one client take turns.
package shared

import (
	"holdfast/core/breaker"
	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/pace"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// Config is what a client sets. The zero value is the default of each.
type Config struct {
	Breaker breaker.Config
	// PerModel gives every model a breaker of its own. By default failures count for the provider
	// and only rate limits without a hint for the model (field case brk-010): models of a provider
	// mostly fail together, and the first one that is asked finds out for all. Set it when a chain of
	// targets has two models of one provider, so that the one that fails does not shut off the other.
	PerModel bool
	Throttle pace.Throttle
	// Preempt makes calls wait for an allowance of which nothing remains. By default the server
	// decides: what it calls the reset is mostly when the window is full again, and a small request
	// passes before that.
	Preempt bool
	Limit   spend.Limit
	Prices  *spend.Table // nil: the table that comes with Holdfast
}

// State is what calls share. Make one with New; a nil State admits everything and remembers
// nothing.
type State struct {
	config   Config
	targets  table
	throttle pace.Throttle
	ledger   spend.Ledger
}

// New returns a State that knows nothing yet.
func New(c Config) *State {
	return &State{
		config:   c,
		throttle: c.Throttle,
		ledger:   spend.Ledger{Limit: c.Limit, Prices: c.Prices},
	}
}

// Target is what an attempt goes to.
type Target struct {
	Provider fault.Provider
	// Host tells servers apart that share a provider's wire format: the host name of a base URL that
	// is not the provider's own. It is shown and stored, so that it must hold no secret.
	Host  string
	Model string
}

// Admit asks for one attempt, which may use as many tokens as estimated. A refusal is a fault with
// a Decision; what was taken on the way to it has been given back.
func (s *State) Admit(now time.Time, t Target, e spend.Estimate) (*Ticket, fault.Fault) {
	if s == nil {
		return nil, fault.Fault{}
	}
	model := s.targets.at(now, keyOf(t))
	if until, shut := model.gate.Until(now); shut {
		return nil, notBefore(until.Sub(now), "gate")
	}
	if left := model.limits.Wait(now); s.config.Preempt && left.Wait > 0 {
		return nil, notBefore(left.Wait, left.Source)
	}
	ticket := &Ticket{state: s, target: t, since: now}
	var retryAt time.Time
	var ok bool
	if !s.config.PerModel {
		provider := s.targets.at(now, keyOf(t).provider())
		if ticket.provider, retryAt, ok = provider.breaker.Admit(now, s.config.Breaker); !ok {
			return nil, circuitOpen(retryAt.Sub(now))
		}
	}
	if ticket.model, retryAt, ok = model.breaker.Admit(now, s.config.Breaker); !ok {
		ticket.release(now)
		return nil, circuitOpen(retryAt.Sub(now))
	}
	if ticket.hold, ok = s.ledger.Reserve(now, t.Provider, t.Model, e); !ok {
		ticket.release(now)
		left, _ := s.ledger.Left()
		return nil, fault.Lost(fault.Budget, "the request may cost "+ticket.hold.Amount.String()+
			" USD, and "+left.String()+" USD are left of the limit of "+s.config.Limit.Max.String())
	}
	return ticket, fault.Fault{}
}

// Charge books what was used without a ticket: a turn of a live session. certain says that its price is
// that of the table.
func (s *State) Charge(now time.Time, p fault.Provider, model string, u wire.Usage, certain bool) spend.Bill {
	if s == nil {
		s = &State{}
	}
	hold, _ := s.ledger.Reserve(now, p, model, spend.Estimate{}) // of nothing, which is never refused
	return hold.Settle(now, spend.Use{Complete: certain, Usage: u})
}

// Broke tells that a limit is used up.
func (s *State) Broke() bool {
	if s == nil {
		return false
	}
	left, limited := s.ledger.Left()
	return limited && left == 0
}

// Quote is what Admit would set aside for one attempt. A nil State quotes by the prices that come with
// Holdfast.
func (s *State) Quote(now time.Time, t Target, e spend.Estimate) spend.Ticks {
	if s == nil {
		s = &State{}
	}
	return s.ledger.Quote(now, t.Provider, t.Model, e)
}

// Retry asks to send again what has failed, to the same target, and counts it. False means that
// retries have had their share: end the call with the failure that it has, or go to the next target.
func (s *State) Retry(now time.Time) bool { return s == nil || s.throttle.Retry(now) }

// notBefore is the refusal of a target that asked for patience.
func notBefore(wait time.Duration, source string) fault.Fault {
	f := fault.Lost(fault.RateLimit, "an earlier answer asked for "+seconds(wait)+" more")
	f.Decision, f.Fallback = fault.Retry, fault.AfterRetries
	f.Hint = fault.Hint{Wait: wait, Known: true, Source: source}
	return f
}

// circuitOpen is the refusal of a target that keeps failing. It is no retry: who waited for it in a
// loop would hammer an open breaker (field case brk-006).
func circuitOpen(wait time.Duration) fault.Fault {
	f := fault.Lost(fault.CircuitOpen, "it failed repeatedly; it will be asked again in "+seconds(wait))
	f.Resets = fault.Hint{Wait: max(0, wait), Known: true, Source: "breaker"}
	return f
}

// seconds writes a duration for people, rounded up.
func seconds(d time.Duration) string {
	return decimal.String(int64((max(0, d)+time.Second-1)/time.Second)) + " s"
}
