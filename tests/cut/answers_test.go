package cut

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/shared"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// gateway is the other side of a durable answer, as wasm/worker serves it.
type gateway struct {
	messages []string // all that the answer's stream holds
	batch    int      // messages in an event
	kept     map[string]bool
	asked    int             // the model, for an answer
	cut      func(n int) int // the bytes after which exchange n breaks; -1: it ends well
	lost     map[int]bool    // exchanges whose response never comes
	n        int
}

func message(kind, text string) string {
	var w json.Writer
	return string(w.Open("", '{').Text("type", kind).Text("text", text).Close('}').Out)
}

// answering is a gateway whose model says a text, three bytes of UTF-8 or more a message.
func answering(text string, before ...string) *gateway {
	g := &gateway{messages: before, batch: 2, kept: map[string]bool{}, cut: func(int) int { return -1 }}
	for rest := text; rest != ""; {
		n := min(len(rest), 5)
		for n < len(rest) && rest[n]&0xC0 == 0x80 {
			n++
		}
		g.messages = append(g.messages, message("text", rest[:n]))
		rest = rest[n:]
	}
	g.end(`{"status":"complete","finishReason":"stop","usage":{"inputTokens":7,"outputTokens":9},"costUsd":0.25,"model":"m","attempts":[],"offer":[],"warnings":["w"]}`)
	return g
}

func (g *gateway) end(result string) {
	g.messages = append(g.messages, `{"type":"done","result":`+result+`}`)
}

func (g *gateway) provider(_ int, r *core.Request) sim.Exchange {
	n := g.n
	g.n++
	path, query, _ := strings.Cut(strings.TrimPrefix(r.URL, "https://gateway.test"), "?")
	id := r.Header.Get("idempotency-key")
	from := 0
	switch {
	case r.Method == "POST" && path == "/answers/v1/chat/completions":
		if !g.kept[id] {
			g.kept[id] = true
			g.asked++
		}
	case r.Method == "GET" && strings.HasPrefix(path, "/answers/") && g.kept[path[len("/answers/"):]]:
		offset, ok := strings.CutPrefix(query, "offset=")
		offset, live := strings.CutSuffix(offset, "&live=sse")
		if !ok || !live {
			panic("asked for " + query)
		}
		if offset != "-1" {
			from, _ = strconv.Atoi(strings.TrimPrefix(offset, "o"))
		}
	default:
		return sim.Exchange{Status: 404, Header: header.Header{{Name: "x-should-retry", Value: "false"}}, Steps: []sim.Step{{Write: []byte(`{"error":{"message":"There is no such stream.","code":"not_found"}}`), End: sim.Close}}}
	}
	if g.lost[n] {
		return sim.Exchange{}
	}
	var body strings.Builder
	for at := from; ; {
		next := min(at+g.batch, len(g.messages))
		if next > at {
			body.WriteString("event: data\ndata:[" + strings.Join(g.messages[at:next], ",") + "]\n\n")
		}
		at = next
		body.WriteString("event: control\ndata:{\"streamNextOffset\":\"o" + strconv.Itoa(at) + "\"")
		if at == len(g.messages) {
			body.WriteString(",\"streamClosed\":true}\n\n")
			break
		}
		body.WriteString(",\"streamCursor\":\"1\"}\n\n: ping\n\n")
	}
	step := sim.Step{Write: []byte(body.String()), End: sim.Close}
	if cut := g.cut(n); cut >= 0 && cut < len(step.Write) {
		step = sim.Step{Write: step.Write[:cut], End: sim.Reset}
		if n%3 == 2 { // as when the gateway ends a connection
			step.End = sim.Close
		}
	}
	return sim.Exchange{Status: 200, Header: header.Header{{Name: "content-type", Value: "text/event-stream"}}, Steps: []sim.Step{step}}
}

