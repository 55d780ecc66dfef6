package sim

import (
	"strings"

	"holdfast/core/header"
)

// perform fills in the exchange: the given behaviour, saying text.
func (p *planner) perform(b Behaviour, text string) {
	if b.BeforeHeaders {
		p.exchange.Delay = b.Delay
		p.exchange.Steps = []Step{{End: b.End}}
		return
	}
	streams := p.prompt.stream && p.api.stream != nil && !b.AsJSON
	switch {
	case b.Chunks != nil:
		p.respond(b, 200, guessType(strings.Join(b.Chunks, "")))
		steps := make([]Step, len(b.Chunks))
		for i, chunk := range b.Chunks {
			steps[i] = Step{Wait: b.Gap, Write: []byte(chunk)}
		}
		p.exchange.Steps = finished(steps, 0, b, " ")
	case b.Body != nil:
		p.respond(b, 200, guessType(*b.Body))
		p.exchange.Steps = document([]byte(*b.Body), b)
	case b.Error != "" && (b.ErrorAfter < 0 || !streams):
		p.fail(b, "")
	case p.api.operate != nil:
		p.api.operate(p, b)
	case p.prompt.deferred || p.prompt.background && !p.prompt.stream:
		r := p.reply(b, text)
		p.respond(b, 200, "application/json")
		p.exchange.Steps = document(p.keep(b, r), b)
	case !streams:
		r := p.reply(b, text)
		p.keep(b, r)
		p.respond(b, 200, "application/json")
		p.exchange.Steps = document(p.api.whole(r), b)
	default:
		r := p.reply(b, text)
		p.keep(b, r)
		p.respond(b, 200, first(p.api.contentType, "text/event-stream; charset=utf-8"))
		t := p.streamed(b, r, false)
		p.exchange.Steps = t.ending(b, p.api.alive)
	}
}

// reply prepares the answer that the behaviour asks for.
func (p *planner) reply(b Behaviour, text string) reply {
	said := words(text)
	finish := b.Finish
	if b.FinishAfter >= 0 {
		said = said[:place(b.FinishAfter, len(said))]
	}
	if b.Refusal != "" {
		said = words(b.Refusal)
	}
	if finish == "" {
		finish = "stop"
		if b.Tool != nil {
			finish = "tool_calls"
		}
	}
	r := reply{
		id: p.id(""), uuid: p.uuid(), model: first(b.RedirectTo, p.prompt.model, "gloo-sim"), speaks: p.speaks,
		text: strings.Join(said, ""), refusal: b.Refusal, reasoning: b.Reasoning, tool: b.Tool,
		finish: finish, sendUsage: p.prompt.usage,
		usage:   usage{input: p.prompt.tokens, output: len(said), reasoning: len(words(b.Reasoning))},
		blocked: b.BlockReason, background: p.prompt.background, unstored: p.prompt.unstored,
		deferred: p.prompt.deferred, noUsage: b.NoUsage,
		inputs: p.prompt.inputs, floats: p.prompt.floats,
	}
	if b.Refusal != "" {
		r.text = ""
	}
	r.usage.output += r.usage.reasoning
	return r
}

// place keeps a place in the answer inside it: beyond the end counts as before the last word.
func place(words, all int) int {
	if words > all {
		return max(0, all-1)
	}
	return words
}

// respond sets the response's status and headers.
func (p *planner) respond(b Behaviour, status int, contentType string) {
	e := &p.exchange
	e.Delay = b.Delay
	e.Status = status
	if b.Status != 0 {
		e.Status = b.Status
	}
	h := e.Header.Set("Content-Type", first(b.ContentType, contentType))
	if e.Status < 400 && b.Body == nil {
		h = append(h, p.limits(false, "")...)
	}
	if b.RetryAfter != "" && (b.Body != nil || b.Error == "") {
		h = h.Set("Retry-After", b.RetryAfter)
	}
	if b.RedirectTo != "" && (p.speaks.ofGloo() || p.speaks == compatible) {
		h = h.Set("X-Gloo-Model-Redirected-From", p.prompt.model)
	}
	e.Header = h
	p.override(b)
}

