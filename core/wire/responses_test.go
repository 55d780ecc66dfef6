package wire

import (
	"strconv"
	"strings"
	"testing"

	"holdfast/core/fault"
)

// responseEvents are a background response with everything in it, numbered from 0.
var responseEvents = numbered(
	`{"type":"response.created","response":{"id":"resp_1","status":"queued","model":"gpt-x"}}`,
	`{"type":"response.in_progress","response":{"id":"resp_1","status":"in_progress"}}`,
	`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1"}}`,
	`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","delta":"Hm."}`,
	`{"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"msg_1"}}`,
	`{"type":"response.output_text.delta","item_id":"msg_1","delta":"Hel","obfuscation":"x"}`,
	`{"type":"response.output_text.delta","item_id":"msg_1","delta":"lo"}`,
	`{"type":"response.output_text.done","item_id":"msg_1","text":"Hello"}`,
	`{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":""}}`,
	`{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"{\"a\":1}"}`,
	`{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{\"a\":1}","status":"completed"}}`,
	`{"type":"response.completed","response":`+responseWhole+`}`,
)

const (
	responseWhole = `{"id":"resp_1","object":"response","status":"completed","model":"gpt-x","error":null,"output":[` +
		`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."}]},` +
		`{"type":"message","id":"msg_1","content":[{"type":"output_text","text":"Hello"}]},` +
		`{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{\"a\":1}","status":"completed"}],` +
		`"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":2},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":14}}`
	responseLog = "reasoning \"Hm.\"\ntext \"Hello\"\ntool c1 f({\"a\":1})\n"
)

// numbered gives events their sequence numbers.
func numbered(events ...string) []string {
	for i, e := range events {
		events[i] = strings.TrimSuffix(e, "}") + `,"sequence_number":` + strconv.Itoa(i) + "}"
	}
	return events
}

