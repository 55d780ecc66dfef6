package core

import (
	"fmt"
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/shared"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// keeper plays a provider that makes answers in the background and keeps them: OpenAI's Responses.
type keeper struct {
	attempt, made int    // the exchange; how many runs there were
	open, stream  bool   // the exchange runs; it asks for a stream
	answered      bool   // with 200
	document      bool   // and with one
	id            string // of the run that the exchange is about
	from          string // the text that the run goes on behind
	at            int    // of its events, the next to send
	asks          string // method and URL
}

const pieces = 12 // that a run says its text in

func (k *keeper) request(a Action) {
	r := a.Request
	k.attempt, k.open, k.answered, k.document = a.Attempt, true, false, false
	k.asks = r.Method + " " + r.URL
	if r.Method == "POST" {
		k.made++
		k.id, k.at, k.stream, k.from = fmt.Sprint("r", k.made), 0, true, ""
		r.Body.Get("input").Each(func(_ string, m json.Value) bool {
			if _, partial, ok := strings.Cut(m.Get("content").Text(), "So far: "); ok {
				k.from = partial
			}
			return true
		})
		return
	}
	_, after, stream := strings.Cut(r.URL, "starting_after=")
	if k.stream = stream || strings.Contains(r.URL, "stream=true"); k.stream {
		k.at = 0
		if fmt.Sscan(after, &k.at); stream {
			k.at++
		}
	}
}

func (k *keeper) text() string { return strings.TrimPrefix(answer, k.from) }

func (k *keeper) piece(n int) string {
	t := k.text()
	return t[len(t)*n/pieces : len(t)*(n+1)/pieces]
}

func (k *keeper) response(status string, said int) string {
	text := k.text()[:len(k.text())*said/pieces]
	return fmt.Sprintf(`{"id":%q,"object":"response","status":%q,"error":null,"output":[{"type":"message","content":[{"type":"output_text","text":%q}]}],"usage":{"input_tokens":7,"output_tokens":9}}`, k.id, status, text)
}

// event is event n of the run, as a stream has it.
func (k *keeper) event(n int) []byte {
	switch {
	case n == 0:
		return fmt.Appendf(nil, "data: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":%q,\"status\":\"in_progress\"}}\n\n", k.id)
	case n <= pieces:
		return fmt.Appendf(nil, "data: {\"type\":\"response.output_text.delta\",\"sequence_number\":%d,\"delta\":%q}\n\n", n, k.piece(n-1))
	}
	return fmt.Appendf(nil, "data: {\"type\":\"response.completed\",\"sequence_number\":%d,\"response\":%s}\n\n", n, k.response("completed", pieces))
}

// FuzzKept: an answer that its provider keeps is taken up again, wherever its streams and the looks at
// it break. What is shown is its beginning, in order and once; complete means all of it; and in the
// end nothing is set aside any more.
func FuzzKept(f *testing.F) {
	f.Add([]byte{1, 2, 2, 5, 0, 1, 2, 5, 0, 4, 0, 1, 3, 0, 1, 2}, false)
	f.Add([]byte{9, 0, 9, 0, 5, 0, 4, 0, 9, 8, 0, 9, 12}, true)
	f.Add([]byte{1, 2, 5, 0, 7, 0, 6, 0, 6, 0, 1, 2, 2}, false)
	f.Fuzz(func(t *testing.T, script []byte, background bool) {
		s := spec(t, background)
		s.Provider, s.API, s.Policy = fault.OpenAI, wire.Responses, Defaults(fault.OpenAI, background)
		s.Policy.Continuation = "So far: {partial}"
		s.Body, _ = json.Parse([]byte(`{"model":"gpt-5","background":true,"input":"Hi"}`))
		s.Shared = shared.New(shared.Config{})
		c, k, now := New(s), &keeper{}, start
		shown, done := "", (*Result)(nil)
		handle := func(e Event) {
			for _, a := range c.Handle(now, e) {
				switch {
				case done != nil:
					t.Fatalf("%v after Done", a.Kind)
				case a.Kind == Send && a.Attempt == 0: // withdrawn
				case a.Kind == Send && k.open:
					t.Fatal("two exchanges at once")
				case a.Kind == Send:
					k.request(a)
				case a.Kind == Cancel:
					k.open = false
				case a.Kind == Done:
					done = a.Result
				case a.Kind == Emit && a.Note == nil && a.Delta.Kind == wire.Restart:
					if !background {
						t.Fatal("a live answer was taken back")
					}
					shown = ""
				case a.Kind == Emit && a.Note == nil:
					shown += string(a.Delta.Text)
				}
			}
			if !strings.HasPrefix(answer, shown) {
				t.Fatalf("shown %q", shown)
			}
		}
		body := func(status int, body string) {
			handle(Event{Kind: Responded, Attempt: k.attempt, Status: status})
			handle(Event{Kind: Received, Attempt: k.attempt, Bytes: []byte(body)})
			handle(Event{Kind: Ended, Attempt: k.attempt})
			k.open = false
		}
		handle(Event{Kind: Start})
		handle(Event{Kind: Flow})
		for ; done == nil && len(script) > 0; script = script[1:] {
			op := script[0]
			switch {
			case op%13 == 0:
				if at, ok := c.Deadline(); ok && at.After(now) {
					now = at
				}
				handle(Event{Kind: Tick})
			case !k.open:
			case op%13 == 1 && !k.answered && k.stream:
				k.answered = true
				handle(Event{Kind: Responded, Attempt: k.attempt, Status: 200})
			case op%13 == 2 && k.answered:
				handle(Event{Kind: Received, Attempt: k.attempt, Bytes: k.event(k.at)})
				k.at++
			case op%13 == 3 && k.answered && k.at <= pieces && strings.HasPrefix(k.asks, "GET"): // one is left out
				k.at++
				handle(Event{Kind: Received, Attempt: k.attempt, Bytes: k.event(k.at)})
				k.at++
			case op%13 == 5:
				k.open = false
				handle(Event{Kind: Broke, Attempt: k.attempt, Fault: fault.Lost(fault.Transport, "gone")})
			case op%13 == 6 && k.answered:
				k.open = false
				handle(Event{Kind: Ended, Attempt: k.attempt})
			case k.answered:
			case op%13 == 4:
				body(503, "")
			case op%13 == 7:
				body(404, `{"error":{"message":"Response with id 'r1' not found."}}`)
			case op%13 == 8:
				body(200, k.response("in_progress", int(op)%pieces))
			case op%13 == 9:
				body(200, k.response("completed", pieces))
			case op%13 == 10 && strings.HasPrefix(k.asks, "GET") && len(shown) > len(k.from):
				body(200, k.response("completed", 0)) // it is not kept whole
			case op%13 == 11:
				handle(Event{Kind: Aborted})
			}
			now = now.Add(time.Millisecond)
		}
		if done == nil {
			return
		}
		spent := s.Shared.Health(now).Spend
		if done.Text != shown || done.Status == Complete && shown != answer {
			t.Fatalf("%s with %d of %d bytes, shown %d", done.Status, len(done.Text), len(answer), len(shown))
		}
		if spent.Held != 0 || spent.Spent != done.Bill.Cost {
			t.Fatalf("%+v, and the bill is %+v", spent, done.Bill)
		}
	})
}
