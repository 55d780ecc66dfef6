package live

import (
	"slices"

	"holdfast/core/fault"
	"holdfast/core/pace"
)

// What happens when a connection has ended: what it took along is said, and the way on is chosen.
//
//	left on purpose, or a fault that passes ──▶ to where the conversation stood, if the server has it
//	the state is lost                       ──▶ anew, if the caller wants that
//	anything else                           ──▶ the end

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
	lost := s.out.back(func(m *message) bool {
		m.tries++
		return s.indexed && m.tries < s.spec.Policy.Sends
	})
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
	if !s.turnTo(f) {
		s.giveUp(f)
		return
	}
	s.wait = pace.Wait{}
	if s.failures > 0 && !s.offline {
		hint := fault.Hint{}
		if f != nil {
			hint = f.Hint
		}
		wait, ok := s.spec.Policy.Budget.Before(s.failures, hint, s.spec.Random)
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

// turnTo sets why the next connection is opened, and reports false when there is to be none.
func (s *Session) turnTo(f *fault.Fault) bool {
	p := &s.spec.Policy
	hopeless := s.hopeless(f)
	resumed := s.handle != "" && s.kind == Resume && s.report.Ready == 0 // the handle itself may have been refused
	switch {
	case hopeless && resumed && s.spec.StartOver && f.Decision == fault.FixRequest:
		s.forget()
	case hopeless || s.failures >= p.Budget.Attempts:
		return false
	case s.serial:
		s.kind = Resume
		if !s.engaged && s.chain == "" {
			s.kind = Retried
		}
	case s.handle != "" && (p.HandleLife == pace.Off || s.now.Before(s.given.Add(p.HandleLife))):
		s.kind = Resume
	case !s.engaged && s.handle == "":
		if s.kind != Restart {
			s.kind = Retried
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
		return false
	}
	return true
}

// hopeless tells that another connection would fail as this one has.
func (s *Session) hopeless(f *fault.Fault) bool {
	longest := s.spec.Policy.Budget.MaxHint
	if f == nil || f.RetryWithin(longest) && (f.MaxRetries == 0 || s.failures <= f.MaxRetries) {
		return false
	}
	// A server that had accepted us and then found fault, with a message or with nothing at all,
	// may still restore the state from before.
	return s.report.Ready == 0 || s.failures > 1 || f.Hint.Wait > longest
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
