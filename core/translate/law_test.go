package translate

import (
	stdjson "encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// essence is what a request of an API says, as far as every API can say it: the order of the
// turns without their borders, calls paired with results by number instead of id.
func essence(t testing.TB, from Source, body json.Value) []string {
	t.Helper()
	api := from.API
	r := &request{from: from, to: Target{API: chat}}
	r.read(body)
	r.readKnobs(body)
	r.settle()
	r.withoutBlanks()
	r.alternate()
	said := []string{"limit " + strconv.FormatInt(r.limit, 10)}
	numbers := map[string]int{}
	for _, turn := range r.turns {
		var texts []string
		flush := func() {
			if len(texts) > 0 {
				said = append(said, string(turn.role)+": "+strings.Join(texts, "\n\n"))
				texts = nil
			}
		}
		for _, p := range turn.parts {
			switch p.kind {
			case textPart:
				texts = append(texts, p.text)
			case mediaPart:
				flush()
				said = append(said, p.media.kind+" "+p.media.mime+" "+p.media.data+p.media.url)
			case callPart:
				flush()
				numbers[p.id] = len(numbers)
				said = append(said, "call "+strconv.Itoa(numbers[p.id])+" "+p.name+strings.TrimSpace(orObject(p.args)))
			case resultPart:
				flush()
				n, known := numbers[p.id]
				if !known {
					t.Fatalf("%s: a result without its call in %s", api, body)
				}
				said = append(said, "result "+strconv.Itoa(n)+" "+joined(p.inner))
			}
		}
		flush()
	}
	for _, f := range r.tools {
		said = append(said, "tool "+f.name+" "+f.description+" "+string(orSchema(f.schema)))
	}
	if last := &said[len(said)-1-len(r.tools)]; strings.HasPrefix(*last, "assistant: ") {
		*last = trimRight(*last) // messages wants it so
	}
	said = append(said, "choice "+r.choice.mode+r.choice.name, "format "+r.format.kind+string(r.format.schema), "stream "+strconv.FormatBool(r.stream))
	for _, v := range r.values {
		if knobs[v.knob].names[0] == "temperature" {
			said = append(said, "temperature "+string(v.raw))
		}
	}
	return said
}

// script makes choices from fuzzed bytes.
type script []byte

func (s *script) next(n int) int {
	if len(*s) == 0 {
		return 0
	}
	b := int((*s)[0])
	*s = (*s)[1:]
	return b % n
}

var someTexts = []string{"Hello", "línea\n\"zwei\"", "你好 👩‍👩‍👧", "{\"output\":\"x\"}", "{\"a\":1}", " {\"a\":1} ", "[1,2]", "\\u0000", "</script>"}
var someSchemas = []string{
	`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"integer"}}},"required":["a"]}`,
	`{"type":"object","properties":{"type":{"type":["number","null"]}},"additionalProperties":false,"required":["type"]}`,
	`{"type":"object","properties":{"x":{"anyOf":[{"type":"string","enum":["p","q"]},{"$ref":"#/$defs/t"}]}},"$defs":{"t":{"type":"boolean"}},"additionalProperties":false,"required":["x"]}`,
}

// build makes a request that all four APIs can say, and writes it in one of them.
func build(api wire.API, s *script) json.Value {
	r := &request{from: source(api), to: Target{API: api, Model: "m"}, model: "m", stream: s.next(2) == 0}
	if api == generate {
		r.stream = true // it stands in the path that source gives
	}
	some := func() part { return text("", someTexts[s.next(len(someTexts))]) }
	if s.next(2) == 0 {
		r.add(system, "", []part{some()})
	}
	r.add(user, "", []part{some()})
	for n, calls := s.next(6), 0; n > 0; n-- {
		switch s.next(5) {
		case 0:
			r.add(user, "", []part{some(), some()})
		case 1:
			r.add(user, "", []part{some(), {kind: mediaPart, media: media{kind: "image", mime: "image/png", data: "AAAA"}}})
		case 2:
			r.add(assistant, "", []part{some()})
		default:
			var said, answers []part
			if s.next(2) == 0 {
				said = append(said, some())
			}
			for k := s.next(3); k >= 0; k-- {
				calls++
				id := []string{"call_" + strconv.Itoa(calls), "x:" + strconv.Itoa(calls), "same"}[s.next(3)]
				said = append(said, part{kind: callPart, id: id, name: "f", args: []string{"{}", `{"a":[1,2.50]}`, `{"b":"\u00e9"}`}[s.next(3)]})
				answers = append(answers, part{kind: resultPart, id: id, name: "f", inner: []part{some()}})
			}
			r.add(assistant, "", said)
			r.add(user, "", answers)
		}
	}
	if r.turns[len(r.turns)-1].role == assistant { // TestLastTurnOfTheAssistant
		r.add(user, "", []part{some()})
	}
	for n := s.next(3); n > 0; n-- {
		r.addTool("", "f"+strings.Repeat("_", n-1), []string{"", "does it"}[s.next(2)], json.Value(someSchemas[s.next(3)]), false)
	}
	if len(r.tools) > 0 {
		r.choice = []choice{{}, {mode: "auto"}, {mode: "none"}, {mode: "required"}, {mode: "tool", name: "f"}}[s.next(5)]
	}
	if s.next(2) == 0 {
		r.format = format{kind: "schema", name: "answer", schema: json.Value(someSchemas[1+s.next(2)])}
	}
	r.limit = 100 + int64(s.next(200))
	if s.next(2) == 0 {
		r.set("temperature", []string{"0", "0.25", "1", "1e-1"}[s.next(4)])
		for i, k := range knobs {
			if k.names[column(api)] == "temperature" || k.names[column(api)] == "generationConfig/temperature" {
				r.values = append(r.values[:0], value{knob: i, raw: json.Value("0.75")})
			}
		}
	}
	r.settle()
	r.fit()
	var w json.Writer
	w.Open("", '{')
	switch api {
	case chat:
		r.writeChat(&w)
	case responses:
		r.writeResponses(&w)
	case messages:
		r.writeMessages(&w)
	case generate:
		r.writeGenerate(&w)
	}
	return w.Close('}').Out
}

// FuzzThereAndBack: translation to another API and back keeps what both sides can say.
func FuzzThereAndBack(f *testing.F) {
	f.Add(byte(0), []byte{})
	f.Add(byte(6), []byte{1, 0, 3, 5, 3, 0, 2, 2, 1, 1, 4, 4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	f.Add(byte(11), []byte("the quick brown fox jumps over the lazy dog"))
	f.Fuzz(func(t *testing.T, pair byte, data []byte) {
		a, b := columns[pair%4], columns[pair/4%4]
		s := script(data)
		first := build(a, &s)
		from := source(a)
		there, err := Request(from, first, Target{API: b})
		if err != nil {
			t.Fatalf("%v: %s", err, first)
		}
		back, err := Request(Source{API: b, Path: there.Path}, there.Body, Target{API: a})
		if err != nil {
			t.Fatalf("%v: %s", err, there.Body)
		}
		want := essence(t, from, first)
		for _, step := range []struct {
			from Source
			body json.Value
		}{{Source{API: b, Path: there.Path}, there.Body}, {Source{API: a, Path: back.Path}, back.Body}} {
			if got := essence(t, step.from, step.body); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s to %s and back\n%s\n%s\n%s\n got %q\nwant %q", a, b, first, there.Body, back.Body, got, want)
			}
		}
		if len(there.Dropped)+len(back.Dropped) > 0 {
			t.Fatalf("%s to %s dropped %q, back %q\n%s", a, b, there.Dropped, back.Dropped, first)
		}
	})
}

// FuzzAnyJSON: whatever JSON comes in, nothing panics and what goes out is JSON.
func FuzzAnyJSON(f *testing.F) {
	for _, api := range columns {
		f.Add(string(load(f, api)))
	}
	for _, seed := range []string{
		`{}`, `[]`, `{"messages":[{"role":"user","content":[null,1,{"type":"image_url"}]}],"":{"":1}}`,
		`{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"[]"}}]},{"role":"tool","content":null}]}`,
		`{"input":[{"type":"function_call","call_id":1,"name":"f"},{"type":"function_call_output","call_id":""}]}`,
		`{"contents":[{"parts":[{"functionCall":{"name":"f"}},{"functionResponse":{"name":"f","response":[]}}]}],"tools":[{"functionDeclarations":[{"name":"","parameters":{"":{}}}]}]}`,
		`{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":` + strings.Repeat(`{"items":`, 58) + `1` + strings.Repeat(`}`, 58) + `}}]}`,
		`{"choices":[{"message":{"content":"a","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`,
		`{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a"}]},{"type":"image_generation_call"}]}`,
		`{"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"f","input":{"a":1}}],"stop_reason":"tool_use"}`,
		`{"candidates":[{"content":{"parts":[{"text":"\ud83d"},{"text":"\ude00","thought":true}]},"finishReason":"STOP"}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		body, err := json.Parse([]byte(data))
		if err != nil {
			return
		}
		check := func(out []byte) {
			if !json.Valid(out) || !stdjson.Valid(out) {
				t.Fatalf("%s\nfrom %s", out, data)
			}
		}
		for _, from := range columns {
			for _, to := range columns {
				for _, p := range []fault.Provider{"", fault.OpenAI} {
					src := source(from)
					src.Provider = p
					if r, err := Request(src, body, Target{API: to, Provider: p, Model: "m", MaxTokens: 100}); err == nil {
						check(r.Body)
						lawful(t, to, r.Body)
					}
				}
				if r, err := Answer(from, to, body, Meta{}); err == nil {
					check(r.Body)
				}
			}
		}
	})
}

// lawful checks what every API demands of a history: each turn with calls is followed by one with
// exactly their results, no id is used twice, and user and assistant alternate where they must.
func lawful(t *testing.T, api wire.API, body json.Value) {
	t.Helper()
	r := &request{from: source(api), to: Target{API: api}}
	r.read(body)
	seen := map[string]bool{}
	var waiting []string
	for i, turn := range r.turns {
		for _, p := range turn.parts {
			switch {
			case p.kind == callPart:
				if seen[p.id] || !goodID(p.id) {
					t.Fatalf("%s: id %q in %s", api, p.id, body)
				}
				seen[p.id] = true
				waiting = append(waiting, p.id)
			case p.kind == resultPart:
				if len(waiting) == 0 || waiting[0] != p.id {
					t.Fatalf("%s: result %q out of turn in %s", api, p.id, body)
				}
				waiting = waiting[1:]
			case len(waiting) > 0 && turn.role != assistant:
				t.Fatalf("%s: something between call and result in %s", api, body)
			}
		}
		if (api == messages || api == generate) && i > 0 && turn.role == r.turns[i-1].role {
			t.Fatalf("%s: two turns of %s in %s", api, turn.role, body)
		}
	}
	if len(waiting) > 0 || len(r.dropped) > 0 {
		t.Fatalf("%s: unanswered %q, dropped %q in %s", api, waiting, r.dropped, body)
	}
}
