package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"reflect"
	"strings"
	"testing"
)

// few is enough for the laws: 67 calls a second.
const few = 4000

// byName finds a policy.
func byName(t *testing.T, name string) policy {
	for _, p := range policies {
		if p.name == name {
			return p
		}
	}
	t.Fatal("no policy " + name)
	return policy{}
}

// Every call ends, and with whatever the weather leaves of it: nobody is answered twice, and nobody
// is answered whom the provider did not serve.
func TestEveryCallEnds(t *testing.T) {
	for _, p := range policies {
		s := play(p, 200, 1, false).sum(0, 2*end)
		if s.calls == 0 || s.calls != s.ended || s.served != s.lucky || s.served > s.requests || s.served > s.calls {
			t.Errorf("%s: %+v", p.name, s)
		}
	}
}

// A seed tells one story, and all policies hear the same calls.
func TestSeed(t *testing.T) {
	var calls []int
	for _, p := range policies {
		a, b, other := play(p, 60, 7, true), play(p, 60, 7, true), play(p, 60, 8, true)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: one seed, two stories", p.name)
		}
		if reflect.DeepEqual(a, other) {
			t.Errorf("%s: two seeds, one story", p.name)
		}
		calls = append(calls, a.sum(0, end).calls)
		if calls[0] != calls[len(calls)-1] {
			t.Errorf("%s met other calls: %v", p.name, calls)
		}
	}
}

// What a client of Holdfast adds to an outage, by how much it can learn: the bounds are what the
// policy promises, with room for chance. A client asks five times before its breaker opens and then
// once in 30 s; one that makes a single call knows of no other, and its own budget is all there is.
func TestLoad(t *testing.T) {
	for _, c := range []struct {
		name      string
		clients   int
		load      float64 // in the outage
		peak      float64 // of a second after it
		brownLoad float64 // and what may still come in the first second after a brown-out, if that is more
		answered  float64 // in the brown-out, which every other request survives
	}{
		{"Holdfast, one call", few / 4, 4.1, 4.5, 2.1, 0.9},
		{"Holdfast, people", few, 1.45, 1.5, 2.1, 0.85}, // 1.2 and less when it lasts more than seven minutes
		{"Holdfast, agents", few, 1.2, 1.5, 2.1, 0.75},
		{"Holdfast, gateways", few, 1.2, 1.5, 1.3, 0.5}, // no breaker makes it an outage
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := play(byName(t, c.name), c.clients, 1, false).figures()
			if f.outage.load > c.load || f.outage.peak > c.peak || f.brownOut.load > c.brownLoad || f.brownOut.peak > max(c.peak, c.brownLoad) {
				t.Errorf("%+v", f)
			}
			if f.brownOut.served < c.answered {
				t.Errorf("of the brown-out's calls, %.0f %% were answered", 100*f.brownOut.served)
			}
			if f.outage.recovery < 0 || f.brownOut.recovery < 0 {
				t.Errorf("goodput does not come back: %+v", f)
			}
		})
	}
}

// The drawing is well-formed XML.
func TestDraw(t *testing.T) {
	runs := make([]*record, len(policies))
	for i, p := range policies {
		runs[i] = play(p, 60, 1, false)
	}
	d := xml.NewDecoder(bytes.NewReader(draw(runs, 60)))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if text := table(runs, 60); strings.Count(text, "│") != 2*(len(policies)+2) {
		t.Error(text)
	}
}
