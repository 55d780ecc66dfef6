package shared

import (
	"bytes"
	"reflect"
	"testing"

	"holdfast/core/breaker"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// lived is a State with something of everything in it.
func lived(t *testing.T) *rig {
	r := newRig(t, Config{Limit: spend.AtMost(spend.USD)})
	r.fail(b, down, 5)
	r.fail(a, limited, 2)
	r.fail(a2, patience, 1)
	r.admit(a).Report(r.now, Outcome{Usage: wire.Usage{Input: 100, Output: 500}, Header: header.Header{
		{Name: "x-ratelimit-limit-requests", Value: "60"}, {Name: "x-ratelimit-remaining-requests", Value: "0"},
		{Name: "x-ratelimit-reset-requests", Value: "6m0s"}, {Name: "anthropic-ratelimit-unified-status", Value: "allowed"},
	}})
	r.Retry(r.now)
	r.now = r.now.Add(time.Second)
	r.admit(a)
	return r
}

func TestSnapshot(t *testing.T) {
	r := lived(t)
	saved := r.Snapshot()
	again := newRig(t, r.config)
	if err := again.Restore(saved); err != nil {
		t.Fatal(err)
	}
	want, got := r.Health(r.now), again.Health(r.now)
	want.Spend.Spent += want.Spend.Held // what was under way counts as spent
	want.Spend.Estimated += want.Spend.Held
	want.Spend.Held = 0
	if !reflect.DeepEqual(want, got) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if again.Changes() != nil {
		t.Error("what was restored is no news")
	}
	again.now = r.now
	again.refused(b)
	again.refused(a2)
	if len(saved) > 1000 {
		t.Errorf("%d bytes", len(saved))
	}
}

func TestRestoreRefuses(t *testing.T) {
	r := lived(t)
	saved := r.Snapshot()
	change := func(at int, to byte) []byte {
		c := bytes.Clone(saved)
		c[at] = to
		return c
	}
	before := r.Health(r.now)
	for _, c := range []struct {
		name string
		from []byte
		want error
	}{
		{"nothing", nil, ErrForeign},
		{"foreign", []byte(`{"version":1,"breakers":[]}`), ErrForeign},
		{"changes of another tab", r.Changes(), ErrForeign},
		{"newer", change(len(magic)+1, version+1), ErrNewer},
		{"version 0", change(len(magic)+1, 0), ErrCorrupt},
		{"a bit is wrong", change(30, saved[30]^1), ErrCorrupt},
		{"cut off", saved[:len(saved)-1], ErrCorrupt},
		{"nothing but a head", saved[:len(magic)+2], ErrCorrupt},
		{"longer", append(bytes.Clone(saved), 0), ErrCorrupt},
		{"sealed, but nonsense", (&writer{append(bytes.Clone(saved[:len(magic)+2]), 0xFF)}).sealed(), ErrCorrupt},
	} {
		if err := r.Restore(c.from); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if err := r.Apply(r.now, c.from); err == nil && c.name != "changes of another tab" {
			t.Errorf("%s: applied", c.name)
		}
	}
	if after := r.Health(r.now); !reflect.DeepEqual(before, after) {
		t.Errorf("changed to %+v", after)
	}
}

// A ticket from before a restore finds its breaker gone, and only settles its money.
func TestRestoreUnderWay(t *testing.T) {
	r := newRig(t, Config{})
	saved := lived(t).Snapshot()
	ticket := r.admit(a)
	if err := r.Restore(saved); err != nil {
		t.Fatal(err)
	}
	held := r.Health(r.now).Spend
	ticket.Report(r.now, Outcome{Usage: wire.Usage{Input: 10}})
	if got := r.Health(r.now).Spend; held.Held == 0 || got.Held != 0 || got.Spent <= held.Spent {
		t.Errorf("%+v, then %+v", held, got)
	}
}

func TestTabs(t *testing.T) {
	one, other := newRig(t, Config{}), newRig(t, Config{})
	tell := func(from, to *rig) {
		t.Helper()
		to.now = from.now
		for news := from.Changes(); news != nil; news = nil {
			for range 2 { // it may come twice
				if err := to.Apply(to.now, news); err != nil {
					t.Fatal(err)
				}
			}
		}
		if to.Changes() != nil || from.Changes() != nil {
			t.Fatal("an echo")
		}
	}
	if one.Changes() != nil {
		t.Fatal("nothing has happened")
	}
	one.fail(a, down, 4)
	if one.Changes() != nil {
		t.Fatal("a failure that opens nothing is not told")
	}
	one.fail(a, down, 1)
	tell(one, other)
	other.refused(a)

	one.now = one.now.Add(30 * time.Second)
	probe := one.admit(a)
	tell(one, other)
	other.refused(a) // one probe for all tabs
	probe.Report(one.now, Outcome{})
	tell(one, other)
	other.admit(a)

	other.fail(a2, patience, 1)
	tell(other, one)
	if f := one.refused(a2); f.Reason != fault.RateLimit || f.Hint.Wait != 7*time.Second {
		t.Errorf("%+v", f)
	}
}

// A tab that was just opened has few generations behind it, and still knows what is newer.
func TestTabsThatNeverMet(t *testing.T) {
	old, young := newRig(t, Config{}), newRig(t, Config{})
	for range 10 {
		old.fail(a, down, 5)
		old.now = old.now.Add(30 * time.Second)
		old.admit(a).Report(old.now, Outcome{})
	}
	old.Changes()
	young.now = old.now.Add(time.Minute)
	young.fail(a, down, 5)
	old.now = young.now
	if err := old.Apply(old.now, young.Changes()); err != nil {
		t.Fatal(err)
	}
	old.refused(a)
}

// FuzzRestore: no bytes panic; what is accepted comes out again as it went in, and the State works.
func FuzzRestore(f *testing.F) {
	t := &testing.T{}
	f.Add(lived(t).Snapshot(), false)
	f.Add(lived(t).Changes(), false)
	f.Add(New(Config{}).Snapshot(), false)
	saved := lived(t).Snapshot()
	f.Add(saved[len(magic)+2:len(saved)-8], true) // a payload alone, to be sealed: the checksum stops nobody
	f.Add([]byte{1, 1, 'h', 1, 'm', 2, 1}, true)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		for _, kind := range []byte{snapshot, changes} {
			in := data
			if seal {
				w := newWriter(kind)
				w.out = append(w.out, data...)
				in = w.sealed()
			}
			r := newRig(t, Config{Limit: spend.AtMost(spend.USD)})
			clean := r.Health(r.now)
			take := r.Restore
			if kind == changes {
				take = func(b []byte) error { return r.Apply(r.now, b) }
			}
			if take(in) != nil {
				if after := r.Health(r.now); !reflect.DeepEqual(clean, after) {
					t.Fatalf("refused, and changed to %+v", after)
				}
				continue
			}
			out := r.Snapshot()
			again := newRig(t, r.config)
			if err := again.Restore(out); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again.Snapshot(), out) {
				t.Fatal("a snapshot changes on its way")
			}
			// Nobody is shut out for longer than a day, whatever the bytes said.
			now := start
			for range 3 {
				if ticket, _ := r.Admit(now, Target{Provider: fault.OpenAI, Model: "free"}, spend.Estimate{}); ticket != nil {
					ticket.Report(now, Outcome{Fault: down})
				}
				now = now.Add(25 * time.Hour)
			}
			for _, h := range r.Health(now).Targets {
				if h.RetryAt.Sub(now) > 25*time.Hour {
					t.Fatalf("%+v", h)
				}
			}
		}
	})
}

