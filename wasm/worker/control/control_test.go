package main

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// ask sends facts to a route and returns the answer.
func ask(t *testing.T, path, facts string) (status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	handler().ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(facts)))
	return w.Code, w.Body.String()
}

func TestRoutes(t *testing.T) {
	for path := range routes {
		if status, body := ask(t, path, "{"); status != 400 || !strings.Contains(body, `"message"`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
		if path == "/control/tokens" {
			continue
		}
		if status, _ := ask(t, path, "{}"); status != 200 {
			t.Errorf("%s without facts: %d", path, status)
		}
	}
	if status, _ := ask(t, "/control/else", "{}"); status != 404 {
		t.Errorf("a path that is none: %d", status)
	}
}

func TestHealth(t *testing.T) {
	for _, c := range []struct{ targets, want string }{
		{``, "ok"},
		{`{"breaker":"closed"}`, "ok"},
		{`{"breaker":"half_open"}`, "ok"},
		{`{"breaker":"open"}`, "down"},
		{`{"breaker":"open"},{"breaker":"closed"}`, "degraded"},
		{`{"breaker":"closed","gated":true},{"breaker":"closed"}`, "degraded"},
		{`{"breaker":"closed","gated":true},{"breaker":"open"}`, "down"},
	} {
		_, body := ask(t, "/control/health", `{"health":{"targets":[`+c.targets+`]}}`)
		var got struct{ Status string }
		if err := json.Unmarshal([]byte(body), &got); err != nil || got.Status != c.want {
			t.Errorf("%s: %s, not %s", c.targets, body, c.want)
		}
	}
}

// Each line is a configuration, and a place where something is wrong with it or could be better.
func TestCheck(t *testing.T) {
	const providers = `"providers":{"openai":{"baseURL":"https://api.openai.com","secret":"OPENAI_API_KEY","set":true}}`
	const admin = `"tokens":{"root":{"admin":true,"limits":{}}}`
	const fine = admin + `,` + providers
	for _, c := range []struct{ config, problem, advice string }{
		{fine + `,"signs":true`, "", ""},
		{fine, "", "the secret HOLDFAST_JWT_SECRET"},
		{providers + `,"signs":true`, "", "tokens"},
		{fine + `,"signs":true,"models":{"m":[{"provider":"openai","model":"gpt-5-mini"}]}`, "", "models.m"},
		{fine + `,"signs":true,"models":{"m":[{"provider":"openai","model":"gpt-5-mini"},{"provider":"openai","model":"gpt-5"}]}`, "", "models.m"},
		{fine + `,"signs":true,"models":{"m":[{"provider":"openai","model":"gpt-5"},{"provider":"openai","model":"unheard-of"}]}`, "", "models.m[1] models.m"},
		{fine + `,"signs":true,"prices":"* * 9 9 9 9 9\nopenai unheard-of 1 1 1 1 1","models":{"m":[{"provider":"openai","model":"unheard-of"},{"provider":"openai","model":"gpt-5"}]}`, "", "models.m[1] models.m"},
		{fine + `,"signs":true,"models":{"m":[{"provider":"xai","model":"grok-4"},{"provider":"openai","model":"gpt-5"}]}`, "models.m", ""},
		{fine + `,"signs":true,"origins":["https://app.example/"]`, "origins", ""},
		{fine + `,"signs":true,"origins":["*"]`, "origins", ""},
		{fine + `,"signs":true,"origins":["http://app.example"]`, "", "origins"},
		{fine + `,"signs":true,"origins":["http://localhost:8080"]`, "", ""},
		{fine + `,"jwt":{"audience":"x","limits":{}}`, "jwt", ""},
		{fine + `,"signs":true,"jwt":{"audience":"x"}`, "", "jwt"},
		{fine + `,"signs":true,"jwt":{"audience":"x","limits":{},"models":["nothing"]}`, "", "jwt"},
		{fine + `,"signs":true,"jwt":{"audience":"x","limits":{},"models":["openai/*","openai/gpt-5"]}`, "", ""},
		{admin + `,"signs":true,"providers":{"openai":{"baseURL":"http://api.example","secret":"KEY","set":true}}`, "", "providers.openai"},
		{admin + `,"signs":true,"providers":{"openai":{"baseURL":"http://127.0.0.1:9","secret":"KEY","set":true}}`, "", ""},
		{admin + `,"signs":true,"providers":{"openai":{"secret":"KEY"}}`, "providers.openai", ""},
		{admin + `,"signs":true,"providers":{"openai":{"secret":"KEY","set":true,"fallbacks":["none"]}}`, "providers.openai", ""},
		{`"tokens":{"root":{"admin":true}},"signs":true`, "", "tokens.root"},
	} {
		_, body := ask(t, "/control/config", `{"config":{`+c.config+`}}`)
		var got struct{ Problems, Advice []struct{ Where string } }
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		if has(got.Problems) != c.problem || has(got.Advice) != c.advice {
			t.Errorf("%s:\n%s", c.config, body)
		}
	}
}

// has is the places of all findings.
func has(findings []struct{ Where string }) string {
	places := []string{}
	for _, f := range findings {
		places = append(places, f.Where)
	}
	return strings.Join(places, " ")
}

func TestProblemNamesItsPlace(t *testing.T) {
	for problem, where := range map[string]string{
		"providers.openai: the secret OPENAI_API_KEY is not set": "providers.openai",
		"Unexpected end of JSON input":                           "the configuration",
	} {
		_, body := ask(t, "/control/config", `{"problem":"`+problem+`"}`)
		if !strings.HasPrefix(body, `{"ok":false,"problems":[{"where":"`+where+`",`) {
			t.Errorf("%s: %s", problem, body)
		}
	}
}

// The signature comes from elsewhere:
//
//	printf %s HEAD.BODY | openssl dgst -sha256 -hmac SECRET -binary | basenc --base64url | tr -d =
func TestMint(t *testing.T) {
	const facts = `{"atMs":1700000000500,"audience":"gateway","secret":"0123456789abcdef0123456789abcdef","asked":"{\"sub\":\"carol\",\"expiresInSeconds\":60,\"models\":[\"fast\"]}"}`
	status, body := ask(t, "/control/tokens", facts)
	var got struct {
		Token       string
		ExpiresAtMs int64
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 {
		t.Fatal(status, body)
	}
	parts := strings.Split(got.Token, ".")
	claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
	const want = `{"sub":"carol","models":["fast"],"aud":"gateway","iat":1700000000,"exp":1700000060}`
	if string(claims) != want || got.ExpiresAtMs != 1700000060000 {
		t.Errorf("%s, until %d", claims, got.ExpiresAtMs)
	}
	if parts[2] != "2koRS2nbLhkqtPTgze5LlX6Tq5Y4kQvt4TO251ir71U" {
		t.Errorf("signature %s of %s.%s", parts[2], parts[0], parts[1])
	}
}

// Whatever a name is, it is text on the page.
func TestStatusPageEscapes(t *testing.T) {
	const evil = `\"><script>alert(1)</script>`
	facts := strings.ReplaceAll(`{"nonce":"n","problem":"EVIL: EVIL","health":{"targets":[{"host":"EVIL","model":"EVIL","breaker":"EVIL"}]},"owners":[{"owner":"EVIL"}],"config":{"tokens":{"EVIL":{"models":["EVIL"]}}}}`, "EVIL", evil)
	_, html := ask(t, "/control/status", facts)
	if n := strings.Count(html, "&lt;script&gt;"); n < 7 || strings.Contains(html, "<script") {
		t.Errorf("%d of them in\n%s", n, html)
	}
}

// Whatever the facts are, an answer is JSON or a page without a script, and never a panic.
func FuzzFacts(f *testing.F) {
	f.Add(`{"atMs":1,"health":{"targets":[{"host":"h","breaker":"open","gated":true,"retryAtMs":5}]},"owners":[{"owner":"o","limits":{"maxUsd":1},"report":{"day":{"ticks":1}}}]}`)
	f.Add(`{"config":{"tokens":{"a":{}},"providers":{"p":{"baseURL":"http://x"}},"models":{"m":[{}]},"origins":["*"],"jwt":{}},"problem":"a: b","nonce":"\"><script>"}`)
	f.Add(`{"audience":"a","secret":"s","asked":"{\"sub\":\"x\",\"expiresInSeconds\":1}"}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range slices.Sorted(maps.Keys(routes)) { // the same way each time, as fuzzing wants it
			status, body := ask(t, path, text)
			if status == 200 && path == statusPath {
				if strings.Contains(body, "<script") {
					t.Errorf("%s", body)
				}
			} else if !json.Valid([]byte(body)) {
				t.Errorf("%s: %d %q", path, status, body)
			}
		}
	})
}
