package server

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Lines are the live connections by session, so that a plug can be pulled. The zero value is
// empty and ready. It serves a reverse proxy as well as the simulator.
type Lines struct {
	mu   sync.Mutex
	live map[*Line]string
}

// Line is one exchange on its way. It belongs to the goroutine that serves the exchange; only
// pull is called by others.
type Line struct {
	lines   *Lines
	control *http.ResponseController
	// Context ends when the client leaves or the plug is pulled.
	Context context.Context
	cancel  context.CancelFunc
	pulled  atomic.Bool
	gone    bool // the connection has been taken from net/http and closed
}

// Open registers the exchange that w answers. Close it in the end.
func (l *Lines) Open(session string, w http.ResponseWriter, r *http.Request) *Line {
	line := &Line{lines: l, control: http.NewResponseController(w)}
	line.Context, line.cancel = context.WithCancel(r.Context())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live == nil {
		l.live = map[*Line]string{}
	}
	l.live[line] = session
	return line
}

// Close forgets the line. Where the plug was pulled it first resets the connection.
func (l *Line) Close() {
	l.lines.mu.Lock()
	delete(l.lines.live, l)
	l.lines.mu.Unlock()
	if l.Pulled() {
		l.Reset()
	}
	l.cancel()
}

// Live counts the open lines of a session, or of all when session is "".
func (l *Lines) Live(session string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, s := range l.live {
		if session == "" || s == session {
			n++
		}
	}
	return n
}

// Pull resets every live line of a session, and returns how many there were.
func (l *Lines) Pull(session string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for line, s := range l.live {
		if s == session {
			line.pull()
			n++
		}
	}
	return n
}

// ServePlug answers POST /sim/plug?session=ID.
func (l *Lines) ServePlug(w http.ResponseWriter, r *http.Request) {
	session := r.URL.Query().Get("session")
	if r.Method != http.MethodPost || session == "" {
		http.Error(w, "Send a POST with ?session=.", http.StatusBadRequest)
		return
	}
	WriteJSON(w, map[string]int{"pulled": l.Pull(session)})
}

// pull wakes the goroutine that serves the line, wherever it waits; that one resets.
func (l *Line) pull() {
	l.pulled.Store(true)
	l.cancel()
	// A write to a client that does not read waits for ever; a deadline in the past ends it.
	l.control.SetWriteDeadline(time.Unix(1, 0))
}

// Pulled reports that the plug was pulled.
func (l *Line) Pulled() bool { return l.pulled.Load() }

// Lost says why Wait or a write failed: plugged or client_left.
func (l *Line) Lost() string {
	if l.Pulled() {
		return "plugged"
	}
	return "client_left"
}

// Wait waits for d, and reports whether the line still stands.
func (l *Line) Wait(d time.Duration) bool {
	if d <= 0 {
		return l.Context.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.Context.Done():
		return false
	}
}

// Flush sends what was written as network writes of their own.
func (l *Line) Flush() error { return l.control.Flush() }

// grace lets bytes that were sent reach the client's program before a reset, which on some
// systems throws away what the program has not read yet.
const grace = 10 * time.Millisecond

// Reset ends the connection with a TCP reset.
func (l *Line) Reset() {
	conn := l.take()
	if conn == nil {
		return
	}
	time.Sleep(grace)
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0) // close sends RST instead of FIN
	}
	conn.Close()
}

// Drop closes the connection without ending the response.
func (l *Line) Drop() {
	if conn := l.take(); conn != nil {
		conn.Close()
	}
}

// take takes the connection away from net/http; nil when that was done before.
func (l *Line) take() net.Conn {
	if l.gone {
		return nil
	}
	l.gone = true
	conn, _, err := l.control.Hijack()
	if err != nil {
		return nil // HTTP/2, or the client is gone already
	}
	return conn
}
