package serve

import (
	"strings"

	"holdfast/core/fault"
	"holdfast/core/wire"
)

// provider is a real service that the page can talk to through this server.
type provider struct {
	name string
	env  string // the environment variable that holds the key
	host wire.Host
	// passes are the requests that are passed on, as method and path. A star is one segment of the
	// path; a path that ends in a slash stands for everything below it.
	passes []string
	api    wire.API // what the page speaks …
	model  string   // … asks for …
	path   string   // … and where; {model} is the model's place
}

// providers can be chosen with -provider.
var providers = []provider{
	{"gloo", "GLOO_API_KEY", wire.Hosts[fault.Gloo],
		[]string{"POST /ai/"},
		wire.Chat, "gloo-anthropic-claude-opus-5.5", "/ai/v2/guarded/chat/completions"},
	{"openai", "OPENAI_API_KEY", wire.Hosts[fault.OpenAI],
		[]string{"POST /v1/responses", "GET /v1/responses/*", "DELETE /v1/responses/*", "POST /v1/responses/*/cancel",
			"POST /v1/chat/completions", "POST /v1/embeddings"},
		wire.Responses, "gpt-5.4-mini", "/v1/responses"},
	{"anthropic", "ANTHROPIC_API_KEY", wire.Hosts[fault.Anthropic],
		[]string{"POST /v1/messages", "POST /v1/messages/count_tokens", "POST /v1/chat/completions"},
		wire.Messages, "claude-sonnet-5", "/v1/messages"},
	{"xai", "XAI_API_KEY", wire.Hosts[fault.XAI],
		[]string{"POST /v1/responses", "GET /v1/responses/*", "DELETE /v1/responses/*",
			"POST /v1/chat/completions", "GET /v1/chat/deferred-completion/*", "POST /v1/messages", "POST /v1/embeddings"},
		wire.Responses, "grok-4.5", "/v1/responses"},
	{"gemini", "GEMINI_API_KEY", wire.Hosts[fault.Gemini],
		[]string{"POST /v1beta/models/*", "POST /v1beta/interactions", "GET /v1beta/interactions/*", "DELETE /v1beta/interactions/*",
			"POST /v1beta/interactions/*/cancel", "POST /v1beta/openai/chat/completions", "POST /v1beta/openai/embeddings"},
		wire.Generate, "gemini-3.8-flash", "/v1beta/models/{model}:generateContent"},
}

// simulated stands for the simulator in what the page is told.
var simulated = provider{name: "gloo", api: wire.Chat, model: "gloo-sim", path: "/ai/v2/guarded/chat/completions"}

func providerNamed(name string) (provider, bool) {
	for _, p := range providers {
		if p.name == name {
			return p, true
		}
	}
	return provider{}, false
}

// takes tells whether a request is passed on, or would be with another method.
func (p provider) takes(method, path string) (taken, known bool) {
	for _, pass := range p.passes {
		allowed, pattern, _ := strings.Cut(pass, " ")
		if fits(pattern, path) {
			taken, known = taken || allowed == method, true
		}
	}
	return taken, known
}

// fits compares a path with one of passes.
func fits(pattern, path string) bool {
	if strings.HasSuffix(pattern, "/") {
		return strings.HasPrefix(path, pattern)
	}
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i := range want {
		if len(got) != len(want) || want[i] != got[i] && (want[i] != "*" || got[i] == "") {
			return false
		}
	}
	return true
}
