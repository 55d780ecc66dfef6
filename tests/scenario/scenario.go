// Package scenario plays stories of one call in virtual time. A story is a text file: what happens
// and when, and indented behind it what the call does about it.
//
//	# A sentence about the story.
//	provider gloo                 gloo openai anthropic xai gemini
//	api chat                      a wire format; "json" for a call that is not streamed
//	background                    nobody waits
//	partial "text"                go on from this text
//	fallback anthropic messages m2   a further target: provider, wire format, model
//	random 0.5                    every draw (default 0.5)
//	set idle 5s                   a number of the policy: attempts continues maxhint total window
//	                              headers firstdelta idle drain switch; "off" switches it off.
//	                              outer: retries of a layer above
//	body {"model":"m","messages":[]}
//
//	0s    start
//	      -> send 1 first
//	100ms headers 1 200 x-request-id=r1
//	120ms text 1 "Hello"          a delta of the wire format; or: event 1 {…}   bytes 1 "…"
//	                              messages 1 [{…}] off of a durable answer, which off is behind
//	      -> text "Hello"
//	200ms reset 1                 also: end 1, abort, leave, online, offline, slow (no demand), demand,
//	                              frozen (nothing ticks until the next line says so)
//	      -> failed 1 retry transport
//	      …
//
// The call is ticked whenever its deadline comes. Lines that start with "->" are what the call
// did; the test compares them, and rewrites them with -update.
package scenario

import (
	"fmt"
	"strconv"
	"strings"
	std "time"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/pace"
	"holdfast/core/time"
	"holdfast/core/wire"
	"holdfast/tests/story"
)

// epoch is when stories begin.
var epoch = time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC

// Play plays a story and returns it with what the call did.
func Play(text string) (string, error) {
	p := player{random: 0.5, consume: true}
	p.spec = core.Spec{Target: core.Target{Provider: fault.Gloo, API: wire.Chat, Base: "https://provider.test", Path: "/chat"}, Stream: true}
	p.spec.Body, _ = json.Parse([]byte(`{"model":"m","messages":[{"role":"user","content":"Hi"}]}`))
	p.spec.Random = func() float64 { return p.random }
	return p.Play(text, &p)
}

type player struct {
	story.Story
	spec    core.Spec
	set     []string
	random  float64
	call    *core.Call
	consume bool // the consumer always wants more
	frozen  bool // no timer fires
	at      int  // the target of the current attempt
	done    bool
}

func (p *player) Setting(word, rest string) (err error) {
	switch word {
	case "provider":
		p.spec.Provider = fault.Provider(rest)
	case "api":
		p.spec.API = wire.API(rest)
		p.spec.Stream = rest != "json"
	case "background":
		p.spec.Background = true
	case "partial":
		p.spec.Partial, err = strconv.Unquote(rest)
	case "fallback":
		words := strings.Fields(rest)
		if len(words) != 3 {
			return fmt.Errorf("a fallback is a provider, a wire format and a model")
		}
		t := core.Target{Provider: fault.Provider(words[0]), API: wire.API(words[1]), Model: words[2], Base: "https://" + words[0] + ".test"}
		t.Path = wire.Hosts[t.Provider].Paths[t.API]
		t.Policy = core.Defaults(t.Provider, p.spec.Background)
		p.spec.Fallbacks = append(p.spec.Fallbacks, t)
	case "random":
		p.random, err = strconv.ParseFloat(rest, 64)
	case "body":
		p.spec.Body, err = json.Parse([]byte(rest))
	case "set":
		p.set = append(p.set, rest)
	default:
		return fmt.Errorf("unknown setting")
	}
	return err
}

