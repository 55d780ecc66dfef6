package wire

import (
	"strings"
	"testing"

	"holdfast/core/fault"
)

// interactionEvents are a stored interaction with everything in it.
var interactionEvents = []string{
	`{"event_type":"interaction.created","interaction":{"id":"v1_x","status":"in_progress","object":"interaction","model":"gemini-x"},"event_id":"e1"}`,
	`{"event_type":"interaction.status_update","interaction_id":"v1_x","status":"in_progress","event_id":"e2"}`,
	`{"event_type":"step.start","index":0,"step":{"type":"thought"},"event_id":"e3"}`,
	`{"event_type":"step.delta","index":0,"delta":{"type":"thought_summary","content":{"type":"text","text":"Hm."}},"event_id":"e4"}`,
	`{"event_type":"step.delta","index":0,"delta":{"type":"thought_signature","signature":"s"},"event_id":"e5"}`,
	`{"event_type":"step.stop","index":0,"event_id":"e6"}`,
	`{"event_type":"step.start","index":1,"step":{"type":"model_output"},"event_id":"e7"}`,
	`{"event_type":"step.delta","index":1,"delta":{"type":"text","text":"Hel\ud83d"},"event_id":"e8"}`,
	`{"event_type":"step.delta","index":1,"delta":{"type":"text","text":"\ude00lo"},"event_id":"e9"}`,
	`{"event_type":"step.stop","index":1,"event_id":"e10"}`,
	`{"event_type":"step.start","index":2,"step":{"type":"function_call","id":"f1","name":"get","arguments":{}},"event_id":"e11"}`,
	`{"event_type":"step.delta","index":2,"delta":{"type":"arguments_delta","arguments":"{\"a\""},"event_id":"e12"}`,
	`{"event_type":"step.delta","index":2,"delta":{"type":"arguments_delta","arguments":":1}"},"event_id":"e13"}`,
	`{"event_type":"step.stop","index":2,"event_id":"e14"}`,
	`{"event_type":"interaction.completed","interaction":{"id":"v1_x","status":"requires_action","usage":{"total_input_tokens":7,"total_output_tokens":26,"total_thought_tokens":115,"total_cached_tokens":2,"total_tool_use_tokens":5,"total_tokens":153}},"event_id":"e15"}`,
}

const (
	interactionLog   = "reasoning \"Hm.\"\ntext \"Hel\U0001F600lo\"\ntool f1 get({\"a\":1})\n"
	interactionWhole = `{"id":"v1_x","object":"interaction","status":"requires_action","model":"gemini-x","steps":[` +
		`{"type":"user_input","content":[{"type":"text","text":"Question"}]},` +
		`{"type":"thought","signature":"s","summary":[{"type":"text","text":"Hm."}]},` +
		`{"type":"model_output","content":[{"type":"text","text":"Hel😀lo"}]},` +
		`{"type":"function_call","id":"f1","name":"get","arguments":{"a":1}}],` +
		`"usage":{"total_input_tokens":7,"total_output_tokens":26,"total_thought_tokens":115,"total_cached_tokens":2,"total_tool_use_tokens":5,"total_tokens":153}}`
	interactionCreated = `{"event_type":"interaction.created","interaction":{"id":"v1_x","status":"in_progress"},"event_id":"e1"}`
	interactionText    = `{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"Half"},"event_id":"e2"}`
)

// interactionEnd is the last event, with a status.
func interactionEnd(status, more string) string {
	return `{"event_type":"interaction.completed","interaction":{"id":"v1_x","status":"` + status + `"` + more + `}}`
}

