// Storm plays an outage and a brown-out of a provider to up to a million clients, in virtual time,
// and prints how much each retry policy adds to the trouble. Holdfast is the real core here.
//
//	go run ./tests/storm [-clients 100000] [-seed 1] [-hint] [-svg storm.svg]
//
// The model. Users call at a steady rate, at random times, whatever happens: a call a minute for
// each of -clients. Nobody gives up, and nobody presses a button again. Half of the calls are
// streamed. The provider has room for half as much again as they need, and turns away with a 503 what
// is over it; looking at a request costs it a tenth of answering one. After two minutes it goes down
// for five: running answers break off, and everything gets a 503. After three good minutes half of the
// requests fail for two. Its 503s say nothing about when to come back, unless -hint is given: then
// those of the outage name its end in Retry-After.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	std "time"
)

func main() {
	clients := flag.Int("clients", 100_000, "whose traffic it is, at a call a minute each; at most 1,000,000")
	seed := flag.Uint64("seed", 1, "of all randomness")
	hints := flag.Bool("hint", false, "the outage's 503s name its end in Retry-After")
	svg := flag.String("svg", "", "draw the curves into this file")
	flag.Parse()
	if *clients < 1 || *clients > 1_000_000 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	debug.SetGCPercent(400) // calls are many and short: memory is cheaper here than looking for it
	began := std.Now()
	runs := playAll(*clients, *seed, *hints)
	fmt.Print(table(runs, *clients))
	fmt.Printf("\n%d calls and %d requests were played in %.0f s.\n", total(runs, func(s second) int { return s.calls }),
		total(runs, func(s second) int { return s.requests }), std.Since(began).Seconds())
	if *svg != "" {
		if err := os.WriteFile(*svg, draw(runs, *clients), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// playAll plays every policy.
func playAll(clients int, seed uint64, hints bool) []*record {
	runs := make([]*record, len(policies))
	jobs := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range jobs {
				runs[i] = play(policies[i], clients, seed, hints)
			}
		})
	}
	for _, i := range []int{2, 3, 4, 5, 0, 1} { // what takes longest first
		jobs <- i
	}
	close(jobs)
	workers.Wait()
	return runs
}

// total counts over all runs.
func total(runs []*record, of func(second) int) (n int) {
	for _, r := range runs {
		for _, s := range *r {
			n += of(s)
		}
	}
	return n
}
