package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"holdfast/tests/sim/server"
)

// project makes a directory with a small built site.
func project(t *testing.T) string {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"dist/web/index.html":         "<!doctype html><title>page</title>",
		"dist/web/boot.js":            "start()",
		"dist/web/web.wasm":           "\x00asm plain",
		"dist/web/web.wasm.br":        "brotli",
		"dist/web/web.wasm.gz":        "gzip",
		"dist/web/style.css":          "body{}",
		"dist/holdfast/holdfast.js":   "export {}",
		"dist/holdfast/holdfast.wasm": "\x00asm",
		"dist/holdfast/holdfast.d.ts": "export {}",
		"secret.txt":                  "not served",
	} {
		file := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(file), 0o755)
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// start serves a site on a free loopback port.
func start(t *testing.T, s site) string {
	t.Helper()
	if s.project == "" {
		s.project = project(t)
	}
	s.errors = io.Discard
	handler, err := s.handler()
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(handler)
	t.Cleanup(func() {
		listening.CloseClientConnections()
		listening.Close()
	})
	return listening.URL
}

func simulator() site { return site{addr: "127.0.0.1:0", provider: simulated} }

// do sends a request on a connection of its own, with headers given as name, value, name, value.
func do(t *testing.T, method, url, body string, headers ...string) (*http.Response, string, error) {
	t.Helper()
	request, _ := http.NewRequest(method, url, strings.NewReader(body))
	request.Close = true
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableCompression: true}}).Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	return response, string(read), err
}

func TestFiles(t *testing.T) {
	url := start(t, simulator())
	for _, c := range []struct{ path, accept, contentType, encoding, body string }{
		{"/", "", "text/html; charset=utf-8", "", "<!doctype html><title>page</title>"},
		{"/boot.js", "br", "text/javascript; charset=utf-8", "", "start()"},
		{"/style.css", "", "text/css; charset=utf-8", "", "body{}"},
		{"/web.wasm", "", "application/wasm", "", "\x00asm plain"},
		{"/web.wasm", "gzip, deflate, br", "application/wasm", "br", "brotli"},
		{"/web.wasm", "gzip, br;q=0", "application/wasm", "gzip", "gzip"},
		{"/holdfast/holdfast.js", "", "text/javascript; charset=utf-8", "", "export {}"},
		{"/holdfast/holdfast.d.ts", "", "text/plain; charset=utf-8", "", "export {}"},
	} {
		response, body, err := do(t, "GET", url+c.path, "", "Accept-Encoding", c.accept)
		if err != nil || body != c.body || response.ContentLength != int64(len(c.body)) {
			t.Errorf("%s: %q %v", c.path, body, err)
		}
		h := response.Header
		if h.Get("Content-Type") != c.contentType || h.Get("Content-Encoding") != c.encoding ||
			h.Get("Vary") != "Accept-Encoding" || h.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %v", c.path, h)
		}
		again, _, _ := do(t, "GET", url+c.path, "", "Accept-Encoding", c.accept, "If-None-Match", h.Get("ETag"))
		if again.StatusCode != 304 {
			t.Errorf("%s: %s for its ETag %s", c.path, again.Status, h.Get("ETag"))
		}
	}
	for _, path := range []string{"/nothing", "/../secret.txt", "/%2e%2e/%2e%2e/secret.txt", "/holdfast", "/holdfast/../../secret.txt"} {
		if response, body, _ := do(t, "GET", url+path, ""); response.StatusCode != 404 || strings.Contains(body, "not served") {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
	if response, _, _ := do(t, "POST", url+"/", ""); response.StatusCode != 405 {
		t.Error(response.Status)
	}
}

// A packed file from an earlier build is worse than none.
func TestOldPackedFilesAreNotServed(t *testing.T) {
	s := simulator()
	s.project = project(t)
	old := time.Now().Add(-time.Hour)
	os.Chtimes(filepath.Join(s.project, "dist/web/web.wasm.br"), old, old)
	if response, _, _ := do(t, "GET", start(t, s)+"/web.wasm", "", "Accept-Encoding", "br, gzip"); response.Header.Get("Content-Encoding") != "gzip" {
		t.Error(response.Header)
	}
}

// A build replaces the folders while the server runs.
func TestRebuilt(t *testing.T) {
	s := simulator()
	s.project = project(t)
	base := start(t, s)
	if err := os.RemoveAll(filepath.Join(s.project, "dist")); err != nil {
		t.Fatal(err)
	}
	if response, _, err := do(t, "GET", base+"/", ""); err != nil || response.StatusCode != 404 {
		t.Fatalf("without a build: %v %v", response, err)
	}
	os.MkdirAll(filepath.Join(s.project, "dist/web"), 0o755)
	os.WriteFile(filepath.Join(s.project, "dist/web/index.html"), []byte("built anew"), 0o644)
	if _, body, err := do(t, "GET", base+"/", ""); err != nil || body != "built anew" {
		t.Errorf("%q %v", body, err)
	}
}

func TestGuard(t *testing.T) {
	base := start(t, simulator())
	u, _ := url.Parse(base)
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{u.Host, "", 200},
		{u.Host, base, 200},
		{"localhost:" + u.Port(), "http://localhost:" + u.Port(), 200},
		{"evil.example", "", 403},
		{"evil.example:" + u.Port(), "http://evil.example:" + u.Port(), 403},
		{"127.0.0.1.evil.example", "", 403},
		{u.Host, "http://evil.example", 403},
		{u.Host, "http://127.0.0.1:1", 403},
		{u.Host, "https://" + u.Host, 403},
		{u.Host, "null", 403},
	} {
		headers := []string{"Host", c.host}
		if c.origin != "" {
			headers = append(headers, "Origin", c.origin)
		}
		for _, path := range []string{"/", "/demo/config.json"} {
			response, _, err := do(t, "GET", base+path, "", headers...)
			if err != nil || response.StatusCode != c.want {
				t.Errorf("Host %s, Origin %q: %v %v, want %d", c.host, c.origin, response, err, c.want)
				continue
			}
			h := response.Header
			if !strings.Contains(h.Get("Content-Security-Policy"), "script-src 'self' 'wasm-unsafe-eval';") ||
				h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("%v", h)
			}
		}
	}
	for _, c := range []struct {
		host, listening string
		want            bool
	}{
		{"box.lan:8080", "box.lan", true},
		{"192.168.1.5:8080", "box.lan", false},
		{"192.168.1.5:8080", "0.0.0.0", true},
		{"[fe80::1]:8080", "", true},
		{"evil.example:8080", "0.0.0.0", false},
		{"[::1]:8080", "127.0.0.1", true},
		{"", "127.0.0.1", false},
	} {
		if got := knownHost(c.host, c.listening); got != c.want {
			t.Errorf("%q while listening on %q: %v", c.host, c.listening, got)
		}
	}
}

