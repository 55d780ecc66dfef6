package live

import (
	"bytes"
	"slices"
	"time"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/pace"
)

// Session is one conversation, over as many connections as it takes.
type Session struct {
	spec    Spec
	dialect dialect
	serial  bool // the Responses API: one turn at a time, and a connection only when there is something to say
	phase   phase
	actions []Action

	now     time.Time // of the event being handled
	offline bool

	// The current connection. Everything here is reset by connect.
	number  int
	kind    ConnectionKind
	report  Connection
	since   time.Time // when the running timer of its opening began
	heardAt time.Time // when the silence within a turn began
	rearmed bool      // a late timer has had its second chance
	leaving bool      // the server announced its end
	leaveAt time.Time // when it is left at the latest
	frames  int       // messages sent on it

	until    time.Time // when changing or waiting ends
	wait     pace.Wait // before the next connection
	failures int       // connections in a row that failed
	hold     time.Time // a refused message is not sent again before

	// The conversation.
	turn    turn
	out     outbox
	engaged bool         // the server holds a state that would be missed
	handle  string       // the newest one that was resumable
	given   time.Time    // when the server gave it
	fresh   bool         // it holds everything said so far
	indexed bool         // the server said how far it reaches, and confirmed messages up to there
	unsaved int          // turns that ended since
	chain   string       // the last response that ended as it should
	void    []string     // tool calls that no longer exist
	cause   *fault.Fault // what began the outage; nil outside one
	useful  bool         // some connection was of use
	result  Result
}

// turn is what the model is at.
type turn struct {
	asked    int  // the message that asked for it; 0 when the server decides by itself
	next     int  // a message that asked for another turn while this one goes on
	begun    bool // something of it has come
	response string
	calls    []string // tool calls that wait for the caller
}

func (t *turn) underWay() bool { return t.asked != 0 || t.begun || len(t.calls) > 0 }

// phase is where a session stands.
//
//	             ┌───────────────── away ◀──────────────┐ network away
//	             ▼                                      │
//	idle ──▶ dialling ──▶ greeting ──▶ ready ──▶ changing
//	             ▲ ▲      (Gemini's      │       (the old socket closes)
//	             │ │       setup)        │              │
//	             │ └── waiting ◀─────────┴──────────────┤
//	             └──── resting ◀────────────────────────┘ nothing to say (Responses)
//
// Every phase but idle leads to done.
type phase int

const (
	idle     phase = iota
	away           // waits for the network
	resting        // waits for the caller
	waiting        // between two connections
	changing       // the old connection was left on purpose, and is given a moment to end
	dialling       // waits for the socket to open
	greeting       // waits for the answer to the greeting
	ready
	done
)

// New returns a session. Its first event is Start.
func New(spec Spec) *Session {
	s := &Session{spec: spec, serial: spec.Provider != fault.Gemini, kind: First, dialect: dialectOf(spec.Provider, spec.Setup)}
	switch d := s.dialect.(type) {
	case *gemini:
		s.handle = d.handle
	case *responses:
		s.chain = d.chain
	}
	return s
}

// Handle takes one event and returns what to do now, in order. The slice and what is in it are
// valid until the next call.
func (s *Session) Handle(now time.Time, e Event) []Action {
	s.actions, s.now = s.actions[:0], now
	if s.phase == done {
		return nil
	}
	current := e.Connection != 0 && e.Connection == s.number
	switch e.Kind {
	case Start:
		if s.phase == idle {
			s.given = now
			s.connect()
		}
	case Opened:
		if current && s.phase == dialling {
			s.opened()
		}
	case Message:
		if current && (s.phase == greeting || s.phase == ready) {
			s.heard(e.Data)
		}
	case Closed:
		switch {
		case current && s.phase == changing:
			s.goOn(nil)
		case current && s.phase >= dialling:
			f := e.Closing.Classify(s.spec.Provider)
			s.cut(&f, e.Closing.Code)
		}
	case Say:
		s.say(bytes.Clone(e.Data))
	case Shut:
		s.shut(Complete)
	case Aborted:
		s.shut(Cancelled)
	case Tick:
		s.tick()
	case Online:
		s.offline = false
		if s.phase == away {
			s.connect()
		}
	case Offline:
		s.offline = true
	}
	s.flush()
	return s.actions
}

