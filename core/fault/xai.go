package fault

// xAI. Its code is a slug or the sentence of a gRPC status, its error a plain string, and a
// wrong key comes as a 400. Sources: docs.x.ai/developers/debugging, grok-build, field reports.

var xaiRows = []row{
	// status, code, message, outcome
	{0, "", "incorrect api key|invalid api key", badKey},
	{0, "", "content violates usage guidelines|safety_check_type|safety_check|violates*usage guidelines", againstRules},
	{0, "", "encrypted_content", badRequest}, // reasoning of another model family: drop the items
	{404, "", "model", noSuchModel},
	{0, "model_not_found", "", noSuchModel},
	{0, "resource_exhausted|Some resource has been exhausted", "", rateLimited}, // after the money rows
	{0, "data_loss|Unrecoverable data loss or corruption", "", badRequest},      // an image URL could not be fetched
	{0, "failed_precondition|The system is not in a state required for the operation's execution", "", forbidden},
	{0, "unimplemented|Operation is not implemented or not supported", "", badRequest},
	{0, "aborted|The operation was aborted", "", conflicting},
	{409, "", "", badRequest},
}
