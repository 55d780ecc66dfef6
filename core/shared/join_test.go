package shared

import (
	"math/rand/v2"
	"testing"

	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// Tabs that write their snapshots to one place, each after it has joined what it finds there, add up
// to what all of them have spent, whatever they do and in whatever order.
func TestJoin(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var stored []byte
		var tabs []*tab
		var paid spend.Ticks
		calls := int64(0)
		write := func(x *tab) {
			if x.base != nil && string(stored) != string(x.base) {
				if err := x.Join(x.base, stored); err != nil {
					t.Fatal(err)
				}
			}
			stored = x.Snapshot()
			x.base = stored
		}
		for range 3 {
			x := &tab{rig: newRig(t, Config{})}
			write(x)
			tabs = append(tabs, x)
		}
		for range 60 {
			x := tabs[random.IntN(len(tabs))]
			switch random.IntN(3) {
			case 0:
				x.open = append(x.open, x.admit(a))
			case 1:
				for _, ticket := range x.open {
					paid += ticket.Report(x.now.Add(time.Second), Outcome{Usage: wire.Usage{Input: random.Int64N(1000), Output: 1 + random.Int64N(1000)}}).Cost
					calls++
				}
				x.open = nil
			case 2:
				write(x)
			}
		}
		for _, x := range tabs {
			for _, ticket := range x.open {
				paid += ticket.Report(x.now, Outcome{Usage: wire.Usage{Output: 1}}).Cost
				calls++
			}
		}
		for range 2 {
			for _, x := range tabs {
				write(x)
			}
		}
		for i, x := range tabs {
			if f := x.Health(x.now).Spend; f.Spent != paid || f.Attempts != calls || f.Held != 0 {
				t.Fatalf("seed %d, tab %d: %+v, want %v in %d calls", seed, i, f, paid, calls)
			}
		}
		x := tabs[0]
		before := string(x.Snapshot())
		if x.Join(stored[1:], stored) == nil || x.Join(stored, nil) == nil || string(x.Snapshot()) != before {
			t.Fatal("what is damaged was joined")
		}
	}
}

type tab struct {
	*rig
	base []byte // the snapshot that it has read or written last
	open []*Ticket
}
