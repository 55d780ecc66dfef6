package wire

import (
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/sse"
)

// Field cases that ask for a test of their own: shared/cases/field.jsonl.

func TestCase_bud_001(t *testing.T) {
	_, _, u := Describe(json.Value(`{"usage":{"input_tokens":32,"output_tokens":9,"cost_in_usd_ticks":37756000}}`))
	if usd := float64(u.CostTicks) * 1e-10; usd != 0.0037756 {
		t.Errorf("%v USD", usd)
	}
}

func TestCase_bud_002(t *testing.T) {
	_, _, u := Describe(json.Value(`{"usage":{"prompt_tokens":10120,"completion_tokens":1499,"total_tokens":14428,"completion_tokens_details":{"reasoning_tokens":2809},"cost_in_usd_ticks":232856000}}`))
	if u.Output != 4308 || u.CostTicks != 232856000 {
		t.Errorf("%+v", u)
	}
}

func TestCase_bud_004(t *testing.T) {
	_, _, u := Describe(json.Value(`{"usageMetadata":{"promptTokenCount":120,"candidatesTokenCount":30,"thoughtsTokenCount":50,"totalTokenCount":200}}`))
	if u.Output != 80 {
		t.Errorf("%+v", u)
	}
}

func TestCase_bud_005(t *testing.T) {
	g := take(t, NewStream(Messages, fault.Anthropic, nil), "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":100,\"output_tokens\":1}}}\n\n"+
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":null},\"usage\":{\"output_tokens\":30}}\n\n"+
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":52}}\n\n")
	if g.Usage.Input != 100 || g.Usage.Output != 52 {
		t.Errorf("%+v", g.Usage)
	}
}

func TestCase_bud_006(t *testing.T) {
	g := take(t, NewStream(Generate, fault.Gemini, nil),
		"data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"a\"}]}}],\"usageMetadata\":{\"promptTokenCount\":10,\"candidatesTokenCount\":1,\"totalTokenCount\":11}}\r\n\r\n",
		"data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":10,\"candidatesTokenCount\":2,\"totalTokenCount\":12}}\r\n\r\n")
	if g.Usage.Input != 10 || g.Usage.Output != 2 || g.text(Text) != "ab" {
		t.Errorf("%+v %s", g.Usage, g.log)
	}
}

// What was reported before a cut is kept, for whoever estimates the rest.
func TestCase_bud_008(t *testing.T) {
	g := take(t, NewStream(Messages, fault.Anthropic, nil), message(
		`{"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":9,"output_tokens":1}}}`, textBlock("0", "many words here")[:2]))
	if g.Usage.Input != 9 || g.End != Failed || g.text(Text) != "many words here" {
		t.Errorf("%+v %s", g.Usage, g.summary())
	}
}

func TestCase_sse_016(t *testing.T) {
	long := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + strings.Repeat("a", 70000) + "\"},\"finish_reason\":\"stop\"}]}\n\n"
	if g := take(t, NewStream(Chat, fault.OpenAI, nil), long); len(g.text(Text)) != 70000 || g.summary() != "complete stop" {
		t.Errorf("%d, %s", len(g.text(Text)), g.summary())
	}
	d := sse.Decoder{Limit: 1 << 16}
	d.Feed([]byte(long))
	if _, ok, err := d.Next(); ok || err != sse.ErrTooLong {
		t.Errorf("above the limit: %v %v", ok, err)
	}
}

func TestCase_sse_022(t *testing.T) {
	g := take(t, NewStream(Chat, fault.OpenAI, nil), `{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":{"total_tokens":5}}`)
	if g.text(Text) != "Hi" || g.summary() != "complete stop" || g.Usage.Total != 5 {
		t.Errorf("%s %s %+v", g.log, g.summary(), g.Usage)
	}
}

