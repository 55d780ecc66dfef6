package sim

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"holdfast/core/header"
)

// ask plans one streamed chat request with the given script and last user message.
func ask(t *testing.T, store *Store, path, script, message string) Exchange {
	t.Helper()
	body, _ := json.Marshal(map[string]any{
		"model": "gloo-x", "stream": true, "stream_options": map[string]any{"include_usage": true},
		"messages": []any{map[string]any{"role": "user", "content": "Why?"}, map[string]any{"role": "user", "content": message}},
		"input":    []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "input_text", "text": message}}}},
	})
	return Plan(store, Request{Method: "POST", Path: path, Body: body,
		Header: header.Header{{Name: "x-sim", Value: script}, {Name: "x-sim-session", Value: "s"}}})
}

const chatPath, responsesPath = "/ai/v2/guarded/chat/completions", "/ai/v2/direct/responses"

// said decodes a stream with encoding/json and joins its answer text. It fails on anything that
// is not a whole event.
func said(t *testing.T, body []byte) (text string, last map[string]any) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(string(body), "\n\n"), "\n\n") {
		data := block[strings.Index(block, "data: ")+6:]
		if data == "[DONE]" {
			continue
		}
		var e map[string]any
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%v in %q", err, block)
		}
		last = e
		if e["type"] == "response.output_text.delta" {
			text += e["delta"].(string)
		}
		if choices, _ := e["choices"].([]any); len(choices) > 0 {
			delta := choices[0].(map[string]any)["delta"].(map[string]any)
			content, _ := delta["content"].(string)
			text += content
		}
	}
	return text, last
}

// The long answer must let a test judge where a continuation starts.
func TestAnswerIsFitForContinuations(t *testing.T) {
	text := LongAnswer()
	if len(text) < 3000 || strings.TrimSpace(text) != text {
		t.Errorf("%d bytes, or white space around them", len(text))
	}
	runs := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, run := range runs {
		for n := 1; 2*n <= len(run); n++ {
			if run[:n] == run[n:2*n] {
				t.Errorf("%q begins with %q twice", run, run[:n])
			}
		}
		if i > 0 && run == runs[i-1] {
			t.Errorf("%q follows itself", run)
		}
	}
	if last := runs[len(runs)-1]; len(last) <= 3 {
		t.Errorf("last word %q is short", last)
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(paragraph, "C") {
			t.Errorf("a paragraph begins like the usual order to continue: %.20q", paragraph)
		}
	}
	for _, want := range []string{"👩‍🔬", "🇯🇵", "海", "```go\n", "\n| :- ", "\n- ", "\n1. "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Join(words(text), "") != text {
		t.Error("words lose something")
	}
}

func TestEveryScenarioParsesAndEnds(t *testing.T) {
	for _, path := range []string{chatPath, responsesPath, "/v1/chat/completions", "/v1/responses"} {
		for _, s := range Scenarios {
			if _, err := ParseScript(s.Script); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
			e := ask(t, &Store{}, path, s.Name, "Tell me")
			if len(e.Steps) == 0 {
				t.Fatalf("%s %s: no steps", path, s.Name)
			}
			for i, step := range e.Steps {
				if (step.End != "") != (i == len(e.Steps)-1) {
					t.Errorf("%s %s: step %d of %d has end %q", path, s.Name, i, len(e.Steps), step.End)
				}
			}
			streamed := strings.HasPrefix(e.Header.Get("content-type"), "text/event-stream")
			if whole := e.Ends() == Close && s.Name != "malformed"; streamed && whole {
				said(t, e.Body()) // every event is JSON
			}
		}
	}
}

// Law: for every cut and every mode, the partial and what the mode adds make the answer again.
func TestContinuationsAtRandomCuts(t *testing.T) {
	answer := LongAnswer()
	wordings := []string{
		"The previous streamed answer was interrupted after this text:\n\n{}\n\nContinue from that point without repeating the text above.",
		"Continue this text.\n\n{}\n\nNo repeats.",
		"«{}» go on",
	}
	for _, path := range []string{chatPath, responsesPath} {
		for i := range 300 {
			n := 1 + rand.IntN(len(answer)-1)
			for !utf8.RuneStart(answer[n]) {
				n--
			}
			n = max(n, len("Tidepools"))
			wording := wordings[i%len(wordings)]
			if i%len(wordings) == 2 {
				n = max(n, 20) // a few letters are no continuation without a paragraph around them
			}
			message := strings.Replace(wording, "{}", answer[:n], 1)
			for _, mode := range modes {
				e := ask(t, &Store{}, path, `{"continuations":[{"continues":"`+mode+`","words":9}]}`, message)
				if !e.Continues || e.Partial != n {
					t.Fatalf("%s: cut at %d is seen as %v, %d", wording, n, e.Continues, e.Partial)
				}
				text, _ := said(t, e.Body())
				if open := openFence(answer[:n]); mode == fence && open != "" {
					text = strings.TrimPrefix(text, open+"\n")
				}
				if !strings.HasSuffix(answer, text) || len(text) < len(answer)-n {
					t.Fatalf("%s at %d: %.40q", mode, n, text)
				}
				if mode == exact && answer[:n]+text != answer {
					t.Fatalf("exact at %d: %.40q", n, text)
				}
			}
		}
	}
}

func TestModes(t *testing.T) {
	const answer = "One two. Three four, five! Six\n\n```go\nseven(eight)\n```\nNine."
	cut := func(after string) int { return strings.Index(answer, after) + len(after) }
	for _, c := range []struct{ after, mode, want string }{
		{"four", exact, ", five"},
		{"four, f", lastWord, "five!"},
		{"four, ", lastWord, "four, five"},
		{"four, f", lastSentence, "Three four"},
		{"five! ", lastSentence, "Three four"},
		{"Six", lastSentence, "Six\n"},
		{"seven(", fence, "```go\neight)"},
		{"Six", fence, "\n\n```go\nseven"},
		{"seven", lastParagraph, "\n```go"},
		{"seven", restart, "One two"},
	} {
		if got := goOn(answer, cut(c.after), c.mode); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s after %q: %.20q, want %q", c.mode, c.after, got, c.want)
		}
	}
}

