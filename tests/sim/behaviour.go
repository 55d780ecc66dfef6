package sim

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/core/header"
)

// Behaviour is how the provider treats one request. The names in JSON are those in field, below.
//
// A place in the answer is counted in words of this response (see words), and -1 means nowhere. A
// place beyond the answer counts as just before its last word, so that a short answer fails too.
type Behaviour struct {
	// Before the body.
	Delay         time.Duration // until the response headers
	BeforeHeaders bool          // End happens instead of any response
	Status        int           // 0: what Error says, else 200
	Headers       header.Header // added to the usual ones; an empty value removes one
	ContentType   string        // instead of the right one
	RetryAfter    string        // seconds, or any other text; where a provider has no header for it, in the body
	RedirectTo    string        // this model answers in place of the one asked for
	Body          *string       // this body, instead of any answer
	Chunks        []string      // … in network writes; "base64:…" stands for bytes that are not text
	DownFor       time.Duration // since the session's first request: until then Error, or 503; healthy afterwards
	NeedsKey      bool          // a request without a key is refused
	Prefill       *bool         // whether an assistant message may be the last; nil: as the model's documents say

	// Errors. Error is a code of the tables in fault_*.go, or one of kinds.
	Error      string
	ErrorAfter int    // words before the error comes as an event; -1: as the response's status
	ErrorShape string // one of shapes; "" is the provider's usual one
	Retryable  *bool  // overrides the verdict in the error

	// The pace of a stream.
	First      time.Duration // from the headers to the first delta
	Words      int           // a delta; 0 means 1
	Gap        time.Duration // between deltas
	ChunkBytes int           // bytes a network write; 0: an event a write
	ChunkGap   time.Duration // between such writes
	PauseAfter int           // words before a silence of length Pause
	Pause      time.Duration

	// The answer.
	Continues      string // how a continuation starts: see modes
	Refusal        string // said instead of the answer
	Reasoning      string // thought before it
	Tool           *Tool  // called after the text
	Finish         string // stop, length, content_filter, tool_calls, …; "" is the natural one
	FinishAfter    int    // words, then it finishes; -1: when all is said
	MalformedAfter int    // words before a delta that is broken JSON
	NoTerminal     bool   // the stream ends without a terminal and without [DONE]
	NoDone         bool   // … without [DONE] only
	NoUsage        bool   // … without its usage; a stored answer has it
	BlockReason    string // Gemini refuses the prompt for this reason, with status 200
	AsJSON         bool   // a streaming request is answered by one JSON body
	Tail           string // written last, whatever came before

	// Answers that are stored. See stored.go.
	Pending       int  // reads that find it unfinished
	Produced      int  // words of the answer that there are by this read; -1: all
	IgnoresCursor bool // this read replays from the start

	// The end of the connection: close, drop, reset or hang. At most one of the places.
	End           End
	EndAfterWords int
	EndAfterBytes int           // of the body
	EndAfterParts int           // pieces of the tool's arguments
	EndAt         float64       // share of the body, 0 to 1
	Heartbeat     time.Duration // while it hangs, a comment this often
}

// Tool is a function that the model calls.
type Tool struct {
	Name      string
	Arguments string // JSON text
	// Parts are the pieces in which the arguments arrive; 0 means 4, and whole where a provider
	// usually sends them so (xAI, Gemini).
	Parts int
}

// ordinary is how a healthy provider behaves.
var ordinary = Behaviour{ErrorAfter: -1, PauseAfter: -1, FinishAfter: -1, MalformedAfter: -1,
	Produced: -1, EndAfterWords: -1, EndAfterBytes: -1, EndAfterParts: -1, EndAt: -1, Continues: exact, End: Close}

