package translate

import (
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// TestChosen: who is asked as he was meant to be gets what was written for him.
func TestChosen(t *testing.T) {
	const hi = `"messages":[{"role":"user","content":"Hi","name":"Ann"}]`
	for name, c := range map[string]struct {
		api      wire.API
		body     string
		provider fault.Provider
		want     string
		lost     string
	}{
		"an OpenAI server": {chat, `{"model":"own",` + hi + `,"max_tokens":99,"reasoning_effort":"low","logit_bias":{"1":2},"new":[]}`, fault.OpenAI,
			`{"model":"m",` + hi + `,"max_tokens":64,"reasoning_effort":"low","logit_bias":{"1":2},"new":[]}`, ";/max_tokens (99, lowered to 64)"},
		"who imitates chat": {chat, `{"model":"own","messages":[{"role":"developer","content":"D"},{"role":"user","content":"Hi"}],"reasoning_effort":"low","logprobs":true,"metadata":{"a":"b"}}`, fault.XAI,
			`{"model":"m","messages":[{"role":"system","content":"D"},{"role":"user","content":"Hi"}],"reasoning_effort":"low","logprobs":true}`, "/metadata;"},
		"a call that Gemini wants back signed": {chat, `{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}},{"id":"d","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"1"},{"role":"tool","tool_call_id":"d","content":"2"}]}`, fault.Gemini,
			`{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}},{"id":"d","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"1"},{"role":"tool","tool_call_id":"d","content":"2"}]}`, ";"},
		"a response that goes on": {responses, `{"model":"own","previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"c","output":"42"}],"tools":[{"type":"web_search"}],"reasoning":{"effort":"low"}}`, fault.OpenAI,
			`{"model":"m","previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"c","output":"42"}],"tools":[{"type":"web_search"}],"reasoning":{"effort":"low"}}`, ";"},
		"what xAI refuses": {responses, `{"model":"own","input":"Hi","metadata":{"a":"b"},"text":{"verbosity":"low","format":{"type":"text"}}}`, fault.XAI,
			`{"model":"m","input":"Hi","text":{"format":{"type":"text"}}}`, "/text/verbosity, /metadata;"},
	} {
		r, err := Chosen(Source{API: c.api, Provider: fault.OpenAI}, json.Value(c.body), Target{API: c.api, Provider: c.provider, Model: "m", MaxTokens: 64})
		if err != nil || string(r.Body) != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, r.Body, c.want)
		}
		if lost := strings.Join(r.Dropped, ", ") + ";" + strings.Join(r.Adjusted, ", "); lost != c.lost {
			t.Errorf("%s: lost %q", name, lost)
		}
	}
}

// TestStored: what goes on from something stored is asked of nobody who does not have it.
func TestStored(t *testing.T) {
	for api, bodies := range map[wire.API][]string{
		responses: {`{"input":"More","previous_response_id":"resp_1"}`, `{"input":"More","conversation":{"id":"conv_1"}}`,
			`{"input":"More","prompt":{"id":"pmpt_1"}}`, `{"input":[{"type":"item_reference","id":"msg_1"},{"role":"user","content":"More"}]}`},
		generate: {`{"contents":[{"parts":[{"text":"More"}]}],"cachedContent":"cachedContents/1"}`, `{"contents":[{"parts":[{"text":"More"}]}],"cached_content":"cachedContents/1"}`},
	} {
		for _, body := range bodies {
			for _, to := range columns {
				for _, provider := range []fault.Provider{fault.OpenAI, fault.XAI} {
					r, err := Request(Source{API: api, Provider: fault.OpenAI}, json.Value(body), Target{API: to, Provider: provider, Model: "m"})
					if api == responses && to == api && provider == fault.OpenAI {
						if want := json.Value(body).With("model", []byte(`"m"`)); err != nil || string(r.Body) != string(want) {
							t.Errorf("%s to its provider: %v %s", body, err, r.Body)
						}
					} else if err != ErrStored {
						t.Errorf("%s to %s of %s: %v %s", body, to, provider, err, r.Body)
					}
				}
			}
		}
	}
	if _, err := Request(Source{API: responses}, json.Value(`{"input":"Hi","previous_response_id":null,"prompt":null}`), Target{API: chat}); err != nil {
		t.Error(err)
	}
}
