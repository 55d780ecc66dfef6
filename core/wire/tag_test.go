package wire

import (
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
)

func TestTag(t *testing.T) {
	for _, c := range []struct {
		provider   fault.Provider
		api        API
		body, want string
	}{
		{fault.OpenAI, Responses, `{"a":1}`, `{"a":1,"metadata":{"holdfast_call":"c1"}}`},
		{fault.OpenAI, Responses, `{"metadata":{"x":"y"}}`, `{"metadata":{"x":"y","holdfast_call":"c1"}}`},
		{fault.OpenAI, Chat, `{"a":1}`, `{"a":1}`},
		{fault.OpenAI, Chat, `{"store":true}`, `{"store":true,"metadata":{"holdfast_call":"c1"}}`},
		{fault.Anthropic, Messages, `{"metadata":{"user_id":"u"}}`, `{"metadata":{"user_id":"u"}}`},
		{fault.XAI, Responses, `{"metadata":null}`, `{"metadata":null,"safety_identifier":"c1"}`},
		{fault.XAI, Chat, `{"user":"u"}`, `{"user":"u"}`},
		{fault.Gemini, Interactions, `{}`, `{"labels":{"holdfast_call":"c1"}}`},
		{fault.Gemini, Generate, `{}`, `{}`},
		{fault.Gloo, Chat, `{}`, `{}`},
		{fault.OpenAI, Responses, `{"metadata":7}`, `{"metadata":7}`},
	} {
		v, _ := json.Parse([]byte(c.body))
		if got := Tag(c.provider, c.api, v, "c1"); string(got) != c.want {
			t.Errorf("%s %s %s: %s", c.provider, c.api, c.body, got)
		}
	}
	if !Idempotent(fault.OpenAI, Plain, "/v1/agents/sessions/s1/events") || Idempotent(fault.OpenAI, Responses, "/v1/responses") ||
		Idempotent(fault.XAI, Plain, "/v1/agents/sessions/s1/events") || !Idempotent(fault.XAI, Answers, "/answers") {
		t.Error("Idempotent")
	}
}
