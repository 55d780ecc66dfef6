package translate

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// TestFal004: the body is rebuilt for each target: its limit, its parameter's name, no reasoning,
// no tools of the first provider.
func TestFal004(t *testing.T) {
	body := json.Value(`{"model":"big","max_output_tokens":64000,"input":[{"role":"user","content":"Hi"},{"type":"reasoning","id":"rs_1","encrypted_content":"x"}],"tools":[{"type":"web_search"}]}`)
	for _, c := range []struct {
		to   Target
		name string
	}{
		{Target{API: chat, Provider: fault.OpenAI}, "max_completion_tokens"},
		{Target{API: chat, Provider: fault.Gloo}, "max_tokens"},
		{Target{API: responses, Provider: fault.OpenAI}, "max_output_tokens"},
		{Target{API: messages, Provider: fault.Anthropic}, "max_tokens"},
		{Target{API: generate, Provider: fault.Gemini}, "maxOutputTokens"},
	} {
		c.to.Model, c.to.MaxTokens = "small", 8192
		r, err := Request(Source{API: responses, Provider: fault.OpenAI}, body, c.to)
		if err != nil {
			t.Fatal(err)
		}
		v := json.Value(r.Body)
		if c.to.API == generate {
			v = v.Get("generationConfig")
		} else if m := v.Get("model").Text(); m != "small" {
			t.Errorf("%s: model %q", c.to.API, m)
		}
		if n, _ := v.Get(c.name).Int(); n != 8192 {
			t.Errorf("%s: %s in %s", c.to.API, c.name, r.Body)
		}
		if s := string(r.Body); strings.Contains(s, "reasoning") || strings.Contains(s, "web_search") || strings.Contains(s, "64000") {
			t.Errorf("%s: %s", c.to.API, s)
		}
		if got := strings.Join(r.Dropped, ", "); got != "/tools/0 (web_search), /input/1 (reasoning)" {
			t.Errorf("%s: dropped %s", c.to.API, got)
		}
		if got := strings.Join(r.Adjusted, ", "); got != "/max_output_tokens (64000, lowered to 8192)" {
			t.Errorf("%s: adjusted %s", c.to.API, got)
		}
	}
}

