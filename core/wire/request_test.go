package wire

import (
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
)

func TestStreamed(t *testing.T) {
	for _, c := range []struct {
		api                  API
		url, body, want, out string
	}{
		{Chat, "/v1/chat/completions", `{"model":"m"}`, "/v1/chat/completions", `{"model":"m","stream":true}`},
		{Chat, "/v1/chat/completions", `{"deferred":true}`, "/v1/chat/completions", `{"deferred":true}`},
		{Messages, "/v1/messages", `{"stream":false}`, "/v1/messages", `{"stream":true}`},
		{Interactions, "/v1beta/interactions", `{}`, "/v1beta/interactions", `{"stream":true}`},
		{Generate, "https://h/v1beta/models/x:generateContent", `{}`, "https://h/v1beta/models/x:streamGenerateContent?alt=sse", `{}`},
		{Generate, "/v1beta/models/x:generateContent?key=k", `{}`, "/v1beta/models/x:streamGenerateContent?alt=sse&key=k", `{}`},
		{Generate, "/v1beta/models/x:generateContent?", `{}`, "/v1beta/models/x:streamGenerateContent?alt=sse", `{}`},
		{Generate, "/v1beta/models/x:streamGenerateContent", `{}`, "/v1beta/models/x:streamGenerateContent", `{}`},
	} {
		got := Streamed(c.api, Request{URL: c.url, Body: json.Value(c.body)})
		if got.URL != c.want || string(got.Body) != c.out {
			t.Errorf("%s %s %s: %s %s", c.api, c.url, c.body, got.URL, got.Body)
		}
	}
}

func TestFill(t *testing.T) {
	for _, c := range [][3]string{
		{"/v1beta/models/{model}:generateContent", "gemini-x", "/v1beta/models/gemini-x:generateContent"},
		{"/v1beta/models/{model}:generateContent", "models/gemini-x", "/v1beta/models/gemini-x:generateContent"},
		{"/v1beta/{model}:generateContent", "tunedModels/my x", "/v1beta/tunedModels/my%20x:generateContent"},
		{"/v1/messages", "claude-x", "/v1/messages"},
		{"/openai/deployments/{model}/chat/completions?api-version=1", "a?b", "/openai/deployments/a%3Fb/chat/completions?api-version=1"},
	} {
		if got := Fill(c[0], c[1]); got != c[2] {
			t.Errorf("Fill(%q, %q) = %q", c[0], c[1], got)
		}
	}
}

func TestModel(t *testing.T) {
	for want, r := range map[string]Request{
		"m":        {URL: "/v1/chat/completions", Body: json.Value(`{"model":"m"}`)},
		"gemini-x": {URL: "https://h/v1beta/models/gemini-x:generateContent?x=/models/y", Body: json.Value(`{}`)},
		"gemini-y": {URL: "/v1beta/models/gemini-y:generateContent", Body: json.Value(`{"model":"cheap"}`)},
		"n":        {URL: "https://h:8080/models/x/v1/chat/completions", Body: json.Value(`{"model":"n"}`)},
		"research": {URL: "/v1beta/interactions", Body: json.Value(`{"agent":"research"}`)},
		"":         {URL: "/v1/messages"},
	} {
		if got := Model(r); got != want {
			t.Errorf("%+v: %q", r, got)
		}
	}
}