// FuzzState plays any interleaving of calls of two tabs that tell each other everything, and holds
// the whole to the laws of its parts.
func FuzzState(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 0, 1, 0, 0, 1, 9, 30, 0, 1, 2})
	f.Fuzz(func(t *testing.T, script []byte) {
		tabs := []*rig{newRig(t, Config{Limit: spend.AtMost(spend.USD / 50)}), newRig(t, Config{PerModel: true})}
		targets := []Target{a, a2, b}
		faults := []fault.Fault{{}, down, limited, patience, fault.Lost(fault.Cancelled, ""), fault.Lost(fault.Timeout, "")}
		under := [][]*Ticket{nil, nil}
		now := start
		for i := 0; i+1 < len(script); i += 2 {
			op, n := script[i], int(script[i+1])
			tab := tabs[op>>7]
			open := &under[op>>7]
			before := tab.Health(now).Targets
			switch op & 7 {
			case 0, 1, 2:
				if ticket, refused := tab.Admit(now, targets[n%3], spend.Estimate{Input: int64(n), Output: int64(n)}); ticket != nil {
					*open = append(*open, ticket)
				} else if refused.Message == "" || refused.Hint.Wait < 0 || refused.Resets.Wait < 0 || refused.Hint.Wait > breaker.MaxGate {
					t.Fatalf("%+v", refused)
				}
			case 3, 4:
				if len(*open) > 0 {
					k := n % len(*open)
					ticket := (*open)[k]
					*open = append((*open)[:k], (*open)[k+1:]...)
					ticket.Report(now, Outcome{Fault: faults[n%len(faults)], Seen: n, Impatient: n > 200})
				}
			case 5:
				now = now.Add(time.Duration(n-60) * 500 * time.Millisecond)
				after := tab.Health(now).Targets
				for j := range after {
					if after[j].Breaker != before[j].Breaker || after[j].Failures != before[j].Failures {
						t.Fatalf("time alone changed %+v to %+v", before[j], after[j])
					}
				}
			case 6:
				if news := tab.Changes(); news != nil {
					if err := tabs[1-op>>7].Apply(now, news); err != nil {
						t.Fatal(err)
					}
				}
			case 7:
				if err := tab.Restore(tab.Snapshot()); err != nil {
					t.Fatal(err)
				}
			}
			s := tab.Health(now).Spend
			if !s.Valid() {
				t.Fatalf("%+v", s)
			}
		}
	})
}
