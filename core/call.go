package core

import (
	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/pace"
	"holdfast/core/seam"
	"holdfast/core/shared"
	"holdfast/core/spend"
	"holdfast/core/sse"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// Call is one thing that the caller asked for, over as many attempts as it takes.
type Call struct {
	spec    Spec
	phase   phase
	actions []Action

	now     time.Time // of the event being handled
	began   time.Time
	offline bool
	demand  bool // the consumer has room
	flow    bool // and will have again whatever it gets
	reading bool // a Read is outstanding

	// The current attempt. send resets what is its own.
	target  int // its place in the chain
	attempt *Attempt
	open    bool          // its exchange runs
	since   time.Time     // when the running timer began: sent, read issued, or re-armed
	unread  time.Duration // how much of the wait for the first delta earlier reads have used up
	rearmed bool          // a late timer has had its second chance
	header  header.Header
	body    []byte // of a response that is not streamed
	decoder *sse.Decoder
	stream  *wire.Stream
	ticket  *shared.Ticket // of the attempt at place billed; it stays while its answer is taken up again
	billed  int
	joiner  *seam.Joiner // between the text kept from before and this attempt's
	repeats int          // so many bytes of text that come next were shown by the call that this one takes up
	raw     *raw         // of a raw call

	deadline time.Time // of waiting and draining
	next     step      // what comes after waiting

	// The call so far.
	out       output
	tools     []wire.Tool
	alive     time.Time    // when it began, or last had something of an answer: see Budget.Window
	stirred   time.Time    // when it was last seen that the provider goes on with the answer
	spent     int          // full retries at this target, which its budget bounds
	continued int          // continuations at this target
	cause     fault.Fault  // what the first continuation tries to mend
	asked     wire.Request // the request whose answer the cursor belongs to
	cursor    wire.Cursor  // how far that answer was taken; its ID is empty when it cannot be resumed
	resumes   int          // resumptions that brought nothing, one after the other
	resumed   int          // resumptions in all
	lost      fault.Fault  // what the resumptions try to mend
	pending   bool         // the provider has said that it is still being made
	kept      bool         // the provider keeps the answer, so that it can be taken up again
	handed    bool         // the call that this one takes up has handed out what cannot be taken back
	left      bool         // the caller has left, and may come back
	gave      bool         // the event at hand brought deltas
	marked    wire.Cursor  // what the caller was told last
	result    Result
}

// phase is where a call stands.
//
//	       offline ┌─ away ─┐ online
//	               │        ▼
//	idle ──┬───────┴───▶ sending ──▶ reading ◀──▶ draining ──▶ done
//	       │                └───────────┴──────┬──────┘          ▲
//	       │                                   ▼ a failure       │
//	       └── waiting ◀── resume, retry, continue; else ────────┘
type phase int

const (
	idle     phase = iota
	away           // waits for the network
	sending        // waits for response headers
	reading        // takes the body: a stream, or one document
	draining       // the answer has ended; its usage may still come
	waiting        // between two attempts
	done
)

// New returns a call. Its first event is Start.
func New(spec Spec) *Call {
	c := &Call{spec: spec, target: spec.First}
	c.out.reset(spec.Partial)
	c.next = c.opening(spec.First)
	if spec.From != nil {
		c.takeUp(spec.From)
	}
	if spec.Raw {
		c.raw = newRaw(&spec)
	}
	return c
}

// Handle takes one event and returns what to do now, in order. The slice and the texts in it are
// valid until the next call.
func (c *Call) Handle(now time.Time, e Event) []Action {
	c.actions, c.now, c.gave = c.actions[:0], now, false
	c.out.begin()
	if c.phase == done {
		return nil
	}
	current := c.attempt != nil && e.Attempt == c.attempt.Number
	switch e.Kind {
	case Start:
		if c.phase == idle {
			c.began, c.alive = now, now
			if n := c.spec.Outer; n > 0 {
				c.warn("the SDK above retries too (" + decimal.String(n) + " so far): give it maxRetries: 0, or attempts multiply")
			}
			if c.handed && c.next.kind != Resumed {
				c.giveUp(c.lost)
			} else {
				c.send()
			}
		}
	case Responded:
		if current && c.phase == sending {
			c.responded(e.Status, e.Header)
		}
	case Received:
		if current && (c.phase == reading || c.phase == draining) {
			c.received(e.Bytes)
		}
	case Ended:
		if current && (c.phase == reading || c.phase == draining) {
			c.ended()
		}
	case Broke:
		if current && c.phase >= sending && c.phase <= draining {
			c.broke(e.Fault)
		}
	case Demand:
		c.demand, c.flow = true, false
	case Flow:
		c.demand, c.flow = true, true
	case Tick:
		c.tick()
	case Aborted, Left:
		if c.phase == draining && c.whole() { // the answer has ended before
			c.succeed()
			break
		}
		c.left = e.Kind == Left
		if !c.left {
			c.withdraw()
		}
		f := fault.Lost(fault.Cancelled, "cancelled by the caller")
		c.closeAttempt(f)
		c.end(Cancelled, f)
	case Online:
		c.offline = false
		if c.phase == away {
			c.alive = now // nobody could be asked
			c.send()
		}
	case Offline:
		c.offline = true
	}
	if c.raw != nil {
		c.respond()
	}
	c.mark()
	c.read()
	return c.actions
}

// Deadline is when the call wants a Tick, and whether it wants one.
func (c *Call) Deadline() (time.Time, bool) {
	at, _ := c.timer()
	return at, !at.IsZero()
}

// Waiting tells that the deadline ends a wait between attempts, which sleeping may cut short.
func (c *Call) Waiting() bool { return c.phase == waiting }

// timer finds the earliest deadline in force and the fault that it stands for.
func (c *Call) timer() (time.Time, fault.Reason) {
	var first alarm
	p := c.policy()
	switch c.phase {
	case idle, done:
		return time.Time{}, ""
	case draining:
		return c.deadline, ""
	case waiting:
		first.at = c.deadline
	case sending:
		patience := p.Headers
		if c.next.look {
			patience = min(patience, maxLook)
		}
		first.or(c.since, patience, fault.Timeout)
	case reading:
		switch {
		case !c.reading: // a slow consumer is not a stall
		case c.stream != nil && c.attempt.FirstDelta == 0 && p.FirstDelta != pace.Off:
			first.or(c.since, max(0, p.FirstDelta-c.unread), fault.Timeout)
		default:
			first.or(c.since, p.Idle, fault.IdleTimeout)
		}
	}
	if c.silent() {
		first.or(c.attempt.Sent, p.Switch, fault.Timeout)
	}
	first.or(c.began, c.spec.Policy.Budget.Total, fault.Deadline)
	return first.at, first.why
}

// alarm is a deadline and the fault that it stands for.
type alarm struct {
	at  time.Time
	why fault.Reason
}

// or takes the time that is after behind from, where that is earlier.
func (a *alarm) or(from time.Time, after time.Duration, why fault.Reason) {
	if after == pace.Off || from.IsZero() {
		return
	}
	if at := from.Add(after); a.at.IsZero() || at.Before(a.at) {
		a.at, a.why = at, why
	}
}

// silent tells that a stream has brought nothing yet while another target could be asked.
func (c *Call) silent() bool {
	waits := c.phase == sending || c.phase == reading && c.reading
	return waits && c.spec.Stream && c.attempt.FirstDelta == 0 && c.attempt.Kind != Resumed && c.target < len(c.spec.Fallbacks)
}

func (c *Call) tick() {
	at, why := c.timer()
	if at.IsZero() || c.now.Before(at) {
		return
	}
	// The timer itself was held up, by a frozen page or a sleeping machine.
	late := c.now.Sub(at) > lateness
	if late {
		c.alive = c.now
	}
	switch {
	case why == fault.Deadline:
		c.lose(fault.Deadline, "the call's total time is used up")
	case c.phase == waiting:
		c.send()
	case c.phase == draining:
		c.drained()
	case late && !c.rearmed: // what came meanwhile has not been heard yet
		c.rearmed, c.since = true, c.now
	case c.phase == sending:
		c.lose(why, "no response headers in time")
	case why == fault.Timeout:
		c.silenced(why, "no first delta in time")
	default:
		c.silenced(why, "the stream fell silent")
	}
}

// lose gives up an attempt for a reason that no provider has said.
func (c *Call) lose(why fault.Reason, said string) { c.fail(fault.Lost(why, said)) }

// silenced gives up a body that says no more. What arrived counts, to the last line: that may have been
// the answer's end, without a blank line behind it.
func (c *Call) silenced(why fault.Reason, said string) {
	f := fault.Lost(why, said)
	if c.stream != nil {
		c.decoder.Flush()
		c.stream.Cut(f)
		c.events()
	}
	if c.phase == reading {
		c.fail(f)
	}
}

// send makes the next attempt, or waits for the network.
func (c *Call) send() {
	if c.offline {
		c.phase, c.next.wait.Source = away, "offline"
		c.note(Note{Kind: NoteOffline, Attempt: len(c.result.Attempts) + 1})
		return
	}
	next := c.next
	t := c.spec.target(next.target)
	request, dropped := next.request, []string(nil)
	if next.kind == Resumed { // which asks for what is paid for already
		if c.attempt == nil || t.API == wire.Answers { // but by a call whose bill is lost, or nobody has yet
			c.ticket, _ = c.spec.Shared.Admit(c.now, t.known(wire.Model(c.asked)), spend.Guess(t.API, c.asked.Body))
			c.billed = len(c.result.Attempts)
		}
	} else {
		c.ticket = nil
		partial := c.out.text()
		request, dropped, _ = c.spec.request(next.target, partial)
		ticket, refused := c.spec.Shared.Admit(c.now, t.known(wire.Model(request)), spend.Guess(t.API, request.Body))
		if refused.Decision != "" {
			c.refused(refused)
			return
		}
		c.ticket, c.billed, c.joiner = ticket, len(c.result.Attempts), nil
		if c.spec.Stream && partial != "" {
			c.joiner = seam.New(partial)
		}
		c.asked, c.cursor, c.resumes, c.pending = request, wire.Cursor{}, 0, false
		c.out.cut()
	}
	c.target = next.target
	if c.spec.Cursors {
		stream, whole := wire.Resumable(t.Provider, t.API, c.asked.Body)
		c.kept = stream || whole && c.spec.Background
	}
	c.result.Attempts = append(c.result.Attempts, Attempt{
		Number: len(c.result.Attempts) + 1, Kind: next.kind, Target: c.target, Provider: t.Provider, API: t.API, Model: wire.Model(c.asked),
		Sent: c.now, Waited: next.wait.For, WaitSource: next.wait.Source, Dropped: dropped,
	})
	c.attempt = &c.result.Attempts[len(c.result.Attempts)-1]
	c.phase, c.open, c.since = sending, true, c.now
	c.reading, c.rearmed, c.unread = false, false, 0
	c.header, c.body, c.decoder, c.stream = nil, nil, nil, nil
	c.do(Action{Kind: Send, Attempt: c.attempt.Number, Request: &Request{
		Target: c.target, Method: request.Method, URL: request.URL, Auth: t.Auth, Header: c.spec.header(t), Body: request.Body,
	}})
	c.note(Note{Kind: NoteSent, Why: c.attempt.Kind, Dropped: dropped, Bill: spend.Bill{Cost: c.bill().Cost + c.ticket.Amount()}})
}

// policy is the policy of the current target.
func (c *Call) policy() *Policy { return &c.spec.target(c.target).Policy }

func (c *Call) responded(status int, h header.Header) {
	a := c.attempt
	a.Headers, a.HTTPStatus, a.RequestID = c.now.Sub(a.Sent), status, requestID(h)
	c.header, c.phase, c.rearmed = h, reading, false
	if c.spec.Stream && status >= 200 && status < 300 {
		c.decoder = &sse.Decoder{Limit: c.policy().MaxEvent}
		c.stream = wire.NewStream(a.API, a.Provider, h)
		c.stream.MayBeEmpty = c.joiner != nil
		switch {
		case a.Kind == Resumed:
			c.stream.From(c.cursor)
			c.stream.Pending = status == 202
		case a.API == wire.Answers:
			c.stream.From(wire.Cursor{ID: c.spec.ID, Event: wire.Beginning})
		}
		if c.raw != nil {
			c.splice()
		}
	}
	c.note(Note{Kind: NoteResponded, HTTPStatus: status, RequestID: a.RequestID})
}

func (c *Call) do(a Action) { c.actions = append(c.actions, a) }

func (c *Call) note(n Note) {
	n.At = c.now
	if n.Attempt == 0 && c.attempt != nil {
		n.Attempt = c.attempt.Number
	}
	c.do(Action{Kind: Emit, Note: &n})
}

func (c *Call) warn(message string) {
	c.result.Warnings = append(c.result.Warnings, message)
	c.note(Note{Kind: NoteWarning, Message: message})
}
