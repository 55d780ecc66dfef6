package splice

import (
	"strings"
	"unicode/utf8"

	"holdfast/core/json"
	"holdfast/core/translate"
)

// responses splices the event vocabulary of the Responses API. Its events are numbered, say where
// in the output they belong, and say everything again when a part, an item and the response end: so
// what went out is remembered, and said again as a whole. An open message is closed only when
// something else begins, since the seam may still hold some of its text.
type responses struct {
	sequence int64      // number of the next event
	head     json.Value // the response as it was created
	output   []json.Value
	item     *outputItem // the one that is open, or nil
	coming   json.Value  // the event that would open a message, once there is something to say

	// Of the attempt that is made to fit:
	places   map[int64]place // its items' places in the stream, by its own numbers
	upstream int64           // the number of its next event
	came     int             // characters of text that its present part brought
}

// outputItem is an item on its way.
type outputItem struct {
	place
	value json.Value // as it was added
	kind  string
	parts []json.Value // finished
	part  json.Value   // the open part as it was added, or nil
	text  []byte       // of it
	said  bool         // it was said again as a whole
	notes json.Value   // its annotations, a list
	noted int          // how many
}

// has tells whether an annotation is there already.
func (i *outputItem) has(note json.Value) (found bool) {
	i.notes.Each(func(_ string, item json.Value) bool {
		found = string(item) == string(note)
		return !found
	})
	return found
}

// place is where an item stands in the output.
type place struct {
	index   int64
	id      string
	dropped bool // it is left out
	message bool // it is a message, which may go on with the open one
}

func (r *responses) see(kind string, v json.Value) {
	if n, ok := v.Get("sequence_number").Int(); ok {
		r.sequence = n + 1
	}
	switch kind {
	case "response.created":
		r.head = clone(v.Get("response"))
	case "response.output_item.added":
		index, _ := v.Get("output_index").Int()
		value := v.Get("item")
		r.item = &outputItem{place: place{index: index, id: value.Get("id").Text()}, value: clone(value), kind: value.Get("type").Text()}
	case "response.content_part.added", "response.reasoning_summary_part.added":
		if r.item != nil {
			i := r.item
			i.part, i.text, i.said, i.notes, i.noted = clone(v.Get("part")), nil, false, json.Value("[]"), 0
		}
	case annotationAdded:
		if r.item != nil {
			r.item.notes = r.item.notes.Add(v.Get("annotation"))
			r.item.noted++
		}
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
		if r.item != nil {
			r.item.text = json.AppendText(r.item.text, v.Get("delta"))
		}
	case "response.output_text.done", "response.reasoning_text.done", "response.reasoning_summary_text.done":
		if r.item != nil {
			r.item.said = true
		}
	case "response.content_part.done", "response.reasoning_summary_part.done":
		if r.item != nil {
			r.item.parts, r.item.part = append(r.item.parts, clone(v.Get("part"))), nil
		}
	case "response.output_item.done":
		r.output, r.item = append(r.output, clone(v.Get("item"))), nil
	}
}

func (r *responses) said(text []byte) {
	if r.item != nil {
		r.item.text = append(r.item.text, text...)
	}
}

func (r *responses) early(kind string, v json.Value) bool {
	switch kind {
	case "response.created", "response.queued", "response.in_progress":
		return true
	case "response.output_item.added", "response.output_item.done":
		return v.Get("item", "type").Text() == "reasoning"
	case "response.content_part.added", "response.content_part.done":
		return v.Get("part", "type").Text() == "reasoning_text"
	}
	return strings.HasPrefix(kind, "response.reasoning")
}

func (r *responses) attempt() { r.came = 0 }

func (r *responses) carries(kind string, _ json.Value) bool { return kind == textDelta }

const (
	textDelta       = "response.output_text.delta"
	annotationAdded = "response.output_text.annotation.added"
)

// write writes an event with the number that follows.
func (r *responses) write(s *Splicer, kind string, v json.Value) {
	s.write(kind, v.With("sequence_number", number(r.sequence)))
}

func (r *responses) fit(s *Splicer, kind string, v json.Value, text []byte) {
	if n, ok := v.Get("sequence_number").Int(); ok && s.mode != encode { // whose numbers are our own
		if s.source.Resumed && n < r.upstream {
			return // the server repeats what was taken before
		}
		r.upstream = n + 1
	}
	if !strings.HasPrefix(kind, "response.") {
		if v != nil { // no end mark is part of this API
			s.write(kind, v)
		}
		return
	}
	at := r.at(kind, v)
	switch kind {
	case "response.created", "response.queued", "response.in_progress":
		created := kind == "response.created"
		if created {
			r.places = nil
		}
		if r.head == nil || !created && r.output == nil && r.item == nil && string(r.head.Get("id")) == string(v.Get("response", "id")) {
			r.write(s, kind, v)
		}
	case "response.output_item.added":
		r.begin(s, v)
	case "response.completed", "response.incomplete":
		r.close(s, strings.TrimPrefix(kind, "response."))
		r.write(s, kind, v.With("response", r.whole(s, v.Get("response"))))
	case "response.output_item.done":
		if !at.dropped && !at.message {
			r.write(s, kind, r.placed(v, at))
		}
	default:
		if !at.dropped {
			r.part(s, kind, v, at, text)
		}
	}
}

