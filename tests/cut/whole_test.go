package cut

import (
	"testing"

	"holdfast/core"
	"holdfast/core/sse"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// A continuation that comes without deltas, or whose message nobody said to begin, is part of the one message.
func TestContinuedWithoutDeltas(t *testing.T) {
	const shown, whole = "Tide pools hold on ", "Tide pools hold on forever"
	event := func(kind, members string) string {
		return "event: response." + kind + "\ndata: {\"type\":\"response." + kind + "\"," + members + "}\n\n"
	}
	const place, part = `"item_id":"m","output_index":0,"content_index":0,`, `"part":{"type":"output_text","text":"forever","annotations":[]}`
	begin := event("created", `"sequence_number":0,"response":{"id":"a","status":"in_progress","output":[]}`) +
		event("output_item.added", `"sequence_number":1,"output_index":0,"item":{"id":"w","type":"web_search_call"}`) +
		event("output_item.done", `"sequence_number":2,"output_index":0,"item":{"id":"w","type":"web_search_call","status":"completed"}`) +
		event("output_item.added", `"sequence_number":3,"output_index":1,"item":{"id":"m","type":"message","role":"assistant","content":[]}`) +
		event("content_part.added", `"sequence_number":4,"item_id":"m","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}`) +
		event("output_text.delta", `"sequence_number":5,"item_id":"m","output_index":1,"content_index":0,"delta":"`+shown+`"`)
	c := streams[4]
	for name, next := range map[string]string{
		"text": event("output_text.done", place+`"text":"forever"`),
		"part": event("content_part.done", place+part),
		"item": event("output_item.done", `"output_index":0,"item":{"id":"n","type":"message","content":[{"type":"output_text","text":"forever"}]}`),
		"all": event("output_text.delta", place+`"delta":"forever"`) + event("output_text.done", place+`"text":"forever"`) + event("content_part.done", place+part) +
			event("output_item.done", `"output_index":0,"item":{"id":"n","type":"message","content":[{"type":"output_text","text":"forever"}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			for _, chunk := range []int{0, 1, 7} {
				got := Play(c.raw(), func(n int, _ *core.Request) sim.Exchange {
					if n == 1 {
						return sim.Exchange{Status: 200, Steps: []sim.Step{{Write: []byte(begin)}, {End: sim.Reset}}}
					}
					body := event("created", `"response":{"id":"b","status":"in_progress","output":[]}`) + next + event("completed", `"response":{"id":"b","status":"completed","output":[]}`)
					return sim.Exchange{Status: 200, Steps: []sim.Step{{Write: []byte(body)}, {End: sim.Close}}}
				}, chunk)
				if text, ended, _ := c.read(t, got.Body); text != whole || ended != wire.Complete {
					t.Fatalf("%v %q in\n%s", ended, text, got.Body)
				}
				var decoder sse.Decoder
				var form responsesForm
				for decoder.Feed(got.Body); ; {
					e, ok, _ := decoder.Next()
					if !ok {
						break
					}
					if wrong := form.take(e); wrong != "" {
						t.Fatalf("%s: %s in\n%s", e.Data, wrong, got.Body)
					}
				}
				if wrong := form.end(whole); wrong != "" {
					t.Fatal(wrong)
				}
			}
		})
	}
}
