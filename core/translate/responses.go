package translate

import "holdfast/core/json"

// Responses, as requests: OpenAI, xAI, Gloo. A conversation is a list of items; the system text
// before it is the instructions.

func (r *request) readResponses(body json.Value) {
	r.model = body.Get("model").Text()
	r.stream = body.Get("stream").True()
	r.readLimit(body, "", "max_output_tokens")
	if body.Get("parallel_tool_calls").False() {
		r.serial = "/parallel_tool_calls"
	}
	each(body.Get("tools"), "/tools", func(at string, t json.Value) {
		if kind := t.Get("type").Text(); kind != "function" {
			r.drop(at, kind)
			return
		}
		r.others(t, at, "type name description parameters strict")
		r.addTool(at, t.Get("name").Text(), t.Get("description").Text(), t.Get("parameters"), t.Get("strict").True())
	})
	choice := body.Get("tool_choice")
	r.readChoice("/tool_choice", choice, choice.Get("name").Text())
	r.readFormat(body.Get("text", "format"), "/text/format", "")

	if v := body.Get("instructions"); v.Kind() == '"' {
		r.add(system, "/instructions", []part{text("/instructions", v.Text())})
	} else {
		each(v, "/instructions", r.readItem)
	}
	if v := body.Get("input"); v.Kind() == '"' {
		r.add(user, "/input", []part{text("/input", v.Text())})
	} else {
		each(v, "/input", r.readItem)
	}
}

func (r *request) readItem(at string, v json.Value) {
	switch kind := v.Get("type").Text(); kind {
	case "", "message":
		who := role(v.Get("role").Text())
		switch who {
		case "developer":
			who = system
		case system, user, assistant:
		default:
			r.drop(at, "role "+string(who))
			return
		}
		r.add(who, at, r.readContent(at+"/content", v.Get("content")))
		r.others(v, at, "type role content id status phase")
	case "function_call":
		name := v.Get("name").Text()
		if name == "" {
			r.drop(at, "a call without a name")
			return
		}
		r.add(assistant, at, []part{{kind: callPart, at: at, id: v.Get("call_id").Text(), name: name, args: v.Get("arguments").Text()}})
		r.others(v, at, "type call_id name arguments id status")
	case "function_call_output":
		r.add(user, at, []part{{kind: resultPart, at: at, id: v.Get("call_id").Text(),
			inner: r.readContent(at+"/output", v.Get("output"))}})
		r.others(v, at, "type call_id output id status")
	default:
		r.drop(at, kind)
	}
}

func (r *request) writeResponses(w *json.Writer) {
	w.TextIf("model", r.model)
	turns := r.turns
	var front []part
	for len(turns) > 0 && turns[0].role == system && len(turns) > 1 {
		front = append(front, turns[0].parts...)
		turns = turns[1:]
	}
	w.TextIf("instructions", joined(front)).Open("input", '[')
	for _, t := range turns {
		r.writeItems(w, t)
	}
	w.Close(']')
	if len(r.tools) > 0 {
		w.Open("tools", '[')
		for _, t := range r.tools {
			w.Open("", '{').Text("type", "function").Text("name", t.name).TextIf("description", t.description)
			// Not to say strict means true here and false in chat.
			w.Raw("parameters", orSchema(t.schema)).Bool("strict", t.strict).Close('}')
		}
		w.Close(']')
	}
	switch r.choice.mode {
	case "":
	case "tool":
		w.Open("tool_choice", '{').Text("type", "function").Text("name", r.choice.name).Close('}')
	default:
		w.Text("tool_choice", r.choice.mode)
	}
	if r.serial != "" {
		w.Bool("parallel_tool_calls", false)
	}
	w.IntIf("max_output_tokens", r.limit)
	if f := &r.format; f.kind != "" || r.knobSet("text/verbosity") != nil {
		w.Open("text", '{')
		switch f.kind {
		case "schema":
			w.Open("format", '{').Text("type", "json_schema")
			f.writeOpenAI(w)
			w.Close('}')
		case "object":
			w.Open("format", '{').Text("type", "json_object").Close('}')
		}
		r.writeKnobs(w, "text")
		w.Close('}')
	}
	r.writeKnobs(w, "")
	if r.stream {
		w.Bool("stream", true)
	}
}

// orSchema is the schema of a tool, or that of a tool without arguments.
func orSchema(v json.Value) json.Value {
	if v == nil {
		return json.Value(`{"type":"object","properties":{}}`)
	}
	return v
}

// writeItems writes a turn: its texts and media as a message, each call and result as an item.
func (r *request) writeItems(w *json.Writer, t turn) {
	var said []part
	flush := func() {
		if len(said) > 0 {
			w.Open("", '{').Text("role", string(t.role))
			writeInput(w, "content", said, t.role)
			w.Close('}')
			said = nil
		}
	}
	for _, p := range t.parts {
		switch p.kind {
		case callPart:
			flush()
			w.Open("", '{').Text("type", "function_call").Text("call_id", p.id).Text("name", p.name)
			w.Text("arguments", orObject(p.args)).Close('}')
		case resultPart:
			w.Open("", '{').Text("type", "function_call_output").Text("call_id", p.id)
			writeInput(w, "output", p.inner, user)
			w.Close('}')
		default:
			said = append(said, p)
		}
	}
	flush()
}

// writeInput writes texts and media of a message or a result.
func writeInput(w *json.Writer, key string, parts []part, who role) {
	if s, ok := lone(parts); ok {
		w.Text(key, s)
		return
	}
	kind := "input_text"
	if who == assistant {
		kind = "output_text"
	}
	w.Open(key, '[')
	for _, p := range parts {
		w.Open("", '{')
		switch m := p.media; {
		case p.kind == textPart:
			w.Text("type", kind).Text("text", p.text)
		case m.kind == "image":
			w.Text("type", "input_image").Text("image_url", m.asURL())
			if m.detail != nil {
				w.Raw("detail", m.detail)
			} else {
				w.Text("detail", "auto")
			}
		case m.url != "":
			w.Text("type", "input_file").Text("file_url", m.url)
		default:
			w.Text("type", "input_file").Text("filename", fileName(m)).Text("file_data", m.asURL())
		}
		w.Close('}')
	}
	w.Close(']')
}
