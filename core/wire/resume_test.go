package wire

import (
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
)

func TestWays(t *testing.T) {
	const background = `{"background":true,"stream":true}`
	for _, c := range []struct {
		name                       string
		p                          fault.Provider
		api                        API
		url, body                  string
		at                         Cursor
		resume, retrieve, withdraw string // "" when there is no way
	}{
		{"a background response", fault.OpenAI, Responses, "https://h/v1/responses", background, Cursor{ID: "resp_1", Next: 13},
			"https://h/v1/responses/resp_1?stream=true&starting_after=12", "https://h/v1/responses/resp_1", "https://h/v1/responses/resp_1/cancel"},
		{"from its first event", fault.OpenAI, Responses, "/v1/responses/?v=1", background, Cursor{ID: "resp_1", Next: 1},
			"/v1/responses/resp_1?v=1&stream=true&starting_after=0", "/v1/responses/resp_1?v=1", "/v1/responses/resp_1/cancel?v=1"},
		{"before its first event", fault.OpenAI, Responses, "/v1/responses", background, Cursor{}, "", "", ""},
		{"a stored response", fault.OpenAI, Responses, "/v1/responses", `{}`, Cursor{ID: "r", Next: 1}, "", "/v1/responses/r", ""},
		{"a response that is not stored", fault.OpenAI, Responses, "/v1/responses", `{"background":true,"store":false}`, Cursor{ID: "r"}, "", "", ""},
		{"xai", fault.XAI, Responses, "/v1/responses", `{"store":false}`, Cursor{ID: "r", Next: 4}, "", "/v1/responses/r", ""},
		{"xai, deferred", fault.XAI, Chat, "https://h/v1/chat/completions", `{"deferred":true}`, Cursor{ID: "q"}, "", "https://h/v1/chat/deferred-completion/q", ""},
		{"xai, chat", fault.XAI, Chat, "/v1/chat/completions", `{}`, Cursor{ID: "q"}, "", "", ""},
		{"a background interaction", fault.Gemini, Interactions, "/v1beta/interactions", background, Cursor{ID: "v1_x", Event: "e/1 2"},
			"/v1beta/interactions/v1_x?stream=true&last_event_id=e%2F1%202", "/v1beta/interactions/v1_x", "/v1beta/interactions/v1_x/cancel"},
		{"an interaction without event ids", fault.Gemini, Interactions, "/v1beta/interactions?key=k", background, Cursor{ID: "v1_x"},
			"/v1beta/interactions/v1_x?key=k&stream=true", "/v1beta/interactions/v1_x?key=k", "/v1beta/interactions/v1_x/cancel?key=k"},
		{"an interaction that dies with its connection", fault.Gemini, Interactions, "/v1beta/interactions", `{}`, Cursor{ID: "v1_x", Event: "e"}, "", "/v1beta/interactions/v1_x", ""},
		{"anthropic", fault.Anthropic, Messages, "/v1/messages", `{}`, Cursor{ID: "msg_1"}, "", "", ""},
		{"gemini", fault.Gemini, Generate, "/v1beta/models/x:generateContent", `{}`, Cursor{ID: "r"}, "", "", ""},
		{"gloo", fault.Gloo, Responses, "/ai/v2/guarded/responses", background, Cursor{ID: "r", Next: 3}, "", "", ""},
	} {
		sent := Request{Method: "POST", URL: c.url, Body: json.Value(c.body)}
		for _, way := range []struct {
			name, method, want string
			ask                func(fault.Provider, API, Request, Cursor) (Request, bool)
		}{
			{"resume", "GET", c.resume, Resume}, {"retrieve", "GET", c.retrieve, Retrieve}, {"withdraw", "POST", c.withdraw, Withdraw},
		} {
			got, ok := way.ask(c.p, c.api, sent, c.at)
			if got.URL != way.want || ok != (way.want != "") || ok && got.Method != way.method || got.Body != nil {
				t.Errorf("%s, %s: %+v %v, want %q", c.name, way.name, got, ok, way.want)
			}
		}
	}
}