// Deadline is when the session wants a Tick, and whether it wants one.
func (s *Session) Deadline() (time.Time, bool) {
	at, _ := s.timer()
	return at, !at.IsZero()
}

// Waiting tells that the deadline ends a wait between connections, which sleeping may cut short.
func (s *Session) Waiting() bool { return s.phase == waiting }

// alarm is what a deadline stands for.
type alarm int

const (
	none    alarm = iota
	tooSlow       // the connection was not of use in time
	silent        // nothing came within a turn, or no turn
	leave         // the connection ends soon
	old           // its own time is over
	held          // a refused message may be sent again
	due           // the next connection
	expired       // the handle is too old to go on from
)

// timer finds the earliest deadline in force and what it stands for.
func (s *Session) timer() (at time.Time, why alarm) {
	earliest := func(from time.Time, after time.Duration, a alarm) {
		if after == pace.Off || from.IsZero() {
			return
		}
		if t := from.Add(after); at.IsZero() || t.Before(at) {
			at, why = t, a
		}
	}
	p := &s.spec.Policy
	switch s.phase {
	case dialling, greeting:
		earliest(s.since, p.Open, tooSlow)
	case changing, waiting:
		earliest(s.until, 0, due)
	case ready:
		if s.leaving {
			earliest(s.leaveAt, 0, leave)
		}
		switch t := &s.turn; {
		case len(t.calls) > 0: // the caller's turn
		case t.begun:
			earliest(s.heardAt, p.Idle, silent)
		case t.asked != 0:
			earliest(s.heardAt, p.FirstEvent, silent)
		case s.serial:
			earliest(s.report.Opened, p.ConnectionLife, old)
			if len(s.out.queue) > 0 {
				earliest(s.hold, 0, held)
			}
		}
	}
	if (s.phase == away || s.phase == waiting) && s.handle != "" && s.kind == Resume {
		earliest(s.given, p.HandleLife, expired)
	}
	return at, why
}

func (s *Session) tick() {
	at, why := s.timer()
	if at.IsZero() || s.now.Before(at) {
		return
	}
	late := s.now.Sub(at) > lateness && !s.rearmed
	switch why {
	case tooSlow, silent:
		if late {
			// The timer itself was held up, by a frozen page or a sleeping machine. What came
			// meanwhile has not been heard yet.
			s.rearmed, s.since, s.heardAt = true, s.now, s.now
			return
		}
		f := fault.Lost(fault.Timeout, "the connection was not ready in time")
		if why == silent && s.turn.begun {
			f = fault.Lost(fault.IdleTimeout, "the turn fell silent")
		} else if why == silent {
			f = fault.Lost(fault.Timeout, "no turn began in time")
		}
		s.do(Action{Kind: Close, Connection: s.number})
		s.cut(&f, 0)
	case leave, old:
		s.change()
	case due:
		if s.phase == changing {
			s.goOn(nil)
		} else {
			s.connect()
		}
	case expired:
		s.choose(s.cause)
	case held: // flush sends it
	}
}

// connect opens the next connection, or waits for the network.
func (s *Session) connect() {
	if s.offline {
		s.phase = away
		s.note(Note{Kind: NoteOffline})
		return
	}
	s.number++
	s.report = Connection{Number: s.number, Kind: s.kind, Opened: s.now, Waited: s.wait.For}
	s.since, s.heardAt, s.wait = s.now, s.now, pace.Wait{}
	s.rearmed, s.leaving, s.frames, s.phase = false, false, 0, dialling
	s.note(Note{Kind: NoteConnecting, Why: s.kind})
	s.do(Action{Kind: Open, Connection: s.number})
}

