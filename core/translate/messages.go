package translate

import "holdfast/core/json"

// Anthropic's Messages, as requests. User and assistant take turns; results are blocks of the
// user's; an output limit is demanded.

func (r *request) readMessages(body json.Value) {
	r.model = body.Get("model").Text()
	r.stream = body.Get("stream").True()
	r.readLimit(body, "", "max_tokens")
	r.readStops(body.Get("stop_sequences"), "/stop_sequences")
	each(body.Get("tools"), "/tools", func(at string, t json.Value) {
		if kind := t.Get("type").Text(); kind != "custom" && kind != "" {
			r.drop(at, kind)
			return
		}
		r.others(t, at, "type name description input_schema strict")
		r.addTool(at, t.Get("name").Text(), t.Get("description").Text(), t.Get("input_schema"), t.Get("strict").True())
	})
	r.readMessagesChoice(body.Get("tool_choice"))
	format, at := body.Get("output_config", "format"), "/output_config/format"
	if format.Missing() {
		format, at = body.Get("output_format"), "/output_format"
	}
	r.readFormat(format, at, "")
	if f := &r.format; f.kind == "schema" {
		f.strict = strictAnswer(f.schema) // Anthropic holds every answer to its schema
	}
	r.add(system, "/system", r.readBlocks("/system", body.Get("system")))
	each(body.Get("messages"), "/messages", func(at string, m json.Value) {
		switch who := role(m.Get("role").Text()); who {
		case user, assistant, system:
			r.add(who, at, r.readBlocks(at+"/content", m.Get("content")))
			r.others(m, at, "role content")
		default:
			r.drop(at, "role "+string(who))
		}
	})
}

// messagesChoices are the words for tool choices.
var messagesChoices = []struct{ mode, word string }{{"auto", "auto"}, {"none", "none"}, {"required", "any"}, {"tool", "tool"}}

func (r *request) readMessagesChoice(v json.Value) {
	const at = "/tool_choice"
	if v.Missing() {
		return
	}
	word := v.Get("type").Text()
	for _, c := range messagesChoices {
		if c.word == word {
			r.choice = choice{at, c.mode, v.Get("name").Text()}
		}
	}
	if r.choice.mode == "" {
		r.drop(at, word)
	}
	if v.Get("disable_parallel_tool_use").True() {
		r.serial = at + "/disable_parallel_tool_use"
	}
	r.others(v, at, "type name disable_parallel_tool_use")
}

// readBlocks reads content: a text or a list of blocks.
func (r *request) readBlocks(at string, v json.Value) (parts []part) {
	alone := r.pieces(at, v, "blocks", func(at string, b json.Value) {
		switch kind := b.Get("type").Text(); kind {
		case "text":
			parts = append(parts, text(at, b.Get("text").Text()))
			r.others(b, at, "type text")
		case "image", "document":
			parts = r.readBlockMedia(parts, at, kind, b)
		case "tool_use":
			name := b.Get("name").Text()
			if name == "" {
				r.drop(at, "a call without a name")
				return
			}
			parts = append(parts, part{kind: callPart, at: at, id: b.Get("id").Text(), name: name, args: string(b.Get("input"))})
			r.others(b, at, "type id name input caller")
		case "tool_result":
			parts = append(parts, part{kind: resultPart, at: at, id: b.Get("tool_use_id").Text(),
				inner: r.readBlocks(at+"/content", b.Get("content")), failed: b.Get("is_error").True()})
			r.others(b, at, "type tool_use_id content is_error")
		default:
			r.drop(at, kind)
		}
	})
	return append(alone, parts...)
}

func (r *request) readBlockMedia(parts []part, at, kind string, b json.Value) []part {
	source := b.Get("source")
	r.others(b, at, "type source title")
	m := media{kind: kind, name: b.Get("title").Text()}
	switch form := source.Get("type").Text(); form {
	case "base64":
		m.mime, m.data = source.Get("media_type").Text(), source.Get("data").Text()
	case "url":
		m.url = source.Get("url").Text()
	case "text":
		r.adjust(at, "a document sent as text")
		return append(parts, text(at, source.Get("data").Text()))
	case "file":
		r.drop(at, storedFile)
		return parts
	default:
		r.drop(at, kind+" as "+form)
		return parts
	}
	return r.addMedia(parts, at, newMedia(m))
}

