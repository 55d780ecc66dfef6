package breaker

import (
	"math/rand/v2"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/time"
)

// FuzzBreaker plays any sequence of calls, results, aborts, losses and clock steps, and holds the
// breaker to its laws with a record of who was admitted when.
func FuzzBreaker(f *testing.F) {
	f.Add([]byte{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 200, 0, 2})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 17, 33, 49, 65, 81, 255, 0, 8, 24, 255, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		var b Breaker
		now := start
		type attempt struct {
			permit     Permit
			generation uint64
		}
		var under []attempt // attempts under way
		for _, op := range script {
			before := b.Record()
			switch {
			case op&3 == 0: // a call
				p, at, ok := b.Admit(now, Config{})
				after := b.Record()
				if !ok {
					if !at.After(now) || at.Sub(now) > 30*time.Second {
						t.Fatalf("refused at %v until %v", now, at)
					}
					break
				}
				if after.Kind == Open {
					t.Fatal("admitted while open")
				}
				if p.Probing() {
					if before.Kind == HalfOpen && !before.Until.IsZero() && now.After(before.From) && now.Before(before.Until) {
						t.Fatal("two probes")
					}
				}
				under = append(under, attempt{p, b.generation})
			case op&3 == 3: // time passes, or the clock is set
				now = now.Add(time.Duration(int8(op)) * 300 * time.Millisecond)
				if op > 250 {
					now = now.Add(time.Hour)
				}
				if b.Record() != before {
					t.Fatal("time alone changed the state")
				}
			case len(under) > 0: // one of the attempts ends
				i := int(op>>4) % len(under)
				a := under[i]
				under = append(under[:i], under[i+1:]...)
				effect := []fault.Effect{fault.Failing, fault.Healthy, fault.Ignore, ""}[op>>2&3]
				a.permit.Report(now, effect)
				after := b.Record()
				switch {
				case a.generation != before.Generation && after != before:
					t.Fatalf("a stale result changed %+v to %+v", before, after)
				case after.Kind == Closed && before.Kind != Closed && effect != fault.Healthy:
					t.Fatalf("closed by %q", effect)
				case after.Kind == Open && before.Kind != Open && effect != fault.Failing:
					t.Fatalf("opened by %q", effect)
				case after.Kind == Open && before.Kind == Closed && before.Failures < 4:
					t.Fatalf("opened by failure %d", before.Failures+1)
				}
			}
			after := b.Record()
			if !after.Valid() {
				t.Fatalf("%+v", after)
			}
			if (after.Generation != before.Generation) != (after.Kind != before.Kind) || after.Generation < before.Generation {
				t.Fatalf("generation: %+v, then %+v", before, after)
			}
		}
		// Nothing is lost for good: at the time that a refusal names, somebody is admitted.
		if _, at, ok := b.Admit(now, Config{}); !ok {
			if _, again, ok := b.Admit(at, Config{}); !ok {
				t.Fatalf("refused until %v, then until %v: %+v", at, again, b.Record())
			}
		}
	})
}

// FuzzMerge: tabs that exchange what they know agree in the end, in whatever order and however
// often it comes; and merging never closes a breaker that no newer news closed.
func FuzzMerge(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, seed, order uint64) {
		r := rand.New(rand.NewPCG(seed, order))
		record := func() Record {
			n := Record{Kind: []Kind{Closed, Open, HalfOpen}[r.IntN(3)], Generation: r.Uint64N(4)}
			at := start.Add(time.Duration(r.IntN(3)) * time.Second)
			switch {
			case n.Kind == Closed:
				n.Failures = r.IntN(3)
			case n.Kind == Open || r.IntN(2) == 0:
				n.From, n.Until = at, at.Add(time.Duration(1+r.IntN(3))*time.Second)
			}
			return n
		}
		news := make([]Record, 6)
		for i := range news {
			news[i] = record()
		}
		var one, other Breaker
		var gateOne, gateOther Gate
		for _, n := range news {
			before := one.Record()
			if one.Merge(n); one.Record().Kind == Closed && before.Kind != Closed && n.Generation <= before.Generation {
				t.Fatalf("%+v closed by %+v", before, n)
			}
			if one.Merge(n) {
				t.Fatal("the same news is new twice")
			}
			gateOne.Merge(n.Rest)
		}
		r.Shuffle(len(news), func(i, j int) { news[i], news[j] = news[j], news[i] })
		for _, n := range append(news, news...) {
			other.Merge(n)
			gateOther.Merge(n.Rest)
		}
		if one.Record() != other.Record() || gateOne != gateOther {
			t.Fatalf("%+v and %+v", one.Record(), other.Record())
		}
	})
}