func TestContinue(t *testing.T) {
	for _, c := range []struct {
		name       string
		api        API
		body, want string // "" when there is no place for a message
	}{
		{"chat", Chat, `{"messages":[{"role":"user","content":"Q"}]}`, `{"messages":[{"role":"user","content":"Q"},{"role":"user","content":"On: P"}]}`},
		{"responses, text", Responses, `{"input":"Q"}`, `{"input":[{"role":"user","content":"Q"},{"role":"user","content":"On: P"}]}`},
		{"responses, items", Responses, `{"input":[{"role":"user","content":"Q"}],"x":1}`, `{"input":[{"role":"user","content":"Q"},{"role":"user","content":"On: P"}],"x":1}`},
		{"responses, a stored prompt", Responses, `{"prompt":{"id":"p"}}`, `{"prompt":{"id":"p"},"input":[{"role":"user","content":"On: P"}]}`},
		{"messages, behind the user's text", Messages, `{"messages":[{"role":"assistant","content":"A"},{"role":"user","content":"Q"}]}`,
			`{"messages":[{"role":"assistant","content":"A"},{"role":"user","content":[{"type":"text","text":"Q"},{"type":"text","text":"On: P"}]}]}`},
		{"messages, behind the user's blocks", Messages, `{"messages":[{"role":"user","content":[{"type":"image"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"image"},{"type":"text","text":"On: P"}]}]}`},
		{"messages, never behind a tool's result", Messages, `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]},{"role":"user","content":[{"type":"text","text":"On: P"}]}]}`},
		{"messages, behind the assistant", Messages, `{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}]}`,
			`{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"A"},{"role":"user","content":[{"type":"text","text":"On: P"}]}]}`},
		{"generate", Generate, `{"contents":[{"role":"user","parts":[{"text":"Q"}]}]}`, `{"contents":[{"role":"user","parts":[{"text":"Q"}]},{"role":"user","parts":[{"text":"On: P"}]}]}`},
		{"interactions, text", Interactions, `{"input":"Q","previous_interaction_id":"v0"}`,
			`{"input":[{"type":"text","text":"Q"},{"type":"text","text":"On: P"}],"previous_interaction_id":"v0"}`},
		{"interactions, a content", Interactions, `{"input":{"type":"text","text":"Q"}}`, `{"input":[{"type":"text","text":"Q"},{"type":"text","text":"On: P"}]}`},
		{"interactions, turns", Interactions, `{"input":[{"role":"user","content":"Q"}]}`, `{"input":[{"role":"user","content":"Q"},{"role":"user","content":"On: P"}]}`},
		{"interactions, steps", Interactions, `{"input":[{"type":"function_result","call_id":"f"}]}`,
			`{"input":[{"type":"function_result","call_id":"f"},{"type":"user_input","content":[{"type":"text","text":"On: P"}]}]}`},
		{"no messages", Chat, `{}`, ""},
		{"no input", Interactions, `{}`, ""},
		{"no list", Messages, `{"messages":{}}`, ""},
		{"no API for it", Embeddings, `{"input":"Q"}`, ""},
	} {
		got, err := Continue(c.api, json.Value(c.body), "P", "On: {partial}")
		if string(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s:\ngot  %s %v\nwant %s", c.name, got, err, c.want)
		}
	}
}

func TestSign(t *testing.T) {
	for _, c := range []struct {
		p          fault.Provider
		path, want string
	}{
		{fault.OpenAI, "/v1/responses", "authorization: Bearer "},
		{fault.Gloo, "/ai/v2/guarded/chat/completions", "authorization: Bearer "},
		{fault.Anthropic, "/v1/messages", "x-api-key: "},
		{fault.Anthropic, "/v1/chat/completions", "authorization: Bearer "},
		{fault.Gemini, "/v1beta/models/x:generateContent?x=/openai/", "x-goog-api-key: "},
		{fault.Gemini, "/v1beta/openai/chat/completions", "authorization: Bearer "},
	} {
		if got := Hosts[c.p].Sign(c.path); got != c.want {
			t.Errorf("%s %s: %q", c.p, c.path, got)
		}
	}
}

// Each listed path belongs to its API.
func TestPaths(t *testing.T) {
	for p, host := range Hosts {
		for api, path := range host.Paths {
			if got := DetectAPI(Fill(path, "m")); got != api {
				t.Errorf("%s %s: %s is %s", p, api, path, got)
			}
		}
		if host.Patience == 0 || host.Base == "" {
			t.Errorf("%s: %+v", p, host)
		}
	}
}
