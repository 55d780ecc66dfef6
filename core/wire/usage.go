package wire

import "holdfast/core/json"

// Usage counts the tokens of an answer, in one form for every provider. The zero value is "not
// reported". Some providers count a part beside its whole and some inside of it (providers.md
// §8.2); here every part is inside, so that a price is always
//
//	(Input-Cached-CacheWrite)·input + Cached·cached + (CacheWrite-CacheWrite1h)·write +
//	CacheWrite1h·write1h + Output·output
type Usage struct {
	Input  int64 // the whole prompt
	Output int64 // everything that the model wrote
	Total  int64 // as reported, else Input + Output

	Cached       int64 // inside Input: read from a cache. Anthropic reports it beside its input
	CacheWrite   int64 // inside Input: written to a cache. Anthropic reports it beside its input
	CacheWrite1h int64 // inside CacheWrite: written to live for an hour (Anthropic)
	ToolPrompt   int64 // inside Input: what tools at the provider brought. Gemini reports it beside its prompt
	Reasoning    int64 // inside Output. Gemini and xAI's chat report it beside their output

	Searches  int64 // calls of the provider's own tools that it bills one by one: Anthropic's web search, all of xAI's
	CostTicks int64 // the price of the whole request in 1e-10 USD, where the provider says it (xAI); else 0
}

// Plus adds up two attempts.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output, Total: u.Total + v.Total,
		Cached: u.Cached + v.Cached, CacheWrite: u.CacheWrite + v.CacheWrite, CacheWrite1h: u.CacheWrite1h + v.CacheWrite1h,
		ToolPrompt: u.ToolPrompt + v.ToolPrompt, Reasoning: u.Reasoning + v.Reasoning,
		Searches: u.Searches + v.Searches, CostTicks: u.CostTicks + v.CostTicks,
	}
}

// counts are the numbers of a usage object as they stand there. Streams report running totals,
// several times and in parts: of each number the last one counts, and nothing is ever summed.
type counts struct {
	input, output, total    int64
	cached, written         int64 // within input
	read, created           int64 // beside input
	written5m, written1h    int64 // within created
	toolPrompt              int64 // beside input
	reasoning               int64 // within output, or beside it: see normal
	thoughts                int64 // beside output
	compactInput, compacted int64 // beside input and output
	searches, ticks         int64
}

// take reads a usage object of any API. The names tell where a number belongs.
func (c *counts) take(u json.Value) {
	u.Each(func(name string, v json.Value) bool {
		switch name {
		case "input_tokens", "prompt_tokens", "promptTokenCount", "total_input_tokens":
			latest(&c.input, v)
		case "output_tokens", "completion_tokens", "candidatesTokenCount", "responseTokenCount", "total_output_tokens":
			latest(&c.output, v)
		case "total_tokens", "totalTokenCount":
			latest(&c.total, v)
		case "cached_tokens", "cachedContentTokenCount", "total_cached_tokens":
			latest(&c.cached, v)
		case "cache_write_tokens":
			latest(&c.written, v)
		case "cache_read_input_tokens":
			latest(&c.read, v)
		case "cache_creation_input_tokens":
			latest(&c.created, v)
		case "ephemeral_5m_input_tokens":
			latest(&c.written5m, v)
		case "ephemeral_1h_input_tokens":
			latest(&c.written1h, v)
		case "toolUsePromptTokenCount", "total_tool_use_tokens":
			latest(&c.toolPrompt, v)
		case "reasoning_tokens", "thinking_tokens":
			latest(&c.reasoning, v)
		case "thoughtsTokenCount", "total_thought_tokens":
			latest(&c.thoughts, v)
		case "cost_in_usd_ticks":
			latest(&c.ticks, v)
		case "web_search_requests", "num_server_side_tools_used":
			latest(&c.searches, v)
		case "server_tool_use", "prompt_tokens_details", "input_tokens_details", "completion_tokens_details", "output_tokens_details", "cache_creation":
			c.take(v)
		case "iterations":
			c.compactions(v)
		}
		return true
	})
}

// compactions counts what Anthropic spent on summing up the conversation, which its totals leave
// out.
func (c *counts) compactions(list json.Value) {
	var input, output int64
	list.Each(func(_ string, step json.Value) bool {
		if step.Get("type").Text() == "compaction" {
			var n counts
			latest(&n.input, step.Get("input_tokens"))
			latest(&n.output, step.Get("output_tokens"))
			input, output = input+n.input, output+n.output
		}
		return true
	})
	if input > 0 || output > 0 {
		c.compactInput, c.compacted = input, output
	}
}

// ReadUsage reads a usage object of any API.
func ReadUsage(u json.Value) Usage {
	var c counts
	c.take(u)
	return c.normal()
}

// latest keeps a number that was reported. 0 and null say nothing: several servers fill in what
// they do not know with them.
func latest(to *int64, v json.Value) {
	if n, ok := v.Int(); ok && n > 0 && n < 1<<50 {
		*to = n
	}
}

// normal puts every part inside its whole.
func (c *counts) normal() Usage {
	created := max(c.created, c.written5m+c.written1h)
	u := Usage{
		Input:  c.input + c.read + created + c.toolPrompt + c.compactInput,
		Output: c.output + c.thoughts + c.compacted,
		Total:  c.total,
		Cached: c.cached + c.read, CacheWrite: c.written + created, CacheWrite1h: c.written1h,
		ToolPrompt: c.toolPrompt, Reasoning: c.reasoning + c.thoughts,
		Searches: c.searches, CostTicks: c.ticks,
	}
	if c.cached+c.written > c.input { // then they stand beside it: xAI, sometimes
		u.Input += c.cached + c.written
	}
	// Some count reasoning beside the completion, and the total proves it: xAI's chat, and what translates
	// Gemini, often without another word for it.
	if beside := c.total - u.Input - u.Output; beside > 0 {
		u.Output += beside
	} else if c.reasoning > c.output {
		u.Output += c.reasoning
	}
	if u.Total == 0 {
		u.Total = u.Input + u.Output
	}
	return u
}
