package bind

import (
	"errors"
	"strings"

	"holdfast/core/breaker"
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/shared"
	"holdfast/core/spend"
)

// stateOptions are the options about what a client's calls know of each other.
func stateOptions(c *shared.Config) []option {
	return []option{
		{"breaker", func(v json.Value) error {
			if v.False() {
				c.Breaker.Failures = breaker.Off
				return nil
			}
			if v.Kind() != '{' {
				return errors.New("must be false or an object")
			}
			return options(v, "breaker", []option{
				{"failures", whole(&c.Breaker.Failures, 1, 1000)},
				{"openMs", ms(&c.Breaker.Open, 24*3600*1000)},
				{"perModel", flag(&c.PerModel)},
			})
		}},
		{"throttle", func(v json.Value) error {
			on := true
			err := flag(&on)(v)
			c.Throttle.Off = !on
			return err
		}},
		{"spend", func(v json.Value) error {
			return options(v, "spend", []option{
				{"maxUsd", func(v json.Value) error {
					usd, ok := v.Float()
					if !ok || usd < 0 {
						return errors.New("must be a number of US dollars")
					}
					c.Limit = spend.AtMost(spend.FromDollars(usd))
					return nil
				}},
				{"prices", func(v json.Value) (err error) {
					c.Prices, err = spend.Parse(v.Text())
					return err
				}},
			})
		}},
	}
}

// writeHealth writes a Health.
func writeHealth(w *json.Writer, key string, h shared.Health) {
	w.Open(key, '{').Open("targets", '[')
	for _, t := range h.Targets {
		w.Open("", '{').Text("host", t.Host).TextIf("model", t.Model)
		w.Text("breaker", string(t.Breaker)).Int("failures", int64(t.Failures)).Bool("gated", t.Gated)
		w.IntIf("retryAtMs", epochMs(t.RetryAt))
		if !t.At.IsZero() {
			w.Int("limitsAtMs", epochMs(t.At))
			writeLimits(w, "limits", t.Limits)
		}
		w.Close('}')
	}
	w.Close(']')
	if h.Throttled {
		w.Int("retriesLeft", int64(h.Retries))
	}
	w.Open("spend", '{').Parts("spentUsd", int64(h.Spend.Spent), spend.Places).Parts("estimatedUsd", int64(h.Spend.Estimated), spend.Places)
	w.Parts("overrunUsd", int64(h.Spend.Overrun), spend.Places).Parts("heldUsd", int64(h.Spend.Held), spend.Places).Int("attempts", h.Spend.Attempts)
	if h.Limit.Set {
		w.Parts("maxUsd", int64(h.Limit.Max), spend.Places)
	}
	w.Close('}').Close('}')
}

// writeLimits writes RateLimits; what is unknown is left out.
func writeLimits(w *json.Writer, key string, l fault.Limits) {
	w.Open(key, '{')
	for _, f := range []struct {
		key string
		w   fault.Window
	}{
		{"requests", l.Requests}, {"tokens", l.Tokens}, {"projectTokens", l.ProjectTokens},
		{"inputTokens", l.InputTokens}, {"outputTokens", l.OutputTokens},
		{"priorityInputTokens", l.PriorityInput}, {"priorityOutputTokens", l.PriorityOutput},
		{"fastInputTokens", l.FastInput}, {"fastOutputTokens", l.FastOutput}, {"plan", l.Plan},
	} {
		if f.w == (fault.Window{}) {
			continue
		}
		w.Open(f.key, '{')
		if f.w.Limit.Known {
			w.Int("limit", f.w.Limit.N)
		}
		if f.w.Remaining.Known {
			w.Int("remaining", f.w.Remaining.N)
		}
		if f.w.Reset.Known {
			writeMs(w, "resetMs", f.w.Reset.Wait)
		}
		w.Close('}')
	}
	w.TextIf("planStatus", l.PlanStatus)
	if l.RetryAfter.Known {
		writeMs(w, "retryAfterMs", l.RetryAfter.Wait)
	}
	w.Close('}')
}

const digits = "0123456789abcdef"

// toHex writes bytes as text. Snapshots are small, and base64 would cost more than it saves.
func toHex(data []byte) string {
	text := make([]byte, 0, 2*len(data))
	for _, b := range data {
		text = append(text, digits[b>>4], digits[b&15])
	}
	return string(text)
}

func fromHex(text []byte) ([]byte, error) {
	data := make([]byte, 0, len(text)/2)
	for i := 0; i+1 < len(text); i += 2 {
		high, low := strings.IndexByte(digits, text[i]), strings.IndexByte(digits, text[i+1])
		if high < 0 || low < 0 {
			return nil, errors.New("this is no text that snapshot() gave")
		}
		data = append(data, byte(high<<4|low))
	}
	return data, nil
}
