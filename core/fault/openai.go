package fault

import "strings"

// OpenAI, Azure, and every server that speaks OpenAI's dialect: these rows are also the last that
// the other providers' answers are held against, as all of them serve that dialect somewhere.
// Sources: OpenAI's error codes page and SDKs, codex (codes inside streams), field reports.

var openaiRows = []row{
	// status, code or type, message, outcome
	{0, "request_over_limit", "", overLimit}, // our own name, see namesOpenAI
	{0, "server_is_overloaded|overloaded_error|engine_overloaded_error|engine_overloaded", "", overloaded},
	{0, "service_unavailable_error|service_tier_capacity_exceeded|resource_unavailable|no_capacity|capacity_exceeded", "", overloaded},
	{0, "rate_limit_exceeded|rate_limit_error|too_many_requests|minimax_1002|minimax_1039|minimax_1041|minimax_2045", "", rateLimited},
	{429, "slow_down", "", rateLimited}, // a 503 on older pages: then it is an overload
	{0, "slow_down", "", overloaded},
	{0, "vector_store_timeout|minimax_1001", "", timedOut},
	{429, "", "is currently overloaded|capacity exceeded", overloaded},

	{0, "tool_use_failed|json_validate_failed", "", badToolCall}, // Groq: what the model wrote is no call, or no JSON

	{0, "content_policy_violation|content_filter|ResponsibleAIPolicyViolation|moderation_blocked|data_inspection_failed|minimax_1026|minimax_1027", "", againstRules},
	{0, "invalid_prompt|image_content_policy_violation|bio_policy|cyber_policy|safety_violation", "", againstRules},
	{400, "", "content management policy|safety system|content filter|violates*usage polic|flagged as potentially violating|content exists risk|potentially unsafe or sensitive", againstRules},

	{0, "unsupported_country_region_territory", "", wrongPlace},
	{403, "", "country, region, or territory not supported", wrongPlace},
	{0, "data_residency_mismatch", "", forbidden},

	{0, "invalid_api_key|incorrect_api_key|account_deactivated|ip_not_authorized|invalid_organization|authentication_error|minimax_1004|minimax_2049", "", badKey},
	{400, "", "incorrect api key|invalid api key", badKey},
	{403, "model_not_found", "", &outcome{Stop, ModelNotFound, Ignore, OtherModel, 0}},
	{0, "model_not_found|DeploymentNotFound|model_not_available|model_decommissioned", "", noSuchModel},
	{404, "", "model*does not exist|model*not found|not found the model|model*deprecated|model*no longer available|engine not found|no endpoints found", noSuchModel},
	{400, "", "is not a valid model|unknown model|invalid model:|invalid model name|model*does not exist|model not exist|" + goneWords, noSuchModel},
	{410, "", goneWords, noSuchModel},

	{0, "request_too_large", "", tooLarge},
	{409, "idempotency_conflict", "", badRequest}, // our gateway: the id names another answer
	{0, "minimax_2013|minimax_1042", "", badRequest},
	{409, "", "", conflicting},                  // lock timeouts; the SDK retries them too
	{0, "conversation_locked", "", conflicting}, // comes as a 400
}

// goneWords are said of a model by servers that do not answer 404. xAI sends both.
const goneWords = "model not found|model*no longer available|model*no longer accessible"

// namesOpenAI adds what only comparing numbers can tell: a request that is larger than the whole
// limit has the code and type of a rate limit, and waiting never helps.
//
//	Request too large for m in organization o on tokens per min (TPM): Limit 10000, Requested 13000.
func namesOpenAI(x *evidence) {
	if x.status != 429 && x.status != 413 {
		return
	}
	if strings.HasPrefix(x.words, "request too large for") {
		x.addName("request_over_limit")
		return
	}
	limit, requested := numberAfter(x.words, "limit"), numberAfter(x.words, "requested")
	if limit > 0 && requested > limit {
		x.addName("request_over_limit")
	}
}

// numberAfter finds "word 12,000" or "word: 12000"; 0 when there is none.
func numberAfter(words, word string) int64 {
	for {
		_, rest, ok := strings.Cut(words, word)
		if !ok {
			return 0
		}
		rest = strings.TrimLeft(rest, ": ")
		n, digits := int64(0), 0
		for i := 0; i < len(rest) && digits < 15; i++ {
			if c := rest[i]; '0' <= c && c <= '9' {
				n, digits = n*10+int64(c-'0'), digits+1
			} else if c != ',' || i+1 >= len(rest) || rest[i+1] < '0' || rest[i+1] > '9' {
				break
			}
		}
		if digits > 0 {
			return n
		}
		words = rest
	}
}
