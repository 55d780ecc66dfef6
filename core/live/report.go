package live

import (
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// Status is how a session ended.
type Status string

const (
	Complete    Status = "complete"    // the caller shut it, and nothing was under way
	Interrupted Status = "interrupted" // it could not be kept, after it had been of use
	Failed      Status = "failed"      // it was never of use
	Cancelled   Status = "cancelled"   // the caller ended it in the middle of something
)

// ItemKind names what the caller gets.
type ItemKind string

const (
	ItemMessage     ItemKind = "message"     // what the server sent: Data
	ItemResumed     ItemKind = "resumed"     // the session goes on where it was, on another connection
	ItemRestarted   ItemKind = "restarted"   // it has begun anew: the server knows nothing of before
	ItemInterrupted ItemKind = "interrupted" // a turn was cut: Message, Response, Calls
	ItemLost        ItemKind = "lost"        // the messages First to Last may not have reached the model: Why
	ItemForgotten   ItemKind = "forgotten"   // the state gone on from does not hold the last Turns turns that ended
	ItemFailed      ItemKind = "failed"      // the server refused Message, or failed in its turn: Fault, Response
)

// Item is something for the caller, in the order in which it happened.
type Item struct {
	Kind        ItemKind
	Data        json.Value
	Message     int      // the message whose turn it was; 0 when none is known
	Response    string   // the id of the response, where the dialect has one
	Calls       []string // tool calls that need no answer any more
	First, Last int
	Why         LostWhy
	Turns       int
	Fault       *fault.Fault
}

// LostWhy is why messages are lost.
type LostWhy string

const (
	LostCut      LostWhy = "cut"      // sent over a connection that ended before the server confirmed them
	LostVoid     LostWhy = "void"     // they answer or steer what no longer exists
	LostOverflow LostWhy = "overflow" // more waited than maxBufferBytes allows: the oldest were dropped
	LostState    LostWhy = "state"    // they were to go on from a state that the server no longer has
	LostEnd      LostWhy = "end"      // the session ended before they could be sent
)

// Range is a run of messages, both ends included.
type Range struct {
	First, Last int
	Why         LostWhy
}

// ConnectionKind is why a connection was opened.
type ConnectionKind string

const (
	First   ConnectionKind = "first"
	Resume  ConnectionKind = "resume"  // to go on from a handle, or along the chain
	Restart ConnectionKind = "restart" // to begin anew
	Retried ConnectionKind = "retry"   // nothing had been said yet
)

// Connection is the report of one socket.
type Connection struct {
	Number int
	Kind   ConnectionKind
	Opened time.Time     // when the socket was asked for
	Ready  time.Duration // until it could be used; 0 when it never could
	Lasted time.Duration
	Waited time.Duration // before it was opened
	Code   int           // with which it was closed; 0 when it was not the server who closed it
	Fault  *fault.Fault  // nil when it was left on purpose: goAway, its time was over, or the caller shut it
}

// Result is what a session came to.
type Result struct {
	Status      Status
	Connections []Connection // the last 64
	Opened      int          // connections in all
	Messages    int          // that the caller sent
	Turns       int          // that ended as they should
	Interrupted int          // turns that were cut
	Lost        []Range
	Usage       wire.Usage // the sum of what the server reported
	Bill        spend.Bill // of that
	// Handle continues the session elsewhere; empty where there is none. HandleUntil is zero when
	// its life is not bounded.
	Handle      string
	HandleUntil time.Time
	// Response is the end of the chain: the previous_response_id of what comes next.
	Response string

	Fault    *fault.Fault // what ended the session; nil when the caller did
	RetryAt  time.Time    // when the server allows the next try; zero when it did not say
	Warnings []string
}

// NoteKind names what observers are told.
type NoteKind string

const (
	NoteConnecting NoteKind = "connecting"
	NoteReady      NoteKind = "ready"
	NoteLeaving    NoteKind = "leaving" // the server announced the connection's end
	NoteClosed     NoteKind = "closed"
	NoteWaiting    NoteKind = "waiting"
	NoteOffline    NoteKind = "offline"
	NoteResting    NoteKind = "resting" // no connection is needed until the caller sends something
	NoteWarning    NoteKind = "warning"
	NoteDone       NoteKind = "done"
)

// Note tells observers what happens. It carries no key, handle or content.
type Note struct {
	Kind       NoteKind
	At         time.Time
	Connection int
	Why        ConnectionKind // connecting
	Code       int            // closed
	Fault      *fault.Fault   // closed; nil when it was left on purpose
	Wait       time.Duration  // waiting; leaving: what is left
	Source     string         // waiting: hint or backoff
	Message    string         // warning
	Status     Status         // done
}
