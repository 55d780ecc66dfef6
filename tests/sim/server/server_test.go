package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"holdfast/tests/sim"
)

// provider is a running simulator with what the tests ask of it.
type provider struct {
	t   *testing.T
	sim *Server
	url string
}

func start(t *testing.T) *provider {
	p := &provider{t: t, sim: &Server{}}
	server := httptest.NewServer(p.sim)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	p.url = server.URL
	return p
}

const prompt = `{"model":"gloo-x","stream":true,"messages":[{"role":"user","content":"Why?"}]}`

// send makes one request of session s on a connection of its own.
func (p *provider) send(ctx context.Context, path, script, body string) (*http.Response, error) {
	request, _ := http.NewRequestWithContext(ctx, "POST", p.url+path, strings.NewReader(body))
	request.Header.Set("x-sim", script)
	request.Header.Set("x-sim-session", "s")
	request.Close = true
	// No retries of its own: a Transport repeats requests only on reused connections.
	return (&http.Client{Transport: &http.Transport{}}).Do(request)
}

// get is send, and reads the whole body.
func (p *provider) get(script string) (*http.Response, []byte, error) {
	p.t.Helper()
	response, err := p.send(p.t.Context(), "/ai/v2/direct/chat/completions", script, prompt)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response, body, err
}

// planned is the body that the pure engine writes for the same request.
func planned(script string) []byte {
	return sim.Plan(&sim.Store{}, sim.Request{Method: "POST", Path: "/ai/v2/direct/chat/completions",
		Sim: script, Session: "s", Body: []byte(prompt)}).Body()
}

// settled waits until the log of session s says how request n ended.
func (p *provider) settled(n int) *Record {
	p.t.Helper()
	for range 200 {
		if log := p.sim.Log("s"); log.Count >= n && log.Requests[n-1].Ended != "" && log.Live == 0 {
			return log.Requests[n-1]
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.t.Fatal("the request does not end")
	return nil
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		script string
		err    error // what reading the body ends with
	}{
		{`{}`, nil},
		{`{"endAfterWords":80}`, nil},
		{`{"endAfterBytes":1234,"end":"close"}`, nil},
		{`{"endAfterWords":80,"end":"reset"}`, syscall.ECONNRESET},
		{`{"endAfterBytes":1234,"end":"reset"}`, syscall.ECONNRESET},
		{`{"endAfterBytes":0,"end":"reset"}`, syscall.ECONNRESET},
		{`{"endAt":0.5,"end":"reset"}`, syscall.ECONNRESET},
		{`{"endAfterWords":80,"end":"drop"}`, io.ErrUnexpectedEOF},
		{`{"asJson":true,"endAt":0.5,"end":"reset"}`, syscall.ECONNRESET},
		{`{"asJson":true,"endAt":0.5,"end":"close"}`, nil},
		{`{"tool":true,"finishAfterWords":3,"endAfterParts":2,"end":"reset"}`, syscall.ECONNRESET},
		{`{"noTerminal":true}`, nil},
		{`{"words":40,"chunkBytes":3}`, nil},
	} {
		p := start(t)
		_, body, err := p.get(c.script)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: ends with %v, want %v", c.script, err, c.err)
		}
		if want := planned(c.script); string(body) != string(want) {
			t.Errorf("%s: %d bytes, want %d", c.script, len(body), len(want))
		}
		if record := p.settled(1); record.Sent != len(body) {
			t.Errorf("%s: the log says %d bytes, want %d", c.script, record.Sent, len(body))
		}
	}
}

func TestResetBeforeHeaders(t *testing.T) {
	p := start(t)
	if _, err := p.send(t.Context(), "/v1/chat/completions", "reset_before_headers", prompt); !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
	if response, body, err := p.get("reset_before_headers"); err != nil || response.StatusCode != 200 || len(body) < 3000 {
		t.Error(response.Status, len(body), err)
	}
	if record := p.settled(1); record.Status != 0 || record.Ended != "reset" {
		t.Error(record)
	}
}

// Every write is one read of a client that keeps up, also in the middle of a character.
func TestWritesArriveOneByOne(t *testing.T) {
	p := start(t)
	response, err := p.send(t.Context(), "/v1/chat/completions", `{"words":40,"chunkBytes":5,"chunkMs":1}`, prompt)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	reads, buffer := 0, make([]byte, 4096)
	for {
		n, err := response.Body.Read(buffer)
		if n > 0 {
			reads++
		}
		if err != nil {
			break
		}
	}
	if reads < 500 {
		t.Errorf("%d reads", reads)
	}
}

func TestHeadersComeBeforeTheFirstToken(t *testing.T) {
	p := start(t)
	begin := time.Now()
	response, err := p.send(t.Context(), "/v1/chat/completions", `{"delayMs":100,"firstMs":300}`, prompt)
	headers := time.Since(begin)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	io.Copy(io.Discard, response.Body)
	if body := time.Since(begin); headers < 100*time.Millisecond || headers > 300*time.Millisecond || body < 400*time.Millisecond {
		t.Error(headers, body)
	}
}

