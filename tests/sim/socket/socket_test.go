package socket

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"holdfast/tests/sim/server"
)

// start serves a fresh provider and returns its address.
func start(t *testing.T) string {
	listening := httptest.NewServer(&Server{Provider: &server.Server{}})
	t.Cleanup(func() {
		listening.CloseClientConnections()
		listening.Close()
	})
	return listening.URL
}

// client is one socket of session "s".
type client struct {
	t *testing.T
	*websocket.Conn
	ctx context.Context
}

func dial(t *testing.T, address, path, script, sockets string) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	query := url.Values{"sim": {script}, "sockets": {sockets}, "session": {"s"}}
	conn, _, err := websocket.Dial(ctx, address+path+"?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	t.Cleanup(func() { conn.CloseNow() })
	return &client{t, conn, ctx}
}

func (c *client) send(message string) {
	c.t.Helper()
	if err := c.Write(c.ctx, websocket.MessageText, []byte(message)); err != nil {
		c.t.Fatal(err)
	}
}

// until reads messages up to one that holds a piece, or until the connection ends.
func (c *client) until(piece string) (all string, err error) {
	for {
		_, data, err := c.Read(c.ctx)
		if err != nil {
			return all, err
		}
		if !json.Valid(data) {
			c.t.Errorf("not JSON: %s", data)
		}
		if all += string(data) + "\n"; strings.Contains(string(data), piece) {
			return all, nil
		}
	}
}

func (c *client) must(piece string) string {
	c.t.Helper()
	all, err := c.until(piece)
	if err != nil {
		c.t.Fatalf("no %s in %.2000s: %v", piece, all, err)
	}
	return all
}

func value(all, key string) string {
	_, rest, _ := strings.Cut(all[max(0, strings.LastIndex(all, `"`+key+`":"`)):], `":"`)
	found, _, _ := strings.Cut(rest, `"`)
	return found
}

func seen(t *testing.T, address string) (list []Connection) {
	response, err := http.Get(address + "/sim/sockets?session=s")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	json.NewDecoder(response.Body).Decode(&list)
	return list
}

const live, openai = "/gemini" + livePath, "/openai/v1/responses"

func turn(text string) string {
	return `{"clientContent":{"turns":[{"role":"user","parts":[{"text":"` + text + `"}]}],"turnComplete":true}}`
}

func TestLive(t *testing.T) {
	address := start(t)
	c := dial(t, address, live, "healthy", `[{"goAwayAfterTurns":1,"timeLeftMs":200},{},{"refuseHandle":true}]`)
	c.send(`{"setup":{"model":"models/gemini-live","sessionResumption":{"transparent":true}}}`)
	c.must("setupComplete")
	c.send(turn("ping"))
	all := c.must("goAway")
	for _, want := range []string{`{"sessionResumptionUpdate":{"resumable":false}}`, `"modelTurn":{"role":"model","parts":[{"text":"Pong,"}]}`,
		`"generationComplete":true`, `"turnComplete":true`, `"promptTokenCount":1`, `"lastConsumedClientMessageIndex":"1"`, `"timeLeft":"0.2s"`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in %s", want, all)
		}
	}
	if _, err := c.until("never"); websocket.CloseStatus(err) != -1 {
		t.Errorf("the connection is closed with %v, not dropped", err)
	}
	handle := value(all, "newHandle")
	c = dial(t, address, live, "healthy", "")
	c.send(`{"setup":{"model":"models/gemini-live","sessionResumption":{"handle":"` + handle + `"}}}`)
	c.must(`"newHandle"`)
	c.send(turn("one sentence"))
	c.must("turnComplete")
	c.CloseNow()
	c = dial(t, address, live, "healthy", "")
	c.send(`{"setup":{"model":"models/gemini-live","sessionResumption":{"handle":"` + handle + `"}}}`)
	if _, err := c.until("never"); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Error(err)
	}
	list := seen(t, address)
	if len(list) != 3 || list[0].Ended != "drop" || list[1].Handle != handle || list[1].Turns != 1 || list[2].Ended != "refused" {
		t.Errorf("%+v", list)
	}
}

