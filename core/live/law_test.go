package live

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/time"
)

// FuzzSession holds a session to its law, whatever happens in whatever order: it ends at most
// once; frames go only over the socket that is open; no message is sent twice unless the server
// said that it had not consumed it; every message is sent, or reported; the same events give the
// same actions.
func FuzzSession(f *testing.F) {
	f.Add([]byte{0, 1, 0x21, 2, 0x42, 3, 4, 5, 0x66, 7, 8, 9, 10, 11, 12, 13, 14})
	f.Add([]byte{0x10, 0, 1, 2, 2, 2, 0x53, 6, 2, 15, 0, 1, 2, 0x93, 15, 15, 15})
	f.Add([]byte{0x20, 0, 1, 2, 4, 5, 2, 6, 2, 15, 15, 12, 2, 0, 2, 9})
	for kind := range 6 {
		var story []byte
		for i := range 200 {
			story = append(story, byte(i*i*31>>2))
		}
		f.Add(append([]byte{byte(kind)}, story...))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) == 0 || len(script) > 2000 {
			return
		}
		first, second := newLaw(t, script[0]), newLaw(t, script[0])
		for i, b := range script[1:] {
			e, after := first.event(b, i)
			if a, b := first.handle(e, after), second.handle(e, after); a != b {
				t.Fatalf("the same event gave other actions:\n%s\n%s", a, b)
			}
			if first.done {
				break
			}
		}
		first.handle(Event{Kind: Aborted}, 0)
		first.account()
	})
}

// law is a session with a memory of what it did.
type law struct {
	t       *testing.T
	session *Session
	now     time.Time
	serial  bool
	done    bool
	said    int
	socket  int         // the newest connection
	open    bool        // its socket is
	closed  bool        // it was closed by us
	places  map[int]int // message → its place on this connection
	sent    map[int]int // message → how often
	allowed map[int]int // message → how often it may be sent
	told    map[int]bool
	index   int // the server's word, -1: none
	resumes bool
	pending int // Responses: sent and unanswered
}

func newLaw(t *testing.T, kind byte) *law {
	l := &law{t: t, now: epoch, places: map[int]int{}, sent: map[int]int{}, allowed: map[int]int{}, told: map[int]bool{}, index: -1}
	spec := Spec{Provider: fault.Gemini, Setup: json.Value(`{"model":"m"}`), Random: func() float64 { return 0.5 }, StartOver: kind&8 != 0}
	switch kind & 3 {
	case 0:
		spec.Setup = json.Value(`{"model":"m","sessionResumption":{"transparent":true}}`)
	case 2:
		spec.Provider = fault.OpenAI
	case 3:
		spec.Provider = fault.XAI
	}
	spec.Policy = Defaults(spec.Provider)
	if kind&4 != 0 {
		spec.Policy.MaxBuffer = 300
	}
	l.serial = spec.Provider != fault.Gemini
	l.session = New(spec)
	l.follow(l.session.Handle(l.now, Event{Kind: Start}))
	return l
}

// event makes an event of a byte.
func (l *law) event(b byte, i int) (e Event, after time.Duration) {
	after = []time.Duration{0, 20 * time.Millisecond, 700 * time.Millisecond, 11 * time.Second}[b>>6]
	message := func(format string, args ...any) {
		e = Event{Kind: Message, Connection: l.socket, Data: fmt.Appendf(nil, format, args...)}
	}
	say := func(format string) {
		e = Event{Kind: Say, Data: fmt.Appendf(nil, format, l.said+1)}
	}
	if b&0x3f == 0x3f {
		return Event{Kind: Shut}, after
	}
	switch b % 32 {
	case 0, 1, 2:
		e = Event{Kind: Opened, Connection: l.socket}
	case 3:
		e = Event{Kind: Closed, Connection: l.socket, Closing: Closing{Code: 1006}}
	case 4:
		e = Event{Kind: Closed, Connection: l.socket, Closing: Closing{Code: []int{1000, 1001, 1007, 1008, 1011, 1013, 4429, 4001}[i%8], Reason: "why"}}
	case 5:
		e = Event{Kind: []EventKind{Offline, Online}[i%2]}
	case 6, 7:
		e = Event{Kind: Tick}
		if at, ok := l.session.Deadline(); ok && at.After(l.now) {
			after = at.Sub(l.now) + time.Duration(b>>6)*4*time.Second
		}
	case 8, 9, 10, 11:
		if l.serial {
			say(`{"input":[],"n":%d}`)
		} else {
			say(`{"clientContent":{"turnComplete":true},"n":%d}`)
		}
	case 12, 13:
		say(`{"realtimeInput":{},"n":%d}`)
	case 14:
		say(`{"toolResponse":{"functionResponses":[{"id":"c1"}]},"n":%d}`)
	case 15:
		say(`{"clientContent":{},"n":%d,"previous_response_id":null}`)
	case 16:
		say(`{"type":"response.cancel","n":%d}`)
	case 17:
		e = Event{Kind: Say, Data: []byte("nonsense")}
	case 18, 19, 20:
		if l.serial {
			message(`{"type":"response.created","response":{"id":"r%d"}}`, i)
		} else {
			message(`{"setupComplete":{}}`)
		}
	case 21:
		message(`{"serverContent":{"modelTurn":{}},"type":"response.output_text.delta"}`)
	case 22, 23:
		message(`{"serverContent":{"turnComplete":true},"type":"response.completed","response":{"id":"r%d"}}`, i)
	case 24:
		message(`{"toolCall":{"functionCalls":[{"id":"c1"},{"id":"c2"}]}}`)
	case 25, 26:
		message(`{"sessionResumptionUpdate":{"resumable":true,"newHandle":"h%d"}}`, i)
	case 27:
		message(`{"sessionResumptionUpdate":{"resumable":true,"newHandle":"h%d","lastConsumedClientMessageIndex":"%d"}}`, i, i%7)
	case 28:
		message(`{"sessionResumptionUpdate":{"resumable":false}}`)
	case 29:
		message(`{"goAway":{"timeLeft":"%ds"}}`, i%20)
	case 30:
		code := []string{"rate_limit_exceeded", "websocket_connection_limit_reached", "previous_response_not_found", "server_error", "invalid_api_key"}[i%5]
		message(`{"type":"error","status":429,"error":{"code":"%s","message":"m"}}`, code)
	case 31:
		message(`{"nonsense":`)
		e.Connection -= i % 2
	}
	return e, after
}

