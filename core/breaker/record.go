package breaker

import (
	"cmp"
	"time"
)

// Record is a breaker as data: for people, for a snapshot, for another tab.
type Record struct {
	Kind       Kind
	Generation uint64
	Failures   int // in a row; only when closed
	// From and Until are what must pass: until a probe is admitted when open, until the probe under
	// way counts as lost when half-open; both zero when there is nothing to wait for.
	From, Until time.Time
}

// maxWindow bounds what a record may claim: no breaker is meant to stay open for longer.
const maxWindow = 24 * time.Hour

// maxGeneration leaves room to grow.
const maxGeneration = 1 << 60

// Record returns the breaker as data.
func (b *Breaker) Record() Record {
	r := Record{Kind: b.current().kind(), Generation: b.generation}
	switch s := b.current().(type) {
	case closed:
		r.Failures = s.failures
	case open:
		r.From, r.Until = s.rest.from, s.rest.until
	case halfOpen:
		if s.busy {
			r.From, r.Until = s.lease.from, s.lease.until
		}
	}
	return r
}

// Merge takes what another has learned about the same provider, and reports whether that changed
// the breaker. The record of a newer generation wins; of one generation, the more careful one. So
// the order in which records come does not count, nor how often. What no breaker can be is refused.
func (b *Breaker) Merge(r Record) bool {
	if !r.Valid() || r.compare(b.Record()) <= 0 {
		return false
	}
	b.generation = r.Generation
	rest := window{r.From, r.Until}
	switch r.Kind {
	case Closed:
		b.state = closed{r.Failures}
	case Open:
		b.state = open{rest}
	case HalfOpen:
		number := uint64(1) // above any probe of ours: it is another's
		if s, is := b.state.(halfOpen); is {
			number = s.probe + 1
		}
		b.state = halfOpen{number, !r.Until.IsZero(), rest}
	}
	return true
}

// Valid tells whether a breaker can be as the record says.
func (r Record) Valid() bool {
	span := r.Until.Sub(r.From)
	waits := !r.From.IsZero() && !r.Until.IsZero() && span > 0 && span <= maxWindow
	idle := r.From.IsZero() && r.Until.IsZero()
	if r.Generation > maxGeneration || r.Failures < 0 || r.Failures > 0 && r.Kind != Closed {
		return false
	}
	switch r.Kind {
	case Closed:
		return idle
	case Open:
		return waits
	case HalfOpen:
		return waits || idle
	}
	return false
}

// compare orders records: by generation, then by how careful they are.
func (r Record) compare(o Record) int {
	careful := map[Kind]int{Closed: 0, HalfOpen: 1, Open: 2}
	return cmp.Or(
		cmp.Compare(r.Generation, o.Generation),
		cmp.Compare(careful[r.Kind], careful[o.Kind]),
		r.Until.Compare(o.Until),
		r.From.Compare(o.From),
		cmp.Compare(r.Failures, o.Failures),
	)
}
