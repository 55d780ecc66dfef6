package sim

import (
	"errors"
	"strconv"
	"strings"
)

// Scenario is a script with a name.
type Scenario struct {
	Name        string
	Title       string
	Description string // one sentence for people who choose what to break
	Script      string // see Script
}

// Scenarios are what can be asked for by name, in the order in which a page lists them.
var Scenarios = []Scenario{
	{"healthy", "Nothing fails", "Every word arrives.",
		`{}`},
	{"slow", "A slow answer", "Words trickle in with long gaps; nothing is wrong.",
		`{"requests":[{"firstMs":1500,"gapMs":150}],"continuations":[{"gapMs":150}]}`},

	// Refused before the first word.
	{"rate_limit_then_ok", "Too many requests", "429 with Retry-After: 1, then the answer.",
		`[{"error":"rate_limit","retryAfter":1},{}]`},
	{"unavailable_then_ok", "Unavailable once", "503 without a hint, then the answer.",
		`[{"error":"provider_unavailable"},{}]`},
	{"unavailable", "Unavailable for good", "503 to every request.",
		`{"error":"provider_unavailable"}`},
	{"service_unavailable_30s", "Busy for 30 seconds", "503 with Retry-After: 30: longer than a person waits.",
		`{"error":"service_unavailable","retryAfter":30}`},
	{"internal_error", "Internal error", "500 that says it must not be retried.",
		`{"error":"internal_error"}`},
	{"inference_error_then_ok", "Inference error once", "500 that says it may be retried, then the answer.",
		`[{"error":"provider_inference_error"},{}]`},
	{"unauthorized", "Wrong key", "401: nothing helps but another key.",
		`{"error":"unauthorized"}`},
	{"billing", "No credit", "402: nothing helps but paying.",
		`{"error":"billing"}`},
	{"account_limit", "Account limit", "429 that is about the account and must not be retried.",
		`{"error":"account_limit"}`},
	{"policy_refusal", "Against the policy", "400: the content policy refuses this request.",
		`{"error":"policy_refusal"}`},
	{"validation", "Not a valid request", "422: a field is missing.",
		`{"error":"validation"}`},
	{"context_length", "Too long", "400: the conversation does not fit the model.",
		`{"error":"context_length_exceeded"}`},
	{"gateway_deadline", "Past the deadline", "504: the answer took longer than the gateway waits; asking again takes as long.",
		`{"error":"gateway_deadline","delayMs":1000}`},
	{"html_502", "A proxy's error page", "502 with a page of HTML from a proxy.",
		`{"status":502,"body":"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"}`},
	{"empty_body", "An empty error", "500 without a body.",
		`{"status":500,"body":""}`},
	{"reset_before_headers", "Reset at once", "The connection is reset before any response, then the answer.",
		`[{"beforeHeaders":true,"end":"reset"},{}]`},
	{"error_first", "Error as first event", "200, but the first event is an error; then the answer.",
		`[{"error":"provider_stream_error","errorAfterWords":0},{}]`},
	{"empty", "An empty answer", "A proper end without a word.",
		`{"finishAfterWords":0}`},
	{"json_instead", "A document for a stream", "A stream was asked for, one JSON document comes.",
		`{"asJson":true}`},

	// Broken in the middle.
	{"error_mid", "Error in the middle", "An error event after 60 words that allows another try.",
		`[{"error":"provider_stream_error","errorAfterWords":60},{}]`},
	{"error_mid_final", "Final error in the middle", "An error event after 60 words that forbids another try.",
		`[{"error":"internal_error","errorAfterWords":60,"retryable":false},{}]`},
	{"cut_reset", "Connection reset", "A reset after 80 words.",
		`[{"endAfterWords":80,"end":"reset"},{}]`},
	{"cut_clean", "Ends too early", "The stream just ends after 80 words, as if it were complete.",
		`[{"endAfterWords":80,"end":"close"},{}]`},
	{"cut_twice", "Cut twice", "Cut after 80 words, and the continuation is cut as well.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}],"continuations":[{"endAfterWords":40,"end":"reset"},{}]}`},
	{"stall", "Silence", "After 50 words nothing comes any more, though the connection stays.",
		`[{"endAfterWords":50,"end":"hang"},{}]`},
	{"stall_heartbeat", "Silence with heartbeats", "After 50 words only comments come. They count as life, so Stop ends it.",
		`[{"endAfterWords":50,"end":"hang","heartbeatMs":1000},{}]`},
	{"malformed", "A broken event", "The event after 60 words is not JSON.",
		`[{"malformedAfterWords":60},{}]`},
	{"no_terminal", "No proper end", "All words arrive, but nothing says that the answer is complete.",
		`[{"noTerminal":true},{}]`},
	{"no_done", "No [DONE]", "The answer says that it is complete, but the stream's own end mark is missing.",
		`{"noDone":true}`},
	{"split_utf8", "Split characters", "Every network write holds five bytes, in the middle of characters.",
		`{"words":40,"chunkBytes":5,"chunkMs":1}`},

	// How the model goes on.
	{"repeats_word", "Repeats a word", "Cut; the continuation starts with the last word again.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}],"continuations":[{"continues":"last_word"}]}`},
	{"repeats_sentence", "Repeats a sentence", "Cut; the continuation starts with the last sentence again.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}],"continuations":[{"continues":"last_sentence"}]}`},
	{"starts_over", "Starts over", "Cut; asked to continue, the model gives the whole answer again.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}],"continuations":[{"continues":"restart"}]}`},
	{"fence", "Inside a code block", "Cut inside a code block, which the continuation opens again.",
		`{"requests":[{"endAfterWords":440,"end":"reset"}],"continuations":[{"continues":"fence"}]}`},
	{"continue_refused", "Continuation refused", "Cut; the continuation is answered by 503.",
		`{"requests":[{"endAfterWords":80,"end":"reset"}],"continuations":[{"error":"provider_unavailable"}]}`},

	// Ends that are not "stop".
	{"content_filter", "Content filter", "After 50 words the content filter ends the answer.",
		`{"finish":"content_filter","finishAfterWords":50}`},
	{"refusal", "The model refuses", "The model says that it will not answer.",
		`{"refusal":"I am sorry, but I cannot help with that."}`},
	{"tool_call", "A tool call", "The model calls a function.",
		`{"tool":true,"finishAfterWords":12}`},
	{"tool_cut", "A tool call cut off", "The connection is reset in the middle of a function's arguments.",
		`{"tool":true,"finishAfterWords":12,"endAfterParts":2,"end":"reset"}`},
	{"length_reasoning", "Thought too long", "The model spends its output limit on thinking and says nothing.",
		`{"reasoning":"The question is about tidepools, so I should think about waves, and about limpets, and about what a storm does to both of them.","finish":"length","finishAfterWords":0}`},
	{"redirected", "Another model", "A deprecated model: its replacement answers.",
		`{"redirectTo":"gloo-anthropic-claude-opus-5.5"}`},
}

// scriptFor reads what x-sim holds: a script, or the name of a scenario.
func scriptFor(asked string) (Script, error) {
	if strings.HasPrefix(asked, "{") || strings.HasPrefix(asked, "[") {
		return ParseScript(asked)
	}
	for _, list := range [][]Scenario{Scenarios, Providers, Bench} {
		for _, scenario := range list {
			if strings.EqualFold(scenario.Name, asked) {
				return ParseScript(scenario.Script)
			}
		}
	}
	return Script{}, errors.New("sim: there is no scenario " + strconv.Quote(asked))
}
