package core

import (
	"testing"

	"holdfast/core/json"
	"holdfast/core/time"
)

// A call may begin behind its first target, which then only tells the form.
func TestFirstIsTheForm(t *testing.T) {
	body, _ := json.Parse([]byte(`{"model":"fast","messages":[{"role":"user","content":"Hi"}]}`))
	spec := Spec{Body: body, First: 1, Raw: true}
	spec.Target = Target{Provider: "openai", API: "chat", Base: "https://form.invalid", Path: "/v1/chat/completions", Policy: Defaults("openai", false)}
	spec.Fallbacks = []Target{{Provider: "anthropic", API: "messages", Base: "https://a.example", Path: "/v1/messages", Model: "m", Policy: Defaults("anthropic", false)}}
	for _, a := range New(spec).Handle(time.Unix(0, 0), Event{Kind: Start}) {
		if a.Kind != Send {
			continue
		}
		sent, _ := json.Parse(a.Request.Body)
		if a.Request.Target != 1 || a.Request.URL != "https://a.example/v1/messages" || sent.Get("model").Text() != "m" {
			t.Errorf("sent to target %d, %s: %s", a.Request.Target, a.Request.URL, a.Request.Body)
		}
		return
	}
	t.Error("nothing was sent")
}