// Pings are no deltas, and keep a stream going: any byte does (see core).
func TestCase_str_021(t *testing.T) {
	g := take(t, NewStream(Messages, fault.Anthropic, nil), message(messageStart, textBlock("0")[:1], `{"type":"ping"}`, `{"type":"ping"}`),
		message(textBlock("0", "Done")[1:], ended("end_turn"), messageStop))
	if g.log != "text \"Done\"\n" || g.summary() != "complete end_turn" || len(g.Warnings) > 0 {
		t.Errorf("%s %s %q", g.log, g.summary(), g.Warnings)
	}
}

func TestCase_str_035(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"engine dead","type":"server_error","code":500}}`: "failed server_error",
		"": "failed truncated",
	} {
		g := take(t, NewStream(Chat, fault.OpenAI, nil), body)
		if g.summary() != want || g.Fault.Decision != fault.Retry || g.Fault.Breaker != fault.Failing || g.log != "" {
			t.Errorf("%q: %s %+v", body, g.summary(), g.Fault)
		}
	}
}

func TestCase_con_003(t *testing.T) {
	body := json.Value(`{"model":"claude-x","messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"A"},{"role":"user","content":"Q2"}]}`)
	got, err := Continue(Messages, body, "the partial", "")
	if err != nil {
		t.Fatal(err)
	}
	messages, last := got.Get("messages"), got.Get("messages").At(2)
	if messages.At(3) != nil || last.Get("role").Text() != "user" || strings.Count(string(got), "the partial") != 1 ||
		last.Get("content").At(0).Get("text").Text() != "Q2" || strings.Count(string(got), "assistant") != 1 {
		t.Errorf("%s", got)
	}
	f := fault.Classify(fault.Anthropic, fault.Response{Status: 400, Body: []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"This model does not support assistant message prefill. The conversation must end with a user message."}}`)})
	if f.Decision != fault.FixRequest {
		t.Errorf("a refused prefill: %s", f.Decision)
	}
}

// A new attempt is a new Stream: nothing of a dead one leaks into it.
func TestCase_con_008(t *testing.T) {
	take(t, NewStream(Chat, fault.OpenAI, nil), events(chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"q\":\"wea"}}]}`, "")))
	g := take(t, NewStream(Chat, fault.OpenAI, nil), events(chunk(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":"{\"q\":\"weather\"}"}}]}`, "tool_calls")))
	if g.log != "tool b f({\"q\":\"weather\"})\n" {
		t.Error(g.log)
	}
}

func TestCase_con_010(t *testing.T) {
	at := Cursor{ID: "resp_1", Next: 13}
	r, ok := Resume(fault.OpenAI, Responses, Request{URL: "/v1/responses", Body: json.Value(`{"background":true}`)}, at)
	if !ok || r.Method != "GET" || r.URL != "/v1/responses/resp_1?stream=true&starting_after=12" {
		t.Errorf("%+v %v", r, ok)
	}
	var replay []string
	for range 14 {
		replay = append(replay, `{"type":"response.output_text.delta","delta":"x"}`)
	}
	s := NewStream(Responses, fault.OpenAI, nil)
	s.From(at)
	if g := feed(t, s, events(numbered(replay...)...)); g.text(Text) != "x" || s.Cursor.Next != 14 {
		t.Errorf("%q, %+v", g.text(Text), s.Cursor)
	}
}

func TestCase_con_013(t *testing.T) {
	s := NewStream(Responses, fault.OpenAI, nil)
	s.From(Cursor{ID: "r1", Next: 8, Text: len("Hello")})
	g := take(t, s, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":8,\"delta\":\" there\"}\n\n")
	if g.ID != "r1" || g.Cursor.ID != "r1" || g.Cursor.Next != 9 || g.text(Text) != " there" {
		t.Errorf("before the end: %+v", g.Cursor)
	}
	s = NewStream(Responses, fault.OpenAI, nil)
	s.From(g.Cursor)
	g = take(t, s, "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":9,\"response\":{\"id\":\"r1\",\"status\":\"completed\",\"usage\":{\"total_tokens\":9}}}\n\n")
	if g.summary() != "complete completed" || g.log != "" || g.Usage.Total != 9 || g.Cursor.Text != len("Hello there") {
		t.Errorf("%s %+v", g.summary(), g.Cursor)
	}
}
