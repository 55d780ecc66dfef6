package cut

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/shared"
	"holdfast/core/spend"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// told is what a caller holds of an answer over all the calls that took it up.
type told struct {
	text, thought string
	calls         []wire.Tool
	cursor        *core.Cursor
	requests      int
}

// takeUp is a call that goes on where the caller stands.
func (s stream) takeUp(at told) core.Spec {
	spec := s.spec(false)
	spec.Cursors, spec.Partial, spec.From = true, at.text, at.cursor
	return spec
}

// hear adds what a call told. A restart takes back to where that call began.
func (t *told) hear(got Played) {
	if got.Restarts > 0 {
		t.thought = ""
	}
	t.text, t.thought = t.text+got.Text, t.thought+got.Thought
	t.calls = append(t.calls, got.Calls...)
	t.requests += got.Requests
	if got.Cursor != nil {
		t.cursor = got.Cursor
	}
}

// resumable tells that the caller has a place to go on from.
func (t *told) resumable() bool { return t.cursor != nil && t.cursor.At.ID != "" }

// Whenever its process is killed, a call can be taken up by another: byte for byte at the cursor
// where the provider keeps the answer, which is not asked for again, else by a continuation.
func TestTakenUpAnywhere(t *testing.T) {
	thinking := `{"words":3,"reasoning":"Let me think of the tide.","tool":true}`
	for _, s := range streams {
		for _, behaviour := range []string{`{"words":3}`, `{"words":2,"chunkBytes":41}`, thinking} {
			whole := Play(s.spec(false), s.plan(script(short, behaviour, `{}`)), 0)
			resumed := 0
			for stop := 1; ; stop++ {
				plan := s.plan(script(short, behaviour, `{}`))
				var at told
				first := PlayUntil(s.takeUp(at), plan, 0, stop)
				if at.hear(first); first.Result != nil {
					break
				}
				if len(at.calls) > 0 && !at.resumable() {
					continue // then there is nothing to go on from
				}
				if shown := len(utf16.Encode([]rune(at.text))); at.resumable() && at.cursor.At.Text != shown {
					t.Fatalf("%s, stopped at %d: the cursor is behind %d units of text, %d were shown", s.name, stop, at.cursor.At.Text, shown)
				}
				before := at
				second := Play(s.takeUp(at), plan, 0)
				at.hear(second)
				if second.Status != core.Complete || at.text != short || second.Result.Text != short {
					t.Fatalf("%s, stopped at %d: %s %q then %q (%+v)", s.name, stop, second.Status, before.text, second.Text, second.Fault)
				}
				if !before.resumable() {
					continue
				}
				resumed++
				switch {
				case second.Requests != 1 || second.Attempts[0].Kind != core.Resumed:
					t.Fatalf("%s, stopped at %d: not resumed: %+v", s.name, stop, second.Attempts)
				case at.thought != whole.Thought || len(at.calls) != len(whole.Calls):
					t.Fatalf("%s, stopped at %d: reasoning %q, %d calls; then %q, %d calls", s.name, stop, before.thought, len(before.calls), second.Thought, len(second.Calls))
				}
			}
			if s.resumes != (resumed > 5) {
				t.Errorf("%s: resumed %d times", s.name, resumed)
			}
		}
	}
}

// A provider that no longer has the answer is asked to go on from the text, or once more where no
// text was shown; behind a tool call it is asked nothing.
func TestRefusedToResume(t *testing.T) {
	for _, s := range streams {
		if !s.resumes {
			continue
		}
		forgets := func(plan Provider) Provider {
			return func(n int, r *core.Request) sim.Exchange {
				if r.Method == "GET" {
					return sim.Plan(new(sim.Store), sim.Request{Method: "GET", Path: r.URL, Session: "s"})
				}
				return plan(n, r)
			}
		}
		behaviour := `{"words":3,"reasoning":"Hm.","tool":true}`
		for stop := 1; ; stop++ {
			plan := forgets(s.plan(strings.Replace(script(short, behaviour, `{}`), `,{}]`, `,{"words":3}]`, 1)))
			var at told
			first := PlayUntil(s.takeUp(at), plan, 0, stop)
			if at.hear(first); first.Result != nil {
				break
			}
			if !at.resumable() {
				continue
			}
			before := at
			second := Play(s.takeUp(at), plan, 0)
			at.hear(second)
			switch kinds := kindsOf(second); {
			case len(before.calls) > 0:
				if second.Status != core.Interrupted || kinds != "resume" || at.text != before.text {
					t.Fatalf("%s, stopped at %d behind a tool call: %s after %s", s.name, stop, second.Status, kinds)
				}
			case second.Status != core.Complete || at.text != short:
				t.Fatalf("%s, stopped at %d: %s %q after %s", s.name, stop, second.Status, at.text, kinds)
			case before.text == "" && (kinds != "resume retry" || (second.Restarts == 1) != (before.thought != "")),
				before.text != "" && (kinds != "resume continue" || second.Restarts != 0):
				t.Fatalf("%s, stopped at %d behind %q: %s, %d restarts", s.name, stop, before.text, kinds, second.Restarts)
			}
		}
	}
}

