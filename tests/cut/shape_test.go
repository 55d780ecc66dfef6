package cut

import (
	"strings"
	"testing"

	"holdfast/core"
	"holdfast/core/json"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// asked are the ways to ask for JSON.
var asked = map[string]string{
	"openai chat":        `"response_format":{"type":"json_object"}`,
	"xai responses":      `"text":{"format":{"type":"json_schema","name":"n","schema":{}},"verbosity":"low"}`,
	"anthropic messages": `"output_config":{"format":{"type":"json_schema","schema":{}},"effort":"low"}`,
	"gemini generate":    `"generationConfig":{"responseMimeType":"application/json","responseSchema":{},"seed":1}`,
}

// TestShape: an answer that was to be JSON goes on without that being asked for, since nothing that goes on in
// the middle of JSON is JSON; it is whole when its parts are JSON, and else its reader is told.
func TestShape(t *testing.T) {
	const first, anew = `{"tips": ["rest well", "drink water", "walk far"]}`, `{ "tips" : [ "rest well" , "drink water" , "walk far" ] }`
	for name, shape := range asked {
		for next, ends := range map[string]wire.End{first: wire.Complete, anew: wire.Failed} {
			s := named(t, name)
			s.body = strings.Replace(s.body, "{", "{"+shape+",", 1)
			one := s.plan(script(first, `{"endAfterWords":3,"end":"reset"}`, `{}`))
			two := s.plan(script(next, `{}`, `{}`))
			var body json.Value
			got := Play(s.raw(), func(n int, r *core.Request) sim.Exchange {
				if n == 1 {
					return one(n, r)
				}
				body = append(json.Value(nil), r.Body...)
				return two(n, r)
			}, 0)
			text, ended, _ := s.read(t, got.Body)
			if ended != ends || (got.Status == core.Complete) != (ends == wire.Complete) || ends == wire.Complete && text != first {
				t.Errorf("%s: %v %s %q in\n%s", name, ended, got.Status, text, got.Body)
			}
			if got.Requests != 2 || strings.Contains(string(body), "schema") || strings.Contains(string(body), "son_object") || strings.Contains(string(body), "application/json") {
				t.Errorf("%s: %d requests, the last one %s", name, got.Requests, body)
			}
			for _, kept := range []string{`"verbosity":"low"`, `"effort":"low"`, `"seed":1`} {
				if strings.Contains(shape, kept) && !strings.Contains(string(body), kept) {
					t.Errorf("%s: without %s: %s", name, kept, body)
				}
			}
		}
	}
}
