package serve

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// kept is a gateway that tells what reaches it.
func kept(t *testing.T, token string) (*url.URL, *[]string) {
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		seen = append(seen, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Idempotency-Key")+r.Header.Get("Cookie")+r.Header.Get("X-Sim-Session"))
		if r.URL.Path == "/base/v1/models" {
			io.WriteString(w, `{"data":[{"id":"fast"},{"id":"careful"}]}`)
		}
	}))
	t.Cleanup(server.Close)
	u, _ := url.Parse(server.URL + "/base")
	return u, &seen
}

// What a page needs of a gateway passes, with the token that stays here; nothing else does.
func TestGatewayMode(t *testing.T) {
	u, seen := kept(t, key)
	model, err := firstModel(u, key)
	if err != nil || model != "fast" {
		t.Fatal(model, err)
	}
	s := site{addr: "127.0.0.1:0", provider: gateway, key: key, gateway: u}
	s.provider.model = model
	base := start(t, s)
	_, told, _ := do(t, "GET", base+"/demo/config.json", "")
	for _, want := range []string{`"mode":"gateway"`, `"provider":"openai"`, `"model":"fast"`, `"path":"/v1/chat/completions"`} {
		if !strings.Contains(told, want) || strings.Contains(told, key) {
			t.Errorf("%s is not in %s", want, told)
		}
	}
	for _, c := range []struct {
		method, path, reaches string
		status                int
	}{
		{"POST", "/answers/v1/chat/completions", "POST /base/answers/v1/chat/completions i1", 200},
		{"GET", "/answers/id-123?offset=a_1&live=sse&token=x", "GET /base/answers/id-123?live=sse&offset=a_1 i1", 200},
		{"POST", "/answers/id-123/cancel", "POST /base/answers/id-123/cancel i1", 200},
		{"DELETE", "/answers/id-123", "", 405},
		{"POST", "/answers/openai/v1/responses", "", 404},
		{"GET", "/answers/../v1/models", "", 404},
	} {
		*seen = nil
		response, _, err := do(t, c.method, base+c.path, "{}", "Origin", base, "Cookie", "c=1", "Idempotency-Key", "i1", "x-sim-session", "s")
		if err != nil || response.StatusCode != c.status || strings.Join(*seen, "") != c.reaches {
			t.Errorf("%s %s: %v %v, reaches %q", c.method, c.path, response, err, *seen)
		}
	}
}

// What is wrong with a gateway is told before anything is served.
func TestGatewayMistakes(t *testing.T) {
	u, _ := kept(t, "its-token")
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-gateway", "ftp://x"}, "-gateway takes an http or https URL"},
		{[]string{"-gateway", u.String(), "-provider", "gloo"}, "-gateway says who answers"},
		{[]string{"-gateway", u.String()}, "refuses the token; give one in the environment variable HOLDFAST_TOKEN"},
		{[]string{"-gateway", other.URL}, "is no gateway"},
		{[]string{"-gateway", "http://127.0.0.1:1"}, "Start one with: node wasm/worker/dev.mjs"},
	} {
		var said bytes.Buffer
		code := Run(context.Background(), project(t), append(c.args, "-addr", "127.0.0.1:0"), func(string) string { return "" }, io.Discard, &said)
		if code == ok || !strings.Contains(said.String(), c.want) {
			t.Errorf("%q: %d %s", c.args, code, said.String())
		}
	}
}
