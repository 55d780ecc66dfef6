package core

import (
	"testing"

	"holdfast/core/fault"
	"holdfast/core/wire"
)

// A document that says itself that it failed is asked for again, like a stream that does, and so is
// what it spent.
func TestDocumentThatFailed(t *testing.T) {
	for _, c := range []struct {
		provider fault.Provider
		api      wire.API
		body     string
		reason   fault.Reason // "" where the document is an answer
		output   int64        // of its usage
	}{
		{fault.OpenAI, wire.Chat, `{"choices":[{"message":{"content":"{\"events\": ["},"finish_reason":"error"}],"usage":{"completion_tokens":7}}`, fault.ServerError, 7},
		{fault.OpenAI, wire.Chat, `{"choices":[{"message":{"content":"Half"},"finish_reason":"insufficient_system_resource"}]}`, fault.Overloaded, 0},
		{fault.OpenAI, wire.Chat, `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]},"finish_reason":"tool_calls"}]}`, fault.MalformedToolCall, 0},
		{fault.OpenAI, wire.Chat, `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]},"finish_reason":"length"}]}`, "", 0},
		{fault.OpenAI, wire.Chat, `{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`, "", 0},
		{fault.OpenAI, wire.Chat, `{"choices":[{"message":{"content":"Half"},"finish_reason":"content_filter"}]}`, "", 0},
		{fault.XAI, wire.Chat, `{"request_id":"r"}`, "", 0},
		{fault.OpenAI, wire.Responses, `{"status":"queued","output":[]}`, "", 0},
		{fault.Gemini, wire.Generate, `{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`, fault.MalformedToolCall, 0},
		{fault.Gemini, wire.Generate, `{"candidates":[{"finishReason":"SAFETY"}]}`, "", 0},
		{fault.OpenAI, wire.Embeddings, `{"data":[{"embedding":[1]}]}`, "", 0},
		{fault.OpenAI, wire.Plain, `{"choices":[{"finish_reason":"error"}]}`, "", 0},
	} {
		s := spec(t, false)
		s.Provider, s.API, s.Stream, s.Policy = c.provider, c.api, false, Defaults(c.provider, false)
		call, result := New(s), (*Result)(nil)
		for _, e := range []Event{
			{Kind: Start}, {Kind: Responded, Attempt: 1, Status: 200}, {Kind: Received, Attempt: 1, Bytes: []byte(c.body)}, {Kind: Ended, Attempt: 1}, {Kind: Aborted},
		} {
			for _, a := range call.Handle(start, e) {
				if a.Kind == Done {
					result = a.Result
				}
			}
		}
		if f := result.Attempts[0].Fault; f.Reason != c.reason || (result.Status == Complete) != (c.reason == "") || c.output > 0 && result.Usage.Output != c.output {
			t.Errorf("%s: %v %s, %d tokens", c.body, result.Status, f.Reason, result.Usage.Output)
		}
	}
}
