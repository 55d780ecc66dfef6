package core

import (
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// Quote is what one attempt of a call may cost where it is dearest, for whoever sets the money aside
// before the call begins. The call can cost more: an attempt that was cut off is paid for, and so is
// the next one; and a request without a token limit has no known maximum.
func (s *Spec) Quote(now time.Time) spend.Ticks {
	most := spend.Ticks(0)
	for n := s.First; n <= len(s.Fallbacks); n++ {
		request, _, err := s.request(n, s.Partial)
		if err != nil {
			continue // nor will it be sent
		}
		t := s.target(n)
		most = max(most, s.Shared.Quote(now, t.known(wire.Model(request)), spend.Guess(t.API, request.Body)))
	}
	return most
}
