// Package translate rebuilds a request of one API for another, and what comes back in the form of
// the API that was asked: whole answers, streams and errors.
//
// All twelve directions among chat, responses, messages and generate lead through one neutral form
// (request.go), so that an API is known in one file: chat.go, responses.go, messages.go,
// generate.go. What APIs say alike under other names stands in tables: numbers and words in
// knobs.go, images and files in media.go. The answers' side has the same shape: wire reads an
// answer, and answer_chat.go … write it, whole or as a stream.
//
// Three rules:
//
//   - Nothing is lost silently. What the target cannot say is listed in Result.Dropped, and what it
//     says otherwise in Result.Adjusted.
//   - What only its maker understands never travels: reasoning, thinking, signatures, encrypted
//     content, ids of stored answers and files, tools that run on a provider's side.
//   - Every tool call is answered in the very next turn, and every result has its call. What the
//     source left unpaired is dropped, because each of the four APIs would refuse it.
//
// The package is total: any JSON gives a result or an error, and every body it writes is JSON that
// package json accepts.
package translate

import (
	"errors"
	"strings"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// The APIs that can be translated.
const (
	chat      = wire.Chat
	responses = wire.Responses
	messages  = wire.Messages
	generate  = wire.Generate
)

// columns is the order of the APIs in the tables.
var columns = [...]wire.API{chat, responses, messages, generate}

// column is the place of an API in the tables, or -1.
func column(api wire.API) int {
	for i, known := range columns {
		if api == known {
			return i
		}
	}
	return -1
}

// Knows tells whether an API can be translated, in either direction.
func Knows(api wire.API) bool { return column(api) >= 0 }

var (
	// ErrUnknownAPI says that one of the two APIs cannot be translated.
	ErrUnknownAPI = errors.New("this API cannot be translated")
	// ErrNotARequest says that a body is not a JSON object with messages in it, or that nothing
	// of them can be said in the target's API.
	ErrNotARequest = errors.New("the request holds no messages that can be translated")
	// ErrStored says that a request goes on from what only the provider has that it was written for:
	// a stored response, conversation, prompt or cache.
	ErrStored = errors.New("the request goes on from what only its own provider has")
	// ErrNotAnAnswer says that a body is not a finished answer of its API.
	ErrNotAnAnswer = errors.New("the body is not a finished answer")
)

// Source is how the request was meant to be sent.
type Source struct {
	API      wire.API
	Provider fault.Provider // may be empty
	// Path counts for generate only: it names the model and tells whether to stream.
	Path string
}

// Target is where the request shall go instead.
type Target struct {
	API      wire.API
	Provider fault.Provider // decides the default path and max_tokens or max_completion_tokens in chat
	Model    string         // "" keeps the one that was asked for
	// Path overrides the provider's usual path. {model} stands for the model and {verb} for
	// generateContent or streamGenerateContent?alt=sse.
	Path string
	// MaxTokens is the largest output limit that the target takes; 0 means unknown. A higher one
	// in the request is lowered to it.
	MaxTokens int64
}

// DefaultMaxTokens is the output limit sent to messages, which demands one, when the request has
// none. Every current model of Anthropic takes it.
const DefaultMaxTokens = 8192

// Result is a rebuilt request or answer.
type Result struct {
	Path string // below the base URL; empty for answers
	Body []byte
	// Dropped lists what could not be carried over, by its place in the source as a JSON pointer,
	// with a reason where the place does not explain itself: "/seed",
	// "/messages/3/content/1 (audio)". A caller that must not lose anything refuses the target
	// when it is not empty.
	Dropped []string
	// Adjusted lists, in the same form, what was carried over in other words: "/max_tokens (64000,
	// lowered to 8192)".
	Adjusted []string
}

// Request rebuilds a request for another target. Source and target may be of one API: then the
// request is cleaned of what only its maker understands; members that this package does not know
// stay if the provider is the same as well. What goes on from something stored stays with its
// provider. The body is not changed.
func Request(from Source, body json.Value, to Target) (Result, error) {
	if !Knows(from.API) || !Knows(to.API) {
		return Result{}, ErrUnknownAPI
	}
	if body.Kind() != '{' {
		return Result{}, ErrNotARequest
	}
	if stored(from.API, body) {
		if from.API == responses && to.API == responses && from.Provider == to.Provider && from.Provider != "" {
			return kept(from, body, to), nil
		}
		return Result{}, ErrStored
	}
	return rebuild(from, body, to, false)
}

// rebuild is Request. chosen keeps the members that are bound to the target which the caller meant.
func rebuild(from Source, body json.Value, to Target, chosen bool) (Result, error) {
	r := &request{from: from, to: to, chosen: chosen}
	r.read(body)
	r.readKnobs(body)
	r.leftovers(body)
	if to.Model != "" {
		r.model = to.Model
	}
	r.settle()
	r.fit()
	if len(r.turns) == 0 {
		return Result{}, ErrNotARequest
	}
	var w json.Writer
	w.Open("", '{')
	switch to.API {
	case chat:
		r.writeChat(&w)
	case responses:
		r.writeResponses(&w)
	case messages:
		r.writeMessages(&w)
	case generate:
		r.writeGenerate(&w)
	}
	for _, m := range r.rest {
		w.Raw(m.name, m.value)
	}
	w.Close('}')
	return Result{Path: r.path(), Body: w.Out, Dropped: r.dropped, Adjusted: r.adjusted}, nil
}

// paths are where the APIs are usually reached; the first row that fits counts. Source:
// providers.md §1.2.
var paths = []struct {
	provider fault.Provider // "" fits all
	api      wire.API
	path     string
}{
	{fault.Gloo, chat, "/ai/v2/guarded/chat/completions"},
	{fault.Gloo, responses, "/ai/v2/guarded/responses"},
	{fault.Gemini, chat, "/v1beta/openai/chat/completions"},
	{"", chat, "/v1/chat/completions"},
	{"", responses, "/v1/responses"},
	{"", messages, "/v1/messages"},
	{"", generate, "/v1beta/models/{model}:{verb}"},
}

func (r *request) path() string {
	path := r.to.Path
	for i := 0; path == "" && i < len(paths); i++ {
		if p := paths[i]; p.api == r.to.API && (p.provider == "" || p.provider == r.to.Provider) {
			path = p.path
		}
	}
	verb := "generateContent"
	if r.stream {
		verb = "streamGenerateContent?alt=sse"
	}
	path = strings.ReplaceAll(path, "{verb}", verb)
	return strings.ReplaceAll(path, "{model}", pathSegment(strings.TrimPrefix(r.model, "models/")))
}

// pathSegment escapes a model's name, so that it cannot lead to another path.
func pathSegment(name string) string {
	const hex = "0123456789ABCDEF"
	var out []byte
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			out = append(out, c)
		default:
			out = append(out, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(out)
}