func following(t *testing.T, at told) core.Spec {
	body, err := json.Parse([]byte(`{"model":"fast","messages":[{"role":"user","content":"Tell me of tide pools."}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return core.Spec{
		Target: core.Target{Provider: fault.OpenAI, API: wire.Answers, Base: "https://gateway.test", Path: "/answers/v1/chat/completions", Policy: core.Defaults(fault.OpenAI, false).Durable()},
		Body:   body, Stream: true, Cursors: true, ID: "answer-1", Partial: at.text, From: at.cursor, Random: func() float64 { return 0 },
	}
}

// Wherever the way to the gateway breaks, and in whatever chunks it carries, the answer comes whole,
// and the model is asked once.
func TestAnswersEveryByte(t *testing.T) {
	for _, batch := range []int{1, 3, 1000} {
		for at := 0; ; at += 3 {
			g := answering(short, message("reasoning", "Hm."), `{"type":"tool_call","id":"c","name":"f","arguments":"{}"}`)
			g.batch = batch
			whole := false
			g.cut = func(n int) int {
				if n == 0 {
					return at
				}
				return at/7 + (40+batch)*n // it goes on breaking, a little later each time
			}
			spec := following(t, told{})
			got := Play(spec, func(n int, r *core.Request) sim.Exchange {
				x := g.provider(n, r)
				whole = n == 1 && x.Steps[0].End == sim.Close && n%3 != 2
				return x
			}, at%50)
			checkAnswer(t, g, got, at)
			if len(got.Calls) != 1 || got.Thought != "Hm." {
				t.Fatalf("cut at %d: %d tool calls, reasoning %q", at, len(got.Calls), got.Thought)
			}
			if whole && got.Requests == 1 {
				break
			}
		}
	}
}

func checkAnswer(t *testing.T, g *gateway, got Played, at int) {
	t.Helper()
	if got.Status != core.Complete || got.Text != short || got.Result.Text != short || g.asked != 1 || got.Continues != 0 || got.Restarts != 0 {
		t.Fatalf("cut at %d: %s, the model was asked %d times, %d continuations, %d restarts: %q (%+v)", at, got.Status, g.asked, got.Continues, got.Restarts, got.Text, got.Fault)
	}
	if got.Told.Get("warnings").At(0).Text() != "w" || got.Usage.Output != 9 || got.Finish != "stop" {
		t.Fatalf("cut at %d: told %s, usage %+v", at, got.Told, got.Usage)
	}
}

// A POST whose answer is lost is sent again, with the same key.
func TestAnswersLostResponse(t *testing.T) {
	g := answering(short)
	g.lost = map[int]bool{0: true, 1: true}
	got := Play(following(t, told{}), g.provider, 0)
	checkAnswer(t, g, got, 0)
	if kinds := kindsOf(got); kinds != "first retry retry" {
		t.Errorf("%s", kinds)
	}
}

// A reader that comes back, at any event, hears what follows.
func TestAnswersTakenUp(t *testing.T) {
	for stop := 1; ; stop++ {
		g := answering(short)
		var at told
		first := PlayUntil(following(t, at), g.provider, 77, stop)
		at.hear(first)
		if first.Result != nil {
			break
		}
		at.hear(Play(following(t, at), g.provider, 0))
		if at.text != short || g.asked != 1 {
			t.Fatalf("stopped at %d: %q", stop, at.text)
		}
	}
}

// However the answer ended there, so it ends here: nothing is recovered on this side.
func TestAnswersEnds(t *testing.T) {
	for _, status := range []core.Status{core.ContentFilter, core.Interrupted, core.Failed, core.Cancelled} {
		g := answering("Hello")
		g.messages = g.messages[:len(g.messages)-1]
		g.end(`{"status":"` + string(status) + `","error":{"reason":"overloaded","decision":"retry"},"offer":["continue"]}`)
		got := Play(following(t, told{}), g.provider, 0)
		if got.Status != status || got.Requests != 1 || got.Text != "Hello" || got.Told.Get("error", "reason").Text() != "overloaded" {
			t.Errorf("%s: %s after %d requests: %q", status, got.Status, got.Requests, got.Text)
		}
	}
}

// The gateway's own restart takes everything back, also for a reader that came later.
func TestAnswersRestart(t *testing.T) {
	g := answering(short, message("text", "Wrong. "), `{"type":"restart"}`)
	g.batch = 1
	for stop := 1; ; stop++ {
		g.kept, g.asked, g.n = map[string]bool{}, 0, 0
		var at told
		first := PlayUntil(following(t, at), g.provider, 0, stop)
		at.hear(first)
		if first.Result != nil {
			break
		}
		got := Play(following(t, at), g.provider, 0)
		if got.Restarts > 0 {
			at = told{}
		}
		at.hear(got)
		if at.text != short || got.Result.Text != short {
			t.Fatalf("stopped at %d: %q, result %q", stop, at.text, got.Result.Text)
		}
	}
}

// What the caller took beyond an offset is left out when it comes again.
func TestAnswersAhead(t *testing.T) {
	g := answering(short, message("reasoning", "Hm."), message("reasoning", " So."), `{"type":"tool_call","id":"","name":"f","arguments":"{}"}`, `{"type":"tool_call","id":"","name":"g","arguments":"{}"}`)
	g.kept["answer-1"] = true
	at := told{text: string([]rune(short)[:12]), cursor: &core.Cursor{Provider: fault.OpenAI, API: wire.Answers,
		At: wire.Cursor{ID: "answer-1", Event: "-1", Ahead: wire.Ahead{Text: 12, Reasoning: 4, Tools: 1}}}}
	g.cut = func(n int) int { return []int{250, 90, -1}[min(n, 2)] }
	got := Play(following(t, at), g.provider, 0)
	if at.text+got.Text != short || got.Result.Text != short || got.Thought != "So." || len(got.Calls) != 1 || got.Calls[0].Name != "g" {
		t.Errorf("%q, %q, %+v", got.Text, got.Thought, got.Calls)
	}
}

// A gateway that is gone, or has the answer no longer, leaves what was shown; the model is never asked
// to go on from here.
func TestAnswersGone(t *testing.T) {
	g := answering(short)
	g.cut = func(n int) int { return 300 }
	for name, after := range map[string]sim.Exchange{
		"unreachable": {},
		"expired":     {Status: 404, Header: header.Header{{Name: "x-should-retry", Value: "false"}}, Steps: []sim.Step{{Write: []byte(`{"error":{"code":"not_found"}}`), End: sim.Close}}},
	} {
		got := Play(following(t, told{}), func(n int, r *core.Request) sim.Exchange {
			if n > 1 {
				return after
			}
			return g.provider(n, r)
		}, 0)
		want := 2
		if name == "unreachable" {
			want = 31
		}
		if got.Status != core.Interrupted || got.Text == "" || !strings.HasPrefix(short, got.Text) || got.Requests != want || got.Continues != 0 || !slices.Contains(got.Offer, "continue") {
			t.Errorf("%s: %s after %d requests: %q, offers %v", name, got.Status, got.Requests, got.Text, got.Offer)
		}
	}
}

// A user who asks to go on after the gateway's answer ended gets another answer, joined to the first.
func TestAnswersContinued(t *testing.T) {
	at := strings.Index(short, "*sea stars*")
	g := answering(short[strings.Index(short, "mussels"):]) // it says some words again
	g.cut = func(n int) int { return []int{150, 300, -1}[min(n, 2)] }
	spec := following(t, told{})
	spec.Partial = short[:at]
	got := Play(spec, func(n int, r *core.Request) sim.Exchange {
		if last := r.Body.Get("messages").At(1); r.Method == "POST" && !strings.Contains(last.Get("content").Text(), spec.Partial) {
			t.Errorf("the request does not go on from the text: %s", r.Body)
		}
		return g.provider(n, r)
	}, 0)
	if got.Status != core.Complete || got.Result.Text != short {
		t.Errorf("%s %q", got.Status, got.Result.Text)
	}
}

// Whoever cancels stops the answer at the gateway; whoever only leaves does not.
func TestAnswersWithdrawn(t *testing.T) {
	spec := following(t, told{})
	c := core.New(spec)
	var sent []string
	handle := func(e core.Event) {
		for _, a := range c.Handle(epoch, e) {
			if a.Kind == core.Send {
				sent = append(sent, a.Request.Method+" "+a.Request.URL)
			}
		}
	}
	handle(core.Event{Kind: core.Start})
	handle(core.Event{Kind: core.Responded, Attempt: 1, Status: 200})
	handle(core.Event{Kind: core.Aborted})
	if want := []string{"POST https://gateway.test/answers/v1/chat/completions", "POST https://gateway.test/answers/answer-1/cancel"}; !slices.Equal(sent, want) {
		t.Errorf("%q", sent)
	}
}

// Connections that the gateway ends are no failures of anybody's; one that ends them all at once is
// given up some time.
func TestAnswersConnectionEnds(t *testing.T) {
	g := answering(short)
	spec := following(t, told{})
	spec.Shared = shared.New(shared.Config{})
	at := 0
	ends := func(_ int, r *core.Request) sim.Exchange {
		from := 0
		if _, offset, ok := strings.Cut(r.URL, "offset=o"); ok {
			from, _ = strconv.Atoi(strings.TrimSuffix(offset, "&live=sse"))
		}
		at = min(from+3, len(g.messages))
		closed := ""
		if at == len(g.messages) {
			closed = `,"streamClosed":true`
		}
		body := "event: data\ndata:[" + strings.Join(g.messages[from:at], ",") + "]\n\nevent: control\ndata:{\"streamNextOffset\":\"o" + strconv.Itoa(at) + "\"" + closed + "}\n\n"
		return sim.Exchange{Status: 200, Steps: []sim.Step{{Write: []byte(body), End: sim.Close}}}
	}
	got := Play(spec, ends, 0)
	if got.Status != core.Complete || got.Text != short || got.Requests < 10 || got.First.Decision != "" {
		t.Errorf("%s after %d requests: %q (%+v)", got.Status, got.Requests, got.Text, got.First)
	}
	for _, target := range spec.Shared.Health(epoch).Targets {
		if target.Failures != 0 {
			t.Errorf("%d failures of %s", target.Failures, target.Host)
		}
	}
	if spent := spec.Shared.Health(epoch).Spend.Spent.Dollars(); spent != 0.25 {
		t.Errorf("%v USD", spent)
	}

	idle := func(int, *core.Request) sim.Exchange {
		return sim.Exchange{Status: 200, Steps: []sim.Step{{Write: []byte("event: control\ndata:{\"streamNextOffset\":\"o0\"}\n\n"), End: sim.Close}}}
	}
	if got := Play(following(t, told{}), idle, 0); got.Status != core.Interrupted || got.Requests > 40 {
		t.Errorf("%s after %d requests", got.Status, got.Requests)
	}
}
