package bind

import (
	"testing"

	"holdfast/core/fault"
	"holdfast/core/wire"
)

// What an SDK sends is told by its path and body, and goes where it says with its own headers.
func TestFetchSpec(t *testing.T) {
	for _, c := range []struct {
		client, url, body string
		provider          fault.Provider // "" when it is no call
		api               wire.API
		stream            bool
	}{
		{"openai", "https://api.openai.com/v1/chat/completions", `{"messages":[],"stream":true}`, fault.OpenAI, wire.Chat, true},
		{"gloo", "https://api.openai.com/v1/chat/completions", `{"messages":[]}`, fault.OpenAI, wire.Chat, false},
		{"gloo", "http://127.0.0.1:1/ai/v2/guarded/chat/completions?x=1", `{"messages":[]}`, fault.Gloo, wire.Chat, false},
		{"openai", "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=1", `{"messages":[]}`, fault.OpenAI, wire.Chat, false},
		{"openai", "http://127.0.0.1:1/anthropic/v1/messages", `{"messages":[],"stream":true}`, fault.Anthropic, wire.Messages, true},
		{"gloo", "https://api.anthropic.com/v1/messages", `{"messages":[]}`, fault.Anthropic, wire.Messages, false},
		{"openai", "http://127.0.0.1:1/v1beta/models/g:streamGenerateContent?alt=sse", `{"contents":[]}`, fault.Gemini, wire.Generate, true},
		{"openai", "https://api.x.ai/v1/responses", `{"input":"x"}`, fault.XAI, wire.Responses, false},
		{"openai", "https://api.openai.com/v1/embeddings", `{"input":"x"}`, fault.OpenAI, wire.Embeddings, false},

		{"openai", "https://api.openai.com/v1/threads/t/messages", `{"role":"user","content":"x"}`, "", "", false},
		{"openai", "https://api.openai.com/v1/responses/r/cancel", `{}`, "", "", false},
		{"openai", "https://api.anthropic.com/v1/messages/count_tokens", `{"messages":[]}`, "", "", false},
		{"openai", "https://api.openai.com/v1/chat/completions", `{"messages":[],"stream":true,"n":2}`, fault.OpenAI, wire.Chat, true},
		{"openai", "https://api.openai.com/v1/chat/completions", `not JSON`, "", "", false},
		{"openai", "https://api.openai.com/v1/chat/completions", `[]`, "", "", false},
		{"openai", "https://api.openai.com", `{}`, "", "", false},
		{"openai", "", `{}`, "", "", false},
	} {
		client, err := newClient([]byte(`{"provider":"` + c.client + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		s, err := client.fetchSpec([]byte(`{"url":"`+c.url+`","id":"x"}`), []byte(c.body))
		switch {
		case c.provider == "":
			if err != errNotOurs {
				t.Errorf("%s %s: %v, %+v", c.url, c.body, err, s)
			}
		case err != nil || s.Provider != c.provider || s.API != c.api || s.Stream != c.stream || s.Base+s.Path != c.url || !s.Raw:
			t.Errorf("%s %s: %v, %s %s %v %s", c.url, c.body, err, s.Provider, s.API, s.Stream, s.Base+s.Path)
		}
	}
}