// TestSmallRequests: one trait a row. want must stand in the body.
func TestSmallRequests(t *testing.T) {
	const hi = `"messages":[{"role":"user","content":"Hi"}]`
	for name, c := range map[string]struct {
		from wire.API
		body string
		to   Target
		want string
		lost string // what is dropped; then ";" and what is adjusted
	}{
		"messages wants a limit": {chat, `{` + hi + `}`, Target{API: messages}, `"max_tokens":8192`, ";/max_tokens (none given, 8192 sent)"},
		"within the target's":    {chat, `{` + hi + `}`, Target{API: messages, MaxTokens: 4096}, `"max_tokens":4096`, ";/max_tokens (none given, 4096 sent)"},
		"responses wants sixteen": {chat, `{` + hi + `,"max_tokens":5}`, Target{API: responses}, `"max_output_tokens":16`,
			";/max_tokens (5, raised to 16)"},
		"nothing stored unasked": {messages, `{` + hi + `,"max_tokens":99}`, Target{API: responses}, `"store":false`, ";"},
		"only system text": {chat, `{"messages":[{"role":"system","content":"Tell a joke."}]}`, Target{API: messages, MaxTokens: 10},
			`"messages":[{"role":"user","content":"Tell a joke."}]`, ";/messages/0/content (sent as the user's message), /max_tokens (none given, 10 sent)"},
		"only system text for responses": {chat, `{"messages":[{"role":"system","content":"Tell a joke."}]}`, Target{API: responses},
			`"input":[{"role":"system","content":"Tell a joke."}]`, ";"},
		"the user begins": {chat, `{"messages":[{"role":"assistant","content":"Hello!"},{"role":"user","content":"Hi"}]}`, Target{API: generate},
			`"contents":[{"role":"user","parts":[{"text":"Begin."}]},{"role":"model"`, ";/messages/0 (a user's message was put before it)"},
		"same roles merge": {chat, `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`, Target{API: generate},
			`"contents":[{"role":"user","parts":[{"text":"a"},{"text":"b"}]}]`, ";"},
		"same roles stay where they may": {chat, `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`, Target{API: responses},
			`"input":[{"role":"user","content":"a"},{"role":"user","content":"b"}]`, ";"},
		"a last turn to go on from": {chat, `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b \n"}],"max_tokens":9}`, Target{API: messages},
			`{"role":"assistant","content":"b"}`, ";/messages/1/content (white space at its end, cut off)"},
		"functions of old": {chat, `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}},{"role":"function","name":"f","content":"ok"}],"functions":[{"name":"f"}],"function_call":{"name":"f"},"max_tokens":9}`,
			Target{API: messages}, `{"type":"tool_use","id":"call_1","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"ok"}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}],"tool_choice":{"type":"tool","name":"f"}`, ";"},
		"arguments that are no object": {chat, `{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"oops{"}}]},{"role":"tool","tool_call_id":"c","content":"bad"}]}`,
			Target{API: generate}, `"args":{"arguments":"oops{"}`, ";/messages/1/tool_calls/0 (arguments that are no JSON object, sent as a text)"},
		"ids used twice": {chat, `{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}},{"id":"c","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"1"},{"role":"tool","tool_call_id":"c","content":"2"}]}`,
			Target{API: responses}, `{"type":"function_call_output","call_id":"c","output":"1"},{"type":"function_call_output","call_id":"call_1","output":"2"}`, ";"},
		"a call that Gemini has not signed": {chat, `{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}},{"id":"d","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"1"},{"role":"tool","tool_call_id":"d","content":"2"}]}`,
			Target{API: chat, Provider: fault.Gemini}, `"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}},{"id":"d","type":"function","function":{"name":"f","arguments":"{}"}}]`, "/messages/1/tool_calls/0/extra_content;"},
		"a call nobody answered": {chat, `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"x","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"b"}]}`,
			Target{API: generate}, `{"role":"model","parts":[{"text":"x"}]}`, "/messages/1/tool_calls/0 (a tool call without a result);"},
		"no tools, no choice": {chat, `{` + hi + `,"tools":[{"type":"custom","custom":{"name":"c"}}],"tool_choice":"required"}`, Target{API: generate},
			`[{"text":"Hi"}]}]}`, "/tools/0 (custom), /tool_choice (there are no tools);"},
		"JSON mode": {generate, `{"contents":[{"parts":[{"text":"Hi"}]}],"generationConfig":{"responseMimeType":"application/json"}}`, Target{API: chat},
			`"messages":[{"role":"system","content":"Answer with one JSON object and nothing else: no other words, no code fence."},{"role":"user","content":"Hi"}],"response_format":{"type":"json_object"}`,
			";/generationConfig/responseMimeType (asked for in words)"},
		"JSON mode that is named": {generate, `{"contents":[{"parts":[{"text":"Hi, as Json"}]}],"generationConfig":{"responseMimeType":"application/json"}}`, Target{API: responses},
			`"input":[{"role":"user","content":"Hi, as Json"}],"text":{"format":{"type":"json_object"}}`, ";"},
		"JSON mode in words": {chat, `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}],"max_tokens":9,"response_format":{"type":"json_object"}}`, Target{API: messages},
			`"system":[{"type":"text","text":"Be brief."},{"type":"text","text":"Answer with one JSON object and nothing else: no other words, no code fence."}],"messages":[{"role":"user","content":"Hi"}]}`,
			";/response_format (asked for in words)"},
		"a schema that cannot be closed": {chat, `{` + hi + `,"max_tokens":9,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","additionalProperties":{"type":"string"}}}}}`, Target{API: messages},
			`{"max_tokens":9,"system":"Answer with JSON and nothing else: no other words, no code fence. This is its JSON Schema:\n\n{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}","messages":[{"role":"user","content":"Hi"}]}`,
			";/response_format/json_schema (asked for in words)"},
		"what structured answers of messages refuse": {chat, `{` + hi + `,"max_tokens":9,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{"a":{"type":"integer","minimum":0,"description":"d"},"minLength":{"oneOf":[{"type":"string","minLength":1},{"type":"array","minItems":1,"maxItems":3,"items":{"type":"number","multipleOf":2}}]}}}}}}`, Target{API: messages},
			`"schema":{"type":"object","properties":{"a":{"type":"integer","description":"d"},"minLength":{"anyOf":[{"type":"string"},{"type":"array","minItems":1,"items":{"type":"number"}}]}},"additionalProperties":false}`,
			";/response_format/json_schema (without bounds)"},
		"a tool that messages would not hold to its schema": {chat, `{` + hi + `,"max_tokens":9,"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object","properties":{"a":{"type":"integer","minimum":0}},"required":["a"],"additionalProperties":false}}},{"type":"function","function":{"name":"g","strict":true,"parameters":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}}}]}`, Target{API: messages},
			`"additionalProperties":false}},{"name":"g","input_schema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false},"strict":true}]`, "/tools/0/function/strict;"},
		"a tool that OpenAI would not hold to its schema": {messages, `{` + hi + `,"max_tokens":9,"tools":[{"name":"f","strict":true,"input_schema":{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}}]}`, Target{API: chat},
			`"parameters":{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}}}]`, "/tools/0/strict;"},
		"JSON beside functions, which Gemini 2 does not take": {chat, `{` + hi + `,"tools":[{"type":"function","function":{"name":"f"}}],"response_format":{"type":"json_object"}}`, Target{API: generate, Model: "gemini-2.5-flash"},
			`{"systemInstruction":{"parts":[{"text":"Answer with one JSON object and nothing else: no other words, no code fence."}]},"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}]}`,
			";/response_format (asked for in words)"},
		"JSON beside functions, which Gemini 3 takes": {chat, `{` + hi + `,"tools":[{"type":"function","function":{"name":"f"}}],"response_format":{"type":"json_object"}}`, Target{API: generate, Model: "gemini-3-flash"},
			`"generationConfig":{"responseMimeType":"application/json"}`, ";"},
		"a limit by its older name":                               {chat, `{` + hi + `,"max_tokens":9}`, Target{API: chat, Provider: fault.OpenAI, Model: "llama-4"}, `"max_tokens":9`, ";"},
		"a limit by its older name for a model that refuses that": {chat, `{` + hi + `,"max_tokens":9}`, Target{API: chat, Provider: fault.OpenAI, Model: "gpt-5-mini"}, `"max_completion_tokens":9`, ";"},
		"a limit out of another API":                              {messages, `{` + hi + `,"max_tokens":9}`, Target{API: chat, Provider: fault.OpenAI, Model: "llama-4"}, `"max_completion_tokens":9`, ";"},
		"a document that is a text": {chat, `{"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"Sum up"},{"type":"file","file":{"filename":"a.md","file_data":"data:text/markdown;base64,IyBIw6kh"}}]}]}`, Target{API: messages},
			`"content":[{"type":"text","text":"Sum up"},{"type":"text","text":"a.md:\n\n# Hé!"}]`, ";/messages/0/content/1 (a document sent as text)"},
		"a document that is said to be a text": {chat, `{"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"Sum up"},{"type":"file","file":{"filename":"a.md","file_data":"data:text/markdown;base64,/w=="}}]}]}`, Target{API: messages},
			`"content":"Sum up"`, "/messages/0/content/1 (text/markdown);"},
		"who speaks": {chat, `{"messages":[{"role":"user","name":"Ann","content":"Hi"},{"role":"assistant","name":"Bot","content":"Yes?"}]}`, Target{API: chat},
			`"messages":[{"role":"user","name":"Ann","content":"Hi"},{"role":"assistant","name":"Bot","content":"Yes?"}]`, ";"},
		"who speaks, where nobody asks": {chat, `{"messages":[{"role":"user","name":"Ann","content":"Hi"}]}`, Target{API: responses}, `"content":"Hi"`, "/messages/0/name;"},
		"an answer that is a list": {generate, `{"contents":[{"parts":[{"text":"Hi"}]}],"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"ARRAY","items":{"type":"STRING"}}}}`, Target{API: chat},
			`"schema":{"type":"array","items":{"type":"string"}},"strict":false`, ";"},
		"a schema is closed for messages": {generate, `{"contents":[{"parts":[{"text":"Hi"}]}],"generationConfig":{"maxOutputTokens":9,"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}}}`, Target{API: messages},
			`"schema":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, ";"},
		"Gloo's own choice of a model": {chat, `{"auto_routing":true,"tradition":"t",` + hi + `}`, Target{API: chat, Provider: fault.Gloo, Model: "m"},
			`{"model":"m"`, "/auto_routing, /tradition;"},
		"what only OpenAI takes": {chat, `{` + hi + `,"metadata":{"a":"b"},"store":true,"verbosity":"low","user":"u"}`, Target{API: responses, Provider: fault.XAI},
			`"user":"u","store":true`, "/verbosity, /metadata;"},
		"store unsaid for those who do not know it": {chat, `{` + hi + `}`, Target{API: responses, Provider: fault.Gloo}, `"input":[{"role":"user","content":"Hi"}]}`, ";"},
		"null and idle values go without a word": {chat, `{` + hi + `,"n":1,"logprobs":false,"tools":[],"seed":null,"frequency_penalty":0,"parallel_tool_calls":true,"service_tier":"auto","store":false}`,
			Target{API: messages, MaxTokens: 1}, `Hi`, ";/max_tokens (none given, 1 sent)"},
		"wrong types": {chat, `{` + hi + `,"temperature":"hot","max_tokens":-1,"stop":[1,"x"]}`, Target{API: generate}, `"stopSequences":["x"]`,
			"/max_tokens (not a positive whole number), /stop/0 (not a text), /temperature (not of the right type);"},
		"pictures no API takes": {generate, `{"contents":[{"parts":[{"text":"Hi"},{"inlineData":{"mimeType":"image/heic","data":"AA=="}}]}]}`, Target{API: chat},
			`"content":"Hi"`, "/contents/0/parts/1 (image/heic);"},
		"one of Google's files": {generate, `{"contents":[{"parts":[{"text":"Hi"},{"fileData":{"fileUri":"gs://b/x.png"}}]}]}`, Target{API: chat},
			`"content":"Hi"`, "/contents/0/parts/1 (a file that only its provider has);"},
	} {
		r, err := Request(Source{API: c.from}, json.Value(c.body), c.to)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !json.Valid(r.Body) {
			t.Errorf("%s: no JSON: %s", name, r.Body)
		}
		if !strings.Contains(string(r.Body), c.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, r.Body, c.want)
		}
		if lost := strings.Join(r.Dropped, ", ") + ";" + strings.Join(r.Adjusted, ", "); lost != c.lost {
			t.Errorf("%s: lost %q", name, lost)
		}
	}
}

// TestSameProvider: between models of one provider the members stay that only it knows, except
// what is bound to the first model.
func TestSameProvider(t *testing.T) {
	body := json.Value(`{"model":"gpt-5.5","messages":[{"role":"user","content":"Hi"}],"logit_bias":{"1":2},"reasoning_effort":"high","n":2}`)
	r, err := Request(Source{API: chat, Provider: fault.OpenAI}, body, Target{API: chat, Provider: fault.OpenAI, Model: "gpt-4.1-mini"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(r.Body), `{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"Hi"}],"logit_bias":{"1":2},"n":2}`; got != want {
		t.Errorf("got %s", got)
	}
	if got := strings.Join(r.Dropped, ", "); got != "/reasoning_effort" {
		t.Errorf("dropped %s", got)
	}
}

func TestPaths(t *testing.T) {
	body := json.Value(`{"model":"asked","messages":[{"role":"user","content":"Hi"}],"stream":true}`)
	for _, c := range []struct {
		to   Target
		want string
	}{
		{Target{API: chat}, "/v1/chat/completions"},
		{Target{API: chat, Provider: fault.Gloo}, "/ai/v2/guarded/chat/completions"},
		{Target{API: chat, Provider: fault.Gemini}, "/v1beta/openai/chat/completions"},
		{Target{API: responses, Provider: fault.XAI}, "/v1/responses"},
		{Target{API: messages, Path: "/proxy/messages"}, "/proxy/messages"},
		{Target{API: generate}, "/v1beta/models/asked:streamGenerateContent?alt=sse"},
		{Target{API: generate, Model: "models/gemini-3-flash"}, "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse"},
		{Target{API: generate, Model: "../../files?x#"}, "/v1beta/models/%2E.%2F..%2Ffiles%3Fx%23:streamGenerateContent?alt=sse"},
		{Target{API: generate, Path: "/v1/projects/p/models/{model}:{verb}"}, "/v1/projects/p/models/asked:streamGenerateContent?alt=sse"},
	} {
		r, err := Request(Source{API: chat}, body, c.to)
		if err != nil || r.Path != c.want {
			t.Errorf("%+v: %q %v", c.to, r.Path, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for body, want := range map[string]error{
		`[]`: ErrNotARequest, `{}`: ErrNotARequest, `{"messages":[]}`: ErrNotARequest, `{"messages":"Hi"}`: ErrNotARequest,
	} {
		if _, err := Request(Source{API: chat}, json.Value(body), Target{API: messages}); err != want {
			t.Errorf("%s: %v", body, err)
		}
	}
	if _, err := Request(Source{API: chat}, json.Value(`{}`), Target{API: wire.Plain}); err != ErrUnknownAPI {
		t.Error(err)
	}
	if _, err := Answer(wire.Interactions, chat, json.Value(`{}`), Meta{}); err != ErrUnknownAPI {
		t.Error(err)
	}
}

// TestFal008: an answer names the model that wrote it, not the one that was asked for.
func TestFal008(t *testing.T) {
	r, err := Answer(messages, chat, json.Value(`{"model":"claude-haiku-4-5","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}`), Meta{})
	if err != nil || json.Value(r.Body).Get("model").Text() != "claude-haiku-4-5" {
		t.Errorf("%v %s", err, r.Body)
	}
}

// TestCon002: however many attempts an answer took, its stream has one start.
func TestCon002(t *testing.T) {
	for api, start := range map[wire.API]string{chat: `"role":"assistant"`, responses: "event: response.created", messages: "event: message_start"} {
		e := NewEncoder(api, Meta{})
		out := append([]byte(nil), e.Delta(story[2])...)
		out = append(out, e.Delta(story[2])...)
		out = append(out, e.Finish(wire.Complete, "stop", spent)...)
		if n := strings.Count(string(out), start); n != 1 {
			t.Errorf("%s: %d starts in %s", api, n, out)
		}
	}
}

// TestBud002: reasoning that xAI counts beside the output is inside of it
// where the client expects it so.
func TestBud002(t *testing.T) {
	body := json.Value(`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":1,"total_tokens":241,"completion_tokens_details":{"reasoning_tokens":228}}}`)
	r, err := Answer(chat, messages, body, Meta{})
	if n, _ := json.Value(r.Body).Get("usage", "output_tokens").Int(); err != nil || n != 229 {
		t.Errorf("%v %s", err, r.Body)
	}
}

// TestBud004: so are Gemini's thoughts.
func TestBud004(t *testing.T) {
	body := json.Value(`{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":185,"totalTokenCount":196}}`)
	r, err := Answer(generate, chat, body, Meta{})
	if n, _ := json.Value(r.Body).Get("usage", "completion_tokens").Int(); err != nil || n != 187 {
		t.Errorf("%v %s", err, r.Body)
	}
}

func TestDecoded(t *testing.T) {
	const text = "Grüße, 潮汐池 🌊\x00~"
	for n := 1; n <= len(text); n++ {
		said, ok := decoded(base64.StdEncoding.EncodeToString([]byte(text[:n])))
		if whole := utf8.ValidString(text[:n]); ok != whole || whole && said != text[:n] {
			t.Errorf("%q: %q %v", text[:n], said, ok)
		}
	}
	for _, data := range []string{"", "=", "a b", "YQ==YQ==", "http://"} {
		if said, ok := decoded(data); ok {
			t.Errorf("%q is %q", data, said)
		}
	}
}
