package breaker_test

import (
	"fmt"
	"time"

	"holdfast/core/breaker"
	"holdfast/core/fault"
)

func Example() {
	var b breaker.Breaker
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for range 5 {
		permit, _, _ := b.Admit(now, breaker.Config{})
		permit.Report(now, fault.Failing)
	}
	_, retryAt, ok := b.Admit(now, breaker.Config{})
	fmt.Println(ok, retryAt.Sub(now))

	now = retryAt
	probe, _, _ := b.Admit(now, breaker.Config{})
	fmt.Println(b.Record().Kind)
	probe.Report(now, fault.Healthy)
	fmt.Println(b.Record().Kind)
	// Output:
	// false 30s
	// half_open
	// closed
}