// part takes an event about what is inside an item. A message, and its parts of text, are opened
// when there is something to say.
func (r *responses) part(s *Splicer, kind string, v json.Value, at place, text []byte) {
	if !at.message {
		r.write(s, kind, r.placed(v, at))
		return
	}
	switch {
	case kind == textDelta:
		r.came += runesIn(v.Get("delta"))
		if len(text) == 0 {
			return
		}
		if string(v.Get("delta")) != string(quoted(text)) {
			v = v.With("delta", quoted(text))
			if v.Get("logprobs") != nil {
				v = v.With("logprobs", json.Value("[]")) // they are of other text
			}
		}
		r.openText(s)
		r.item.text = append(r.item.text, text...)
	case kind == "response.content_part.added":
		if r.came = 0; v.Get("part", "type").Text() == "output_text" {
			return
		}
		r.openMessage(s)
		r.closePart(s)
	case strings.HasSuffix(kind, ".done") || r.item == nil:
		return
	case kind == "response.refusal.delta":
		r.item.text = json.AppendText(r.item.text, v.Get("delta"))
	case s.joining && kind == annotationAdded:
		note := moved(v.Get("annotation"), utf8.RuneCount(r.item.text)-r.came)
		if r.item.has(note) { // of words that are said again
			return
		}
		v = v.With("annotation", note).With("annotation_index", number(int64(r.item.noted)))
	}
	v = r.placed(v, r.item.place)
	r.write(s, kind, v.With("content_index", number(int64(len(r.item.parts)))))
}

// begin begins an item. What was thought for a continuation is left out: it belongs to another
// conversation.
func (r *responses) begin(s *Splicer, v json.Value) {
	if r.places == nil {
		r.places = map[int64]place{}
	}
	index, _ := v.Get("output_index").Int()
	item := v.Get("item")
	switch kind := item.Get("type").Text(); {
	case s.joining && kind == "reasoning":
		r.places[index] = place{dropped: true}
	case kind == "message":
		r.places[index], r.coming = place{message: true}, clone(v)
	default:
		r.close(s, "completed")
		at := place{index: int64(len(r.output)), id: item.Get("id").Text()}
		r.places[index] = at
		r.write(s, "response.output_item.added", v.With("output_index", number(at.index)))
	}
}

// openMessage opens a message, unless one is open.
func (r *responses) openMessage(s *Splicer) {
	if r.item != nil && r.item.kind == "message" {
		return
	}
	r.close(s, "completed")
	index := number(int64(len(r.output)))
	if r.coming == nil {
		r.coming = json.Value(`{"type":"response.output_item.added","item":{"type":"message","status":"in_progress","role":"assistant","content":[]}}`)
		r.coming = r.coming.With("item", r.coming.Get("item").With("id", quoted(append([]byte("msg_"), index...))))
	}
	r.write(s, "response.output_item.added", r.coming.With("output_index", index))
	r.coming = nil
}

// openText opens a part for text, unless one is open.
func (r *responses) openText(s *Splicer) {
	r.openMessage(s)
	i := r.item
	if i.part != nil && !i.said && i.part.Get("type").Text() == "output_text" {
		return
	}
	r.closePart(s)
	r.event(s, "response.content_part.added", func(w *json.Writer) {
		i.where(w).Raw("part", json.Value(`{"type":"output_text","text":"","annotations":[],"logprobs":[]}`))
	})
}

// at is where an event's item stands in the stream. Some servers do not say that a message begins.
func (r *responses) at(kind string, v json.Value) place {
	index, ok := v.Get("output_index").Int()
	if at, known := r.places[index]; ok && known {
		return at
	}
	message := r.item != nil && r.item.kind == "message" && r.item.index == index || strings.HasPrefix(kind, "response.output_text.") ||
		v.Get("item", "type").Text() == "message" || v.Get("part", "type").Text() == "output_text"
	return place{index: index, id: v.Get("item_id").Text(), message: message}
}

// placed is an event with its item's place in the stream.
func (r *responses) placed(v json.Value, at place) json.Value {
	if v.Get("output_index") != nil {
		v = v.With("output_index", number(at.index))
	}
	if v.Get("item_id") != nil {
		v = v.With("item_id", json.AppendQuoted(nil, at.id))
	}
	return v
}

