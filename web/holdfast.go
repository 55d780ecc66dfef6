//go:build js

package main

import "syscall/js"

// This file is a typed view of holdfast.js: the page uses the module through it as any page
// would, and nothing else here knows how the module's objects look. See holdfast.d.ts.

// Module is holdfast.js, as boot.js imported it.
type Module struct{ value js.Value }

// Client makes answers.
type Client struct{ value js.Value }

// Answer is one answer on its way.
type Answer struct{ value js.Value }

// Store keeps this tab's answer over a reload, in a place of its own; it is store.js.
type Store struct {
	value js.Value
	place string
}

// Kept is an answer that was on its way when the page was left.
type Kept struct {
	value js.Value
	Text  string
	// Messages are the conversation up to its question, as role and content.
	Messages [][2]string
}

// Handlers are told what happens to an answer. Done is called once and last, with a result, or
// with an error when the module itself failed.
type Handlers struct {
	Delta func(kind, text string)
	Event func(Event)
	Done  func(*Result, error)
}

// Event is a CallEvent; members that an event does not have are zero.
type Event struct {
	Type       string
	AtMs       float64
	Attempt    int
	Kind       string
	HTTPStatus int
	RequestID  string
	Error      *Failure
	WaitMs     float64
	UntilMs    float64
	Source     string
	Trimmed    int
	Message    string
	Status     string
}

// Failure is what went wrong with one attempt, or with all.
type Failure struct {
	Decision, Reason, Code, Message string
	TraceID, RequestID              string
	Status                          int
}

// Attempt is the report of one exchange.
type Attempt struct {
	Number             int
	Kind               string
	HTTPStatus         int
	RequestID, TraceID string
	API                string // answers: an exchange with the gateway
	TextLength         int
	Trimmed            int
	Shown              bool
	Error              *Failure
}

// Result says how an answer ended, and what the page may offer.
type Result struct {
	Status         string
	Text           string
	FinishReason   string
	Refusal        string
	Tool           string // the first tool that the model called
	Model          string
	RedirectedFrom string
	Attempts       []Attempt
	Error          *Failure
	RetryAtMs      float64 // 0: the server did not say
	MayContinue    bool
	MayTryAgain    bool
	Warnings       []string
}

// CreateClient loads the program behind the module. It blocks, so it is not for event handlers.
func (m Module) CreateClient(options map[string]any) (Client, error) {
	v, err := await(m.value.Call("createClient", options))
	return Client{v}, err
}

// Stream asks for an answer.
func (c Client) Stream(path string, body js.Value, options map[string]any, h Handlers) Answer {
	return follow(c.value.Call("stream", path, body, h.addTo(options)), h)
}

// Continue goes on from the text of an answer that has ended.
func (a Answer) Continue(h Handlers) Answer {
	return follow(a.value.Call("continue", h.addTo(map[string]any{})), h)
}

// TryAgain asks again from zero.
func (a Answer) TryAgain(h Handlers) Answer {
	return follow(a.value.Call("tryAgain", h.addTo(map[string]any{})), h)
}

// ResumeAnswer goes on with a durable answer where the page left off.
func (c Client) ResumeAnswer(k Kept, options map[string]any, h Handlers) Answer {
	durable := k.value.Get("durable")
	for _, name := range []string{"text", "path", "body"} {
		options[name] = k.value.Get(name)
	}
	return follow(c.value.Call("resumeAnswer", durable.Get("id"), durable.Get("offset"), h.addTo(options)), h)
}

// Keep keeps an answer until it is whole.
func (s Store) Keep(a Answer, path string, body js.Value) {
	s.value.Call("keep", s.place, a.value, map[string]any{"path": path, "body": body})
}

// Get gives the durable answer that is kept, or nil. It blocks.
func (s Store) Get() *Kept {
	v, err := await(s.value.Call("get", s.place))
	if err != nil || v.Type() != js.TypeObject || v.Get("durable").Type() != js.TypeObject {
		return nil
	}
	k := &Kept{value: v, Text: text(v, "text")}
	each(v.Get("body").Get("messages"), func(m js.Value) {
		k.Messages = append(k.Messages, [2]string{text(m, "role"), text(m, "content")})
	})
	return k
}

// Cancel stops the answer and keeps its text.
func (a Answer) Cancel() { a.value.Call("cancel") }

// addTo adds the handlers to options. Their functions are never released: an answer may be
// continued for as long as the page shows it.
func (h Handlers) addTo(options map[string]any) map[string]any {
	options["onDelta"] = js.FuncOf(func(_ js.Value, args []js.Value) any {
		h.Delta(text(args[0], "type"), text(args[0], "text"))
		return nil
	})
	options["onEvent"] = js.FuncOf(func(_ js.Value, args []js.Value) any {
		h.Event(eventFrom(args[0]))
		return nil
	})
	return options
}

func follow(answer js.Value, h Handlers) Answer {
	then(answer.Get("result"),
		func(v js.Value) { h.Done(resultFrom(v), nil) },
		func(err error) { h.Done(nil, err) })
	return Answer{answer}
}

func eventFrom(v js.Value) Event {
	return Event{
		Type: text(v, "type"), AtMs: number(v, "atMs"), Attempt: int(number(v, "attempt")),
		Kind: text(v, "kind"), HTTPStatus: int(number(v, "httpStatus")), RequestID: text(v, "requestId"),
		Error: failureFrom(v.Get("error")), WaitMs: number(v, "waitMs"), UntilMs: number(v, "untilMs"),
		Source: text(v, "source"), Trimmed: int(number(v, "trimmed")), Message: text(v, "message"),
		Status: text(v, "status"),
	}
}

func failureFrom(v js.Value) *Failure {
	if v.Type() != js.TypeObject {
		return nil
	}
	return &Failure{
		Decision: text(v, "decision"), Reason: text(v, "reason"), Code: text(v, "code"),
		Message: text(v, "message"), TraceID: text(v, "traceId"), RequestID: text(v, "requestId"),
		Status: int(number(v, "status")),
	}
}

func resultFrom(v js.Value) *Result {
	r := &Result{
		Status: text(v, "status"), Text: text(v, "text"), FinishReason: text(v, "finishReason"),
		Refusal: text(v, "refusal"), Model: text(v, "model"), RedirectedFrom: text(v, "redirectedFrom"),
		Error: failureFrom(v.Get("error")), RetryAtMs: number(v, "retryAtMs"),
	}
	each(v.Get("offer"), func(offer js.Value) {
		r.MayContinue = r.MayContinue || offer.String() == "continue"
		r.MayTryAgain = r.MayTryAgain || offer.String() == "try_again"
	})
	each(v.Get("attempts"), func(a js.Value) {
		r.Attempts = append(r.Attempts, Attempt{
			Number: int(number(a, "attempt")), Kind: text(a, "kind"), HTTPStatus: int(number(a, "httpStatus")),
			RequestID: text(a, "requestId"), TraceID: text(a, "traceId"), API: text(a, "api"),
			TextLength: int(number(a, "textLength")), Trimmed: int(number(a, "trimmed")),
			Shown: a.Get("shown").Truthy(), Error: failureFrom(a.Get("error")),
		})
	})
	each(v.Get("toolCalls"), func(call js.Value) {
		if r.Tool == "" {
			r.Tool = text(call, "name")
		}
	})
	each(v.Get("warnings"), func(w js.Value) { r.Warnings = append(r.Warnings, w.String()) })
	return r
}
