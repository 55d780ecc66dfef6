package bind

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"holdfast/core"
	"holdfast/core/json"
	"holdfast/core/pace"
	"holdfast/core/time"
	"holdfast/core/wire"
)

func TestClientOptions(t *testing.T) {
	for _, c := range []struct{ options, want string }{
		{`{"provider":"gloo"}`, ""},
		{`{"provider":"gloo","policy":{"interactive":{"attempts":2},"idleMs":0,"owner":false}}`, ""},
		{`{}`, "provider: must be gloo"},
		{`{"provider":"glo"}`, "provider: must be gloo"},
		{`{"provider":"gloo","retries":3}`, "retries: is not an option of createClient; there are WebSocket, apiKey, baseURL, breaker,"},
		{`{"provider":"gloo","baseURL":3}`, "baseURL: must be text"},
		{`{"provider":"gloo","headers":{"a":1}}`, "headers: a: must be text"},
		{`{"provider":"gloo","policy":{"idle":3}}`, "policy: idle: is not an option of policy"},
		{`{"provider":"gloo","policy":{"idleMs":-1}}`, "policy: idleMs: must be a number of milliseconds"},
		{`{"provider":"gloo","policy":{"idleMs":"1"}}`, "policy: idleMs: must be a number"},
		{`{"provider":"gloo","policy":{"background":{"attempts":0}}}`, "attempts: must be a whole number from 1 to 100"},
		{`{"provider":"gloo","policy":{"interactive":{"backoff":"fast"}}}`, `backoff: must be "full" or "added"`},
		{`{"provider":"gloo","policy":{"continuation":"go on"}}`, "continuation: must be text that contains {partial}"},
		{`{"provider":"gloo","policy":{"drainMs":5000}}`, "drainMs: must be a number of milliseconds from 0 to 2000"},
		{`{"provider":"gloo","breaker":true}`, "breaker: must be false or an object"},
		{`[]`, "must be an object"},
		{`{"provider":`, "createClient: invalid JSON"},
	} {
		_, err := newClient([]byte(c.options))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.options, err, c.want)
		}
	}
}

