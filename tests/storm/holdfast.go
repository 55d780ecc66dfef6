package main

import (
	"math/rand/v2"
	"strconv"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/shared"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

var epoch = time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC

// What goes over the wire.
var (
	question, _ = json.Parse([]byte(`{"model":"m","messages":[{"role":"user","content":"What does the tide do?"}]}`))
	document    = []byte(`{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"It comes in and goes out."},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":7,"total_tokens":19}}`)
	overloaded  = []byte(`{"error":{"message":"The server is currently overloaded.","type":"server_error","param":null,"code":null}}`)
	words       = [3][]byte{
		[]byte("data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"It comes in \"}}]}\n\n"),
		[]byte("data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"and goes \"}}]}\n\n"),
		[]byte("data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"out.\"},\"finish_reason\":\"stop\"}]}\n\n" +
			"data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":7,\"total_tokens\":19}}\n\ndata: [DONE]\n\n"),
	}
	jsonType   = header.Header{{Name: "content-type", Value: "application/json"}}
	streamType = header.Header{{Name: "content-type", Value: "text/event-stream"}}
	reset      = fault.Network("TypeError", "ECONNRESET", "fetch failed")
)

// withHoldfast makes callers that are the real core: a core.Call each, and a shared.State for each
// client, which comes into being with its first call.
func withHoldfast(r *rand.Rand, clients int) func(int, bool) caller {
	states := make([]*shared.State, clients)
	target := core.Target{
		Provider: fault.OpenAI, API: wire.Chat, Base: wire.Hosts[fault.OpenAI].Base, Path: wire.Hosts[fault.OpenAI].Paths[wire.Chat],
		Policy: core.Defaults(fault.OpenAI, false),
	}
	config := shared.Config{Prices: spend.Default()} // as by default, but read once
	random := r.Float64
	return func(client int, streamed bool) caller {
		var state *shared.State
		if client < 0 { // one that makes no other call
			state = shared.New(config)
		} else if state = states[client]; state == nil {
			state = shared.New(config)
			states[client] = state
		}
		return &holdfast{call: core.New(core.Spec{Target: target, Body: question, Stream: streamed, Shared: state, Random: random})}
	}
}

// holdfast tells a core.Call what happened, as the driver does.
type holdfast struct {
	call    *core.Call
	attempt int
}

func (h *holdfast) hear(now time.Duration, s sign) (o order) {
	switch s.kind {
	case begin:
		h.tell(now, &o, core.Event{Kind: core.Start})
	case wake:
		h.tell(now, &o, core.Event{Kind: core.Tick})
	case refused:
		head := jsonType
		if s.hint > 0 {
			head = header.Header{jsonType[0], {Name: "retry-after", Value: strconv.Itoa(int(s.hint.Seconds()))}}
		}
		h.document(now, &o, 503, head, overloaded)
	case answered:
		h.document(now, &o, 200, jsonType, document)
	case opened:
		h.tell(now, &o, core.Event{Kind: core.Responded, Attempt: h.attempt, Status: 200, Header: streamType})
		h.tell(now, &o, core.Event{Kind: core.Received, Attempt: h.attempt, Bytes: words[0]})
	case more:
		h.tell(now, &o, core.Event{Kind: core.Received, Attempt: h.attempt, Bytes: words[1]})
	case closed:
		h.tell(now, &o, core.Event{Kind: core.Received, Attempt: h.attempt, Bytes: words[2]})
		h.tell(now, &o, core.Event{Kind: core.Ended, Attempt: h.attempt})
	case broke:
		h.tell(now, &o, core.Event{Kind: core.Broke, Attempt: h.attempt, Fault: reset})
	}
	return o
}

// document tells of a response that comes in one piece.
func (h *holdfast) document(now time.Duration, o *order, status int, head header.Header, body []byte) {
	attempt := h.attempt
	h.tell(now, o, core.Event{Kind: core.Responded, Attempt: attempt, Status: status, Header: head})
	h.tell(now, o, core.Event{Kind: core.Received, Attempt: attempt, Bytes: body})
	h.tell(now, o, core.Event{Kind: core.Ended, Attempt: attempt})
}

// tell passes an event on; whoever reads the answer has room for more at once.
func (h *holdfast) tell(now time.Duration, o *order, e core.Event) {
	for _, e := range [...]core.Event{e, {Kind: core.Demand}} {
		for _, a := range h.call.Handle(epoch.Add(now), e) {
			switch a.Kind {
			case core.Send:
				o.send, h.attempt = true, a.Attempt
			case core.Cancel:
				o.drop = true
			case core.Done:
				o.done, o.served = true, a.Result.Status == core.Complete
			}
		}
	}
}

func (h *holdfast) alarm() (time.Duration, bool) {
	at, ok := h.call.Deadline()
	return at.Sub(epoch), ok
}