var interactionsTranscripts = []transcript{
	{
		name:    "thoughts, text and a tool call",
		body:    events(append(interactionEvents, "[DONE]")...),
		log:     interactionLog,
		summary: "complete requires_action",
		check: func(t *testing.T, s *Stream) {
			usage(Usage{Input: 12, Output: 141, Total: 153, Cached: 2, ToolPrompt: 5, Reasoning: 115})(t, s)
			if s.ID != "v1_x" || s.Model != "gemini-x" || s.Cursor.Event != "e15" || s.Cursor.ID != "v1_x" {
				t.Errorf("%q %q %+v", s.ID, s.Model, s.Cursor)
			}
		},
	},
	{
		name: "usage that comes along",
		body: events(interactionCreated, `{"event_type":"interaction.status_update","interaction_id":"v1_x","status":"in_progress","usage":{"total_input_tokens":7}}`,
			`{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"Half"},"metadata":{"total_usage":{"total_input_tokens":7,"total_output_tokens":2}}}`),
		log:     "text \"Half\"\n",
		summary: "failed truncated",
		check:   usage(Usage{Input: 7, Output: 2, Total: 9}),
	},
	{name: "a whole interaction", body: interactionWhole, log: interactionLog, summary: "complete requires_action"},
	{
		name: "the older vocabulary",
		body: events(`{"event_type":"interaction.start","interaction":{"id":"v1_x","status":"in_progress"}}`,
			`{"event_type":"content.start","index":0,"content":{"type":"text","text":""}}`,
			`{"event_type":"content.delta","index":0,"delta":{"type":"text","text":"Hi"}}`,
			`{"event_type":"content.stop","index":0}`,
			`{"event_type":"content.start","index":1,"content":{"type":"function_call","id":"f1","name":"get"}}`,
			`{"event_type":"content.delta","index":1,"delta":{"type":"function_call","id":"f1","name":"get","arguments":{"a":1}}}`,
			`{"event_type":"content.stop","index":1}`,
			`{"event_type":"interaction.complete","interaction":{"id":"v1_x","usage":{"total_input_tokens":1,"total_output_tokens":2}}}`),
		log:     "text \"Hi\"\ntool f1 get({\"a\":1})\n",
		summary: "complete complete",
		check:   usage(Usage{Input: 1, Output: 2, Total: 3}),
	},
	{
		name: "a tool call's arguments at its beginning, and again in pieces",
		body: events(interactionCreated, `{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"f1","name":"get","arguments":{"a":1}}}`,
			`{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"{\"a\""}}`,
			`{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":":1}"}}`,
			`{"event_type":"step.stop","index":0}`, interactionEnd("requires_action", "")),
		log:     "tool f1 get({\"a\":1})\n",
		summary: "complete requires_action",
	},
	{name: "an old whole answer", body: `{"id":"v1_x","status":"completed","outputs":[{"type":"text","text":"Hi"}]}`, log: "text \"Hi\"\n", summary: "complete completed"},
	{
		name: "tools of the server's own",
		body: events(interactionCreated,
			`{"event_type":"step.start","index":0,"step":{"type":"google_search_call","id":"s1"}}`,
			`{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"{\"q\":1}"}}`,
			`{"event_type":"step.stop","index":0}`, interactionEnd("completed", "")),
		summary: "complete completed",
		check: func(t *testing.T, s *Stream) {
			if s.Tool {
				t.Error("it counts as a call for the caller")
			}
		},
	},
	{name: "the limit of one request", body: events(interactionCreated, interactionText, interactionEnd("requires_continuation", "")), log: "text \"Half\"\n", summary: "complete requires_continuation"},
	{name: "the token limit", body: events(interactionCreated, interactionText, interactionEnd("incomplete", "")), log: "text \"Half\"\n", summary: "complete incomplete"},
	{name: "cancelled", body: events(interactionCreated, interactionEnd("cancelled", "")), summary: "failed cancelled cancelled"},
	{name: "the budget is spent", body: events(interactionCreated, `{"event_type":"interaction.status_update","status":"budget_exceeded"}`), summary: "failed spend_cap budget_exceeded"},
	{name: "failed", body: events(interactionCreated, interactionEnd("failed", `,"errors":[{"code":"unavailable","message":"m"}]`)), summary: "failed overloaded failed"},
	{name: "failed without a reason", body: events(interactionCreated, interactionEnd("failed", "")), summary: "failed server_error failed"},
	{name: "an error", body: events(interactionCreated, interactionText, `{"event_type":"error","error":{"code":"not_found","message":"m"},"event_id":"e9"}`), log: "text \"Half\"\n", summary: "failed invalid_request",
		check: func(t *testing.T, s *Stream) {
			if s.Cursor.Event != "e2" {
				t.Errorf("cursor %q", s.Cursor.Event)
			}
		}},
	{name: "an error of a step", body: events(interactionCreated, `{"event_type":"step.start","index":0,"step":{"type":"model_output","error":{"code":14,"message":"m","status":"UNAVAILABLE"}}}`), summary: "failed overloaded"},
	{name: "cut after ten minutes", body: events(interactionCreated, interactionText) + "[{\"error\":{\"code\":504,\"message\":\"m\",\"status\":\"DEADLINE_EXCEEDED\"}}]\n", log: "text \"Half\"\n", summary: "failed timeout"},
	{name: "[DONE] is no end", body: events(interactionCreated, interactionText, "[DONE]"), log: "text \"Half\"\n", summary: "failed truncated"},
	{name: "a status ahead of the end", body: events(interactionCreated, interactionText, `{"event_type":"interaction.status_update","status":"completed"}`, interactionEnd("completed", `,"usage":{"total_input_tokens":3}`)), log: "text \"Half\"\n", summary: "complete completed", check: usage(Usage{Input: 3, Total: 3})},
	{name: "a status ahead of the end, which brings the text", body: events(interactionCreated, `{"event_type":"interaction.status_update","status":"completed"}`, interactionEnd("completed", `,"steps":[{"type":"model_output","content":[{"type":"text","text":"Half"}]}]`)), log: "text \"Half\"\n", summary: "complete completed"},
	{name: "a status ahead of a call's end", body: events(interactionCreated, interactionEvents[10], interactionEvents[11], `{"event_type":"interaction.status_update","status":"requires_action"}`, interactionEvents[12], interactionEvents[13], interactionEnd("requires_action", "")), log: "tool f1 get({\"a\":1})\n", summary: "complete requires_action"},
	{name: "a status and no end", body: events(interactionCreated, interactionText, `{"event_type":"interaction.status_update","status":"completed"}`, "[DONE]"), log: "text \"Half\"\n", summary: "complete completed"},
	{name: "a status of nothing, and no end", body: events(interactionCreated, `{"event_type":"interaction.status_update","status":"completed"}`), summary: "failed empty_completion completed"},
	{name: "a call whose step never stops", body: events(interactionCreated, `{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"f1","name":"get"}}`, `{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"{\"a\":1}"}}`, interactionEnd("requires_action", "")), log: "tool f1 get({\"a\":1})\n", summary: "complete requires_action"},
	{name: "a call that waits but cannot be read", body: events(interactionCreated, interactionEvents[10], interactionEvents[11], interactionEvents[13], interactionEnd("requires_action", "")), summary: "failed malformed_tool_call requires_action"},
	{name: "what nobody knows is passed over", body: events(interactionCreated, `{"event_type":"interaction.mood"}`, `{"event_type":"step.delta","index":0,"delta":{"type":"text_annotation_delta"}}`, interactionText, interactionEnd("completed", "")), log: "text \"Half\"\n", summary: "complete completed"},
}