func kindsOf(p Played) string {
	var kinds []string
	for _, a := range p.Attempts {
		kinds = append(kinds, string(a.Kind))
	}
	return strings.Join(kinds, " ")
}

// What the client has learned may forbid the first attempt of a call that takes up a thought: the next target
// begins, and the thought is taken back.
func TestTakenUpElsewhere(t *testing.T) {
	s := streams[2]
	spec := s.takeUp(told{thought: "Hm.", cursor: &core.Cursor{At: wire.Cursor{Reasoning: 3}}})
	spec.Shared = shared.New(shared.Config{})
	for range 5 {
		ticket, _ := spec.Shared.Admit(epoch, shared.Target{Provider: s.provider, Model: "gpt-x"}, spend.Estimate{})
		ticket.Report(epoch, shared.Outcome{Fault: fault.Lost(fault.Transport, "")})
	}
	target := streams[5].spec(false).Target
	target.Model = "other-x"
	spec.Fallbacks = []core.Target{target}
	one, two := s.plan(script(short, `{}`, `{}`)), streams[5].plan(script(short, `{}`, `{}`))
	got := Play(spec, func(n int, r *core.Request) sim.Exchange {
		if r.Target == 0 {
			return one(n, r)
		}
		return two(n, r)
	}, 0)
	if got.Status != core.Complete || got.Text != short || got.Restarts != 1 || kindsOf(got) != "fallback" {
		t.Errorf("%s after %s, %d restarts: %q (%+v)", got.Status, kindsOf(got), got.Restarts, got.Text, got.Fault)
	}
}

// FuzzTakenUp: an answer whose stream breaks anywhere, and whose process is killed any number of
// times, is told once and whole, however its bytes are cut into chunks.
func FuzzTakenUp(f *testing.F) {
	f.Add(uint8(3), uint16(900), uint8(40), []byte{7, 9, 30})
	f.Add(uint8(8), uint16(1500), uint8(1), []byte{200, 200, 1, 0, 250})
	f.Add(uint8(0), uint16(300), uint8(7), []byte{90, 0, 4})
	f.Fuzz(func(t *testing.T, which uint8, cut uint16, chunk uint8, stops []byte) {
		s := streams[int(which)%len(streams)]
		first := `{"words":2,"end":"reset","endAfterBytes":` + strconv.Itoa(int(cut)) + `}`
		plan := s.plan(script(short, first, `{}`))
		var at told
		for _, stop := range stops {
			got := PlayUntil(s.takeUp(at), plan, int(chunk), int(stop))
			if at.hear(got); got.Result != nil {
				return // told whole, as TestEveryByte says
			}
			if !strings.HasPrefix(short, at.text) {
				t.Fatalf("%s: told %q", s.name, at.text)
			}
		}
		got := Play(s.takeUp(at), plan, int(chunk))
		at.hear(got)
		alone := s.resumes && s.api == wire.Interactions && got.Status == core.Failed && at.text == ""
		if !alone && (got.Status != core.Complete || at.text != short) {
			t.Fatalf("%s: %s %q, want it whole (%+v)", s.name, got.Status, at.text, got.Fault)
		}
	})
}

// A cursor that does not fit the chain, as after another configuration, is as none; behind a tool call
// there is no way on.
func TestForeignCursor(t *testing.T) {
	s := streams[3]
	for _, cursor := range []core.Cursor{
		{Target: 5, Provider: s.provider, API: s.api, At: wire.Cursor{ID: "r1"}},
		{Target: 0, Provider: "xai", API: s.api, At: wire.Cursor{ID: "r1"}},
		{Target: 0, Provider: s.provider, API: wire.Chat, At: wire.Cursor{ID: "r1"}},
		{Target: 0, Provider: s.provider, API: s.api},
	} {
		half := short[:strings.Index(short, "| crab")]
		got := Play(s.takeUp(told{text: half, cursor: &cursor}), s.plan(script(short, `{}`, `{}`)), 0)
		if kindsOf(got) != "continue" || got.Status != core.Complete || half+got.Text != short {
			t.Errorf("%+v: %s after %s: %q", cursor, got.Status, kindsOf(got), got.Text)
		}
		cursor.At.Tools = []string{"call"}
		got = Play(s.takeUp(told{text: half, cursor: &cursor}), s.plan(script(short, `{}`, `{}`)), 0)
		if got.Requests != 0 || got.Status != core.Interrupted || got.Result.Text != half {
			t.Errorf("%+v: %s after %d requests", cursor, got.Status, got.Requests)
		}
	}
}
