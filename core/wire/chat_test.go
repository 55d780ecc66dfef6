package wire

import (
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
)

// chunk is a chat.completion.chunk with a delta and a reason, "" for none.
func chunk(delta, reason string) string {
	if reason == "" {
		return `{"id":"c1","model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}`
	}
	return `{"id":"c1","model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":"` + reason + `"}]}`
}

var chatTranscripts = []transcript{
	{
		name: "reasoning, text and usage",
		body: events(chunk(`{"role":"assistant","content":""}`, ""), chunk(`{"reasoning_content":"Hm."}`, ""), chunk(`{"content":"Hel"}`, ""), chunk(`{"content":"lo"}`, ""), chunk(`{}`, "stop"),
			`{"id":"c1","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":1,"total_tokens":241,"prompt_tokens_details":{"cached_tokens":2},"completion_tokens_details":{"reasoning_tokens":228},"cost_in_usd_ticks":1176500}}`, "[DONE]"),
		log:     "reasoning \"Hm.\"\ntext \"Hello\"\n",
		summary: "complete stop",
		check:   usage(Usage{Input: 12, Output: 229, Total: 241, Cached: 2, Reasoning: 228, CostTicks: 1176500}),
	},
	{
		name: "tool calls in pieces",
		body: events(chunk(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}`, "tool_calls"), "[DONE]"),
		log:     "tool a f({\"x\":1})\ntool b g({})\n",
		summary: "complete tool_calls",
	},
	{
		name: "a custom tool, which takes no JSON",
		body: events(chunk(`{"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"sh","input":""}}]}`, ""), chunk(`{"tool_calls":[{"index":0,"custom":{"input":"ls "}}]}`, ""),
			chunk(`{"tool_calls":[{"index":0,"custom":{"input":"-l"}}]}`, "tool_calls"), "[DONE]"),
		log:     "tool a sh(ls -l)\n",
		summary: "complete tool_calls",
	},
	{name: "the token limit in a custom tool's text", body: events(chunk(`{"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"sh","input":"rm -r /tmp/"}}]}`, "length")), summary: "complete length"},
	{name: "a custom tool in a document", body: `{"choices":[{"message":{"tool_calls":[{"id":"a","type":"custom","custom":{"name":"sh","input":"ls"}}]},"finish_reason":"tool_calls"}]}`, log: "tool a sh(ls)\n", summary: "complete tool_calls"},
	{name: "usage in the choice", body: events(chunk(`{"content":"A"}`, ""), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}]}`), log: "text \"A\"\n", summary: "complete stop", check: usage(Usage{Input: 9, Output: 2, Total: 11})},
	{name: "Groq's usage", body: events(chunk(`{"content":"A"}`, ""), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"r","usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}}`), log: "text \"A\"\n", summary: "complete stop", check: usage(Usage{Input: 9, Output: 2, Total: 11})},
	{name: "an error in words", body: events(chunk(`{"content":"Half"}`, "")) + "event: error\ndata: You exceeded your current quota, please check your plan and billing details.\n\n", log: "text \"Half\"\n", summary: "failed quota"},
	{name: "an error in quoted words", body: events(chunk(`{"content":"Half"}`, "")) + "event: error\ndata: \"You exceeded your current quota\"\n\n", log: "text \"Half\"\n", summary: "failed quota"},
	{name: "llama.cpp's error", body: events(chunk(`{"content":"Half"}`, "")) + "error: {\"code\":400,\"message\":\"m\",\"type\":\"exceed_context_size_error\"}\n\n", log: "text \"Half\"\n", summary: "failed context_length"},
	{name: "a document whose reason says null", body: `{"choices":[{"message":{"content":"Half"},"finish_reason":"null"}]}`, log: "text \"Half\"\n", summary: "failed truncated"},
	{
		name:    "the token limit in a tool call",
		body:    events(chunk(`{"content":"So","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}`, ""), chunk(`{}`, "length")),
		log:     "text \"So\"\n",
		summary: "complete length",
	},
	{name: "a tool call that is no JSON, and a reason that does not say so", body: events(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, "stop")), summary: "failed malformed_tool_call stop"},
	{name: "DeepSeek had no room", body: events(chunk(`{"content":"Half"}`, "insufficient_system_resource")), log: "text \"Half\"\n", summary: "failed overloaded insufficient_system_resource"},
	{name: "vLLM gave up", body: events(chunk(`{"content":"Half"}`, "abort")), log: "text \"Half\"\n", summary: "failed server_error abort"},
	{name: "GLM's network", body: events(chunk(`{"content":"Half"}`, "network_error")), log: "text \"Half\"\n", summary: "failed server_error network_error"},
	{name: "GLM's filter", body: events(chunk(`{"content":"Half"}`, "sensitive")), log: "text \"Half\"\n", summary: "filtered sensitive"},
	{name: "a reason that says null", body: events(chunk(`{"content":"A"}`, "null"), chunk(`{"content":"B"}`, "stop")), log: "text \"AB\"\n", summary: "complete stop"},
	{name: "one message in the stream", body: events(`{"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}`), log: "text \"Hi\"\n", summary: "complete stop"},
	{name: "a tool call that is no JSON", body: events(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, "tool_calls")), summary: "failed malformed_tool_call tool_calls"},
	{name: "half a character in each of two deltas", body: events(chunk(`{"content":"\ud83d"}`, ""), chunk(`{"content":"\ude00"}`, "stop")), log: "text \"\U0001F600\"\n", summary: "complete stop"},
	{name: "an error beside the reason", body: events(`{"choices":[{"index":0,"delta":{"content":"Half"},"finish_reason":"error"}],"error":{"code":502,"message":"m"}}`), log: "text \"Half\"\n", summary: "failed server_error error"},
	{name: "an error in the choice", body: events(`{"choices":[{"index":0,"delta":{},"finish_reason":"error","error":{"code":503,"message":"overloaded"}}]}`), summary: "failed overloaded error"},
	{name: "what is said of an answer behind its stop", body: events(chunk(`{"content":"Hi"}`, ""), chunk(`{}`, "stop"), chunk(`{"annotations":[{"type":"url_citation"}],"audio":{"expires_at":1}}`, ""), chunk(`{"content":"\n","reasoning_details":[{"data":"x"}]}`, ""), "[DONE]"), log: "text \"Hi\\n\"\n", summary: "complete stop"},
	{name: "stop with every piece but the last", body: events(chunk(`{"content":"One "}`, "stop"), chunk(`{"content":"two"}`, ""), "[DONE]"), log: "text \"One two\"\n", summary: "complete stop"},
	{name: "a filter that shouts", body: events(chunk(`{"content":"Half"}`, "SAFETY")), log: "text \"Half\"\n", summary: "filtered SAFETY"},
	{name: "an error that shouts", body: events(chunk(`{"content":"Half"}`, "ERROR")), log: "text \"Half\"\n", summary: "failed server_error ERROR"},
	{name: "xAI's names", body: events(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, "REASON_MAX_LEN")), summary: "complete REASON_MAX_LEN"},
	{name: "Gemini's filter", body: events(chunk(`{"content":"Half"}`, ""), chunk(`{}`, "content_filter: RECITATION")), log: "text \"Half\"\n", summary: "filtered content_filter: RECITATION"},
	{name: "Gemini's own word", body: events(chunk(`{"content":"Half"}`, ""), chunk(`{}`, "PROHIBITED_CONTENT")), log: "text \"Half\"\n", summary: "filtered PROHIBITED_CONTENT"},
	{name: "Gemini's broken call", body: events(chunk(`{"content":"Half"}`, ""), chunk(`{}`, "function_call_filter: MALFORMED_FUNCTION_CALL")), log: "text \"Half\"\n", summary: "failed malformed_tool_call function_call_filter: MALFORMED_FUNCTION_CALL"},
	{name: "Gemini's limit", body: events(chunk(`{"reasoning_content":"Hm"}`, ""), chunk(`{}`, "MAX_TOKENS")), log: "reasoning \"Hm\"\n", summary: "complete MAX_TOKENS"},
	{name: "a word that nobody knows", body: events(chunk(`{"content":"Whole"}`, ""), chunk(`{}`, "eos")), log: "text \"Whole\"\n", summary: "complete eos"},
	{name: "XML after text", body: events(chunk(`{"content":"Half"}`, "")) + "<?xml version=\"1.0\"?><Error/>\n\n", log: "text \"Half\"\n", summary: "failed malformed_stream"},
	{name: "XML", body: `<?xml version="1.0"?><Error/>`, summary: "failed malformed_stream"},
	{name: "errors that tell of none", body: events(`{"choices":[{"index":0,"delta":{"content":"A"}}],"error":{}}`, `{"choices":[{"index":0,"delta":{"content":"B"},"error":""}],"error":{"code":null}}`, `{"choices":[{"index":0,"delta":{"content":"C"},"finish_reason":"stop"}],"error":""}`), log: "text \"ABC\"\n", summary: "complete stop"},
	{name: "FastAPI's errors", body: events(`{"detail":{"code":"content_policy_violation","message":"m","retryable":false}}`), summary: "failed content_policy"},
	{name: "flat errors", body: events(`{"object":"error","type":"BadRequestError","code":400,"message":"This model's maximum context length is 8 tokens."}`), summary: "failed context_length"},
	{name: "a page without a line's end", body: "<!DOCTYPE html><html><title>Login</title></html>", summary: "failed transport"},
	{name: "an error that says no more than that", body: events(`{"error":true}`), summary: "failed server_error"},
	{name: "sound", body: events(chunk(`{"role":"assistant","audio":{"id":"a1","transcript":"Hi"}}`, ""), chunk(`{}`, "stop")), summary: "complete stop"},
	{name: "a picture", body: events(chunk(`{"content":"","images":[{"type":"image_url","image_url":{"url":"data:,"}}]}`, "stop")), summary: "complete stop"},
	{name: "parts", body: events(chunk(`{"content":[{"type":"audio","audio":"aGk="}]}`, "stop")), summary: "complete stop"},
	{name: "nothing", body: events(chunk(`{"role":"assistant","content":"","refusal":null,"audio":null,"images":[],"annotations":[]}`, ""), chunk(`{"content":[{"type":"text","text":""}]}`, "stop")), summary: "failed empty_completion stop"},
	{name: "a thought", body: events(chunk(`{"reasoning_content":"Hm"}`, ""), chunk(`{}`, "stop")), log: "reasoning \"Hm\"\n", summary: "failed empty_completion stop"},
	{name: "a thought, at its limit", body: events(chunk(`{"reasoning_content":"Hm"}`, ""), chunk(`{}`, "length")), log: "reasoning \"Hm\"\n", summary: "complete length"},
	{name: "another choice is not followed", body: events(`{"choices":[{"index":1,"delta":{"content":"B"},"finish_reason":"stop"}]}`, chunk(`{"content":"A"}`, "stop")), log: "text \"A\"\n", summary: "complete stop"},
	{name: "stop with every piece", body: events(chunk(`{"reasoning_content":"Hm"}`, "stop"), chunk(`{"content":"One "}`, "stop"), chunk(`{"content":"two"}`, "stop")) + "data: [DONE]\n\n", log: "reasoning \"Hm\"\ntext \"One two\"\n", summary: "complete stop"},
	{name: "stop with every piece of a tool call", body: events(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}`, "stop"), chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}`, "stop")) + "data: [DONE]\n\n", log: "tool a f({\"x\":1})\n", summary: "complete stop"},
	{name: "stop with every piece, and a cut", body: events(chunk(`{"content":"One "}`, "stop"), chunk(`{"content":"two"}`, "")), log: "text \"One two\"\n", summary: "failed truncated"},
	{name: "stop, and length at last", body: events(chunk(`{"content":"One "}`, "stop"), chunk(`{}`, "length")), log: "text \"One \"\n", summary: "complete length"},
	{name: "MiniMax's refusal", body: events(`{"id":"c1","choices":null,"object":"","base_resp":{"status_code":1004,"status_msg":"login fail"}}`), summary: "failed auth"},
	{name: "MiniMax's failure", body: events(chunk(`{"content":"Half"}`, ""), `{"choices":null,"base_resp":{"status_code":1033,"status_msg":"m"}}`), log: "text \"Half\"\n", summary: "failed server_error"},
	{name: "MiniMax's refusal beside an end", body: events(`{"choices":[{"index":0,"delta":{"content":"Half"},"finish_reason":"stop"}],"base_resp":{"status_code":1027,"status_msg":"output new_sensitive"}}`), log: "text \"Half\"\n", summary: "failed content_policy stop"},
	{name: "the whole once more", body: events(chunk(`{"content":"Hello"}`, ""), chunk(`{"content":" you"}`, ""), `{"object":"chat.completion","choices":[{"index":0,"message":{"content":"Hello you"},"finish_reason":"stop"}],"base_resp":{"status_code":0,"status_msg":""}}`), log: "text \"Hello you\"\n", summary: "complete stop"},
	{name: "the whole once more, behind its end", body: events(chunk(`{"content":"Hello"}`, "stop"), `{"object":"chat.completion","choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}`), log: "text \"Hello\"\n", summary: "complete stop"},
	{name: "the whole, which has more", body: events(chunk(`{"content":"Hel"}`, ""), `{"object":"chat.completion","choices":[{"message":{"content":"Hello","reasoning_content":"Hm"},"finish_reason":"stop"}]}`), log: "text \"Hel\"\nreasoning \"Hm\"\ntext \"lo\"\n", summary: "complete stop"},
	{name: "a call once more", body: events(chunk(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}`, ""), `{"object":"chat.completion","choices":[{"message":{"content":"","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]},"finish_reason":"tool_calls"}]}`), log: "tool a f({\"x\":1})\n", summary: "complete tool_calls"},
	{name: "messages in pieces", body: events(`{"object":"chat.completion.chunk","choices":[{"message":{"content":"One "}}]}`, `{"object":"chat.completion.chunk","choices":[{"message":{"content":"two"},"finish_reason":"stop"}]}`), log: "text \"One two\"\n", summary: "complete stop"},
	{name: "calls without numbers and ids", body: events(chunk(`{"tool_calls":[{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"g","arguments":"{}"}}]}`, "tool_calls")), log: "tool  f({})\ntool  g({})\n", summary: "complete tool_calls"},
	{name: "a call without a name", body: events(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}`, "tool_calls")), summary: "failed malformed_tool_call tool_calls"},
	{name: "an empty thought beside a thought", body: events(chunk(`{"reasoning_content":"","reasoning":"Hm"}`, ""), chunk(`{"content":"Hi"}`, "stop")), log: "reasoning \"Hm\"\ntext \"Hi\"\n", summary: "complete stop"},
	{name: "Mistral's thought", body: events(chunk(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]}`, ""), chunk(`{"content":"Hi"}`, "stop")), log: "reasoning \"Hm\"\ntext \"Hi\"\n", summary: "complete stop"},
	{name: "Mistral's thought alone", body: events(chunk(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]}`, ""), chunk(`{"content":""}`, "stop")), log: "reasoning \"Hm\"\n", summary: "failed empty_completion stop"},
	{name: "somebody cancelled it", body: events(chunk(`{"content":"Half"}`, "cancelled")), log: "text \"Half\"\n", summary: "failed cancelled cancelled"},
	{name: "it took too long", body: events(chunk(`{"content":"Half"}`, "timeout")), log: "text \"Half\"\n", summary: "failed timeout timeout"},
	{name: "usage after the end", body: events(chunk(`{"content":"Hi"}`, "stop"), chunk(`{"content":""}`, ""), `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`), log: "text \"Hi\"\n", summary: "complete stop", check: usage(Usage{Input: 1, Output: 1, Total: 2})},
}

func TestChat(t *testing.T) { run(t, Chat, fault.OpenAI, chatTranscripts) }

// A thought without an answer is asked for once more, and says nothing of the provider's health.
func TestThoughtAlone(t *testing.T) {
	s := take(t, NewStream(Chat, fault.OpenAI, nil), events(chunk(`{"reasoning":"It is 4."}`, ""), chunk(`{}`, "stop")))
	if f := s.Fault; f.Reason != fault.EmptyCompletion || f.MaxRetries != 1 || f.Breaker != fault.Ignore {
		t.Errorf("%+v", f)
	}
}

// A document without an answer in it is none, and one with less in it than expected is.
func TestWholeChat(t *testing.T) {
	for body, want := range map[string]End{
		`{"id":"c1","object":"chat.completion","choices":null,"usage":{"total_tokens":0}}`: Failed,
		`{"choices":[]}`:              Failed,
		`{"code":1301,"message":"m"}`: Failed,
		`{}`:                          Failed,
		`"Hi"`:                        Failed,
		`{"request_id":"r1"}`:         Open, // xAI's ticket
		`{"choices":[{"message":{"content":"","reasoning_content":"It is 4."},"finish_reason":"stop"}]}`: Complete,
	} {
		if got := Whole(Chat, fault.OpenAI, json.Value(body)).End; got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
	}
}