func TestSimulatorMode(t *testing.T) {
	base := start(t, simulator())
	_, body, _ := do(t, "GET", base+"/demo/config.json", "")
	var told config
	if err := json.Unmarshal([]byte(body), &told); err != nil || told.Mode != "simulator" || len(told.Scenarios) < 30 || told.Path == "" {
		t.Error(body, err)
	}
	// Each simulated provider is where the page is told.
	if len(told.Providers) != len(providers) || told.Providers[0] != told.speaker {
		t.Error(body)
	}
	for _, s := range told.Providers {
		path := strings.ReplaceAll(s.Path, "{model}", s.Model)
		response, body, err := do(t, "POST", base+"/api"+path, `{"model":"m","max_tokens":9,"input":"ping","contents":[{"parts":[{"text":"ping"}]}],"messages":[{"role":"user","content":"ping"}]}`)
		if err != nil || response.StatusCode != 200 || !strings.Contains(body, "Pong") {
			t.Error(s, response, body, err)
		}
	}
	response, body, err := do(t, "POST", base+"/api"+told.Path, `{"stream":true,"messages":[{"role":"user","content":"ping"}]}`, "x-sim-session", "a")
	if err != nil || response.StatusCode != 200 || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Error(response, body, err)
	}
	_, body, _ = do(t, "GET", base+"/sim/log?session=a", "")
	if !strings.Contains(body, `"count":1`) {
		t.Error(body)
	}
}

const key = "secret-key-4711"

