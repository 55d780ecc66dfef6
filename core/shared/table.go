package shared

import (
	"cmp"
	"strings"

	"holdfast/core/breaker"
	"holdfast/core/limits"
	"holdfast/core/time"
)

// table holds what is known of each target. It is bounded: model names come from requests, and in a
// gateway requests come from anybody.
type table struct{ entries map[key]*entry }

const (
	maxEntries = 256
	maxName    = 128 // bytes of a name
)

// key names a provider (or another host in its place), or one model of it: both names, with a zero
// between them. A struct would be hashed by reflection in the small program, which costs 4 kB.
type key string

func newKey(host, model string) key { return key(host + "\x00" + model) }

func keyOf(t Target) key {
	return newKey(short(cmp.Or(t.Host, string(t.Provider))), short(cmp.Or(t.Model, "-")))
}

func (k key) names() (host, model string) {
	host, model, _ = strings.Cut(string(k), "\x00")
	return host, model
}

// provider is the key of the provider as a whole.
func (k key) provider() key {
	host, _ := k.names()
	return newKey(host, "")
}

func short(name string) string { return name[:min(len(name), maxName)] }

// entry is what is known of one target. The breaker of a provider's entry counts what concerns all
// its models; gates and limits are those of a model.
type entry struct {
	breaker breaker.Breaker
	gate    breaker.Gate
	limits  limits.Last
	touched time.Time
	told    news // what the other tabs know
}

// newEntry returns an entry that knows nothing, which everybody knows.
func newEntry() *entry {
	e := &entry{}
	e.told = e.news()
	return e
}

// news is the part of an entry that tabs tell each other.
type news struct {
	breaker breaker.Record
	gate    breaker.Rest
}

func (e *entry) news() news {
	n := news{e.breaker.Record(), e.gate.Rest()}
	n.breaker.Failures = 0 // each tab counts its own
	return n
}

// idle tells that an entry holds nothing that a call would miss.
func (e *entry) idle(now time.Time) bool {
	r := e.breaker.Record()
	_, shut := e.gate.Until(now)
	return r.Kind == breaker.Closed && r.Failures == 0 && !shut
}

// at returns the entry of a key, and makes one if need be.
func (t *table) at(now time.Time, k key) *entry {
	e := t.entries[k]
	if e == nil {
		if t.entries == nil {
			t.entries = map[key]*entry{}
		}
		if len(t.entries) >= maxEntries {
			t.evict(now)
		}
		e = newEntry()
		t.entries[k] = e
	}
	e.touched = now
	return e
}

// evict drops the entry that was not used for longest, one that holds nothing if there is any.
func (t *table) evict(now time.Time) {
	var oldest key
	for k := range t.entries {
		if oldest == "" || t.sooner(now, k, oldest) {
			oldest = k
		}
	}
	delete(t.entries, oldest)
}

// sooner tells whether k goes before o.
func (t *table) sooner(now time.Time, k, o key) bool {
	x, y := t.entries[k], t.entries[o]
	if idle := x.idle(now); idle != y.idle(now) {
		return idle
	}
	return cmp.Or(x.touched.Compare(y.touched), cmp.Compare(k, o)) < 0
}

// keys returns all keys in order, so that the same state always gives the same bytes. What package
// slices sorts with weighs more than the rest of this file.
func (t *table) keys() []key {
	keys := make([]key, 0, len(t.entries))
	for k := range t.entries {
		keys = append(keys, k)
		for i := len(keys) - 1; i > 0 && k < keys[i-1]; i-- {
			keys[i], keys[i-1] = keys[i-1], k
		}
	}
	return keys
}
