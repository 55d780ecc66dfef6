package live

import (
	"bytes"

	"holdfast/core/fault"
	"holdfast/core/pace"
	"holdfast/core/time"
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
	reached int          // the last message that a turn of the server's answered
	chain   string       // the last response that ended as it should
	failed  string       // the last response that did not
	void    []string     // tool calls that no longer exist
	cause   *fault.Fault // what began the outage; nil outside one
	useful  bool         // some connection was of use
	model   string       // that was asked for, or answered
	unpaid  bool         // a turn has begun, and the server has not reported what it used
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
	s := &Session{spec: spec, model: modelOf(spec.Setup), serial: spec.Provider != fault.Gemini, kind: First, dialect: dialectOf(spec.Provider, spec.Setup)}
	s.handle, s.chain = s.dialect.origin()
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
	s.lose(s.out.trim(s.spec.Policy.MaxBuffer), LostOverflow)
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
	if s.broke() {
		return
	}
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
	s.lose(s.out.drop(every), LostEnd)
	s.phase = done
	s.owe()
	r := &s.result
	r.Status, r.Fault, r.Messages, r.Response = status, f, s.out.count, s.chain
	if s.handle != "" {
		r.Handle = s.handle
		if life := s.spec.Policy.HandleLife; life != pace.Off {
			r.HandleUntil = s.given.Add(life)
		}
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
