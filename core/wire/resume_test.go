package wire

import (
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/sse"
)

func TestWays(t *testing.T) {
	const background = `{"background":true,"stream":true}`
	for _, c := range []struct {
		name                       string
		p                          fault.Provider
		api                        API
		url, body                  string
		at                         Cursor
		resume, retrieve, withdraw string // "" when there is no way
	}{
		{"a background response", fault.OpenAI, Responses, "https://h/v1/responses", background, Cursor{ID: "resp_1", Next: 13},
			"https://h/v1/responses/resp_1?stream=true&starting_after=12", "https://h/v1/responses/resp_1", "https://h/v1/responses/resp_1/cancel"},
		{"from its first event", fault.OpenAI, Responses, "/v1/responses/?v=1", background, Cursor{ID: "resp_1", Next: 1},
			"/v1/responses/resp_1?v=1&stream=true&starting_after=0", "/v1/responses/resp_1?v=1", "/v1/responses/resp_1/cancel?v=1"},
		{"before its first event", fault.OpenAI, Responses, "/v1/responses", background, Cursor{}, "", "", ""},
		{"a stored response", fault.OpenAI, Responses, "/v1/responses", `{}`, Cursor{ID: "r", Next: 1}, "", "/v1/responses/r", ""},
		{"a response that is not stored", fault.OpenAI, Responses, "/v1/responses", `{"background":true,"store":false}`, Cursor{ID: "r"}, "", "", ""},
		{"xai", fault.XAI, Responses, "/v1/responses", `{"store":false}`, Cursor{ID: "r", Next: 4}, "", "/v1/responses/r", ""},
		{"xai, deferred", fault.XAI, Chat, "https://h/v1/chat/completions", `{"deferred":true}`, Cursor{ID: "q"}, "", "https://h/v1/chat/deferred-completion/q", ""},
		{"xai, chat", fault.XAI, Chat, "/v1/chat/completions", `{}`, Cursor{ID: "q"}, "", "", ""},
		{"a background interaction", fault.Gemini, Interactions, "/v1beta/interactions", background, Cursor{ID: "v1_x", Event: "e/1 2"},
			"/v1beta/interactions/v1_x?stream=true&last_event_id=e%2F1%202", "/v1beta/interactions/v1_x", "/v1beta/interactions/v1_x/cancel"},
		{"an interaction without event ids", fault.Gemini, Interactions, "/v1beta/interactions?key=k", background, Cursor{ID: "v1_x"},
			"/v1beta/interactions/v1_x?key=k&stream=true", "/v1beta/interactions/v1_x?key=k", "/v1beta/interactions/v1_x/cancel?key=k"},
		{"an interaction that dies with its connection", fault.Gemini, Interactions, "/v1beta/interactions", `{}`, Cursor{ID: "v1_x", Event: "e"}, "", "/v1beta/interactions/v1_x", ""},
		{"anthropic", fault.Anthropic, Messages, "/v1/messages", `{}`, Cursor{ID: "msg_1"}, "", "", ""},
		{"gemini", fault.Gemini, Generate, "/v1beta/models/x:generateContent", `{}`, Cursor{ID: "r"}, "", "", ""},
		{"gloo", fault.Gloo, Responses, "/ai/v2/guarded/responses", background, Cursor{ID: "r", Next: 3}, "", "", ""},
	} {
		sent := Request{Method: "POST", URL: c.url, Body: json.Value(c.body)}
		for _, way := range []struct {
			name, method, want string
			ask                func(fault.Provider, API, Request, Cursor) (Request, bool)
		}{
			{"resume", "GET", c.resume, Resume}, {"retrieve", "GET", c.retrieve, Retrieve}, {"withdraw", "POST", c.withdraw, Withdraw},
		} {
			got, ok := way.ask(c.p, c.api, sent, c.at)
			if got.URL != way.want || ok != (way.want != "") || ok && got.Method != way.method || got.Body != nil {
				t.Errorf("%s, %s: %+v %v, want %q", c.name, way.name, got, ok, way.want)
			}
		}
	}
}

// An answer that its end tells differently from its pieces stays what was taken; behind that, nothing of
// another one fits.
func TestToldDifferently(t *testing.T) {
	for _, c := range []struct{ api, piece, end, whole string }{
		{"responses", `{"type":"response.output_text.delta","delta":"Hello 😀"}`, `{"type":"response.completed","response":WHOLE}`,
			`{"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"TEXT"}]}]}`},
		{"interactions", `{"event_type":"step.delta","delta":{"type":"text","text":"Hello 😀"}}`, `{"event_type":"interaction.completed","interaction":WHOLE}`,
			`{"id":"r","status":"completed","steps":[{"type":"model_output","content":[{"type":"text","text":"TEXT"}]}]}`},
	} {
		for _, told := range []struct {
			text, more string
			document   End // of one that is fetched behind the pieces
		}{
			{"Hello 😀", "", Complete},
			{"Hello 😀 world", " world", Complete},
			{"Hallo 😀 und mehr", "", Failed}, // once "und mehr" without its beginning
			{"Hello", "", Failed},
		} {
			whole := strings.ReplaceAll(c.whole, "TEXT", told.text)
			s := NewStream(API(c.api), fault.OpenAI, nil)
			s.Event(sse.Event{Data: []byte(c.piece)})
			s.Take()
			kept := NewStream(API(c.api), fault.OpenAI, nil)
			kept.From(s.Cursor)
			s.Event(sse.Event{Data: []byte(strings.ReplaceAll(c.end, "WHOLE", whole))})
			kept.Event(sse.Event{Data: []byte(whole), Bare: true})
			for _, s := range []*Stream{s, kept} {
				more := ""
				for _, d := range s.Take() {
					more += string(d.Text)
				}
				if more != told.more {
					t.Errorf("%s, %q: %q is added", c.api, told.text, more)
				}
			}
			if s.End != Complete || kept.End != told.document {
				t.Errorf("%s, %q: %v, and %v of the document", c.api, told.text, s.End, kept.End)
			}
		}
	}
}
