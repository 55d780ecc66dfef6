package sim

import (
	"bytes"
	"time"
	"unicode/utf8"
)

// track collects the steps of a stream.
type track struct {
	encoder encoder
	steps   []Step
	said    []int         // words of the answer after each step
	words   int           // … so far
	pending time.Duration // waited before the next write
	stored  bool          // for the provider's store: nothing interrupts it
}

func (t *track) wait(d time.Duration) { t.pending += d }

func (t *track) write(p []byte) {
	if len(p) == 0 {
		return
	}
	t.steps = append(t.steps, Step{Wait: t.pending, Write: p})
	t.said = append(t.said, t.words)
	t.pending = 0
}

// say writes the answer's words. It reports whether the stream goes on afterwards.
func (t *track) say(b Behaviour, r reply, p *planner) bool {
	kind, said := textDelta, words(r.text)
	if r.refusal != "" {
		kind, said = refusalDelta, words(r.refusal)
	}
	for _, at := range []*int{&b.ErrorAfter, &b.EndAfterWords, &b.PauseAfter, &b.MalformedAfter} {
		*at = place(*at, len(said))
	}
	b.MalformedAfter = min(b.MalformedAfter, len(said)-1) // it needs a word to break
	breaks := []int{b.ErrorAfter, b.EndAfterWords, b.PauseAfter, b.MalformedAfter}
	for _, piece := range append(groups(said, b.Words, breaks), "") {
		switch {
		case t.words == b.ErrorAfter:
			t.write(t.encoder.fail(p.problem(b)))
			return false
		case t.words == b.EndAfterWords && !t.stored:
			return false
		case t.words == b.PauseAfter:
			t.wait(b.Pause)
		}
		if piece == "" {
			break
		}
		data := t.encoder.delta(kind, piece)
		if t.words == b.MalformedAfter && !t.stored {
			data = broken(data)
		}
		t.words += len(words(piece))
		t.write(data)
		t.wait(b.Gap)
	}
	return true
}

// call writes the tool call. It reports whether the stream goes on afterwards.
func (t *track) call(b Behaviour, r reply) bool {
	t.write(t.encoder.callTool("call_"+r.id, r.tool))
	parts := r.tool.Parts
	if parts == 0 {
		parts = 4
	}
	arguments := r.tool.Arguments
	for i := range parts {
		if i == b.EndAfterParts && !t.stored {
			return false
		}
		size := (len(arguments) + parts - i - 1) / (parts - i)
		for size < len(arguments) && !utf8.RuneStart(arguments[size]) {
			size++
		}
		t.write(t.encoder.toolArguments(arguments[:size]))
		arguments = arguments[size:]
		t.wait(b.Gap)
	}
	return true
}

// ending closes the track as b says and gives the steps their final form. alive is what keeps the
// stream alive while it hangs, or "".
func (t *track) ending(b Behaviour, alive string) []Step {
	return finished(t.steps, t.pending, b, first(alive, ": still here\n\n"))
}

// document is a body that is sent at once.
func document(body []byte, b Behaviour) []Step {
	if b.EndAfterWords >= 0 && b.EndAt < 0 && b.EndAfterBytes < 0 {
		b.EndAt = 0.5 // there are no words to count in a document
	}
	var steps []Step
	if len(body) > 0 {
		steps = []Step{{Write: body}}
	}
	return finished(steps, b.First, b, " ")
}

// finished cuts the steps where b says, splits them into network writes, and adds the end.
func finished(steps []Step, pending time.Duration, b Behaviour, alive string) []Step {
	limit := -1
	if b.EndAfterBytes >= 0 {
		limit = b.EndAfterBytes
	} else if b.EndAt >= 0 {
		total := 0
		for _, step := range steps {
			total += len(step.Write)
		}
		limit = int(b.EndAt * float64(total))
	}
	var out []Step
	for _, step := range steps {
		if limit >= 0 && len(step.Write) > limit {
			step.Write = step.Write[:limit]
		}
		if limit >= 0 {
			limit -= len(step.Write)
		}
		out = split(out, step, b)
		if limit == 0 {
			break
		}
	}
	last := Step{Wait: pending, Write: []byte(b.Tail), End: b.End}
	if b.End == Hang && b.Heartbeat > 0 {
		last = Step{Wait: b.Heartbeat, Write: []byte(alive), End: Hang}
	}
	return append(out, last)
}

// split appends a step as network writes of at most b.ChunkBytes.
func split(out []Step, step Step, b Behaviour) []Step {
	if len(step.Write) == 0 {
		return out
	}
	if b.ChunkBytes == 0 {
		return append(out, step)
	}
	for len(step.Write) > b.ChunkBytes {
		out = append(out, Step{Wait: step.Wait, Write: step.Write[:b.ChunkBytes]})
		step = Step{Wait: b.ChunkGap, Write: step.Write[b.ChunkBytes:]}
	}
	return append(out, step)
}

// groups joins words into pieces of n, and starts a new piece at each of the breaks.
func groups(words []string, n int, breaks []int) []string {
	n = max(n, 1)
	var pieces []string
	held := 0
	for i, word := range words {
		starts := held == 0 || held == n
		for _, at := range breaks {
			starts = starts || at == i
		}
		if starts {
			pieces, held = append(pieces, ""), 0
		}
		pieces[len(pieces)-1] += word
		held++
	}
	return pieces
}

// broken makes an event's JSON invalid: its last brace is missing.
func broken(data []byte) []byte {
	end := data[bytes.LastIndexByte(data, '}')+1:] // what frames the event
	return append(data[:len(data)-len(end)-1:len(data)-len(end)-1], end...)
}
