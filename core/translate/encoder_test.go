package translate

import (
	stdjson "encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"holdfast/core/json"
	"holdfast/core/sse"
	"holdfast/core/wire"
)

// flat is deltas as text, with neighbours of one kind joined, so that halves of a character meet.
func flat(api wire.API, deltas []wire.Delta) (out []string) {
	last := wire.Kind("")
	for _, d := range deltas {
		kind := d.Kind
		if kind == wire.Refusal && (api == messages || api == generate) {
			kind = wire.Text // there it is told by the finish alone
		}
		switch {
		case kind == wire.ToolCall:
			out = append(out, "call "+d.Tool.ID+" "+d.Tool.Name+" "+d.Tool.Arguments)
		case len(d.Text) == 0:
			continue
		case kind == last:
			out[len(out)-1] += string(d.Text)
		default:
			out = append(out, string(kind)+" "+string(d.Text))
		}
		last = kind
	}
	for i, s := range out {
		out[i] = quoted([]byte(s)).Text()
	}
	return out
}

// read feeds a stream in chunks of n bytes to wire's reader.
func read(t testing.TB, api wire.API, stream []byte, n int) (*wire.Stream, []wire.Delta) {
	t.Helper()
	s := wire.NewStream(api, "", nil)
	s.MayBeEmpty = true
	var d sse.Decoder
	var deltas []wire.Delta
	drain := func() {
		for {
			e, ok, err := d.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				return
			}
			s.Event(e)
			for _, delta := range s.Take() {
				delta.Text = append([]byte(nil), delta.Text...)
				deltas = append(deltas, delta)
			}
		}
	}
	for len(stream) > 0 {
		n = min(n, len(stream))
		d.Feed(stream[:n])
		drain()
		stream = stream[n:]
	}
	d.Flush()
	drain()
	s.Close()
	return s, deltas
}

var story = []wire.Delta{
	{Kind: wire.Reasoning, Text: []byte("Let me ")},
	{Kind: wire.Reasoning, Text: []byte("see.")},
	{Kind: wire.Text, Text: []byte("Hello \"wörld\"\n")},
	{Kind: wire.Text, Text: []byte("👩‍👧\xED\xA0\xBD")}, // half of an emoji
	{Kind: wire.Text, Text: []byte("\xED\xB8\x80!")},
	{Kind: wire.ToolCall, Tool: wire.Tool{ID: "call_a", Name: "weather", Arguments: `{"city":"東京"}`}},
	{Kind: wire.ToolCall, Tool: wire.Tool{ID: "call_b", Name: "now", Arguments: `{}`}},
}

var spent = wire.Usage{Input: 100, Output: 50, Total: 150, Cached: 40, Reasoning: 20}

func encode(api wire.API, meta Meta, deltas []wire.Delta, end wire.End, word string) []byte {
	e := NewEncoder(api, meta)
	var out []byte
	for _, d := range deltas {
		out = append(out, e.Delta(d)...)
	}
	return append(out, e.Finish(end, word, spent)...)
}

// TestEncodersAreReadBack: wire's reader finds in a stream what the encoder was told, however the
// stream is cut into chunks.
func TestEncodersAreReadBack(t *testing.T) {
	for _, api := range columns {
		stream := encode(api, Meta{ID: "id-1", Model: "m", Created: 5, Usage: true}, story, wire.Complete, "stop")
		for _, n := range []int{1, 7, len(stream)} {
			s, deltas := read(t, api, stream, n)
			if got, want := flat(api, deltas), flat(api, story); !reflect.DeepEqual(got, want) {
				t.Errorf("%s\n got %q\nwant %q\n%s", api, got, want, stream)
			}
			if s.End != wire.Complete || s.ID != "id-1" || s.Model != "m" || len(s.Warnings) > 0 {
				t.Errorf("%s: %v %q %q %q", api, s.End, s.ID, s.Model, s.Warnings)
			}
			want := spent
			if api == messages { // has no word for it
				want.Reasoning = 0
			}
			if s.Usage != want {
				t.Errorf("%s: usage %+v", api, s.Usage)
			}
		}
	}
}

// TestFinishWords: the table of words, through every encoder.
func TestFinishWords(t *testing.T) {
	text, call := story[2:3], story[5:6]
	for _, c := range []struct {
		deltas []wire.Delta
		end    wire.End
		word   string
		want   [len(columns)]string
	}{
		{text, wire.Complete, "stop", [...]string{"stop", "completed", "end_turn", "STOP"}},
		{text, wire.Complete, "stop_sequence", [...]string{"stop", "completed", "end_turn", "STOP"}},
		{text, wire.Complete, "MAX_TOKENS", [...]string{"length", "max_output_tokens", "max_tokens", "MAX_TOKENS"}},
		{call, wire.Complete, "tool_use", [...]string{"tool_calls", "completed", "tool_use", "STOP"}},
		{text, wire.Filtered, "RECITATION", [...]string{"content_filter", "content_filter", "refusal", "SAFETY"}},
	} {
		for i, api := range columns {
			s, _ := read(t, api, encode(api, Meta{}, c.deltas, c.end, c.word), 1<<20)
			if s.Finish != c.want[i] || s.End != c.end {
				t.Errorf("%s %s: got %q (%v), want %q", api, c.word, s.Finish, s.End, c.want[i])
			}
		}
	}
}

