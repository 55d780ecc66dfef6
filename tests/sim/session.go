package sim

import (
	"strconv"
	"time"
)

// Store holds the sessions and the answers that are kept. The zero value is empty. It is not safe
// for concurrent use.
type Store struct {
	sessions map[string]*session
	order    []string // oldest first
	made     int
	answers  answers
}

// maxSessions is how many sessions a store remembers; older ones start again from zero.
const maxSessions = 4096

// session counts what one call has sent.
type session struct {
	began         time.Duration // when its first request came
	requests      int           // in all
	ordinary      int           // that did not continue or read
	continuations int
	reads         int
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

// list is the part of the script for one kind of request, and how many of them came so far.
func (s *session) list(script Script, continues, reads bool) ([]Behaviour, *int) {
	switch {
	case reads:
		return script.Reads, &s.reads
	case continues:
		return script.Continuations, &s.continuations
	}
	return script.Requests, &s.ordinary
}

// next is the behaviour for the request that comes after count others; the last one repeats.
func next(list []Behaviour, count int) Behaviour {
	if len(list) == 0 {
		return ordinary
	}
	return list[min(count, len(list)-1)]
}
