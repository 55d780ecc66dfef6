package wire

import (
	"errors"
	"strings"

	"holdfast/core/json"
)

// ErrNoContinuation says that a request has no place for a continuation message.
var ErrNoContinuation = errors.New("the request has no message list to continue")

// Continuation is the default wording of a continuation message; {partial} stands for the text
// so far.
const Continuation = "Your previous answer was cut off while it was being sent. This much of it arrived:\n\n{partial}\n\n" +
	"Go on from exactly that point, as if nothing had happened. Do not repeat any of it and do not start over."

// Streamed returns the request body with streaming switched on.
func Streamed(api API, body json.Value) json.Value {
	return body.With("stream", []byte("true"))
}

// Continue returns the request body with a new user message that carries the partial answer and
// asks to go on from it. The messages before it stay as they are: neither reasoning nor an
// unfinished tool call is replayed.
func Continue(api API, body json.Value, partial, wording string) (json.Value, error) {
	if wording == "" {
		wording = Continuation
	}
	var w json.Writer
	w.Open("", '{').Text("role", "user").Text("content", strings.ReplaceAll(wording, "{partial}", partial)).Close('}')
	switch api {
	case Chat:
		if messages := body.Get("messages"); messages.Kind() == '[' {
			return body.With("messages", messages.Add(w.Out)), nil
		}
	case Responses:
		switch input := body.Get("input"); input.Kind() {
		case '[':
			return body.With("input", input.Add(w.Out)), nil
		case '"':
			var first json.Writer
			first.Open("", '[').Open("", '{').Text("role", "user").Raw("content", input).Close('}').Raw("", w.Out).Close(']')
			return body.With("input", first.Out), nil
		}
	}
	return nil, ErrNoContinuation
}

// Model is the model that a request body asks for, or "".
func Model(body json.Value) string { return body.Get("model").Text() }