var responsesTranscripts = []transcript{
	{
		name: "thoughts, text and a tool call", body: events(responseEvents...), log: responseLog, summary: "complete completed",
		check: func(t *testing.T, s *Stream) {
			usage(Usage{Input: 9, Output: 5, Total: 14, Cached: 4, CacheWrite: 2, Reasoning: 3})(t, s)
			if s.ID != "resp_1" || s.Cursor.ID != "resp_1" || s.Cursor.Next != 12 || s.Cursor.Text != 5 {
				t.Errorf("%q %+v", s.ID, s.Cursor)
			}
		},
	},
	{name: "a whole response", body: responseWhole, log: responseLog, summary: "complete completed"},
	{
		name: "other tools of the caller's",
		body: events(
			`{"type":"response.output_item.done","item":{"type":"custom_tool_call","id":"i1","call_id":"c1","name":"patch","input":"*** Begin"}}`,
			`{"type":"response.output_item.done","item":{"type":"local_shell_call","id":"i2","call_id":"c2","action":{"type":"exec","command":["ls"]},"status":"completed"}}`,
			`{"type":"response.output_item.done","item":{"type":"computer_call","id":"i5","call_id":"c5","action":{"type":"wait"},"status":"completed"}}`,
			`{"type":"response.output_item.done","item":{"type":"apply_patch_call","id":"i6","call_id":"c6","operation":{"type":"delete_file","path":"a"},"status":"completed"}}`,
			`{"type":"response.output_item.done","item":{"type":"mcp_approval_request","id":"i7","name":"buy","arguments":"{}","server_label":"shop"}}`,
			`{"type":"response.output_item.done","item":{"type":"function_call","id":"i3","name":"now","arguments":""}}`,
			`{"type":"response.output_item.done","item":{"type":"function_call","name":"now","arguments":"{}"}}`,
			`{"type":"response.output_item.done","item":{"type":"web_search_call","id":"i4","status":"completed"}}`,
			`{"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","name":"now","arguments":"{}"}]}}`),
		log: "tool c1 patch(*** Begin)\ntool c2 local_shell({\"type\":\"exec\",\"command\":[\"ls\"]})\ntool c5 computer({\"type\":\"wait\"})\n" +
			"tool c6 apply_patch({\"type\":\"delete_file\",\"path\":\"a\"})\ntool i7 buy({})\ntool i3 now({})\ntool  now({})\n",
		summary: "complete completed",
	},
	{
		name: "the token limit in a tool call",
		body: events(`{"type":"response.output_text.delta","delta":"So"}`,
			`{"type":"response.output_item.added","item":{"type":"function_call","id":"i1"}}`,
			`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"function_call","id":"i1","name":"f","arguments":"{\"a","status":"incomplete"}]}}`),
		log:     "text \"So\"\n",
		summary: "complete max_output_tokens",
	},
	{
		name:    "the token limit in a tool call that takes no JSON",
		body:    events(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"custom_tool_call","id":"i1","name":"patch","input":"*** Be","status":"incomplete"}]}}`),
		summary: "complete max_output_tokens",
	},
	{name: "a tool call that is no JSON", body: events(`{"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","call_id":"c1","name":"f","arguments":"{"}]}}`), summary: "failed malformed_tool_call completed"},
	{name: "several actions at once", body: events(`{"type":"response.completed","response":{"status":"completed","output":[{"type":"computer_call","call_id":"c1","actions":[{"type":"wait"}]}]}}`), log: "tool c1 computer([{\"type\":\"wait\"}])\n", summary: "complete completed"},
	{name: "a picture", body: events(`{"type":"response.completed","response":{"status":"completed","output":[{"type":"image_generation_call","id":"i1","result":"aGk="}]}}`), summary: "complete completed"},
	{name: "a tool that ran there", body: events(`{"type":"response.output_item.added","item":{"type":"mcp_call","id":"i1"}}`, `{"type":"response.completed","response":{"status":"completed"}}`), summary: "complete completed"},
	{name: "sound", body: events(`{"type":"response.audio.delta","delta":"aGk="}`, `{"type":"response.completed","response":{"status":"completed"}}`), summary: "complete completed"},
	{name: "a thought that is told and nothing else", body: events(`{"type":"response.reasoning_summary_text.delta","item_id":"r1","output_index":0,"summary_index":0,"delta":"Hm"}`, `{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","id":"r1","summary":[{"type":"summary_text","text":"Hm"}]}]}}`), log: "reasoning \"Hm\"\n", summary: "failed empty_completion completed"},
	{name: "a thought and nothing else", body: events(`{"type":"response.output_item.added","item":{"type":"reasoning","id":"r1"}}`, `{"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","id":"r1","summary":[]},{"type":"message","content":[]}]}}`), summary: "failed empty_completion completed"},
	{name: "cancelled", body: events(`{"type":"response.output_text.delta","delta":"Hi"}`, `{"type":"response.cancelled","response":{"status":"cancelled","error":null}}`), log: "text \"Hi\"\n", summary: "failed cancelled cancelled"},
	{name: "an error member that tells of none", body: events(`{"type":"response.new","error":{"code":null}}`, `{"type":"response.completed","response":`+responseWhole+`}`), log: responseLog, summary: "complete completed"},
	{name: "a filter", body: events(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`), summary: "filtered content_filter"},
	{name: "a refusal without deltas", body: events(`{"type":"response.refusal.done","refusal":"No."}`, `{"type":"response.completed","response":{"status":"completed","output":[]}}`), log: "refusal \"No.\"\n", summary: "filtered completed"},
	{name: "a refusal", body: events(`{"type":"response.refusal.delta","delta":"No."}`, `{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]}}`), log: "refusal \"No.\"\n", summary: "filtered completed"},
	{name: "text that only the end brings", body: events(`{"type":"response.output_text.delta","delta":"He"}`, `{"type":"response.completed","response":`+responseWhole+`}`), log: "text \"Hello\"\ntool c1 f({\"a\":1})\n", summary: "complete completed"},
	{name: "text without deltas", body: events(`{"type":"response.output_text.done","text":"Hi"}`, `{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}]}}`), log: "text \"Hi\"\n", summary: "complete completed"},
	{name: "texts without deltas", body: events(
		`{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"One "}`,
		`{"type":"response.output_text.done","output_index":1,"content_index":0,"text":"two "}`,
		`{"type":"response.output_text.done","output_index":2,"content_index":0,"text":"two "}`,
		`{"type":"response.completed","response":{"status":"completed","output":[]}}`), log: "text \"One two two \"\n", summary: "complete completed"},
	{name: "parts without deltas", body: events(
		`{"type":"response.content_part.done","output_index":0,"content_index":0,"part":{"type":"output_text","text":"One "}}`,
		`{"type":"response.content_part.done","output_index":0,"content_index":1,"part":{"type":"output_text","text":"two"}}`,
		`{"type":"response.content_part.done","output_index":1,"content_index":0,"part":{"type":"reasoning_text","text":"Hm"}}`,
		`{"type":"response.completed","response":{"status":"completed","output":[]}}`), log: "text \"One two\"\n", summary: "complete completed"},
	{name: "a later message without deltas", body: events(
		`{"type":"response.output_text.delta","output_index":0,"delta":"O"}`,
		`{"type":"response.output_text.delta","output_index":0,"delta":"ne "}`,
		`{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"One "}`,
		`{"type":"response.content_part.done","output_index":0,"content_index":0,"part":{"type":"output_text","text":"One "}}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"One "}]}}`,
		`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"two "},{"type":"output_text","text":"three "}]}}`,
		`{"type":"response.output_text.delta","output_index":2,"delta":"four "}`,
		`{"type":"response.output_text.done","output_index":2,"content_index":0,"text":"four "}`,
		`{"type":"response.output_item.done","output_index":2,"item":{"type":"message","content":[{"type":"output_text","text":"four "}]}}`,
		`{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"One "}]},{"type":"message","content":[{"type":"output_text","text":"two "},{"type":"output_text","text":"three "}]},`+
			`{"type":"message","content":[{"type":"output_text","text":"four "}]},{"type":"message","content":[{"type":"output_text","text":"five"}]}]}}`),
		log: "text \"One two three four five\"\n", summary: "complete completed"},
	{name: "two messages at once, whose ends come late and twice", body: events(
		`{"type":"response.output_text.delta","output_index":0,"delta":"One "}`,
		`{"type":"response.output_text.delta","output_index":1,"delta":"two "}`,
		`{"type":"response.output_text.delta","output_index":0,"delta":"three "}`,
		`{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"One three "}`,
		`{"type":"response.output_text.done","output_index":1,"content_index":0,"text":"two "}`,
		`{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"One three "}`,
		`{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"One three "}`,
		`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"two "}]}}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"One three "}]}}`,
		`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"two "}]}}`,
		`{"type":"response.completed","response":{"status":"completed"}}`), log: "text \"One two three \"\n", summary: "complete completed"},
	{name: "the same end twice", body: events(`{"type":"response.output_text.done","text":"Hi"}`, `{"type":"response.output_text.done","text":"Hi"}`, `{"type":"response.completed","response":{"status":"completed"}}`), log: "text \"Hi\"\n", summary: "complete completed"},
	{name: "ends that say less, or something else", body: events(
		`{"type":"response.output_text.delta","output_index":0,"delta":"Hi "}`, `{"type":"response.output_text.done","output_index":0,"text":""}`,
		`{"type":"response.content_part.done","output_index":0,"part":{"type":"output_text","text":"\nHi "}}`,
		`{"type":"response.output_text.delta","output_index":1,"delta":"you"}`, `{"type":"response.output_text.done","output_index":1,"text":""}`,
		`{"type":"response.content_part.done","output_index":1,"part":{"type":"output_text","text":"\nyou"}}`,
		`{"type":"response.completed","response":{"status":"completed"}}`), log: "text \"Hi you\"\n", summary: "complete completed"},
	{name: "a refusal that only its item tells", body: events(`{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"refusal","refusal":"No."}]}}`, `{"type":"response.completed","response":{"status":"completed"}}`), log: "refusal \"No.\"\n", summary: "filtered completed"},
	{name: "an end without a status", body: events(`{"type":"response.output_text.delta","delta":"Hi"}`, `{"type":"response.completed","response":{"id":"r"}}`), log: "text \"Hi\"\n", summary: "complete completed"},
	{name: "failed", body: events(`{"type":"response.failed","response":{"status":"failed","error":{"code":"insufficient_quota","message":"m"}}}`), summary: "failed quota failed"},
	{name: "an error, and then failed", body: events(`{"type":"error","code":"server_is_overloaded","message":"m"}`, `{"type":"response.failed","response":{"status":"failed","error":{"code":"x","message":"m"}}}`), summary: "failed overloaded"},
	{name: "no types, but names", body: "event: response.output_text.delta\ndata: {\"delta\":\"Hi\"}\n\nevent: response.completed\ndata: {\"response\":{\"status\":\"completed\"}}\n\n", log: "text \"Hi\"\n", summary: "complete completed"},
	{name: "numbers that never rise", body: events(`{"type":"response.output_text.delta","delta":"H","sequence_number":0}`, `{"type":"response.output_text.delta","delta":"i","sequence_number":0}`, `{"type":"response.completed","sequence_number":0,"response":{"status":"completed"}}`), log: "text \"Hi\"\n", summary: "complete completed"},
}

func TestResponses(t *testing.T) { run(t, Responses, fault.OpenAI, responsesTranscripts) }

// The law of resuming: wherever a background response breaks, the events behind the cursor, a
// server that ignores the cursor and the finished resource each bring exactly what is missing.
func TestResponsesResume(t *testing.T) {
	for n := range responseEvents {
		for name, rest := range map[string]string{
			"from the cursor":    events(responseEvents[n:]...),
			"from the beginning": events(responseEvents...),
			"the whole":          responseWhole,
		} {
			broken := feed(t, NewStream(Responses, fault.OpenAI, nil), events(responseEvents[:n]...))
			s := NewStream(Responses, fault.OpenAI, nil)
			s.From(broken.Cursor)
			g := take(t, s, chop(rest, 7)...)
			if got := joined(broken.log, g.log, Text); got != "Hello" {
				t.Errorf("%s, after %d events: %q", name, n, got)
			}
			if strings.Count(broken.log+g.log, "tool c1 f({\"a\":1})") != 1 || g.summary() != "complete completed" {
				t.Errorf("%s, after %d events: %s\n%s%s", name, n, g.summary(), broken.log, g.log)
			}
		}
	}
}

// So it is with texts that come without deltas, whichever ends tell them.
func TestResponsesResumeWithoutDeltas(t *testing.T) {
	message := func(index int, text string, deltas bool) (list []string) {
		at := `"output_index":` + strconv.Itoa(index) + `,"content_index":0`
		part := `{"type":"output_text","text":"` + text + `"}`
		if deltas {
			list = append(list, `{"type":"response.output_text.delta",`+at+`,"delta":"`+text[:2]+`"}`, `{"type":"response.output_text.delta",`+at+`,"delta":"`+text[2:]+`"}`)
		}
		return append(list, `{"type":"response.output_text.done",`+at+`,"text":"`+text+`"}`, `{"type":"response.content_part.done",`+at+`,"part":`+part+`}`,
			`{"type":"response.output_item.done","output_index":`+strconv.Itoa(index)+`,"item":{"type":"message","content":[`+part+`]}}`)
	}
	whole := `{"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"One "}]},` +
		`{"type":"message","content":[{"type":"output_text","text":"and two"}]}]}`
	for _, deltas := range [][2]bool{{true, true}, {true, false}, {false, false}} {
		list := []string{`{"type":"response.created","response":{"id":"r","status":"in_progress"}}`}
		list = append(append(list, message(0, "One ", deltas[0])...), message(1, "and two", deltas[1])...)
		list = numbered(append(list, `{"type":"response.completed","response":`+whole+`}`)...)
		for n := range list {
			broken := feed(t, NewStream(Responses, fault.OpenAI, nil), events(list[:n]...))
			s := NewStream(Responses, fault.OpenAI, nil)
			s.From(broken.Cursor)
			g := take(t, s, chop(events(list[n:]...), 7)...)
			if got := joined(broken.log, g.log, Text); got != "One and two" || g.summary() != "complete completed" {
				t.Errorf("%v, after %d events: %q %s", deltas, n, got, g.summary())
			}
		}
	}
}

