package spend

import (
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// FuzzLedger reserves, settles, loses and forgets attempts in any order, and holds the ledger to
// its law: settled <= reserved <= limit, with every bill above its reservation named as such.
func FuzzLedger(f *testing.F) {
	f.Add([]byte{0, 40, 1, 80, 2, 9, 1, 0, 3, 255, 0, 12})
	f.Fuzz(func(t *testing.T, script []byte) {
		l := Ledger{Limit: AtMost(USD / 4)}
		at := now
		var holds []*Hold
		var bills, over, held Ticks
		for i := 0; i+1 < len(script); i += 2 {
			op, n := script[i], script[i+1]
			switch op & 3 {
			case 0, 1: // an attempt
				before := l.Figures()
				h, ok := l.Reserve(at, fault.OpenAI, "gpt-5.5", Estimate{Input: int64(n) * 50, Output: int64(op) * 20})
				left := l.Limit.Max - before.Spent - before.Held
				if len(l.holds) == len(holds)+1 && ok != (h.Amount == 0 || h.Amount <= left) {
					t.Fatalf("%v asked, %v left, admitted=%v", h.Amount, left, ok)
				}
				if ok {
					holds = append(holds, h)
				}
			case 2: // one of them ends
				if len(holds) == 0 {
					continue
				}
				k := int(n) % len(holds)
				h := holds[k]
				open := h.open
				holds = append(holds[:k], holds[k+1:]...)
				b := h.Settle(at, Use{Free: op&4 > 0, Complete: op&8 > 0, Seen: int(n) * 30,
					Usage: wire.Usage{Input: int64(op >> 4), Output: int64(n) * int64(op>>5)}})
				if !open && b != (Bill{}) || b.Cost-b.Over > h.Amount || b.Over > 0 && b.Cost-b.Over != h.Amount {
					t.Fatalf("%+v for %v", b, h.Amount)
				}
			case 3: // time passes, or the clock is set
				at = at.Add(time.Duration(int8(n)) * 3 * time.Minute)
			}
			got := l.Figures()
			if !got.Valid() || got.Spent-got.Overrun+got.Held > l.Limit.Max {
				t.Fatalf("%+v over %v", got, l.Limit.Max)
			}
			held = 0
			for _, h := range l.holds {
				held += h.Amount
			}
			if held != got.Held || got.Spent < bills || got.Overrun < over {
				t.Fatalf("%+v, but %v is held", got, held)
			}
			bills, over = got.Spent, got.Overrun
		}
	})
}

// FuzzCost: no usage, however wild, costs less than nothing, and more tokens never cost less.
func FuzzCost(f *testing.F) {
	f.Add(int64(100), int64(50), int64(20), int64(10), int64(5))
	f.Add(int64(-1), int64(1<<62), int64(-1<<63), int64(1<<63-1), int64(1))
	f.Fuzz(func(t *testing.T, input, output, cached, write, hour int64) {
		r := Rates{10_000, 1_000, 12_500, 20_000, 50_000}
		u := wire.Usage{Input: input, Output: output, Cached: cached, CacheWrite: write, CacheWrite1h: hour}
		cost := r.Cost(u)
		if cost < 0 || cost > maxTicks {
			t.Fatalf("%+v costs %d", u, cost)
		}
		if u.Output < maxTokens {
			u.Output++
		}
		if r.Cost(u) < cost {
			t.Fatalf("%+v costs less", u)
		}
		if dear := (Rates{1e8, 1e8, 1e8, 1e8, 1e8}).Cost(u); dear < 0 {
			t.Fatal(dear)
		}
	})
}

// FuzzGuess: any body gives a sane estimate.
func FuzzGuess(f *testing.F) {
	f.Add([]byte(`{"max_tokens":1e18,"n":-4,"generationConfig":{"candidateCount":999999999}}`))
	f.Add([]byte(`[[[`))
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := json.Parse(body)
		if err != nil {
			return
		}
		if e := Guess(wire.Chat, v); e.Input < 0 || e.Input > int64(len(v)) || e.Output < 1 || e.Output > maxTokens {
			t.Fatalf("%+v", e)
		}
	})
}

// FuzzParse: a table that is accepted answers for every model.
func FuzzParse(f *testing.F) {
	f.Add(prices, "gpt-5")
	f.Add("* * above 5 from 2026-01-01 1 1 1 1 1\n* * 0 0 0 0 0", "x")
	f.Fuzz(func(t *testing.T, text, model string) {
		table, err := Parse(text)
		if err != nil {
			return
		}
		if r, _ := table.Rates(fault.OpenAI, model, now, 1<<40); r.Input < 0 || r.Output < 0 {
			t.Fatal(r)
		}
	})
}
