package translate

import (
	"reflect"
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/sse"
	"holdfast/core/wire"
)

var answers = map[wire.API]string{
	chat: `{"id":"a1","object":"chat.completion","created":7,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","reasoning_content":"hm",
	  "tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}],
	  "usage":{"prompt_tokens":100,"completion_tokens":30,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":20}}}`,
	responses: `{"id":"a1","object":"response","created_at":7,"model":"m","status":"completed","output":[{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}]},
	  {"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[]}]},
	  {"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{\"a\":1}","status":"completed"}],
	  "usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":40},"output_tokens":50,"output_tokens_details":{"reasoning_tokens":20},"total_tokens":150}}`,
	messages: `{"id":"a1","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"Hi"},
	  {"type":"tool_use","id":"call_1","name":"f","input":{"a":1}}],"stop_reason":"tool_use","stop_sequence":null,
	  "usage":{"input_tokens":60,"cache_read_input_tokens":40,"cache_creation_input_tokens":0,"output_tokens":50}}`,
	generate: `{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"Hi"},{"functionCall":{"id":"call_1","name":"f","args":{"a":1}}}]},"finishReason":"STOP","index":0}],
	  "usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":40,"candidatesTokenCount":30,"thoughtsTokenCount":20,"totalTokenCount":150},"modelVersion":"m","responseId":"a1"}`,
}

// thoughtless is generate's answer without what was thought.
var thoughtless = json.Value(strings.Replace(answers[generate], `{"text":"hm","thought":true},`, "", 1))

func whole(t *testing.T, api wire.API, body []byte) (*wire.Stream, []wire.Delta) {
	t.Helper()
	s := wire.NewStream(api, "", nil)
	s.MayBeEmpty = true
	s.Event(sse.Event{Data: body, Bare: true})
	return s, s.Take()
}

// TestAnswers: an answer of each API arrives in each other's form, with its usage counted as that
// API counts.
func TestAnswers(t *testing.T) {
	for _, from := range columns {
		for _, to := range columns {
			r, err := Answer(from, to, json.Value(answers[from]), Meta{})
			if err != nil {
				t.Fatalf("%s to %s: %v", from, to, err)
			}
			s, deltas := whole(t, to, r.Body)
			var said []string
			for _, d := range flat(to, deltas) {
				if d != "reasoning hm" { // not every reader looks for it in whole answers
					said = append(said, d)
				}
			}
			if want := []string{"text Hi", `call call_1 f {"a":1}`}; !reflect.DeepEqual(said, want) {
				t.Errorf("%s to %s: %q in %s", from, to, said, r.Body)
			}
			u := s.Usage
			if from == messages || to == messages { // it does not count reasoning apart
				u.Reasoning = 20
			}
			if s.ID != "a1" || s.Model != "m" || u != spent || s.End != wire.Complete || len(r.Dropped) > 0 {
				t.Errorf("%s to %s: %q %q %+v, dropped %q\n%s", from, to, s.ID, s.Model, s.Usage, r.Dropped, r.Body)
			}
		}
	}
}

// TestAnswerForms: what official clients look for, byte by byte.
func TestAnswerForms(t *testing.T) {
	for to, want := range map[wire.API]string{
		chat:      `{"id":"a1","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","refusal":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":20}}}`,
		messages:  `{"id":"a1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"call_1","name":"f","input":{"a":1}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":60,"cache_creation_input_tokens":0,"cache_read_input_tokens":40,"output_tokens":50}}`,
		responses: `{"id":"a1","object":"response","created_at":0,"status":"completed","error":null,"incomplete_details":null,"instructions":null,"metadata":{},"model":"m","output":[{"id":"msg_a1_0","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hi"}]},{"id":"fc_a1_1","type":"function_call","status":"completed","arguments":"{\"a\":1}","call_id":"call_1","name":"f"}],"parallel_tool_calls":true,"temperature":null,"tool_choice":"auto","tools":[],"top_p":null,"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":40},"output_tokens":50,"output_tokens_details":{"reasoning_tokens":20},"total_tokens":150}}`,
	} {
		r, err := Answer(generate, to, thoughtless, Meta{})
		if err != nil || string(r.Body) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", to, err, r.Body, want)
		}
	}
	r, err := Answer(chat, generate, json.Value(answers[chat]), Meta{})
	want := `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Hi"},{"functionCall":{"id":"call_1","name":"f","args":{"a":1}},"thoughtSignature":"skip_thought_signature_validator"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":30,"thoughtsTokenCount":20,"cachedContentTokenCount":40,"totalTokenCount":150},"modelVersion":"m","responseId":"a1"}`
	if err != nil || string(r.Body) != want {
		t.Errorf("generate: %v\n got %s\nwant %s", err, r.Body, want)
	}
}

