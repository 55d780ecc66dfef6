// Package sim is a provider of language models that misbehaves as asked, without a network: Plan
// takes a request and says, as data, what the provider answers and when.
//
// It has no clock, goroutine, lock or randomness, so the same requests in the same order always
// get the same answers. Package sim/server plays what it plans over real HTTP; a page without a
// server plays it in memory. Adding an API is one file (chat.go is an example) and its rows in
// routes.
//
// How a request asks for misbehaviour is described at Plan, the script at Script and Behaviour,
// the named scripts in scenario.go.
package sim

import (
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"holdfast/core/header"
	"holdfast/core/json"
)

// Request is one HTTP request to the provider.
type Request struct {
	Method string
	Path   string // without query
	Query  string // as it stands behind the "?"
	Header header.Header
	// Sim, Session and Pace stand for the headers x-sim, x-sim-session and x-sim-pace where the
	// caller could not set headers (a query string, say). "" means the header counts.
	Sim, Session, Pace string
	Body               []byte
	TooLarge           bool          // the body was larger than the server reads
	Now                time.Duration // when it came, on any clock that does not go back
}

// Exchange is everything the provider does about one request.
type Exchange struct {
	Session  string // the session it was counted in
	Number   int    // 1, 2, … in that session
	Scenario string // the name or script that was asked for
	Model    string
	Stream   bool // a stream was asked for
	// Continues tells that the request asked to go on from a partial answer, whose length in
	// bytes is Partial.
	Continues bool
	Partial   int

	Delay  time.Duration // until the response headers
	Status int           // 0: no response at all, only the end
	Header header.Header
	Steps  []Step // the last one has an End, no other has
}

// Step is one thing that happens on the connection: wait, then write, then perhaps end. Write is
// to be sent at once, as a network write of its own.
type Step struct {
	Wait  time.Duration
	Write []byte
	End   End
}

// End is how a connection ends. "" means that it goes on.
type End string

const (
	Close End = "close" // the response ends properly
	Drop  End = "drop"  // the connection closes in the middle of the response
	Reset End = "reset" // a TCP reset
	// Hang keeps the connection open for ever. Where the step has a Wait, its Write is repeated
	// each time that has passed.
	Hang End = "hang"
)

// Body joins all that the exchange writes before it ends or hangs.
func (e Exchange) Body() []byte {
	var body []byte
	for _, step := range e.Steps {
		if step.End != Hang {
			body = append(body, step.Write...)
		}
	}
	return body
}

// Ends tells how the exchange ends.
func (e Exchange) Ends() End { return e.Steps[len(e.Steps)-1].End }

// Plan answers a request and counts it in its session.
//
// The header x-sim holds a scenario's name or a script; x-sim-session an id that the requests of
// one call share, so that "the second request succeeds" means something; x-sim-pace the
// milliseconds between deltas where the script does not say. Without a session id each request
// is a session of its own.
//
// A caller that cannot set headers asks for the model sim-<scenario> or sim-<scenario>@<session>.
// Without @ the session is the scenario and the conversation's first user message. A request that
// reads a stored answer belongs to the session that made it, and obeys the same script.
//
// The path says which provider is meant: /openai, /anthropic, /xai, /gemini and /gloo in front of
// the provider's own paths; see routes, also for what stands there without a prefix.
func Plan(store *Store, r Request) Exchange {
	p := planner{store: store, request: r}
	p.exchange.Scenario = first(r.Sim, r.Header.Get("x-sim"))
	p.exchange.Session = first(r.Session, r.Header.Get("x-sim-session"))
	found := p.read()
	p.exchange.Scenario = first(p.exchange.Scenario, "healthy")
	p.open()
	if found != "" {
		p.refuse(found, p.prompt.wrong)
		return p.exchange
	}
	script, err := scriptFor(p.exchange.Scenario)
	if err != nil {
		p.refuse("invalid_request", err.Error())
		return p.exchange
	}
	p.answer(script)
	return p.exchange
}

// planner carries one request through Plan.
type planner struct {
	store    *Store
	request  Request
	api      api
	argument string // of the route
	speaks   dialect
	prompt   prompt
	kept     *kept // the stored answer that is asked for, or nil
	session  *session
	exchange Exchange
}

