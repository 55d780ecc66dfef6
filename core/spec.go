package core

import (
	"errors"
	"strings"

	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/shared"
	"holdfast/core/wire"
)

// Target is where an attempt goes.
type Target struct {
	Provider   fault.Provider
	API        wire.API
	Base, Path string // the URL; {model} in Path stands for the model
	Auth       string // see Request
	Header     header.Header
	Model      string // "" keeps the one that the caller asked for
	MaxTokens  int64  // the largest output limit that the model takes; 0: not known
	Policy     Policy
}

// Spec is what the caller asked for. It does not change during the call.
type Spec struct {
	Target             // where it goes first; the body speaks this target's API
	Fallbacks []Target // where it may go instead, in this order
	// First is the place in the chain where the call begins: 0 the Target, n the nth fallback. Then
	// the Target only tells in which form the caller asks.
	First int

	Body       json.Value
	Stream     bool   // the answer is streamed; otherwise it is one JSON body
	Background bool   // nobody waits
	Partial    string // streamed: go on from this text instead of starting
	Cursors    bool   // streamed: tell from where the call could be taken up
	// From takes up the answer of a call that was lost, Partial being the text that it showed. When
	// its provider refuses, the call goes on as if it had begun without: from Partial, or from zero.
	From *Cursor
	// Raw: the caller gets an HTTP response in the target's own wire format; see raw.go.
	Raw bool
	// Metered: somebody is billed for the call. A stream is then told to report its usage, which the
	// reader of a raw one still gets only where the body asks for it.
	Metered bool
	// Strict skips a fallback that cannot be told everything the caller said.
	Strict bool
	// Stay keeps an answer that has begun with the target that began it.
	Stay bool
	// Shared is what the call's client has learned from other calls; nil is fine.
	Shared *shared.State
	// ID names the call in reports, and as Idempotency-Key where a provider documents one.
	ID string
	// Tag also puts the ID into the requests, where the provider has a place for it.
	Tag bool
	// Outer is how often a layer above has retried this call already: its attempts and ours multiply.
	Outer  int
	Random func() float64 // uniform in [0, 1)
}

// Check says what is wrong with a spec before anything is sent.
func (s *Spec) Check() error {
	if s.First > 0 && s.target(s.First).API != s.API { // it may be that nothing of it can be said there
		if _, _, err := s.request(s.First, ""); err != nil {
			return err
		}
	}
	if !s.Stream {
		// Its answer would be taken for a broken document, and asked for again.
		if wire.Streams(s.API) && (s.Body.Get("stream").True() || strings.Contains(s.Path, ":streamGenerateContent")) {
			return errors.New("asks for a stream, and request reads one document; use stream")
		}
		return nil
	}
	if s.Body.Kind() != '{' {
		return errors.New("a streamed request needs a JSON object as its body")
	}
	if !s.Raw && wire.Several(s.Body) > 1 {
		return errors.New("asks for several answers, of which a stream tells one; use request or fetch")
	}
	if s.Partial != "" && !(s.API == wire.Answers && s.From != nil) {
		_, err := wire.Continue(wire.FormOf(s.API, s.Path, s.Body), s.Body, s.Partial, s.Policy.Continuation)
		return err
	}
	return nil
}

// known is the target as shared state tells it from others.
func (t *Target) known(model string) shared.Target {
	host := ""
	if t.Base != wire.Hosts[t.Provider].Base {
		_, host, _ = strings.Cut(t.Base, "://")
		host, _, _ = strings.Cut(host, "/")
	}
	return shared.Target{Provider: t.Provider, Host: host, Model: model}
}

// target returns a target by its place in the chain; 0 is where the call goes first.
func (s *Spec) target(n int) *Target {
	if n == 0 {
		return &s.Target
	}
	return &s.Fallbacks[n-1]
}

// request builds the request for a target: the caller's own for the first, rebuilt for the others,
// going on from the partial text where there is one. dropped lists what the target cannot be told.
func (s *Spec) request(n int, partial string) (r wire.Request, dropped []string, err error) {
	t := s.target(n)
	r = wire.Request{Method: "POST", URL: t.Base + wire.Fill(t.Path, wire.Model(wire.Request{Body: s.Body})), Body: returned(s.Body)}
	if s.Stream && partial != "" {
		if r.Body, err = wire.Continue(wire.FormOf(s.API, s.Path, s.Body), r.Body, partial, s.Policy.Continuation); err != nil {
			return r, nil, err
		}
	}
	if n > 0 {
		if dropped, err = s.rebuild(n, &r); err != nil {
			return r, nil, err
		}
	}
	if s.Tag {
		r.Body = wire.Tag(t.Provider, t.API, r.Body, s.ID)
	}
	if s.Stream && t.API == wire.Chat && (n > 0 || s.Metered) { // else a stream has no usage
		r.Body = wire.Counted(r.Body)
	}
	if s.Stream && !(s.Raw && n == 0) { // a raw request is streamed as its caller wrote it
		r = wire.Streamed(t.API, r)
	}
	return r, dropped, nil
}

// header returns the header fields of requests to a target.
func (s *Spec) header(t *Target) header.Header {
	if s.ID != "" && wire.Idempotent(t.Provider, t.API, t.Path) {
		return t.Header.Set("Idempotency-Key", s.ID)
	}
	return t.Header
}