// TestSignedCalls: Gemini refuses a turn whose first call is not signed, also one that another model made.
func TestSignedCalls(t *testing.T) {
	calls := []wire.Delta{{Kind: wire.ToolCall, Tool: wire.Tool{ID: "a", Name: "f"}}, {Kind: wire.ToolCall, Tool: wire.Tool{ID: "b", Name: "g"}}}
	stream := string(encode(generate, Meta{}, calls, wire.Complete, ""))
	if n := strings.Count(stream, foreign); n != 1 || strings.Index(stream, foreign) > strings.Index(stream, `"g"`) {
		t.Errorf("%d signatures: %s", n, stream)
	}
	back := json.Value(`{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{}},"thoughtSignature":"` + foreign + `"}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{}}}]}]}`)
	r, err := Request(Source{API: generate, Provider: fault.Gemini}, back, Target{API: chat, Provider: fault.OpenAI, Model: "m"})
	if err != nil || len(r.Dropped) > 0 {
		t.Errorf("%v: dropped %v", err, r.Dropped)
	}
}

// TestCallsOfSeveralAnswers: calls that came without ids have others in each answer, for a later request
// holds them all.
func TestCallsOfSeveralAnswers(t *testing.T) {
	const body = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f","args":{}}}]},"finishReason":"STOP"}],"responseId":"%"}`
	for _, to := range []wire.API{chat, responses, messages} {
		seen := map[string]bool{}
		for _, id := range []string{"a-1", "b_2"} {
			r, err := Answer(generate, to, json.Value(strings.Replace(body, "%", id, 1)), Meta{})
			if err != nil {
				t.Fatal(err)
			}
			_, calls := whole(t, to, r.Body)
			unnamed := []wire.Delta{{Kind: wire.ToolCall, Tool: wire.Tool{Name: "f"}}, {Kind: wire.ToolCall, Tool: wire.Tool{Name: "f"}}}
			_, streamed := read(t, to, encode(to, Meta{ID: id + "s"}, unnamed, wire.Complete, ""), 1<<20)
			for _, call := range append(calls, streamed...) {
				if seen[call.Tool.ID] || !goodID(call.Tool.ID) {
					t.Errorf("%s: %q again, or no id", to, call.Tool.ID)
				}
				seen[call.Tool.ID] = true
			}
		}
		if len(seen) != 8 {
			t.Errorf("%s: %v", to, seen)
		}
	}
}

func TestAnswerRefused(t *testing.T) {
	for api, body := range map[wire.API]string{
		chat:      `{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]}`,
		responses: `{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]}`,
		messages:  `{"content":[{"type":"text","text":"No."}],"stop_reason":"refusal"}`,
		generate:  `{"candidates":[{"content":{"parts":[{"text":"No."}]},"finishReason":"SAFETY"}]}`,
	} {
		for _, to := range columns {
			r, err := Answer(api, to, json.Value(body), Meta{})
			if err != nil {
				t.Fatalf("%s to %s: %v", api, to, err)
			}
			if s, _ := whole(t, to, r.Body); s.End != wire.Filtered {
				t.Errorf("%s to %s: %v in %s", api, to, s.End, r.Body)
			}
		}
	}
}