func (s *Session) opened() {
	frame := s.dialect.greeting(s.handle)
	if frame == nil {
		s.welcome()
		return
	}
	s.phase = greeting
	s.do(Action{Kind: Frame, Connection: s.number, Data: frame})
}

// welcome begins the use of a connection.
func (s *Session) welcome() {
	s.phase, s.useful = ready, true
	s.report.Ready = max(1, s.now.Sub(s.report.Opened))
	s.note(Note{Kind: NoteReady})
	switch s.kind {
	case Resume:
		s.give(Item{Kind: ItemResumed})
	case Restart:
		s.give(Item{Kind: ItemRestarted})
	}
}

// say takes a message of the caller's.
func (s *Session) say(data []byte) {
	s.out.count++
	n := s.out.count
	v, err := json.Parse(data)
	m, problem := message{}, "a message must be a JSON object"
	if err == nil && v.Kind() == '{' {
		m, problem = s.dialect.read(v)
	}
	m.n = n
	switch {
	case problem != "":
		f := fault.Lost(fault.InvalidRequest, problem)
		s.give(Item{Kind: ItemFailed, Message: n, Fault: &f})
	case m.tool && s.voided(m.ids), s.serial && m.rides && !(s.phase == ready && s.turn.underWay()):
		s.lose([]message{m}, LostVoid)
	default:
		s.out.add(m)
		s.lose(s.out.trim(s.spec.Policy.MaxBuffer), LostOverflow)
		if s.phase == resting && len(s.out.queue) > 0 {
			s.connect()
		}
	}
}

// voided reports whether a tool answer belongs to calls that a lost connection took along.
func (s *Session) voided(ids []string) bool {
	for _, id := range ids {
		if !slices.Contains(s.void, id) {
			return false
		}
	}
	return len(ids) > 0
}

// flush sends what may be sent now. Only what belongs to the turn under way overtakes what waits.
func (s *Session) flush() {
	for i := 0; s.phase == ready && i < len(s.out.queue); {
		m := &s.out.queue[i]
		free := !s.leaving && (!s.serial || !s.turn.underWay() && !s.now.Before(s.hold))
		if !m.rides && !free {
			i++
			continue
		}
		s.send(s.out.take(i))
	}
}

func (s *Session) send(m message) {
	s.engaged = true
	m.place = s.spec.Policy.FirstIndex + s.frames
	s.frames++
	s.do(Action{Kind: Frame, Connection: s.number, Data: s.dialect.frame(m.data, s.chain)})
	switch t := &s.turn; {
	case m.asks && t.begun:
		t.next = m.n
	case m.asks:
		t.asked, s.heardAt, s.rearmed = m.n, s.now, false
	case m.tool:
		t.calls = slices.DeleteFunc(t.calls, func(id string) bool { return len(m.ids) == 0 || slices.Contains(m.ids, id) })
		s.heardAt, s.rearmed = s.now, false
	}
	if !m.rides {
		s.fresh = false
	}
	if !s.serial || m.asks {
		s.out.keep(m, s.dialect.again(&m))
		s.lose(s.out.trim(s.spec.Policy.MaxBuffer), LostOverflow)
	}
}

// heard takes a message of the server's.
func (s *Session) heard(data []byte) {
	s.heardAt, s.rearmed = s.now, false
	v, err := json.Parse(data)
	if err != nil {
		s.warn("the server sent what is not JSON: " + err.Error())
		return
	}
	h := s.dialect.hear(v)
	if h.failed != nil {
		s.refused(v, &h)
		return
	}
	s.give(Item{Kind: ItemMessage, Data: v})
	if h.ready && s.phase == greeting {
		s.welcome()
	}
	s.follow(&h)
	if h.goAway && !s.leaving {
		s.leaving, s.leaveAt = true, s.now.Add(max(0, h.timeLeft-s.spec.Policy.Margin))
		s.note(Note{Kind: NoteLeaving, Wait: h.timeLeft})
	}
	if s.leaving && s.phase == ready && !s.turn.underWay() && (s.fresh || !s.engaged) {
		s.change()
	}
}

