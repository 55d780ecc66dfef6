// Package server plays package sim over real HTTP/1.1: every write is flushed, a reset is a real
// TCP reset, a hang lasts until the client leaves. It remembers what the provider saw.
//
//	/ai/v2/… /v1/… /v1beta/…   the provider, see sim.Plan; ?sim= ?session= ?pace= stand for the headers
//	/openai/… /gemini/… …      the same with the provider's name in front, which chooses its dialect
//	GET  /sim/log?session=ID   what the provider saw in that session, see Record; all sessions without ID
//	POST /sim/plug?session=ID  resets every live connection of that session now: {"pulled": n}
//	GET  /sim/scenarios        the named scenarios
package server

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"holdfast/core/header"
	"holdfast/tests/sim"
)

// maxBody is the largest request body that is read.
const maxBody = 32 << 20

// started is the simulator's zero of time.
var started = time.Now()

// Server is an http.Handler. The zero value is ready.
type Server struct {
	// CORS lets pages of other origins use the provider. The simulator has no secrets.
	CORS bool

	Lines Lines

	mu    sync.Mutex // guards store
	store sim.Store
	log   log
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.CORS {
		allowOrigin(w.Header())
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	switch r.URL.Path {
	case "/sim/log":
		s.serveLog(w, r)
	case "/sim/plug":
		s.Lines.ServePlug(w, r)
	case "/sim/scenarios":
		WriteJSON(w, Scenarios())
	default:
		s.serveProvider(w, r)
	}
}

func allowOrigin(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "*, Authorization")
	h.Set("Access-Control-Expose-Headers", "*")
	h.Set("Access-Control-Max-Age", "600")
}

// serveProvider plans the answer to one request and plays it.
func (s *Server) serveProvider(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if err != nil && !errors.As(err, &tooLarge) {
		return // the client left while sending
	}
	request := sim.Request{
		Method:   r.Method,
		Path:     r.URL.Path,
		Query:    r.URL.RawQuery,
		Header:   fields(r.Header),
		Sim:      scriptOf(r),
		Session:  r.URL.Query().Get("session"),
		Pace:     r.URL.Query().Get("pace"),
		Body:     body,
		TooLarge: tooLarge != nil,
	}
	exchange := s.Plan(request)
	record := s.log.begin(exchange, request)
	line := s.Lines.Open(exchange.Session, w, r)
	defer line.Close()
	ended, sent := play(line, w, exchange)
	s.log.end(record, ended, sent)
}

// Plan is sim.Plan with this server's sessions, now.
func (s *Server) Plan(request sim.Request) sim.Exchange {
	request.Now = time.Since(started)
	s.mu.Lock()
	defer s.mu.Unlock()
	return sim.Plan(&s.store, request)
}

// scriptOf is the script where sim.Plan does not see it: in the query, or percent-encoded in the
// header, which holds no text beyond Latin-1 otherwise.
func scriptOf(r *http.Request) string {
	if header := r.Header.Get("x-sim"); strings.HasPrefix(header, "%") {
		if script, err := url.PathUnescape(header); err == nil {
			return script
		}
	}
	return r.URL.Query().Get("sim")
}

func fields(h http.Header) header.Header {
	var list header.Header
	for name, values := range h {
		for _, value := range values {
			list = append(list, header.Field{Name: name, Value: value})
		}
	}
	return list
}

// ScenarioInfo is what a page needs to list a scenario.
type ScenarioInfo struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Script      string `json:"script"`
}

// Scenarios lists the named scenarios.
func Scenarios() []ScenarioInfo {
	var list []ScenarioInfo
	for _, s := range sim.Scenarios {
		list = append(list, ScenarioInfo(s))
	}
	return list
}

// WriteJSON answers with v.
func WriteJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.Encode(v)
}
