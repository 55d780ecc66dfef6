package cut

import (
	"math/rand"
	"strconv"
	"strings"
	"testing"
	std "time"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/pace"
	"holdfast/core/shared"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// world is a call among providers that do what they like, on a clock: each request is answered by chance,
// the network goes and comes back, timers are late, the process dies and another takes the answer up.
type world struct {
	*testing.T
	*rand.Rand
	chain []stream
	spec  core.Spec
	limit spend.Ticks
	plans []Provider

	call    *core.Call
	now     time.Time
	queue   []due // of the exchange
	others  []due // what else happens
	open    int   // the exchange that runs
	reading bool
	slow    bool // the caller wants nothing now

	played Played
	base   string // what was shown when the process died last
	deaths int
	away   bool
}

// due is an event and when it happens. Without an event, time leaps.
type due struct {
	at   time.Time
	e    core.Event
	leap time.Duration
}

// behaves is what a provider does about one request.
func (w *world) behaves() string {
	some := func(of ...string) string { return of[w.Intn(len(of))] }
	number := func(key string, n int) string { return `,"` + key + `":` + strconv.Itoa(w.Intn(n)) }
	b := `{"words":` + strconv.Itoa(1+w.Intn(5)) + `,"continues":"` + some(ways...) + `"`
	for _, chance := range []string{`,"reasoning":"I think of the sea."`, number("chunkBytes", 90), number("gapMs", 3000), number("delayMs", 20000), `,"tool":true`} {
		if w.Intn(6) == 0 {
			b += chance
		}
	}
	end := `,"end":"` + some("close", "drop", "reset", "hang") + `"`
	failing := `,"error":"` + some("invalid_request", "content_policy", "auth", "quota", "rate_limit", "overloaded", "server_error") + `"`
	hint := some("", `,"retryAfter":"`+some("0", "1.999", "2", "2.001", "20", "60", "61", "-1", "x", "1e9")+`"`)
	return b + some("", "", end+number("endAfterBytes", 6000), end+number("endAfterBytes", 2000), `,"beforeHeaders":true,"end":"`+some("reset", "hang")+`"`,
		failing+hint, failing+`,"errorAfterWords":`+strconv.Itoa(1+w.Intn(12)), number("malformedAfterWords", 12), `,"noTerminal":true`, `,"asJson":true`,
		number("pauseAfterWords", 8)+number("pauseMs", 400_000),
		`,"status":`+some("429", "500", "502", "503", "504")+`,"body":"<html></html>","contentType":"text/html","headers":{"retry-after":"`+some("", "1", "3", "30")+`"}`) + `}`
}

func (w *world) list() string {
	list := w.behaves()
	for range w.Intn(3) {
		list += "," + w.behaves()
	}
	return "[" + list + "]"
}

func (w *world) policy(s stream) core.Policy {
	p := core.Defaults(s.provider, w.spec.Background)
	for _, limit := range []*time.Duration{&p.Idle, &p.FirstDelta, &p.Headers, &p.Budget.Total} {
		if w.Intn(3) == 0 {
			*limit = time.Duration(1+w.Intn(60)) * time.Second
		}
	}
	p.Budget.Attempts = 1 + w.Intn(4)
	p.Budget.Continues = w.Intn(3)
	return p
}

func newWorld(t *testing.T, seed int64) *world {
	w := &world{T: t, Rand: rand.New(rand.NewSource(seed)), now: epoch}
	for range 1 + w.Intn(3) {
		s := streams[w.Intn(len(streams))]
		w.chain = append(w.chain, s)
		text := string(json.AppendQuoted(nil, short))
		script, store := `{"text":`+text+`,"requests":`+w.list()+`,"continuations":`+w.list()+`,"reads":`+w.list()+`}`, new(sim.Store)
		w.plans = append(w.plans, func(_ int, r *core.Request) sim.Exchange {
			path, query, _ := strings.Cut(r.URL, "?")
			return sim.Plan(store, sim.Request{Method: r.Method, Path: path, Query: query, Sim: script, Session: "s", Body: r.Body, Now: std.Duration(w.now.Sub(epoch))})
		})
	}
	raw := w.Intn(3) == 0
	w.spec = w.chain[0].spec(!raw && w.Intn(4) == 0)
	if raw {
		w.spec = w.chain[0].raw()
	}
	w.spec.Policy, w.spec.Random = w.policy(w.chain[0]), w.Float64
	w.spec.Cursors, w.spec.Metered, w.spec.Stay = !raw && w.Intn(2) == 0, w.Intn(4) == 0, w.Intn(8) == 0
	for _, s := range w.chain[1:] {
		target := s.spec(false).Target
		target.Model, target.Policy = "other-x", w.policy(s)
		w.spec.Fallbacks = append(w.spec.Fallbacks, target)
	}
	w.limit = spend.Ticks(w.Int63n(2e10))
	w.spec.Shared = shared.New(shared.Config{Limit: spend.Limit{Set: true, Max: w.limit}, PerModel: w.Intn(2) == 0})
	for range w.Intn(4) {
		at := epoch.Add(time.Duration(w.Int63n(int64(40 * time.Second))))
		switch w.Intn(4) {
		case 0:
			w.others = append(w.others, due{at: at, e: core.Event{Kind: core.Offline}}, due{at: at.Add(time.Duration(w.Int63n(int64(5 * time.Minute)))), e: core.Event{Kind: core.Online}})
		case 1:
			w.others = append(w.others, due{at: at, e: core.Event{Kind: core.Aborted}})
		case 2:
			w.others = append(w.others, due{at: at, leap: time.Duration(w.Int63n(int64(15 * time.Minute)))})
		}
	}
	return w
}

func (w *world) play() {
	w.begin(w.spec)
	for i := 0; w.played.Result == nil; i++ {
		if i > 200_000 {
			w.Fatal("it does not end")
		}
		if w.spec.Cursors && w.deaths < 3 && w.Intn(40) == 0 {
			w.die()
			continue
		}
		next := -1 // of others
		for j := range w.others {
			if next < 0 || w.others[j].at.Before(w.others[next].at) {
				next = j
			}
		}
		heard := len(w.queue) > 0 && (w.reading || w.queue[0].e.Kind == core.Responded || w.queue[0].e.Kind == core.Broke)
		at, timed := w.call.Deadline()
		d := due{at: at, e: core.Event{Kind: core.Tick}}
		switch {
		case heard && !(timed && at.Before(w.queue[0].at)) && !(next >= 0 && w.others[next].at.Before(w.queue[0].at)):
			d, w.queue = w.queue[0], w.queue[1:]
			if d.e.Kind != core.Responded {
				w.reading = false
			}
			if d.e.Kind == core.Ended || d.e.Kind == core.Broke {
				w.open = 0
			}
		case next >= 0 && !(timed && at.Before(w.others[next].at)):
			d = w.others[next]
			w.others = append(w.others[:next], w.others[next+1:]...)
		case !timed && !w.slow:
			w.Fatal("the call waits for nothing")
		}
		if d.at.After(w.now) {
			w.now = d.at
		}
		w.now = w.now.Add(d.leap)
		if d.leap > 0 {
			d.e.Kind = core.Tick
		}
		w.away = w.away || d.e.Kind == core.Offline
		w.handle(d.e)
		if w.slow = w.Intn(9) == 0; !w.slow && w.played.Result == nil {
			w.handle(core.Event{Kind: core.Demand})
		}
	}
	if len(w.call.Handle(w.now, core.Event{Kind: core.Tick})) > 0 {
		w.Fatal("it goes on behind its end")
	}
}

func (w *world) begin(spec core.Spec) {
	w.call, w.queue, w.open, w.reading = core.New(spec), nil, 0, false
	w.handle(core.Event{Kind: core.Start})
	if w.played.Result == nil {
		w.handle(core.Event{Kind: core.Demand})
	}
}

// die loses the call, and makes another one that takes its answer up, where there is a way.
func (w *world) die() {
	at := told{text: w.played.Text, calls: w.played.Calls, cursor: w.played.Cursor}
	if len(at.calls) > 0 && !at.resumable() {
		return
	}
	w.deaths++
	w.base = at.text
	spec := w.spec
	spec.Partial, spec.From = at.text, at.cursor
	if at.cursor == nil && w.played.Thought != "" {
		spec.From = &core.Cursor{At: wire.Cursor{Reasoning: len(w.played.Thought)}}
	}
	w.begin(spec)
}

func (w *world) handle(e core.Event) {
	for _, a := range w.call.Handle(w.now, e) {
		switch {
		case w.played.Result != nil:
			w.Fatal("an action behind Done")
		case a.Kind == core.Send && a.Attempt > 0:
			w.send(a)
		case a.Kind == core.Read && w.reading:
			w.Fatal("two reads at once")
		case a.Kind == core.Read:
			w.reading = true
		case a.Kind == core.Cancel:
			w.queue, w.open, w.reading = nil, 0, false
		case a.Kind == core.Done:
			w.played.Result = a.Result
		case a.Cursor != nil:
			w.played.Cursor = a.Cursor
		case a.Head != nil || a.Bytes != nil:
			if a.Head != nil {
				w.played.Head = a.Head
			}
			w.played.Body = append(w.played.Body, a.Bytes...)
		case a.Delta.Kind == wire.Text:
			if w.played.Text += string(a.Delta.Text); !strings.HasPrefix(short, w.played.Text) {
				w.Fatalf("shown: %q", w.played.Text)
			}
		case a.Delta.Kind == wire.Reasoning:
			w.played.Thought += string(a.Delta.Text)
		case a.Delta.Kind == wire.ToolCall:
			w.played.Calls = append(w.played.Calls, a.Delta.Tool)
		case a.Delta.Kind == wire.Restart:
			if len(w.played.Calls) > 0 || w.played.Text != w.base && !w.spec.Background {
				w.Fatalf("taken back: %q and %d calls", w.played.Text, len(w.played.Calls))
			}
			w.played.Text, w.played.Thought = w.base, ""
		}
	}
}

// send queues what the provider does about a request, and when.
func (w *world) send(a core.Action) {
	if w.open > 0 {
		w.Fatal("two exchanges at once")
	}
	w.open, w.queue, w.reading = a.Attempt, nil, false
	x := w.plans[a.Request.Target](a.Attempt, a.Request)
	at, chunk := w.now.Add(time.Duration(x.Delay)), []int{1 << 20, 7, 100}[w.Intn(3)]
	event := func(e core.Event) {
		e.Attempt = a.Attempt
		w.queue = append(w.queue, due{at: at, e: e})
	}
	if x.Status > 0 {
		event(core.Event{Kind: core.Responded, Status: x.Status, Header: append(header.Header(nil), x.Header...)})
	}
	for _, step := range x.Steps {
		at = at.Add(time.Duration(step.Wait))
		for rest := step.Write; len(rest) > 0 && x.Status > 0 && step.End != sim.Hang; {
			n := min(len(rest), chunk)
			event(core.Event{Kind: core.Received, Bytes: rest[:n]})
			rest = rest[n:]
		}
		switch step.End {
		case sim.Close:
			event(core.Event{Kind: core.Ended})
		case sim.Drop, sim.Reset:
			event(core.Event{Kind: core.Broke, Fault: fault.Network("TypeError", "ECONNRESET", "terminated")})
		}
	}
}

// check holds what came of it against the laws.
func (w *world) check() {
	r := w.played.Result
	if whole := r.Status == core.Complete; whole == (r.Fault.Decision != "") && r.Status != core.ContentFilter || whole && r.Text != short {
		w.Fatalf("%s: %q (%+v)", r.Status, r.Text, r.Fault)
	}
	if len(w.played.Calls) > 1 {
		w.Fatalf("%d tool calls", len(w.played.Calls))
	}
	if w.deaths > 0 { // the bills of lost calls are nobody's
		return
	}
	full, continued := map[int]int{}, map[int]int{}
	for i, a := range r.Attempts {
		switch a.Kind {
		case core.Resumed:
			continue
		case core.Continued:
			continued[a.Target]++
		default:
			full[a.Target]++
		}
		if i == 0 || r.Attempts[i-1].Target != a.Target {
			continue
		}
		before := r.Attempts[i-1]
		if f := before.Fault; f.Decision != fault.Retry && before.Kind != core.Resumed || a.Sent.Sub(before.Sent.Add(before.Took)) < f.Hint.Wait {
			w.Fatalf("attempt %d after %s, at once", i+1, f.Reason)
		}
	}
	for n := range w.chain {
		b := w.spec.Policy.Budget
		handed := 0
		if n > 0 {
			b, handed = w.spec.Fallbacks[n-1].Policy.Budget, 1
		}
		if !w.away && (full[n] > b.Attempts || continued[n] > b.Continues+handed) {
			w.Fatalf("%d attempts and %d continuations at target %d: %+v", full[n], continued[n], n, b)
		}
	}
	if s := w.spec.Shared.Health(w.now).Spend; s.Held != 0 || s.Spent != r.Bill.Cost || s.Spent > w.limit+s.Overrun {
		w.Fatalf("%+v of %v, the bill is %v", s, w.limit, r.Bill.Cost)
	}
	if !w.spec.Raw {
		if r.Text != w.played.Text || r.Reasoning != w.played.Thought || len(r.Tools) != len(w.played.Calls) {
			w.Fatalf("told %q, %q and %d calls; shown %q, %q and %d", r.Text, r.Reasoning, len(r.Tools), w.played.Text, w.played.Thought, len(w.played.Calls))
		}
	} else if w.played.Head != nil && w.played.Head.Status == 200 && r.Status != core.Cancelled {
		text, ended, from := w.chain[0].read(w.T, w.played.Body)
		if (ended == wire.Complete) != (r.Status == core.Complete) || !strings.HasPrefix(short, text) || ended == wire.Complete && text != short || from.Fault.Reason == fault.Truncated {
			w.Fatalf("%s reads as %v (%+v): %q", r.Status, ended, from.Fault, text)
		}
	}
	if total := w.spec.Policy.Budget.Total; total == pace.Off && w.now.Sub(epoch) > 30*24*time.Hour {
		w.Fatal("it took a month")
	}
}

// FuzzAnything: whatever happens to a call, nothing is shown twice, lost or called complete that is not, no
// budget, hint or limit is passed, and what an SDK reads is one well-formed stream.
func FuzzAnything(f *testing.F) {
	for seed := range int64(400) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		w := newWorld(t, seed)
		w.play()
		w.check()
	})
}
