package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/sse"
)

// The law: a stream that recognises repeats tells what one tells that reads every event.
func FuzzRepeat(f *testing.F) {
	seeds := map[API][]string{
		Chat: {
			`{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Small"}}]}`,
			`{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":" po\u006fls\n"}}]}`,
			`{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":""}}]}`,
			`{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"\ud83d"}}]}`,
			`{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"\udc1a"}}]}`,
			`{"id":"c","model":"m","choices":[{"index":0,"delta":{"reasoning":"hm","content":"."}}]}`,
			`{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"` + "\x01" + `"}}]}`,
			`{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"x","tool_calls":[{"index":0,"id":"t","function":{"name":"f","arguments":"{"}}]}}]}`,
			`{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"."},"finish_reason":"stop"}]}`,
			`{"choices":[{"delta":{"content":"."},"finish_reason":"."}]}`,
		},
		Responses: {
			`{"type":"response.output_text.delta","sequence_number":3,"delta":"a"}`,
			`{"type":"response.output_text.delta","sequence_number":3,"delta":"b"}`,
			`{"type":"response.refusal.delta","delta":"c"}`,
			`{"type":"response.refusal.delta","delta":"d"}`,
		},
		Messages: {
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"c"}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"text_delta"}}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{"}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"}"}}`,
			`{"type":"content_block_stop","index":2}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`,
		},
		Generate: {
			`{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"candidatesTokenCount":1}}`,
			`{"candidates":[{"content":{"parts":[{"text":"b"}]}}],"usageMetadata":{"candidatesTokenCount":1}}`,
			`{"candidates":[{"content":{"parts":[{"text":"b","thought":true}]}}]}`,
		},
		Interactions: {
			`{"event_type":"step.delta","index":0,"event_id":"e1","delta":{"type":"text","text":"a"}}`,
			`{"event_type":"step.delta","index":0,"event_id":"e1","delta":{"type":"text","text":"b"}}`,
			`{"event_type":"step.delta","index":0,"event_id":"e2","delta":{"type":"thought_summary","content":{"text":"b"}}}`,
		},
	}
	all := []API{Chat, Responses, Messages, Generate, Interactions}
	for i, api := range all {
		for _, a := range seeds[api] {
			for _, b := range seeds[api] {
				f.Add(i, []byte(a+"\n"+a+"\n"+b+"\n"+a+"\n"+b))
			}
		}
	}
	set := seeds[Interactions][2] // and what another event sets in between
	f.Add(4, []byte(set+"\n"+`{"event_type":"new","event_id":"e1"}`+"\n"+set))
	f.Fuzz(func(t *testing.T, api int, data []byte) {
		name := all[(api%len(all)+len(all))%len(all)]
		quick, thorough := NewStream(name, fault.OpenAI, nil), NewStream(name, fault.OpenAI, nil)
		for i, line := range bytes.Split(data, []byte("\n")) {
			e := sse.Event{Data: line}
			if kind, rest, ok := bytes.Cut(line, []byte("|")); ok && len(kind) < 10 {
				e = sse.Event{Type: string(kind), Data: rest}
			}
			quick.Event(e)
			thorough.repeat = repeat{}
			thorough.Event(e)
			if a, b := tell(quick), tell(thorough); a != b || !reflect.DeepEqual(quick.reader, thorough.reader) {
				t.Fatalf("event %d: %q\nquick:    %s\nthorough: %s", i, line, a, b)
			}
			if quick.Done {
				return
			}
		}
	})
}

// tell is everything that a stream tells.
func tell(s *Stream) string {
	return fmt.Sprintf("%q %v %v %v %q %+v %v %v %q %q %+v %q %+v", s.Take(), s.Tool, s.Output, s.End, s.Finish, s.Fault, s.Done, s.Pending,
		s.ID, s.Model, s.Usage, s.Warnings, s.Cursor)
}
