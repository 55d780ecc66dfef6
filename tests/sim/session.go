package sim

import "strconv"

// Store holds the sessions. The zero value is empty. It is not safe for concurrent use.
type Store struct {
	sessions map[string]*session
	order    []string // oldest first
	made     int
}

// maxSessions is how many sessions a store remembers; older ones start again from zero.
const maxSessions = 4096

// session counts what one call has sent.
type session struct {
	requests      int // in all
	ordinary      int // that did not continue
	continuations int
}

// fresh names a session that nobody else uses.
func (s *Store) fresh() string {
	s.made++
	return "auto-" + strconv.Itoa(s.made)
}

// session returns the session called id, and starts it when there is none.
func (s *Store) session(id string) *session {
	if found := s.sessions[id]; found != nil {
		return found
	}
	if s.sessions == nil {
		s.sessions = map[string]*session{}
	}
	if len(s.order) == maxSessions {
		delete(s.sessions, s.order[0])
		s.order = s.order[1:]
	}
	s.order = append(s.order, id)
	s.sessions[id] = &session{}
	return s.sessions[id]
}

// next counts one request that reached the model and returns the behaviour meant for it.
func (s *session) next(script Script, continues bool) Behaviour {
	list, count := script.Requests, &s.ordinary
	if continues {
		list, count = script.Continuations, &s.continuations
	}
	*count++
	if len(list) == 0 {
		return ordinary
	}
	return list[min(*count, len(list))-1]
}
