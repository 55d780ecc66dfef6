package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/header"
	hfjson "holdfast/core/json"
	"holdfast/core/sse"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// fieldCase is one line of a file of cases.
type fieldCase struct {
	ID, Kind, Provider, API string
	Input                   struct {
		Status    int
		Headers   map[string]string
		Body      string
		SSEChunks []string        `json:"sse_chunks"`
		BytesB64  []string        `json:"bytes_b64"`
		ThenError json.RawMessage `json:"then_error"`
	}
	Expect map[string]any
}

func parse(line []byte) (*fieldCase, error) {
	c := &fieldCase{}
	err := json.Unmarshal(line, c)
	return c, err
}

// run returns the check for the case's kind, or nil when there is none.
func (c *fieldCase) run() func() []string {
	switch c.Kind {
	case "http":
		return c.http
	case "events":
		return c.events
	case "stream":
		return c.stream
	}
	return nil
}

// provider is whose rules apply; a look-alike is treated as OpenAI.
func (c *fieldCase) provider() fault.Provider {
	name := strings.ToLower(c.Provider)
	for _, p := range []fault.Provider{fault.Gloo, fault.Anthropic, fault.XAI, fault.Gemini} {
		if name == string(p) || strings.HasPrefix(name, string(p)) {
			return p
		}
	}
	return fault.OpenAI
}

// api reads the wire format from the case's own words for it.
func (c *fieldCase) api() wire.API {
	words := strings.ToLower(c.API)
	for _, known := range []struct {
		word string
		api  wire.API
	}{
		{"interactions", wire.Interactions}, {"responses", wire.Responses}, {"messages", wire.Messages},
		{"generatecontent", wire.Generate},
	} {
		if strings.Contains(words, known.word) {
			return known.api
		}
	}
	return wire.Chat
}

// body is a request of any wire format, with what the case's words for it add.
func (c *fieldCase) body() string {
	kept := ""
	for _, word := range []string{"background", "deferred"} {
		if strings.Contains(strings.ToLower(c.API), word) {
			kept += `"` + word + `":true,`
		}
	}
	return `{` + kept + `"model":"m","messages":[{"role":"user","content":"Hi"}],"input":"Hi","contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`
}

func (c *fieldCase) header() (h header.Header) {
	for name, value := range c.Input.Headers {
		h = append(h, header.Field{Name: name, Value: value})
	}
	return h
}

func (c *fieldCase) chunks() (chunks [][]byte, err error) {
	for _, s := range c.Input.SSEChunks {
		chunks = append(chunks, []byte(s))
	}
	for _, s := range c.Input.BytesB64 {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, b)
	}
	if len(chunks) == 0 && c.Input.Body != "" {
		chunks = append(chunks, []byte(c.Input.Body))
	}
	return chunks, nil
}

// compare checks the keys that both the case expects and this runner knows.
func (c *fieldCase) compare(got map[string]any) (mismatches []string) {
	for key, want := range c.Expect {
		g, known := got[key]
		if !known || same(g, want) {
			continue
		}
		mismatches = append(mismatches, fmt.Sprintf("%s got %v want %v", key, show(g), show(want)))
	}
	return mismatches
}

func same(got, want any) bool {
	if g, ok := got.(float64); ok {
		w, ok := want.(float64)
		return ok && math.Abs(g-w) < 1e-6*max(1, math.Abs(w))
	}
	return reflect.DeepEqual(got, want)
}

