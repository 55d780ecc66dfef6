package core

import (
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// Status is how a call ended.
type Status string

const (
	Complete      Status = "complete"
	ContentFilter Status = "content_filter"
	Interrupted   Status = "interrupted" // the text so far is kept, and is not the whole answer
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// AttemptKind is why an attempt was sent.
type AttemptKind string

const (
	First     AttemptKind = "first"
	Retried   AttemptKind = "retry"    // the same again, unseen
	Continued AttemptKind = "continue" // goes on from the text shown, at the same target or the next
	Restarted AttemptKind = "restart"  // the same again after text was shown, which the caller drops
	Resumed   AttemptKind = "resume"   // takes the provider's own answer up again
	Elsewhere AttemptKind = "fallback" // the same at the next target, unseen
)

// Attempt is the report of one HTTP exchange.
type Attempt struct {
	Number     int
	Kind       AttemptKind
	Target     int // its place in the chain
	Provider   fault.Provider
	API        wire.API
	Model      string   // that was asked for
	Served     string   // that answered; empty when it did not say
	Dropped    []string // what this target could not be told
	Sent       time.Time
	Headers    time.Duration // from sending to headers; 0 when they never came
	FirstDelta time.Duration // from sending to the first delta; 0 when none came
	Took       time.Duration
	Waited     time.Duration // before it was sent
	WaitSource string        // hint, backoff, offline, or ""
	HTTPStatus int
	RequestID  string
	TraceID    string
	Fault      fault.Fault // zero when the attempt succeeded
	Finish     string
	TextLength int // characters of its answer text that were emitted
	ToolCall   bool
	Trimmed    int // characters removed at its seam
	Usage      wire.Usage
	Bill       spend.Bill
}

// Result is what a call came to.
type Result struct {
	Status     Status
	Text       string // all answer text emitted, with the partial that was continued in front
	Refusal    string
	Reasoning  string
	Finish     string
	Tools      []wire.Tool
	Usage      wire.Usage
	Bill       spend.Bill // of all attempts
	ID, Model  string
	CallID     string
	RequestID  string
	Redirected string // X-Gloo-Model-Redirected-From
	Attempts   []Attempt
	Retries    int  // full retries
	Continued  bool // an automatic continuation was sent

	Fault   fault.Fault // what ended the call; zero when it succeeded
	First   fault.Fault // the first fault of the call; zero when there was none
	RetryAt time.Time   // when the server allows the next try; zero when it did not say
	Offer   []string    // what a page may offer now: "continue", "try_again"

	Warnings []string
	Told     json.Value // of a durable answer: the result that the gateway came to

	// Of a call that is not streamed:
	HTTPStatus int
	Header     header.Header
	Data       json.Value
}

// NoteKind names what observers are told.
type NoteKind string

const (
	NoteSent      NoteKind = "sent"
	NoteResponded NoteKind = "responded"
	NoteStreaming NoteKind = "streaming"
	NoteFailed    NoteKind = "failed"
	NoteWaiting   NoteKind = "waiting"
	NoteOffline   NoteKind = "offline"
	NoteJoined    NoteKind = "joined"
	NoteRestarted NoteKind = "restarted"
	NoteFallback  NoteKind = "fallback"
	NoteWarning   NoteKind = "warning"
	NoteDone      NoteKind = "done"
)

// Note tells observers what happens. It carries no key, prompt or answer text.
type Note struct {
	Kind       NoteKind
	At         time.Time
	Attempt    int
	Why        AttemptKind   // sent
	Dropped    []string      // sent: see Attempt
	HTTPStatus int           // responded
	RequestID  string        // responded
	Fault      *fault.Fault  // failed
	Wait       time.Duration // waiting
	Source     string        // waiting: hint or backoff
	Trimmed    int           // joined
	Target     int           // fallback: its place in the chain
	Message    string        // warning
	Status     Status        // done; "success" for a call that is not streamed
	Bill       spend.Bill    // done: of all attempts; sent: of those before, and the most that this one may cost
}
