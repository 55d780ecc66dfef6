package fault

import (
	"runtime"
	"strings"
	"testing"
)

func TestEnvelope(t *testing.T) {
	for _, c := range []struct{ body, code, typ, message string }{
		{`{"error":{"message":"m","type":"t","code":"c"}}`, "c", "t", "m"},
		{`{"error":{"message":"m","type":null,"code":7}}`, "", "", "m"},
		{`{"error":{"message":{"message":"inner"},"code":true}}`, "", "", "inner"},
		{`{"error":{"message":{"a":1}}}`, "", "", `{"a":1}`},
		{`{"error":{"message":["a"]}}`, "", "", `["a"]`},
		{`{"error":"m"}`, "", "", "m"},
		{`{"error":"m","code":"c"}`, "c", "", "m"},
		{`{"error":"c","message":"m"}`, "c", "", "m"}, // Gloo's Data Engine
		{`{"error":"invalid_client","error_description":"m"}`, "invalid_client", "", "m"},
		{`{"error":[{"code":"c","message":"m"}],"success":false}`, "c", "", "m"},
		{`{"errors":[{"message":"m"},{"message":"n"}]}`, "", "", "m"},
		{`{"errors":["m"]}`, "", "", "m"},
		{`{"message":"m"}`, "", "", "m"},
		{`{"msg":"m","code":"c"}`, "c", "", "m"},
		{`{"detail":"m"}`, "", "", "m"},
		{`{"detail":{"code":"c","message":"m"}}`, "c", "", "m"},
		{`{"detail":[{"loc":["body","messages",0,"content"],"msg":"Field required"}]}`, "", "validation_error", "messages.0.content: Field required"},
		{`{"detail":[{"msg":"a"},"b",{"loc":["query","q"],"msg":"c"}]}`, "", "validation_error", "a; b; query.q: c"},
		{`{"error":{"detail":[{"loc":["body","m"],"msg":"x"}]}}`, "", "", "m: x"},
		{`"m"`, "", "", "m"},
		{`["m"]`, "", "", "m"},
		{`[[{"error":{"message":"m"}}]]`, "", "", "m"},
		{`{"error":{"error":{"message":"m","code":"c"}}}`, "c", "", "m"},
		{`{"error":"{\"error\":{\"message\":\"m\",\"code\":\"c\"}}"}`, "c", "", "m"},
		{`"{\"error\":{\"message\":\"m\"}}"`, "", "", "m"},
		{`got status: 503 Service Unavailable. {"error":{"message":"m"}}`, "", "", "m"},
		{`{"error":{"message":"bad value {\"code\":5}"}}`, "", "", `bad value {"code":5}`},
		{`{"error":{"message":"{\"code\":\"c\"} is a bad value"}}`, "", "", `{"code":"c"} is a bad value`},
		{`{"response":{"error":{"message":"m","code":"c"}},"type":"response.failed"}`, "c", "", "m"},
		{`{"type":"error","code":"c","message":"m"}`, "c", "", "m"},
		{`{"choices":[{"error":{"message":"m"}}]}`, "", "", "m"},
		{`{"error":{"message":"Provider returned error","metadata":{"raw":"why"}}}`, "", "", "Provider returned error: why"},
		{`{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"code\":\"c\",\"message\":\"why\"}}"}}}`, "c", "", "Provider returned error: why"},
		{`{"error":{"message":"AnthropicException - {\"error\":{\"type\":\"t\",\"message\":\"m\"}}. Received Model Group={g}"}}`, "", "t", "m"},
		{`{"error":{}}`, "", "", ""},
		{`{"error":null}`, "", "", ""},
		{`{"error":true,"detail":5,"errors":{},"message":[]}`, "", "", "[]"},
		{`{}`, "", "", ""},
		{`{"error":{"message":"cut of`, "", "", `{"error":{"message":"cut of`},
	} {
		e := read([]byte(c.body))
		if e.code != c.code || e.typ != c.typ || e.message != c.message {
			t.Errorf("%s\n got %q %q %q\nwant %q %q %q", c.body, e.code, e.typ, e.message, c.code, c.typ, c.message)
		}
	}
}

// What came inside a 200 had no status of its own, and none is made up for the logs.
func TestUnexplained(t *testing.T) {
	for _, p := range []Provider{Gloo, OpenAI} {
		if f := Event(p, nil, []byte(`{"error":{}}`)); f.Status != 0 || f.Developer != "an error without an explanation, inside an answer" {
			t.Errorf("%s: %d %q", p, f.Status, f.Developer)
		}
		if f := Classify(p, Response{Status: 500}); f.Developer != "HTTP 500 without an explanation" {
			t.Errorf("%s: %q", p, f.Developer)
		}
	}
}

// Five layers are opened, and a sixth is left as text.
func TestEnvelopeLayers(t *testing.T) {
	wrap := func(n int) string {
		text := "m"
		for range n {
			text = `{"error":{"message":"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"}}`
		}
		return text
	}
	if e := read([]byte(wrap(6))); e.message != "m" {
		t.Errorf("six objects: %.40q", e.message)
	}
	if e := read([]byte(wrap(8))); !strings.HasPrefix(e.message, `{"error"`) {
		t.Errorf("eight objects: %.40q", e.message)
	}
}

// A body of 16 MB costs no copy of it.
func TestEnvelopeIsBounded(t *testing.T) {
	huge := []byte(`{"error":{"message":"` + strings.Repeat(`ab\n\u00e9`, 2<<20) + `","code":"` + strings.Repeat("c", 1<<20) + `"}}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := Classify(OpenAI, Response{Status: 500, Body: huge})
	runtime.ReadMemStats(&after)
	bytes := after.TotalAlloc - before.TotalAlloc
	if bytes > 1<<20 {
		t.Errorf("%d bytes for a body of %d", bytes, len(huge))
	}
	if n := len([]rune(f.Developer)); n != maxText {
		t.Errorf("developer text of %d characters", n)
	}
	if n := len(f.Code); n != maxName {
		t.Errorf("code of %d characters", n)
	}
}