func (l *law) handle(e Event, after time.Duration) string {
	l.now = l.now.Add(after)
	if e.Kind == Say && !l.done {
		l.said++
	}
	current := e.Connection == l.socket && l.socket > 0
	if e.Kind == Opened && current && !l.closed {
		l.open = true
	}
	if e.Kind == Message && current && l.open && !l.closed {
		l.learn(e.Data)
	}
	if e.Kind == Closed && current {
		l.open, l.closed = false, true
	}
	return l.follow(l.session.Handle(l.now, e))
}

// learn keeps what the server said of what it consumed.
func (l *law) learn(data []byte) {
	v, err := json.Parse(data)
	if err != nil {
		return
	}
	if u := v.Get("sessionResumptionUpdate"); u.Get("resumable").True() && !l.serial {
		l.resumes = true
		l.index = -1
		if n, ok := index(u.Get("lastConsumedClientMessageIndex")); ok {
			l.index = int(n)
		}
		for n, place := range l.places {
			if l.index >= 0 && place <= l.index {
				l.allowed[n] = -1 // consumed: never again
			}
		}
	}
	if kind := v.Get("type").Text(); l.serial && kind == "error" && l.pending > 0 {
		l.allowed[l.pending] = l.sent[l.pending] + 1
		l.pending = 0
	} else if l.serial && strings.HasPrefix(kind, "response.") {
		l.pending = 0
	}
}

func (l *law) follow(actions []Action) string {
	var log bytes.Buffer
	for _, a := range actions {
		i, n := Item{}, Note{}
		if a.Item != nil {
			i = *a.Item
			i.Fault = nil
		}
		if a.Note != nil {
			n = *a.Note
			n.Fault = nil
		}
		fmt.Fprintf(&log, "%d %d %s %+v %+v\n", a.Kind, a.Connection, a.Data, i, n)
		if l.done {
			l.t.Fatal("an action after the end")
		}
		switch a.Kind {
		case Open:
			if a.Connection != l.socket+1 {
				l.t.Fatalf("connection %d follows %d", a.Connection, l.socket)
			}
			if l.open && !l.closed {
				l.t.Fatal("a second socket")
			}
			for n := range l.places { // what the newest state does not hold may be said again
				if l.resumes && l.index >= 0 && l.allowed[n] >= 0 {
					l.allowed[n] = l.sent[n] + 1
				}
			}
			l.socket, l.open, l.closed, l.places, l.pending = a.Connection, false, false, map[int]int{}, 0
		case Close:
			l.closed = true
		case Frame:
			if a.Connection != l.socket || !l.open || l.closed {
				l.t.Fatal("a frame without a socket")
			}
			l.frame(a.Data)
		case Give:
			if i := a.Item; i.Kind == ItemLost {
				if i.First < 1 || i.Last < i.First || i.Last > l.said {
					l.t.Fatalf("lost %d to %d of %d", i.First, i.Last, l.said)
				}
				for n := i.First; n <= i.Last; n++ {
					l.told[n] = true
				}
			} else if i.Kind == ItemFailed {
				l.told[i.Message] = true
			}
		case Done:
			l.done = true
		}
	}
	o := &l.session.out
	bytes := 0
	for _, m := range slices.Concat(o.sent, o.queue) {
		bytes += len(m.data)
	}
	if bytes != o.bytes || bytes > l.session.spec.Policy.MaxBuffer {
		l.t.Fatalf("%d bytes are kept, %d counted", bytes, o.bytes)
	}
	if at, ok := l.session.Deadline(); ok && l.done {
		l.t.Fatalf("a deadline at %d after the end", at.UnixNano())
	}
	return log.String()
}

func (l *law) frame(data []byte) {
	v, err := json.Parse(data)
	if err != nil {
		l.t.Fatalf("not JSON: %s", data)
	}
	number, ok := v.Get("n").Int()
	if !ok {
		return // the setup
	}
	n := int(number)
	if l.sent[n] > 0 && l.sent[n] >= l.allowed[n] {
		l.t.Fatalf("message %d is sent again", n)
	}
	l.sent[n]++
	l.places[n] = len(l.places) + 1
	if l.serial && v.Get("type").Text() == "response.create" {
		l.pending = n
	}
}

// account checks that nothing vanished.
func (l *law) account() {
	if !l.done {
		l.t.Fatal("cancelled, and not at its end")
	}
	for n := 1; n <= l.said; n++ {
		if l.sent[n] == 0 && !l.told[n] {
			l.t.Fatalf("message %d was neither sent nor reported", n)
		}
	}
}
