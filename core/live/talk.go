package live

import (
	"slices"

	"holdfast/core/fault"
	"holdfast/core/json"
)

// What is said and heard on a connection: which message goes when, what the turn is at, and how far
// the server's state reaches.

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
	m.place, m.at = s.spec.Policy.FirstIndex+s.frames, s.now
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
	s.book(&h)
	if h.response != "" && h.response == s.failed { // its end has been told
		s.give(Item{Kind: ItemMessage, Data: v})
		return
	}
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
	if h.usage != nil && s.broke() {
		return
	}
	if s.leaving && s.phase == ready && !s.turn.underWay() && (s.fresh || !s.engaged) {
		s.change()
	}
}

// follow keeps track of the turn and of what the server's state holds.
func (s *Session) follow(h *heard) {
	t := &s.turn
	if h.begins {
		if !t.begun {
			s.reached = max(s.reached, t.asked)
			s.owe()
			s.unpaid = h.usage.Kind() != '{'
		}
		t.begun, s.engaged, s.fresh = true, true, false
		if h.response != "" {
			t.response = h.response
		}
		if s.serial { // it answers, so it has the message
			s.out.confirm(every)
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
		// What is younger than the way took, or asked for a turn that has not begun, may have crossed
		// the server's word on its way.
		return m.n <= s.reached || s.now.Sub(m.at) >= max(s.report.Ready, crossing) && (t.asked == 0 || t.begun || m.n < t.asked)
	})
}

// refused takes an error of the server's. One that another try may mend, before anything of the
// turn has come, is not shown.
func (s *Session) refused(v json.Value, h *heard) {
	f, t := h.failed, s.turn
	if !s.serial {
		s.give(Item{Kind: ItemMessage, Data: v})
		s.warn("the server reported an error: " + f.Developer)
		return
	}
	var m message
	if t.asked != 0 && !t.begun && len(s.out.sent) > 0 {
		m = s.out.sent[len(s.out.sent)-1]
	}
	if m.data != nil && !h.begins && s.resend(h) {
		return
	}
	s.give(Item{Kind: ItemMessage, Data: v})
	if h.over && t.begun { // whether the turn goes on is not known: it is cut with the connection
		s.change()
		return
	}
	if t.underWay() {
		s.turn = turn{}
		s.out.confirm(every)
		if h.response == "" {
			h.response = t.response
		}
		s.failed = h.response
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

// resend queues the message that the server refused once more, where another try may mend that: for
// the next connection when this one's time is over, else for after a wait.
func (s *Session) resend(h *heard) bool {
	p := &s.spec.Policy
	if h.over {
		s.turn = turn{}
		s.out.back(every)
		s.change()
		return true
	}
	m := &s.out.sent[len(s.out.sent)-1]
	if m.tries+1 >= p.Sends || !h.failed.RetryWithin(p.Budget.MaxHint) {
		return false
	}
	wait, ok := p.Budget.Before(m.tries+1, h.failed.Hint, s.spec.Random)
	if !ok {
		return false
	}
	m.tries++
	s.turn = turn{}
	s.out.back(every)
	s.hold = s.now.Add(wait.For)
	s.note(Note{Kind: NoteWaiting, Wait: wait.For, Source: wait.Source})
	return true
}
