package splice

import (
	"holdfast/core/decimal"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// share is how much of a usage stands under one name of a usage object; what the names mean is in
// wire.Usage and providers.md §8.2.
var share = map[string]func(u wire.Usage) int64{
	"prompt_tokens":     func(u wire.Usage) int64 { return u.Input },
	"completion_tokens": func(u wire.Usage) int64 { return u.Output },
	"total_tokens":      func(u wire.Usage) int64 { return u.Total },
	"input_tokens":      func(u wire.Usage) int64 { return u.Input },
	"output_tokens":     func(u wire.Usage) int64 { return u.Output },
	"cached_tokens":     func(u wire.Usage) int64 { return u.Cached },
	"reasoning_tokens":  func(u wire.Usage) int64 { return u.Reasoning },
	"cost_in_usd_ticks": func(u wire.Usage) int64 { return u.CostTicks },

	"cache_read_input_tokens":     func(u wire.Usage) int64 { return u.Cached },
	"cache_creation_input_tokens": func(u wire.Usage) int64 { return u.CacheWrite },

	"promptTokenCount":      func(u wire.Usage) int64 { return u.Input - u.ToolPrompt },
	"candidatesTokenCount":  func(u wire.Usage) int64 { return u.Output - u.Reasoning },
	"total_input_tokens":    func(u wire.Usage) int64 { return u.Input - u.ToolPrompt },
	"total_output_tokens":   func(u wire.Usage) int64 { return u.Output - u.Reasoning },
	"total_thought_tokens":  func(u wire.Usage) int64 { return u.Reasoning },
	"total_cached_tokens":   func(u wire.Usage) int64 { return u.Cached },
	"total_tool_use_tokens": func(u wire.Usage) int64 { return u.ToolPrompt },

	"totalTokenCount":         func(u wire.Usage) int64 { return u.Total },
	"thoughtsTokenCount":      func(u wire.Usage) int64 { return u.Reasoning },
	"toolUsePromptTokenCount": func(u wire.Usage) int64 { return u.ToolPrompt },
	"cachedContentTokenCount": func(u wire.Usage) int64 { return u.Cached },
}

// plus returns a usage object with u added to its numbers. What is no object stays as it is.
func plus(usage json.Value, u wire.Usage) json.Value {
	if usage.Kind() != '{' || u == (wire.Usage{}) {
		return usage
	}
	var w json.Writer
	w.Open("", '{')
	usage.Each(func(name string, v json.Value) bool {
		n, ok := v.Int()
		of := share[name]
		switch {
		case ok && of != nil:
			w.Int(name, n+of(u))
		case v.Kind() == '{':
			w.Raw(name, plus(v, u))
		default:
			w.Raw(name, v)
		}
		return true
	})
	return w.Close('}').Out
}

// number is a whole number as JSON.
func number(n int64) json.Value { return decimal.Append(nil, n) }
