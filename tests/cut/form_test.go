package cut

import (
	"strconv"

	"holdfast/core/json"
	"holdfast/core/sse"
	"holdfast/core/wire"
)

// form checks that a stream is well formed, as strictly as no SDK does: one start, one end, indices
// and numbers without gaps, everything closed, and what is said again said right.
type form interface {
	take(e sse.Event) (problem string)
	end(text string) (problem string)
}

func newForm(api wire.API) form {
	switch api {
	case wire.Messages:
		return &messagesForm{open: -1}
	case wire.Responses:
		return &responsesForm{}
	case wire.Generate:
		return &generateForm{}
	case wire.Interactions:
		return &interactionsForm{open: -1}
	}
	return &chatForm{}
}

type chatForm struct {
	id, model, created string
	roles, finishes    int
	done               bool
}

func (f *chatForm) take(e sse.Event) string {
	if f.done {
		return "something follows [DONE]"
	}
	if string(e.Data) == "[DONE]" {
		f.done = true
		return ""
	}
	v, err := json.Parse(e.Data)
	if err != nil {
		return "not JSON"
	}
	id, model, created := v.Get("id").Text(), v.Get("model").Text(), string(v.Get("created"))
	if f.id == "" {
		f.id, f.model, f.created = id, model, created
	}
	if id != f.id || model != f.model || created != f.created {
		return "another id, model or time"
	}
	choice := v.Get("choices").At(0)
	if !choice.Get("delta", "role").Missing() {
		f.roles++
	}
	if !choice.Get("finish_reason").Missing() {
		f.finishes++
	}
	return ""
}

func (f *chatForm) end(string) string {
	if f.roles != 1 || f.finishes != 1 || !f.done {
		return strconv.Itoa(f.roles) + " starts, " + strconv.Itoa(f.finishes) + " ends"
	}
	return ""
}

type messagesForm struct {
	begun, stopped, ended bool
	open, next            int64
	kind                  string
}

func (f *messagesForm) take(e sse.Event) string {
	v, err := json.Parse(e.Data)
	kind := v.Get("type").Text()
	index, _ := v.Get("index").Int()
	switch {
	case err != nil || kind != e.Type:
		return "not JSON of the event's type"
	case f.ended:
		return "something follows message_stop"
	case kind != "message_start" && !f.begun:
		return "no start"
	}
	switch kind {
	case "message_start":
		if f.begun {
			return "a second start"
		}
		f.begun = true
	case "content_block_start":
		if f.open >= 0 || index != f.next {
			return "a block out of order"
		}
		f.open, f.next, f.kind = index, index+1, v.Get("content_block", "type").Text()
	case "content_block_delta":
		want := map[string]string{"text": "text_delta", "thinking": "thinking_delta", "tool_use": "input_json_delta"}[f.kind]
		if got := v.Get("delta", "type").Text(); index != f.open || got != want && got != "signature_delta" {
			return "a delta of no open block"
		}
	case "content_block_stop":
		if index != f.open {
			return "a stop of no open block"
		}
		f.open = -1
	case "message_delta":
		if f.open >= 0 || f.stopped {
			return "an end inside a block"
		}
		f.stopped = true
	case "message_stop":
		f.ended = true
	}
	return ""
}

func (f *messagesForm) end(string) string {
	if !f.stopped || !f.ended {
		return "no end"
	}
	return ""
}

type generateForm struct {
	id, model string
	finishes  int
}

func (f *generateForm) take(e sse.Event) string {
	v, err := json.Parse(e.Data)
	if err != nil {
		return "not JSON"
	}
	id, model := v.Get("responseId").Text(), v.Get("modelVersion").Text()
	if f.id == "" {
		f.id, f.model = id, model
	}
	if id != f.id || model != f.model {
		return "another response"
	}
	if f.finishes > 0 {
		return "something follows the end"
	}
	if !v.Get("candidates").At(0).Get("finishReason").Missing() {
		f.finishes++
	}
	return ""
}

func (f *generateForm) end(string) string { return "" }

type responsesForm struct {
	sequence, items, parts int64
	id, item, kind         string // of the response; of the open item
	part                   bool
	text                   string // of the open part
	done                   []json.Value
	ended                  bool
	last                   json.Value
}

