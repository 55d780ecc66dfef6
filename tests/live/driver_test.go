// Package live plays sessions of core/live over real sockets against the simulated provider.
package live

import (
	"context"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	std "time"

	"github.com/coder/websocket"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/live"
	"holdfast/core/time"
	"holdfast/tests/sim/server"
	"holdfast/tests/sim/socket"
)

const geminiPath = "/gemini/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"

// host performs what a session asks for, as the JavaScript host does.
type host struct {
	t       *testing.T
	session *live.Session
	url     string
	ctx     context.Context
	events  chan live.Event
	sockets map[int]*websocket.Conn
	items   []live.Item // given since take
	result  *live.Result
}

// start starts the simulator. It is shared by the sessions of a test.
func start(t *testing.T) string {
	s := httptest.NewServer(&socket.Server{Provider: &server.Server{}})
	t.Cleanup(s.Close)
	return s.URL
}

func dial(t *testing.T, address string, p fault.Provider, setup, id, script, sockets string) *host {
	path := "/" + string(p) + "/v1/responses"
	if p == fault.Gemini {
		path = geminiPath
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*std.Second)
	t.Cleanup(cancel)
	h := &host{t: t, ctx: ctx, events: make(chan live.Event, 1000), sockets: map[int]*websocket.Conn{}}
	h.url = address + path + "?session=" + id + "&pace=0&sim=" + url.QueryEscape(script) + "&sockets=" + url.QueryEscape(sockets)
	policy := live.Defaults(p)
	policy.Budget.Base, policy.Budget.Cap = time.Millisecond, time.Millisecond
	h.session = live.New(live.Spec{Provider: p, Setup: json.Value(setup), Policy: policy, Random: func() float64 { return 0.5 }})
	h.tell(live.Event{Kind: live.Start})
	return h
}

func (h *host) tell(e live.Event) {
	for _, a := range h.session.Handle(time.Unix(0, std.Now().UnixNano()), e) {
		switch a.Kind {
		case live.Open:
			h.open(a.Connection)
		case live.Frame:
			h.sockets[a.Connection].Write(h.ctx, websocket.MessageText, a.Data)
		case live.Close:
			if c := h.sockets[a.Connection]; c != nil {
				go c.Close(websocket.StatusNormalClosure, "")
			}
		case live.Give:
			item := *a.Item
			item.Data = json.Value(strings.Clone(string(item.Data)))
			h.items = append(h.items, item)
		case live.Done:
			h.result = a.Result
		}
	}
}

// open opens a socket and passes on what comes of it. It waits for the handshake, as nothing else
// happens meanwhile.
func (h *host) open(n int) {
	c, response, err := websocket.Dial(h.ctx, h.url, nil)
	if err != nil {
		closing := live.Closing{Code: 1006, Message: err.Error()}
		if response != nil {
			closing.Status = response.StatusCode
		}
		h.events <- live.Event{Kind: live.Closed, Connection: n, Closing: closing}
		return
	}
	c.SetReadLimit(32 << 20)
	h.sockets[n] = c
	h.events <- live.Event{Kind: live.Opened, Connection: n}
	go func() {
		defer c.CloseNow()
		for {
			_, data, err := c.Read(h.ctx)
			if err != nil {
				closing := live.Closing{Code: 1006, Message: err.Error()}
				if code := websocket.CloseStatus(err); code > 0 {
					closing.Code = int(code)
				}
				h.events <- live.Event{Kind: live.Closed, Connection: n, Closing: closing}
				return
			}
			h.events <- live.Event{Kind: live.Message, Connection: n, Data: data}
		}
	}()
}

// until runs the session until an item that last wants has come, or it has ended, and returns the
// items since the last time.
func (h *host) until(last func(live.Item) bool) []live.Item {
	h.t.Helper()
	for seen := 0; ; {
		for ; seen < len(h.items); seen++ {
			if last(h.items[seen]) {
				taken := h.items[:seen+1]
				h.items = h.items[seen+1:]
				return taken
			}
		}
		if h.result != nil {
			taken := h.items
			h.items = nil
			return taken
		}
		var timer <-chan std.Time
		if at, ok := h.session.Deadline(); ok {
			timer = std.After(std.Until(std.Unix(0, at.UnixNano())))
		}
		select {
		case e := <-h.events:
			h.tell(e)
		case <-timer:
			h.tell(live.Event{Kind: live.Tick})
		case <-h.ctx.Done():
			h.t.Fatalf("nothing more comes; last were %+v", h.items[max(0, len(h.items)-5):])
		}
	}
}
