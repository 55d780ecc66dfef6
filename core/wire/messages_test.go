package wire

import (
	"strings"
	"testing"

	"holdfast/core/fault"
)

const (
	messageStart = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"stop_reason":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}}`
	messageStop  = `{"type":"message_stop"}`
)

// ended is the message_delta that ends a message.
func ended(word string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + word + `","stop_sequence":null},"usage":{"output_tokens":15}}`
}

// toolBlock is a tool_use block with its input in pieces.
func toolBlock(index, id, name string, pieces ...string) []string {
	all := []string{`{"type":"content_block_start","index":` + index + `,"content_block":{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":{}}}`}
	for _, p := range pieces {
		all = append(all, `{"type":"content_block_delta","index":`+index+`,"delta":{"type":"input_json_delta","partial_json":`+quoted(p)+`}}`)
	}
	return append(all, `{"type":"content_block_stop","index":`+index+`}`)
}

func textBlock(index string, pieces ...string) []string {
	all := []string{`{"type":"content_block_start","index":` + index + `,"content_block":{"type":"text","text":""}}`}
	for _, p := range pieces {
		all = append(all, `{"type":"content_block_delta","index":`+index+`,"delta":{"type":"text_delta","text":`+quoted(p)+`}}`)
	}
	return append(all, `{"type":"content_block_stop","index":`+index+`}`)
}

// message writes the events of its parts.
func message(parts ...any) string {
	var all []string
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			all = append(all, p)
		case []string:
			all = append(all, p...)
		}
	}
	return events(all...)
}

