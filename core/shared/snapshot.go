package shared

import (
	"holdfast/core/breaker"
	"holdfast/core/fault"
	"holdfast/core/limits"
	"holdfast/core/spend"
	"holdfast/core/time"
)

// Snapshot returns everything that calls have learned, to be restored after a reload or in another
// isolate. The same state gives the same bytes. They hold names of models and hosts, counts and
// times; no keys, prompts or answers.
func (s *State) Snapshot() []byte {
	w := newWriter(snapshot)
	keys := s.targets.keys()
	w.uint(uint64(len(keys)))
	for _, k := range keys {
		e := s.targets.entries[k]
		w.key(k)
		w.breaker(e.breaker.Record())
		w.rest(e.gate.Rest())
		w.limits(e.limits)
		w.time(e.touched)
	}
	used, since := s.throttle.Used()
	w.int(used)
	w.time(since)
	f := s.ledger.Figures()
	for _, n := range []spend.Ticks{f.Spent, f.Estimated, f.Overrun, f.Held} {
		w.int(int64(n))
	}
	w.int(f.Attempts)
	return w.sealed()
}

// Restore takes a snapshot in the place of what the State knows; its configuration stays. Attempts
// that were under way when the snapshot was taken count as spent, for nobody will settle them here.
//
// Bytes that are damaged, foreign or of a newer version are refused with ErrCorrupt, ErrForeign or
// ErrNewer, and change nothing: a State just made starts clean.
func (s *State) Restore(b []byte) error {
	k, err := read(b)
	if err != nil {
		return err
	}
	s.targets.entries = k.entries
	s.throttle.Restore(k.used, k.since)
	s.ledger.Restore(k.figures)
	return nil
}

// Join adds the money that theirs has beyond base to what the State has counted. Both are
// snapshots; this State has seen base last, and theirs was made by another one that has seen it as
// well. So tabs that write their snapshots to one place in turn, each after it has joined what it
// finds there, add up. Everything else they tell each other by Changes.
func (s *State) Join(base, theirs []byte) error {
	from, err := read(base)
	if err != nil {
		return err
	}
	to, err := read(theirs)
	if err != nil {
		return err
	}
	s.ledger.Join(from.figures, to.figures)
	return nil
}

// kept is what a snapshot holds.
type kept struct {
	entries map[key]*entry
	used    int64
	since   time.Time
	figures spend.Figures
}

func read(b []byte) (k kept, err error) {
	r, err := open(b, snapshot)
	if err != nil {
		return k, err
	}
	k.entries = map[key]*entry{}
	for range r.count(maxEntries) {
		name, e := r.key(), newEntry()
		host, _ := name.names()
		r.check(host != "" && k.entries[name] == nil)
		record, rest := r.breaker(), r.rest()
		e.breaker.Merge(record)
		e.gate.Merge(rest)
		r.check(e.breaker.Record() == record && e.gate.Rest() == rest)
		e.limits = r.limits()
		e.touched = r.time()
		e.told = e.news()
		k.entries[name] = e
	}
	k.used, k.since = r.int(), r.time()
	f := &k.figures
	for _, n := range []*spend.Ticks{&f.Spent, &f.Estimated, &f.Overrun, &f.Held} {
		*n = spend.Ticks(r.int())
	}
	f.Attempts = r.int()
	r.check(f.Valid())
	return k, r.close()
}

func (w *writer) key(k key) {
	host, model := k.names()
	w.text(host)
	w.text(model)
}

func (r *reader) key() key {
	host := r.text()
	return newKey(host, r.text())
}

// kinds number the states of a breaker. Their order is part of the format.
var kinds = []breaker.Kind{breaker.Closed, breaker.Open, breaker.HalfOpen}

func (w *writer) breaker(n breaker.Record) {
	for i, k := range kinds {
		if n.Kind == k {
			w.uint(uint64(i))
		}
	}
	w.uint(n.Generation)
	w.uint(uint64(n.Failures))
	w.rest(n.Rest)
}

func (r *reader) breaker() breaker.Record {
	n := breaker.Record{Kind: kinds[r.count(len(kinds)-1)], Generation: r.uint(), Failures: r.count(1 << 30)}
	n.Rest = r.rest()
	r.check(n.Valid())
	return n
}

func (w *writer) rest(n breaker.Rest) {
	w.time(n.From)
	w.time(n.Until)
}

func (r *reader) rest() breaker.Rest { return breaker.Rest{From: r.time(), Until: r.time()} }

// windows are all the parts of limits, in the order of the format.
func windows(l *fault.Limits) [10]*fault.Window {
	return [...]*fault.Window{
		&l.Requests, &l.Tokens, &l.ProjectTokens, &l.InputTokens, &l.OutputTokens,
		&l.PriorityInput, &l.PriorityOutput, &l.FastInput, &l.FastOutput, &l.Plan,
	}
}

func (w *writer) limits(l limits.Last) {
	w.time(l.At)
	if l.At.IsZero() {
		return
	}
	for _, window := range windows(&l.Limits) {
		for _, a := range []fault.Amount{window.Limit, window.Remaining, {N: int64(window.Reset.Wait), Known: window.Reset.Known}} {
			w.bool(a.Known)
			if a.Known {
				w.int(a.N)
			}
		}
		if window.Reset.Known {
			w.text(window.Reset.Source)
		}
	}
	w.text(l.Limits.PlanStatus)
}

func (r *reader) limits() (l limits.Last) {
	if l.At = r.time(); l.At.IsZero() {
		return l
	}
	for _, window := range windows(&l.Limits) {
		var reset fault.Amount
		for _, a := range []*fault.Amount{&window.Limit, &window.Remaining, &reset} {
			if a.Known = r.bool(); a.Known {
				a.N = r.int()
				r.check(a.N >= 0)
			}
		}
		if reset.Known {
			window.Reset = fault.Hint{Wait: time.Duration(reset.N), Known: true, Source: r.text()}
		}
	}
	l.Limits.PlanStatus = r.text()
	return l
}
