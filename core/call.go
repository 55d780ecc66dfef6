package core

import (
	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
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

	// The current attempt. Everything here is reset by send.
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
//	             ┌────────────── away ◀────────────┐ network away
//	             ▼                                 │
//	idle ──▶ sending ──▶ reading ──▶ draining ──▶ done
//	             ▲          │            (usage)    ▲
//	             └─ waiting ◀┘ retry, continue      │
//	                                 nothing helps ─┘
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
				c.giveUp(now, c.lost)
			} else {
				c.send(now)
			}
		}
	case Responded:
		if current && c.phase == sending {
			c.responded(now, e.Status, e.Header)
		}
	case Received:
		if current && (c.phase == reading || c.phase == draining) {
			c.received(now, e.Bytes)
		}
	case Ended:
		if current && (c.phase == reading || c.phase == draining) {
			c.ended(now)
		}
	case Broke:
		if current && c.phase >= sending && c.phase <= draining {
			c.broke(now, e.Fault)
		}
	case Demand:
		c.demand, c.flow = true, false
	case Flow:
		c.demand, c.flow = true, true
	case Tick:
		c.tick(now)
	case Aborted, Left:
		if c.phase == draining && c.whole() { // the answer has ended before
			c.succeed(now)
			break
		}
		c.left = e.Kind == Left
		if !c.left {
			c.withdraw()
		}
		f := fault.Lost(fault.Cancelled, "cancelled by the caller")
		c.closeAttempt(now, f)
		c.end(Cancelled, f)
	case Online:
		c.offline = false
		if c.phase == away {
			c.alive = now // nobody could be asked
			c.send(now)
		}
	case Offline:
		c.offline = true
	}
	if c.raw != nil {
		c.respond()
	}
	c.mark()
	c.read(now)
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

func (c *Call) tick(now time.Time) {
	at, why := c.timer()
	if at.IsZero() || now.Before(at) {
		return
	}
	// The timer itself was held up, by a frozen page or a sleeping machine.
	late := now.Sub(at) > lateness
	if late {
		c.alive = now
	}
	switch {
	case why == fault.Deadline:
		c.fail(now, fault.Lost(fault.Deadline, "the call's total time is used up"))
	case c.phase == waiting:
		c.send(now)
	case c.phase == draining:
		c.drained(now)
	case late && !c.rearmed: // what came meanwhile has not been heard yet
		c.rearmed, c.since = true, now
	case c.phase == sending:
		c.fail(now, c.silence(why, "no response headers in time"))
	case why == fault.Timeout:
		c.silenced(now, c.silence(why, "no first delta in time"))
	default:
		c.silenced(now, c.silence(why, "the stream fell silent"))
	}
}

// silence is a provider's, unless the network is away.
func (c *Call) silence(why fault.Reason, detail string) fault.Fault {
	if c.offline {
		why = fault.Transport
	}
	return fault.Lost(why, detail)
}

// silenced gives up a body that says no more. What arrived counts, to the last line: that may have been
// the answer's end, without a blank line behind it.
func (c *Call) silenced(now time.Time, f fault.Fault) {
	if c.stream != nil {
		c.decoder.Flush()
		c.stream.Cut(f)
		c.events(now)
	}
	if c.phase == reading {
		c.fail(now, f)
	}
}

// send makes the next attempt, or waits for the network.
func (c *Call) send(now time.Time) {
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
			c.ticket, _ = c.spec.Shared.Admit(now, t.known(wire.Model(c.asked)), spend.Guess(t.API, c.asked.Body))
			c.billed = len(c.result.Attempts)
		}
	} else {
		c.ticket = nil
		partial := c.out.text()
		request, dropped, _ = c.spec.request(next.target, partial)
		ticket, refused := c.spec.Shared.Admit(now, t.known(wire.Model(request)), spend.Guess(t.API, request.Body))
		if refused.Decision != "" {
			c.refused(now, refused)
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
		Sent: now, Waited: next.wait.For, WaitSource: next.wait.Source, Dropped: dropped,
	})
	c.attempt = &c.result.Attempts[len(c.result.Attempts)-1]
	c.phase, c.open, c.since = sending, true, now
	c.reading, c.rearmed, c.unread = false, false, 0
	c.header, c.body, c.decoder, c.stream = nil, nil, nil, nil
	c.do(Action{Kind: Send, Attempt: c.attempt.Number, Request: &Request{
		Target: c.target, Method: request.Method, URL: request.URL, Auth: t.Auth, Header: c.spec.header(t), Body: request.Body,
	}})
	c.note(Note{Kind: NoteSent, Why: c.attempt.Kind, Dropped: dropped, Bill: spend.Bill{Cost: c.bill().Cost + c.ticket.Amount()}})
}