func (r *request) writeMessages(w *json.Writer) {
	w.TextIf("model", r.model).Int("max_tokens", r.limit)
	turns := r.turns
	if len(turns) > 0 && turns[0].role == system {
		r.writeBlocks(w, "system", turns[0].parts)
		turns = turns[1:]
	}
	w.Open("messages", '[')
	for i, t := range turns {
		if i == len(turns)-1 && t.role == assistant {
			r.trimEnd(t.parts)
		}
		w.Open("", '{').Text("role", string(t.role))
		r.writeBlocks(w, "content", t.parts)
		w.Close('}')
	}
	w.Close(']')
	if len(r.tools) > 0 {
		w.Open("tools", '[')
		for _, t := range r.tools {
			w.Open("", '{').Text("name", t.name).TextIf("description", t.description).Raw("input_schema", r.objectSchema(t))
			if t.strict {
				w.Bool("strict", true)
			}
			w.Close('}')
		}
		w.Close(']')
	}
	r.writeMessagesChoice(w)
	r.writeStops(w, "stop_sequences")
	if f := &r.format; f.kind == "schema" {
		w.Open("output_config", '{').Open("format", '{').Text("type", "json_schema")
		writeSchema(w, "schema", f.schema, closed)
		w.Close('}').Close('}')
	}
	r.writeKnobs(w, "")
	if r.knobSet("metadata/user_id") != nil {
		w.Open("metadata", '{')
		r.writeKnobs(w, "metadata")
		w.Close('}')
	}
	if r.stream {
		w.Bool("stream", true)
	}
}

func (r *request) writeMessagesChoice(w *json.Writer) {
	mode := r.choice.mode
	if mode == "" && r.serial != "" {
		mode = "auto"
	}
	for _, c := range messagesChoices {
		if c.mode != mode {
			continue
		}
		w.Open("tool_choice", '{').Text("type", c.word)
		if mode == "tool" {
			w.Text("name", r.choice.name)
		}
		if r.serial != "" && mode != "none" {
			w.Bool("disable_parallel_tool_use", true)
		}
		w.Close('}')
	}
}

// objectSchema is a tool's schema with the type that Anthropic demands.
func (r *request) objectSchema(t tool) json.Value {
	v := orSchema(t.schema)
	switch kind := v.Get("type"); {
	case kind.Text() == "object":
		return v
	case !kind.Missing():
		r.adjust(t.at, "its schema made one of an object")
	}
	return v.With("type", []byte(`"object"`))
}

// trimEnd cuts the white space at the end of a last message that the assistant is to go on from:
// Anthropic refuses it.
func (r *request) trimEnd(parts []part) {
	if p := &parts[len(parts)-1]; p.kind == textPart {
		if trimmed := trimRight(p.text); trimmed != p.text {
			r.adjust(p.at, "white space at its end, cut off")
			p.text = trimmed
		}
	}
}

func (r *request) writeBlocks(w *json.Writer, key string, parts []part) {
	if s, ok := lone(parts); ok {
		w.Text(key, s)
		return
	}
	w.Open(key, '[')
	for _, p := range parts {
		w.Open("", '{')
		switch m := p.media; {
		case p.kind == textPart:
			w.Text("type", "text").Text("text", p.text)
		case p.kind == callPart:
			w.Text("type", "tool_use").Text("id", p.id).Text("name", p.name)
			r.writeArgs(w, "input", p)
		case p.kind == resultPart:
			w.Text("type", "tool_result").Text("tool_use_id", p.id)
			if s, ok := lone(p.inner); !ok {
				r.writeBlocks(w, "content", p.inner)
			} else if trimRight(s) != "" {
				w.Text("content", s)
			}
			if p.failed {
				w.Bool("is_error", true)
			}
		default:
			w.Text("type", m.kind).Open("source", '{')
			if m.url != "" {
				w.Text("type", "url").Text("url", m.url)
			} else {
				w.Text("type", "base64").Text("media_type", m.mime).Text("data", m.data)
			}
			w.Close('}')
			if m.kind == "document" {
				w.TextIf("title", m.name)
			}
		}
		w.Close('}')
	}
	w.Close(']')
}

// writeArgs writes the arguments of a call as an object.
func (r *request) writeArgs(w *json.Writer, key string, p part) {
	if args := object(orObject(p.args)); args != nil {
		w.Raw(key, args)
		return
	}
	r.adjust(p.at, "arguments that are no JSON object, sent as a text")
	w.Open(key, '{').Text("arguments", p.args).Close('}')
}
