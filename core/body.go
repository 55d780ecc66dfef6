package core

import (
	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// What a call makes of an attempt's body: deltas of a stream, each given once and behind the seam, or
// one document.

// read asks for the next chunk when there is room for what it may bring. Only deltas are held
// back for a slow consumer: everything else is read at once.
func (c *Call) read() {
	wanted := c.phase == draining || c.phase == reading && (c.demand || c.stream == nil)
	if wanted && c.open && !c.reading {
		c.reading, c.since = true, c.now
		c.do(Action{Kind: Read, Attempt: c.attempt.Number})
	}
}

func (c *Call) received(chunk []byte) {
	if c.reading {
		c.unread += c.now.Sub(c.since)
	}
	c.reading, c.rearmed = false, false
	if c.stream == nil {
		c.collect(chunk)
		return
	}
	c.decoder.Feed(chunk)
	c.raw.feed(chunk)
	c.events()
}

// collect keeps a body that is not streamed, within its bound.
func (c *Call) collect(chunk []byte) {
	limit := c.policy().MaxBody
	switch {
	case c.attempt.HTTPStatus >= 300: // it only explains an error
		chunk = chunk[:min(len(chunk), maxErrorBody-len(c.body))]
	case len(c.body)+len(chunk) > limit:
		f := fault.Lost(fault.RequestTooLarge, "the response body is larger than "+decimal.String(limit)+" bytes (policy.maxBodyBytes)")
		f.Decision, f.Code = fault.Stop, "body_too_large"
		c.fail(f)
		return
	}
	c.body = append(c.body, chunk...)
}

// events takes what the decoder holds and goes where the stream then stands.
func (c *Call) events() {
	for !c.stream.Done || c.raw.drains() {
		e, ok, err := c.decoder.Next()
		if err != nil {
			if c.deltas(); c.phase != reading && c.phase != draining {
				return
			}
			f := fault.Lost(fault.MalformedStream, "an event is larger than "+decimal.String(c.policy().MaxEvent)+" bytes (policy.maxEventBytes)")
			f.MaxRetries = 1 // so will the next one be
			c.fail(f)
			return
		}
		if !ok {
			break
		}
		c.stream.Event(e)
		if c.raw != nil && !c.spliced(e) {
			return
		}
	}
	c.follow()
}

// follow emits what the stream brought, and acts on its terminal.
func (c *Call) follow() {
	c.deltas()
	switch {
	case c.phase != reading && c.phase != draining:
	case c.stream.End == wire.Failed:
		c.fail(c.stream.Fault)
	case !c.stream.Ends():
		c.phase = reading // what came has taken an end back
	case c.stream.Done && !c.raw.drains() || !c.open:
		c.drained()
	case c.phase == reading:
		wait := min(maxDrain, c.policy().Drain)
		if c.stream.End == wire.Open { // what follows may take the end back
			wait = maxDrain
		}
		c.phase, c.deadline = draining, c.now.Add(wait)
	}
}

// deltas emits what the stream brought.
func (c *Call) deltas() {
	for _, d := range c.stream.Take() {
		if c.attempt.FirstDelta == 0 {
			c.attempt.FirstDelta = max(1, c.now.Sub(c.attempt.Sent))
			c.note(Note{Kind: NoteStreaming})
		}
		c.alive = c.now
		switch d.Kind {
		case wire.Text:
			c.join(c.out.whole(d))
		case wire.ToolCall:
			c.tools = append(c.tools, d.Tool)
			c.emit(d)
		case wire.Restart:
			c.restarted()
			c.emit(d)
		default:
			d.Text = c.out.whole(d)
			c.emit(d)
		}
	}
	if c.stream.End == wire.Complete || c.stream.End == wire.Filtered {
		c.show(c.out.rest())
		if c.joiner != nil {
			c.show([]byte(c.joiner.Flush()))
		}
	}
	switch {
	case c.joiner == nil || c.phase == done || c.stream.End == wire.Filtered: // which is final
	case c.joiner.Diverged:
		c.warn("the continuation began the answer anew and told it differently: it could not be joined")
		c.lose(fault.MalformedStream, "the continuation is another answer")
	case c.unfit():
		f := fault.Lost(fault.MalformedStream, "the answer was to be JSON, and its parts make none")
		c.closeAttempt(f)
		c.giveUp(f)
	}
}

// unfit tells that a continued answer has ended as a text that it must not be. An end that may still
// be taken back counts, for a raw call gives it to the reader at once.
func (c *Call) unfit() bool {
	s := c.stream
	ends := s.End == wire.Complete || s.End == wire.Open && s.Ends() && c.joiner.Decided()
	return ends && !s.Tool && !wire.AtLimit(s.Finish) &&
		wire.AsksJSON(wire.FormOf(c.spec.API, c.spec.Path, c.spec.Body), c.spec.Body) && !json.Valid([]byte(c.out.text()))
}

// join passes answer text through the seam, if there is one.
func (c *Call) join(text []byte) {
	if c.joiner == nil {
		c.show(text)
		return
	}
	before := c.joiner.Decided()
	c.show([]byte(c.joiner.Feed(string(text))))
	if !before && c.joiner.Decided() {
		c.note(Note{Kind: NoteJoined, Trimmed: c.joiner.Trimmed})
	}
}

// show gives answer text to the caller. From here on it is never given again.
func (c *Call) show(text []byte) {
	known := min(c.repeats, len(text))
	c.repeats -= known
	text = text[known:]
	if len(text) > 0 {
		c.attempt.TextLength += c.out.show(text)
		c.emit(wire.Delta{Kind: wire.Text, Text: text})
	}
}

func (c *Call) emit(d wire.Delta) {
	if c.raw != nil {
		c.raw.deltas = append(c.raw.deltas, d)
		return
	}
	if d.Kind == wire.ToolCall || d.Kind == wire.Restart || len(d.Text) > 0 {
		c.demand, c.gave = c.flow, true
		c.do(Action{Kind: Emit, Delta: d})
	}
}

// ended takes the clean end of the body. What is left of a stream counts as its last event.
func (c *Call) ended() {
	c.open, c.reading = false, false
	if c.stream == nil {
		c.document()
		return
	}
	c.decoder.Flush()
	switch c.events(); c.phase {
	case draining:
		c.drained()
	case reading:
		if !c.comeBack() {
			c.stream.Close()
			c.follow()
		}
	}
}

// broke takes the failure of the exchange. What arrived before it counts, to the last event.
func (c *Call) broke(f fault.Fault) {
	c.open, c.reading = false, false
	switch {
	case c.stream != nil: // nothing that breaks after the terminal can undo it
		c.decoder.Flush()
		c.stream.Cut(f)
		switch c.events(); c.phase {
		case draining:
			c.drained()
		case reading:
			c.fail(f)
		}
	case c.phase == reading && c.attempt.HTTPStatus >= 300: // the status says enough
		c.document()
	default:
		c.fail(f)
	}
}

// document takes a whole body: the answer of a call that is not streamed, or an error's words.
func (c *Call) document() {
	a := c.attempt
	f := fault.Classify(a.Provider, fault.Response{Status: a.HTTPStatus, Header: c.header, Body: c.body, Now: c.now})
	if f.Decision == fault.Success {
		v, err := json.Parse(c.body)
		var asked json.Value
		if err == nil {
			if s := wire.Whole(a.API, a.Provider, v); s.End == wire.Failed {
				a.Usage = s.Usage
				c.fail(s.Fault)
				return
			}
			asked, err = c.inForm(v)
		}
		if err == nil {
			c.result.HTTPStatus, c.result.Header, c.result.Data = a.HTTPStatus, c.header, v
			c.closeAttempt(fault.Fault{})
			c.result.Data = asked
			c.end(Complete, fault.Fault{})
			return
		}
		f = fault.Lost(fault.Truncated, "the response body is no answer: "+err.Error())
		if len(c.body) > 0 { // which it will hardly be the next time
			f.MaxRetries = 1
		}
	}
	c.fail(f)
}
