package breaker

import (
	"testing"

	"holdfast/core/fault"
	"holdfast/core/time"
)

var start = time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC

// rig is a breaker with a clock.
type rig struct {
	*testing.T
	Breaker
	now time.Time
}

// Probing tells that the attempt is the probe of a half-open breaker.
func (p Permit) Probing() bool { return p.probe > 0 }

func (r *rig) admit() Permit {
	r.Helper()
	p, at, ok := r.Admit(r.now, Config{})
	if !ok {
		r.Fatalf("refused until %v, state %v", at, r.Record())
	}
	return p
}

func (r *rig) refused(wait time.Duration) {
	r.Helper()
	if _, at, ok := r.Admit(r.now, Config{}); ok || at.Sub(r.now) != wait {
		r.Fatalf("admitted=%v, retry in %v, want refused for %v", ok, at.Sub(r.now), wait)
	}
}

func (r *rig) is(k Kind) {
	r.Helper()
	if got := r.Record().Kind; got != k {
		r.Fatalf("state %s, want %s", got, k)
	}
}

func (r *rig) fail(n int) {
	for range n {
		r.admit().Report(r.now, fault.Failing)
	}
}

// opened is open since now.
func opened(t *testing.T) *rig {
	r := &rig{T: t, now: start}
	r.fail(5)
	r.is(Open)
	return r
}

// probing is half-open with a probe under way.
func probing(t *testing.T) (*rig, Permit) {
	r := opened(t)
	r.now = r.now.Add(30 * time.Second)
	p := r.admit()
	r.is(HalfOpen)
	if !p.Probing() {
		t.Fatal("no probe")
	}
	return r, p
}

func TestConsecutiveFailuresOpen(t *testing.T) {
	r := &rig{T: t, now: start}
	r.fail(4)
	r.admit().Report(r.now, fault.Healthy)
	r.fail(4)
	r.admit().Report(r.now, fault.Ignore) // neither counts nor resets
	r.is(Closed)
	r.fail(1)
	r.is(Open)
	r.refused(30 * time.Second)
	r.now = r.now.Add(29 * time.Second)
	r.refused(time.Second)
}

// Of a busy client's calls some fail in a row by chance; when all do, it still finds out in seconds.
func TestABusyClientWantsMoreEvidence(t *testing.T) {
	r := &rig{T: t, now: start}
	succeed := func(n int) {
		for range n {
			r.admit().Report(r.now, fault.Healthy)
		}
	}
	succeed(50)
	r.now = r.now.Add(10 * time.Second)
	succeed(50)
	r.fail(49)
	r.is(Closed)
	r.fail(1)
	r.is(Open)
	for _, after := range []struct {
		wait time.Duration
		need int
	}{{10 * time.Second, 25}, {20 * time.Second, 5}, {-time.Hour, 25}} {
		r.Breaker = Breaker{}
		succeed(50)
		r.now = r.now.Add(after.wait)
		r.fail(after.need - 1)
		r.is(Closed)
		r.fail(1)
		r.is(Open)
	}
	r.Breaker = Breaker{} // who says a number gets that number
	succeed(50)
	for range 3 {
		p, _, _ := r.Admit(r.now, Config{Failures: 3})
		p.Report(r.now, fault.Failing)
	}
	r.is(Open)
}

func TestSuccessOfAProbeCloses(t *testing.T) {
	r, p := probing(t)
	r.refused(30 * time.Second)
	p.Report(r.now, fault.Healthy)
	r.is(Closed)
	r.fail(4)
	r.is(Closed)
}

func TestASilentProbeIsReleased(t *testing.T) {
	r, lost := probing(t)
	r.now = r.now.Add(30 * time.Second)
	second := r.admit()
	r.refused(30 * time.Second)
	lost.Report(r.now, fault.Failing) // its place was taken: old news
	r.is(HalfOpen)
	r.refused(30 * time.Second)
	second.Report(r.now, fault.Failing)
	r.is(Open)
}

// A model that thinks for a minute must not keep its provider shut for ever.
func TestAProbeThatTookLongCloses(t *testing.T) {
	r, slow := probing(t)
	r.now = r.now.Add(40 * time.Second)
	second := r.admit()
	r.now = r.now.Add(20 * time.Second)
	slow.Report(r.now, fault.Healthy)
	r.is(Closed)
	second.Report(r.now, fault.Failing) // of the half-open days
	if n := r.Record().Failures; n != 0 {
		t.Fatalf("%d failures", n)
	}
}

func TestAnAbortedProbeIsReleasedAtOnce(t *testing.T) {
	r, p := probing(t)
	p.Report(r.now, fault.Ignore)
	r.is(HalfOpen)
	r.admit()
}

func TestLateResultsOfAnOlderState(t *testing.T) {
	r := &rig{T: t, now: start}
	late := r.admit()
	r.fail(5)
	late.Report(r.now, fault.Healthy)
	r.is(Open)
	r.now = r.now.Add(30 * time.Second)
	r.admit()
	late.Report(r.now, fault.Healthy)
	r.is(HalfOpen)
}

