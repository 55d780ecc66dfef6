// Package core decides. A Call is told what happened and when; it answers with what to do now,
// and when it wants to be woken. It does no I/O and knows no clock, so the same events at the
// same instants always give the same actions, and whole outages can be played in virtual time.
//
//	          Event + now                Action
//	fetch ───────────────▶            ───────────▶ Send, Read, Cancel
//	timer ───────────────▶    Call    ───────────▶ Emit, Done
//	user  ───────────────▶
//	                            └─ Deadline() ───▶ one timer
package core

import (
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// EventKind names what happened.
type EventKind int

const (
	Start     EventKind = iota // begin; the first event of a call
	Responded                  // an attempt got response headers: Status, Header
	Received                   // a chunk of its body came: Bytes
	Ended                      // its body ended cleanly
	Broke                      // it failed before its body ended: Fault
	Demand                     // the consumer has room for one more delta
	Flow                       // it takes everything as it comes, until it says Demand again
	Tick                       // the deadline may have passed
	Aborted                    // the caller cancelled: an answer that is made without us is to stop
	Left                       // the same, but such an answer is to go on
	Online                     // the network is back
	Offline                    // the network is known to be away
)

// Event is something that happened. An event of an attempt that is no longer the current one is
// ignored, so late results are harmless.
type Event struct {
	Kind    EventKind
	Attempt int
	Status  int
	Header  header.Header
	Bytes   []byte // the sender's, until Handle returns
	Fault   fault.Fault
}

// ActionKind names what to do.
type ActionKind int

const (
	Send   ActionKind = iota // make an HTTP exchange: Attempt, Request
	Read                     // read the attempt's next chunk, once
	Cancel                   // stop the attempt's exchange and forget it, or with Whole let it run out
	Emit                     // give the caller Delta or Cursor, or tell observers Note
	Done                     // the call has ended: Result. No action follows.
)

// Action is something to do, in order. Delta texts and Bytes are valid until the next Handle.
type Action struct {
	Kind    ActionKind
	Attempt int // of Send, Read, Cancel. 0: of a Send whose outcome nobody waits for, which outlives the call
	Request *Request
	Delta   wire.Delta
	Head    *Head   // of a raw call's response, before its first Bytes
	Bytes   []byte  // of its body
	Cursor  *Cursor // where the call could now be taken up; see Spec.Cursors
	Note    *Note
	Result  *Result
	Whole   bool // of Cancel: the answer is, and most often only the end of its body is to come
}

// Head begins the response of a raw call.
type Head struct {
	Status int
	Header header.Header
}

// Request is one HTTP request to make.
type Request struct {
	Target      int // its place in the chain, which tells the secret
	Method, URL string
	// Auth is a header with its scheme, to be completed with the secret, which never comes here:
	// "authorization: Bearer ". Empty when no secret is to be sent.
	Auth   string
	Header header.Header
	Body   json.Value
}
