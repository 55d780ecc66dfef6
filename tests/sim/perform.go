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
	r := p.reply(b, text)
	streams := p.prompt.stream && !b.AsJSON
	switch {
	case b.Body != nil:
		p.respond(b, 200, guessType(*b.Body))
		p.exchange.Steps = document([]byte(*b.Body), b)
	case b.Error != "" && (b.ErrorAfter < 0 || !streams):
		p.fail(b)
	case !streams:
		p.respond(b, 200, "application/json")
		p.exchange.Steps = document(p.api.whole(r), b)
	default:
		p.respond(b, 200, "text/event-stream; charset=utf-8")
		p.exchange.Steps = p.streamed(b, r)
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
		id: p.id(""), model: first(b.RedirectTo, p.prompt.model, "gloo-sim"), speaks: p.speaks,
		text: strings.Join(said, ""), refusal: b.Refusal, reasoning: b.Reasoning, tool: b.Tool,
		finish: finish, sendUsage: p.prompt.usage,
		usage: usage{input: p.prompt.tokens, output: len(said), reasoning: len(words(b.Reasoning))},
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
	if b.RetryAfter != "" {
		h = h.Set("Retry-After", b.RetryAfter)
	}
	if b.RedirectTo != "" {
		h = h.Set("X-Gloo-Model-Redirected-From", p.prompt.model)
	}
	for _, f := range b.Headers {
		h = h.Set(f.Name, f.Value)
	}
	e.Header = h[:0:0]
	for _, f := range h {
		if f.Value != "" {
			e.Header = append(e.Header, f)
		}
	}
}

// fail answers with the behaviour's error as an HTTP error.
func (p *planner) fail(b Behaviour, developer ...string) {
	found := p.problem(b)
	found.developer = first(append(developer, found.developer)...)
	p.respond(b, found.status, "application/json")
	if p.speaks == direct {
		p.exchange.Header = append(p.exchange.Header, header.Field{Name: "X-Gloo-Error-Code", Value: found.code})
	}
	p.exchange.Steps = document(found.body(p.speaks), b)
}

// problem is the behaviour's error with what the script changes about it.
func (p *planner) problem(b Behaviour) problem {
	known, _ := faultNamed(b.Error)
	found := problem{fault: known, retryAfter: b.RetryAfter, traceID: p.id("trace_")}
	if b.Retryable != nil {
		found.retryable = *b.Retryable
	}
	return found
}

// streamed says r event by event, with every interruption that b asks for.
func (p *planner) streamed(b Behaviour, r reply) []Step {
	t := track{encoder: p.api.stream(r)}
	if b.ErrorAfter != 0 {
		t.write(t.encoder.start())
	}
	t.wait(b.First)
	for _, piece := range groups(words(r.reasoning), b.Words, nil) {
		t.write(t.encoder.delta(reasoningDelta, piece))
		t.wait(b.Gap)
	}
	if !t.say(b, r, p) {
		return t.ending(b)
	}
	if r.tool != nil && !t.call(b, r) {
		return t.ending(b)
	}
	if !b.NoTerminal {
		t.write(t.encoder.finish(r.finish))
		t.write(t.encoder.after())
		if !b.NoDone {
			t.write(t.encoder.done())
		}
	}
	return t.ending(b)
}

// guessType is the usual content type of a body given as text.
func guessType(body string) string {
	switch {
	case strings.HasPrefix(body, "<"):
		return "text/html; charset=utf-8"
	case strings.HasPrefix(body, "{"), strings.HasPrefix(body, "["):
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}
