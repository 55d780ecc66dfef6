package breaker

import (
	"cmp"

	"holdfast/core/time"
)

// Record is a breaker as data: for people, for a snapshot, for another tab.
type Record struct {
	Kind       Kind
	Generation uint64
	Failures   int // in a row; only when closed
	// Rest is what must pass: until a probe is admitted when open, until the probe under way counts
	// as lost when half-open.
	Rest
}

// maxRest bounds what a record may claim: no breaker is meant to stay open for longer.
const maxRest = 24 * time.Hour

// maxGeneration leaves room to grow.
const maxGeneration = 1 << 60

// Record returns the breaker as data.
func (b *Breaker) Record() Record {
	r := Record{Kind: b.current().kind(), Generation: b.generation}
	switch s := b.current().(type) {
	case closed:
		r.Failures = s.failures
	case open:
		r.Rest = s.rest
	case halfOpen:
		if s.busy {
			r.Rest = s.lease
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
	switch r.Kind {
	case Closed:
		b.state = closed{failures: r.Failures}
	case Open:
		b.state = open{r.Rest}
	case HalfOpen:
		number := uint64(1) // above any probe of ours: it is another's
		if s, is := b.state.(halfOpen); is {
			number = s.probe + 1
		}
		b.state = halfOpen{number, !r.none(), r.Rest}
	}
	return true
}

// Valid tells whether a breaker can be as the record says.
func (r Record) Valid() bool {
	if r.Generation > maxGeneration || r.Failures < 0 || r.Failures > 0 && r.Kind != Closed {
		return false
	}
	switch r.Kind {
	case Closed:
		return r.none()
	case Open:
		return r.within(maxRest)
	case HalfOpen:
		return r.none() || r.within(maxRest)
	}
	return false
}

// compare orders records: by generation, then by how careful they are.
func (r Record) compare(o Record) int {
	return cmp.Or(
		cmp.Compare(r.Generation, o.Generation),
		cmp.Compare(r.Kind.careful(), o.Kind.careful()),
		r.Until.Compare(o.Until),
		r.From.Compare(o.From),
		cmp.Compare(r.Failures, o.Failures),
	)
}

func (k Kind) careful() int {
	switch k {
	case Open:
		return 2
	case HalfOpen:
		return 1
	}
	return 0
}
