package wire

import (
	"strings"
	"testing"

	"holdfast/core/fault"
)

// candidate is a chunk with parts and what follows them.
func candidate(parts, more string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]},"index":0` + more + `}],"modelVersion":"gemini-x","responseId":"r1"}`
}

// finished is the last chunk of a stream.
func finished(word string) string {
	return `{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"s"}],"role":"model"},"finishReason":"` + word + `","index":0}],` +
		`"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":185,"toolUsePromptTokenCount":4,"cachedContentTokenCount":3,"totalTokenCount":200}}`
}

// call is a part with a piece of a function call.
func call(inner string) string { return candidate(`{"functionCall":{`+inner+`}}`, "") }

// piece is a call's argument, or a part of it, that goes on.
func piece(path, value string) string {
	return call(`"partialArgs":[{"jsonPath":"` + path + `",` + value + `}],"willContinue":true`)
}

var generateTranscripts = []transcript{
	{
		name: "thoughts, then text",
		body: events(candidate(`{"text":"Hm.","thought":true}`, ""),
			`{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,"totalTokenCount":10}}`,
			`{"usageMetadata":{"promptTokenCount":9,"totalTokenCount":11}}`, candidate(`{"text":"lo"}`, ""), finished("STOP")),
		log:     "reasoning \"Hm.\"\ntext \"Hello\"\n",
		summary: "complete STOP",
		check: func(t *testing.T, s *Stream) {
			usage(Usage{Input: 13, Output: 187, Total: 200, Cached: 3, ToolPrompt: 4, Reasoning: 185})(t, s)
			if s.ID != "r1" || s.Model != "gemini-x" {
				t.Errorf("%q %q done %v", s.ID, s.Model, s.Done)
			}
		},
	},
	// Older models, and servers that imitate them, say STOP with every piece.
	{name: "STOP with every piece", body: events(candidate(`{"text":"One "}`, `,"finishReason":"STOP"`), candidate(`{"text":"two "}`, `,"finishReason":"STOP"`), candidate(`{"text":"three"}`, `,"finishReason":"STOP"`), `{"usageMetadata":{"totalTokenCount":9}}`), log: "text \"One two three\"\n", summary: "complete STOP"},
	{name: "STOP before the first piece", body: events(candidate(``, `,"finishReason":"STOP"`), candidate(`{"text":"Hi"}`, ""), candidate(``, `,"finishReason":"STOP"`)), log: "text \"Hi\"\n", summary: "complete STOP"},
	{name: "STOP with every piece, and a cut", body: events(candidate(`{"text":"One "}`, `,"finishReason":"STOP"`), candidate(`{"text":"two "}`, "")), log: "text \"One two \"\n", summary: "failed truncated"},
	{name: "STOP with every piece, and an error", body: events(candidate(`{"text":"One "}`, `,"finishReason":"STOP"`), candidate(`{"text":"two "}`, `,"finishReason":"STOP"`), `{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`), log: "text \"One two \"\n", summary: "failed overloaded"},
	{name: "STOP, and another word at last", body: events(candidate(`{"text":"One "}`, `,"finishReason":"STOP"`), candidate(`{"text":"two"}`, `,"finishReason":"MAX_TOKENS"`)), log: "text \"One two\"\n", summary: "complete MAX_TOKENS"},
	{name: "STOP, and a filter at last", body: events(candidate(`{"text":"One "}`, `,"finishReason":"STOP"`), finished("SAFETY")), log: "text \"One \"\n", summary: "filtered SAFETY"},
	{name: "STOP with every tool call", body: events(candidate(`{"functionCall":{"name":"f","args":{}}}`, `,"finishReason":"STOP"`), candidate(`{"functionCall":{"name":"g","args":{}}}`, `,"finishReason":"STOP"`)), log: "tool  f({})\ntool  g({})\n", summary: "complete STOP"},
	{name: "a signature behind STOP", body: events(candidate(`{"text":"Hi"}`, `,"finishReason":"STOP"`), candidate(`{"text":"","thoughtSignature":"S"}`, `,"finishReason":"STOP"`), `{"error":{"code":503,"message":"late"}}`), log: "text \"Hi\"\n", summary: "complete STOP"},
	{name: "nothing but STOP", body: events(candidate(``, `,"finishReason":"STOP"`), candidate(`{"text":""}`, `,"finishReason":"STOP"`)), summary: "failed empty_completion STOP"},
	{name: "a thought, and STOP", body: events(candidate(`{"text":"Hm","thought":true}`, ``), candidate(`{"text":"","thoughtSignature":"S"}`, `,"finishReason":"STOP"`)), log: "reasoning \"Hm\"\n", summary: "failed empty_completion STOP"},
	{
		name:    "tool calls",
		body:    events(call(`"name":"f","args":{"a":1},"id":"c1"`), call(`"name":"f","args":{"a":1}`), call(`"name":"now"`), finished("STOP")),
		log:     "tool c1 f({\"a\":1})\ntool  f({\"a\":1})\ntool  now({})\n",
		summary: "complete STOP",
	},
	{
		name: "a tool call in pieces",
		body: events(call(`"name":"f","willContinue":true`),
			piece("$.items[0].name", `"stringValue":"Ap","willContinue":true`),
			piece("$.items[0].name", `"stringValue":"ple \ud83d","willContinue":true`),
			piece("$.items[0].name", `"stringValue":"\ude00"`),
			call(`"willContinue":true`),
			piece("$.items[0].price", `"numberValue":0.5`), piece("$.items[1]['a b']", `"boolValue":true`), piece("$.none", `"nullValue":"NULL_VALUE"`),
			call(``), finished("STOP")),
		log:     "tool  f({\"items\":[{\"name\":\"Apple \\ud83d\\ude00\",\"price\":0.5},{\"a b\":true}],\"none\":null})\n",
		summary: "complete STOP",
	},
	{
		name: "a tool call that its last piece closes",
		body: events(call(`"name":"f","willContinue":true`), call(`"partialArgs":[{"jsonPath":"$.n","numberValue":1}]`), call(``),
			call(`"name":"g","willContinue":true`), call(``), finished("STOP")),
		log:     "tool  f({\"n\":1})\ntool  g({})\n",
		summary: "complete STOP",
	},
	{
		name:    "a tool call that is never closed",
		body:    events(call(`"name":"f","willContinue":true`), piece("$.n", `"numberValue":1`), finished("STOP")),
		summary: "failed malformed_tool_call STOP",
	},
	{
		name: "pieces without a place",
		body: events(candidate(`{"text":"So"}`, ""), call(`"name":"f","willContinue":true`), piece("$.a[3]", `"numberValue":1`), call(``),
			call(`"name":"f","willContinue":true`), piece("$.a", `"stringValue":"x"`), piece("$.a.b", `"stringValue":"x"`), call(``), finished("STOP")),
		log:     "text \"So\"\n",
		summary: "complete STOP",
	},
	{
		name:    "the token limit",
		body:    events(candidate(`{"text":"So"}`, `,"finishReason":"MAX_TOKENS"`)),
		log:     "text \"So\"\n",
		summary: "complete MAX_TOKENS",
	},
	{name: "the limit of one request", body: events(candidate(`{"text":"One"}`, `,"finishReason":"CONTINUATION","continuationToken":"t"`)), log: "text \"One\"\n", summary: "complete CONTINUATION"},
	{name: "the token limit before a word", body: events(candidate("", `,"finishReason":"MAX_TOKENS"`)), summary: "complete MAX_TOKENS"},
	{name: "a filter", body: events(candidate(`{"text":"So"}`, ""), candidate("", `,"finishReason":"RECITATION"`)), log: "text \"So\"\n", summary: "filtered RECITATION"},
	{name: "a refused prompt", body: events(`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":9}}`), summary: "filtered SAFETY"},
	{name: "a prompt that was only looked at", body: events(`{"promptFeedback":{"safetyRatings":[]}}`, candidate(`{"text":"Hi"}`, `,"finishReason":"STOP"`)), log: "text \"Hi\"\n", summary: "complete STOP"},
	{name: "no reason", body: events(candidate(`{"text":"Half"}`, `,"finishReason":"FINISH_REASON_UNSPECIFIED"`)), log: "text \"Half\"\n", summary: "failed truncated"},
	{name: "an accident of the model", body: events(candidate("", `,"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"m"`)), summary: "failed malformed_tool_call MALFORMED_FUNCTION_CALL"},
	{name: "a reason that nobody knows", body: events(candidate(`{"text":"So"}`, `,"finishReason":"BRAND_NEW"`)), log: "text \"So\"\n", summary: "failed server_error BRAND_NEW"},
	{name: "nothing in it", body: events(finished("STOP")), summary: "failed empty_completion STOP"},
	{name: "a picture", body: events(candidate(`{"inlineData":{"mimeType":"image/png","data":"AA=="},"thoughtSignature":"s"}`, `,"finishReason":"STOP"`)), summary: "complete STOP"},
	{name: "an error", body: events(candidate(`{"text":"Half"}`, ""), `{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`), log: "text \"Half\"\n", summary: "failed overloaded"},
	{name: "an error in an array", body: events(`[{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}]`), summary: "failed overloaded"},
	{name: "an error with a name", body: "event: error\ndata: {\"code\":503,\"message\":\"m\",\"status\":\"UNAVAILABLE\"}\n\n", summary: "failed overloaded"},
	{name: "an error that is no event", body: events(candidate(`{"text":"Half"}`, "")) + "{\"error\":{\"code\":503,\n\"message\":\"m\",\"status\":\"UNAVAILABLE\"}}", log: "text \"Half\"\n", summary: "failed overloaded"},
	{
		name:    "an array in pieces",
		body:    "[" + strings.Join([]string{candidate(`{"text":"Hel"}`, ""), candidate(`{"text":"lo"}`, ""), finished("STOP")}, "\n,\r\n") + "\n]\n",
		log:     "text \"Hello\"\n",
		summary: "complete STOP",
	},
	{name: "an array cut off", body: "[" + candidate(`{"text":"Half"}`, "") + "\n,\r\n{\"candid", log: "text \"Half\"\n", summary: "failed truncated"},
	{name: "an array cut between elements", body: "[" + candidate(`{"text":"Half"}`, "") + "\n,", log: "text \"Half\"\n", summary: "failed truncated"},
	{name: "an array with an error", body: "[" + candidate(`{"text":"Half"}`, "") + ",{\"error\":{\"code\":500,\"status\":\"INTERNAL\",\"message\":\"m\"}}]", log: "text \"Half\"\n", summary: "failed server_error"},
	{name: "an error alone in an array", body: "[{\n  \"error\": {\"code\": 503, \"message\": \"m\", \"status\": \"UNAVAILABLE\"}\n}]", summary: "failed overloaded"},
	{name: "an empty array", body: "[]", summary: "failed truncated"},
	{name: "a whole answer", body: strings.ReplaceAll(candidate(`{"text":"Hm","thought":true},{"text":"Hi"},{"functionCall":{"name":"f","args":{}}}`, `,"finishReason":"STOP"`), ",", ",\n"), log: "reasoning \"Hm\"\ntext \"Hi\"\ntool  f({})\n", summary: "complete STOP"},
}

func TestGenerate(t *testing.T) { run(t, Generate, fault.Gemini, generateTranscripts) }

// An array comes out as it arrives, not at its end.
func TestGenerateArrayStreams(t *testing.T) {
	s := NewStream(Generate, fault.Gemini, nil)
	if g := feed(t, s, "[", candidate(`{"text":"Hel"}`, ""), ",\r\n"+candidate(`{"text":"l`, "")[:60]); g.log != "text \"Hel\"\n" {
		t.Errorf("got %s", g.log)
	}
}
