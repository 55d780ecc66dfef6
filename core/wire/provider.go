package wire

import (
	"strings"

	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/time"
)

// Host is where a provider is reached, how a request to it is signed, and how long it may think.
// Source: providers.md §1, §9.1.
type Host struct {
	Base   string        // the provider's own base URL
	Auth   string        // a header with its scheme, to be completed with the key
	Header header.Header // required besides
	Page   header.Header // required besides when the call comes from a web page
	// OpenAI is a piece of the paths at which the host imitates OpenAI, and wants a bearer key.
	OpenAI string
	// Patience is how long to wait for headers, and again for the first delta.
	Patience time.Duration
	// Paths are where each API is served. {model} stands for the model's name.
	Paths map[API]string
}

// Hosts are the known providers. Gloo's direct, embeddings and Messages routes are not documented
// well enough to be listed.
var Hosts = map[fault.Provider]Host{
	fault.Gloo: {
		Base: "https://platform.ai.gloo.com", Auth: bearer, Patience: 600 * time.Second,
		Paths: map[API]string{
			Chat:      "/ai/v2/guarded/chat/completions",
			Responses: "/ai/v2/guarded/responses",
		},
	},
	fault.OpenAI: {
		Base: "https://api.openai.com", Auth: bearer, Patience: 600 * time.Second,
		Paths: map[API]string{
			Chat:       "/v1/chat/completions",
			Responses:  "/v1/responses",
			Embeddings: "/v1/embeddings",
		},
	},
	fault.Anthropic: {
		Base: "https://api.anthropic.com", Auth: "x-api-key: ", OpenAI: "/chat/completions", Patience: 600 * time.Second,
		Header: header.Header{{Name: "anthropic-version", Value: "2023-06-01"}},
		Page:   header.Header{{Name: "anthropic-dangerous-direct-browser-access", Value: "true"}},
		Paths: map[API]string{
			Messages: "/v1/messages",
			Chat:     "/v1/chat/completions",
		},
	},
	fault.XAI: {
		Base: "https://api.x.ai", Auth: bearer, Patience: 3600 * time.Second, // its reasoning models: the docs use an hour
		Paths: map[API]string{
			Chat:       "/v1/chat/completions",
			Responses:  "/v1/responses",
			Messages:   "/v1/messages",
			Embeddings: "/v1/embeddings",
		},
	},
	fault.Gemini: {
		Base: "https://generativelanguage.googleapis.com", Auth: "x-goog-api-key: ", OpenAI: "/openai/", Patience: 600 * time.Second,
		Paths: map[API]string{
			Generate:     "/v1beta/models/{model}:generateContent",
			Interactions: "/v1beta/interactions",
			Embeddings:   "/v1beta/models/{model}:embedContent",
			Chat:         "/v1beta/openai/chat/completions",
		},
	},
}

const bearer = "authorization: Bearer "

// Sign returns the header, with its scheme, that the key completes for a request to path.
func (h Host) Sign(path string) string {
	if path, _, _ = strings.Cut(path, "?"); h.OpenAI != "" && strings.Contains(path, h.OpenAI) {
		return bearer
	}
	return h.Auth
}
