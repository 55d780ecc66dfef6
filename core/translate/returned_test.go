package translate

import (
	"strings"
	"testing"

	"holdfast/core/json"
	"holdfast/core/wire"
)

// TestReturned: what a client sends back of an answer that another API's model gave holds no thought that
// only its maker could have signed. All else stays as it was.
func TestReturned(t *testing.T) {
	for to, c := range map[wire.API]struct{ list, before, after string }{
		messages:  {"content", `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":`, `},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"ok"}]}]}`},
		responses: {"output", `{"model":"m","input":`, `}`},
	} {
		answer, err := Answer(generate, to, json.Value(answers[generate]), Meta{})
		if err != nil {
			t.Fatal(err)
		}
		hidden, err := Answer(generate, to, thoughtless, Meta{})
		if err != nil {
			t.Fatal(err)
		}
		said := string(json.Value(answer.Body).Get(c.list))
		if !strings.Contains(said, "hm") {
			t.Fatalf("%s: no thought in %s", to, said)
		}
		got := string(Returned(json.Value(c.before + said + c.after)))
		want := c.before + string(json.Value(hidden.Body).Get(c.list)) + c.after
		if to == responses { // its items are numbered
			got, want = strings.ReplaceAll(got, "a1_1", "a1_0"), strings.ReplaceAll(want, "a1_1", "a1_0")
			got, want = strings.ReplaceAll(got, "a1_2", "a1_0"), strings.ReplaceAll(want, "a1_2", "a1_0")
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", to, got, want)
		}
	}
	for _, body := range []string{
		`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"holdfast_unsigned"}]}]}`,
		`{"messages":[{"role":"user","content":"holdfast_unsigned"}]}`,
		`{"messages":"holdfast_unsigned"}`,
		`{"input":"holdfast_unsigned"}`,
		`{"input":[{"type":"reasoning","id":"rs_1","summary":[]},{"role":"user","content":[],"text":"holdfast_unsigned"},{"role":"user","content":"holdfast_unsigned"}]}`,
		`{"contents":[{"parts":[{"text":"holdfast_unsigned"}]}]}`,
	} {
		if got := string(Returned(json.Value(body))); got != body {
			t.Errorf("%s became %s", body, got)
		}
	}
	got := string(Returned(json.Value(`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"holdfast_unsigned"}]},{"role":"user","content":"b"}]}`)))
	if want := `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`; got != want {
		t.Errorf("a turn of nothing but a thought: %s", got)
	}
	got = string(Returned(json.Value(`{"input":[{"type":"reasoning","id":"rs_1","encrypted_content":"holdfast_unsigned"},{"role":"user","content":"b"}]}`)))
	if want := `{"input":[{"role":"user","content":"b"}]}`; got != want {
		t.Errorf("a thought that broke off: %s", got)
	}
}
