// Package cut holds the law of broken streams: wherever a stream is cut, and however the model goes
// on, the text shown ends equal to the uncut text, and an answer is never called complete that is
// not.
//
// It plays the simulated provider's plans to the real core in virtual time, so that every byte of
// a stream can be tried.
package cut

import (
	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/time"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

var epoch = time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC

// Provider answers the n-th request of a call.
type Provider func(n int, r *core.Request) sim.Exchange

// Played is what a call came to.
type Played struct {
	*core.Result
	Text      string // what was shown, with every restart obeyed
	Restarts  int
	Continues int // continuation requests that the provider saw
	Requests  int
	Head      *core.Head // of a raw call
	Body      []byte
	Cursor    *core.Cursor // the last that was told
	Calls     []wire.Tool  // the tool calls that were handed out
	Thought   string       // the reasoning that was shown
}

// Play runs a call against a provider. Chunks bounds the pieces in which bodies arrive; 0 leaves
// them as they are planned.
func Play(spec core.Spec, provider Provider, chunk int) Played {
	return PlayUntil(spec, provider, chunk, 1<<62)
}

// PlayUntil is Play that stops before an event, as a process that is killed. Then there is no Result.
func PlayUntil(spec core.Spec, provider Provider, chunk, stop int) Played {
	p := player{call: core.New(spec), provider: provider, chunk: chunk}
	p.handle(core.Event{Kind: core.Start})
	for i := 0; p.played.Result == nil && i < stop; i++ {
		switch at, ok := p.call.Deadline(); {
		case len(p.queue) > 0:
			next := p.queue[0]
			p.queue = p.queue[1:]
			p.handle(p.event(next))
		case ok && i < 1e6:
			p.now = at
			p.handle(core.Event{Kind: core.Tick})
		default:
			panic("the call waits for nothing")
		}
	}
	p.played.Text = string(p.text)
	return p.played
}

type player struct {
	call     *core.Call
	provider Provider
	chunk    int
	now      time.Time
	attempt  int
	exchange sim.Exchange // of the attempt
	queue    []arrival    // what comes of it
	text     []byte       // shown
	played   Played
}

// arrival is an event of an exchange in short: a body has thousands.
type arrival struct {
	kind  core.EventKind
	bytes []byte
}

// event is what the call is told of an arrival.
func (p *player) event(next arrival) core.Event {
	e := core.Event{Kind: next.kind, Attempt: p.attempt, Bytes: next.bytes}
	switch next.kind {
	case core.Responded:
		e.Status, e.Header = p.exchange.Status, append(header.Header(nil), p.exchange.Header...)
	case core.Broke:
		e.Fault = fault.Network("TypeError", "ECONNRESET", "terminated")
	}
	return e
}

func (p *player) handle(e core.Event) {
	if p.now.IsZero() {
		p.now = epoch
	}
	for _, e := range []core.Event{e, {Kind: core.Demand}} {
		for _, a := range p.call.Handle(p.now, e) {
			switch a.Kind {
			case core.Send:
				p.queue = nil
				p.send(a)
			case core.Cancel:
				p.queue = nil
			case core.Done:
				p.played.Result = a.Result
			case core.Emit:
				if a.Head != nil {
					p.played.Head = a.Head
				}
				p.played.Body = append(p.played.Body, a.Bytes...)
				if a.Cursor != nil {
					p.played.Cursor = a.Cursor
				} else if a.Note != nil {
					if a.Note.Kind == core.NoteSent && a.Note.Why == core.Continued {
						p.played.Continues++
					}
				} else if a.Delta.Kind == wire.Text {
					p.text = append(p.text, a.Delta.Text...)
				} else if a.Delta.Kind == wire.Reasoning {
					p.played.Thought += string(a.Delta.Text)
				} else if a.Delta.Kind == wire.ToolCall {
					p.played.Calls = append(p.played.Calls, a.Delta.Tool)
				} else if a.Delta.Kind == wire.Restart {
					p.text, p.played.Thought = p.text[:0], ""
					p.played.Restarts++
				}
			}
		}
	}
}

// send queues what the provider does about a request.
func (p *player) send(a core.Action) {
	p.played.Requests++
	x := p.provider(a.Attempt, a.Request)
	p.attempt, p.exchange = a.Attempt, x
	if x.Status == 0 {
		p.queue = append(p.queue, arrival{kind: core.Broke})
		return
	}
	p.queue = append(p.queue, arrival{kind: core.Responded})
	for _, step := range x.Steps {
		for rest := step.Write; len(rest) > 0 && step.End != sim.Hang; {
			n := len(rest)
			if p.chunk > 0 {
				n = min(n, p.chunk)
			}
			p.queue = append(p.queue, arrival{core.Received, rest[:n]})
			rest = rest[n:]
		}
		switch step.End {
		case sim.Close:
			p.queue = append(p.queue, arrival{kind: core.Ended})
		case sim.Drop, sim.Reset:
			p.queue = append(p.queue, arrival{kind: core.Broke})
		}
	}
}
