// Package live keeps a conversation over a WebSocket alive. A Session is told what happened on its
// sockets and when; it answers with what to do now, and when it wants to be woken. It does no I/O
// and knows no clock, so that two hours of reconnects can be played in virtual time.
//
//	          Event + now                  Action
//	socket ───────────────▶             ───────────▶ Open, Frame, Close
//	timer  ───────────────▶   Session   ───────────▶ Give, Tell, Done
//	user   ───────────────▶
//	                              └─ Deadline() ───▶ one timer
//
// It speaks two dialects. Gemini Live is one long conversation whose state the server hands out as
// handles: the newest one that it called resumable opens the next connection. OpenAI's and xAI's
// WebSocket mode of the Responses API is a chain of responses: each names the one before it.
//
// Words: a connection is one socket; a turn is what the model says to what it was sent; a message
// is what the caller sends, numbered 1, 2, 3, … over the whole session, and a frame is a message on
// its way over one connection.
//
// The law: no message is sent twice unless the server said that it had not consumed it; what may
// not have reached the model is reported lost; a turn that was cut is reported interrupted; and a
// session ends once.
package live

import (
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/pace"
	"holdfast/core/shared"
	"holdfast/core/time"
)

// EventKind names what happened.
type EventKind int

const (
	Start   EventKind = iota // begin; the first event of a session
	Opened                   // a connection's socket is open
	Message                  // it brought a message: Data, JSON
	Closed                   // it ended, or never opened: Closing
	Say                      // the caller sends a message: Data, JSON
	Shut                     // the caller has no more to say
	Aborted                  // the caller cancelled
	Tick                     // the deadline may have passed
	Online                   // the network is back
	Offline                  // the network is known to be away
)

// Event is something that happened. An event of a connection that is no longer the current one is
// ignored, so late results are harmless.
type Event struct {
	Kind       EventKind
	Connection int
	Data       []byte // the sender's, until Handle returns
	Closing    Closing
}

// ActionKind names what to do.
type ActionKind int

const (
	Open  ActionKind = iota // open a socket: Connection, to Spec.URL
	Frame                   // send one text frame on it: Data
	Close                   // close it with code 1000 and forget it
	Give                    // give the caller Item
	Tell                    // tell observers Note
	Done                    // the session has ended: Result. No action follows.
)

// Action is something to do, in order. Data and Item are valid until the next Handle.
type Action struct {
	Kind       ActionKind
	Connection int
	Data       []byte
	Item       *Item
	Note       *Note
	Result     *Result
}

// Spec is what the caller asked for. It does not change during the session.
type Spec struct {
	Provider fault.Provider // Gemini, OpenAI or XAI
	URL      string         // ws:// or wss://, without a credential
	Header   header.Header  // sent where a socket can carry headers: not in browsers
	// Setup is an object, or missing. Gemini: the content of the setup message; a handle in its
	// sessionResumption is gone on from. The others: what every response.create has that does not
	// say otherwise; its previous_response_id is gone on from.
	Setup json.Value
	// StartOver: when the server's state is lost, begin anew with the same setup instead of ending.
	StartOver bool
	Policy    Policy
	// Shared is what the session's client knows of other calls: here, its money. nil is fine.
	Shared *shared.State
	Random func() float64 // uniform in [0, 1)
}

// Policy is every number that a session obeys. pace.Off switches a duration off.
type Policy struct {
	// Budget paces reconnects: Attempts is how many connections in a row may fail before the
	// session ends; Backoff, Base, Cap and MaxHint are as for calls; the rest does not count.
	Budget pace.Budget

	Open       time.Duration // from opening a socket until it may be used
	FirstEvent time.Duration // from a message that asks for a turn until the turn begins
	Idle       time.Duration // silence within a turn
	// HandleLife is how long a handle can be gone on from, since the server gave it.
	HandleLife time.Duration
	// ConnectionLife is when a connection of the Responses API is given up for a new one, between
	// two turns, before the server ends it at 60 minutes.
	ConnectionLife time.Duration
	// Margin is how long before the end that goAway announced a connection is left at the latest.
	Margin time.Duration

	// Sends is how often in all a message is sent: one that the server refuses for a while (rate
	// limit, overload) before its turn has begun, or that no state holds when connections end.
	Sends int
	// MaxBuffer bounds the bytes of messages kept for sending, and for sending again.
	MaxBuffer int
	// FirstIndex is the number by which Gemini counts the first message of a connection in
	// lastConsumedClientMessageIndex. It is 1: the setup message is 0 (observed, not documented).
	FirstIndex int
}

// Defaults returns the policy of a provider. Sources: providers.md §7.5 (handles live 2 h), §1.2
// (60 minutes a connection); xAI's reasoning models may think for an hour.
func Defaults(p fault.Provider) Policy {
	policy := Policy{
		Budget:         pace.Budget{Attempts: 8, Backoff: pace.Full, Base: 500 * time.Millisecond, Cap: 20 * time.Second, MaxHint: time.Minute, Window: pace.Off, Total: pace.Off},
		Open:           30 * time.Second,
		FirstEvent:     600 * time.Second,
		Idle:           120 * time.Second,
		HandleLife:     2 * time.Hour,
		ConnectionLife: 59 * time.Minute,
		Margin:         time.Second,
		Sends:          4,
		MaxBuffer:      8 << 20,
		FirstIndex:     1,
	}
	if p == fault.XAI {
		policy.FirstEvent = 3600 * time.Second
	}
	return policy
}

const (
	// steady is how long a connection must have been of use for the failures before it to be
	// forgotten: a server that accepts and hangs up must not be called for ever.
	steady = 10 * time.Second
	// parting is how long the end of a connection is waited for before the next one opens: Gemini
	// refuses to resume a session whose earlier socket is still open.
	parting = time.Second
	// crossing is how long a message may be on its way at least, where opening the connection, which
	// takes more than a round trip, was quicker.
	crossing = 500 * time.Millisecond
	// lateness tells a timer that was held up by a frozen page or a sleeping machine.
	lateness = 5 * time.Second
	// maxConnections bounds how many connections a report keeps.
	maxConnections = 64
	// maxWarnings bounds how many warnings a report keeps.
	maxWarnings = 100
)