// follow keeps track of the turn and of what the server's state holds.
func (s *Session) follow(h *heard) {
	t := &s.turn
	if h.begins {
		t.begun, s.engaged, s.fresh = true, true, false
		if h.response != "" {
			t.response = h.response
		}
		if s.serial { // it answers, so it has the message
			s.out.confirm(func(*message) bool { return true })
		}
	}
	for _, id := range h.calls {
		if len(t.calls) < maxCalls {
			t.calls = append(t.calls, id)
		}
	}
	t.calls = slices.DeleteFunc(t.calls, func(id string) bool { return slices.Contains(h.cancelled, id) })
	if h.ends {
		if t.underWay() {
			s.result.Turns++
			s.unsaved++
			s.fresh = false
		}
		if s.serial && h.resumable {
			s.chain = h.response
		}
		*t = turn{asked: t.next}
	}
	if s.serial {
		return
	}
	if h.frozen {
		s.fresh = false
	}
	if !h.resumable || h.handle == "" && s.handle == "" {
		return
	}
	if h.handle != "" {
		s.handle, s.given = h.handle, s.now
	}
	s.fresh, s.indexed, s.unsaved = true, h.indexed, 0
	s.out.confirm(func(m *message) bool {
		if h.indexed {
			return int64(m.place) <= h.index
		}
		// What asked for a turn that has not begun may have crossed the server's word on its way.
		return t.asked == 0 || t.begun || m.n < t.asked
	})
}

// refused takes an error of the server's. One that another try may mend, before anything of the
// turn has come, is not shown.
func (s *Session) refused(v json.Value, h *heard) {
	f := h.failed
	t := s.turn
	if !s.serial {
		s.give(Item{Kind: ItemMessage, Data: v})
		s.warn("the server reported an error: " + f.Developer)
		return
	}
	var m message
	if t.asked != 0 && !t.begun && len(s.out.sent) > 0 {
		m = s.out.sent[len(s.out.sent)-1]
	}
	p := &s.spec.Policy
	if again := m.data != nil && !h.begins; again && h.over {
		s.turn = turn{}
		s.out.back(func(*message) bool { return true })
		s.change()
		return
	} else if again && m.tries+1 < p.Sends && f.RetryWithin(p.Budget.MaxHint) {
		if wait, ok := p.Budget.Before(m.tries+1, f.Hint, s.spec.Random); ok {
			s.turn = turn{}
			s.out.sent[len(s.out.sent)-1].tries++
			s.out.back(func(*message) bool { return true })
			s.hold = s.now.Add(wait.For)
			s.note(Note{Kind: NoteWaiting, Wait: wait.For, Source: wait.Source})
			return
		}
	}
	s.give(Item{Kind: ItemMessage, Data: v})
	if h.over && t.begun { // whether the turn goes on is not known: it is cut with the connection
		s.change()
		return
	}
	if t.underWay() {
		s.turn = turn{}
		s.out.confirm(func(*message) bool { return true })
		if h.response == "" {
			h.response = t.response
		}
		s.give(Item{Kind: ItemFailed, Message: t.asked, Response: h.response, Fault: f})
	} else if !h.over {
		s.warn("the server reported an error: " + f.Developer)
	}
	if h.forgot && (m.data == nil || s.dialect.follows(m.data)) {
		// What waits was said in the belief that the server knows what came before.
		s.chain = ""
		s.lose(s.out.drop(func(m *message) bool { return s.dialect.follows(m.data) }), LostState)
	}
	if h.over {
		s.change()
	}
}

// change leaves a connection on purpose. The next one opens when it has ended.
func (s *Session) change() {
	s.do(Action{Kind: Close, Connection: s.number})
	s.part(nil, 0)
	s.phase, s.until = changing, s.now.Add(parting)
}