// TestEncoderOrder: one start and one end, sequence numbers and indices without gaps.
func TestEncoderOrder(t *testing.T) {
	types := func(stream []byte) (out []string) {
		for _, line := range strings.Split(string(stream), "\n") {
			if data, ok := strings.CutPrefix(line, "data: "); ok && data != "[DONE]" {
				out = append(out, json.Value(data).Get("type").Text())
			}
		}
		return out
	}
	want := []string{
		"response.created", "response.in_progress",
		"response.output_item.added", "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
		"response.reasoning_summary_text.delta", "response.reasoning_summary_text.done", "response.reasoning_summary_part.done", "response.output_item.done",
		"response.output_item.added", "response.content_part.added", "response.output_text.delta", "response.output_text.delta", "response.output_text.delta",
		"response.output_text.done", "response.content_part.done", "response.output_item.done",
		"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done",
		"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done",
		"response.completed",
	}
	stream := encode(responses, Meta{}, story, wire.Complete, "completed")
	if got := types(stream); !reflect.DeepEqual(got, want) {
		t.Errorf("responses: %q", got)
	}
	n := 0
	for _, line := range strings.Split(string(stream), "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if seq, _ := json.Value(data).Get("sequence_number").Int(); int(seq) != n {
				t.Errorf("sequence_number %d at event %d", seq, n)
			}
			n++
		}
	}
	want = []string{"message_start",
		"content_block_start", "content_block_delta", "content_block_delta", "content_block_stop",
		"content_block_start", "content_block_delta", "content_block_delta", "content_block_delta", "content_block_stop",
		"content_block_start", "content_block_delta", "content_block_stop",
		"content_block_start", "content_block_delta", "content_block_stop",
		"message_delta", "message_stop"}
	if got := types(encode(messages, Meta{}, story, wire.Complete, "x")); !reflect.DeepEqual(got, want) {
		t.Errorf("messages: %q", got)
	}
	chunks := string(encode(chat, Meta{Usage: true}, story, wire.Complete, "stop"))
	if strings.Count(chunks, `"role"`) != 1 || strings.Count(chunks, "[DONE]") != 1 || !strings.HasSuffix(chunks, "data: [DONE]\n\n") ||
		strings.Count(chunks, `"prompt_tokens":`) != 1 || !strings.Contains(chunks, `"index":1,"id":"call_b"`) {
		t.Errorf("chat: %s", chunks)
	}
	if without := string(encode(chat, Meta{}, story, wire.Complete, "stop")); strings.Contains(without, "usage") {
		t.Errorf("chat: a usage that nobody asked for in %s", without)
	}
}

// TestEncoderEnds: nothing follows an end; behind an end that is none, and a restart, the answer is not whole.
func TestEncoderEnds(t *testing.T) {
	for _, api := range columns {
		for name, end := range map[string]func(e *Encoder) []byte{
			"open":    func(e *Encoder) []byte { return e.Finish(wire.Open, "", wire.Usage{}) },
			"restart": func(e *Encoder) []byte { return e.Delta(wire.Delta{Kind: wire.Restart}) },
		} {
			e := NewEncoder(api, Meta{})
			out := append([]byte(nil), e.Delta(story[2])...)
			out = append(out, end(e)...)
			if len(e.Delta(story[2]))+len(e.Finish(wire.Complete, "", wire.Usage{})) != 0 {
				t.Errorf("%s %s: something follows the end", api, name)
			}
			s, deltas := read(t, api, out, 1<<20)
			if s.End != wire.Failed || len(deltas) != 1 {
				t.Errorf("%s %s: %v in %s", api, name, s.End, out)
			}
		}
	}
}

// FuzzEncoder: any deltas come back, cut anywhere; every event is JSON.
func FuzzEncoder(f *testing.F) {
	f.Add([]byte("0Hello\x001because\x002no\x003{\"a\":1}\x000\xed\xa0\xbd\x000\xed\xb8\x80"), 3)
	f.Add([]byte("3not json\x000 \x00"), 1)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		var deltas []wire.Delta
		for i, piece := range strings.Split(string(data), "\x00") {
			if piece == "" {
				continue
			}
			d := wire.Delta{Text: []byte(quoted([]byte(piece[1:])).Text())} // whole or half characters, as wire gives them
			switch piece[0] % 4 {
			case 0:
				d.Kind = wire.Text
			case 1:
				d.Kind = wire.Reasoning
			case 2:
				d.Kind = wire.Refusal
			default:
				d = wire.Delta{Kind: wire.ToolCall, Tool: wire.Tool{ID: "call_" + strconv.Itoa(i), Name: "f", Arguments: string(arguments(wire.Tool{Arguments: piece[1:]}))}}
			}
			deltas = append(deltas, d)
		}
		for _, api := range columns {
			stream := encode(api, Meta{Usage: true}, deltas, wire.Complete, "stop")
			for _, line := range strings.Split(string(stream), "\n") {
				if data, ok := strings.CutPrefix(line, "data: "); ok && data != "[DONE]" && !stdjson.Valid([]byte(data)) {
					t.Fatalf("%s: %s", api, data)
				}
			}
			_, got := read(t, api, stream, 1+max(0, n)%len(stream))
			if got, want := flat(api, got), flat(api, deltas); !reflect.DeepEqual(got, want) {
				if api == chat { // calls are handed out at the end
					continue
				}
				t.Fatalf("%s\n got %q\nwant %q\n%s", api, got, want, stream)
			}
		}
	})
}
