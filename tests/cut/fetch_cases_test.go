package cut

import (
	"strings"
	"testing"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/sse"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// Streams that real servers send, cut where it hurts. Each body is one attempt's; all but the last
// break off.
func TestFetchCases(t *testing.T) {
	chunk := func(members string) string { return `data: {"id":"c1","created":1,"model":"m",` + members + "}\n\n" }
	said := func(text string) string { return chunk(`"choices":[{"index":0,"delta":{"content":"` + text + `"}}]`) }
	const role = `"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]`
	const stop = `"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]`
	end := chunk(stop) + "data: [DONE]\n\n"

	block := func(index, kind, delta string) string {
		return "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":" + index + ",\"delta\":{\"type\":\"" + kind + "_delta\"," + delta + "}}\n\n"
	}
	start := "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n"
	open := func(index, kind string) string {
		return "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":" + index + ",\"content_block\":{\"type\":\"" + kind + "\",\"id\":\"t\",\"name\":\"n\",\"text\":\"\",\"input\":{}}}\n\n"
	}
	shut := func(index string) string {
		return "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":" + index + "}\n\n"
	}
	ends := func(why string) string {
		return "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" + why + "\"},\"usage\":{\"output_tokens\":7}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	}
	response := func(kind, members string) string {
		return "event: response." + kind + "\ndata: {\"type\":\"response." + kind + "\"," + members + "}\n\n"
	}

	for _, c := range []struct {
		name   string
		api    wire.API
		bodies []string
		text   string
		has    []string
		hasNot []string
	}{
		{"half of a character", wire.Chat, []string{chunk(role) + said(`Hello waves \ud83c`), said(`🌊 of the sea`) + end}, "Hello waves 🌊 of the sea", nil, []string{`\ud83c`}},
		{"a character in two events", wire.Chat, []string{chunk(role) + said(`Hello \ud83c`) + said(`\udf0a!`) + end}, "", []string{`\ud83c`, `\udf0a`}, nil},
		{"Azure's first chunk has no id", wire.Chat, []string{`data: {"id":"","created":0,"model":"","choices":[],"prompt_filter_results":[]}` + "\n\n" + chunk(role) + said("Hello "), strings.ReplaceAll(chunk(role)+said("world")+end, "c1", "c2")}, "Hello world", []string{`"c1"`}, []string{`"c2"`}},
		{"heartbeats", wire.Chat, []string{": ping\n\n" + chunk(role) + "data:\n\n" + said("Hello ") + ": ping\n\n" + "data: : ping\n\n", said("world") + end}, "Hello world", []string{": ping\n\n"}, []string{"data:\n\n", "data: : ping"}},
		{"no blank line at the end", wire.Chat, []string{chunk(role) + said("Hello") + strings.TrimSuffix(chunk(stop), "\n\n")}, "Hello", []string{"[DONE]"}, nil},
		{"an error behind the end", wire.Chat, []string{chunk(role) + said("Hello") + chunk(stop) + "data: {\"error\":{\"message\":\"late\"}}\n\n"}, "Hello", []string{"[DONE]"}, []string{"late"}},
		{"carriage returns", wire.Chat, []string{strings.ReplaceAll(chunk(role)+said("Hello "), "\n", "\r"), said("world") + end}, "Hello world", nil, nil},
		{"logprobs of other text", wire.Chat, []string{chunk(role) + said("Hello sunny "), chunk(`"choices":[{"index":0,"delta":{"content":"sunny world"},"logprobs":{"content":[1]}}]`) + end}, "Hello sunny world", []string{`"logprobs":null`}, nil},

		{"text held back to the end", wire.Chat, []string{chunk(role) + said("Hello sunny world"), said("sunny wo") + chunk(stop) + chunk(`"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}`) + "data: [DONE]\n\n"}, "", []string{`"delta":{"content":"sunny wo"}`, `"usage":{`}, nil},
		{"text held back to the end, without a mark", wire.Generate, []string{piece("Hello sunny world", ""), piece("sunny wo", stops)}, "", []string{`"text":"sunny wo"}],"role":"model"},"index":0}`, `"text":""}],"role":"model"},"index":0,"finishReason":"STOP"`}, nil},

		{"a thought that broke off, and the next, which is signed", wire.Messages, []string{start + open("0", "thinking") + block("0", "thinking", `"thinking":"Hm"`), start + open("0", "thinking") + block("0", "thinking", `"thinking":"Well."`) + block("0", "signature", `"signature":"c2ln"`) + shut("0") + open("1", "text") + block("1", "text", `"text":"Hello world"`) + shut("1") + ends("end_turn")}, "Hello world",
			[]string{`"thinking":"Hm"`, `"index":0,"delta":{"type":"signature_delta","signature":"holdfast_unsigned"}`, `"index":1,"delta":{"type":"thinking_delta","thinking":"Well."}`, `"index":1,"delta":{"type":"signature_delta","signature":"c2ln"}`}, []string{`\n`}},
		{"a thought that broke off, and none", wire.Messages, []string{start + open("0", "thinking") + block("0", "thinking", `"thinking":"Hm"`), start + open("0", "text") + block("0", "text", `"text":"Hello world"`) + shut("0") + ends("end_turn")}, "Hello world",
			[]string{`"index":0,"delta":{"type":"signature_delta","signature":"holdfast_unsigned"}`}, nil},
		{"a thought of a response that broke off", wire.Responses, []string{
			response("created", `"sequence_number":0,"response":{"id":"r","status":"in_progress","output":[]}`) +
				response("output_item.added", `"sequence_number":1,"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}`) +
				response("reasoning_summary_part.added", `"sequence_number":2,"item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}`) +
				response("reasoning_summary_text.delta", `"sequence_number":3,"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"Hm"`),
			response("created", `"sequence_number":0,"response":{"id":"r2","status":"in_progress","output":[]}`) +
				response("output_item.added", `"sequence_number":1,"output_index":0,"item":{"id":"m_1","type":"message","role":"assistant","status":"in_progress","content":[]}`) +
				response("content_part.added", `"sequence_number":2,"item_id":"m_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}`) +
				response("output_text.delta", `"sequence_number":3,"item_id":"m_1","output_index":0,"content_index":0,"delta":"Hello world"`) +
				response("completed", `"sequence_number":4,"response":{"id":"r2","status":"completed","output":[{"id":"m_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello world","annotations":[]}]}]}`)},
			"Hello world", []string{`"encrypted_content":"holdfast_unsigned"`}, nil},
		{"a thought that its server never signs", wire.Messages, []string{start, start + open("0", "thinking") + block("0", "thinking", `"thinking":"Hm"`) + shut("0") + open("1", "text") + block("1", "text", `"text":"Hello world"`) + shut("1") + ends("end_turn")}, "Hello world",
			nil, []string{`signature_delta`}},
		{"a thought and nothing else", wire.Chat, []string{chunk(role) + chunk(`"choices":[{"index":0,"delta":{"reasoning_content":"Hm."}}]`) + end, chunk(role) + said("Hello world") + end}, "Hello world", []string{"Hm."}, []string{`"finish_reason":"stop"}]}` + "\n\n" + `data: {`}},
		{"a thought and nothing else, without a mark", wire.Generate, []string{strings.Replace(piece("Hm.", ""), `"text"`, `"thought":true,"text"`, 1) + piece("", stops), piece("Hello world", stops)}, "Hello world", []string{"Hm."}, []string{`"text":""`}},

		{"a block closed before the cut", wire.Messages, []string{start + open("0", "text") + block("0", "text", `"text":"Hello world"`) + shut("0"), start + open("0", "text") + shut("0") + ends("end_turn")}, "Hello world", []string{`"input_tokens":10`, `"output_tokens":8`}, []string{`"index":1`}},
		{"a tool call behind the continuation", wire.Messages, []string{start + open("0", "text") + block("0", "text", `"text":"Hello "`), start + open("0", "thinking") + block("0", "thinking", `"thinking":"hm"`) + shut("0") + open("1", "text") + block("1", "text", `"text":"world"`) + shut("1") + open("2", "tool_use") + block("2", "input_json", `"partial_json":"{}"`) + shut("2") + ends("tool_use")}, "Hello world", []string{`"index":1,"delta":{"type":"input_json_delta"`}, []string{`"index":2`, "thinking"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := streams[2] // openai chat
			switch c.api {
			case wire.Responses:
				s = named(t, "xai responses")
			case wire.Messages:
				s = streams[5]
			case wire.Generate:
				s = streams[6]
			}
			for _, chunked := range []int{0, 1, 7} {
				got := Play(s.raw(), func(n int, _ *core.Request) sim.Exchange {
					end := sim.Reset
					if n >= len(c.bodies) {
						end = sim.Close
					}
					return sim.Exchange{Status: 200, Steps: []sim.Step{{Write: []byte(c.bodies[n-1])}, {End: end}}}
				}, chunked)
				text, ended, _ := s.read(t, got.Body)
				if c.text != "" && text != c.text || ended != wire.Complete {
					t.Fatalf("%v %q in\n%s", ended, text, got.Body)
				}
				for _, part := range c.has {
					if !strings.Contains(string(got.Body), part) {
						t.Errorf("%s is missing in\n%s", part, got.Body)
					}
				}
				for _, part := range c.hasNot {
					if strings.Contains(string(got.Body), part) {
						t.Errorf("%s is in\n%s", part, got.Body)
					}
				}
			}
		})
	}
}

// piece is a piece of Gemini's answer, and what else stands in its candidate.
func piece(text, more string) string {
	return `data: {"candidates":[{"content":{"parts":[{"text":"` + text + `"}],"role":"model"},"index":0` + more + `}],"modelVersion":"m","responseId":"r"}` + "\r\n\r\n"
}

const stops = `,"finishReason":"STOP"`

// A stream that says STOP with every piece stays as it is, and is gone on with where it breaks.
func TestFetchStopWithEveryPiece(t *testing.T) {
	begun := piece("Hello ", stops) + piece("sunny ", stops)
	for _, bodies := range [][]string{{begun + piece("world", stops)}, {begun, piece("world", stops)}} {
		got := Play(streams[6].raw(), func(n int, _ *core.Request) sim.Exchange {
			end := sim.Reset
			if n == len(bodies) {
				end = sim.Close
			}
			return sim.Exchange{Status: 200, Steps: []sim.Step{{Write: []byte(bodies[n-1])}, {End: end}}}
		}, 0)
		var decoder sse.Decoder
		text := ""
		stream := wire.NewStream(wire.Generate, fault.Gemini, nil)
		decoder.Feed(got.Body)
		for e, ok, _ := decoder.Next(); ok; e, ok, _ = decoder.Next() {
			stream.Event(e)
			for _, d := range stream.Take() {
				text += string(d.Text)
			}
		}
		if stream.Close(); text != "Hello sunny world" || stream.End != wire.Complete || got.Requests != len(bodies) {
			t.Errorf("%d requests, %q in\n%s", got.Requests, text, got.Body)
		}
	}
}

// An interaction of which only its document tells that it has ended badly ends the stream with that.
func TestFetchEndedInteraction(t *testing.T) {
	s := streams[8] // interactions in background
	begun := `data: {"event_type":"interaction.created","interaction":{"id":"v1","status":"in_progress"},"event_id":"e1"}` + "\n\n" +
		`data: {"event_type":"step.delta","index":0,"delta":{"type":"text","text":"Hello "},"event_id":"e2"}` + "\n\n"
	for _, status := range []string{"cancelled", "failed", "budget_exceeded"} {
		bodies := []string{begun, `{"id":"v1","status":"` + status + `","errors":[{"code":"invalid_request","message":"m"}]}`}
		got := Play(s.raw(), func(n int, _ *core.Request) sim.Exchange {
			return sim.Exchange{Status: 200, Steps: []sim.Step{{Write: []byte(bodies[min(n, 2)-1])}, {End: sim.Close}}}
		}, 0)
		if want := `"event_type":"interaction.completed","interaction":{"id":"v1","status":"` + status; !strings.Contains(string(got.Body), want) || got.Requests != 2 {
			t.Errorf("%d requests, and no %s in\n%s", got.Requests, want, got.Body)
		}
	}
}
