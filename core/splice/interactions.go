package splice

import (
	"strings"

	"holdfast/core/json"
	"holdfast/core/wire"
)

// interactions splices Gemini's Interactions: the open step of output goes on, other steps follow it
// by their number. It has no event ids where the events are of another interaction: nothing could
// be taken up behind them.
type interactions struct {
	id   json.Value // of the interaction as it was created
	open int64      // the open step's number, or -1
	kind string     // and type
	next int64      // the number of the next step
	told int        // bytes of text in the open step

	// Of the attempt that is made to fit:
	steps map[int64]int64 // its steps' numbers in the stream, dropped or goesOn
	again bool            // it tells the answer from its beginning
	came  int             // bytes of text that its present step brought
}

func (r *interactions) see(kind string, v json.Value) {
	switch kind {
	case "interaction.created":
		r.id = clone(v.Get("interaction", "id"))
	case "step.start":
		r.open, _ = v.Get("index").Int()
		r.next, r.kind, r.told = r.open+1, v.Get("step", "type").Text(), 0
	case "step.stop":
		r.open = -1
	}
}

func (r *interactions) said(text []byte) { r.told += len(text) }

func (r *interactions) attempt() { r.came = 0 }

func (r *interactions) early(kind string, v json.Value) bool {
	switch kind {
	case "interaction.created", "interaction.status_update", "interaction.in_progress", "interaction.queued", "step.stop":
		return true
	case "step.start":
		return v.Get("step", "type").Text() == "thought"
	case "step.delta":
		return strings.HasPrefix(v.Get("delta", "type").Text(), "thought")
	}
	return false
}

func (r *interactions) carries(kind string, v json.Value) bool {
	return kind == "step.delta" && v.Get("delta", "type").Text() == "text"
}

func (r *interactions) fit(s *Splicer, kind string, v json.Value, text []byte) {
	if v == nil {
		s.write("", nil)
		return
	}
	if s.joining {
		v = v.Without("event_id")
	}
	index, _ := v.Get("index").Int()
	switch kind {
	case "interaction.created":
		r.steps, r.again = nil, r.id != nil
		if !r.again {
			s.write(kind, v)
		}
	case "interaction.status_update", "interaction.in_progress", "interaction.queued":
		if !s.joining && !r.again {
			s.write(kind, v)
		}
	case "step.start":
		r.start(s, index, v)
	case "step.delta":
		r.delta(s, kind, r.at(index), v, text)
	case "step.stop":
		if at := r.at(index); at == r.open && at >= 0 && r.kind != output {
			r.close(s)
		}
	case "interaction.completed", "interaction.requires_action", "interaction.incomplete":
		r.end(s, kind, v)
	default:
		s.write(kind, v)
	}
}

// output is the type of the step that holds the answer's text.
const output = "model_output"

// start begins a step. What was thought for a continuation is left out: it belongs to another
// conversation.
func (r *interactions) start(s *Splicer, index int64, v json.Value) {
	if r.steps == nil {
		r.steps = map[int64]int64{}
	}
	switch kind := v.Get("step", "type").Text(); {
	case (s.joining || r.again && s.source.Resumed) && kind == "thought":
		r.steps[index] = dropped
	case kind == output:
		r.steps[index], r.came = goesOn, 0
	default:
		r.close(s)
		r.steps[index] = r.next
		s.write("step.start", v.With("index", number(r.next)))
	}
}

func (r *interactions) delta(s *Splicer, kind string, at int64, v json.Value, text []byte) {
	switch {
	case r.carries(kind, v):
		r.came += bytesIn(v.Get("delta", "text"))
		if len(text) == 0 {
			return
		}
		r.openText(s)
		r.told += len(text)
		at, v = r.open, v.With("delta", v.Get("delta").With("text", quoted(text)))
	case at == goesOn:
		at = r.open
		if s.joining {
			v = v.With("delta", moved(v.Get("delta"), r.told-r.came))
		}
	}
	if at >= 0 {
		s.write(kind, v.With("index", number(at)))
	}
}

func (r *interactions) at(index int64) int64 {
	if at, ok := r.steps[index]; ok {
		return at
	}
	return index
}

// end ends the interaction as the first one, with the usage of all.
func (r *interactions) end(s *Splicer, kind string, v json.Value) {
	r.close(s)
	whole := v.Get("interaction").Without("steps")
	if r.id != nil {
		whole = whole.With("id", r.id)
	}
	if usage := whole.Get("usage"); usage != nil {
		whole = whole.With("usage", plus(usage, s.source.Before))
	}
	s.write(kind, v.With("interaction", whole))
}

func (r *interactions) event(s *Splicer, kind string, members func(w *json.Writer)) {
	var w json.Writer
	w.Open("", '{').Text("event_type", kind)
	members(&w)
	s.write(kind, w.Close('}').Out)
}

func (r *interactions) close(s *Splicer) {
	if r.open >= 0 {
		r.event(s, "step.stop", func(w *json.Writer) { w.Int("index", r.open) })
	}
}

func (r *interactions) openText(s *Splicer) {
	if r.open >= 0 && r.kind == output {
		return
	}
	r.close(s)
	r.event(s, "step.start", func(w *json.Writer) { w.Int("index", r.next).Open("step", '{').Text("type", output).Close('}') })
}

func (r *interactions) text(s *Splicer, text []byte) {
	r.openText(s)
	r.told += len(text)
	r.event(s, "step.delta", func(w *json.Writer) {
		w.Int("index", r.open).Open("delta", '{').Text("type", "text").Raw("text", quoted(text)).Close('}')
	})
}

// document takes an interaction that came whole, of which deltas are new.
func (r *interactions) document(s *Splicer, from *wire.Stream, deltas []wire.Delta) {
	v := from.Last
	if r.id == nil {
		begun := v.Without("steps").Without("usage").With("status", json.Value(`"in_progress"`))
		r.event(s, "interaction.created", func(w *json.Writer) { w.Raw("interaction", begun) })
	}
	for _, d := range deltas {
		switch d.Kind {
		case wire.Text:
			r.text(s, d.Text)
		case wire.ToolCall:
			r.close(s)
			at := r.next
			r.event(s, "step.start", func(w *json.Writer) {
				w.Int("index", at).Open("step", '{').Text("type", "function_call").Text("id", d.Tool.ID).Text("name", d.Tool.Name)
				w.Open("arguments", '{').Close('}').Close('}')
			})
			r.event(s, "step.delta", func(w *json.Writer) {
				w.Int("index", at).Open("delta", '{').Text("type", "arguments_delta").Text("arguments", d.Tool.Arguments).Close('}')
			})
			r.close(s)
		}
	}
	if from.End != wire.Open {
		r.ended(s, v)
	}
}

// ended writes the terminal of an interaction that came whole.
func (r *interactions) ended(s *Splicer, v json.Value) {
	var w json.Writer
	w.Open("", '{').Text("event_type", "interaction.completed").Raw("interaction", v).Close('}')
	r.end(s, "interaction.completed", w.Out)
}

func (r *interactions) finish(*Splicer) {}

// fail writes the error as an event, or the terminal of an interaction that says that it failed.
func (r *interactions) fail(s *Splicer, body json.Value) {
	switch {
	case body.Get("interaction").Kind() == '{':
		r.end(s, body.Get("event_type").Text(), body)
		return
	case body.Get("status").Kind() == '"': // of an interaction that came whole
		r.ended(s, body)
		return
	}
	r.event(s, "error", func(w *json.Writer) { w.Raw("error", body.Get("error")) })
}