func TestHangNoticesThatTheClientLeft(t *testing.T) {
	for _, script := range []string{"stall", `{"beforeHeaders":true,"end":"hang"}`, `{"endAfterWords":5,"end":"hang","heartbeatMs":20}`} {
		p := start(t)
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			for p.sim.Log("s").Live == 0 {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(100 * time.Millisecond)
			leave()
		}()
		if response, err := p.send(ctx, "/v1/chat/completions", script, prompt); err == nil {
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if !errors.Is(err, context.Canceled) {
				t.Error(script, err)
			}
			if comments := strings.Count(string(body), ": still here\n\n"); (comments >= 2) != strings.Contains(script, "heartbeat") {
				t.Error(script, comments)
			}
		}
		if record := p.settled(1); record.Ended != "client_left" || p.sim.Log("s").ClientLeft != 1 {
			t.Error(script, record)
		}
	}
}

// The plug works while the provider waits, hangs, or writes to a client that does not read.
func TestPlug(t *testing.T) {
	long := `{"text":"` + strings.Repeat("much ", 100_000) + `"}`
	for _, script := range []string{"stall", "slow", `{"delayMs":60000}`, long} {
		p := start(t)
		pulled := make(chan string, 1)
		go func() {
			for p.sim.Log("s").Live == 0 {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(200 * time.Millisecond)
			response, err := http.Post(p.url+"/sim/plug?session=s", "", nil)
			if err != nil {
				pulled <- err.Error()
				return
			}
			answer, _ := io.ReadAll(response.Body)
			response.Body.Close()
			pulled <- string(answer)
		}()
		response, err := p.send(t.Context(), "/v1/chat/completions", script, prompt)
		answer := <-pulled
		if err == nil {
			_, err = io.ReadAll(response.Body)
			response.Body.Close()
		}
		if !errors.Is(err, syscall.ECONNRESET) || answer != "{\"pulled\":1}\n" {
			t.Errorf("%.20s: %v, %s", script, err, answer)
		}
		if record := p.settled(1); record.Ended != "plugged" {
			t.Errorf("%.20s: %s", script, record.Ended)
		}
	}
}

func TestErrorShapes(t *testing.T) {
	for _, c := range []struct{ path, script, status, want string }{
		{"/ai/v2/guarded/chat/completions", "unauthorized", "401", `{"detail":"Invalid or expired token"}`},
		{"/ai/v2/direct/chat/completions", "unauthorized", "401", `"fault":"client","retryable":false`},
		{"/v1/chat/completions", "unauthorized", "401", `"type":"authentication_error","param":null`},
		{"/ai/v2/direct/chat/completions", url.PathEscape(`[{"status":503,"body":"{\"snow\":\"☃\"}"}]`), "503", `{"snow":"☃"}`},
		{"/ai/v2/guarded/chat/completions", "policy_refusal", "400", `"retryable":false}}`},
		{"/ai/v2/direct/responses", "service_unavailable_30s", "503", `"retry_after":30}}`},
		{"/ai/v2/direct/responses", "gateway_deadline", "504", `"code":3007`},
		{"/ai/v2/guarded/responses", "validation", "422", `{"detail":[`},
		{"/v1/responses", "rate_limit_then_ok", "429", `"param":null,"code":"rate_limit"}}`},
		{"/nowhere", "", "404", `"code":1004`},
	} {
		p := start(t)
		response, err := p.send(t.Context(), c.path, c.script, strings.Replace(prompt, "{", `{"input":"x",`, 1))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if !strings.HasPrefix(response.Status, c.status) || !strings.Contains(string(body), c.want) || !json.Valid(body) {
			t.Errorf("%s %s: %s %s", c.path, c.script, response.Status, body)
		}
		code := response.Header.Get("X-Gloo-Error-Code")
		fails := !strings.HasPrefix(c.script, "%")
		if (code != "") != (fails && strings.Contains(c.path, "direct")) || response.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: headers %v", c.path, response.Header)
		}
	}
}

func TestLogAndLimits(t *testing.T) {
	p := start(t)
	p.get("unavailable_then_ok")
	p.get("unavailable_then_ok")
	log := p.sim.Log("s")
	if log.Count != 2 || log.Requests[0].Status != 503 || log.Requests[1].Status != 200 || string(log.Requests[1].Body) != prompt {
		t.Errorf("%+v", log)
	}
	response, err := p.send(t.Context(), "/v1/chat/completions", "", strings.Repeat(" ", maxBody+1))
	if err != nil || response.StatusCode != 413 {
		t.Error(response, err)
	}
	response, err = http.Get(p.url + "/sim/scenarios")
	if err != nil {
		t.Fatal(err)
	}
	var list []ScenarioInfo
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil || len(list) != len(sim.Scenarios) {
		t.Error(err, len(list))
	}
}