// cut takes the end of a connection that was still wanted, and goes on without it.
func (s *Session) cut(f *fault.Fault, code int) {
	s.part(f, code)
	s.goOn(f)
}

// part completes the report of a connection, and says what it took along. f is what ended it; nil
// when it was left on purpose, here and below.
func (s *Session) part(f *fault.Fault, code int) {
	s.tally(f, code)
	if s.serial {
		s.lose(s.out.back(func(*message) bool { return false }), LostCut)
		return
	}
	if s.unsaved > 0 {
		s.give(Item{Kind: ItemForgotten, Turns: s.unsaved})
		s.unsaved = 0
	}
	lost := s.out.back(func(*message) bool { return s.indexed })
	s.lose(slices.DeleteFunc(lost, func(m message) bool { return m.tool }), LostCut)
	answers := s.out.drop(func(m *message) bool { return m.tool })
	s.lose(answers, LostVoid)
}

// tally ends the connection's report and the turn that was under way.
func (s *Session) tally(f *fault.Fault, code int) {
	r := &s.report
	r.Lasted, r.Code, r.Fault = s.now.Sub(r.Opened), code, f
	s.result.Opened++
	if len(s.result.Connections) == maxConnections {
		s.result.Connections = append(s.result.Connections[:0], s.result.Connections[1:]...)
	}
	s.result.Connections = append(s.result.Connections, *r)
	s.note(Note{Kind: NoteClosed, Code: code, Fault: f})
	t := s.turn
	s.turn = turn{}
	if t.begun || len(t.calls) > 0 {
		s.result.Interrupted++
		s.void = append(s.void, t.calls...)
		s.void = s.void[max(0, len(s.void)-maxCalls):]
		s.give(Item{Kind: ItemInterrupted, Message: t.asked, Response: t.response, Calls: t.calls})
	}
}

// goOn goes on after a connection has ended.
func (s *Session) goOn(f *fault.Fault) {
	if s.lasted() {
		s.failures, s.cause = 0, nil
	}
	if s.cause == nil {
		s.cause = f
	}
	if !(f == nil && s.lasted()) && !s.offline {
		s.failures++
	}
	s.choose(f)
}

// lasted reports whether the last connection was of use for long enough to forget what failed
// before it.
func (s *Session) lasted() bool {
	return s.report.Ready > 0 && s.report.Lasted-s.report.Ready >= steady
}

// choose finds the way on: to where the conversation stood, or anew, or to the end.
func (s *Session) choose(f *fault.Fault) {
	p := &s.spec.Policy
	was := s.report.Ready > 0
	hopeless, hint := false, fault.Hint{}
	if f != nil {
		hopeless = !f.RetryWithin(p.Budget.MaxHint) || f.MaxRetries > 0 && s.failures > f.MaxRetries
		hint = f.Hint
	}
	// A server that had accepted us and then found fault, with a message or with nothing at all,
	// may still restore the state from before.
	if hopeless && was && s.failures <= 1 && hint.Wait <= p.Budget.MaxHint {
		hopeless = false
	}
	resumed := s.handle != "" && s.kind == Resume && !was // the handle itself may have been refused
	switch {
	case hopeless && resumed && s.spec.StartOver && f.Decision == fault.FixRequest:
		s.forget()
	case hopeless || s.failures >= p.Budget.Attempts:
		s.giveUp(f)
		return
	case s.serial:
		s.kind = Resume
		if !s.engaged && s.chain == "" {
			s.kind = Rejoined
		}
	case s.handle != "" && (p.HandleLife == pace.Off || s.now.Before(s.given.Add(p.HandleLife))):
		s.kind = Resume
	case !s.engaged && s.handle == "":
		if s.kind != Restart {
			s.kind = Rejoined
		}
	case s.spec.StartOver:
		s.forget()
	default:
		if s.handle == "" {
			s.warn("the connection ended before the server gave a handle to go on from")
		} else {
			s.warn("the handle to go on from is older than its life of " + p.HandleLife.String())
			s.handle = ""
		}
		s.giveUp(f)
		return
	}
	s.wait = pace.Wait{}
	if s.failures > 0 && !s.offline {
		wait, ok := p.Budget.Before(s.failures, hint, s.spec.Random)
		if !ok {
			s.giveUp(f)
			return
		}
		s.wait = wait
	}
	switch {
	case s.serial && len(s.out.queue) == 0 && s.useful:
		s.phase, s.wait = resting, pace.Wait{}
		s.note(Note{Kind: NoteResting})
	case s.wait.For > 0:
		s.phase, s.until = waiting, s.now.Add(s.wait.For)
		s.note(Note{Kind: NoteWaiting, Connection: s.number + 1, Wait: s.wait.For, Source: s.wait.Source})
	default:
		s.connect()
	}
}

