package spend_test

import (
	"fmt"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

func Example() {
	ledger := spend.Ledger{Limit: spend.AtMost(spend.USD / 100)}
	now := time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC
	body := json.Value(`{"model":"claude-sonnet-5","max_tokens":500,"messages":[{"role":"user","content":"Tell me a story."}]}`)

	hold, ok := ledger.Reserve(now, fault.Anthropic, "claude-sonnet-5", spend.Guess(wire.Messages, body))
	fmt.Println(ok, "reserved", hold.Amount)

	_, ok = ledger.Reserve(now, fault.Anthropic, "claude-sonnet-5", spend.Guess(wire.Messages, body))
	fmt.Println(ok)

	bill := hold.Settle(now, spend.Use{Complete: true, Usage: wire.Usage{Input: 14, Output: 220}})
	fmt.Println("cost", bill.Cost)

	_, ok = ledger.Reserve(now, fault.Anthropic, "claude-sonnet-5", spend.Guess(wire.Messages, body))
	fmt.Println(ok)
	// Output:
	// true reserved 0.0050625
	// false
	// cost 0.002228
	// true
}