// read understands the request; it returns the code of the fault that it finds, or "".
func (p *planner) read() string {
	row, argument, speaks, others := find(p.request)
	p.speaks = speaks
	switch {
	case others:
		return "method_not_allowed"
	case row < 0:
		return "not_found"
	case p.request.TooLarge:
		return "request_too_large"
	}
	p.api, p.argument = routes[row].api, argument
	if p.api.operate != nil {
		p.recall()
		return ""
	}
	body, err := json.Parse(p.request.Body)
	if err != nil || body.Kind() != '{' {
		return "invalid_request"
	}
	p.prompt = prompt{speaks: speaks, model: argument, stream: p.api.always}
	if !p.api.read(body, &p.prompt) {
		return "validation"
	}
	p.exchange.Model, p.exchange.Stream = p.prompt.model, p.prompt.stream
	if name, asked := strings.CutPrefix(p.prompt.model, "sim-"); asked {
		scenario, id, _ := strings.Cut(name, "@")
		p.exchange.Scenario = scenario
		p.exchange.Session = first(p.exchange.Session, id, scenario+"-"+hash(p.prompt.first))
	}
	if p.prompt.wrong != "" {
		return "invalid_request"
	}
	return ""
}

// open finds the session and gives the request its number and the headers that all answers have.
func (p *planner) open() {
	e := &p.exchange
	if e.Session == "" {
		e.Session = p.store.fresh()
	}
	p.session = p.store.session(e.Session)
	if p.session.requests == 0 {
		p.session.began = p.request.Now
	}
	p.session.requests++
	e.Number = p.session.requests
	e.Header = p.identify()
}

// id is a name that is always the same for this request of this session.
func (p *planner) id(prefix string) string {
	return prefix + hash(p.exchange.Session+"\n"+strconv.Itoa(p.exchange.Number))
}

func hash(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	return strconv.FormatUint(h.Sum64(), 16)
}

// refuse answers a request that no script was asked about. developer is what the one who wrote
// the request should know, or "".
func (p *planner) refuse(code, developer string) {
	b := ordinary
	b.Error = code
	p.fail(b, developer)
}

// answer does what the script says for this request.
func (p *planner) answer(script Script) {
	answer, partial := p.findPartial(script.Text)
	list, count := p.session.list(script, partial > 0, p.api.operate != nil)
	b := next(list, *count)
	p.exchange.Continues, p.exchange.Partial = partial > 0, partial
	b.inherit(script)
	if code := p.forbidden(b); code != "" {
		p.refuse(code, "")
		return
	}
	*count++
	if b.DownFor > 0 {
		b = p.outage(b)
	}
	if pace := first(p.request.Pace, p.request.Header.Get("x-sim-pace")); b.Gap == 0 && pace != "" {
		if ms, err := strconv.Atoi(pace); err == nil && ms >= 0 {
			b.Gap = time.Duration(ms) * time.Millisecond
		}
	}
	p.perform(b, goOn(answer, partial, b.Continues))
}

// forbidden is the code of what the behaviour does not let pass, or "". Such a request never
// reached the model, and is not counted.
func (p *planner) forbidden(b Behaviour) string {
	h := p.request.Header
	if b.NeedsKey && first(h.Get("authorization"), h.Get("x-api-key"), h.Get("x-goog-api-key"), query(p.request.Query, "key")) == "" {
		return "auth"
	}
	if p.prompt.prefill == "" {
		return ""
	}
	takes := !p.prompt.noPrefill
	if b.Prefill != nil {
		takes = *b.Prefill
	}
	if !takes {
		return "prefill"
	}
	if p.speaks == anthropic && strings.TrimRight(p.prompt.prefill, " \n\t") != p.prompt.prefill {
		return "prefill_space"
	}
	return ""
}

// outage is how b behaves now: down, or healthy again.
func (p *planner) outage(b Behaviour) Behaviour {
	if p.request.Now-p.session.began < b.DownFor {
		b.Error, b.ErrorAfter = first(b.Error, "service_unavailable"), -1
	} else {
		b.Error, b.ErrorAfter = "", -1
	}
	return b
}

// findPartial returns the answer that the conversation is about, and how many bytes of it the
// request carries.
func (p *planner) findPartial(text string) (answer string, partial int) {
	candidates := []string{text}
	if text == "" {
		candidates = candidates[:0]
		for _, c := range canned {
			candidates = append(candidates, c.text)
		}
	}
	for _, candidate := range candidates {
		n := partialIn(p.prompt.last, candidate)
		if strings.HasPrefix(candidate, p.prompt.prefill) {
			n = max(n, len(p.prompt.prefill))
		}
		if n > partial {
			answer, partial = candidate, n
		}
	}
	if partial == 0 {
		answer = first(text, answerTo(p.prompt.last))
	}
	return answer, partial
}

// first returns the first text that is not empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
