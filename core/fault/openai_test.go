package fault

import (
	"testing"

	"holdfast/core/json"
)

func TestOpenAI(t *testing.T) {
	run(t, OpenAI, []exchange{
		{"cls-010", 429, "", `{"error":{"message":"Rate limit reached (TPM): Limit 10000, Used 8554, Requested 3082. Please try again in 9.816s.","type":"tokens","code":"rate_limit_exceeded"}}`, "retry rate_limit failure after_retries 9.816s"},
		{"providers §3.2", 429, "", `{"error":{"message":"Request too large for m on tokens per min (TPM): Limit 10000, Requested 13000.","type":"tokens","code":"rate_limit_exceeded"}}`, "fix_request request_too_large ignore same_provider_other_model"},
		{"cls-009: only the numbers tell", 429, "", `{"error":{"message":"Too many tokens: Limit: 10,000, Used 0, Requested: 13,000. Please try again in 1s.","code":"rate_limit_exceeded"}}`, "fix_request request_too_large ignore same_provider_other_model"},
		{"a hint of another kind", 429, "", `{"error":{"message":"Rate limit reached. Limit: 3 / min. Please try again in 20s. Please add a payment method. Visit https://platform.openai.com/account/billing.","type":"requests","code":"rate_limit_exceeded"}}`, "retry rate_limit failure after_retries 20s"},
		{"per day", 429, "", `{"error":{"message":"Rate limit reached on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s.","code":"rate_limit_exceeded"}}`, "stop rate_limit failure after_retries 7m12s"},
		{"slow down, new", 429, "", `{"error":{"type":"rate_limit_error","code":"slow_down","message":"Slow down"}}`, "retry rate_limit failure after_retries"},
		{"slow down, old", 503, "", `{"error":{"code":"slow_down","message":"Slow down"}}`, "retry overloaded failure after_retries"},
		{"Azure", 429, "", `{"error":{"code":"429","message":"Requests have exceeded token rate limit of your current S0 pricing tier. Please retry after 20 seconds."}}`, "retry rate_limit failure after_retries 20s"},
		{"Azure API Management", 429, "", `{"statusCode":429,"message":"Rate limit is exceeded. Try again in 13 seconds."}`, "retry rate_limit failure after_retries 13s"},

		{"MiniMax", 200, "", `{"choices":null,"base_resp":{"status_code":1004,"status_msg":"login fail"}}`, "stop auth ignore never"},
		{"MiniMax", 200, "", `{"choices":null,"base_resp":{"status_code":2049,"status_msg":"invalid api key"}}`, "stop auth ignore never"},
		{"MiniMax", 200, "", `{"choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`, "retry rate_limit failure after_retries"},
		{"MiniMax", 200, "", `{"choices":null,"base_resp":{"status_code":1039,"status_msg":"token limit"}}`, "retry rate_limit failure after_retries"},
		{"MiniMax", 200, "", `{"choices":null,"base_resp":{"status_code":1001,"status_msg":"request timeout"}}`, "retry timeout failure after_retries"},
		{"MiniMax", 200, "", `{"choices":null,"base_resp":{"status_code":1008,"status_msg":"m"}}`, "stop billing ignore never"},
		{"MiniMax", 200, "", `{"choices":null,"base_resp":{"status_code":2056,"status_msg":"m"}}`, "stop plan_window ignore never"},
		{"MiniMax", 200, "", `{"choices":null,"base_resp":{"status_code":1026,"status_msg":"input new_sensitive"}}`, "fix_request content_policy ignore never"},
		{"MiniMax", 200, "", `{"choices":[{"message":{"content":""},"finish_reason":"stop"}],"base_resp":{"status_code":1027,"status_msg":"output new_sensitive"}}`, "fix_request content_policy ignore never"},
		{"MiniMax", 200, "", `{"choices":null,"base_resp":{"status_code":2013,"status_msg":"invalid params"}}`, "fix_request invalid_request ignore never"},
		{"MiniMax", 200, "", `{"choices":null,"base_resp":{"status_code":1033,"status_msg":"system error"}}`, "retry server_error failure after_retries"},
		{"DashScope in an answer", 200, "", `{"error":{"code":"InvalidParameter","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"DashScope in an answer", 200, "", `{"error":{"code":"Throttling.RateQuota","message":"m"}}`, "retry rate_limit failure after_retries"},

		{"OpenRouter", 429, "", `{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock more."}}`, "stop daily_quota ignore same_provider_other_model"},
		{"Gemini behind a proxy", 429, "", gemini429("You exceeded your current quota, please check your plan and billing details.", perMin+","+retry40s), "retry rate_limit failure after_retries 40s"},
		{"Gemini behind OpenRouter", 429, "", `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":` + jsonText(gemini429("You exceeded your current quota.", perMin+","+retry40s)) + `}}}`, "retry rate_limit failure after_retries 40s"},
		{"Gemini behind LiteLLM", 429, "", `{"error":{"message":` + jsonText("litellm.RateLimitError: VertexAIException - "+gemini429("You exceeded your current quota.", perMin+","+retry40s)+". Received Model Group=g\nFallbacks=None") + `,"code":"429"}}`, "retry rate_limit failure after_retries 40s"},
		{"Anthropic behind LiteLLM", 500, "", `{"error":{"message":"litellm.InternalServerError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}. Received Model Group=c","code":"500"}}`, "retry overloaded failure after_retries"},
		{"Groq", 413, "", `{"error":{"message":"Request too large for model m on tokens per minute (TPM): Limit 6000, Requested 7152","code":"rate_limit_exceeded"}}`, "fix_request request_too_large ignore same_provider_other_model"},

		// Money before rate limits.
		{"cls-001", 429, "retry-after: 5", `{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}`, "stop quota ignore never"},
		{"providers §3.2", 429, "", `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":null}}`, "stop quota ignore never"},
		{"providers §3.2", 429, "", `{"error":{"message":"You exceeded your current quota"}}`, "stop quota ignore never"},
		{"providers §3.2", 429, "", `{"error":{"type":"insufficient_quota","code":"project_spend_limit_exceeded","message":"m"}}`, "stop quota ignore never"},
		{"providers §3.2", 429, "", `{"error":{"code":"organization_spend_limit_exceeded","message":"m"}}`, "stop spend_cap ignore never"},
		{"providers §3.2", 400, "", `{"error":{"code":"billing_hard_limit_reached","message":"m"}}`, "stop spend_cap ignore never"},
		{"providers §3.2", 429, "", `{"error":{"code":"credit_balance_exhausted","message":"m"}}`, "stop billing ignore never"},
		{"a code for the words", 429, "", `{"error":"insufficient_quota"}`, "stop quota ignore never"},
		{"a code for the words", 429, "", `{"detail":"insufficient_quota"}`, "stop quota ignore never"},
		{"a code for the words", 429, "", `insufficient_quota`, "stop quota ignore never"},
		{"a code for the words", 0, "", `{"error":"rate_limit_exceeded"}`, "retry rate_limit failure after_retries"},
		{"a code for the words", 0, "", `{"error":"overloaded"}`, "retry overloaded failure after_retries"},
		{"a code among the words", 429, "", `{"error":"upstream: insufficient_quota (429)"}`, "stop quota ignore never"},
		{"a parameter is no code", 400, "", `{"error":{"type":"invalid_request_error","message":"Unknown value: rate_limit_exceeded"}}`, "fix_request invalid_request ignore never"},
		{"JSON that was cut off", 429, "", `{"error":{"code":"insufficient_quota","message":"You exc`, "stop quota ignore never"},
		{"JSON that was cut off", 400, "", `{"error":{"message":"m","type":"service_unavailable_error","code":"server_is_overloaded","par`, "retry overloaded failure after_retries"},
		{"ChatGPT plans", 429, "", `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_in_seconds":3600}}`, "stop plan_window ignore never"},
		{"Z.ai 1308", 429, "", `{"error":{"code":"1308","message":"Usage limit reached for 5 hour. Your limit will reset at 2026-09-09 05:38:28"}}`, "stop plan_window ignore never"},
		{"codex", 0, "", `{"error":{"code":"usage_not_included","message":"m"}}`, "stop plan_gate ignore never"},
		{"DeepSeek", 402, "", `{"error":{"message":"Insufficient Balance","type":"unknown_error"}}`, "stop billing ignore never"},
		{"cls-026", 403, "", `{"type":"error","error":{"type":"permission_error","message":"Usage limit for this billing cycle reached. Quota refreshes next cycle."}}`, "stop quota ignore never"},
		{"OpenRouter", 403, "", `{"error":{"code":403,"message":"Key limit exceeded (total limit)."}}`, "stop spend_cap ignore never"},
		{"Cerebras", 429, "", `{"message":"Tokens per day limit exceeded - too many tokens processed.","type":"too_many_tokens_error","code":"token_quota_exceeded"}`, "stop daily_quota ignore same_provider_other_model"},
		{"Bedrock", 429, "", `{"message":"Too many tokens per day, please wait before trying again."}`, "stop daily_quota ignore same_provider_other_model"},
		{"Bedrock", 429, "", `{"message":"Too many tokens, please wait before trying again."}`, "retry rate_limit failure after_retries"},
		{"Workers AI", 429, "", `{"errors":[{"message":"AiError: you have used up your daily free allocation of 10,000 neurons","code":4006}],"success":false}`, "stop daily_quota ignore same_provider_other_model"},
		{"Cerebras", 429, "", `{"message":"Tokens per minute limit exceeded - too many tokens processed.","type":"too_many_tokens_error","code":"token_quota_exceeded"}`, "retry rate_limit failure after_retries"},
		{"a quota project is no quota", 403, "", `{"error":{"message":"The API requires a quota project"}}`, "stop permission ignore never"},

		// What the caller must change.
		{"providers §3.8", 400, "", `{"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded"}}`, "fix_request context_length ignore never"},
		{"vLLM", 400, "", `{"object":"error","message":"This model's maximum context length is 8192 tokens.","type":"BadRequestError","code":400}`, "fix_request context_length ignore never"},
		{"providers §3.8", 400, "", `{"error":{"message":"context_length_exceeded: 9000 tokens","type":"invalid_request_error"}}`, "fix_request context_length ignore never"},
		{"SGLang", 400, "", `{"object":"error","message":"The input (35000 tokens) is longer than the model's context length (32768 tokens).","code":400}`, "fix_request context_length ignore never"},
		{"llama.cpp", 500, "", `{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`, "fix_request context_length ignore never"},
		{"llama.cpp", 500, "", `{"error":{"code":500,"message":"m","type":"exceed_context_size_error"}}`, "fix_request context_length ignore never"},
		{"Moonshot", 400, "", `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)","type":"invalid_request_error"}}`, "fix_request context_length ignore never"},
		{"Moonshot", 404, "", `{"error":{"message":"Not found the model m or Permission denied","type":"resource_not_found_error"}}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"LM Studio", 400, "", `{"error":"The model is loaded with context length of only 4096 tokens, which is not enough."}`, "fix_request context_length ignore never"},
		{"OpenRouter", 403, "", `{"error":{"code":403,"message":"m requires moderation on p. Your input was flagged for \"violence\". No credits were charged."}}`, "fix_request content_policy ignore never"},
		{"DeepSeek", 400, "", `{"error":{"message":"Content Exists Risk","type":"invalid_request_error"}}`, "fix_request content_policy ignore never"},
		{"DashScope", 400, "", `{"error":{"code":"invalid_parameter_error","message":"Range of input length should be [1, 129024]","type":"invalid_request_error"}}`, "fix_request context_length ignore never"},
		{"DashScope", 400, "", `{"error":{"code":"data_inspection_failed","message":"m"}}`, "fix_request content_policy ignore never"},
		{"GLM", 400, "", `{"error":{"code":"1301","message":"System detected potentially unsafe or sensitive content in input or generation."}}`, "fix_request content_policy ignore never"},
		{"Mistral", 400, "", `{"object":"error","message":"Invalid model: m","type":"invalid_model","code":"1500"}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"DeepSeek", 400, "", `{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"LiteLLM", 400, "", `{"error":{"message":"/chat/completions: Invalid model name passed in model=m.","code":"400"}}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"providers §3.2", 400, "", `{"error":{"code":"content_policy_violation","message":"m"}}`, "fix_request content_policy ignore never"},
		{"cls-024", 400, "", `{"error":{"code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, "fix_request content_policy ignore never"},
		{"providers §3.2", 400, "", `{"error":{"type":"invalid_request_error","code":"unsupported_parameter","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"providers §3.2", 404, "", `{"error":{"code":"model_not_found","message":"m"}}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"providers §3.2", 403, "", `{"error":{"code":"model_not_found","message":"m"}}`, "stop model_not_found ignore same_provider_other_model"},
		{"Groq", 400, "", `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"{"}}`, "retry malformed_tool_call ignore after_retries"},
		{"Groq", 498, "", `{"error":{"message":"Flex tier capacity exceeded.","type":"invalid_request_error","code":"capacity_exceeded"}}`, "retry overloaded failure after_retries"},
		{"an overload as a 429", 429, "", `{"error":{"message":"The server is currently overloaded with other requests.","type":"server_error","code":null}}`, "retry overloaded failure after_retries"},
		{"Ollama", 404, "", `{"error":"model 'x' not found"}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"a retired model", 400, "", `{"error":{"message":"The model m is no longer available."}}`, "fix_request model_not_found ignore same_provider_other_model"},
		{"a retired parameter", 400, "", `{"error":{"message":"Model m: temperature is no longer supported."}}`, "fix_request invalid_request ignore never"},
		{"providers §3.2", 404, "", `{"error":{"message":"Response with id 'resp_1' not found."}}`, "fix_request invalid_request ignore never"},

		// Credentials and places.
		{"providers §3.2", 401, "", `{"error":{"message":"Incorrect API key provided: sk-abcdefgh12345678.","code":"invalid_api_key"}}`, "stop auth ignore never"},
		{"providers §3.2", 403, "", `{"error":{"code":"unsupported_country_region_territory","message":"m"}}`, "stop region ignore never"},

		// By status.
		{"providers §3.2", 408, "", ``, "retry timeout failure after_retries"},
		{"providers §3.2", 409, "", `{"error":{"message":"lock"}}`, "retry server_error ignore never"},
		{"a conversation in use", 400, "", `{"error":{"message":"Another process is currently operating on this conversation.","type":"invalid_request_error","code":"conversation_locked"}}`, "retry server_error ignore never"},
		{"the gateway", 409, "", `{"error":{"message":"Another body.","code":"idempotency_conflict"}}`, "fix_request invalid_request ignore never"},
		{"providers §3.2", 500, "", `{"error":{"type":"server_error","message":"m"}}`, "retry server_error failure after_retries"},
		{"providers §3.2", 503, "retry-after: 7", `{"error":{"message":"m"}}`, "retry overloaded failure after_retries 7s"},
		{"cls-021", 400, "", `{"error":{"type":"service_unavailable_error","code":"server_is_overloaded","message":"m"}}`, "retry overloaded failure after_retries"},
		{"cls-021: never from words alone", 400, "", `{"error":{"type":"invalid_request_error","message":"Servers overloaded, try later."}}`, "fix_request invalid_request ignore never"},
		{"§3 rule 3", 418, "", ``, "stop unknown ignore never"},
		{"§3 rule 3", 501, "", ``, "stop invalid_request ignore never"},

		// Errors inside a 200.
		{"providers §2.2", 200, "", `{"object":"response","status":"failed","error":{"code":"server_error","message":"m"}}`, "retry server_error failure after_retries"},
		{"providers §2.2", 200, "", `{"object":"response","status":"failed","error":{"code":"rate_limit_exceeded","message":"Please try again in 2s"}}`, "retry rate_limit failure after_retries 2s"},
		{"providers §2.2", 200, "", `{"object":"response","status":"completed","error":null,"output":[]}`, "success  success never"},
		{"providers §3.2: image codes", 200, "", `{"object":"response","status":"failed","error":{"code":"image_too_small","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"a failed batch is an answer", 200, "", `{"object":"batch","status":"failed","error":null}`, "success  success never"},
		{"fine-tuning jobs", 200, "", `{"object":"fine_tuning.job","status":"running","error":{"code":null,"message":null}}`, "success  success never"},
		{"a cut answer", 200, "content-type: application/json", `{"choices":[{"message":{"content":"Hal`, "retry truncated failure after_retries"},
		{"an event stream is no JSON", 200, "content-type: text/event-stream", "data: {\"choices\":[]}\n\n", "success  success never"},
		{"an empty answer", 202, "", ``, "success  success never"},
		{"OpenRouter", 200, "", `{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"upstream died"}}}`, "retry server_error failure after_retries"},
		{"OpenRouter", 200, "", `{"choices":[{"error":{"code":502,"message":"m"},"finish_reason":"error","message":{"content":""}}]}`, "retry server_error failure after_retries"},

		// Inside a stream.
		{"a limit's type without its code", 0, "", `{"type":"error","error":{"type":"tokens","code":null,"message":"Please try again in 2s."}}`, "retry rate_limit failure after_retries 2s"},
		{"the user's own fault", 0, "", `{"type":"error","error":{"type":"image_generation_user_error","code":"brand_new","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"providers §6.2 flat", 0, "", `{"type":"error","code":"server_error","message":"m","sequence_number":7}`, "retry server_error failure after_retries"},
		{"providers §6.2 nested", 0, "", `{"type":"error","error":{"type":"insufficient_quota","code":"insufficient_quota","message":"m"}}`, "stop quota ignore never"},
		{"hin-017", 0, "", `{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Please try again in 11.054s."}}}`, "retry rate_limit failure after_retries 11.054s"},
		{"codex", 0, "", `{"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"m"}}}`, "fix_request context_length ignore never"},
		{"codex", 0, "", `{"type":"response.failed","response":{"error":{"code":"cyber_policy","message":"m"}}}`, "fix_request content_policy ignore never"},
		{"a request's fault without a type", 0, "", `{"type":"error","code":"unsupported_parameter","message":"m","param":"n"}`, "fix_request invalid_request ignore never"},
		{"a request's fault that is not listed", 0, "", `{"type":"error","code":"invalid_encrypted_content","message":"m"}`, "fix_request invalid_request ignore never"},
		{"a server's fault that is not listed", 0, "", `{"type":"error","error":{"type":"server_error","code":"invalid_upstream","message":"m"}}`, "retry server_error failure after_retries"},
		{"a request's fault without a type", 0, "", `{"type":"response.failed","response":{"error":{"code":"invalid_image_url","message":"m"}}}`, "fix_request invalid_request ignore never"},
		{"codex retries what it does not know", 0, "", `{"type":"response.failed","response":{"error":{"code":"brand_new","message":"m"}}}`, "retry server_error failure after_retries"},
		{"str-010", 0, "", `{"error":{"code":502,"message":"Provider disconnected"},"choices":[]}`, "retry server_error failure after_retries"},
		{"OpenRouter", 0, "", `{"choices":[{"error":{"code":429,"message":"m"}}]}`, "retry rate_limit failure after_retries"},
		{"WebSocket", 0, "", `{"type":"error","status":400,"error":{"code":"previous_response_not_found","message":"m"}}`, "fix_request invalid_request ignore never"},
		{"sse-024", 0, "", ``, "retry server_error failure after_retries"},
		{"WebSocket", 0, "", `{"type":"error","status":429,"error":{"code":"rate_limit_exceeded","message":"m"},"headers":{"retry-after":"7","x-request-id":"r"}}`, "retry rate_limit failure after_retries 7s"},
		{"the headers of the 200 are old", 0, "retry-after: 9|x-should-retry: false", `{"error":{"type":"server_error"}}`, "retry server_error failure after_retries"},
	})
	if f := Event(OpenAI, nil, nil); f.Type != "unknown_stream_error" {
		t.Errorf("sse-024: type %q", f.Type)
	}
}

func TestResets(t *testing.T) {
	f := exchange{status: 429, body: `{"error":{"type":"usage_limit_reached","resets_in_seconds":3600}}`}.fault(t, OpenAI)
	if f.Resets.Wait.Seconds() != 3600 || f.Hint.Known {
		t.Errorf("resets %v, hint %v", f.Resets, f.Hint)
	}
}

// jsonText is text as a JSON string: an error that somebody put into one.
func jsonText(text string) string { return string(json.AppendQuoted(nil, text)) }