func show(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// seconds is a hint in seconds; nil when there is none. A hint of 0 leaves the wait to own backoff
// and counts as none.
func seconds(h fault.Hint) any {
	if !h.Known || h.Wait == 0 {
		return nil
	}
	return h.Wait.Seconds()
}

func (c *fieldCase) http() []string {
	f := fault.Classify(c.provider(), fault.Response{Status: c.Input.Status, Header: c.header(), Body: []byte(c.Input.Body), Now: epoch})
	return c.compare(map[string]any{
		"decision": string(f.Decision), "retry": f.Decision == fault.Retry, "reason": string(f.Reason),
		"wait_s": seconds(f.Hint), "breaker": string(f.Breaker), "fallback": string(f.Fallback),
		"developer_message": f.Developer,
	})
}

func (c *fieldCase) events() []string {
	chunks, err := c.chunks()
	if err != nil {
		return []string{err.Error()}
	}
	wanted, _ := c.Expect["events"].([]any)
	var d sse.Decoder
	events := []any{}
	drain := func() {
		for {
			e, ok, err := d.Next()
			if !ok || err != nil {
				return
			}
			event := map[string]any{"data": string(e.Data)}
			// event and last_event_id count where the case gives them.
			if n := len(events); n < len(wanted) {
				w, _ := wanted[n].(map[string]any)
				if _, ok := w["event"]; ok {
					event["event"] = e.Type
				}
				if _, ok := w["last_event_id"]; ok {
					event["last_event_id"] = e.ID
				}
			}
			events = append(events, event)
		}
	}
	for _, chunk := range chunks {
		d.Feed(chunk)
		drain()
	}
	d.Flush()
	drain()
	return c.compare(map[string]any{"events": events, "events_count": float64(len(events)), "retry_ms": float64(d.RetryMs())})
}

var epoch = time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC

// stream runs one live attempt, notes what the call does next, and then lets every recovery fail.
func (c *fieldCase) stream() []string {
	chunks, err := c.chunks()
	if err != nil {
		return []string{err.Error()}
	}
	spec := core.Spec{
		Target: core.Target{Provider: c.provider(), API: c.api(), Base: "https://provider.test", Path: "/", Policy: core.Defaults(c.provider(), false)},
		Stream: true, Random: func() float64 { return 0 },
	}
	spec.Body, _ = hfjson.Parse([]byte(c.body()))
	p := player{call: core.New(spec)}
	p.handle(core.Event{Kind: core.Start})
	status := c.Input.Status
	if status == 0 {
		status = 200
	}
	p.handle(core.Event{Kind: core.Responded, Attempt: 1, Status: status, Header: c.header()})
	for _, chunk := range chunks {
		p.handle(core.Event{Kind: core.Received, Attempt: 1, Bytes: chunk})
	}
	end := core.Event{Kind: core.Ended, Attempt: 1}
	if len(c.Input.ThenError) > 0 && string(c.Input.ThenError) != "null" {
		end.Kind, end.Fault = core.Broke, thenError(c.Input.ThenError)
	}
	p.handle(end)
	text := p.text.String()
	next := p.next()
	// Let what the call tries next fail without a word, so that its first attempt decides.
	for n := 2; p.result == nil && n < 20; n++ {
		p.run()
		p.handle(core.Event{Kind: core.Broke, Attempt: n, Fault: fault.Lost(fault.Transport, "gone")})
	}
	if p.result == nil {
		return []string{"the call never ends"}
	}
	first := p.result.Attempts[0]
	breaker := string(fault.Healthy)
	if first.Fault.Decision != "" {
		breaker = string(first.Fault.Breaker)
	}
	calls := []any{}
	for _, t := range p.result.Tools {
		calls = append(calls, map[string]any{"id": t.ID, "name": t.Name, "arguments": t.Arguments})
	}
	var finish any
	if first.Finish != "" {
		finish = first.Finish
	}
	var surface any
	if !p.result.RetryAt.IsZero() {
		surface = math.Round(p.result.RetryAt.Sub(epoch).Seconds())
	}
	return c.compare(map[string]any{
		"emitted_text": text, "action": next, "retry": next != "none",
		"status_if_unrecovered": string(p.result.Status), "finish_reason": finish, "breaker": breaker,
		"reason": string(first.Fault.Reason), "wait_s": seconds(first.Fault.Hint), "surface_wait_s": surface,
		"usage_total": float64(first.Usage.Total), "usage_output": float64(first.Usage.Output),
		"tool_call": first.ToolCall, "tool_calls": calls, "tool_calls_delivered": calls,
		"auto_continue": next == "continue_once",
	})
}

// thenError reads the error that follows the chunks: a JavaScript error's name, code and message,
// as an object or in one text.
func thenError(raw json.RawMessage) fault.Fault {
	var e struct{ Name, Code, Message string }
	var text string
	if json.Unmarshal(raw, &text) == nil {
		e.Message = text
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" :;,=()", r) }) {
			if e.Code == "" && len(word) > 3 && word == strings.ToUpper(word) {
				e.Code = word
			}
			if e.Name == "" && strings.HasSuffix(word, "Error") {
				e.Name = word
			}
		}
	} else {
		json.Unmarshal(raw, &e)
	}
	return fault.Network(e.Name, e.Code, e.Message)
}

// player drives a call in virtual time with a consumer that always wants more.
type player struct {
	call   *core.Call
	now    time.Duration
	text   strings.Builder
	kind   core.AttemptKind // of the next attempt, once it is known
	result *core.Result
}

func (p *player) handle(e core.Event) {
	for _, e := range []core.Event{e, {Kind: core.Demand}} {
		for _, a := range p.call.Handle(epoch.Add(p.now), e) {
			switch {
			case a.Kind == core.Done:
				p.result = a.Result
			case a.Kind == core.Emit && a.Note == nil && a.Delta.Kind == wire.Text:
				p.text.Write(a.Delta.Text)
			case a.Kind == core.Emit && a.Note != nil && a.Note.Kind == core.NoteSent:
				p.kind = a.Note.Why
			}
		}
	}
}

// run lets time pass until the next attempt is sent or the call has ended.
func (p *player) run() {
	for i := 0; i < 10 && p.result == nil; i++ {
		at, ok := p.call.Deadline()
		if !ok || !p.call.Waiting() && i > 0 {
			return
		}
		waiting := p.call.Waiting()
		p.now = max(p.now, at.Sub(epoch))
		p.handle(core.Event{Kind: core.Tick})
		if waiting {
			return
		}
	}
}

// next tells what the call does after its first attempt.
func (p *player) next() string {
	if p.result == nil {
		p.run()
	}
	switch {
	case p.result != nil:
		return "none"
	case p.kind == core.Continued:
		return "continue_once"
	case p.kind == core.First:
		return "none"
	case p.kind == core.Retried || p.kind == core.Restarted:
		return "full_retry"
	}
	return string(p.kind)
}
