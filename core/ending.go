package core

import (
	"cmp"

	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/pace"
	"holdfast/core/shared"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// How an attempt ends, and how the call does: what is reported of them, and what it cost.

// drained ends a call whose answer reached a terminal, behind which nothing is waited for any more.
func (c *Call) drained() {
	switch {
	case c.whole():
		c.succeed()
	case c.stream.End == wire.Failed:
		c.fail(c.stream.Fault)
	}
}

// whole makes the terminal that came hold, and tells whether the answer is whole with it.
func (c *Call) whole() bool {
	c.stream.Close()
	if c.stream.End == wire.Failed {
		return false
	}
	c.deltas()
	c.raw.rest(c.stream)
	return c.phase == reading || c.phase == draining
}

// succeed ends a call whose answer reached its own terminal.
func (c *Call) succeed() {
	c.closeAttempt(fault.Fault{})
	status := Complete
	if c.stream != nil && c.stream.End == wire.Filtered {
		status = ContentFilter
	}
	if c.stream != nil && c.stream.Told != nil {
		c.result.Told = c.stream.Told
		status = Status(c.result.Told.Get("status").Text())
	}
	c.end(status, fault.Fault{})
}

// closeAttempt ends the attempt, and the answer with it, as far as the provider makes it.
func (c *Call) closeAttempt(f fault.Fault) {
	c.breakOff(f)
	c.report(f, false)
}

// report tells the client's state what came of the attempt. kept says that its answer is taken up
// again.
func (c *Call) report(f fault.Fault, kept bool) {
	if c.ticket == nil {
		return
	}
	a := c.attempt
	bill := c.ticket.Report(c.now, shared.Outcome{
		Fault: f, Impatient: c.impatient(f), Header: c.header, Usage: a.Usage, Model: a.Served, Seen: c.seen(), Silent: a.FirstDelta, Kept: kept,
		Unsent: a.API == wire.Answers && (c.stream == nil || c.stream.Told == nil), // the bill comes with the result
	})
	if !kept {
		c.result.Attempts[c.billed].Bill, c.ticket = bill, nil
	}
}

// breakOff stops the exchange if it still runs and says what came of the attempt. It does nothing
// between attempts.
func (c *Call) breakOff(f fault.Fault) {
	if c.phase < sending || c.phase > draining {
		return
	}
	if c.open {
		c.do(Action{Kind: Cancel, Attempt: c.attempt.Number, Whole: f.Decision == ""})
	}
	c.open, c.reading = false, false
	a := c.attempt
	a.Took, a.Fault, a.TraceID = c.now.Sub(a.Sent), f, f.TraceID
	if a.RequestID == "" {
		a.RequestID = f.RequestID
	}
	if s := c.stream; s != nil {
		a.Finish, a.ToolCall, a.Usage, a.Served = s.Finish, s.Tool, s.Usage, s.Model
		if a.FirstDelta != 0 { // a silence behind it is the provider's time, and not that of new attempts
			c.alive = c.now
		}
		lived := a.API == wire.Answers && a.Took >= longRun
		moved := further(s.Cursor, c.cursor)
		if a.FirstDelta != 0 || moved || lived {
			c.resumes = 0
		}
		if moved {
			c.stirred = c.now
		}
		c.cursor, c.pending = s.Cursor, c.pending || s.Pending
		c.result.Warnings = append(c.result.Warnings, s.Warnings...)
		c.result.Finish = s.Finish
		c.result.ID, c.result.Model = cmp.Or(s.ID, c.result.ID), cmp.Or(s.Model, c.result.Model)
	} else if c.result.Data != nil {
		c.result.ID, c.result.Model, a.Usage = wire.Describe(c.result.Data)
	}
	if c.joiner != nil {
		a.Trimmed = c.joiner.Trimmed
	}
	if from := c.header.Get("x-gloo-model-redirected-from"); from != "" {
		c.result.Redirected = from
	}
	c.result.RequestID = cmp.Or(a.RequestID, c.result.RequestID)
	if f.Decision != "" {
		if c.result.First.Decision == "" {
			c.result.First = f
		}
		c.note(Note{Kind: NoteFailed, Fault: &a.Fault})
	}
}

// impatient tells that a time limit which the caller chose, and not the default one, ended the
// attempt.
func (c *Call) impatient(f fault.Fault) bool {
	p, usual := c.policy(), Defaults(c.attempt.Provider, c.spec.Background)
	shorter := func(limit, usual time.Duration) bool { return limit != pace.Off && limit < usual }
	switch f.Reason {
	case fault.Timeout:
		return shorter(p.Headers, usual.Headers) || shorter(p.FirstDelta, usual.FirstDelta)
	case fault.IdleTimeout:
		return shorter(p.Idle, usual.Idle)
	}
	return false
}

// seen is how many bytes of its answer came in all, as far as can be told.
func (c *Call) seen() int {
	if c.result.Data != nil && c.attempt.API != wire.Embeddings { // whole: nobody has looked at its parts
		return len(c.result.Data)
	}
	several := 1
	if c.stream != nil {
		several = max(several, c.stream.Several) // of which it tells the first
	}
	return c.cursor.Bytes * several
}

// end completes the result. Nothing happens after it.
func (c *Call) end(status Status, f fault.Fault) {
	c.phase = done
	r := &c.result
	r.Status, r.Fault, r.CallID = status, f, c.spec.ID
	r.Text, r.Refusal, r.Reasoning, r.Tools = c.out.text(), string(c.out.refusal), string(c.out.reasoning), c.tools
	for i := range r.Attempts {
		r.Usage = r.Usage.Plus(r.Attempts[i].Usage)
	}
	r.Bill = c.bill()
	r.Offer = c.offer()
	if c.raw != nil {
		c.close(f)
	}
	c.note(Note{Kind: NoteDone, Status: status, Bill: r.Bill})
	c.do(Action{Kind: Done, Result: r})
}

// bill is of all attempts so far.
func (c *Call) bill() (b spend.Bill) {
	for i := range c.result.Attempts {
		b.Cost += c.result.Attempts[i].Bill.Cost
		b.Estimated = b.Estimated || c.result.Attempts[i].Bill.Estimated
	}
	return b
}

// offer says what a page may let its user do now.
func (c *Call) offer() (offer []string) {
	r := &c.result
	partial := r.Text != "" && len(r.Tools) == 0 && r.Refusal == "" && !c.handed && !(c.stream != nil && c.stream.Tool)
	switch r.Status {
	case Complete:
		if wire.AtLimit(r.Finish) {
			if partial && !wire.WindowFull(r.Finish) {
				offer = append(offer, "continue")
			}
			offer = append(offer, "try_again")
		}
	case Interrupted, Failed, Cancelled:
		asked := c.durable() && c.cursor.ID != "" // what failed since then is only the way
		gone := r.Fault.Status == 404 || r.Fault.Status == 410
		if asked && !gone && (r.Status == Interrupted || c.left) || partial && r.Status != Failed { // the provider has said that it would fail again
			offer = append(offer, "continue")
		}
		if r.Fault.Decision != fault.FixRequest || asked {
			offer = append(offer, "try_again")
		}
	}
	return offer
}

// requestID reads the id that support asks for, whatever the provider calls it.
func requestID(h header.Header) string {
	return cmp.Or(h.Get("x-request-id"), h.Get("request-id"))
}