func (f *responsesForm) take(e sse.Event) string {
	v, err := json.Parse(append([]byte(nil), e.Data...))
	kind := v.Get("type").Text()
	if err != nil || kind != e.Type {
		return "not JSON of the event's type"
	}
	if n, ok := v.Get("sequence_number").Int(); !ok || n != f.sequence {
		return "number " + strconv.FormatInt(n, 10) + ", want " + strconv.FormatInt(f.sequence, 10)
	}
	f.sequence++
	if f.ended {
		return "something follows the end"
	}
	if id := v.Get("response", "id").Text(); id != "" {
		if f.id == "" {
			f.id = id
		}
		if id != f.id {
			return "another response"
		}
	}
	if index, ok := v.Get("output_index").Int(); ok && index != f.items {
		return "output_index"
	}
	if id := v.Get("item_id"); id != nil && id.Text() != f.item {
		return "item_id"
	}
	if index, ok := v.Get("content_index").Int(); ok && f.kind == "message" && index != f.parts {
		return "content_index"
	}
	switch kind {
	case "response.created":
		if f.sequence != 1 {
			return "a second start"
		}
	case "response.output_item.added":
		if f.item != "" {
			return "an item inside another"
		}
		f.item, f.kind, f.parts = v.Get("item", "id").Text(), v.Get("item", "type").Text(), 0
	case "response.output_item.done":
		if f.part || v.Get("item", "id").Text() != f.item {
			return "an item's end that is none"
		}
		f.done = append(f.done, v.Get("item"))
		f.item = ""
		f.items++
	case "response.content_part.added", "response.reasoning_summary_part.added":
		if f.part || f.item == "" {
			return "a part inside another"
		}
		f.part, f.text = true, ""
	case "response.output_text.delta", "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
		if !f.part {
			return "text outside of a part"
		}
		f.text += v.Get("delta").Text()
	case "response.output_text.done", "response.reasoning_text.done", "response.reasoning_summary_text.done":
		if v.Get("text").Text() != f.text {
			return "the whole text is not what was said"
		}
	case "response.content_part.done", "response.reasoning_summary_part.done":
		if !f.part || v.Get("part", "type").Text() != "refusal" && v.Get("part", "text").Text() != f.text {
			return "the whole part is not what was said"
		}
		f.part = false
		f.parts++
	case "response.completed", "response.incomplete":
		f.ended, f.last = true, v.Get("response")
		if f.item != "" {
			return "the end inside an item"
		}
		output := f.last.Get("output")
		n := 0
		output.Each(func(string, json.Value) bool { n++; return true })
		if n != len(f.done) {
			return "the whole output is not what was said"
		}
	}
	return ""
}

func (f *responsesForm) end(text string) string {
	said := ""
	f.last.Get("output").Each(func(_ string, item json.Value) bool {
		item.Get("content").Each(func(_ string, part json.Value) bool {
			if part.Get("type").Text() == "output_text" {
				said += part.Get("text").Text()
			}
			return true
		})
		return true
	})
	if said != text {
		return "the whole response's text is " + strconv.Quote(said)
	}
	return ""
}

type interactionsForm struct {
	id         string
	ended      bool
	open, next int64
}

func (f *interactionsForm) take(e sse.Event) string {
	if string(e.Data) == "[DONE]" {
		return ""
	}
	v, err := json.Parse(e.Data)
	kind := v.Get("event_type").Text()
	index, _ := v.Get("index").Int()
	switch {
	case err != nil:
		return "not JSON"
	case f.ended:
		return "something follows the end"
	case f.id == "" && kind != "interaction.created":
		return "no start"
	}
	switch kind {
	case "interaction.created":
		if f.id != "" {
			return "a second start"
		}
		f.id = v.Get("interaction", "id").Text()
	case "step.start":
		if f.open >= 0 || index != f.next {
			return "a step out of order"
		}
		f.open, f.next = index, index+1
	case "step.delta":
		if index != f.open {
			return "a delta of no open step"
		}
	case "step.stop":
		if index != f.open {
			return "a stop of no open step"
		}
		f.open = -1
	case "interaction.completed":
		f.ended = true
		if f.open >= 0 || v.Get("interaction", "id").Text() != f.id {
			return "an end inside a step, or of another interaction"
		}
	}
	return ""
}

func (f *interactionsForm) end(string) string {
	if !f.ended {
		return "no end"
	}
	return ""
}
