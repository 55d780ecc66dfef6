package live

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	std "time"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/time"
)

var update = flag.Bool("update", false, "rewrite what the sessions of testdata do")

// A story is a text file: what happens and when, and indented behind it what the session does.
//
//	# A sentence about the story.
//	provider gemini              gemini openai xai
//	setup {…}
//	startover
//	set attempts 2               attempts open first idle handlelife life buffer sends
//
//	0s    start
//	      -> open 1 first
//	100ms opened 1               also: closed 1 1006 "reason", refused 1 401, say {…}, shut, abort,
//	                             online, offline, frozen (nothing ticks until the next line)
//	200ms message 1 {…}
//
// The session is ticked whenever its deadline comes; every draw is 0.5.
func TestStories(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	if len(files) == 0 {
		t.Fatal("no stories")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := play(string(want))
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(want) {
				t.Errorf("the session does otherwise:\n%s", got)
			}
		})
	}
}

var epoch = time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC

type player struct {
	spec    Spec
	set     []func(*Policy)
	session *Session
	now     time.Duration
	frozen  bool
	done    bool
	out     strings.Builder
}

func play(story string) (string, error) {
	p := player{spec: Spec{Provider: fault.Gemini, Setup: json.Value(`{"model":"m"}`), Random: func() float64 { return 0.5 }}}
	lines := bufio.NewScanner(strings.NewReader(story))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "->") {
			continue
		}
		if err := p.line(line, lines.Text()); err != nil {
			return "", fmt.Errorf("line %d: %q: %w", n, line, err)
		}
	}
	p.run(time.Duration(1<<61), true)
	if !p.done {
		p.say("(the session waits)")
	}
	return p.out.String(), nil
}

func (p *player) say(format string, args ...any) {
	fmt.Fprintf(&p.out, "      -> "+format+"\n", args...)
}

func (p *player) line(line, raw string) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	after, err := std.ParseDuration(word)
	if err != nil {
		fmt.Fprintln(&p.out, strings.TrimRight(raw, " "))
		return p.setting(word, rest)
	}
	if p.session == nil {
		p.spec.Policy = Defaults(p.spec.Provider)
		for _, set := range p.set {
			set(&p.spec.Policy)
		}
		p.session = New(p.spec)
	}
	at := time.Duration(after)
	p.run(at, false)
	p.now = at
	fmt.Fprintln(&p.out, strings.TrimRight(raw, " "))
	return p.event(rest)
}

func (p *player) setting(word, rest string) (err error) {
	switch word {
	case "", "#":
	case "provider":
		p.spec.Provider = fault.Provider(rest)
	case "setup":
		p.spec.Setup, err = json.Parse([]byte(rest))
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

func (p *player) event(rest string) error {
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

// run ticks whenever the deadline comes, until a time.
func (p *player) run(until time.Duration, last bool) {
	if p.frozen {
		if until > p.now && !last {
			p.now = until
			p.handle(Event{Kind: Tick})
		}
		return
	}
	for n := 0; n < 1000 && p.session != nil; n++ {
		at, ok := p.session.Deadline()
		if !ok || at.Sub(epoch) > until || last && at.Sub(epoch) > p.now+24*time.Hour {
			return
		}
		p.now = max(p.now, at.Sub(epoch))
		fmt.Fprintf(&p.out, "      -> … %s\n", p.now)
		p.handle(Event{Kind: Tick})
	}
}

func (p *player) handle(e Event) {
	for _, a := range p.session.Handle(epoch.Add(p.now), e) {
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