// Begin makes the call with the provider's defaults and the story's own numbers.
func (p *player) Begin() error {
	policy := core.Defaults(p.spec.Provider, p.spec.Background)
	if p.spec.API == wire.Answers {
		policy = policy.Durable()
		p.spec.ID, p.spec.Path = "answer-1", "/answers/v1/chat/completions"
	}
	for _, s := range p.set {
		name, value, _ := strings.Cut(s, " ")
		d, n := pace.Off, 0
		var err error
		switch name {
		case "attempts", "continues", "outer":
			n, err = strconv.Atoi(value)
		case "owner":
			policy.Passive = value == "false"
		default:
			if value != "off" {
				var long std.Duration
				long, err = std.ParseDuration(value)
				d = time.Duration(long)
			}
		}
		if err != nil {
			return err
		}
		switch name {
		case "attempts":
			policy.Budget.Attempts = n
		case "continues":
			policy.Budget.Continues = n
		case "outer":
			p.spec.Outer = n
		case "maxhint":
			policy.Budget.MaxHint = d
		case "total":
			policy.Budget.Total = d
		case "window":
			policy.Budget.Window = d
		case "headers":
			policy.Headers = d
		case "firstdelta":
			policy.FirstDelta = d
		case "idle":
			policy.Idle = d
		case "drain":
			policy.Drain = d
		case "switch":
			policy.Switch = d
		case "owner":
		default:
			return fmt.Errorf("unknown number %q", name)
		}
	}
	p.spec.Policy = policy
	if err := p.spec.Check(); err != nil {
		return err
	}
	p.call = core.New(p.spec)
	return nil
}

// Until ticks the call up to a time. At the story's end a call that waits for events is left alone.
func (p *player) Until(until time.Duration, end bool) {
	for i := 0; i < 1000 && !p.done && !p.frozen; i++ {
		at, ok := p.call.Deadline()
		due := at.Sub(epoch)
		if !ok || due > until || end && due-p.Now > time.Hour {
			return
		}
		p.Now = max(p.Now, due)
		p.Say("... %v", p.Now)
		p.handle(core.Event{Kind: core.Tick})
	}
}

func (p *player) Ended() bool { return p.done }

func (p *player) Event(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	number, data, _ := strings.Cut(rest, " ")
	e := core.Event{}
	e.Attempt, _ = strconv.Atoi(number)
	switch word {
	case "start":
		e.Kind = core.Start
	case "headers":
		fields := strings.Fields(data)
		if len(fields) == 0 {
			return fmt.Errorf("a status is missing")
		}
		e.Kind = core.Responded
		e.Status, _ = strconv.Atoi(fields[0])
		for _, f := range fields[1:] {
			name, value, _ := strings.Cut(f, "=")
			e.Header = append(e.Header, header.Field{Name: name, Value: value})
		}
	case "text", "bytes":
		s, err := strconv.Unquote(data)
		if err != nil {
			return err
		}
		e.Kind, e.Bytes = core.Received, []byte(s)
		if word == "text" {
			e.Bytes = []byte("data: " + p.delta(s) + "\n\n")
		}
	case "messages":
		at := strings.LastIndexByte(data, ' ')
		if at < 0 {
			return fmt.Errorf("an offset is missing")
		}
		closed := ""
		if strings.Contains(data, `"done"`) {
			closed = `,"streamClosed":true`
		}
		e.Kind = core.Received
		e.Bytes = fmt.Appendf(nil, "event: data\ndata:%s\n\nevent: control\ndata:{\"streamNextOffset\":%q%s}\n\n", data[:at], data[at+1:], closed)
	case "event":
		e.Kind, e.Bytes = core.Received, []byte("data: "+data+"\n\n")
	case "body":
		e.Kind, e.Bytes = core.Received, []byte(data)
	case "end":
		e.Kind = core.Ended
	case "reset":
		e.Kind, e.Fault = core.Broke, fault.Network("TypeError", "ECONNRESET", "terminated")
	case "abort":
		e.Kind = core.Aborted
	case "leave":
		e.Kind = core.Left
	case "online":
		e.Kind = core.Online
	case "offline":
		e.Kind = core.Offline
	case "demand":
		e.Kind = core.Demand
	case "slow":
		p.consume = false
		return nil
	case "frozen":
		p.frozen = true
		return nil
	case "tick":
		e.Kind, p.frozen = core.Tick, false
	default:
		return fmt.Errorf("unknown event")
	}
	p.handle(e)
	return nil
}