// close ends the open item.
func (r *responses) close(s *Splicer, status string) {
	i := r.item
	if i == nil {
		return
	}
	item := i.value
	if i.kind == "message" || i.kind == "reasoning" {
		r.closePart(s)
		content, summary := json.Value("[]"), json.Value("[]")
		for _, part := range i.parts {
			if part.Get("type").Text() == "summary_text" {
				summary = summary.Add(part)
			} else {
				content = content.Add(part)
			}
		}
		if i.kind == "reasoning" { // it broke off
			status = "incomplete"
			item = item.With("summary", summary).With("encrypted_content", quoted([]byte(translate.Unsigned)))
		}
		item = item.With("status", json.AppendQuoted(nil, status)).With("content", content)
	}
	var w json.Writer
	w.Open("", '{').Text("type", "response.output_item.done").Int("sequence_number", r.sequence).Int("output_index", i.index)
	s.write("response.output_item.done", w.Raw("item", item).Close('}').Out)
}

// closings are the events that end a part, by its type: the one that says its text again and the one
// that says all of it, what the text is called, and how the part is numbered.
var closings = map[string]struct{ said, text, done, number string }{
	"output_text":    {"response.output_text.done", "text", "response.content_part.done", "content_index"},
	"refusal":        {"response.refusal.done", "refusal", "response.content_part.done", "content_index"},
	"reasoning_text": {"response.reasoning_text.done", "text", "response.content_part.done", "content_index"},
	"summary_text":   {"response.reasoning_summary_text.done", "text", "response.reasoning_summary_part.done", "summary_index"},
}

// closePart ends the open part of the open item.
func (r *responses) closePart(s *Splicer) {
	i := r.item
	if i.part == nil {
		return
	}
	c, known := closings[i.part.Get("type").Text()]
	if !known {
		c = closings["output_text"]
	}
	part := i.part.With(c.text, quoted(i.text))
	if c.text == "text" && i.notes.At(0) != nil {
		part = part.With("annotations", i.notes)
	}
	event := func(kind, member string, value json.Value) {
		r.event(s, kind, func(w *json.Writer) {
			w.Text("item_id", i.id).Int("output_index", i.index).Int(c.number, int64(len(i.parts))).Raw(member, value)
			if member == "text" && i.part.Get("logprobs") != nil {
				w.Raw("logprobs", json.Value("[]"))
			}
		})
	}
	if !i.said {
		event(c.said, c.text, quoted(i.text))
	}
	event(c.done, "part", part)
	i.text = nil
}

// whole is the response as it ends: the first one's, with all that went out.
func (r *responses) whole(s *Splicer, v json.Value) json.Value {
	for _, key := range []string{"id", "created_at", "model"} {
		if own := r.head.Get(key); own != nil {
			v = v.With(key, own)
		}
	}
	output := json.Value("[]")
	for _, item := range r.output {
		output = output.Add(item)
	}
	if usage := v.Get("usage"); usage.Kind() == '{' {
		v = v.With("usage", plus(usage, s.source.Before))
	}
	return v.With("output", output)
}

func (r *responses) text(s *Splicer, text []byte) {
	r.openText(s)
	i := r.item
	i.text = append(i.text, text...)
	r.event(s, textDelta, func(w *json.Writer) { i.where(w).Raw("delta", quoted(text)).Raw("logprobs", json.Value("[]")) })
}

// where writes which part an event belongs to.
func (i *outputItem) where(w *json.Writer) *json.Writer {
	return w.Text("item_id", i.id).Int("output_index", i.index).Int("content_index", int64(len(i.parts)))
}

func (r *responses) event(s *Splicer, kind string, members func(w *json.Writer)) {
	var w json.Writer
	w.Open("", '{').Text("type", kind).Int("sequence_number", r.sequence)
	members(&w)
	s.write(kind, w.Close('}').Out)
}

func (r *responses) finish(*Splicer) {}

// fail writes both events on which clients throw: an error, in both of its shapes, and
// response.failed.
func (r *responses) fail(s *Splicer, body json.Value) {
	failed := body.Get("error")
	r.event(s, "error", func(w *json.Writer) {
		w.Raw("code", failed.Get("code")).Raw("message", failed.Get("message")).Raw("param", failed.Get("param")).Raw("error", failed)
	})
	response := r.head
	if response == nil {
		response = json.Value(`{"object":"response","output":[]}`)
	}
	var w json.Writer
	w.Open("", '{').Raw("code", failed.Get("code")).Raw("message", failed.Get("message")).Close('}')
	response = response.With("status", json.Value(`"failed"`)).With("error", w.Out)
	r.event(s, "response.failed", func(w *json.Writer) { w.Raw("response", response) })
}