// proxied is a site in front of a simulator that plays the real provider.
func proxied(t *testing.T) (base string, provider *server.Server, seen func() http.Header) {
	base, provider, request := proxiedAs(t, "gloo")
	return base, provider, func() http.Header { return request().Header }
}

// proxiedAs is the same for a provider, and tells the last request that reached it.
func proxiedAs(t *testing.T, name string) (base string, provider *server.Server, seen func() *http.Request) {
	provider = &server.Server{}
	var mu sync.Mutex
	var last *http.Request
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		last = r.Clone(context.Background())
		mu.Unlock()
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		provider.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		upstream.CloseClientConnections()
		upstream.Close()
	})
	found, _ := providerNamed(name)
	mount := "/" + name
	if name == "gloo" {
		mount = ""
	}
	u, _ := url.Parse(upstream.URL + mount)
	base = start(t, site{addr: "127.0.0.1:0", provider: found, key: key, upstream: u})
	return base, provider, func() *http.Request {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
}

func ask(model string) string {
	return `{"model":"` + model + `","stream":true,"messages":[{"role":"user","content":"Why?"}]}`
}

const chat = "/api/ai/v2/direct/chat/completions"

func TestProxyAddsTheKeyAndNothingElse(t *testing.T) {
	base, _, seen := proxied(t)
	response, body, err := do(t, "POST", base+chat+"?x=1", ask("sim-healthy"),
		"Content-Type", "application/json", "Cookie", "c=1", "Authorization", "Bearer page", "Origin", base,
		"x-sim", "unavailable", "x-sim-session", "s", "X-Forwarded-For", "1.2.3.4")
	if err != nil || response.StatusCode != 200 || !strings.Contains(body, "[DONE]") {
		t.Fatal(response, err)
	}
	got := seen()
	if got.Get("Authorization") != "Bearer "+key || got.Get("Content-Type") != "application/json" {
		t.Error(got)
	}
	for _, name := range []string{"Cookie", "Origin", "X-Sim", "X-Sim-Session", "X-Forwarded-For", "Referer"} {
		if got.Get(name) != "" {
			t.Errorf("%s reaches the provider", name)
		}
	}
	var wire bytes.Buffer
	response.Header.Write(&wire)
	if strings.Contains(wire.String()+body, key) || response.Header.Get("Set-Cookie") != "" || response.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error(wire.String())
	}
	if response.Header.Get("X-Request-Id") == "" {
		t.Error("the provider's own headers are lost")
	}
	_, told, _ := do(t, "GET", base+"/demo/config.json", "")
	if !strings.Contains(told, `"mode":"proxy"`) || strings.Contains(told, key) {
		t.Error(told)
	}
}

