package wire

import (
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
)

// told writes events of the gateway: messages, and the offset behind them.
func told(offset string, messages ...string) string {
	closed := ""
	if strings.Contains(offset, "!") {
		offset, closed = strings.Trim(offset, "!"), `,"streamClosed":true`
	}
	data := ""
	if len(messages) > 0 {
		data = "event: data\ndata:[" + strings.Join(messages, ",") + "]\n\n"
	}
	return data + "event: control\ndata:{\"streamNextOffset\":\"" + offset + "\"" + closed + "}\n\n"
}

const theEnd = `{"type":"done","result":{"status":"complete","finishReason":"stop","model":"m","usage":{"inputTokens":3,"outputTokens":9},"costUsd":0.5}}`

var answersTranscripts = []transcript{
	{
		name: "deltas of each kind and the result",
		body: told("o1", `{"type":"reasoning","text":"Hm."}`, `{"type":"text","text":"Hel"}`) + ": ping\n\n" +
			told("o2", `{"type":"text","text":"lo"}`, `{"type":"tool_call","id":"c","name":"f","arguments":"{}"}`) + told("o3!", theEnd),
		log:     "reasoning \"Hm.\"\ntext \"Hello\"\ntool c f({})\n",
		summary: "complete stop",
		check: func(t *testing.T, s *Stream) {
			usage(Usage{Input: 3, Output: 9, CostTicks: 5_000_000_000})(t, s)
			if s.Cursor.Event != "o3" || s.Told.Get("costUsd") == nil || s.Model != "m" {
				t.Errorf("%+v, told %s", s.Cursor, s.Told)
			}
		},
	},
	{
		name:    "an answer that failed there has come to its end",
		body:    told("o1!", `{"type":"text","text":"Half"}`, `{"type":"done","result":{"status":"interrupted","error":{"reason":"overloaded"}}}`),
		log:     "text \"Half\"\n",
		summary: "complete ",
	},
	{
		name:    "messages without their offset are dropped",
		body:    told("o1", `{"type":"text","text":"One"}`) + "event: data\ndata:[{\"type\":\"text\",\"text\":\" two\"}]\n\n",
		log:     "text \"One\"\n",
		summary: "failed truncated",
		check: func(t *testing.T, s *Stream) {
			if s.Cursor.Event != "o1" || s.Cursor.Text != 3 {
				t.Errorf("%+v", s.Cursor)
			}
		},
	},
	{
		name:    "closed without a result",
		body:    told("o1!", `{"type":"text","text":"Half"}`),
		log:     "text \"Half\"\n",
		summary: "failed unknown",
	},
	{
		name:    "a text that is longer than its control event, again and again",
		body:    told("1", `{"type":"text","text":"`+strings.Repeat("a", 90)+`"}`) + told("2", `{"type":"text","text":"`+strings.Repeat("b", 900)+`"}`) + told("3!", theEnd),
		log:     "text \"" + strings.Repeat("a", 90) + strings.Repeat("b", 900) + "\"\n",
		summary: "complete stop",
	},
	{name: "no offset", body: "event: control\ndata:{}\n\n", summary: "failed malformed_stream"},
	{name: "no result", body: told("1!", `{"type":"done"}`), summary: "failed malformed_stream"},
}

func TestAnswers(t *testing.T) { run(t, Answers, fault.OpenAI, answersTranscripts) }
func FuzzAnswers(f *testing.F) { fuzzReader(f, Answers, fault.OpenAI, answersTranscripts) }

// An answer has one address, whatever it was asked for with.
func TestAnswerURL(t *testing.T) {
	at := Cursor{ID: "id-1", Event: "a_1 &"}
	for _, base := range []string{"https://g.test", "https://g.test/answers", "https://g.test/my/gateway"} {
		for _, path := range []string{"/answers", "/answers/v1/chat/completions", "/answers/gemini/v1beta/models/g:streamGenerateContent?alt=sse"} {
			sent := Request{Method: "POST", URL: base + path}
			resume, _ := Resume(fault.XAI, Answers, sent, at)
			stop, _ := Withdraw(fault.XAI, Answers, sent, at)
			if resume.Method != "GET" || resume.URL != base+"/answers/id-1?offset=a_1%20%26&live=sse" || stop.Method != "POST" || stop.URL != base+"/answers/id-1/cancel" {
				t.Errorf("%s: %s %s, %s %s", sent.URL, resume.Method, resume.URL, stop.Method, stop.URL)
			}
		}
	}
}

func TestFormOf(t *testing.T) {
	for _, c := range []struct {
		api        API
		path, body string
		want       API
	}{
		{Chat, "/v1/responses", `{}`, Chat},
		{Answers, "/answers", `{"messages":[]}`, Chat},
		{Answers, "/answers", `{"input":"x"}`, Responses},
		{Answers, "/answers/v1/responses", `{"messages":[]}`, Responses},
		{Answers, "/answers/anthropic/v1/messages", `{"messages":[]}`, Messages},
	} {
		if got := FormOf(c.api, c.path, json.Value(c.body)); got != c.want {
			t.Errorf("%s %s %s: %s, want %s", c.api, c.path, c.body, got, c.want)
		}
	}
}