// forget begins the conversation anew.
func (s *Session) forget() {
	s.kind, s.handle, s.engaged, s.fresh, s.indexed, s.unsaved = Restart, "", false, false, false, 0
}

// giveUp ends a session that cannot be kept. The first failure of the outage is kept as the reason.
func (s *Session) giveUp(f *fault.Fault) {
	if f != nil && f.Hint.Known && f.Hint.Wait > 0 {
		s.result.RetryAt = s.now.Add(f.Hint.Wait)
	}
	if s.cause != nil {
		f = s.cause
	}
	if f == nil {
		lost := fault.Lost(fault.Truncated, "the server's state could not be restored")
		f = &lost
	}
	status := Failed
	if s.useful {
		status = Interrupted
	}
	s.end(status, f)
}

// shut ends the session for the caller.
func (s *Session) shut(status Status) {
	if s.turn.underWay() || len(s.out.queue) > 0 {
		status = Cancelled
	}
	if s.phase >= dialling {
		s.do(Action{Kind: Close, Connection: s.number})
		s.tally(nil, 0)
	}
	s.end(status, nil)
}

// end completes the result. Nothing happens after it.
func (s *Session) end(status Status, f *fault.Fault) {
	s.lose(s.out.drop(func(*message) bool { return true }), LostEnd)
	s.phase = done
	r := &s.result
	r.Status, r.Fault, r.Messages, r.Response = status, f, s.out.count, s.chain
	if s.handle != "" {
		r.Handle, r.HandleUntil = s.handle, s.given.Add(max(0, s.spec.Policy.HandleLife))
	}
	s.note(Note{Kind: NoteDone, Status: status})
	s.do(Action{Kind: Done, Result: r})
}

// lose reports messages, in order, that may not have reached the model.
func (s *Session) lose(messages []message, why LostWhy) {
	for i := 0; i < len(messages); {
		r := Range{messages[i].n, messages[i].n, why}
		for i++; i < len(messages) && messages[i].n == r.Last+1; i++ {
			r.Last++
		}
		s.give(Item{Kind: ItemLost, First: r.First, Last: r.Last, Why: why})
		lost := s.result.Lost
		if n := len(lost); n > 0 && lost[n-1].Why == why && lost[n-1].Last+1 == r.First {
			lost[n-1].Last = r.Last
		} else {
			s.result.Lost = append(lost, r)
		}
	}
}

func (s *Session) do(a Action) { s.actions = append(s.actions, a) }

func (s *Session) give(i Item) { s.do(Action{Kind: Give, Connection: s.number, Item: &i}) }

func (s *Session) note(n Note) {
	n.At = s.now
	if n.Connection == 0 {
		n.Connection = s.number
	}
	s.do(Action{Kind: Tell, Connection: n.Connection, Note: &n})
}

func (s *Session) warn(message string) {
	if len(s.result.Warnings) < maxWarnings {
		s.result.Warnings = append(s.result.Warnings, message)
	}
	s.note(Note{Kind: NoteWarning, Message: message})
}
