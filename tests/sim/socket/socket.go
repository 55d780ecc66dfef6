// Package socket is the simulated provider on WebSockets: Gemini Live, and the Responses of OpenAI
// and xAI.
//
//	/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent
//	/openai/v1/responses  /xai/v1/responses
//	GET /sim/sockets?session=ID   what it saw: a list of Connection
//
// Each turn is answered by package sim, with all that a script of its own can ask for: a stream
// that ends early takes the TCP connection with it. What happens to whole connections is said in
// a second list, see Behaviour. Both stand in the query, since a page cannot set headers here:
// ?sim=SCRIPT&sockets=[…]&session=ID; or in the headers x-sim, x-sim-sockets and x-sim-session.
// Sockets of one session share resumption handles and stored responses.
package socket

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"holdfast/core/header"
	"holdfast/tests/sim"
	"holdfast/tests/sim/server"
)

// Behaviour is how the provider treats one connection. The n-th connection of a session obeys the
// n-th behaviour of the list; the last one repeats, and none means healthy.
type Behaviour struct {
	// A connection's end, counted in turns (client messages that ask for an answer). -1 or a
	// missing key means never; 0 is before the first turn.
	GoAwayAfter *int `json:"goAwayAfterTurns"` // Gemini: says goAway, and drops after TimeLeftMs
	TimeLeftMs  int  `json:"timeLeftMs"`
	DropAfter   *int `json:"dropAfterTurns"`  // drops the TCP connection
	LimitAfter  *int `json:"limitAfterTurns"` // OpenAI: the error event of the 60-minute limit, then the end

	RefuseUpgrade int  `json:"refuseUpgrade"` // this HTTP status instead of a socket
	RefuseHandle  bool `json:"refuseHandle"`  // Gemini: the handle is too old
	NotResumable  bool `json:"notResumable"`  // Gemini: no update ever has a handle
	Forget        bool `json:"forget"`        // OpenAI: no previous response is known
	Text          bool `json:"text"`          // Gemini: messages as text; usually they are binary
}

// Connection is what the provider saw of one.
type Connection struct {
	API    string `json:"api"`    // live or responses
	Handle string `json:"handle"` // with which a Live session was resumed
	Turns  int    `json:"turns"`
	Ended  string `json:"ended"` // close, drop, refused, client_left; "" while it lives
}

// Server answers sockets itself and passes everything else on to the provider.
type Server struct {
	Provider *server.Server

	mu       sync.Mutex
	sessions map[string]*session
}

// session is what the connections of one session share.
type session struct {
	connections []*Connection
	behaviours  []Behaviour
	handles     map[string]saved // of Live
	made        int              // handles so far
	responses   map[string]bool  // ids that can be a previous response
}

// livePath is where Gemini Live is, without /gemini.
const livePath = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/gemini")
	upgrade := strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
	switch {
	case r.URL.Path == "/sim/sockets":
		s.serveLog(w, r)
	case upgrade && path == livePath:
		s.serve(w, r, "live", (*conn).live)
	case upgrade && strings.HasSuffix(r.URL.Path, "/v1/responses"):
		s.serve(w, r, "responses", (*conn).responses)
	default:
		s.Provider.ServeHTTP(w, r)
	}
}

func (s *Server) serveLog(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []*Connection{}
	if found := s.sessions[r.URL.Query().Get("session")]; found != nil {
		list = append(list, found.connections...)
	}
	server.WriteJSON(w, list)
}

// conn is one connection on its way.
type conn struct {
	*websocket.Conn
	server    *Server
	session   *session
	behaviour Behaviour
	seen      *Connection
	request   sim.Request // what every turn's request has in common
	path      string
	ctx       context.Context
}

// serve opens a connection and lets play answer on it until it returns how it ended.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, api string, play func(*conn) string) {
	query := r.URL.Query()
	c := &conn{server: s, path: r.URL.Path, ctx: r.Context(), seen: &Connection{API: api}}
	c.request = sim.Request{Method: "POST", Sim: query.Get("sim"), Session: query.Get("session"), Pace: query.Get("pace")}
	for _, name := range []string{"Authorization", "X-Goog-Api-Key", "X-Sim", "X-Sim-Session", "X-Sim-Pace"} {
		if value := r.Header.Get(name); value != "" {
			c.request.Header = append(c.request.Header, header.Field{Name: name, Value: value})
		}
	}
	sockets := query.Get("sockets")
	if sockets == "" {
		sockets = r.Header.Get("X-Sim-Sockets")
	}
	if err := c.join(sockets); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if c.behaviour.RefuseUpgrade != 0 {
		c.end("refused")
		w.WriteHeader(c.behaviour.RefuseUpgrade)
		return
	}
	socket, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // there are no secrets
	if err != nil {
		c.end("refused")
		return
	}
	defer socket.CloseNow()
	socket.SetReadLimit(32 << 20)
	c.Conn = socket
	c.end(play(c))
}

// join finds the connection's session and its behaviour.
func (c *conn) join(sockets string) error {
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	id := c.request.Session
	if id == "" {
		id = c.request.Header.Get("x-sim-session")
	}
	if s.sessions == nil {
		s.sessions = map[string]*session{}
	}
	if c.session = s.sessions[id]; c.session == nil {
		c.session = &session{handles: map[string]saved{}, responses: map[string]bool{}}
		s.sessions[id] = c.session
	}
	if sockets != "" {
		c.session.behaviours = nil
		decoder := json.NewDecoder(strings.NewReader(sockets))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&c.session.behaviours); err != nil {
			return err
		}
	}
	if list := c.session.behaviours; len(list) > 0 {
		c.behaviour = list[min(len(c.session.connections), len(list)-1)]
	}
	c.session.connections = append(c.session.connections, c.seen)
	return nil
}

func (c *conn) end(how string) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.seen.Ended = how
}

// turn counts one, and reports whether the connection stands after it.
func (c *conn) turn() {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.seen.Turns++
}

// due tells that the number of turns has been reached.
func (c *conn) due(after *int) bool { return after != nil && *after >= 0 && c.seen.Turns >= *after }

// drop closes the TCP connection without a word.
func (c *conn) drop() string {
	c.end("drop") // before the client can know
	c.CloseNow()
	return "drop"
}

// refuse closes the connection with a reason.
func (c *conn) refuse(status websocket.StatusCode, reason string) string {
	c.end("refused")
	c.Close(status, reason)
	return "refused"
}

// wait waits, and reports whether the client is still there.
func (c *conn) wait(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-c.ctx.Done():
		return false
	}
}

// play sends an exchange: each event of its body is given to say as JSON. It reports how the
// stream ended, sim.Close when nothing happened to it.
func (c *conn) play(e sim.Exchange, say func(data []byte) error) sim.End {
	if !c.wait(e.Delay) || e.Status == 0 {
		return sim.Drop
	}
	rest := ""
	for _, step := range e.Steps {
		if step.End == sim.Hang {
			<-c.ctx.Done()
			return sim.Hang
		}
		if !c.wait(step.Wait) {
			return sim.Drop
		}
		rest += strings.ReplaceAll(string(step.Write), "\r\n", "\n")
		for {
			event, after, whole := strings.Cut(rest, "\n\n")
			if !whole {
				break
			}
			rest = after
			_, data, _ := strings.Cut("\n"+event, "\ndata: ")
			if data != "" && data != "[DONE]" && say([]byte(data)) != nil {
				return sim.Drop
			}
		}
		if step.End == sim.Reset || step.End == sim.Drop {
			return sim.Drop
		}
	}
	return sim.Close
}