// A resumed stream that leaves events out is a break, unless its end brings everything.
func TestResponsesGap(t *testing.T) {
	at := Cursor{ID: "resp_1", Next: 7, Text: 5}
	for _, c := range []struct{ events, log, summary string }{
		{`{"type":"response.output_text.delta","sequence_number":9,"delta":"!"}`, "", "failed truncated"},
		{`{"type":"response.completed","sequence_number":9,"response":{"status":"completed","output":[]}}`, "", "failed truncated"},
		{`{"type":"response.completed","sequence_number":9,"response":` + responseWhole + `}`, "tool c1 f({\"a\":1})\n", "complete completed"},
		{`{"type":"response.failed","sequence_number":9,"response":{"status":"failed","error":{"code":"server_error"}}}`, "", "failed server_error failed"},
		{`{"type":"error","sequence_number":9,"code":"server_error"}`, "", "failed server_error"},
	} {
		s := NewStream(Responses, fault.OpenAI, nil)
		s.From(at)
		if g := take(t, s, events(c.events)); g.log != c.log || g.summary() != c.summary {
			t.Errorf("%s: %s %q", c.events, g.summary(), g.log)
		}
	}
}

// A stored answer that holds less than what came of it is not whole.
func TestResponsesShort(t *testing.T) {
	for body, want := range map[string]string{
		`{"status":"completed","output":[]}`: "failed truncated",
		`{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hel"}]}]}`:  "failed truncated",
		`{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hell"}]}]}`: "complete completed",
		`{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`:                  "filtered content_filter",
	} {
		s := NewStream(Responses, fault.OpenAI, nil)
		s.From(Cursor{ID: "resp_1", Next: 7, Text: 4})
		if g := take(t, s, body); g.summary() != want || g.log != "" {
			t.Errorf("%s: %s %q", body, g.summary(), g.log)
		}
	}
}

// A response that is still being made says so and brings what there is.
func TestPending(t *testing.T) {
	s := NewStream(Responses, fault.OpenAI, nil)
	s.From(Cursor{ID: "resp_1", Text: 2})
	g := feed(t, s, strings.Replace(responseWhole, `"completed"`, `"in_progress"`, 1))
	if g.log != "reasoning \"Hm.\"\ntext \"llo\"\n" && g.log != "text \"llo\"\n" || !s.Pending || !s.Done || s.End != Open {
		t.Errorf("pending %v done %v: %s", s.Pending, s.Done, g.log)
	}
	again := NewStream(Responses, fault.OpenAI, nil)
	again.From(s.Cursor)
	if g := take(t, again, responseWhole); g.log != "tool c1 f({\"a\":1})\n" || g.summary() != "complete completed" {
		t.Errorf("%s: %s", g.summary(), g.log)
	}
	ticket := NewStream(Chat, fault.XAI, nil)
	if feed(t, ticket, `{"request_id":"q1"}`); !ticket.Pending || ticket.Cursor.ID != "q1" {
		t.Errorf("pending %v, %+v", ticket.Pending, ticket.Cursor)
	}
}
