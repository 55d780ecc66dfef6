package wire

import (
	"holdfast/core/fault"
	"holdfast/core/header"
)

// Host is where a provider is reached and how a request to it is signed. Source: providers.md §1.
type Host struct {
	Base   string        // the provider's own base URL
	Auth   string        // a header with its scheme, to be completed with the key
	Header header.Header // required besides
}

// Hosts are the known providers.
var Hosts = map[fault.Provider]Host{
	fault.Gloo:      {Base: "https://platform.ai.gloo.com", Auth: "authorization: Bearer "},
	fault.OpenAI:    {Base: "https://api.openai.com", Auth: "authorization: Bearer "},
	fault.Anthropic: {Base: "https://api.anthropic.com", Auth: "x-api-key: ", Header: header.Header{{Name: "anthropic-version", Value: "2023-06-01"}}},
	fault.XAI:       {Base: "https://api.x.ai", Auth: "authorization: Bearer "},
	fault.Gemini:    {Base: "https://generativelanguage.googleapis.com", Auth: "x-goog-api-key: "},
}