// Each provider gets its key in its own header, what it requires besides, and of the page's own
// request only what it documents.
func TestEveryProviderIsSigned(t *testing.T) {
	const body = `{"model":"m","max_tokens":9,"background":true,"stream":true,"input":"ping","contents":[{"parts":[{"text":"ping"}]}],"messages":[{"role":"user","content":"ping"}]}`
	for _, c := range []struct{ provider, method, path, header, value string }{
		{"openai", "POST", "/v1/responses", "Authorization", "Bearer " + key},
		{"anthropic", "POST", "/v1/messages", "X-Api-Key", key},
		{"anthropic", "POST", "/v1/messages", "Anthropic-Version", "2023-06-01"},
		{"xai", "POST", "/v1/chat/completions", "Authorization", "Bearer " + key},
		{"gemini", "POST", "/v1beta/models/g:streamGenerateContent?alt=sse&key=page&x=1", "X-Goog-Api-Key", key},
		{"gemini", "POST", "/v1beta/openai/chat/completions", "Authorization", "Bearer " + key},
		{"gemini", "GET", "/v1beta/interactions/v1_x?stream=true&last_event_id=e1", "X-Goog-Api-Key", key},
		{"openai", "DELETE", "/v1/responses/resp_x", "Authorization", "Bearer " + key},
	} {
		base, _, seen := proxiedAs(t, c.provider)
		response, _, err := do(t, c.method, base+"/api"+c.path, body, "Origin", base, "Cookie", "c=1", "Authorization", "Bearer page",
			"X-Api-Key", "page", "Anthropic-Beta", "b1", "X-Grok-Conv-Id", "c1", "Idempotency-Key", "i1")
		if err != nil || c.method == "POST" && response.StatusCode >= 400 && c.provider != "xai" {
			t.Errorf("%s %s: %v %v", c.method, c.path, response, err)
			continue
		}
		got := seen()
		if got.Header.Get(c.header) != c.value || got.Header.Get("Anthropic-Beta") != "b1" || got.Header.Get("X-Grok-Conv-Id") != "c1" || got.Header.Get("Idempotency-Key") != "i1" {
			t.Errorf("%s %s: %v", c.method, c.path, got.Header)
		}
		for name, values := range got.Header {
			if name == "Cookie" || name == "Origin" || strings.Contains(strings.Join(values, ""), "page") {
				t.Errorf("%s %s: %s reaches the provider", c.method, c.path, name)
			}
		}
		query := got.URL.RawQuery
		if _, asked, _ := strings.Cut(c.path, "?"); strings.Contains(query, "page") || strings.Contains(query, "x=") || strings.Contains(asked, "stream") != strings.Contains(query, "stream=true") {
			t.Errorf("%s %s: ?%s", c.method, c.path, query)
		}
	}
	for _, c := range []struct {
		provider, method, path string
		want                   int
	}{
		{"openai", "POST", "/v1/files", 404},
		{"openai", "GET", "/v1/responses", 405},
		{"openai", "GET", "/v1/responses/", 404},
		{"openai", "GET", "/v1/responses/a/input_items", 404},
		{"anthropic", "GET", "/v1/messages", 405},
		{"anthropic", "POST", "/v1/organizations", 404},
		{"xai", "POST", "/v1/responses/x/cancel", 404},
		{"gemini", "POST", "/v1beta/files", 404},
		{"gemini", "PUT", "/v1beta/models/g", 405},
	} {
		base, _, seen := proxiedAs(t, c.provider)
		if response, _, _ := do(t, c.method, base+"/api"+c.path, "{}"); response.StatusCode != c.want || seen() != nil {
			t.Errorf("%s %s: %s", c.method, c.path, response.Status)
		}
	}
}