// A drop in the middle of an answer, and a tool call.
func TestLiveAnswers(t *testing.T) {
	address := start(t)
	c := dial(t, address, live, `[{"endAfterWords":2,"end":"reset"},{"tool":true,"finishAfterWords":0}]`, `[{"text":true}]`)
	c.send(`{"setup":{"model":"models/gemini-live"}}`)
	c.must("setupComplete")
	c.send(turn("ping"))
	if all, err := c.until("never"); websocket.CloseStatus(err) != -1 || !strings.Contains(all, "loud") || strings.Contains(all, "and") {
		t.Error(all, err)
	}
	c = dial(t, address, live, `[{"endAfterWords":2,"end":"reset"},{"tool":true,"finishAfterWords":0}]`, "")
	c.send(`{"setup":{"model":"models/gemini-live"}}`)
	c.must("setupComplete")
	c.send(turn("ping"))
	if all := c.must("turnComplete"); !strings.Contains(all, `{"toolCall":{"functionCalls":[{"args":{"near":"Monterey"`) {
		t.Error(all)
	}
}

func TestResponses(t *testing.T) {
	address := start(t)
	c := dial(t, address, openai, "healthy", `[{"limitAfterTurns":2},{"dropAfterTurns":1},{}]`)
	c.send(`{"type":"response.create","model":"gpt-x","input":"ping"}`)
	first := c.must("response.completed")
	id := "resp_" + strings.Split(strings.Split(first, `"resp_`)[1], `"`)[0]
	c.send(`{"type":"response.create","model":"gpt-x","store":false,"previous_response_id":"` + id + `","input":"ping"}`)
	second := c.must("response.completed")
	unstored := "resp_" + strings.Split(strings.Split(second, `"resp_`)[1], `"`)[0]
	if all, err := c.until("never"); websocket.CloseStatus(err) != websocket.StatusNormalClosure || !strings.Contains(all, "websocket_connection_limit_reached") {
		t.Error(all, err)
	}
	c = dial(t, address, openai, "healthy", "")
	c.send(`{"type":"response.create","model":"gpt-x","previous_response_id":"` + id + `","input":"ping"}`)
	c.must("response.completed")
	if _, err := c.until("never"); websocket.CloseStatus(err) != -1 {
		t.Error(err)
	}
	c = dial(t, address, openai, "healthy", "")
	c.send(`{"type":"response.create","model":"gpt-x","previous_response_id":"` + unstored + `","input":"ping"}`)
	c.must(`"code":"previous_response_not_found"`)
	c.send(`{"type":"hello"}`)
	c.must(`"code":"invalid_value"`)
	address = start(t)
	c = dial(t, address, "/xai/v1/responses", `[{"error":"rate_limit"},{"endAfterWords":2,"end":"reset"}]`, "")
	c.send(`{"type":"response.create","model":"grok-x","input":"ping"}`)
	c.must(`"error":{"code":"resource-exhausted","message":"Too many`)
	c.send(`{"type":"response.create","model":"grok-x","input":"ping"}`)
	if all, err := c.until("never"); websocket.CloseStatus(err) != -1 || !strings.Contains(all, " loud") {
		t.Error(all, err)
	}
	if _, err := http.Post(address+"/openai/v1/responses", "application/json", strings.NewReader(`{"model":"m","input":"ping"}`)); err != nil {
		t.Error(err) // everything else reaches the provider
	}
}

func TestRefusedUpgrade(t *testing.T) {
	address := start(t)
	_, response, err := websocket.Dial(t.Context(), address+openai+"?sockets="+url.QueryEscape(`[{"refuseUpgrade":401}]`), nil)
	if err == nil || response.StatusCode != 401 {
		t.Error(err)
	}
	_, response, err = websocket.Dial(t.Context(), address+openai+"?sockets="+url.QueryEscape(`[{"refuse":401}]`), nil)
	if err == nil || response.StatusCode != 400 {
		t.Error(err)
	}
}
