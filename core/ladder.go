package core

import (
	"holdfast/core/fault"
	"holdfast/core/pace"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// step is how a call goes on after a failure.
type step struct {
	kind    AttemptKind
	target  int          // its place in the chain
	wait    pace.Wait    // before it
	request wire.Request // of a resumption; the others are built when they are sent
	look    bool         // a resumption that only looks whether the answer is made
}

const (
	// maxResumes bounds resumptions that bring nothing, one after the other.
	maxResumes = 3
	// maxResumed bounds all resumptions of a call, so that a stream which breaks after every event
	// does not keep it for ever. Looks at an answer that is still being made do not count.
	maxResumed = 100
	// maxReturns is maxResumes for answers that the gateway keeps: several minutes.
	maxReturns = 30
	// pollEvery is how often an answer that is still being made is looked at, at first; pollSlowly is
	// how often when it takes long. Looks count for the same rate limits as all else.
	pollEvery  = 2 * time.Second
	pollSlowly = 10 * time.Second
	// maxLook bounds the wait for the headers of such a look: nothing needs to be thought about.
	maxLook = 30 * time.Second
	// maxMaking is how long a provider may go on with an answer of which nothing comes.
	maxMaking = time.Hour
	// longRun tells an attempt whose answer may have been made, and billed, before its connection broke.
	longRun = 10 * time.Second
)

// fail closes the attempt and climbs the recovery ladder: the first rung that applies is taken.
func (c *Call) fail(f fault.Fault) {
	if c.offline && f.Status == 0 && broken(f.Reason) {
		f = fault.Lost(fault.Transport, "the network is away")
		f.Breaker = fault.Ignore // it is nobody's failure
		switch c.attempt.Kind {
		case Continued:
			c.continued--
		case Resumed:
			c.resumes--
		default:
			c.spent--
		}
	}
	c.breakOff(f)
	next, ok := c.resume(f)
	c.report(f, ok && !c.durable())
	if !ok {
		if c.attempt != nil && c.attempt.Kind == Resumed && !c.durable() && !c.learnt(f) {
			hint := f.Hint // is meant for whatever is asked next
			f = c.lost
			f.Hint = hint
			if c.refusedToResume() && !c.mayRun(f) && hint.Wait == 0 {
				c.reopen()
				return
			}
		}
		if next, ok = c.again(f); !ok {
			next, ok = c.elsewhere(f)
		}
	}
	if !ok {
		c.giveUp(f)
		return
	}
	c.take(f, next)
}

// reopen begins as the call would have begun with nothing to take up.
func (c *Call) reopen() {
	c.takeBack()
	c.next = c.opening(c.target)
	c.send()
}

// takeBack makes the caller drop what the answer's next beginning will say again.
func (c *Call) takeBack() {
	if c.out.dirty() {
		c.emit(wire.Delta{Kind: wire.Restart})
		c.note(Note{Kind: NoteRestarted})
	}
	c.out.reset(c.spec.Partial)
}

// refused goes on after what the client has learned from other calls forbids the next attempt. None
// was made.
func (c *Call) refused(f fault.Fault) {
	c.target = c.next.target
	if c.result.First.Decision == "" {
		c.result.First = f
	}
	if next, ok := c.elsewhere(f); ok {
		c.take(f, next)
		return
	}
	wait, ok := c.policy().Budget.Before(1, f.Hint, c.spec.Random)
	if !ok || f.Decision != fault.Retry || !c.fits(wait.For) {
		c.giveUp(f)
		return
	}
	c.next.wait = wait
	c.pause()
}

// take goes on by a step of the ladder.
func (c *Call) take(f fault.Fault, next step) {
	switch next.kind {
	case Resumed:
		c.resumes++
		if !next.look {
			c.resumed++
		}
	case Continued:
		if !c.result.Continued {
			c.cause, c.result.Continued = f, true
		}
		c.continued++
	default:
		c.takeBack()
		c.spent++
		c.result.Retries++
	}
	if next.target != c.target {
		c.spent, c.continued = 0, 0
		c.note(Note{Kind: NoteFallback, Attempt: len(c.result.Attempts) + 1, Target: next.target})
		c.next = next
		c.send()
		return
	}
	c.next = next
	c.pause()
}

// pause waits for the next attempt.
func (c *Call) pause() {
	wait := c.next.wait
	c.phase, c.deadline = waiting, c.now.Add(wait.For)
	c.note(Note{Kind: NoteWaiting, Attempt: len(c.result.Attempts) + 1, Wait: wait.For, Source: wait.Source})
}

// resume is the first rung: the provider still has the answer, and lets it be taken up again or
// looked at. Nothing is said twice, and nothing is generated or paid for again.
func (c *Call) resume(f fault.Fault) (step, bool) {
	a, p := c.attempt, c.policy()
	if a == nil || p.Passive || c.cursor.ID == "" {
		return step{}, false
	}
	pending := c.stream != nil && c.stream.Pending
	if pending {
		c.resumes = 0
	}
	if idle, all := c.mostResumes(); c.resumes >= idle || c.resumed >= all {
		return step{}, false
	}
	switch {
	case f.Reason == fault.Deadline:
		return step{}, false
	case pending:
	case a.Kind == Resumed && a.HTTPStatus >= 300: // the look was refused
		if !f.RetryWithin(p.Budget.MaxHint) && a.HTTPStatus != 400 {
			return step{}, false
		}
	case !broken(f.Reason) && !(c.mayRun(f) && f.RetryWithin(p.Budget.MaxHint)): // the provider said how the answer ended
		return step{}, false
	}
	request, ok := c.way(c.spec.target(a.Target), c.pending)
	if !ok || a.HTTPStatus == 400 && request.URL == c.next.request.URL { // a stream may be gone while its answer is there
		return step{}, false
	}
	if a.Kind != Resumed {
		c.lost = f
	}
	wait, ok := p.Budget.Before(c.resumes+1, f.Hint, c.spec.Random)
	if pending {
		wait, ok = c.untilLook(), c.making(0)
	} else {
		ok = ok && c.making(wait.For)
	}
	return step{kind: Resumed, target: c.target, wait: wait, request: request, look: c.pending}, ok
}

// making tells whether an answer that its provider keeps may be taken up after a wait. Nothing is made anew
// by that, so that the window for new attempts does not bound it.
func (c *Call) making(wait time.Duration) bool {
	at, patience := c.now.Add(wait), c.policy().FirstDelta
	if patience != pace.Off {
		patience = max(patience, maxMaking)
	}
	return (within(at, c.alive, patience) || within(at, c.stirred, patience)) && c.inTime(at)
}

// untilLook is the wait before an answer that is being made is looked at again. A look costs nothing,
// so that no hint makes it later than the longest that is obeyed.
func (c *Call) untilLook() pace.Wait {
	wait := max(pollEvery, min(c.now.Sub(c.alive)/20, pollSlowly))
	hint := fault.RateLimits(c.header, c.now).RetryAfter.Wait
	if hint = min(hint, c.policy().Budget.MaxHint); hint > wait {
		return pace.Wait{For: hint, Source: "hint"}
	}
	return pace.Wait{For: wait, Source: "backoff"}
}

// mostResumes is how many resumptions there may be that bring nothing, one after the other, and how
// many in all. The gateway ends connections that serve as they should.
func (c *Call) mostResumes() (idle, all int) {
	if c.durable() {
		return maxReturns, 1 << 30
	}
	return maxResumes, maxResumed
}

// way is the request that takes up the answer at the cursor, as a stream where that may still help.
func (c *Call) way(t *Target, pending bool) (wire.Request, bool) {
	request, ok := wire.Resume(t.Provider, t.API, c.asked, c.cursor)
	if !ok && !c.spec.Background && !pending {
		return request, false // whoever waits is served sooner by a retry or a continuation
	}
	if whole, can := wire.Retrieve(t.Provider, t.API, c.asked, c.cursor); can && (!ok || pending || c.resumes > 0) {
		request, ok = whole, true
	}
	return request, ok
}

// learnt tells that the provider has said what became of the answer: that counts, and no longer the
// break that the resumptions were to mend.
func (c *Call) learnt(f fault.Fault) bool {
	return c.stream != nil && c.stream.End == wire.Failed && !broken(f.Reason)
}

// broken tells whether a failure is one of the way, and says nothing about the answer itself.
func broken(r fault.Reason) bool {
	switch r {
	case fault.Transport, fault.Truncated, fault.IdleTimeout, fault.Timeout, fault.MalformedStream,
		fault.NotProcessed, fault.EdgeError, fault.EdgeTimeout, fault.ProxyUnavailable:
		return true
	}
	return false
}

// again is the second rung: the same target once more. Before anything was shown that is an unseen
// retry; after it, a continuation, or in background a restart.
func (c *Call) again(f fault.Fault) (step, bool) {
	p := c.policy()
	switch {
	case c.durable() && c.cursor.ID != "": // it is being made, or was: only the gateway may ask again
		return step{}, false
	case p.Passive || !f.RetryWithin(p.Budget.MaxHint) || f.MaxRetries > 0 && c.count(f.Reason) > f.MaxRetries:
		return step{}, false
	case f.Reason == fault.Timeout && c.hasFallback(f): // a silent target is not asked again
		return step{}, false
	case !c.spec.Stream && c.longRuns() > 1: // each was perhaps paid for, and the next would break likewise
		return step{}, false
	}
	kind, n, ok := Retried, c.spent+1, c.spent+1 < p.Budget.Attempts && !c.unsafe()
	switch {
	case !c.out.shown():
	case c.spec.Background:
		kind = Restarted
	default:
		kind, n, ok = Continued, c.continued+1, c.continued < p.Budget.Continues && c.continuable()
	}
	if !ok || c.mayRun(f) {
		return step{}, false
	}
	wait, ok := p.Budget.Before(n, f.Hint, c.spec.Random)
	if !ok || !c.fits(wait.For) {
		return step{}, false
	}
	// A continuation mends an answer that is half there, once; it multiplies no outage.
	if kind != Continued && !c.spec.Shared.Retry(c.now) {
		c.warn("not retried: retries have had their share of this client's traffic")
		return step{}, false
	}
	return step{kind: kind, target: c.target, wait: wait}, true
}

// elsewhere is the third rung: the next target that the failure lets us ask. An answer that has
// begun is continued there, unless the caller wants it to stay.
func (c *Call) elsewhere(f fault.Fault) (step, bool) {
	next, ok := c.fallback(f)
	switch {
	case !ok || !c.fits(0):
		return step{}, false
	case !c.out.shown():
		return step{kind: Elsewhere, target: next}, !c.unsafe()
	case c.spec.Background:
		return step{kind: Restarted, target: next}, !c.unsafe()
	}
	return step{kind: Continued, target: next}, !c.spec.Stay && c.continuable()
}

// hasFallback tells whether another target may be asked after f.
func (c *Call) hasFallback(f fault.Fault) bool {
	_, ok := c.fallback(f)
	return ok
}

// fallback finds the next target in the chain that f's scope allows.
func (c *Call) fallback(f fault.Fault) (int, bool) {
	if c.misread(f) {
		f = c.result.First
	}
	if c.policy().Passive || f.Fallback == fault.Never || f.Fallback == "" {
		return 0, false
	}
	for n := c.target + 1; n <= len(c.spec.Fallbacks); n++ {
		t := c.spec.target(n)
		if c.raw.many() && t.API != c.spec.API {
			continue
		}
		if f.Fallback == fault.OtherProvider && t.Provider == c.spec.target(c.target).Provider {
			continue
		}
		_, dropped, err := c.spec.request(n, c.out.text())
		if err == nil && !(c.spec.Strict && len(dropped) > 0) {
			return n, true
		}
	}
	return 0, false
}

// misread tells that a fallback calls the request a bad one which was rebuilt for it. That says nothing
// about the caller's own: what counts is why it was not answered.
func (c *Call) misread(f fault.Fault) bool {
	return f.Reason == fault.InvalidRequest && c.target != c.spec.First && c.attempt != nil && c.attempt.Kind != Resumed
}

// unsafe tells that something was handed out that cannot be taken back.
func (c *Call) unsafe() bool {
	return c.handed || len(c.tools) > 0 || len(c.out.refusal) > 0 || c.raw.bound() && !c.out.shown()
}

// continuable tells whether the text shown may be continued: not behind a tool call, whole or not.
func (c *Call) continuable() bool {
	return !c.unsafe() && !c.raw.many() && !(c.stream != nil && c.stream.Tool)
}

// mayRun tells that the request may have started something at the provider that goes on and is
// billed by itself, so that asking again would start another one. What its provider no longer finds, or
// said itself to have ended, does not run.
func (c *Call) mayRun(f fault.Fault) bool {
	alone := c.attempt.API == wire.Interactions && c.asked.Body.Get("background").True()
	alone = alone && (c.stream == nil || c.stream.Finish == "")
	return alone && f.Status == 0 && f.Reason != fault.NotProcessed && c.attempt.HTTPStatus != 404
}

// longRuns counts the attempts at this target that broke after they had run long.
func (c *Call) longRuns() (n int) {
	for i := range c.result.Attempts {
		a := &c.result.Attempts[i]
		if a.Target == c.target && a.Took >= longRun && broken(a.Fault.Reason) && a.Fault.Reason != fault.NotProcessed {
			n++
		}
	}
	return n
}

// further tells whether a cursor has moved on from another.
func further(a, b wire.Cursor) bool {
	return a.ID != b.ID || a.Next > b.Next || a.Event != b.Event || a.Text > b.Text || a.Reasoning > b.Reasoning ||
		a.Refusal > b.Refusal || len(a.Tools) > len(b.Tools)
}

// giveUp ends the call on a failure that nothing mends. The first one of a broken answer is kept
// as the reason: a recovery that failed does not hide it.
func (c *Call) giveUp(f fault.Fault) {
	if c.raw != nil && c.misread(f) { // others are told both
		f = c.result.First
	}
	switch {
	case f.Hint.Known && f.Hint.Wait > 0:
		c.result.RetryAt = c.now.Add(f.Hint.Wait)
	case f.Reason == fault.CircuitOpen && f.Resets.Known:
		c.result.RetryAt = c.now.Add(f.Resets.Wait)
	}
	if c.result.Continued {
		f = c.cause
	}
	partial := c.out.text() != "" || c.handed || len(c.tools) > 0 || len(c.out.refusal) > 0
	status := Failed
	switch {
	case f.Reason == fault.ContentPolicy:
		status = ContentFilter
	case partial && (f.RetryWithin(1<<62) || f.Reason == fault.Deadline), c.durable() && c.cursor.ID != "":
		status = Interrupted
	}
	c.end(status, f)
}

// fits tells whether an attempt may start after a wait.
func (c *Call) fits(wait time.Duration) bool {
	at := c.now.Add(wait)
	return within(at, c.alive, c.policy().Budget.Window) && c.inTime(at)
}

// inTime tells whether the whole call may take until a time.
func (c *Call) inTime(at time.Time) bool { return within(at, c.began, c.spec.Policy.Budget.Total) }

func within(at, from time.Time, limit time.Duration) bool {
	return limit == pace.Off || !at.After(from.Add(limit))
}

// count tells how many attempts at this target failed for a reason.
func (c *Call) count(reason fault.Reason) (n int) {
	for i := range c.result.Attempts {
		if a := &c.result.Attempts[i]; a.Fault.Reason == reason && a.Target == c.target {
			n++
		}
	}
	return n
}
