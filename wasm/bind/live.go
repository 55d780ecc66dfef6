//go:build !lean

package bind

import (
	"errors"
	"strings"

	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/live"
)

// liveSpec reads a session's options and setup, and the subprotocols to ask for. The bytes are the
// session's from now on.
func (c *client) liveSpec(data, setup []byte) (s live.Spec, protocols []string, err error) {
	s = live.Spec{Provider: c.provider, Policy: live.Defaults(c.provider), Shared: c.state}
	if _, ok := live.Doors[c.provider]; !ok {
		return s, nil, badOption("provider: " + string(c.provider) + " has no WebSocket mode; gemini, openai and xai do")
	}
	v, err := json.Parse(data)
	if err != nil {
		return s, nil, badOption(err.Error())
	}
	path := ""
	own := header.Header{}
	err = options(v, "live", []option{
		{"path", text(&path)},
		{"headers", headers(&own)},
		{"protocols", words(&protocols)},
		{"startOver", flag(&s.StartOver)},
		{"policy", livePolicy(&s.Policy)},
	})
	if err != nil {
		return s, nil, err
	}
	if err = checkPath(path); err != nil {
		return s, nil, err
	}
	if at, _, _ := strings.Cut(path, "?"); strings.HasSuffix(at, "/realtime") {
		return s, nil, badOption("path: a Realtime session leaves nothing to go on from, and is not spoken; the WebSocket mode of responses is")
	}
	s.URL = "ws" + strings.TrimPrefix(c.base, "http") + path
	for _, list := range []header.Header{c.header, own} {
		for _, f := range list {
			s.Header = s.Header.Set(f.Name, f.Value)
		}
	}
	if len(setup) > 0 {
		if s.Setup, err = json.Parse(setup); err != nil || s.Setup.Kind() != '{' {
			return s, nil, &failure{"bad_body", "setup: must be a JSON object"}
		}
	}
	return s, protocols, nil
}

// livePolicy reads a LivePolicy.
func livePolicy(p *live.Policy) setter {
	return func(v json.Value) error {
		b := &p.Budget
		return options(v, "policy", []option{
			{"attempts", whole(&b.Attempts, 1, 1000)},
			{"backoff", shape(&b.Backoff)},
			{"backoffBaseMs", ms(&b.Base, maxMs)},
			{"backoffCapMs", ms(&b.Cap, maxMs)},
			{"maxHintMs", ms(&b.MaxHint, maxMs)},
			{"openMs", limit(&p.Open)},
			{"firstEventMs", limit(&p.FirstEvent)},
			{"idleMs", limit(&p.Idle)},
			{"handleLifeMs", limit(&p.HandleLife)},
			{"connectionLifeMs", limit(&p.ConnectionLife)},
			{"marginMs", ms(&p.Margin, maxMs)},
			{"sends", whole(&p.Sends, 1, 100)},
			{"maxBufferBytes", whole(&p.MaxBuffer, 0, 256<<20)},
			{"firstMessageIndex", whole(&p.FirstIndex, 0, 1)},
		})
	}
}

func words(to *[]string) setter {
	return func(v json.Value) (err error) {
		if v.Kind() != '[' {
			return errors.New("must be an array of text")
		}
		v.Each(func(_ string, item json.Value) bool {
			if item.Kind() != '"' {
				err = errors.New("must be an array of text")
			}
			*to = append(*to, item.Text())
			return err == nil
		})
		return err
	}
}

// The shapes written here are declared, with their units, in wasm/js/holdfast.d.ts.

// writeConnect writes the request that the import connect takes.
func writeConnect(s *live.Spec, protocols []string) []byte {
	var w json.Writer
	door := live.Doors[s.Provider]
	w.Open("", '{').Text("url", s.URL).Open("door", '{')
	w.TextIf("header", door.Header).TextIf("key", door.Key).TextIf("token", door.Token).TextIf("protocol", door.Protocol)
	w.Close('}')
	writeTexts(&w, "protocols", protocols)
	writeHeaders(&w, s.Header)
	return w.Close('}').Out
}

// readClosing reads what hf_closed is given.
func readClosing(data []byte) live.Closing {
	v, _ := json.Parse(data)
	code, _ := v.Get("code").Int()
	status, _ := v.Get("status").Int()
	return live.Closing{
		Code: int(code), Reason: v.Get("reason").Text(),
		Status: int(status), Header: readHeader(v.Get("headers")), Body: []byte(v.Get("body").Text()),
		Name: v.Get("name").Text(), ErrorCode: v.Get("errorCode").Text(), Message: v.Get("message").Text(),
	}
}

