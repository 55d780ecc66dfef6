package fault_test

import (
	"fmt"

	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
)

func ExampleClassify() {
	f := fault.Classify(fault.OpenAI, fault.Response{
		Status: 429,
		Header: header.Header{{Name: "content-type", Value: "application/json"}},
		Body:   []byte(`{"error":{"code":"rate_limit_exceeded","message":"Rate limit reached. Please try again in 9.816s."}}`),
	})
	fmt.Println(f.Decision, f.Reason, f.Hint.Wait)
	// Output: retry rate_limit 9.816s
}

func ExampleEvent() {
	event, _ := json.Parse([]byte(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`))
	f := fault.Event(fault.Anthropic, nil, event)
	fmt.Println(f.Decision, f.Reason, f.Breaker)
	// Output: retry overloaded failure
}

func ExampleNetwork() {
	f := fault.Network("TypeError", "UND_ERR_SOCKET", "terminated: other side closed")
	fmt.Println(f.Decision, f.Reason)
	// Output: retry transport
}
