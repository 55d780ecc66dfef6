package spend

import (
	"holdfast/core/fault"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// Ledger holds the money of one client. The zero value has no limit, the default prices, and has
// spent nothing. See the package's comment for its law.
type Ledger struct {
	Limit  Limit
	Prices *Table // nil: Default, read at first use

	figures Figures
	holds   []*Hold // open, oldest first
}

// Figures is what a ledger has counted.
type Figures struct {
	Spent     Ticks // all bills
	Estimated Ticks // of Spent: bills that had to be estimated
	Overrun   Ticks // of Spent: what bills were higher than their reservations
	Held      Ticks // reserved by attempts under way
	Attempts  int64 // billed, also those that were cut off
}

// Figures returns what the ledger has counted so far.
func (l *Ledger) Figures() Figures { return l.figures }

// Left is what may still be reserved, and false when there is no limit.
func (l *Ledger) Left() (Ticks, bool) {
	return max(0, l.Limit.Max-l.figures.Spent.plus(l.figures.Held)), l.Limit.Set
}

// lost is how long an attempt may run before nobody is expected to settle it any more: its page or
// its Worker is gone. xAI's models may think for an hour before they begin.
const lost = 3 * time.Hour

// Reserve sets aside what a request may cost, and reports false when the limit does not cover it.
// The request must not be sent then. What is free is never refused.
func (l *Ledger) Reserve(now time.Time, p fault.Provider, model string, e Estimate) (h *Hold, ok bool) {
	l.sweep(now)
	h = &Hold{Amount: l.Quote(now, p, model, e), ledger: l, provider: p, model: model, estimate: e, since: now}
	if left, limited := l.Left(); limited && h.Amount > 0 && h.Amount > left {
		return h, false
	}
	l.figures.Held = l.figures.Held.plus(h.Amount)
	l.holds = append(l.holds, h)
	h.open = true
	return h, true
}

// Quote is what Reserve would set aside for a request.
func (l *Ledger) Quote(now time.Time, p fault.Provider, model string, e Estimate) Ticks {
	h := Hold{ledger: l, provider: p, model: model}
	return e.price(h.rates(now, model, e.Input))
}

// sweep bills what nobody settles any more at what was reserved: it may have been delivered.
func (l *Ledger) sweep(now time.Time) {
	for len(l.holds) > 0 && now.Sub(l.holds[0].since) > lost {
		h := l.holds[0]
		l.figures.Attempts++
		h.close(Bill{Cost: h.Amount, Estimated: true})
	}
}

// Restore takes the figures of an earlier session. What was under way then counts as spent.
func (l *Ledger) Restore(f Figures) {
	held := l.figures.Held
	l.figures = f.settled()
	l.figures.Held = held
}

// settled are the figures with what was under way as spent.
func (f Figures) settled() Figures {
	f.Spent, f.Estimated, f.Held = f.Spent.plus(f.Held), f.Estimated.plus(f.Held), 0
	return f
}

// Join adds what somebody else has counted since base, figures that both have seen. What was under
// way there counts as spent until it is settled, as for Restore.
func (l *Ledger) Join(base, theirs Figures) {
	base, theirs = base.settled(), theirs.settled()
	f := &l.figures
	f.Spent = f.Spent.moved(base.Spent, theirs.Spent)
	f.Estimated = min(f.Spent, f.Estimated.moved(base.Estimated, theirs.Estimated))
	f.Overrun = min(f.Spent, f.Overrun.moved(base.Overrun, theirs.Overrun))
	f.Attempts = max(0, f.Attempts+theirs.Attempts-base.Attempts)
}

// moved is t moved as far as from is from to, and never below nothing.
func (t Ticks) moved(from, to Ticks) Ticks {
	if to >= from {
		return t.plus(to - from)
	}
	return max(0, t-(from-to))
}

// Valid tells whether a ledger can have counted so.
func (f Figures) Valid() bool {
	return f.Spent >= 0 && f.Held >= 0 && f.Attempts >= 0 &&
		0 <= f.Estimated && f.Estimated <= f.Spent && 0 <= f.Overrun && f.Overrun <= f.Spent
}

// Hold is the money set aside for one attempt. It belongs to the ledger until it is settled.
type Hold struct {
	Amount Ticks

	ledger   *Ledger
	provider fault.Provider
	model    string
	estimate Estimate
	since    time.Time
	open     bool
}

// Use is what became of an attempt.
type Use struct {
	// Free: nothing was sent, or the provider refused to run it. Usage that it reported all the
	// same is billed.
	Free bool
	// Complete: the answer came to its end, so that the usage reported is all of it.
	Complete bool
	// Usage is the latest that the provider reported. It is a running total, never a sum of events.
	Usage wire.Usage
	// Model is the one that answered, where the provider said; "" is the one asked.
	Model string
	// Seen is how many bytes of text, reasoning and tool arguments arrived.
	Seen int
	// Silent is how long it took until the first of them did: a model that shows nothing may think.
	Silent time.Duration
}

// Bill is what an attempt cost.
type Bill struct {
	Cost      Ticks
	Estimated bool  // the provider did not say
	Over      Ticks // what it cost above the reservation
}

// Settle turns the reservation into a bill. A second time it does nothing.
func (h *Hold) Settle(now time.Time, u Use) Bill {
	if !h.open {
		return Bill{}
	}
	if u.Free && !reported(u.Usage) {
		return h.close(Bill{})
	}
	h.ledger.figures.Attempts++
	return h.close(h.bill(now, u))
}

func reported(u wire.Usage) bool { return u.Input > 0 || u.Output > 0 || u.CostTicks > 0 }

// bill says what an attempt cost: as reported, or as the attempt lets guess.
func (h *Hold) bill(now time.Time, u Use) Bill {
	usage, certain := u.Usage, reported(u.Usage) && u.Complete && (u.Usage.Output > 0 || u.Seen == 0) || u.Usage.CostTicks > 0
	if !certain { // it was cut off, and is billed all the same (field case bud-008), or what it wrote was left out
		if usage.Input == 0 {
			usage.Input = h.estimate.Input
		}
		silent := u.Silent
		if u.Seen == 0 && !u.Complete { // thinking, or not streamed
			silent = now.Sub(h.since)
		}
		seconds := int64(min(max(0, silent), lost) / time.Second)
		usage.Output = max(usage.Output, int64(u.Seen/bytesPerToken)+min(h.estimate.Output, seconds*tokensPerSecond))
	}
	cost := h.rates(now, u.Model, usage.Input).Cost(usage)
	if usage.CostTicks == 0 {
		cost = cost.plus(Ticks(min(usage.Searches, maxTokens)) * perSearch(h.provider))
	}
	return Bill{Cost: cost, Estimated: !certain}
}

// close books a bill, and says how far it passed the reservation.
func (h *Hold) close(b Bill) Bill {
	h.open = false
	b.Over = max(0, b.Cost-h.Amount)
	l, f := h.ledger, &h.ledger.figures
	for i, other := range l.holds {
		if other == h {
			l.holds = append(l.holds[:i], l.holds[i+1:]...)
			break
		}
	}
	f.Held = max(0, f.Held-h.Amount)
	f.Spent = f.Spent.plus(b.Cost)
	f.Overrun = f.Overrun.plus(b.Over)
	if b.Estimated {
		f.Estimated = f.Estimated.plus(b.Cost)
	}
	return b
}

// rates are those of the model that answered, if the table knows it, else of the one asked.
func (h *Hold) rates(now time.Time, model string, input int64) Rates {
	l := h.ledger
	if l.Prices == nil {
		l.Prices = Default()
	}
	if model != "" && model != h.model {
		if r, known := l.Prices.Rates(h.provider, model, now, input); known {
			return r
		}
	}
	r, _ := l.Prices.Rates(h.provider, h.model, now, input)
	return r
}
