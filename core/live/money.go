package live

import (
	"strings"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// What a session costs is booked as the server reports it, turn by turn: nobody knows before what will
// be said. A session in which the client's limit is used up ends at the next pause.

// book adds up what the server reports.
func (s *Session) book(h *heard) {
	if h.usage.Kind() != '{' {
		return
	}
	if h.model != "" {
		s.model = h.model
	}
	u := wire.ReadUsage(h.usage)
	b := s.spec.Shared.Charge(s.now, s.spec.Provider, s.model, u, !spoken(h.usage))
	r := &s.result
	r.Usage = r.Usage.Plus(u)
	r.Bill.Cost += b.Cost
	r.Bill.Estimated = r.Bill.Estimated || b.Estimated
	s.unpaid = false
}

// owe says that the server will report no more of what it has begun.
func (s *Session) owe() {
	s.result.Bill.Estimated = s.result.Bill.Estimated || s.unpaid
	s.unpaid = false
}

// spoken tells that some tokens are not text. They have a price of their own, which the table of prices
// does not know.
func spoken(usage json.Value) (found bool) {
	usage.Each(func(_ string, details json.Value) bool {
		details.Each(func(_ string, d json.Value) bool {
			kind := d.Get("modality")
			found = found || kind.Kind() == '"' && kind.Text() != "TEXT"
			return !found
		})
		return !found
	})
	return found
}

// broke ends a session whose client has nothing left to spend.
func (s *Session) broke() bool {
	if s.turn.underWay() || !s.spec.Shared.Broke() {
		return false
	}
	f := fault.Lost(fault.Budget, "the limit of what may be spent is used up")
	if s.phase >= dialling {
		s.do(Action{Kind: Close, Connection: s.number})
		s.tally(&f, 0)
	}
	s.cause = nil
	s.giveUp(&f)
	return true
}

// modelOf is the model that a setup names.
func modelOf(setup json.Value) string {
	return strings.TrimPrefix(setup.Get("model").Text(), "models/")
}