// writeLive appends the output of a session's actions, or nothing.
func writeLive(out []byte, session int32, actions []live.Action) []byte {
	w := json.Writer{Out: out}
	w.Open("", '[')
	empty := len(w.Out)
	for i := range actions {
		switch a := &actions[i]; a.Kind {
		case live.Give:
			writeItem(w.Open("", '{'), a.Item)
		case live.Tell:
			writeLiveNote(w.Open("", '{'), session, a.Note)
		case live.Done:
			w.Open("", '{').Open("done", '{')
			writeLiveResult(&w, a.Result)
			w.Close('}')
		default:
			continue
		}
		w.Close('}')
	}
	if len(w.Out) == empty {
		return w.Out[:0]
	}
	return w.Close(']').Out
}

// writeItem writes a LiveItem.
func writeItem(w *json.Writer, i *live.Item) {
	w.Open("item", '{').Text("type", string(i.Kind))
	switch i.Kind {
	case live.ItemMessage:
		w.Raw("data", i.Data)
	case live.ItemLost:
		w.Int("first", int64(i.First)).Int("last", int64(i.Last)).Text("why", string(i.Why))
	case live.ItemForgotten:
		w.Int("turns", int64(i.Turns))
	case live.ItemInterrupted, live.ItemFailed:
		w.IntIf("message", int64(i.Message)).TextIf("responseId", i.Response)
	}
	if i.Kind == live.ItemInterrupted {
		writeTexts(w, "toolCalls", i.Calls)
	}
	if i.Fault != nil {
		writeFailure(w, "error", i.Fault)
	}
	w.Close('}')
}

// writeLiveNote writes a LiveEvent.
func writeLiveNote(w *json.Writer, session int32, n *live.Note) {
	w.Open("event", '{').Text("type", string(n.Kind)).Int("session", int64(session)).Int("atMs", epochMs(n.At)).Int("connection", int64(n.Connection))
	switch n.Kind {
	case live.NoteConnecting:
		w.Text("kind", string(n.Why))
	case live.NoteLeaving:
		writeMs(w, "timeLeftMs", n.Wait)
	case live.NoteClosed:
		w.IntIf("code", int64(n.Code)).Bool("planned", n.Fault == nil)
		if n.Fault != nil {
			writeFailure(w, "error", n.Fault)
		}
	case live.NoteWaiting:
		writeMs(w, "waitMs", n.Wait).Int("untilMs", epochMs(n.At.Add(n.Wait))).Text("source", n.Source)
	case live.NoteWarning:
		w.Text("message", n.Message)
	case live.NoteDone:
		w.Text("status", string(n.Status))
	}
	w.Close('}')
}

// writeLiveResult writes {"live": LiveResult}.
func writeLiveResult(w *json.Writer, r *live.Result) {
	w.Open("live", '{').Text("status", string(r.Status))
	w.Int("messages", int64(r.Messages)).Int("turns", int64(r.Turns)).Int("interrupted", int64(r.Interrupted))
	w.Open("lost", '[')
	for _, l := range r.Lost {
		w.Open("", '{').Int("first", int64(l.First)).Int("last", int64(l.Last)).Text("why", string(l.Why)).Close('}')
	}
	w.Close(']')
	w.TextIf("handle", r.Handle).IntIf("handleUntilMs", epochMs(r.HandleUntil)).TextIf("responseId", r.Response)
	writeUsage(w, r.Usage)
	writeBill(w, r.Bill)
	w.Int("opened", int64(r.Opened)).Open("connections", '[')
	for i := range r.Connections {
		c := &r.Connections[i]
		w.Open("", '{').Int("connection", int64(c.Number)).Text("kind", string(c.Kind)).Int("startedAtMs", epochMs(c.Opened))
		writeMsIf(w, "readyMs", c.Ready)
		writeMs(w, "durationMs", c.Lasted)
		writeMs(w, "waitedMs", c.Waited).Bool("planned", c.Fault == nil).IntIf("code", int64(c.Code))
		if c.Fault != nil {
			writeFailure(w, "error", c.Fault)
		}
		w.Close('}')
	}
	w.Close(']')
	if r.Fault != nil {
		writeFailure(w, "error", r.Fault)
	}
	w.IntIf("retryAtMs", epochMs(r.RetryAt))
	writeTexts(w, "warnings", r.Warnings)
	w.Close('}')
}
