package splice

import (
	"holdfast/core/decimal"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// share is how much of a usage stands under one name of a usage object; what the names mean is in
// wire.Usage and providers.md §8.2.
func share(name string, u wire.Usage) (n int64, known bool) {
	switch name {
	case "prompt_tokens", "input_tokens":
		n = u.Input
	case "completion_tokens", "output_tokens":
		n = u.Output
	case "total_tokens", "totalTokenCount":
		n = u.Total
	case "promptTokenCount", "total_input_tokens":
		n = u.Input - u.ToolPrompt
	case "candidatesTokenCount", "total_output_tokens":
		n = u.Output - u.Reasoning
	case "reasoning_tokens", "thoughtsTokenCount", "total_thought_tokens":
		n = u.Reasoning
	case "cached_tokens", "cache_read_input_tokens", "cachedContentTokenCount", "total_cached_tokens":
		n = u.Cached
	case "cache_creation_input_tokens":
		n = u.CacheWrite
	case "toolUsePromptTokenCount", "total_tool_use_tokens":
		n = u.ToolPrompt
	case "web_search_requests", "num_server_side_tools_used":
		n = u.Searches
	case "cost_in_usd_ticks":
		n = u.CostTicks
	default:
		return 0, false
	}
	return n, true
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
		more, known := share(name, u)
		switch {
		case ok && known:
			w.Int(name, n+more)
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
