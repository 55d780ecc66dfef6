package core

import (
	"holdfast/core/fault"
	"holdfast/core/seam"
	"holdfast/core/wire"
)

// Cursor is a place in a provider's own answer from which another call can go on, in another
// process: everything before it has been given to the caller, nothing behind it.
//
// The law, fuzzed: stop a call anywhere, and take it up from the cursor that came last with the text
// that was shown: the whole text is the same as if it had not been stopped.
type Cursor struct {
	Target   int // its place in the chain
	Provider fault.Provider
	API      wire.API
	At       wire.Cursor // its ID is empty: there is no such place now, and earlier ones are void
	// Before is how much of the text that was shown belongs to an answer from which this one goes on,
	// in UTF-16 units: the gateway knows nothing of it. At a beginning where nothing was taken that is
	// all of it.
	Before int
}

// takeUp makes a call begin with the resumption of a lost one, if its cursor fits.
func (c *Call) takeUp(from *Cursor) {
	c.lost = fault.Lost(fault.Transport, "the call that asked for the answer was lost")
	c.handed = len(from.At.Tools) > 0 || from.At.Refusal > 0
	c.out.thought = from.At.Reasoning > 0 && c.spec.Partial == ""
	if from.At.ID == "" || from.Target < 0 || from.Target > len(c.spec.Fallbacks) {
		return
	}
	t := c.spec.target(from.Target)
	asked, _, err := c.spec.request(from.Target, "")
	if err != nil || t.Provider != from.Provider || t.API != from.API {
		return
	}
	c.target, c.asked, c.cursor = from.Target, asked, from.At
	if request, ok := c.way(t, false); ok {
		c.marked, c.resumes = from.At, 1
		if base := c.base(); base != "" && from.atSeam() { // of a continuation, whose seam is still to come
			c.joiner, c.repeats = seam.New(base), len(c.spec.Partial)-len(base)
			c.cursor.Ahead.Text = 0
		}
		c.next = step{kind: Resumed, target: from.Target, request: request}
	}
}

// atSeam tells that the answer is taken up at its begin. What of it was shown comes again, through the
// same seam.
func (from *Cursor) atSeam() bool {
	if from.API == wire.Answers {
		return from.At.Event == wire.Beginning
	}
	return from.At.Text == 0
}

// base is what the call was given to go on from, as far as it does not belong to the answer itself. A
// restart of the answer takes back to it.
func (c *Call) base() string {
	from, partial := c.spec.From, c.spec.Partial
	switch {
	case from == nil, from.atSeam() && from.At.Ahead == wire.Ahead{}:
		return partial
	case from.API == wire.Answers:
		return prefix(partial, from.Before)
	}
	return ""
}

// prefix is the beginning of a text, n UTF-16 units long.
func prefix(text string, n int) string {
	for i, c := range text {
		if n <= 0 {
			return text[:i]
		}
		if n--; c > 0xFFFF {
			n--
		}
	}
	return text
}

// durable tells that the gateway keeps the answer: it recovers, and the call only follows.
func (c *Call) durable() bool { return c.spec.target(c.target).API == wire.Answers }

// comeBack follows a durable answer after the gateway has ended a connection that served as it should.
func (c *Call) comeBack() bool {
	if idle, _ := c.mostResumes(); !c.stream.Rests() || c.stream.Cursor.ID == "" || c.policy().Passive || c.resumes >= idle {
		return false
	}
	c.closeAttempt(fault.Fault{})
	request, _ := c.way(c.spec.target(c.target), false)
	c.resumes++
	c.next = step{kind: Resumed, target: c.target, request: request}
	if c.resumes == 1 {
		c.send()
		return true
	}
	c.next.wait, _ = c.policy().Budget.Before(c.resumes, fault.Hint{}, c.spec.Random)
	c.pause()
	return true
}

// restarted takes a restart that the gateway's own call made.
func (c *Call) restarted() {
	base := c.base()
	c.joiner, c.tools, c.repeats = nil, nil, 0
	if base != "" {
		c.joiner = seam.New(base)
	}
	c.out.reset(base)
	c.note(Note{Kind: NoteRestarted})
}

// withdraw stops an answer that is being made without us. What comes of it nobody waits for.
func (c *Call) withdraw() {
	t := c.spec.target(c.target)
	at := c.cursor
	switch {
	case c.raw != nil: // whoever fetches may want to come back
		return
	case c.asked.URL == "": // nothing was
		return
	case c.stream != nil:
		at = c.stream.Cursor
	}
	if c.durable() { // it may have got there, whether we know that or not
		at.ID = c.id()
	}
	if r, ok := wire.Withdraw(t.Provider, t.API, c.asked, at); ok {
		c.do(Action{Kind: Send, Request: &Request{Target: c.target, Method: r.Method, URL: r.URL, Auth: t.Auth, Header: c.spec.header(t)}})
	}
}

// id is the name of a durable answer.
func (c *Call) id() string {
	if c.spec.From != nil {
		return c.spec.From.At.ID
	}
	return c.spec.ID
}

// opening is how a call begins at a target, or begins there after what it should take up was refused.
func (c *Call) opening(target int) step {
	kind := First
	switch {
	case c.spec.Partial != "":
		kind = Continued
	case c.spec.From != nil:
		kind = Retried
	}
	return step{kind: kind, target: target}
}

// refusedToResume tells that a call could not take up the lost one's answer, and has done nothing else.
func (c *Call) refusedToResume() bool {
	if c.spec.From == nil || c.durable() || c.out.shown() || c.unsafe() {
		return false
	}
	for i := range c.result.Attempts {
		if c.result.Attempts[i].Kind != Resumed {
			return false
		}
	}
	return true
}

// mark tells the caller from where the call could be taken up. Behind deltas that brings the new
// place in the same output, or says that there is none.
func (c *Call) mark() {
	if !c.spec.Cursors || c.phase == done {
		return
	}
	at, ok := c.place()
	switch {
	case ok && (c.gave || c.marked.ID == ""):
		at.Tools = append([]string(nil), at.Tools...)
	case !ok && c.marked.ID != "" && (c.gave || c.cursor.ID == ""):
		at = wire.Cursor{}
	default:
		return
	}
	c.marked = at
	t := c.spec.target(c.target)
	c.do(Action{Kind: Emit, Cursor: &Cursor{Target: c.target, Provider: t.Provider, API: t.API, At: at}})
}

// place is where the call stands in the provider's answer, and whether it could be taken up there:
// nothing that came before is still held back.
func (c *Call) place() (wire.Cursor, bool) {
	at := c.cursor
	switch c.phase {
	case reading, draining:
		if c.stream != nil {
			at = c.stream.Cursor
		}
	case waiting, away:
		if c.next.kind != Resumed {
			return at, false
		}
	}
	held := c.out.half() || len(c.out.lead) > 0 || c.repeats > 0 || c.joiner != nil && (!c.joiner.Decided() || c.joiner.Diverged)
	return at, at.ID != "" && c.kept && !held && at.Whole()
}
