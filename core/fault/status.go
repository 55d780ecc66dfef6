package fault

// What an HTTP status means when nothing more exact is known, and which status a name stands
// for when an error came inside an answer that had already said 200.

// byStatus reads like the list in the RFC: the first range that contains the status counts.
var byStatus = []struct {
	from, to int
	then     *outcome
}{
	{400, 400, badRequest},
	{401, 401, badKey},
	{402, 402, unpaid},
	{403, 403, forbidden},
	{404, 405, badRequest},
	{407, 407, edgeBlocked}, // a proxy wants a login
	{408, 408, timedOut},
	{409, 411, badRequest},
	{413, 413, tooLarge},
	{414, 416, badRequest},
	{422, 422, badRequest},
	{429, 429, rateLimited},
	{451, 451, wrongPlace},
	{499, 499, gaveUp},
	{501, 501, unsupported},
	{503, 503, overloaded},
	{504, 504, timedOut},
	{505, 505, unsupported},
	{511, 511, edgeBlocked}, // a captive portal wants a login
	{520, 523, edgeFailed},
	{524, 524, edgeTooLate},
	{525, 526, edgeBroken},
	{527, 527, edgeFailed},
	{529, 529, overloaded},
	{530, 530, edgeFailed},
	{500, 599, serverFailed},
	{0, 0, lostOnWay}, // an opaque response
}

func statusOutcome(status int) outcome {
	for _, r := range byStatus {
		if r.from <= status && status <= r.to {
			return *r.then
		}
	}
	return *unexplained
}

// nameStatus says which HTTP status a name would have come with. Sources: Anthropic's and
// OpenAI's error types, google.rpc.Code (also in the sentences of Rust's tonic, which xAI sends),
// Gemini Interactions.
var nameStatus = []struct {
	names  string
	status int
}{
	{"overloaded_error|overloaded|server_is_overloaded|engine_overloaded_error|model_overloaded", 529},
	{"rate_limit_error|rate_limit_exceeded|rate_limit|rate_limited|Throttling*|too_many_requests|slow_down|tokens|requests", 429},
	{"RESOURCE_EXHAUSTED|Some resource has been exhausted", 429},
	{"insufficient_quota|quota_exceeded", 429},
	{"billing_error", 402},
	{"authentication_error|authentication|invalid_api_key|UNAUTHENTICATED|The request does not have valid authentication credentials", 401},
	{"permission_error|PERMISSION_DENIED|The caller does not have permission to execute the specified operation", 403},
	{"not_found_error|not_found|model_not_found|Some requested entity was not found", 404},
	{"request_too_large", 413},
	{"conflict_error|ABORTED|ALREADY_EXISTS|The operation was aborted", 409},
	{"CANCELLED|The operation was cancelled", 499},
	{"timeout_error|timeout|DEADLINE_EXCEEDED|Deadline expired before operation could complete", 504},
	{"service_unavailable_error|service_unavailable|UNAVAILABLE|The service is currently unavailable", 503},
	{"api_error|server_error|internal_server_error|internal_error|INTERNAL|Unknown error", 500},
	{"UNIMPLEMENTED|Operation is not implemented or not supported", 501},
	{"invalid_request_error|invalid_request|INVALID_ARGUMENT|Client specified an invalid argument", 400},
	{"FAILED_PRECONDITION|The system is not in a state required for the operation's execution", 400},
	{"OUT_OF_RANGE|Operation was attempted past the valid range", 400},
	{"DATA_LOSS|Unrecoverable data loss or corruption", 400}, // xAI: an image URL could not be fetched
	{"validation_error|context_length_exceeded", 400},
	// Codes for what is wrong with a request, where no type says so.
	{"invalid_*|InvalidParameter*|unsupported_*|unknown_parameter|parameter_unknown|missing_required_parameter|string_above_max_length|previous_response_not_found", 400},
	{"image_*|empty_image_file|failed_to_download_image", 400},
}

// statusInside is the status that an error inside a 200 would have had; 500 when it does not say.
func (x *evidence) statusInside() int {
	for _, n := range []int64{x.env.http, x.env.number} {
		if 400 <= n && n <= 599 {
			return int(n)
		}
	}
	for _, r := range nameStatus {
		if x.named(r.names) {
			return r.status
		}
	}
	return 500
}
