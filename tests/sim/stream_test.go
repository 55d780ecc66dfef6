package sim

import (
	"encoding/json"
	"strings"
	"testing"
)

// What the streams of both APIs say at their ends and in the middle. Each want is a piece of the
// body that must be there, each with a "!" one that must not.
func TestStreams(t *testing.T) {
	for _, c := range []struct {
		path, script string
		want         []string
	}{
		{chatPath, "healthy", []string{`"finish_reason":"stop"`, `"choices":[],"usage":{"prompt_tokens":3,`, "data: [DONE]\n\n"}},
		{chatPath, "no_done", []string{`"finish_reason":"stop"`, "![DONE]"}},
		{chatPath, "no_terminal", []string{"tomorrow.", `!"finish_reason":"stop"`, "![DONE]", "!usage"}},
		{chatPath, "cut_clean", []string{`"content":"Tidepools"`, `!"stop"`, "![DONE]"}},
		{chatPath, "content_filter", []string{`"finish_reason":"content_filter"`, "!error"}},
		{chatPath, "refusal", []string{`"delta":{"refusal":"I"}`, `"finish_reason":"stop"`, `!Tidepools`}},
		{chatPath, "length_reasoning", []string{`"reasoning_content":"The"`, `"finish_reason":"length"`, `"reasoning_tokens":24}`, "!Tidepools"}},
		{chatPath, "tool_call", []string{`"name":"find_tidepool","arguments":""`, `"finish_reason":"tool_calls"`, "[DONE]"}},
		{chatPath, "tool_cut", []string{`"arguments":"{\"near`, `!sea star`, `!"tool_calls","`, "![DONE]"}},
		{chatPath, "error_mid", []string{`"finish_reason":"error"}],"error":{`, `"code":2014`, `"retryable":true`, `"trace_id"`, "![DONE]"}},
		{"/ai/v2/direct/chat/completions", "error_mid", []string{`"code":2014`, "!trace_id"}},
		{chatPath, "error_mid_final", []string{`"code":3001`, `"retryable":false`}},
		{chatPath, "error_first", []string{`"code":2014`, `!"role"`}},
		{chatPath, `{"error":"rate_limit","errorAfterWords":3,"retryAfter":2}`, []string{`"retry_after":2}`}},
		{"/v1/chat/completions", "error_mid", []string{"data: {\"error\":{", `"code":"provider_stream_error"}}`}},
		{chatPath, "redirected", []string{`"model":"gloo-anthropic-claude-opus-5.5"`}},
		{chatPath, "empty", []string{`"finish_reason":"stop"`, "!Tidepools"}},
		{chatPath, `{"text":"Eins zwei drei vier","requests":[{"words":3}]}`, []string{`"content":"Eins zwei drei"`, `"content":" vier"`}},

		{responsesPath, "healthy", []string{"event: response.created\n", "event: response.completed\n", `"output_tokens":683`, "![DONE]"}},
		{responsesPath, "content_filter", []string{"event: response.incomplete\n", `"incomplete_details":{"reason":"content_filter"}`}},
		{responsesPath, "length_reasoning", []string{"response.reasoning_text.delta", `{"reason":"max_output_tokens"}`, "!response.output_text.delta"}},
		{responsesPath, "refusal", []string{"response.refusal.delta", `{"type":"refusal","refusal":"I am sorry, but I cannot help with that."}`}},
		{responsesPath, "tool_call", []string{"response.function_call_arguments.done", `"type":"function_call"`, `"output_index":1`, "event: response.completed"}},
		{responsesPath, "tool_cut", []string{"response.function_call_arguments.delta", "!arguments.done", "!response.completed"}},
		{responsesPath, "error_mid", []string{"event: response.failed\n", `"code":"provider_stream_error"`, `"gloo_code":2014,"retryable":true`}},
		{responsesPath, "error_first", []string{"event: response.created\n", "event: response.failed\n", "!output_text.delta"}},
		{"/v1/responses", "error_mid", []string{"response.failed", "!gloo_code"}},
		{responsesPath, "no_terminal", []string{"tomorrow.", "!response.completed"}},
	} {
		body := string(ask(t, &Store{}, c.path, c.script, "Why then?").Body())
		for _, want := range c.want {
			unwanted, no := strings.CutPrefix(want, "!")
			if no && strings.Contains(body, unwanted) {
				t.Errorf("%s %s: has %s", c.path, c.script, unwanted)
			}
			if !no && !strings.Contains(body, want) {
				t.Errorf("%s %s: no %s in …%s", c.path, c.script, want, body[max(0, len(body)-600):])
			}
		}
	}
}

