package fault

// Anthropic's Messages API. Its error types are few and mean what they say; what is exact stands
// in details.error_code and in the message. Sources: api/errors, api/rate-limits, its SDK's error
// classes (what is not listed here means what its type does).

var anthropicRows = []row{
	// status, type or details.error_code, message, outcome
	{0, "overloaded_error", "", overloaded},
	{0, "rate_limit_error", "", rateLimited},
	{0, "request_too_large", "", tooLarge},
	{0, "timeout_error", "", timedOutOnce}, // stream, instead of sending the same again
	{504, "", "", timedOutOnce},
	{0, "", "blocked by content filtering policy", againstRules},
	{400, "", "organization has been disabled", forbidden},
	{400, "organization_on_hold|cmek_key_disabled|cmek_key_network_blocked", "", forbidden},
	{400, "", "invalid x-api-key|invalid api key", badKey},
	{404, "", "model", noSuchModel},
	{409, "", "", badRequest}, // resolve the conflict first
	{0, "authentication_error", "", badKey},
}