// delta is a text delta of the story's wire format.
func (p *player) delta(text string) string {
	quoted := string(json.AppendQuoted(nil, text))
	api := p.spec.API
	if p.at > 0 {
		api = p.spec.Fallbacks[p.at-1].API
	}
	switch api {
	case wire.Messages:
		return `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + quoted + `}}`
	case wire.Generate:
		return `{"candidates":[{"content":{"parts":[{"text":` + quoted + `}]}}]}`
	case wire.Interactions:
		return `{"event_type":"step.delta","index":0,"delta":{"type":"text","text":` + quoted + `}}`
	case wire.Responses:
		return `{"type":"response.output_text.delta","delta":` + quoted + `}`
	}
	return `{"choices":[{"index":0,"delta":{"content":` + quoted + `}}]}`
}

// handle gives the call an event, and the demand that a willing consumer has.
func (p *player) handle(e core.Event) {
	p.act(p.call.Handle(epoch.Add(p.Now), e))
	if p.consume && !p.done {
		p.act(p.call.Handle(epoch.Add(p.Now), core.Event{Kind: core.Demand}))
	}
}

func (p *player) act(actions []core.Action) {
	for _, a := range actions {
		switch a.Kind {
		case core.Send:
			p.send(a.Attempt, a.Request)
		case core.Read:
			if !p.consume {
				p.Say("-> read %d", a.Attempt)
			}
		case core.Cancel:
			p.Say("-> cancel %d", a.Attempt)
		case core.Done:
			p.result(a.Result)
		case core.Emit:
			if a.Note != nil {
				p.note(a.Note)
			} else if a.Delta.Kind == wire.ToolCall {
				p.Say("-> tool_call %s %s %s", a.Delta.Tool.ID, a.Delta.Tool.Name, a.Delta.Tool.Arguments)
			} else if a.Delta.Kind == wire.Restart {
				p.Say("-> restart")
			} else {
				p.Say("-> %s %q", a.Delta.Kind, a.Delta.Text)
			}
		}
	}
}

func (p *player) send(attempt int, r *core.Request) {
	path := strings.TrimPrefix(r.URL, p.spec.Base)
	if attempt == 0 {
		p.Say("-> tell %s %s", r.Method, path)
		return
	}
	p.at = r.Target
	if r.Method == "GET" {
		p.Say("-> get %d %s", attempt, path)
		return
	}
	n := 0
	for _, list := range []string{"messages", "input", "contents"} {
		r.Body.Get(list).Each(func(string, json.Value) bool { n++; return true })
	}
	to := ""
	if r.Target > 0 {
		to = " to " + r.URL
	}
	p.Say("-> send %d (%d messages)%s", attempt, n, to)
}

func (p *player) note(n *core.Note) {
	switch n.Kind {
	case core.NoteFailed:
		p.Say("-> failed %d %s %s", n.Attempt, n.Fault.Decision, n.Fault.Reason)
	case core.NoteWaiting:
		p.Say("-> waiting for %d: %v by %s", n.Attempt, n.Wait, n.Source)
	case core.NoteJoined:
		p.Say("-> joined %d, %d removed", n.Attempt, n.Trimmed)
	case core.NoteOffline, core.NoteWarning:
		p.Say("-> %s %s", n.Kind, n.Message)
	}
}

func (p *player) result(r *core.Result) {
	p.done = true
	p.Say("-> done %s %q", r.Status, r.Text)
	if r.Fault.Decision != "" {
		p.Say("->   because %s %s", r.Fault.Decision, r.Fault.Reason)
	}
	if !r.RetryAt.IsZero() {
		p.Say("->   retry at %v", r.RetryAt.Sub(epoch))
	}
	if r.Finish != "" {
		p.Say("->   finish %s", r.Finish)
	}
	p.Say("->   offer %v", r.Offer)
}