// TestNoAnswer: what failed, is unfinished or is no answer at all gives an error, not an empty answer.
func TestNoAnswer(t *testing.T) {
	for body, api := range map[string]wire.API{
		`{"error":{"message":"x"}}`: chat, `{"status":"failed","error":{"code":"server_error","message":"x"}}`: responses,
		`{"status":"in_progress"}`: responses, `{"type":"error","error":{"type":"overloaded_error"}}`: messages,
		`{"error":{"code":503}}`: generate, `{}`: generate, `[]`: chat, `{"choices":[{"message":{"content":"a"},"finish_reason":null}]}`: chat,
	} {
		if r, err := Answer(api, messages, json.Value(body), Meta{}); err != ErrNotAnAnswer {
			t.Errorf("%s: %v %s", body, err, r.Body)
		}
	}
}

// TestAnswerListsWhatIsLost: further choices and what has no neutral form are named.
func TestAnswerListsWhatIsLost(t *testing.T) {
	for body, c := range map[string]struct {
		api  wire.API
		want []string
	}{
		`{"choices":[{"index":0,"message":{"content":"a","annotations":[{"type":"url_citation"}]},"finish_reason":"stop"},{"index":1,"message":{"content":"b"},"finish_reason":"stop"}]}`: {
			chat, []string{"/choices/0/message/annotations", "/choices/1"}},
		`{"status":"completed","output":[{"type":"web_search_call"},{"type":"message","content":[{"type":"output_text","text":"a"}]}]}`: {
			responses, []string{"/output/0 (web_search_call)"}},
		`{"content":[{"type":"server_tool_use"},{"type":"text","text":"a"}],"stop_reason":"end_turn"}`: {
			messages, []string{"/content/0 (server_tool_use)"}},
		`{"candidates":[{"content":{"parts":[{"text":"a"},{"inlineData":{"data":"x"}}]},"finishReason":"STOP"}]}`: {
			generate, []string{"/candidates/0/content/parts/1/inlineData"}},
	} {
		to := chat
		if c.api == chat {
			to = messages
		}
		r, err := Answer(c.api, to, json.Value(body), Meta{})
		if err != nil || !reflect.DeepEqual(r.Dropped, c.want) {
			t.Errorf("%s: %v %q", body, err, r.Dropped)
		}
	}
}

// TestErrorsAreUnderstood: an error that is written for a client means the same to whoever
// classifies it, except where the API has no word of its own.
func TestErrorsAreUnderstood(t *testing.T) {
	clients := []struct {
		api      wire.API
		provider fault.Provider
		lacks    string // reasons that become another one
	}{
		{chat, fault.OpenAI, "empty_completion budget daily_quota model_not_on_plan cancelled circuit_open deadline unknown"},
		{messages, fault.Anthropic, "empty_completion budget quota daily_quota spend_cap model_not_on_plan region content_policy context_length cancelled circuit_open deadline unknown"},
		{generate, fault.Gemini, "empty_completion budget quota daily_quota billing spend_cap model_not_on_plan region content_policy context_length request_too_large cancelled circuit_open deadline unknown"},
	}
	for _, c := range clients {
		for _, n := range names {
			f := fault.Lost(n.reason, "")
			got := fault.Classify(c.provider, fault.Response{Status: Status(c.api, f), Body: Error(c.api, c.provider, 0, f)})
			if got.Reason != n.reason && !has(c.lacks, string(n.reason)) {
				t.Errorf("%s: %s is read as %s from %s", c.api, n.reason, got.Reason, Error(c.api, c.provider, 0, f))
			}
		}
	}
	for _, n := range names {
		for _, decision := range []fault.Decision{fault.Retry, fault.Stop} {
			f := fault.Fault{Reason: n.reason, Decision: decision, Message: "Something went wrong."}
			got := fault.Classify(fault.Gloo, fault.Response{Status: Status(chat, f), Body: Error(chat, fault.Gloo, 0, f)})
			if (got.Decision == fault.Retry) != (decision == fault.Retry) {
				t.Errorf("gloo: %s %s is read as %s", n.reason, decision, got.Decision)
			}
		}
	}
}