func TestFallbackPath(t *testing.T) {
	for _, c := range []struct{ target, want string }{
		{`{"provider":"openai"}`, "https://api.openai.com/v1/chat/completions"},
		{`{"provider":"openai","baseURL":"https://x.test/v1/"}`, "https://x.test/v1/chat/completions"},
		{`{"provider":"openai","baseURL":"https://x.test/v11"}`, "https://x.test/v11/v1/chat/completions"},
		{`{"provider":"openai","baseURL":"https://x.test/v1","path":"/chat/completions"}`, "https://x.test/v1/chat/completions"},
		{`{"provider":"gemini","baseURL":"https://x.test/v1beta"}`, "https://x.test/v1beta/models/{model}:generateContent"},
		{`{"provider":"gloo","baseURL":"https://x.test/api"}`, "https://x.test/api/ai/v2/guarded/chat/completions"},
	} {
		client, err := newClient([]byte(`{"provider":"gloo","targets":[` + c.target + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		if f := client.fallbacks[0]; f.base+f.path != c.want {
			t.Errorf("%s: %s, want %s", c.target, f.base+f.path, c.want)
		}
	}
}

func TestCallOptions(t *testing.T) {
	client, err := newClient([]byte(`{"provider":"gloo","baseURL":"https://x.test/api/","headers":{"a":"1","b":"2"},"policy":{"interactive":{"attempts":2},"background":{"attempts":7},"idleMs":0}}`))
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"messages":[]}`)
	s, err := client.spec(true, []byte(`{"path":"/v1/chat/completions","headers":{"B":"3"},"timeoutMs":1000}`), body)
	if err != nil {
		t.Fatal(err)
	}
	if s.Base+s.Path != "https://x.test/api/v1/chat/completions" || s.Header.Get("a") != "1" || s.Header.Get("b") != "3" || s.Header.Get("accept") != "text/event-stream" {
		t.Errorf("request %s %v", s.Base+s.Path, s.Header)
	}
	if p := s.Policy; p.Budget.Attempts != 2 || p.Idle != pace.Off || p.Budget.Total != time.Second || p.Headers != 600*time.Second {
		t.Errorf("policy %+v", p)
	}
	if s, err = client.spec(true, []byte(`{"path":"/v1/chat/completions","background":true,"policy":{"background":{"maxHintMs":5}}}`), body); err != nil || s.Policy.Budget.Attempts != 7 || s.Policy.Budget.MaxHint != 5*time.Millisecond || s.Policy.Budget.Continues != 0 {
		t.Errorf("background: %v %+v", err, s.Policy.Budget)
	}
	for _, c := range []struct{ options, body, code, want string }{
		{`{"path":"v1"}`, `{}`, "bad_option", "path: must begin with"},
		{`{"path":"//evil.test/v1"}`, `{}`, "bad_option", "path: must begin with"},
		{`{"path":"/v1/chat/completions","idle":1}`, `{}`, "bad_option", "idle: is not an option of stream"},
		{`{"path":"/v1/chat/completions"}`, `{"a":`, "bad_body", "body: invalid JSON at byte 5"},
		{`{"path":"/v1/chat/completions"}`, `[]`, "bad_body", "needs a JSON object"},
		{`{"path":"/v1/chat/completions"}`, `{"n":2}`, "bad_body", "several answers"},
		{`{"path":"/v1beta/models/m:streamGenerateContent"}`, `{"generationConfig":{"candidateCount":2}}`, "bad_body", "several answers"},
		{`{"path":"/v1/other"}`, `{}`, "bad_option", "api: the path does not tell"},
		{`{"path":"/v1/chat/completions","api":"xml"}`, `{}`, "bad_option", "api: must be chat, responses, messages, generate, interactions, embeddings or json"},
		{`{"path":"/answers","api":"answers"}`, `{}`, "bad_option", "api: must be chat, responses, messages, generate, interactions, embeddings or json"},
		{`{"path":"/v1/chat/completions","continues":"x"}`, `{}`, "bad_body", "no message list"},
		{`{"path":"/v1/chat/completions","policy":{"maxBodyBytes":3}}`, `{"a":1}`, "body_too_large", "7 bytes are more than policy.maxBodyBytes, 3"},
	} {
		_, err := client.spec(true, []byte(c.options), []byte(c.body))
		f, ok := err.(*failure)
		if !ok || f.code != c.code || !strings.Contains(f.message, c.want) {
			t.Errorf("%s %s: %v, want %s %q", c.options, c.body, err, c.code, c.want)
		}
	}
	if _, err := newClient([]byte(`{"provider":"gloo","policy":3}`)); err == nil || err.Error() != "policy: must be an object" {
		t.Errorf("a policy of another kind: %v", err)
	}
}

// A stream that request reads would be taken for a broken document, and paid for at each attempt.
func TestRequestOfStream(t *testing.T) {
	client, _ := newClient([]byte(`{"provider":"openai"}`))
	for _, c := range []struct {
		path, body string
		refused    bool
	}{
		{"/v1/chat/completions", `{"stream":true}`, true},
		{"/v1/chat/completions", `{"stream":false}`, false},
		{"/v1beta/models/m:streamGenerateContent?alt=sse", `{}`, true},
		{"/v1beta/models/m:generateContent", `{}`, false},
		{"/v1/something", `{"stream":true}`, false},
	} {
		_, err := client.spec(false, []byte(`{"path":"`+c.path+`"}`), []byte(c.body))
		f, _ := err.(*failure)
		if refused := f != nil && f.code == "bad_body" && strings.HasSuffix(f.message, "use stream"); refused != c.refused || (err != nil) != c.refused {
			t.Errorf("%s %s: %v", c.path, c.body, err)
		}
	}
}

// A gateway says where a stream goes, and from where it goes on.
func TestGatewayOptions(t *testing.T) {
	client, err := newClient([]byte(`{"provider":"openai","targets":[{"provider":"openai","model":"a"},{"provider":"anthropic","model":"b"},{"provider":"gemini","model":"c"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"messages":[{"role":"user","content":"Hi"}]}`)
	s, err := client.spec(true, []byte(`{"path":"/v1/chat/completions","route":{"chain":[2,0],"form":true},"cursors":true}`), body)
	if err != nil || s.First != 1 || !s.Cursors || len(s.Fallbacks) != 2 || s.Fallbacks[0].Model != "c" || s.Fallbacks[1].Model != "a" {
		t.Errorf("%v %+v", err, s)
	}
	s, err = client.spec(true, []byte(`{"path":"/v1/messages","route":{"provider":"anthropic","baseURL":"https://a.test/","chain":[]}}`), body)
	if err != nil || s.First != 0 || len(s.Fallbacks) != 0 || s.Provider != "anthropic" || s.Base != "https://a.test" || s.Auth != "x-api-key: " || s.Header.Get("anthropic-version") == "" {
		t.Errorf("%v %+v", err, s)
	}
	from := core.Cursor{Target: 1, Provider: "openai", API: "responses", At: wire.Cursor{ID: "r", Next: 7, Event: "e", Text: 1, Reasoning: 2, Refusal: 3, Tools: []string{"t", ""}, Ahead: wire.Ahead{Text: 4, Tools: 5}}}
	var w json.Writer
	writeCursor(w.Open("", '{'), &from)
	s, err = client.spec(true, []byte(`{"path":"/v1/responses","from":`+string(json.Value(w.Close('}').Out).Get("cursor"))+`}`), []byte(`{"input":"x"}`))
	if err != nil || !reflect.DeepEqual(*s.From, from) {
		t.Errorf("%v %+v", err, s.From)
	}
	for _, c := range []struct{ options, want string }{
		{`{"path":"/","route":{"chains":[]}}`, "chains: is not an option of route; there are baseURL, chain, form, metered, provider"},
		{`{"path":"/","route":{"provider":"x"}}`, "provider: must be"},
		{`{"path":"/","route":{"chain":1}}`, "chain: must be a list"},
		{`{"path":"/","from":{"next":-1}}`, "from: next: must be a whole number"},
		{`{"path":"/","from":null}`, "from: must be an object"},
	} {
		if _, err := client.spec(true, []byte(c.options), body); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.options, err, c.want)
		}
	}
}

// The types that JavaScript users see and the tables that check their options name the same keys.
func TestTypesAgree(t *testing.T) {
	types, err := os.ReadFile("../js/holdfast.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	client, _ := newClient([]byte(`{"provider":"gloo"}`))
	known := func(err error) []string {
		_, list, ok := strings.Cut(err.Error(), "there are ")
		if !ok {
			t.Fatal(err)
		}
		return strings.Split(list, ", ")
	}
	_, ofClient := newClient([]byte(`{"zz":1}`))
	_, ofTarget := newClient([]byte(`{"provider":"gloo","targets":[{"zz":1}]}`))
	_, ofPolicy := newClient([]byte(`{"provider":"gloo","policy":{"zz":1}}`))
	_, ofBudget := newClient([]byte(`{"provider":"gloo","policy":{"background":{"zz":1}}}`))
	gemini, _ := newClient([]byte(`{"provider":"gemini"}`))
	_, _, ofLive := gemini.liveSpec([]byte(`{"zz":1}`), nil)
	_, _, ofLivePolicy := gemini.liveSpec([]byte(`{"policy":{"zz":1}}`), nil)
	_, ofCall := client.spec(false, []byte(`{"zz":1}`), []byte(`{}`))
	for _, c := range []struct {
		name string
		keys []string
	}{
		{"ClientOptions", known(ofClient)},
		{"CallOptions", known(ofCall)},
		{"LiveOptions", known(ofLive)},
		{"LivePolicy", known(ofLivePolicy)},
		{"Target", known(ofTarget)},
		{"Policy", known(ofPolicy)},
		{"Budget", known(ofBudget)},
	} {
		block := regexp.MustCompile(`(?s)export interface ` + c.name + ` \{(.*?)\n\}`).FindStringSubmatch(string(types))
		if block == nil {
			t.Fatalf("no interface %s", c.name)
		}
		var declared []string
		for _, m := range regexp.MustCompile(`(?m)^  (\w+)\??:`).FindAllStringSubmatch(block[1], -1) {
			declared = append(declared, m[1])
		}
		if !slices.IsSorted(c.keys) {
			t.Errorf("%s: not sorted: %v", c.name, c.keys)
		}
		slices.Sort(declared)
		if !slices.Equal(c.keys, declared) {
			t.Errorf("%s: told are %v, declared are %v", c.name, c.keys, declared)
		}
	}
}
