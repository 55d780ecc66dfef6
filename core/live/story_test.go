package live

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	std "time"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/shared"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
	"holdfast/tests/story"
)

// A story is a text file: what happens and when, and indented behind it what the session does.
//
//	# A sentence about the story.
//	provider gemini              gemini openai xai
//	setup {…}
//	startover
//	limit 0.01                   of money, in USD
//	set attempts 2               attempts open first idle handlelife life buffer sends
//
//	0s    start
//	      -> open 1 first
//	100ms opened 1               also: closed 1 1006 "reason", refused 1 401, say {…}, shut, abort,
//	                             online, offline, frozen (nothing ticks until the next line)
//	200ms message 1 {…}
//
// The session is ticked whenever its deadline comes; every draw is 0.5.
func TestStories(t *testing.T) { story.Test(t, 25, play) }

var epoch = time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC

type player struct {
	story.Story
	spec    Spec
	set     []func(*Policy)
	session *Session
	frozen  bool
	done    bool
}

func play(text string) (string, error) {
	p := player{spec: Spec{Provider: fault.Gemini, Setup: json.Value(`{"model":"m"}`), Random: func() float64 { return 0.5 }}}
	return p.Play(text, &p)
}

func (p *player) say(format string, args ...any) { p.Say("-> "+format, args...) }

// Begin makes the session with the provider's defaults and the story's own numbers.
func (p *player) Begin() error {
	p.spec.Policy = Defaults(p.spec.Provider)
	for _, set := range p.set {
		set(&p.spec.Policy)
	}
	p.session = New(p.spec)
	return nil
}

func (p *player) Setting(word, rest string) (err error) {
	switch word {
	case "provider":
		p.spec.Provider = fault.Provider(rest)
	case "setup":
		p.spec.Setup, err = json.Parse([]byte(rest))
	case "limit": // of money, in USD
		usd, _ := strconv.ParseFloat(rest, 64)
		p.spec.Shared = shared.New(shared.Config{Limit: spend.AtMost(spend.FromDollars(usd))})
	case "startover":
		p.spec.StartOver = true
	case "set":
		name, value, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(value)
		long, _ := std.ParseDuration(value)
		d := time.Duration(long)
		p.set = append(p.set, func(q *Policy) {
			switch name {
			case "attempts":
				q.Budget.Attempts = n
			case "open":
				q.Open = d
			case "first":
				q.FirstEvent = d
			case "idle":
				q.Idle = d
			case "handlelife":
				q.HandleLife = d
			case "life":
				q.ConnectionLife = d
			case "buffer":
				q.MaxBuffer = n
			case "sends":
				q.Sends = n
			}
		})
	default:
		err = fmt.Errorf("unknown setting")
	}
	return err
}

func (p *player) Event(rest string) error {
	word, rest, _ := strings.Cut(rest, " ")
	e := Event{}
	number := func() {
		var n string
		n, rest, _ = strings.Cut(strings.TrimSpace(rest), " ")
		e.Connection, _ = strconv.Atoi(n)
	}
	p.frozen = false
	switch word {
	case "start":
		e.Kind = Start
	case "opened":
		number()
		e.Kind = Opened
	case "message":
		number()
		e.Kind, e.Data = Message, []byte(rest)
	case "closed":
		number()
		code, reason, _ := strings.Cut(rest, " ")
		e.Kind = Closed
		e.Closing.Code, _ = strconv.Atoi(code)
		e.Closing.Reason, _ = strconv.Unquote(reason)
	case "refused":
		number()
		e.Kind = Closed
		e.Closing.Code = 1006
		e.Closing.Status, _ = strconv.Atoi(rest)
	case "say":
		e.Kind, e.Data = Say, []byte(rest)
	case "shut":
		e.Kind = Shut
	case "abort":
		e.Kind = Aborted
	case "online":
		e.Kind = Online
	case "offline":
		e.Kind = Offline
	case "frozen":
		p.frozen = true
		return nil
	default:
		return fmt.Errorf("unknown event")
	}
	p.handle(e)
	return nil
}

// Until ticks whenever the deadline comes, until a time.
func (p *player) Until(until time.Duration, end bool) {
	if p.frozen {
		if until > p.Now && !end {
			p.Now = until
			p.handle(Event{Kind: Tick})
		}
		return
	}
	for n := 0; n < 1000; n++ {
		at, ok := p.session.Deadline()
		if !ok || at.Sub(epoch) > until || end && at.Sub(epoch) > p.Now+24*time.Hour {
			return
		}
		p.Now = max(p.Now, at.Sub(epoch))
		p.Say("... %s", p.Now)
		p.handle(Event{Kind: Tick})
	}
}

func (p *player) Ended() bool { return p.done }

func (p *player) handle(e Event) {
	for _, a := range p.session.Handle(epoch.Add(p.Now), e) {
		switch a.Kind {
		case Open:
			p.say("open %d", a.Connection)
		case Frame:
			p.say("frame %d %s", a.Connection, a.Data)
		case Close:
			p.say("close %d", a.Connection)
		case Give:
			p.give(a.Item)
		case Tell:
			p.tell(a.Note)
		case Done:
			p.done = true
			r := a.Result
			f := fault.Fault{}
			if r.Fault != nil {
				f = *r.Fault
			}
			p.say("done %s: connections %d turns %d interrupted %d lost %v handle %q response %q %s %s", r.Status, r.Opened, r.Turns, r.Interrupted, r.Lost, r.Handle, r.Response, f.Decision, f.Reason)
			if r.Usage != (wire.Usage{}) {
				p.say("  used %d and %d tokens, %s USD, estimated %v", r.Usage.Input, r.Usage.Output, r.Bill.Cost, r.Bill.Estimated)
			}
			for _, w := range r.Warnings {
				p.say("  warned: %s", w)
			}
		}
	}
}

func (p *player) give(i *Item) {
	switch i.Kind {
	case ItemMessage: // what came is what is given
	case ItemInterrupted:
		p.say("%s %d %s %v", i.Kind, i.Message, i.Response, i.Calls)
	case ItemLost:
		p.say("%s %d-%d %s", i.Kind, i.First, i.Last, i.Why)
	case ItemForgotten:
		p.say("%s %d", i.Kind, i.Turns)
	case ItemFailed:
		p.say("%s %d %s: %s %s %s", i.Kind, i.Message, i.Response, i.Fault.Decision, i.Fault.Reason, i.Fault.Code)
	default:
		p.say("%s", i.Kind)
	}
}

func (p *player) tell(n *Note) {
	switch n.Kind {
	case NoteConnecting:
		p.say("[connecting %d %s]", n.Connection, n.Why)
	case NoteClosed:
		if n.Fault == nil {
			p.say("[closed %d on purpose]", n.Connection)
		} else {
			p.say("[closed %d by %d: %s %s]", n.Connection, n.Code, n.Fault.Decision, n.Fault.Reason)
		}
	case NoteWaiting:
		p.say("[waiting %s %s]", n.Wait, n.Source)
	case NoteLeaving:
		p.say("[leaving %d in %s]", n.Connection, n.Wait)
	case NoteWarning:
		p.say("[warning %s]", n.Message)
	case NoteDone:
	default:
		p.say("[%s %d]", n.Kind, n.Connection)
	}
}
