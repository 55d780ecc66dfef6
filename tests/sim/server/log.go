package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"holdfast/tests/sim"
)

// Record is what the provider saw of one request.
type Record struct {
	Number    int             `json:"number"` // in its session
	AtMs      int64           `json:"atMs"`   // since the session's first request
	Method    string          `json:"method"`
	Path      string          `json:"path"`
	Scenario  string          `json:"scenario"`
	Model     string          `json:"model"`
	Stream    bool            `json:"stream"`
	Continues bool            `json:"continues"` // it carried a partial answer …
	Partial   int             `json:"partialBytes"`
	HasAuth   bool            `json:"hasAuthorization"`
	BodyBytes int             `json:"bodyBytes"`
	Body      json.RawMessage `json:"body"` // null when it was not JSON or is no longer kept

	Status     int    `json:"status"` // 0: none was sent
	RequestID  string `json:"requestId"`
	Sent       int    `json:"sentBytes"` // of the response's body
	Ended      string `json:"ended"`     // close, drop, reset, client_left, plugged; "" while it lives
	DurationMs int64  `json:"durationMs"`

	started time.Time
}

// SessionLog is the answer of GET /sim/log?session=ID.
type SessionLog struct {
	Session    string    `json:"session"`
	Count      int       `json:"count"`
	Live       int       `json:"live"`
	ClientLeft int       `json:"clientLeft"` // how often the client hung up
	Requests   []*Record `json:"requests"`
}

// Totals is the answer of GET /sim/log.
type Totals struct {
	Sessions int `json:"sessions"`
	Requests int `json:"requests"`
	Live     int `json:"live"`
}

// log keeps records. It forgets the oldest sessions and the bodies that are large.
type log struct {
	mu       sync.Mutex
	sessions map[string][]*Record
	order    []string
	requests int
}

const (
	maxLogged     = 1024     // sessions
	maxLoggedBody = 64 << 10 // bytes of a body
	maxRecords    = 256      // of one session
)

func (l *log) begin(e sim.Exchange, r sim.Request) *Record {
	record := &Record{
		Number: e.Number, Method: r.Method, Path: r.Path, Scenario: shorten(e.Scenario), Model: e.Model,
		Stream: e.Stream, Continues: e.Continues, Partial: e.Partial,
		HasAuth: r.Header.Get("authorization")+r.Header.Get("x-api-key")+r.Header.Get("x-goog-api-key") != "", BodyBytes: len(r.Body),
		Status: e.Status, RequestID: e.Header.Get("x-request-id") + e.Header.Get("request-id"), started: time.Now(),
	}
	if len(r.Body) <= maxLoggedBody && json.Valid(r.Body) {
		record.Body = r.Body
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	if l.sessions == nil {
		l.sessions = map[string][]*Record{}
	}
	records := l.sessions[e.Session]
	if records == nil {
		l.order = append(l.order, e.Session)
		if len(l.order) > maxLogged {
			delete(l.sessions, l.order[0])
			l.order = l.order[1:]
		}
	} else {
		record.AtMs = record.started.Sub(records[0].started).Milliseconds()
	}
	if len(records) < maxRecords {
		l.sessions[e.Session] = append(records, record)
	}
	return record
}

// shorten keeps a long script from filling the log.
func shorten(script string) string {
	const most = 1024
	if len(script) > most {
		return strings.ToValidUTF8(script[:most], "") + "…"
	}
	return script
}

func (l *log) end(record *Record, ended string, sent int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	record.Ended, record.Sent = ended, sent
	record.DurationMs = time.Since(record.started).Milliseconds()
}

// session copies the records of one session.
func (l *log) session(id string) SessionLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := SessionLog{Session: id, Requests: []*Record{}}
	for _, record := range l.sessions[id] {
		copied := *record
		found.Requests = append(found.Requests, &copied)
		found.Count++
		if record.Ended == "client_left" {
			found.ClientLeft++
		}
	}
	return found
}

// Log is what the provider saw of a session.
func (s *Server) Log(session string) SessionLog {
	found := s.log.session(session)
	found.Live = s.Lines.Live(session)
	return found
}

func (s *Server) serveLog(w http.ResponseWriter, r *http.Request) {
	if session := r.URL.Query().Get("session"); session != "" {
		WriteJSON(w, s.Log(session))
		return
	}
	s.log.mu.Lock()
	totals := Totals{Sessions: len(s.log.sessions), Requests: s.log.requests}
	s.log.mu.Unlock()
	totals.Live = s.Lines.Live("")
	WriteJSON(w, totals)
}
