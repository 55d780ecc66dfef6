package breaker_test

import (
	"fmt"

	"holdfast/core/breaker"
	"holdfast/core/fault"
	"holdfast/core/time"
)

func Example() {
	var b breaker.Breaker
	now := time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC
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
