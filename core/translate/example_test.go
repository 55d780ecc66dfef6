package translate_test

import (
	"fmt"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/translate"
	"holdfast/core/wire"
)

// A chat request goes to Anthropic, and the answer comes back as a chat completion.
func Example() {
	asked, _ := json.Parse([]byte(`{"model":"gpt-5.5","seed":7,"max_tokens":64000,"messages":[{"role":"user","content":"Say hello."}]}`))
	request, _ := translate.Request(
		translate.Source{API: wire.Chat, Provider: fault.OpenAI}, asked,
		translate.Target{API: wire.Messages, Provider: fault.Anthropic, Model: "claude-haiku-4-5", MaxTokens: 8192})
	fmt.Println(request.Path)
	fmt.Println(string(request.Body))
	fmt.Println("dropped ", request.Dropped)
	fmt.Println("adjusted", request.Adjusted)

	came, _ := json.Parse([]byte(`{"id":"msg_1","model":"claude-haiku-4-5","content":[{"type":"text","text":"Hello!"}],"stop_reason":"end_turn"}`))
	answer, _ := translate.Answer(wire.Messages, wire.Chat, came, translate.Meta{Created: 1800000000})
	fmt.Println(string(answer.Body))
	// Output:
	// /v1/messages
	// {"model":"claude-haiku-4-5","max_tokens":8192,"messages":[{"role":"user","content":"Say hello."}]}
	// dropped  [/seed]
	// adjusted [/max_tokens (64000, lowered to 8192)]
	// {"id":"msg_1","object":"chat.completion","created":1800000000,"model":"claude-haiku-4-5","choices":[{"index":0,"message":{"role":"assistant","content":"Hello!","refusal":null},"logprobs":null,"finish_reason":"stop"}]}
}

// An answer is written as the stream that Anthropic's SDK reads.
func ExampleEncoder() {
	e := translate.NewEncoder(wire.Messages, translate.Meta{ID: "msg_1", Model: "gpt-5-mini"})
	fmt.Print(string(e.Delta(wire.Delta{Kind: wire.Text, Text: []byte("Hello!")})))
	fmt.Print(string(e.Finish(wire.Complete, "stop", wire.Usage{Input: 9, Output: 2})))
	// Output:
	// event: message_start
	// data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"gpt-5-mini","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}
	//
	// event: content_block_start
	// data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
	//
	// event: content_block_delta
	// data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello!"}}
	//
	// event: content_block_stop
	// data: {"type":"content_block_stop","index":0}
	//
	// event: message_delta
	// data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":9,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}}
	//
	// event: message_stop
	// data: {"type":"message_stop"}
}
