package server

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// request is understood by every API.
const request = `{"model":"model-x","max_tokens":9,"stream":true,"background":true,"messages":[{"role":"user","content":"Why?"}],` +
	`"input":"Why?","contents":[{"role":"user","parts":[{"text":"Why?"}]}]}`

// ask makes one request of session s and reads the whole answer.
func (p *provider) ask(method, where, script, body string) (*http.Response, string, error) {
	p.t.Helper()
	r, _ := http.NewRequest(method, p.url+where, strings.NewReader(body))
	r.Header.Set("x-sim", script)
	r.Header.Set("x-sim-session", "s")
	r.Close = true
	response, err := (&http.Client{Transport: &http.Transport{}}).Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response, string(answer), err
}

// Every API is there over real HTTP: healthy, cut by a reset, refused.
func TestProviders(t *testing.T) {
	for _, c := range []struct{ path, contentType, last, id string }{
		{"/openai/v1/chat/completions", "text/event-stream; charset=utf-8", "data: [DONE]\n\n", "X-Request-Id"},
		{"/openai/v1/responses", "text/event-stream; charset=utf-8", "\"error\":null}}\n\n", "X-Request-Id"},
		{"/xai/v1/chat/completions", "text/event-stream; charset=utf-8", "data: [DONE]\n\n", "X-Request-Id"},
		{"/anthropic/v1/messages", "text/event-stream; charset=utf-8", "data: {\"type\":\"message_stop\"}\n\n", "request-id"},
		{"/anthropic/messages", "text/event-stream; charset=utf-8", "data: {\"type\":\"message_stop\"}\n\n", "request-id"},
		{"/gemini/v1beta/models/g:streamGenerateContent?alt=sse", "text/event-stream; charset=utf-8", "\"}\r\n\r\n", ""},
		{"/gemini/v1beta/models/g:streamGenerateContent", "application/json; charset=UTF-8", "\"}]", ""},
		{"/gemini/v1beta/openai/chat/completions", "text/event-stream; charset=utf-8", "data: [DONE]\n\n", ""},
		{"/gemini/v1beta/interactions", "text/event-stream; charset=utf-8", "data: [DONE]\n\n", ""},
		{"/gloo/ai/v2/direct/responses", "text/event-stream; charset=utf-8", "\"error\":null}}\n\n", "X-Request-Id"},
	} {
		p := start(t)
		response, whole, err := p.ask("POST", c.path, "healthy", request)
		if err != nil || response.StatusCode != 200 || response.Header.Get("Content-Type") != c.contentType || !strings.HasSuffix(whole, c.last) {
			t.Errorf("%s: %v %s %v …%q", c.path, err, response.Status, response.Header, whole[max(0, len(whole)-60):])
		}
		if c.id != "" && !strings.HasPrefix(response.Header.Get(c.id), "req_") {
			t.Errorf("%s: %v", c.path, response.Header)
		}
		if _, part, err := p.ask("POST", c.path, `{"endAfterWords":80,"end":"reset"}`, request); !errors.Is(err, syscall.ECONNRESET) || len(part) == 0 {
			t.Errorf("%s: a reset is %v", c.path, err)
		}
		if response, body, _ := p.ask("POST", c.path, `{"error":"overloaded"}`, request); response.StatusCode < 503 || !json.Valid([]byte(body)) {
			t.Errorf("%s: overloaded is %s %s", c.path, response.Status, body)
		}
	}
}

// A stream that a real reset cut is taken up from its cursor and gives the same bytes.
func TestResumeOverHTTP(t *testing.T) {
	for _, c := range []struct{ path, member, cursor string }{
		{"/openai/v1/responses", `"sequence_number":`, "starting_after"},
		{"/gemini/v1beta/interactions", `"event_id":"`, "last_event_id"},
	} {
		_, whole, _ := start(t).ask("POST", c.path, "healthy", request)
		p := start(t)
		_, part, err := p.ask("POST", c.path, "resume", request)
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(part, `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		last := part[strings.LastIndex(part, c.member)+len(c.member):]
		last = last[:strings.IndexAny(last, `,"`)]
		_, rest, err = p.ask("GET", c.path+"/"+id+"?stream=true&"+c.cursor+"="+last, "", "")
		if err != nil || part+rest != whole {
			t.Errorf("%s: %v, %d + %d of %d bytes", c.path, err, len(part), len(rest), len(whole))
		}
		if log := p.sim.Log("s"); log.Count != 2 || log.Requests[1].Method != "GET" {
			t.Errorf("%s: %+v", c.path, log)
		}
	}
}

func TestOutageEnds(t *testing.T) {
	p := start(t)
	down, _, _ := p.ask("POST", "/openai/v1/chat/completions", `{"downForMs":300}`, request)
	time.Sleep(400 * time.Millisecond)
	up, _, _ := p.ask("POST", "/openai/v1/chat/completions", `{"downForMs":300}`, request)
	if down.StatusCode != 503 || up.StatusCode != 200 {
		t.Error(down.Status, up.Status)
	}
}
