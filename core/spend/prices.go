package spend

import (
	"errors"
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/date"
	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// Rates is what one token of each kind costs.
type Rates struct{ Input, Cached, Write, Write1h, Output Ticks }

// Table says what every model costs. Models that it does not know have a price, too.
type Table struct {
	Date string // of the prices, as YYYY-MM-DD
	rows []row
}

// row is one line of a table.
type row struct {
	provider fault.Provider // "" is any
	model    string         // without its version; "" is any
	from     time.Time
	above    int64 // tokens of input
	rates    Rates
}

// Default returns the table that comes with Holdfast.
func Default() *Table {
	t, err := Parse(prices)
	if err != nil {
		panic("prices: " + err.Error()) // a test reads it
	}
	return t
}

// Parse reads a table in the format that prices explains. It must say what an unknown model
// costs. An error names the line.
func Parse(text string) (*Table, error) {
	t := &Table{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case len(words) == 2 && words[0] == "date":
			t.Date = words[1]
		default:
			r, why := parseRow(words)
			if why != "" {
				return nil, errors.New("line " + decimal.String(number) + ": " + why)
			}
			t.rows = append(t.rows, r)
		}
	}
	if _, r := t.find("", "", time.Time{}, 0); r == nil {
		return nil, errors.New("there is no line for unknown models (\"* * …\")")
	}
	return t, nil
}

func parseRow(words []string) (r row, why string) {
	if len(words) < 7 {
		return r, "a price has a provider, a model and five numbers"
	}
	r.provider, r.model, words = fault.Provider(wildcard(words[0])), wildcard(ascii.Lower(words[1])), words[2:]
	for len(words) >= 7 {
		ok := false
		switch words[0] {
		case "from":
			r.from, ok = date.Parse(date.Day, words[1])
		case "above":
			r.above, ok = decimal.Int(words[1])
			ok = ok && r.above >= 0
		}
		if !ok {
			return r, "what is \"" + words[0] + " " + words[1] + "\"?"
		}
		words = words[2:]
	}
	if len(words) != 5 {
		return r, "a price has five numbers"
	}
	for i, to := range []*Ticks{&r.rates.Input, &r.rates.Cached, &r.rates.Write, &r.rates.Write1h, &r.rates.Output} {
		if words[i] == "-" && i > 0 && i < 4 {
			*to = r.rates.Input
			continue
		}
		usd, ok := decimal.Float(words[i])
		if !ok || !(usd >= 0 && usd <= maxPrice) {
			return r, "\"" + words[i] + "\" is no price"
		}
		*to = PerMillion(usd)
	}
	return r, ""
}

// wildcard reads a name in which "*" is any.
func wildcard(word string) string {
	if word == "*" {
		return ""
	}
	return word
}

// maxPrice keeps the cost of any answer within an int64.
const maxPrice = 10_000 // USD per million tokens

// PerMillion turns a price as people write it, USD per million tokens, into that of one token.
func PerMillion(usd float64) Ticks { return FromDollars(min(usd, maxPrice) / 1e6) }

// Set gives a model a price, in the place of all that the table knew of it. "*" stands for every
// model of the provider that the table does not name; a price of 0 is free, not unknown.
func (t *Table) Set(p fault.Provider, model string, r Rates) {
	model = wildcard(ascii.Lower(model))
	kept := t.rows[:0:0]
	for _, old := range t.rows {
		if old.provider != p || old.model != model {
			kept = append(kept, old)
		}
	}
	t.rows = append(kept, row{provider: p, model: model, rates: r})
}

// Rates returns what a model costs at a time, for a request with so many tokens of input, and
// whether the table knows the model.
func (t *Table) Rates(p fault.Provider, model string, now time.Time, input int64) (Rates, bool) {
	known, r := t.find(p, ascii.Lower(model), now, input)
	return r.rates, known
}

// find returns the line that counts: of the longest name, the latest, for the highest tier.
func (t *Table) find(p fault.Provider, model string, now time.Time, input int64) (known bool, best *row) {
	model = strings.TrimPrefix(model, "models/") // Gemini's paths
	for i := range t.rows {
		r := &t.rows[i]
		if r.provider != "" && r.provider != p || !versionOf(model, r.model) || now.Before(r.from) || r.above > 0 && input <= r.above {
			continue
		}
		if best == nil || best.before(r) {
			best = r
		}
	}
	return best != nil && (best.provider != "" || best.model != ""), best
}

// before tells that r is the more exact line of two that both apply.
func (b *row) before(r *row) bool {
	switch {
	case len(b.model) != len(r.model):
		return len(b.model) < len(r.model)
	case b.provider != r.provider:
		return b.provider == ""
	case !b.from.Equal(r.from):
		return b.from.Before(r.from)
	}
	return b.above <= r.above
}

// versionOf tells whether a model is a version of the one that a line names: "-20251101",
// "-2026-03-05", "-001", "-latest", "-preview-05-20". A shorter number is another model:
// claude-opus-4-9 is none of claude-opus-4.
func versionOf(model, name string) bool {
	rest, ok := strings.CutPrefix(model, name)
	if !ok || name == "" || rest == "" {
		return ok
	}
	for _, word := range []string{"-latest", "-preview"} {
		if date, ok := strings.CutPrefix(rest, word); ok { // and no word: -preview-tts is another model
			return strings.Trim(date, "0123456789-") == ""
		}
	}
	digits := 0
	for _, c := range rest[1:] {
		if c < '0' || c > '9' {
			break
		}
		digits++
	}
	return (rest[0] == '-' || rest[0] == '@') && digits >= 3 && strings.Trim(rest[1:], "0123456789-") == ""
}

// maxTokens bounds a count: more in one answer is nonsense.
const maxTokens = 1_000_000_000

// Cost returns what an answer costs with these rates. Where the provider names the price itself, in
// Usage.CostTicks, that is the cost.
func (r Rates) Cost(u wire.Usage) Ticks {
	if u.CostTicks > 0 {
		return min(Ticks(u.CostTicks), maxTicks)
	}
	within := func(n int64, whole int64) int64 { return max(0, min(n, whole)) }
	input, output := within(u.Input, maxTokens), within(u.Output, maxTokens)
	cached := within(u.Cached, input)
	write := within(u.CacheWrite, input-cached)
	hour := within(u.CacheWrite1h, write)
	cost := Ticks(0)
	for _, part := range []struct {
		tokens int64
		rate   Ticks
	}{
		{input - cached - write, r.Input}, {cached, r.Cached}, {write - hour, r.Write}, {hour, r.Write1h}, {output, r.Output},
	} {
		cost = cost.plus(Ticks(part.tokens) * part.rate)
	}
	return cost
}
