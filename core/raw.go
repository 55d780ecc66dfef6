//go:build !lean

package core

import (
	"bytes"
	"cmp"
	"strings"

	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/splice"
	"holdfast/core/sse"
	"holdfast/core/time"
	"holdfast/core/translate"
	"holdfast/core/wire"
)

// A raw call stands for one HTTP exchange: whoever reads it, such as a provider's own SDK, learns of
// no retry, no continuation and no fallback. Its request is the caller's own, its answer a Head and
// Bytes:
//
//	streamed    one stream of the first target's wire format (see splice), ended by its own
//	            terminal or by its own form of an error
//	a document  the provider's own bytes, status and header; translated when a fallback of another
//	            wire format answered
//	a failure   the provider's own last response, or one in its form when it failed behind a
//	            response; nothing at all when there was none: then only the Result tells
type raw struct {
	splicer *splice.Splicer // of a stream
	deltas  []wire.Delta    // what the event at hand may show
	head    *Head           // to go out with the next bytes
	begun   bool            // it went out
	several int             // answers that are asked for at once
	waits   bool            // the stream has no end mark but the end of the body
}

func newRaw(spec *Spec) *raw {
	r := &raw{}
	if spec.Stream {
		r.splicer = splice.New(spec.API)
		r.several = wire.Several(spec.Body)
		r.waits = spec.API == wire.Generate || spec.API == wire.Interactions
		_, query, _ := strings.Cut(spec.Path, "?")
		r.splicer.Array = spec.API == wire.Generate && !strings.Contains(query, "alt=sse")
	}
	return r
}

// bound tells that the reader has, or will have, something that cannot be taken back.
func (r *raw) bound() bool { return r != nil && r.splicer.Bound() }

// many tells that several answers are asked for at once. They can be retried, but not gone on with.
func (r *raw) many() bool { return r != nil && r.several > 1 }

func (r *raw) feed(chunk []byte) {
	if r != nil {
		r.splicer.Feed(chunk)
	}
}

// drains tells that the body is read to its own end.
func (r *raw) drains() bool { return r != nil && r.waits }

// splice begins a streamed attempt's part of the stream.
func (c *Call) splice() {
	var before wire.Usage
	for i := range c.result.Attempts[:len(c.result.Attempts)-1] {
		before = before.Plus(c.result.Attempts[i].Usage)
	}
	s, a := c.raw.splicer, c.attempt
	c.raw.deltas = c.raw.deltas[:0]
	c.stream.Several = c.raw.several
	usage := c.spec.Body.Get("stream_options", "include_usage").True()
	s.Attempt(splice.Source{
		API: a.API, Several: c.raw.several > 1, Resumed: a.Kind == Resumed, Before: before, Unasked: (a.Target > 0 || c.spec.Metered) && !usage,
		Meta: translate.Meta{Created: c.now.Unix(), Usage: usage},
	})
	if !s.Sent() {
		c.raw.head = &Head{Status: a.HTTPStatus, Header: c.header}
	}
}

// spliced makes an event a part of the stream, and reports false when the call has left the attempt.
func (c *Call) spliced(e sse.Event) bool {
	c.deltas()
	if c.phase != reading && c.phase != draining {
		return false
	}
	c.raw.splicer.Holds = c.joiner != nil && !c.joiner.Decided()
	c.raw.splicer.Event(e, c.stream, c.decoder.Offset(), c.raw.deltas, c.out.half())
	c.raw.deltas = c.raw.deltas[:0]
	return true
}

// rest makes what was held back to the answer's end a part of the stream.
func (r *raw) rest(from *wire.Stream) {
	if r != nil {
		r.splicer.Rest(from, r.deltas)
		r.deltas = r.deltas[:0]
	}
}

// respond gives the caller what may go out.
func (c *Call) respond() {
	if c.raw.splicer == nil || c.phase == done {
		return
	}
	c.give(c.raw.splicer.Take())
}

// give emits bytes of the response, behind its head. An empty body is one at the end only.
func (c *Call) give(body []byte) {
	r := c.raw
	if len(body) == 0 && (r.head == nil || c.phase != done) {
		return
	}
	a := Action{Kind: Emit, Bytes: body}
	if !r.begun {
		a.Head, r.begun = r.head, true
		if r.splicer != nil && r.splicer.Encoded() && a.Head.Status < 300 {
			a.Head.Header = a.Head.Header.Set("content-type", "text/event-stream")
		}
	}
	r.head, c.demand = nil, c.flow
	c.do(a)
}

// close ends the response as the call has ended, with f or well.
func (c *Call) close(f fault.Fault) {
	s, a := c.raw.splicer, c.attempt
	switch {
	case c.result.Status == Cancelled:
	case f.Decision == "" && s != nil:
		s.Finish(c.stream)
		c.give(s.Take())
	case f.Decision == "":
		c.raw.head = &Head{Status: a.HTTPStatus, Header: c.header}
		if a.API == c.spec.API {
			c.give(c.body)
		} else {
			c.give(c.result.Data)
		}
	case s.Sent():
		s.Cut()
		c.give(bytes.Clone(s.Take()))
		s.Fail(f, c.inItsForm(f))
		c.give(s.Take())
	case a == nil || a.HTTPStatus == 0:
	case a.HTTPStatus >= 300 && a.API == c.spec.API && a.Provider == c.spec.Provider && a.Fault == f && a.Kind != Resumed: // in its own words
		c.raw.head = &Head{Status: a.HTTPStatus, Header: c.header}
		c.give(c.body)
	default:
		h := header.Header{{Name: "content-type", Value: "application/json"}}
		if at := c.result.RetryAt; !at.IsZero() { // what told it may have been words, or another's header
			wait := max(0, at.Sub(c.now)+time.Second-1) / time.Second
			h = h.Set("retry-after", decimal.String(int64(wait)))
		}
		c.raw.head = &Head{Status: translate.Status(c.spec.API, f), Header: h}
		c.give(s.Own(f, c.inItsForm(f)))
	}
}

// inItsForm is a failure as the provider that was asked would tell it.
func (c *Call) inItsForm(f fault.Fault) json.Value {
	return json.Value(translate.Error(c.spec.API, c.spec.Provider, 0, frank(f)))
}

// frank is a fault whose message tells what happened, for the developer whose SDK throws it.
func frank(f fault.Fault) fault.Fault {
	f.Message = cmp.Or(f.Developer, f.Message)
	return f
}
