package live

import (
	"testing"

	"holdfast/core/fault"
)

// What Gemini Live was seen to close with: the reason says what the code does not.
func TestClosing(t *testing.T) {
	for _, c := range []struct {
		code         int
		reason, want string
	}{
		{1007, "API key not valid. Please pass a valid API key.", "stop auth"},
		{1007, "Request contains an invalid argument.", "fix_request invalid_request"},
		{1008, "models/m is not found for API version v1beta, or is not supported for bidiGenerateContent.", "fix_request model_not_found"},
		{1008, "Your API key was reported as leaked. Please use another API key.", "stop auth"},
		{1008, "Operation is not implemented, or supported, or enabled.", "stop permission"},
		{1008, "The operation was aborted.", "retry server_error"},
		{1008, "The operation was cancelled.", "retry server_error"},
		{1008, "Connection aborted because the client failed to close the connection after receiving a GoAway signal once the session duration expired", "retry server_error"},
		{1008, "", "stop permission"},
		{1011, "You exceeded your current quota, please check your plan and billing details.", "retry rate_limit"},
		{1011, "The service is currently unavailable.", "retry overloaded"},
		{1011, "Deadline expired before operation could complete.", "retry timeout"},
		{1011, "Internal error encountered.", "retry server_error"},
		{1000, "The operation was cancelled.", "retry transport"},
		{1006, "", "retry transport"},
	} {
		f := Closing{Code: c.code, Reason: c.reason}.Classify(fault.Gemini)
		if got := string(f.Decision) + " " + string(f.Reason); got != c.want {
			t.Errorf("%d %q: got %s, want %s", c.code, c.reason, got, c.want)
		}
	}
}
