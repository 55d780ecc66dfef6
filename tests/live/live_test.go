package live

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/live"
	"holdfast/tests/sim/socket"
)

var setups = map[fault.Provider]string{
	fault.Gemini: `{"model":"models/gemini-live"}`,
	fault.OpenAI: `{"model":"gpt-x"}`,
	fault.XAI:    `{"model":"grok-x"}`,
}

func ping(p fault.Provider) live.Event {
	message := `{"input":"ping"}`
	if p == fault.Gemini {
		message = `{"clientContent":{"turns":[{"role":"user","parts":[{"text":"ping"}]}],"turnComplete":true}}`
	}
	return live.Event{Kind: live.Say, Data: []byte(message)}
}

// ended tells that a turn has come to its end, whole or not.
func ended(n int) func(live.Item) bool {
	return func(i live.Item) bool {
		switch i.Kind {
		case live.ItemMessage:
			return i.Data.Get("serverContent", "turnComplete").True() || strings.HasPrefix(i.Data.Get("type").Text(), "response.completed")
		case live.ItemLost:
			return i.First <= n && n <= i.Last
		}
		return i.Kind == live.ItemInterrupted || i.Kind == live.ItemFailed
	}
}

// turns is how many turns the provider was asked for in a session, over all its connections.
func turns(t *testing.T, address, id string) (n int) {
	response, err := http.Get(address + "/sim/sockets?session=" + id)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var list []socket.Connection
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		n += c.Turns
	}
	return n
}

// Wherever the TCP connection is cut in a turn: the turn is reported once, the next one is whole,
// and nothing was asked for twice.
func TestCutAtEveryWord(t *testing.T) {
	address := start(t)
	for p, setup := range setups {
		for word := range 8 {
			id := fmt.Sprintf("%s-cut-%d", p, word)
			h := dial(t, address, p, setup, id, fmt.Sprintf(`[{},{"endAfterWords":%d,"end":"reset"},{}]`, word), "")
			h.tell(ping(p))
			h.until(ended(1))
			if p == fault.Gemini {
				h.until(func(i live.Item) bool { return i.Data.Get("sessionResumptionUpdate", "resumable").True() })
			}
			h.tell(ping(p))
			cut := 0
			for _, i := range h.until(ended(2)) {
				if i.Kind == live.ItemInterrupted || i.Kind == live.ItemLost {
					cut++
				}
			}
			h.tell(ping(p))
			h.until(ended(3))
			h.tell(live.Event{Kind: live.Shut})
			if r := h.result; cut != 1 || r.Status != live.Complete || r.Turns != 2 || r.Interrupted > 1 || r.Opened != 2 {
				t.Errorf("%s: cut %d, %+v", id, cut, r)
			}
			if n := turns(t, address, id); n != 3 {
				t.Errorf("%s: the provider was asked for %d turns", id, n)
			}
		}
	}
}

// In transparent mode the turn that was cut is asked for again, once.
func TestCutTransparent(t *testing.T) {
	address := start(t)
	for word := range 8 {
		id := fmt.Sprintf("transparent-%d", word)
		h := dial(t, address, fault.Gemini, `{"model":"models/gemini-live","sessionResumption":{"transparent":true}}`, id, fmt.Sprintf(`[{},{"endAfterWords":%d,"end":"reset"},{}]`, word), "")
		h.tell(ping(fault.Gemini))
		h.until(func(i live.Item) bool {
			return i.Data.Get("sessionResumptionUpdate", "lastConsumedClientMessageIndex") != nil
		})
		h.tell(ping(fault.Gemini))
		h.until(func(i live.Item) bool { return i.Data.Get("serverContent", "turnComplete").True() })
		h.tell(live.Event{Kind: live.Shut})
		if r := h.result; r.Status != live.Complete || r.Turns != 2 || len(r.Lost) != 0 || r.Opened != 2 {
			t.Errorf("%s: %+v", id, r)
		}
		if n := turns(t, address, id); n != 3 {
			t.Errorf("%s: the provider was asked for %d turns", id, n)
		}
	}
}

// Whatever the provider does to its connections: every message has an outcome, no turn is asked for
// twice, and turns that ended and turns that did not add up.
func TestChaos(t *testing.T) {
	address := start(t)
	const messages = 12
	for p, setup := range setups {
		for seed := range uint64(12) {
			random := rand.New(rand.NewPCG(seed, 7))
			var script, sockets []string
			for range 2 * messages {
				script = append(script, []string{`{}`, `{}`, `{}`, fmt.Sprintf(`{"endAfterWords":%d,"end":"reset"}`, random.IntN(6))}[random.IntN(4)])
				n := 1 + random.IntN(4)
				sockets = append(sockets, []string{
					`{}`, fmt.Sprintf(`{"dropAfterTurns":%d}`, n), fmt.Sprintf(`{"limitAfterTurns":%d}`, n),
					fmt.Sprintf(`{"goAwayAfterTurns":%d,"timeLeftMs":%d}`, n, 1+random.IntN(100)), `{"refuseUpgrade":503}`, `{"text":true}`,
				}[random.IntN(6)])
			}
			id := fmt.Sprintf("%s-chaos-%d", p, seed)
			h := dial(t, address, p, setup, id, "["+strings.Join(script, ",")+"]", "["+strings.Join(sockets, ",")+"]")
			said := 0
			for h.result == nil && said < messages {
				h.tell(ping(p))
				said++
				h.until(ended(said))
			}
			h.tell(live.Event{Kind: live.Shut})
			r := h.result
			lost := 0
			for _, l := range r.Lost {
				lost += l.Last - l.First + 1
			}
			if r.Messages != said || r.Turns+r.Interrupted+lost < said {
				t.Errorf("%s: of %d messages %d turns ended, %d were cut, %d lost: %+v", id, said, r.Turns, r.Interrupted, lost, r)
			}
			if n := turns(t, address, id); n > said {
				t.Errorf("%s: %d turns were asked for by %d messages", id, n, said)
			}
			if r.Fault != nil && r.Opened < live.Defaults(p).Budget.Attempts && p != fault.Gemini {
				t.Errorf("%s: gave up after %d connections: %+v", id, r.Opened, r.Fault)
			}
		}
	}
}
