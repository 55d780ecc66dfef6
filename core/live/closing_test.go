package live

import (
	"testing"

	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/time"
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

// A handshake that was refused is judged by all that the server said.
func TestRefused(t *testing.T) {
	spent := []byte(`{"error":{"message":"You exceeded your current quota.","code":"insufficient_quota"}}`)
	for _, c := range []struct {
		closing Closing
		want    string
	}{
		{Closing{Status: 200}, "retry transport"}, // a portal on the way
		{Closing{Status: 307}, "fix_request invalid_request"},
		{Closing{Status: 401}, "stop auth"},
		{Closing{Status: 429}, "retry rate_limit"},
		{Closing{Status: 429, Body: spent}, "stop quota"},
		{Closing{Status: 503}, "retry overloaded"},
		{Closing{Name: "SyntaxError", Message: "no subprotocol"}, "fix_request invalid_request"},
		{Closing{Name: "SecurityError", Message: "ws: in a page of https:"}, "fix_request invalid_request"},
		{Closing{Name: "Error", Message: "socket hang up"}, "retry transport"},
	} {
		c.closing.Code = 1006
		f := c.closing.Classify(fault.OpenAI)
		if got := string(f.Decision) + " " + string(f.Reason); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.closing, got, c.want)
		}
	}
	wait := header.Header{{Name: "retry-after", Value: "7"}}
	if f := (Closing{Status: 503, Header: wait}).Classify(fault.Gemini); f.Hint.Wait != 7*time.Second {
		t.Errorf("retry-after: 7 gives a hint of %s", f.Hint.Wait)
	}
}
