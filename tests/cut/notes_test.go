package cut

import (
	"strings"
	"testing"

	"holdfast/core"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// An annotation behind a seam is about the same words of the whole answer.
func TestFetchNotes(t *testing.T) {
	const shown, rest, word = "Grüße. Tide pools hold on ", "Tide pools hold on forever", "forever"
	const whole = "Grüße. Tide pools hold on forever"
	event := func(name, data string) string {
		if name != "" {
			name = "event: " + name + "\n"
		}
		return name + "data: " + data + "\n\n"
	}

	chat := func(delta, end string) string {
		return event("", `{"id":"c","created":1,"model":"m","choices":[{"index":0,"delta":{`+delta+`}`+end+`}]}`)
	}
	responses := func(n, kind, members string) string {
		return event("response."+kind, `{"type":"response.`+kind+`","sequence_number":`+n+`,`+members+`}`)
	}
	const place = `"item_id":"m","output_index":0,"content_index":0,`
	begin := func(id string) string {
		return responses("0", "created", `"response":{"id":"`+id+`","status":"in_progress","output":[]}`) +
			responses("1", "output_item.added", `"output_index":0,"item":{"id":"m","type":"message","role":"assistant","content":[]}`) +
			responses("2", "content_part.added", place+`"part":{"type":"output_text","text":"","annotations":[]}`)
	}
	generate := func(text, more string) string {
		return event("", `{"candidates":[{"content":{"parts":[{"text":"`+text+`"}]},"index":0`+more+`}]}`)
	}
	interaction := func(kind, members string) string {
		return event("", `{"event_type":"`+kind+`",`+members+`}`)
	}
	opens := interaction("interaction.created", `"interaction":{"id":"i"}`) + interaction("step.start", `"index":0,"step":{"type":"model_output"}`)
	says := func(delta string) string { return interaction("step.delta", `"index":0,"delta":{`+delta+`}`) }

	for _, c := range []struct {
		stream
		first, next string
		has, also   string // that must come of it
	}{
		{streams[2], chat(`"role":"assistant","content":"`+shown+`"`, ""),
			chat(`"role":"assistant","content":"`+rest+`"`, "") + chat(`"annotations":[{"type":"url_citation","url_citation":{"start_index":19,"end_index":26}}]`, "") + chat("", `,"finish_reason":"stop"`) + event("", "[DONE]"),
			`"start_index":26,"end_index":33`, ""},
		{streams[4], begin("a") + responses("3", "output_text.delta", place+`"delta":"`+shown+`"`),
			begin("b") + responses("3", "output_text.delta", place+`"delta":"`+rest+`"`) + responses("4", "output_text.annotation.added", place+`"annotation_index":0,"annotation":{"type":"url_citation","start_index":19,"end_index":26}`) + responses("5", "completed", `"response":{"id":"b","status":"completed","output":[]}`),
			`"start_index":26,"end_index":33`, `"annotations":[{"type":"url_citation","start_index":26,"end_index":33}]`},
		// The whole answer again, with what was said of its beginning: while it might be another one nothing is known.
		{streams[4], begin("a") + responses("3", "output_text.delta", place+`"delta":"`+shown+`"`) + responses("4", "output_text.annotation.added", place+`"annotation_index":0,"annotation":{"type":"url_citation","start_index":7,"end_index":11}`),
			begin("b") + responses("3", "output_text.delta", place+`"delta":"Grüße. Tide "`) + responses("4", "output_text.annotation.added", place+`"annotation_index":0,"annotation":{"type":"url_citation","start_index":7,"end_index":11}`) +
				responses("5", "output_text.annotation.added", place+`"annotation_index":1,"annotation":{"type":"url_citation","start_index":0,"end_index":5}`) +
				responses("6", "output_text.delta", place+`"delta":"pools hold on forever"`) + responses("7", "completed", `"response":{"id":"b","status":"completed","output":[]}`),
			`"annotation_index":1,"annotation":{"type":"url_citation","start_index":0,"end_index":5}`, `"annotations":[{"type":"url_citation","start_index":7,"end_index":11},{"type":"url_citation","start_index":0,"end_index":5}]`},
		{streams[6], generate(shown, ""),
			generate("Tide pools ", "") + generate("hold on forever", `,"finishReason":"STOP","groundingMetadata":{"groundingSupports":[{"segment":{"startIndex":19,"endIndex":26,"text":"forever"},"groundingChunkIndices":[0]},{"segment":{"endIndex":4}}]}`),
			`"startIndex":28,"endIndex":35`, `{"endIndex":13,"startIndex":9}`},
		{streams[7], opens + says(`"type":"text","text":"`+shown+`"`),
			opens + says(`"type":"text","text":"`+rest+`"`) + says(`"type":"text_annotation_delta","annotations":[{"start_index":19,"end_index":26}]`) + interaction("step.stop", `"index":0`) + interaction("interaction.completed", `"interaction":{"id":"i","status":"completed"}`),
			`"start_index":28,"end_index":35`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, chunk := range []int{0, 1, 7} {
				got := Play(c.raw(), func(n int, _ *core.Request) sim.Exchange {
					if n == 1 {
						return sim.Exchange{Status: 200, Steps: []sim.Step{{Write: []byte(c.first)}, {End: sim.Reset}}}
					}
					return sim.Exchange{Status: 200, Steps: []sim.Step{{Write: []byte(c.next)}, {End: sim.Close}}}
				}, chunk)
				text, ended, _ := c.read(t, got.Body)
				if text != whole || ended != wire.Complete || !strings.Contains(string(got.Body), c.has) || !strings.Contains(string(got.Body), c.also) {
					t.Fatalf("%v %q in\n%s", ended, text, got.Body)
				}
			}
		})
	}
	if at := strings.Index(whole, word); at != 28 || len([]rune(whole[:at])) != 26 {
		t.Fatal("the test itself is wrong")
	}
}