func TestInteractions(t *testing.T) { run(t, Interactions, fault.Gemini, interactionsTranscripts) }

// The law of resuming: wherever a stored interaction breaks, the stream from its cursor on, a
// replay from the beginning and the finished resource each bring exactly what is missing.
func TestInteractionsResume(t *testing.T) {
	for n := range interactionEvents {
		for name, rest := range map[string]string{
			"from the cursor":    events(interactionEvents[n:]...),
			"from the beginning": events(interactionEvents...),
			"the whole":          interactionWhole,
			"the whole, at once": strings.ReplaceAll(interactionWhole, ",", ",\n"),
		} {
			broken := feed(t, NewStream(Interactions, fault.Gemini, nil), events(interactionEvents[:n]...))
			s := NewStream(Interactions, fault.Gemini, nil)
			s.From(broken.Cursor)
			g := take(t, s, chop(rest, 7)...)
			for _, kind := range []Kind{Text, "tool"} {
				want := (&taken{log: interactionLog}).text(kind)
				if got := joined(broken.log, g.log, kind); got != want {
					t.Errorf("%s, after %d events: %s %q, want %q", name, n, kind, got, want)
				}
			}
			if got := joined(broken.log, g.log, Reasoning); !strings.HasPrefix("Hm.", got) || name == "from the cursor" && got != "Hm." {
				t.Errorf("%s, after %d events: reasoning %q", name, n, got)
			}
			if strings.Count(broken.log+g.log, "tool f1 get({\"a\":1})") != 1 {
				t.Errorf("%s, after %d events: tool calls\n%s%s", name, n, broken.log, g.log)
			}
			if g.summary() != "complete requires_action" || g.ID != "v1_x" && n > 0 || !g.Tool {
				t.Errorf("%s, after %d events: %s", name, n, g.summary())
			}
		}
	}
}

// joined is the text of one kind over two streams.
func joined(before, after string, kind Kind) string {
	text := (&taken{log: before}).text(kind) + (&taken{log: after}).text(kind)
	return strings.ReplaceAll(text, "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD", "\U0001F600") // halves: see wtf8
}
