package live

import (
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/time"
)

// A dialect translates between the session and one provider's messages. It decides nothing.
type dialect interface {
	// origin is what the setup goes on from: a handle, or the last response of a chain; or "".
	origin() (handle, chain string)
	// greeting is the first frame of a connection, which is of use once the server has answered
	// it; nil: a connection is of use as soon as it is open.
	greeting(handle string) []byte
	// read says what a message of the caller's is, or why it cannot be sent. The data may be kept.
	read(data json.Value) (m message, problem string)
	// frame is what is sent for a message; chain is the response to go on from, or "".
	frame(data json.Value, chain string) []byte
	// hear says what a message of the server's means.
	hear(v json.Value) heard
	// again reports whether a message that was sent is kept, in case the server says that it has
	// not consumed it.
	again(m *message) bool
	// follows reports whether a message goes on from where the session stands.
	follows(data json.Value) bool
}

// heard is what a message of the server's means for the session.
type heard struct {
	ready bool // the greeting is answered

	begins   bool   // the model's turn has begun, or goes on
	ends     bool   // it is over
	response string // the response's id

	calls     []string // tool calls that now wait for the caller
	cancelled []string // tool calls that no longer do

	resumable bool   // the state at this moment can be restored, by handle if there is one
	frozen    bool   // it cannot
	handle    string // the newest handle
	indexed   bool   // index says how far the state reaches
	index     int64

	goAway   bool // the connection ends in timeLeft
	timeLeft time.Duration

	usage json.Value // what was used since the last report
	model string     // that was used, where the server says

	failed *fault.Fault // the server refuses the message, or fails in its turn
	over   bool         // the connection's own time is over: another one is welcome
	forgot bool         // the server does not know the response that was to be gone on from
}

// dialectOf is the dialect that a provider speaks.
func dialectOf(p fault.Provider, setup json.Value) dialect {
	if p == fault.Gemini {
		return newGemini(setup)
	}
	return newResponses(p, setup)
}

// without returns an object without some members.
func without(v json.Value, keys ...string) json.Value {
	for _, key := range keys {
		v = v.Without(key)
	}
	return v
}

// member writes a member whose name may be empty, which Writer takes for an element of an array.
func member(w *json.Writer, key string, item json.Value) {
	if key != "" {
		w.Raw(key, item)
	}
}
