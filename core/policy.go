package core

import (
	"cmp"

	"holdfast/core/fault"
	"holdfast/core/pace"
	"holdfast/core/sse"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// Policy is every number that a call obeys. Zero fields mean the provider's defaults (see
// Defaults); pace.Off switches a duration off.
type Policy struct {
	// Passive: another layer owns the retries. A call makes one attempt and no continuation.
	Passive bool
	Budget  pace.Budget

	Headers    time.Duration // wait for response headers
	FirstDelta time.Duration // wait from headers to the first delta
	Idle       time.Duration // silence while a read is outstanding, once deltas flow
	Drain      time.Duration // wait for usage after the answer's end, at most 2 s
	Switch     time.Duration // wait for a stream's first delta while another target could be asked

	MaxBody  int // bytes of a body that is not streamed, request or response
	MaxEvent int // bytes of one stream event

	// Continuation is the wording of a continuation message; {partial} stands for the text so far.
	Continuation string
}

// Defaults returns the policy of a provider for calls that somebody waits for, or for background.
func Defaults(p fault.Provider, background bool) Policy {
	patience := cmp.Or(wire.Hosts[p].Patience, wire.Hosts[fault.OpenAI].Patience)
	return Policy{
		Budget:     pace.Default(p, background),
		Headers:    patience,
		FirstDelta: patience,
		Idle:       120 * time.Second,
		Drain:      maxDrain,
		Switch:     12 * time.Second,
		MaxBody:    16 << 20,
		MaxEvent:   sse.MaxEvent,
	}
}

// Durable returns the policy for following an answer that the gateway keeps. It is a comment every
// five seconds that shows life, nothing is lost by coming back late, and coming back costs nothing.
func (p Policy) Durable() Policy {
	p.Budget.Attempts, p.Budget.Window, p.Budget.Total = 30, pace.Off, pace.Off
	p.Headers, p.FirstDelta, p.Idle = 30*time.Second, pace.Off, 20*time.Second
	return p
}

const (
	maxDrain = 2 * time.Second
	// lateness tells a timer that was held up by a frozen page or a sleeping machine.
	lateness = 5 * time.Second
	// maxErrorBody bounds what is kept of a body that only explains an error.
	maxErrorBody = 1 << 20
)