func TestProxyPassesOnlyTheAPI(t *testing.T) {
	base, provider, _ := proxied(t)
	for _, path := range []string{"/api/oauth2/token", "/api/sim/plug", "/api/ai/%2e%2e/sim/log", "/api/ai%2f..%2fsim", "/sim/log"} {
		if response, _, _ := do(t, "POST", base+path, "{}"); response.StatusCode != 404 {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
	if response, _, _ := do(t, "GET", base+chat, ""); response.StatusCode != 405 {
		t.Error(response.Status)
	}
	if n := provider.Lines.Live(""); n != 0 {
		t.Error(n)
	}
}

// What breaks at the provider breaks in the page, and the bytes before it arrive.
func TestProxyPassesOnWhatBreaks(t *testing.T) {
	base, _, _ := proxied(t)
	for _, c := range []struct {
		model string
		bytes bool
		err   error
	}{
		{"sim-cut_reset", true, syscall.ECONNRESET},
		{"sim-cut_clean", true, nil},
		{"sim-reset_before_headers", false, syscall.ECONNRESET},
	} {
		_, body, err := do(t, "POST", base+chat, ask(c.model))
		if !errors.Is(err, c.err) || strings.Contains(body, "Tidepools") != c.bytes || strings.Contains(body, "[DONE]") {
			t.Errorf("%s: %d bytes, %v", c.model, len(body), err)
		}
	}
	if response, body, err := do(t, "POST", base+chat, ask("sim-service_unavailable_30s")); err != nil || response.StatusCode != 503 ||
		response.Header.Get("Retry-After") != "30" || !strings.Contains(body, `"code":3003`) {
		t.Error(response, body, err)
	}
}

func TestProxyDoesNotBuffer(t *testing.T) {
	base, _, _ := proxied(t)
	response, err := http.Post(base+chat, "application/json", strings.NewReader(ask("sim-stall")))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read := make([]byte, 64<<10)
	n, err := io.ReadAtLeast(response.Body, read, 5000) // the provider has not ended
	if err != nil || !bytes.Contains(read[:n], []byte("Tidepools")) {
		t.Error(n, err)
	}
}

// The plug resets the page's connection and lets go of the provider's.
func TestPlugOnARealProvider(t *testing.T) {
	base, provider, _ := proxied(t)
	go func() {
		for provider.Lines.Live("") == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		do(t, "POST", base+"/sim/plug?session=mine", "")
	}()
	_, body, err := do(t, "POST", base+chat, ask("sim-stall"), "x-sim-session", "mine")
	if !errors.Is(err, syscall.ECONNRESET) || !strings.Contains(body, "Tidepools") {
		t.Error(len(body), err)
	}
	for range 200 {
		if provider.Lines.Live("") == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the provider's connection stays")
}

func TestMistakesAreOneSentence(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"-provider gloo", badUsage, "GLOO_API_KEY"},
		{"-provider openai", badUsage, "OPENAI_API_KEY"},
		{"-provider gemini", badUsage, "GEMINI_API_KEY"},
		{"-provider acme", badUsage, "-provider takes simulator, gloo, openai, anthropic, xai, gemini, not"},
		{"-port 80", badUsage, "-port"},
		{"-addr 8080", badUsage, "host:port"},
		{"extra", badUsage, `"extra" is not a flag`},
		{"-upstream http://x", badUsage, "-provider"},
		{"-provider gloo -upstream x", badUsage, "URL"},
		{"-addr " + busy.Addr().String(), failed, "Cannot listen on " + busy.Addr().String() + ": address already in use. Choose another"},
	} {
		var out, errs bytes.Buffer
		code := Run(t.Context(), project(t), strings.Fields(c.args), func(string) string { return "" }, &out, &errs)
		if code != c.code || !strings.Contains(errs.String(), c.want) || strings.Count(errs.String(), "\n") != 1 || out.Len() > 0 {
			t.Errorf("%s: %d %q %q", c.args, code, errs.String(), out.String())
		}
	}
}

func TestRunServesAndStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	code := make(chan int)
	go func() {
		code <- Run(ctx, project(t), []string{"-addr", "127.0.0.1:0"}, func(string) string { return "" }, in, io.Discard)
	}()
	line := make([]byte, 200)
	n, _ := out.Read(line)
	_, base, _ := strings.Cut(strings.TrimSpace(string(line[:n])), " at ")
	response, err := http.Post(base+"/api/v1/chat/completions?sim=stall", "", strings.NewReader(ask("m")))
	if err != nil {
		t.Fatal(err, string(line[:n]))
	}
	defer response.Body.Close()
	stop() // while a stream hangs
	select {
	case c := <-code:
		if c != ok {
			t.Error(c)
		}
	case <-time.After(5 * time.Second):
		t.Error("it does not stop")
	}
}

func TestStale(t *testing.T) {
	dir := project(t)
	source := filepath.Join(dir, "core", "a.go")
	os.MkdirAll(filepath.Dir(source), 0o755)
	os.WriteFile(source, nil, 0o644)
	at := func(d time.Duration) { os.Chtimes(source, time.Now().Add(d), time.Now().Add(d)) }
	if at(-time.Hour); stale(dir) {
		t.Error("newer than its sources, but stale")
	}
	if at(time.Hour); !stale(dir) {
		t.Error("older than its sources, but fresh")
	}
	if at(-time.Hour); os.Remove(filepath.Join(dir, "dist/web/index.html")) != nil || !stale(dir) {
		t.Error("a file is missing, but fresh")
	}
}

// build.sh runs when something is missing, once, and its failure is told.
func TestBuild(t *testing.T) {
	dir := project(t)
	os.Remove(filepath.Join(dir, "dist/holdfast/holdfast.wasm"))
	script := filepath.Join(dir, "build.sh")
	os.WriteFile(script, []byte("echo built > dist/holdfast/holdfast.wasm\n"), 0o755)
	if !stale(dir) {
		t.Fatal("fresh")
	}
	if err := build(dir); err != nil || stale(dir) {
		t.Error(err)
	}
	os.WriteFile(script, []byte("echo no compiler; exit 3\n"), 0o755)
	if err := build(dir); err == nil || !strings.Contains(err.Error(), "no compiler") {
		t.Error(err)
	}
}
