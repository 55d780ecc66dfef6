package wire

import (
	"testing"

	"holdfast/core/json"
)

// Every row of providers.md §8.1 and §8.2.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		want         Usage
	}{
		{"openai chat", `{"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":60,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":20,"accepted_prediction_tokens":0}}}`,
			Usage{Input: 100, Output: 50, Total: 150, Cached: 60, Reasoning: 20}},
		{"openai responses", `{"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":30},"output_tokens":50,"output_tokens_details":{"reasoning_tokens":20},"total_tokens":150}}`,
			Usage{Input: 100, Output: 50, Total: 150, Cached: 60, CacheWrite: 30, Reasoning: 20}},
		{"openai embeddings", `{"usage":{"prompt_tokens":8,"total_tokens":8}}`, Usage{Input: 8, Total: 8}},
		{"anthropic", `{"usage":{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":30,"cache_read_input_tokens":60,"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":10},"output_tokens_details":{"thinking_tokens":2}}}`,
			Usage{Input: 100, Output: 5, Total: 105, Cached: 60, CacheWrite: 30, CacheWrite1h: 10, Reasoning: 2}},
		{"anthropic's searches", `{"usage":{"input_tokens":10,"output_tokens":5,"server_tool_use":{"web_search_requests":3,"web_fetch_requests":2}}}`,
			Usage{Input: 10, Output: 5, Total: 15, Searches: 3}},
		{"xai's tools", `{"usage":{"input_tokens":10,"output_tokens":5,"num_sources_used":7,"num_server_side_tools_used":3,"server_side_tool_usage_details":{"x_search_calls":3}}}`,
			Usage{Input: 10, Output: 5, Total: 15, Searches: 3}},
		{"xai chat: reasoning beside the completion", `{"usage":{"prompt_tokens":12,"completion_tokens":1,"total_tokens":241,"prompt_tokens_details":{"cached_tokens":2},"completion_tokens_details":{"reasoning_tokens":228},"cost_in_usd_ticks":1176500}}`,
			Usage{Input: 12, Output: 229, Total: 241, Cached: 2, Reasoning: 228, CostTicks: 1176500}},
		{"xai responses: reasoning inside the output", `{"usage":{"input_tokens":32,"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":41,"cost_in_usd_ticks":37756000}}`,
			Usage{Input: 32, Output: 9, Total: 41, Reasoning: 4, CostTicks: 37756000}},
		{"gemini's chat: reasoning beside the completion", `{"usage":{"prompt_tokens":21,"completion_tokens":0,"total_tokens":81,"completion_tokens_details":{"reasoning_tokens":60}}}`,
			Usage{Input: 21, Output: 60, Total: 81, Reasoning: 60}},
		{"gemini's chat: reasoning in the total alone", `{"usage":{"prompt_tokens":20,"completion_tokens":198,"total_tokens":623}}`,
			Usage{Input: 20, Output: 603, Total: 623}},
		{"cached beside the prompt", `{"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":10}}}`,
			Usage{Input: 13, Output: 1, Total: 14, Cached: 10}},
		{"gemini", `{"responseId":"r","usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":30,"thoughtsTokenCount":50,"toolUsePromptTokenCount":7,"totalTokenCount":187,"promptTokensDetails":[{"modality":"TEXT","tokenCount":100}]}}`,
			Usage{Input: 107, Output: 80, Total: 187, Cached: 60, ToolPrompt: 7, Reasoning: 50}},
		{"interactions", `{"usage":{"total_input_tokens":100,"total_output_tokens":30,"total_thought_tokens":50,"total_cached_tokens":60,"total_tool_use_tokens":7,"total_tokens":187}}`,
			Usage{Input: 107, Output: 80, Total: 187, Cached: 60, ToolPrompt: 7, Reasoning: 50}},
		{"nulls", `{"usage":{"input_tokens":null,"output_tokens":5,"input_tokens_details":null}}`, Usage{Output: 5, Total: 5}},
		{"null", `{"usage":null}`, Usage{}},
		{"nonsense", `{"usage":{"input_tokens":-1,"output_tokens":1e300,"total_tokens":"3"}}`, Usage{}},
	} {
		if _, _, got := Describe(json.Value(c.answer)); got != c.want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func TestPlus(t *testing.T) {
	u := Usage{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if got, want := u.Plus(u), (Usage{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}); got != want {
		t.Errorf("%+v", got)
	}
}
