package shared

import "holdfast/core/time"

// Changes returns what this State has learned about breakers and gates since the last call, for the
// other tabs of the same page, or nil when there is nothing to tell. What came from them by Apply is
// not told again.
func (s *State) Changes() []byte {
	w := newWriter(changes)
	told := 0
	var body writer
	for _, k := range s.targets.keys() {
		e := s.targets.entries[k]
		if n := e.news(); n != e.told {
			told++
			e.told = n
			body.key(k)
			body.breaker(n.breaker)
			body.rest(n.gate)
		}
	}
	if told == 0 {
		return nil
	}
	w.uint(uint64(told))
	w.out = append(w.out, body.out...)
	return w.sealed()
}

// Apply takes the Changes of another tab. They may come late, twice and in any order: of a breaker
// the newer generation counts, of a gate the later end. So a tab learns of an outage without asking,
// of a probe that another one makes, and of its success. Bytes that are refused change nothing; the
// errors are those of Restore.
func (s *State) Apply(now time.Time, b []byte) error {
	r, err := open(b, changes)
	if err != nil {
		return err
	}
	type item struct {
		key  key
		news news
	}
	items := make([]item, r.count(maxEntries))
	for i := range items {
		items[i] = item{r.key(), news{r.breaker(), r.rest()}}
		host, _ := items[i].key.names()
		r.check(host != "")
	}
	if err := r.close(); err != nil {
		return err
	}
	for _, it := range items {
		e := s.targets.at(now, it.key)
		// What it changes here is known there. What is ours, and newer, is still to be told.
		if e.breaker.Merge(it.news.breaker) {
			e.told.breaker = e.news().breaker
		}
		if e.gate.Merge(it.news.gate) {
			e.told.gate = e.gate.Rest()
		}
	}
	return nil
}