// Usage comes in a chat stream only when it was asked for.
func TestUsageObeysTheRequest(t *testing.T) {
	body := `{"stream":true,"messages":[{"role":"user","content":"ping"}]}`
	if e := Plan(&Store{}, Request{Method: "POST", Path: chatPath, Body: []byte(body)}); strings.Contains(string(e.Body()), "usage") {
		t.Error(string(e.Body()))
	}
}

// Law: an answer that is not streamed says the same as the stream.
func TestWholeAnswers(t *testing.T) {
	for _, scenario := range []string{"healthy", "tool_call", "refusal", "length_reasoning", "content_filter", "empty"} {
		for _, path := range []string{chatPath, responsesPath} {
			streamed, last := said(t, ask(t, &Store{}, path, scenario, "Why").Body())
			body := `{"messages":[{"role":"user","content":"Why"}],"input":"Why"}`
			e := Plan(&Store{}, Request{Method: "POST", Path: path, Sim: scenario, Body: []byte(body)})
			var whole struct {
				Choices []struct {
					Message struct{ Content string }
				}
				Output []struct {
					Content []struct{ Type, Text string }
				}
			}
			if err := json.Unmarshal(e.Body(), &whole); err != nil {
				t.Fatalf("%s: %v", e.Body(), err)
			}
			text := ""
			for _, choice := range whole.Choices {
				text += choice.Message.Content
			}
			for _, item := range whole.Output {
				for _, part := range item.Content {
					if part.Type == "output_text" {
						text += part.Text
					}
				}
			}
			if text != streamed {
				t.Errorf("%s %s: %q, streamed %q", path, scenario, text, streamed)
			}
			if response, ok := last["response"].(map[string]any); ok && response["usage"] == nil {
				t.Errorf("%s %s: no usage", path, scenario)
			}
		}
	}
}

// Law: sequence numbers are 0, 1, 2, … and the deltas of an item stand between its begin and end.
func TestResponsesEventsAreInOrder(t *testing.T) {
	for _, s := range Scenarios {
		e := ask(t, &Store{}, responsesPath, s.Name, "Why")
		if !strings.HasPrefix(e.Header.Get("content-type"), "text/event-stream") {
			continue
		}
		n, open := 0, ""
		for block := range strings.SplitSeq(strings.TrimSuffix(string(e.Body()), "\n\n"), "\n\n") {
			var event struct {
				Type     string
				Sequence int    `json:"sequence_number"`
				ItemID   string `json:"item_id"`
				Item     struct{ ID string }
			}
			if json.Unmarshal([]byte(block[strings.Index(block, "data: ")+6:]), &event) != nil {
				n++ // the broken event of "malformed"
				continue
			}
			if event.Sequence != n {
				t.Errorf("%s: %s has number %d, want %d", s.Name, event.Type, event.Sequence, n)
			}
			switch event.Type {
			case "response.output_item.added":
				open = event.Item.ID
			case "response.output_item.done":
				open = ""
			default:
				if event.ItemID != open && event.ItemID != "" {
					t.Errorf("%s: %s of %q while %q is open", s.Name, event.Type, event.ItemID, open)
				}
			}
			n++
		}
	}
}