var messagesTranscripts = []transcript{
	{
		name: "thinking, then text",
		body: message(messageStart, `{"type":"ping"}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQ"}}`,
			`{"type":"content_block_stop","index":0}`,
			textBlock("1", "Hel", "lo"), ended("end_turn"), messageStop),
		log:     "reasoning \"Hm.\"\ntext \"Hello\"\n",
		summary: "complete end_turn",
		check: func(t *testing.T, s *Stream) {
			usage(Usage{Input: 25, Output: 15, Total: 40})(t, s)
			if s.ID != "msg_1" || s.Model != "claude-x" || !s.Done || s.Tool {
				t.Errorf("%q %q done %v tool %v", s.ID, s.Model, s.Done, s.Tool)
			}
		},
	},
	{
		name: "tool calls",
		body: message(messageStart, textBlock("0", "Let me look."), toolBlock("1", "t1", "f", "", `{"a":`, `"x"}`),
			toolBlock("2", "t2", "now", ""), toolBlock("3", "t3", "g", `{}`), ended("tool_use"), messageStop),
		log:     "text \"Let me look.\"\ntool t1 f({\"a\":\"x\"})\ntool t2 now({})\ntool t3 g({})\n",
		summary: "complete tool_use",
	},
	{
		name: "another message behind a thought",
		body: message(messageStart, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm."}}`,
			strings.Replace(messageStart, "msg_1", "msg_2", 1), textBlock("0", "Hi"), ended("end_turn")),
		log:     "reasoning \"Hm.\"\n",
		summary: "failed malformed_stream",
	},
	{
		name:    "a tool call cut by the limit",
		body:    message(messageStart, textBlock("0", "So"), toolBlock("1", "t1", "rm", `{"path":"/srv/bu`), ended("max_tokens"), messageStop),
		log:     "text \"So\"\n",
		summary: "complete max_tokens",
		check: func(t *testing.T, s *Stream) {
			if !s.Tool || len(s.Warnings) != 1 {
				t.Errorf("tool %v, warnings %q", s.Tool, s.Warnings)
			}
		},
	},
	{
		name:    "a tool call cut by the limit before its input",
		body:    message(messageStart, textBlock("0", "So"), toolBlock("1", "t1", "rm", ""), ended("max_tokens"), messageStop),
		log:     "text \"So\"\n",
		summary: "complete max_tokens",
	},
	{
		name:    "a tool call that is no JSON",
		body:    message(messageStart, toolBlock("0", "t1", "f", `{"a":]`), ended("tool_use"), messageStop),
		summary: "failed malformed_tool_call tool_use",
	},
	{
		name:    "a tool call whose block never stops",
		body:    message(messageStart, toolBlock("0", "t1", "f", `{"a":1}`)[:2]),
		summary: "failed truncated",
	},
	{
		name: "tools of the server's own",
		body: message(messageStart,
			`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[]}}`,
			`{"type":"content_block_stop","index":1}`,
			`{"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"input_tokens":250,"output_tokens":9,"server_tool_use":{"web_search_requests":1}}}`, messageStop),
		summary: "complete pause_turn",
		check: func(t *testing.T, s *Stream) {
			usage(Usage{Input: 250, Output: 9, Total: 259, Searches: 1})(t, s)
			if s.Tool {
				t.Error("it counts as a call for the caller")
			}
		},
	},
	{
		name: "a refusal in mid-stream",
		body: message(messageStart, textBlock("0", "First, "),
			`{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"Not this."}},"usage":{"output_tokens":3}}`, messageStop),
		log:     "text \"First, \"\nrefusal \"Not this.\"\n",
		summary: "filtered refusal",
	},
	{
		name:    "a full context window",
		body:    message(messageStart, textBlock("0", "So far"), ended("model_context_window_exceeded"), messageStop),
		log:     "text \"So far\"\n",
		summary: "complete model_context_window_exceeded",
		check: func(t *testing.T, s *Stream) {
			if !AtLimit(s.Finish) || !WindowFull(s.Finish) {
				t.Error("not known as a limit")
			}
		},
	},
	{
		name: "compaction",
		body: message(messageStart,
			`{"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"Summary"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"compaction"},"usage":{"output_tokens":2,"iterations":[{"type":"compaction","input_tokens":1000,"output_tokens":100},{"type":"message","input_tokens":25,"output_tokens":2}]}}`, messageStop),
		summary: "complete compaction",
		check:   usage(Usage{Input: 1025, Output: 102, Total: 1127}),
	},
	{
		name: "another model takes over",
		body: message(messageStart, textBlock("0", "One, "),
			`{"type":"content_block_start","index":1,"content_block":{"type":"fallback","from":{"model":"claude-x"},"to":{"model":"claude-y"}}}`,
			`{"type":"content_block_stop","index":1}`, textBlock("2", "two."), ended("end_turn"), messageStop),
		log:     "text \"One, two.\"\n",
		summary: "complete end_turn",
		check: func(t *testing.T, s *Stream) {
			if s.Model != "claude-y" {
				t.Errorf("model %q", s.Model)
			}
		},
	},
	{
		name:    "nothing to add",
		body:    message(messageStart, ended("end_turn"), messageStop),
		summary: "complete end_turn",
	},
	{
		name:    "nothing in it",
		body:    message(messageStart, ended("tool_use"), messageStop),
		summary: "failed empty_completion tool_use",
	},
	{
		name: "a tool call's input at its beginning, and again in pieces",
		body: message(messageStart, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"1}"}}`,
			`{"type":"content_block_stop","index":0}`, ended("tool_use"), messageStop),
		log:     "tool t1 f({\"a\":1})\n",
		summary: "complete tool_use",
	},
	{
		name:    "a tool call without its block's stop",
		body:    message(messageStart, toolBlock("0", "t1", "f", `{"a":1}`)[:2], ended("tool_use"), messageStop),
		log:     "tool t1 f({\"a\":1})\n",
		summary: "complete tool_use",
	},
	{
		name:    "half a tool call without its block's stop",
		body:    message(messageStart, toolBlock("0", "t1", "f", `{"a":`)[:2], ended("tool_use"), messageStop),
		summary: "failed malformed_tool_call tool_use",
	},
	{
		name:    "a message within the message",
		body:    message(messageStart, textBlock("0", "Half"), strings.Replace(messageStart, "msg_1", "msg_2", 1), textBlock("0", "Half of it"), ended("end_turn"), messageStop),
		log:     "text \"Half\"\n",
		summary: "failed malformed_stream",
	},
	{
		name:    "the whole budget went into thinking",
		body:    message(messageStart, ended("max_tokens"), messageStop),
		summary: "complete max_tokens",
	},
	{
		name:    "message_stop alone is no end",
		body:    message(messageStart, textBlock("0", "Half"), messageStop),
		log:     "text \"Half\"\n",
		summary: "failed truncated",
	},
	{
		name:    "an error",
		body:    message(messageStart, textBlock("0", "Half"), `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`),
		log:     "text \"Half\"\n",
		summary: "failed overloaded",
	},
	{name: "heartbeats", body: message(messageStart, "null", `{"type":"ping"}`, `{}`, textBlock("0", "Hi"), "null", ended("end_turn"), "null", messageStop), log: "text \"Hi\"\n", summary: "complete end_turn"},
	{name: "an error without a type", body: `data: {"error":{"type":"rate_limit_error","message":"m"}}` + "\n\n", summary: "failed rate_limit"},
	{name: "an error without an envelope", body: "event: error\ndata: {\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}\n\n", summary: "failed overloaded"},
	{name: "an error that is text", body: "event: error\ndata: {\"message\":\"internal\"}\n\n", summary: "failed server_error"},
	{
		name: "no type, but names",
		body: "event: message_start\ndata: {\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":1}}}\n\n" +
			"event: content_block_delta\ndata: {\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n" +
			"event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"stop_sequence\"}}\n\nevent: message_stop\ndata: {}\n\n",
		log:     "text \"Hi\"\n",
		summary: "complete stop_sequence",
	},
	{
		name: "what nobody knows is passed over",
		body: message(messageStart, `{"type":"content_block_hint","index":0}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}`, textBlock("0", "Hi"), ended("brand_new"), messageStop),
		log:     "text \"Hi\"\n",
		summary: "complete brand_new",
	},
	{
		name: "a whole message",
		body: `{"id":"msg_2","type":"message","model":"claude-x","content":[{"type":"thinking","thinking":"Hm","signature":"s"},{"type":"text","text":"Hi"},` +
			`{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}`,
		log:     "reasoning \"Hm\"\ntext \"Hi\"\ntool t1 f({\"a\":1})\n",
		summary: "complete tool_use",
		check:   usage(Usage{Input: 3, Output: 2, Total: 5}),
	},
}

func TestMessages(t *testing.T) { run(t, Messages, fault.Anthropic, messagesTranscripts) }

// A stream cut at any byte hands out no tool call that is not whole, and never ends as complete
// before its stop_reason.
func TestMessagesCut(t *testing.T) {
	body := messagesTranscripts[1].body
	end := strings.Index(body, "message_delta\"")
	for n := range body[:end] {
		g := take(t, NewStream(Messages, fault.Anthropic, nil), body[:n])
		if g.End != Failed || !strings.HasPrefix(messagesTranscripts[1].log, strings.TrimSuffix(g.log, "\"\n")) {
			t.Fatalf("cut at %d: %s\n%s", n, g.summary(), g.log)
		}
	}
}