func TestOrdinaryPromptsDoNotContinue(t *testing.T) {
	for _, message := range []string{"Tidepools", "Tell me about Tidepools", "", "Pong?\n\nT\nx"} {
		if e := ask(t, &Store{}, chatPath, "healthy", message); e.Continues {
			t.Errorf("%q continues after %d bytes", message, e.Partial)
		}
	}
}

// A conversation that already holds a whole answer asks something new.
func TestPrefillContinues(t *testing.T) {
	body := `{"messages":[{"role":"user","content":"ping"},{"role":"assistant","content":"Pong, loud"}]}`
	e := Plan(&Store{}, Request{Method: "POST", Path: chatPath, Body: []byte(body)})
	if e.Partial != len("Pong, loud") || !strings.Contains(string(e.Body()), `" and clear."`) {
		t.Errorf("partial %d: %s", e.Partial, e.Body())
	}
}

func TestTheFenceScenarioIsCutInsideTheCode(t *testing.T) {
	text, _ := said(t, ask(t, &Store{}, chatPath, "fence", "Why").Body())
	if openFence(text) == "" {
		t.Errorf("cut after %q", text[len(text)-40:])
	}
}

func TestSessionsCount(t *testing.T) {
	var store Store
	statuses := []int{}
	for range 3 {
		statuses = append(statuses, ask(t, &store, chatPath, "rate_limit_then_ok", "Why").Status)
	}
	if statuses[0] != 429 || statuses[1] != 200 || statuses[2] != 200 {
		t.Error(statuses)
	}
	byModel := func(model string) int {
		body := `{"model":"` + model + `","messages":[{"role":"user","content":"hello"}]}`
		return Plan(&store, Request{Method: "POST", Path: chatPath, Body: []byte(body)}).Status
	}
	if a, b, c := byModel("sim-unavailable_then_ok"), byModel("sim-unavailable_then_ok"), byModel("sim-unavailable_then_ok@other"); a != 503 || b != 200 || c != 503 {
		t.Error(a, b, c)
	}
	for range 2 {
		body := `{"messages":[]}`
		if e := Plan(&store, Request{Method: "POST", Path: chatPath, Body: []byte(body), Sim: "rate_limit_then_ok"}); e.Status != 429 {
			t.Error("requests without a session share one")
		}
	}
}

func TestScriptErrorsNameWhatIsWrong(t *testing.T) {
	for script, want := range map[string]string{
		`{"cutAt":3}`:                 `no key "cutAt"`,
		`{"status":"x"}`:              `"status" has`,
		`{"requests":{}}`:             "in a list",
		`{"text":"a","status":500}`:   `"status" belongs`,
		`[{"error":"boo"}]`:           `no error "boo"`,
		`{"end":"bang"}`:              "end must be",
		`{"errorShape":"round"}`:      "errorShape must be",
		`{"chunks":["base64:!"]}`:     `"chunks" has`,
		`{"continues":"maybe"}`:       "continues must be",
		`{"errorAfterWords":3}`:       "needs error",
		`{`:                           "invalid JSON",
		`{"tool":{"nome":"x"}}`:       `"tool" has`,
		`{"requests":[{"gapMs":-1}]}`: `"gapMs" has`,
		`{"continuations":[{"a":1}]}`: `no key "a"`,
		`{"headers":"x"}`:             `"headers" has`,
		`{"endAt":1.5}`:               "endAt must be",
		`{"status":99,"end":"reset"}`: "status must be",
		`{"beforeHeaders":true}`:      "beforeHeaders needs",
		`[3]`:                         "is an object",
	} {
		if _, err := ParseScript(script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", script, err, want)
		}
	}
	if e := ask(t, &Store{}, chatPath, "nonsense", "x"); e.Status != 400 || !strings.Contains(string(e.Body()), "no scenario") {
		t.Error(string(e.Body()))
	}
}

func FuzzParseScript(f *testing.F) {
	for _, s := range Scenarios {
		f.Add(s.Script)
	}
	f.Fuzz(func(t *testing.T, script string) {
		if _, err := ParseScript(script); err == nil {
			body := `{"stream":true,"messages":[{"role":"user","content":"ping"}]}`
			e := Plan(&Store{}, Request{Method: "POST", Path: chatPath, Sim: script, Body: []byte(body)})
			if len(e.Steps) == 0 || e.Ends() == "" {
				t.Errorf("%s has no end", script)
			}
		}
	})
}