func TestOff(t *testing.T) {
	var b Breaker
	for range 50 {
		p, _, ok := b.Admit(start, Config{Failures: Off})
		if !ok {
			t.Fatal("refused")
		}
		p.Report(start, fault.Failing)
	}
}

// The field cases of this area that concern one breaker; the others are in package shared.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		id, source string
		test       func(*testing.T)
	}{
		{"brk-002", "bytedance/deer-flow#3991", func(t *testing.T) {
			r, p := probing(t)
			p.Report(r.now, fault.Ignore) // a 401
			r.is(HalfOpen)
			if !r.admit().Probing() || r.Record().Failures != 0 {
				t.Error("the slot is not free")
			}
		}},
		{"brk-003", "github/gh-aw-mcpg#10686", func(t *testing.T) {
			r, p := probing(t)
			r.now = r.now.Add(7 * time.Second)
			p.Report(r.now, fault.Network("TypeError", "", "Failed to fetch").Breaker)
			r.is(Open)
			r.refused(30 * time.Second) // for a full window
		}},
		{"brk-005", "llm4s/llm4s#460", func(t *testing.T) {
			r := opened(t)
			r.now = r.now.Add(30*time.Second + 1)
			admitted := 0
			for range 50 {
				if _, _, ok := r.Admit(r.now, Config{}); ok {
					admitted++
				}
			}
			if admitted != 1 {
				t.Errorf("%d admitted", admitted)
			}
		}},
		{"brk-008", "BerriAI/litellm#17464", func(t *testing.T) {
			r := &rig{T: t, now: start}
			r.fail(1)
			if got := r.Record(); got.Kind != Closed || got.Failures != 1 || (Config{}).enough(0) != 5 {
				t.Errorf("%+v", got)
			}
		}},
		{"brk-011", "kubeflow/mcp-server#222", func(t *testing.T) {
			r := opened(t)
			r.now = r.now.Add(-time.Hour)
			r.refused(30 * time.Second) // not for an hour
			r.now = r.now.Add(30 * time.Second)
			old := r.admit()
			old.Report(r.now, fault.Failing)
			r.now = r.now.Add(time.Hour) // forwards: one probe, no more
			r.admit()
			old.Report(r.now, fault.Healthy)
			r.is(HalfOpen)
			r.refused(30 * time.Second)
			r.now = r.now.Add(-2 * time.Hour) // the lease of a probe does not stretch, either
			r.refused(30 * time.Second)
		}},
		{"wrk-010", "lukeed/worktop#155", func(t *testing.T) { // no clock yet: all instants are 1970
			r := &rig{T: t, now: time.Unix(0, 0)}
			r.fail(5)
			r.is(Open)
			r.refused(30 * time.Second)
			r.now = start
			r.admit().Report(r.now, fault.Healthy)
			r.is(Closed)
		}},
	} {
		t.Run(c.id, c.test)
	}
}

func TestGate(t *testing.T) {
	var g Gate
	shut := func(at time.Duration, want time.Duration) {
		t.Helper()
		until, ok := g.Until(start.Add(at))
		if ok != (want > 0) || ok && until.Sub(start.Add(at)) != want {
			t.Fatalf("at %v: shut %v for %v, want %v", at, ok, until.Sub(start.Add(at)), want)
		}
	}
	shut(0, 0)
	if g.Shut(start, 0) || g.Shut(start, -1) {
		t.Fatal("no wait, no gate")
	}
	g.Shut(start, 10*time.Second)
	g.Shut(start.Add(time.Second), 2*time.Second) // shorter: the longer one stands
	shut(4*time.Second, 6*time.Second)
	shut(10*time.Second, 0)
	g.Shut(start, 240*time.Hour)
	shut(0, MaxGate)
	shut(-5*time.Hour, MaxGate) // the clock went back
}

func TestMergeRefusesWhatCannotBe(t *testing.T) {
	at := start.Add(time.Minute)
	for _, r := range []Record{
		{Kind: "ajar", Generation: 9},
		{Kind: Open, Generation: 9},
		{Kind: Open, Generation: 9, Rest: Rest{at, start}},
		{Kind: Open, Generation: 9, Rest: Rest{start, start.Add(48 * time.Hour)}},
		{Kind: Open, Generation: 9, Rest: Rest{start, at}, Failures: 3},
		{Kind: Closed, Generation: 9, Rest: Rest{start, at}},
		{Kind: Closed, Generation: 9, Failures: -1},
		{Kind: Closed, Generation: 1 << 63},
		{Kind: HalfOpen, Generation: 9, Rest: Rest{Until: at}},
	} {
		var b Breaker
		if b.Merge(r) {
			t.Errorf("taken: %+v", r)
		}
	}
	var g Gate
	if g.Merge(Rest{start, start.Add(2 * MaxGate)}) || g.Merge(Rest{at, start}) || g.Merge(Rest{}) {
		t.Error("a gate that cannot be was taken")
	}
}