// inherit takes from the session's first behaviour what is said of the provider and not of one
// request: the outage, the key, prefill.
func (b *Behaviour) inherit(script Script) {
	general := next(script.Requests, 0)
	if b.DownFor == 0 && general.DownFor > 0 {
		b.DownFor, b.Error = general.DownFor, general.Error
	}
	if b.Prefill == nil {
		b.Prefill = general.Prefill
	}
	b.NeedsKey = b.NeedsKey || general.NeedsKey
}

// field finds where the value of a key goes. Durations are whole milliseconds.
func (b *Behaviour) field(key string) any {
	switch key {
	case "delayMs":
		return &b.Delay
	case "beforeHeaders":
		return &b.BeforeHeaders
	case "status":
		return &b.Status
	case "headers":
		return &b.Headers
	case "contentType":
		return &b.ContentType
	case "retryAfter":
		return &b.RetryAfter
	case "redirectTo":
		return &b.RedirectTo
	case "body":
		return &b.Body
	case "chunks":
		return &b.Chunks
	case "downForMs":
		return &b.DownFor
	case "needsKey":
		return &b.NeedsKey
	case "prefill":
		return &b.Prefill
	case "error":
		return &b.Error
	case "errorAfterWords":
		return &b.ErrorAfter
	case "errorShape":
		return &b.ErrorShape
	case "retryable":
		return &b.Retryable
	case "firstMs":
		return &b.First
	case "words":
		return &b.Words
	case "gapMs":
		return &b.Gap
	case "chunkBytes":
		return &b.ChunkBytes
	case "chunkMs":
		return &b.ChunkGap
	case "pauseAfterWords":
		return &b.PauseAfter
	case "pauseMs":
		return &b.Pause
	case "continues":
		return &b.Continues
	case "refusal":
		return &b.Refusal
	case "reasoning":
		return &b.Reasoning
	case "tool":
		return &b.Tool
	case "finish":
		return &b.Finish
	case "finishAfterWords":
		return &b.FinishAfter
	case "malformedAfterWords":
		return &b.MalformedAfter
	case "noTerminal":
		return &b.NoTerminal
	case "noDone":
		return &b.NoDone
	case "noUsage":
		return &b.NoUsage
	case "blockReason":
		return &b.BlockReason
	case "asJson":
		return &b.AsJSON
	case "tail":
		return &b.Tail
	case "pending":
		return &b.Pending
	case "produced":
		return &b.Produced
	case "ignoresCursor":
		return &b.IgnoresCursor
	case "end":
		return &b.End
	case "endAfterWords":
		return &b.EndAfterWords
	case "endAfterBytes":
		return &b.EndAfterBytes
	case "endAfterParts":
		return &b.EndAfterParts
	case "endAt":
		return &b.EndAt
	case "heartbeatMs":
		return &b.Heartbeat
	}
	return nil
}

// check finds what contradicts itself.
func (b *Behaviour) check() error {
	if b.Error != "" && kindOf(b.Error) == "" {
		return errors.New("sim: there is no error " + strconv.Quote(b.Error))
	}
	if b.ErrorShape != "" && !slices.Contains(shapes, b.ErrorShape) {
		return errors.New("sim: errorShape must be one of " + strings.Join(shapes, ", "))
	}
	if b.ErrorAfter >= 0 && b.Error == "" {
		return errors.New("sim: errorAfterWords needs error")
	}
	if !slices.Contains(modes, b.Continues) {
		return errors.New("sim: continues must be one of " + strings.Join(modes, ", "))
	}
	if !slices.Contains([]End{Close, Drop, Reset, Hang}, b.End) {
		return errors.New("sim: end must be close, drop, reset or hang")
	}
	if b.BeforeHeaders && b.End == Close {
		return errors.New("sim: beforeHeaders needs end: drop, reset or hang")
	}
	if b.Status != 0 && (b.Status < 200 || b.Status > 599) {
		return errors.New("sim: status must be 200 to 599")
	}
	if b.EndAt > 1 {
		return errors.New("sim: endAt must be 0 to 1")
	}
	return nil
}
