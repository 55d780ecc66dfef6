package sim

// Providers are scenarios that need one provider's API, or are about what it alone does. Those of
// Scenarios fit every provider.
var Providers = []Scenario{
	{"overloaded_first", "Overloaded as first event", "200, but the first event says that the provider is overloaded; then the answer.",
		`[{"error":"overloaded","errorAfterWords":0},{}]`},
	{"overloaded_mid", "Overloaded in the middle", "An error event after 60 words.",
		`[{"error":"overloaded","errorAfterWords":60},{}]`},
	{"quota", "Quota used up", "The account's quota is used up, in the provider's own words.",
		`{"error":"quota"}`},
	{"quota_in_stream", "Quota used up, told in the stream", "200, then an error event about the quota.",
		`{"error":"quota","errorAfterWords":0}`},

	// OpenAI Responses in the background; Gemini Interactions.
	{"resume", "Cut and resumable", "The stream of an answer that is stored is cut after 80 words.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}]}`},
	{"resume_twice", "Cut twice", "… and its second stream after 160.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}],"reads":[{"endAfterWords":160,"end":"reset"},{}]}`},
	{"resume_live", "Still going on", "Cut after 80 words; at the first read 200 are there, the rest comes at the model's pace.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}],"reads":[{"produced":200,"gapMs":5}]}`},
	{"resume_replays", "Ignores the cursor", "The second stream starts from the beginning.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}],"reads":[{"ignoresCursor":true}]}`},
	{"resume_document", "A document for the stream", "The second stream is refused: the stored answer comes as a document.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}],"reads":[{"asJson":true}]}`},
	{"resume_unfinished", "A document, not finished", "… which is not finished at the first two reads.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}],"reads":[{"asJson":true,"produced":100},{"asJson":true,"produced":300},{"asJson":true}]}`},
	{"resume_expired", "Expired", "The stored answer is gone.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}],"reads":[{"error":"not_found"}]}`},
	{"resume_dead", "Dead in the store", "Nothing is ever produced.",
		`{"requests":[{"endAfterWords":0,"end":"reset"}],"reads":[{"asJson":true,"produced":0}]}`},
	{"poll", "Ready at the third read", "An answer in the background that two reads find unfinished.",
		`{"pending":2}`},

	// Gemini.
	{"interaction_600s", "Cut after ten minutes", "The stream is cut with a list of errors as its last bytes; so is its replay.",
		`{"requests":[{"endAfterWords":80,"tail":"[{\"error\":{\"code\":504,\"message\":\"Deadline expired before operation could complete.\",\"status\":\"DEADLINE_EXCEEDED\"}}]"}],` +
			`"reads":[{"endAfterWords":80,"tail":"[{\"error\":{\"code\":504,\"message\":\"Deadline expired before operation could complete.\",\"status\":\"DEADLINE_EXCEEDED\"}}]"},{"asJson":true}]}`},
	{"late_usage", "Usage comes later", "The stream ends without usage; the stored answer has it.",
		`{"noUsage":true}`},
	{"blocked_prompt", "Blocked prompt", "200 without a candidate: the prompt is refused.",
		`{"blockReason":"PROHIBITED_CONTENT","finishAfterWords":0}`},
	{"raw_error", "An error without its frame", "After 60 words bare JSON stands in the event stream.",
		`[{"error":"overloaded","errorAfterWords":60,"errorShape":"raw"},{}]`},
	{"malformed_call", "A call that went wrong", "The model made a function call that is not one; then the answer.",
		`[{"finish":"MALFORMED_FUNCTION_CALL","finishAfterWords":0},{}]`},
	{"daily_quota", "Daily quota", "429 whose hint says seconds, though the quota is one of the day.",
		`{"error":"daily_quota","retryAfter":40}`},
	{"model_not_on_plan", "Not in this plan", "429 with limit: 0.",
		`{"error":"model_not_on_plan","retryAfter":40}`},

	// Anthropic.
	{"pause_turn", "A pause", "The model pauses in a turn of server tools.",
		`{"finish":"pause_turn","finishAfterWords":20}`},
	{"context_window", "Context window full", "The answer ends because the context window is full.",
		`{"finish":"model_context_window_exceeded","finishAfterWords":50}`},
	{"spend_limit", "Spend limit", "429 that is about money.",
		`{"error":"spend_limit"}`},

	// xAI.
	{"error_200", "An error with status 200", "200 with a document that is an error; then the answer.",
		`[{"error":"unavailable_200"},{}]`},
}