// policy is the policy of the current target.
func (c *Call) policy() *Policy { return &c.spec.target(c.target).Policy }

func (c *Call) responded(now time.Time, status int, h header.Header) {
	a := c.attempt
	a.Headers, a.HTTPStatus, a.RequestID = now.Sub(a.Sent), status, requestID(h)
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

// read asks for the next chunk when there is room for what it may bring. Only deltas are held
// back for a slow consumer: everything else is read at once.
func (c *Call) read(now time.Time) {
	wanted := c.phase == draining || c.phase == reading && (c.demand || c.stream == nil)
	if wanted && c.open && !c.reading {
		c.reading, c.since = true, now
		c.do(Action{Kind: Read, Attempt: c.attempt.Number})
	}
}

func (c *Call) received(now time.Time, chunk []byte) {
	if c.reading {
		c.unread += now.Sub(c.since)
	}
	c.reading, c.rearmed = false, false
	if c.stream == nil {
		c.collect(now, chunk)
		return
	}
	c.decoder.Feed(chunk)
	c.raw.feed(chunk)
	c.events(now)
}

// collect keeps a body that is not streamed, within its bound.
func (c *Call) collect(now time.Time, chunk []byte) {
	limit := c.policy().MaxBody
	switch {
	case c.attempt.HTTPStatus >= 300: // it only explains an error
		chunk = chunk[:min(len(chunk), maxErrorBody-len(c.body))]
	case len(c.body)+len(chunk) > limit:
		f := fault.Lost(fault.RequestTooLarge, "the response body is larger than "+decimal.String(limit)+" bytes (policy.maxBodyBytes)")
		f.Decision, f.Code = fault.Stop, "body_too_large"
		c.fail(now, f)
		return
	}
	c.body = append(c.body, chunk...)
}

// events takes what the decoder holds and goes where the stream then stands.
func (c *Call) events(now time.Time) {
	for !c.stream.Done || c.raw.drains() {
		e, ok, err := c.decoder.Next()
		if err != nil {
			c.deltas(now)
			f := fault.Lost(fault.MalformedStream, "an event is larger than "+decimal.String(c.policy().MaxEvent)+" bytes (policy.maxEventBytes)")
			f.MaxRetries = 1 // so will the next one be
			c.fail(now, f)
			return
		}
		if !ok {
			break
		}
		c.stream.Event(e)
		if c.raw != nil && !c.spliced(now, e) {
			return
		}
	}
	c.follow(now)
}

// follow emits what the stream brought, and acts on its terminal.
func (c *Call) follow(now time.Time) {
	c.deltas(now)
	switch {
	case c.phase != reading && c.phase != draining:
	case c.stream.End == wire.Failed:
		c.fail(now, c.stream.Fault)
	case !c.stream.Ends():
		c.phase = reading // what came has taken an end back
	case c.stream.Done && !c.raw.drains() || !c.open:
		c.drained(now)
	case c.phase == reading:
		wait := min(maxDrain, c.policy().Drain)
		if c.stream.End == wire.Open { // what follows may take the end back
			wait = maxDrain
		}
		c.phase, c.deadline = draining, now.Add(wait)
	}
}

// deltas emits what the stream brought.
func (c *Call) deltas(now time.Time) {
	for _, d := range c.stream.Take() {
		if c.attempt.FirstDelta == 0 {
			c.attempt.FirstDelta = max(1, now.Sub(c.attempt.Sent))
			c.note(Note{Kind: NoteStreaming})
		}
		c.alive = now
		switch d.Kind {
		case wire.Text:
			c.join(c.out.whole(d))
		case wire.ToolCall:
			c.tools = append(c.tools, d.Tool)
			c.emit(d)
		case wire.Restart:
			c.restarted()
			c.emit(d)
		default:
			d.Text = c.out.whole(d)
			c.emit(d)
		}
	}
	if c.stream.End == wire.Complete || c.stream.End == wire.Filtered {
		c.show(c.out.rest())
		if c.joiner != nil {
			c.show([]byte(c.joiner.Flush()))
		}
	}
	if c.joiner != nil && c.joiner.Diverged && c.phase != done {
		c.warn("the continuation began the answer anew and told it differently: it could not be joined")
		c.fail(now, fault.Lost(fault.MalformedStream, "the continuation is another answer"))
	}
	if c.joiner != nil && c.phase != done && c.unfit() {
		f := fault.Lost(fault.MalformedStream, "the answer was to be JSON, and its parts make none")
		c.closeAttempt(now, f)
		c.giveUp(now, f)
	}
}

// unfit tells that a continued answer has ended as a text that it must not be. An end that may still
// be taken back counts, for a raw call gives it to the reader at once.
func (c *Call) unfit() bool {
	s := c.stream
	ends := s.End == wire.Complete || s.End == wire.Open && s.Ends() && c.joiner.Decided()
	return ends && !s.Tool && !wire.AtLimit(s.Finish) &&
		wire.AsksJSON(wire.FormOf(c.spec.API, c.spec.Path, c.spec.Body), c.spec.Body) && !json.Valid([]byte(c.out.text()))
}

// join passes answer text through the seam, if there is one.
func (c *Call) join(text []byte) {
	if c.joiner == nil {
		c.show(text)
		return
	}
	before := c.joiner.Decided()
	c.show([]byte(c.joiner.Feed(string(text))))
	if !before && c.joiner.Decided() {
		c.note(Note{Kind: NoteJoined, Trimmed: c.joiner.Trimmed})
	}
}

// show gives answer text to the caller. From here on it is never given again.
func (c *Call) show(text []byte) {
	known := min(c.repeats, len(text))
	c.repeats -= known
	text = text[known:]
	if len(text) > 0 {
		c.attempt.TextLength += c.out.show(text)
		c.emit(wire.Delta{Kind: wire.Text, Text: text})
	}
}

func (c *Call) emit(d wire.Delta) {
	if c.raw != nil {
		c.raw.deltas = append(c.raw.deltas, d)
		return
	}
	if d.Kind == wire.ToolCall || d.Kind == wire.Restart || len(d.Text) > 0 {
		c.demand, c.gave = c.flow, true
		c.do(Action{Kind: Emit, Attempt: c.attempt.Number, Delta: d})
	}
}

// ended takes the clean end of the body. What is left of a stream counts as its last event.
func (c *Call) ended(now time.Time) {
	c.open, c.reading = false, false
	if c.stream == nil {
		c.document(now)
		return
	}
	c.decoder.Flush()
	switch c.events(now); c.phase {
	case draining:
		c.drained(now)
	case reading:
		if !c.comeBack(now) {
			c.stream.Close()
			c.follow(now)
		}
	}
}

// broke takes the failure of the exchange. What arrived before it counts, to the last event.
func (c *Call) broke(now time.Time, f fault.Fault) {
	c.open, c.reading = false, false
	switch {
	case c.stream != nil: // nothing that breaks after the terminal can undo it
		c.decoder.Flush()
		c.stream.Cut(f)
		switch c.events(now); c.phase {
		case draining:
			c.drained(now)
		case reading:
			c.fail(now, f)
		}
	case c.phase == reading && c.attempt.HTTPStatus >= 300: // the status says enough
		c.document(now)
	default:
		c.fail(now, f)
	}
}

// document takes a whole body: the answer of a call that is not streamed, or an error's words.
func (c *Call) document(now time.Time) {
	f := fault.Classify(c.attempt.Provider, fault.Response{Status: c.attempt.HTTPStatus, Header: c.header, Body: c.body, Now: now})
	if f.Decision == fault.Success {
		v, err := json.Parse(c.body)
		var asked json.Value
		if err == nil {
			asked, err = c.inForm(v)
		}
		if err == nil {
			c.result.HTTPStatus, c.result.Header, c.result.Data = c.attempt.HTTPStatus, c.header, v
			c.closeAttempt(now, fault.Fault{})
			c.result.Data = asked
			c.end(Complete, fault.Fault{})
			return
		}
		f = fault.Lost(fault.Truncated, "the response body is no answer: "+err.Error())
		if len(c.body) > 0 { // which it will hardly be the next time
			f.MaxRetries = 1
		}
	}
	c.fail(now, f)
}

// drained ends a call whose answer reached a terminal, behind which nothing is waited for any more.
func (c *Call) drained(now time.Time) {
	switch {
	case c.whole():
		c.succeed(now)
	case c.stream.End == wire.Failed:
		c.fail(now, c.stream.Fault)
	}
}

// whole makes the terminal that came hold, and tells whether the answer is whole with it.
func (c *Call) whole() bool {
	c.stream.Close()
	if c.stream.End == wire.Failed {
		return false
	}
	c.deltas(c.now)
	c.raw.rest(c.stream)
	return c.phase == reading || c.phase == draining
}

// succeed ends a call whose answer reached its own terminal.
func (c *Call) succeed(now time.Time) {
	c.closeAttempt(now, fault.Fault{})
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
func (c *Call) closeAttempt(now time.Time, f fault.Fault) {
	c.breakOff(now, f)
	c.report(now, f, false)
}

// report tells the client's state what came of the attempt. kept says that its answer is taken up
// again.
func (c *Call) report(now time.Time, f fault.Fault, kept bool) {
	if c.ticket == nil {
		return
	}
	a := c.attempt
	bill := c.ticket.Report(now, shared.Outcome{
		Fault: f, Impatient: c.impatient(f), Header: c.header, Usage: a.Usage, Model: a.Served, Seen: c.seen(), Silent: a.FirstDelta, Kept: kept,
		Unsent: a.API == wire.Answers && (c.stream == nil || c.stream.Told == nil), // the bill comes with the result
	})
	if !kept {
		c.result.Attempts[c.billed].Bill, c.ticket = bill, nil
	}
}

// breakOff stops the exchange if it still runs and says what came of the attempt. It does nothing
// between attempts.
func (c *Call) breakOff(now time.Time, f fault.Fault) {
	if c.phase < sending || c.phase > draining {
		return
	}
	if c.open {
		c.do(Action{Kind: Cancel, Attempt: c.attempt.Number})
	}
	c.open, c.reading = false, false
	a := c.attempt
	a.Took, a.Fault, a.TraceID = now.Sub(a.Sent), f, f.TraceID
	if a.RequestID == "" {
		a.RequestID = f.RequestID
	}
	if s := c.stream; s != nil {
		a.Finish, a.ToolCall, a.Usage, a.Served = s.Finish, s.Tool, s.Usage, s.Model
		if a.FirstDelta != 0 { // a silence behind it is the provider's time, and not that of new attempts
			c.alive = now
		}
		lived := a.API == wire.Answers && a.Took >= longRun
		moved := further(s.Cursor, c.cursor)
		if a.FirstDelta != 0 || moved || lived {
			c.resumes = 0
		}
		if moved {
			c.stirred = now
		}
		c.cursor, c.pending = s.Cursor, c.pending || s.Pending
		c.result.Warnings = append(c.result.Warnings, s.Warnings...)
		c.result.Finish = s.Finish
		c.result.ID, c.result.Model = orElse(s.ID, c.result.ID), orElse(s.Model, c.result.Model)
	} else if c.result.Data != nil {
		c.result.ID, c.result.Model, a.Usage = wire.Describe(c.result.Data)
	}
	if c.joiner != nil {
		a.Trimmed = c.joiner.Trimmed
	}
	if from := c.header.Get("x-gloo-model-redirected-from"); from != "" {
		c.result.Redirected = from
	}
	c.result.RequestID = orElse(a.RequestID, c.result.RequestID)
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
	several := 1
	if c.stream != nil {
		several = max(several, c.stream.Several) // of which it tells the first
	}
	return (c.cursor.Text + c.cursor.Reasoning + c.cursor.Refusal) * several
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

func (c *Call) do(a Action) { c.actions = append(c.actions, a) }

func (c *Call) note(n Note) {
	n.At = c.now
	if n.Attempt == 0 && c.attempt != nil {
		n.Attempt = c.attempt.Number
	}
	c.do(Action{Kind: Emit, Attempt: n.Attempt, Note: &n})
}

func (c *Call) warn(message string) {
	c.result.Warnings = append(c.result.Warnings, message)
	c.note(Note{Kind: NoteWarning, Message: message})
}

// requestID reads the id that support asks for, whatever the provider calls it.
func requestID(h header.Header) string {
	return orElse(h.Get("x-request-id"), h.Get("request-id"))
}

func orElse(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}
