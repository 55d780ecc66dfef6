// Package spend counts what answers cost, and refuses a request before it is sent that a limit
// does not cover.
//
// A Ledger holds the money. Before an attempt it reserves what the attempt may cost (Estimate); after
// it, the Hold is settled from the usage that the provider reported, or from an estimate when the
// answer was cut off before that. An attempt that was never sent, or that the provider refused to
// run, costs nothing. What a token costs says a Table, by default the one in table.go.
//
// The law of a ledger, fuzzed: at any moment, whatever the order of reservations and bills,
//
//	Spent - Overrun + Held <= Limit
//
// Spent is the sum of all bills, Held the sum of open reservations. A bill can be higher than its
// reservation, because a request without a token limit has no known maximum and characters are not
// tokens; the excess is counted in Spent, named in Overrun, and nothing that costs is admitted until
// it fits again. (So it is after Restore under a lower limit than before.) It is never hidden: a
// ledger that cut bills down to the reservation would guard its own number and not the money.
package spend

import "holdfast/core/decimal"

// Ticks is an amount of money: 1 tick is 1e-10 USD. It is the unit of xAI's bills, and small enough
// that every price per token is a whole number.
type Ticks int64

// USD is one dollar. (Brief 001 says 1e-8 USD a tick; xAI's own documentation and two recomputed
// bills say 1e-10: providers.md §8.3.)
const USD Ticks = 10_000_000_000

// Places is how many decimal places of a dollar a tick has.
const Places = 10

// maxTicks is where sums stop growing: 900 million dollars.
const maxTicks Ticks = 9_000_000_000_000_000_000

// Dollars returns the amount as JavaScript shows it.
func (t Ticks) Dollars() float64 { return float64(t) / float64(USD) }

// FromDollars returns the nearest amount; what is negative or no number is 0.
func FromDollars(d float64) Ticks {
	switch t := d * float64(USD); {
	case !(t > 0):
		return 0
	case t >= float64(maxTicks):
		return maxTicks
	default:
		return Ticks(t + 0.5)
	}
}

// String writes the amount in dollars, with all the digits that it has: "0.0037756".
func (t Ticks) String() string {
	return string(decimal.AppendParts(nil, int64(t), Places))
}

// plus adds up two amounts that are not negative.
func (t Ticks) plus(u Ticks) Ticks {
	if t > maxTicks-u {
		return maxTicks
	}
	return t + u
}

// Limit is the most that a ledger lets be spent. The zero value is no limit; AtMost(0) lets only
// pass what is free.
type Limit struct {
	Max Ticks
	Set bool
}

// AtMost returns a limit.
func AtMost(max Ticks) Limit { return Limit{max, true} }
