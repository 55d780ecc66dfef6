package wire

import (
	"strings"

	"holdfast/core/fault"
	"holdfast/core/json"
)

// tags are where each provider keeps an id of ours with a request, so that a POST that was sent
// twice can be found later. Gloo documents no place, and Gemini's generateContent none outside of
// Google Cloud. Source: brief 001 §6, providers.md §9.2.
var tags = []struct {
	provider fault.Provider
	api      API
	member   string // of the body; "a.b" is member b of the object a
	stored   bool   // only in requests that say "store": true: OpenAI refuses it in others
}{
	{fault.OpenAI, Responses, "metadata.holdfast_call", false},
	{fault.OpenAI, Chat, "metadata.holdfast_call", true},
	{fault.Anthropic, Messages, "metadata.user_id", false},
	{fault.XAI, Responses, "safety_identifier", false}, // it refuses metadata
	{fault.XAI, Chat, "user", false},
	{fault.Gemini, Interactions, "labels.holdfast_call", false},
}

// Tag returns the request body with a call's id where the provider has a place for it. What the
// caller put there stays.
func Tag(p fault.Provider, api API, body json.Value, id string) json.Value {
	for _, t := range tags {
		if t.provider != p || t.api != api || t.stored && !body.Get("store").True() {
			continue
		}
		quoted := json.AppendQuoted(nil, id)
		outer, inner, nested := strings.Cut(t.member, ".")
		if !nested {
			if body.Get(outer).Missing() {
				body = body.With(outer, quoted)
			}
			continue
		}
		object := body.Get(outer)
		if object.Missing() {
			object = json.Value("{}")
		}
		if object.Get(inner).Missing() {
			body = body.With(outer, object.With(inner, quoted))
		}
	}
	return body
}

// Idempotent tells whether a provider documents the header Idempotency-Key for a path. OpenAI does
// for one; nobody does for answers of a model, but for our gateway, where the key names the answer.
func Idempotent(p fault.Provider, api API, path string) bool {
	return api == Answers || p == fault.OpenAI && strings.Contains(path, "/agents/sessions/") && strings.HasSuffix(path, "/events")
}