// override gives the header fields that a script asks for, in place of what is there.
func (p *planner) override(b Behaviour) {
	h := p.exchange.Header
	for _, f := range b.Headers {
		h = h.Set(f.Name, f.Value)
	}
	p.exchange.Header = h[:0:0]
	for _, f := range h {
		if f.Value != "" {
			p.exchange.Header = append(p.exchange.Header, f)
		}
	}
}

// fail answers with the behaviour's error as an HTTP error. developer is a message for the one who
// wrote the request, in place of the usual one.
func (p *planner) fail(b Behaviour, developer string) {
	found := p.problem(b)
	if developer != "" && p.speaks.ofGloo() {
		found.developer = developer
	} else if developer != "" {
		found.message = developer
	}
	e := &p.exchange
	p.respond(b, found.status, "application/json")
	if p.speaks == direct {
		e.Header = append(e.Header, header.Field{Name: "X-Gloo-Error-Code", Value: found.code})
	}
	e.Header = append(e.Header, p.hint(found, b.Retryable)...)
	if found.status >= 400 {
		e.Header = append(e.Header, p.limits(found.kind == "rate_limit", b.RetryAfter)...)
	}
	p.override(b)
	speaks := p.speaks
	if speaks == gemini && p.api.contentType != "" {
		speaks = geminiCompat // a list was promised
	}
	e.Steps = document(found.body(speaks), b)
}

// problem is the behaviour's error with what the script changes about it.
func (p *planner) problem(b Behaviour) problem {
	found := problem{fault: p.speaks.fault(b.Error), retryAfter: b.RetryAfter, traceID: p.traceID(),
		model: p.prompt.model, shape: b.ErrorShape}
	if b.Retryable != nil {
		found.retryable = *b.Retryable
	}
	return found
}

// traceID names the request inside a body.
func (p *planner) traceID() string {
	if p.speaks == anthropic {
		return p.id("req_") // the same as in the header
	}
	return p.id("trace_")
}

// uuid is an id in the form of a UUID.
func (p *planner) uuid() string {
	digits := p.id("") + hash(p.id("uuid")) + "00000000000000000000000000000000"
	return digits[:8] + "-" + digits[8:12] + "-4" + digits[13:16] + "-8" + digits[17:20] + "-" + digits[20:32]
}

// streamed says r event by event, with every interruption that b asks for; to the end when it is
// told for the provider's own store.
func (p *planner) streamed(b Behaviour, r reply, stored bool) *track {
	t := &track{encoder: p.api.stream(r), stored: stored}
	if b.ErrorAfter != 0 {
		t.write(t.encoder.start())
	}
	t.wait(b.First)
	for _, piece := range groups(words(r.reasoning), b.Words, nil) {
		t.write(t.encoder.delta(reasoningDelta, piece))
		t.wait(b.Gap)
	}
	if !t.say(b, r, p) || r.tool != nil && !t.call(b, r) {
		return t
	}
	if !b.NoTerminal || stored {
		t.write(t.encoder.finish(r.finish))
		if !b.NoUsage || stored {
			t.write(t.encoder.after())
		}
		if !b.NoDone || stored {
			t.write(t.encoder.done())
		}
	}
	return t
}

// guessType is the usual content type of a body given as text.
func guessType(body string) string {
	switch {
	case strings.HasPrefix(body, "<"):
		return "text/html; charset=utf-8"
	case strings.HasPrefix(body, "{"), strings.HasPrefix(body, "["):
		return "application/json"
	case strings.HasPrefix(body, "data:"), strings.HasPrefix(body, "event:"), strings.HasPrefix(body, ":"):
		return "text/event-stream"
	}
	return "text/plain; charset=utf-8"
}
