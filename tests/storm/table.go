package main

import (
	"fmt"
	"strings"

	"holdfast/core/time"
)

// table writes what was measured.
func table(runs []*record, clients int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-19s│ %s\n", "", "outage, 5 min: all fail              │ brown-out, 2 min: half fail")
	fmt.Fprintf(&b, "%-19s│ %6s %9s %9s %8s │ %6s %9s %9s %8s\n", "", "load", "answered", "recovery", "peak", "load", "answered", "recovery", "peak")
	for i, r := range runs {
		f := r.figures()
		fmt.Fprintf(&b, "%-19s│ %s │ %s\n", policies[i].name, f.outage.row(), f.brownOut.row())
	}
	b.WriteString("\nload: requests per user call, relative to normal. answered: calls begun then that got their answer in the end.\n" +
		"recovery: until goodput is at 95 % of normal for 5 s. peak: most requests in one second afterwards, relative to normal.\n" +
		"The goal for Holdfast: an outage's load of at most 1.20×, no peak above 1.50×.\n\n")
	for i, p := range policies {
		n := p.clients(clients)
		if p.share == 0 {
			n = runs[i].sum(0, end).calls
		}
		fmt.Fprintf(&b, "%-19s %s; %d clients\n", p.name, p.says, n)
	}
	return b.String()
}

func (s spell) row() string {
	recovery := "never"
	if s.recovery >= 0 {
		recovery = fmt.Sprintf("%d s", s.recovery/time.Second)
	}
	return fmt.Sprintf("%5.2f× %8.1f%% %9s %7.2f×", s.load, 100*s.served, recovery, s.peak)
}
