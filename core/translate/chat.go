package translate

import (
	"strings"

	"holdfast/core/fault"
	"holdfast/core/json"
)

// Chat completions, as requests: OpenAI, xAI, Gloo, Gemini's compatible layer and the many that
// imitate them. It is also read in its older form with functions and function_call.

func (r *request) readChat(body json.Value) {
	r.model = body.Get("model").Text()
	r.stream = body.Get("stream").True()
	r.readLimit(body, "", "max_completion_tokens", "max_tokens")
	r.readStops(body.Get("stop"), "/stop")
	if body.Get("parallel_tool_calls").False() {
		r.serial = "/parallel_tool_calls"
	}
	each(body.Get("tools"), "/tools", func(at string, t json.Value) {
		if kind := t.Get("type").Text(); kind != "function" && kind != "" {
			r.drop(at, kind)
			return
		}
		r.others(t, at, "type function")
		r.readChatTool(at+"/function", t.Get("function"))
	})
	each(body.Get("functions"), "/functions", r.readChatTool)
	r.readChatChoice(body)
	r.readFormat(body.Get("response_format"), "/response_format", "json_schema")
	each(body.Get("messages"), "/messages", func(at string, m json.Value) {
		before := len(r.turns)
		if r.readChatMessage(at, m); r.to.API == chat && len(r.turns) > before {
			r.turns[before].name = m.Get("name").Text()
		}
	})
}

func (r *request) readChatTool(at string, f json.Value) {
	r.others(f, at, "name description parameters strict")
	r.addTool(at, f.Get("name").Text(), f.Get("description").Text(), f.Get("parameters"), f.Get("strict").True())
}

func (r *request) readChatChoice(body json.Value) {
	at, v := "/tool_choice", body.Get("tool_choice")
	if v.Missing() {
		at, v = "/function_call", body.Get("function_call")
	}
	name := v.Get("function", "name").Text()
	if name == "" {
		name = v.Get("name").Text() // as function_call and as Responses say it
	}
	r.readChoice(at, v, name)
}

func (r *request) readChatMessage(at string, m json.Value) {
	known := "role content refusal tool_calls tool_call_id function_call"
	if r.to.API == chat {
		known += " name"
	}
	content := m.Get("content")
	switch word := m.Get("role").Text(); word {
	case "system", "developer":
		r.add(system, at, r.readContent(at+"/content", content))
		r.others(m, at, known)
	case "user":
		r.add(user, at, r.readContent(at+"/content", content))
		r.others(m, at, known)
	case "assistant":
		parts := r.readContent(at+"/content", content)
		if refusal := m.Get("refusal").Text(); refusal != "" {
			parts = append(parts, text(at+"/refusal", refusal))
		}
		each(m.Get("tool_calls"), at+"/tool_calls", func(at string, c json.Value) {
			parts = r.readChatCall(parts, at, c, c.Get("function"))
		})
		if f := m.Get("function_call"); !f.Missing() {
			parts = r.readChatCall(parts, at+"/function_call", nil, f)
		}
		r.add(assistant, at, parts)
		r.others(m, at, known)
	case "tool", "function":
		r.add(user, at, []part{{kind: resultPart, at: at, id: m.Get("tool_call_id").Text(), name: m.Get("name").Text(),
			inner: r.readContent(at+"/content", content)}})
		r.others(m, at, known+" name")
	default:
		r.drop(at, "role "+word)
	}
}

func (r *request) readChatCall(parts []part, at string, c, f json.Value) []part {
	name, kind := f.Get("name").Text(), c.Get("type").Text()
	if name == "" || kind != "function" && kind != "" {
		r.drop(at, strings.TrimSpace(kind+" call without a function"))
		return parts
	}
	args := f.Get("arguments")
	p := part{kind: callPart, at: at, id: c.Get("id").Text(), name: name, args: args.Text()}
	if args.Kind() == '{' {
		p.args = string(args)
	}
	known := "id type index function"
	if extra := c.Get("extra_content"); r.chosen && !nothing(extra) && !tooDeep(extra) {
		p.extra, known = extra, known+" extra_content"
	}
	r.others(c, at, known)
	return append(parts, p)
}

func (r *request) writeChat(w *json.Writer) {
	w.TextIf("model", r.model).Open("messages", '[')
	for _, t := range r.turns {
		if t.role == results {
			for _, p := range t.parts {
				w.Open("", '{').Text("role", "tool").Text("tool_call_id", p.id)
				r.writeChatParts(w, "content", p.inner)
				w.Close('}')
			}
			continue
		}
		w.Open("", '{').Text("role", string(t.role)).TextIf("name", t.name)
		if t.role == system { // many imitations know no parts here
			w.Text("content", joined(t.parts))
		} else {
			r.writeChatTurn(w, t)
		}
		w.Close('}')
	}
	w.Close(']')
	if len(r.tools) > 0 {
		w.Open("tools", '[')
		for _, t := range r.tools {
			w.Open("", '{').Text("type", "function").Open("function", '{')
			w.Text("name", t.name).TextIf("description", t.description)
			if t.schema != nil {
				w.Raw("parameters", t.schema)
			}
			if t.strict {
				w.Bool("strict", true)
			}
			w.Close('}').Close('}')
		}
		w.Close(']')
	}
	switch r.choice.mode {
	case "":
	case "tool":
		w.Open("tool_choice", '{').Text("type", "function").Open("function", '{').Text("name", r.choice.name).Close('}').Close('}')
	default:
		w.Text("tool_choice", r.choice.mode)
	}
	if r.serial != "" {
		w.Bool("parallel_tool_calls", false)
	}
	w.IntIf(r.chatLimit(), r.limit)
	r.writeStops(w, "stop")
	if f := &r.format; f.kind != "" {
		w.Open("response_format", '{')
		if f.kind == "schema" {
			w.Text("type", "json_schema").Open("json_schema", '{')
			f.writeOpenAI(w)
			w.Close('}')
		} else {
			w.Text("type", "json_object")
		}
		w.Close('}')
	}
	r.writeKnobs(w, "")
	if r.stream { // without the option a stream has no usage
		w.Bool("stream", true).Open("stream_options", '{').Bool("include_usage", true).Close('}')
	}
}

// chatLimit is the name of the output limit: the newer models of OpenAI and xAI refuse or
// deprecate the older name, which is the only one that many imitations know. Some of those stand
// behind OpenAI's name, so what is written for them by the older one keeps it.
func (r *request) chatLimit() string {
	older := r.from.API == chat && r.limitAt == "/max_tokens" && !reasons(r.model)
	if r.to.Provider == fault.XAI || r.to.Provider == fault.OpenAI && !older {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// writeChatTurn writes what a user's or assistant's turn holds.
func (r *request) writeChatTurn(w *json.Writer, t turn) {
	var said, calls []part
	for _, p := range t.parts {
		if p.kind == callPart {
			calls = append(calls, p)
		} else {
			said = append(said, p)
		}
	}
	if len(said) == 0 && len(calls) > 0 {
		w.Raw("content", nil)
	} else {
		r.writeChatParts(w, "content", said)
	}
	if len(calls) == 0 {
		return
	}
	w.Open("tool_calls", '[')
	for i, c := range calls {
		w.Open("", '{').Text("id", c.id).Text("type", "function").Open("function", '{')
		w.Text("name", c.name).Text("arguments", orObject(c.args)).Close('}')
		switch {
		case c.extra != nil:
			w.Raw("extra_content", c.extra)
		case i == 0 && r.to.Provider == fault.Gemini:
			w.Open("extra_content", '{').Open("google", '{').Text("thought_signature", foreign).Close('}').Close('}')
		}
		w.Close('}')
	}
	w.Close(']')
}

func (r *request) writeChatParts(w *json.Writer, key string, parts []part) {
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
		case m.kind == "image":
			w.Text("type", "image_url").Open("image_url", '{').Text("url", m.asURL())
			if m.detail != nil {
				w.Raw("detail", m.detail)
			}
			w.Close('}')
		case m.kind == "audio":
			w.Text("type", "input_audio").Open("input_audio", '{').Text("data", m.data).Text("format", audioFormat(m.mime)).Close('}')
		default:
			w.Text("type", "file").Open("file", '{').Text("filename", fileName(m)).Text("file_data", m.asURL()).Close('}')
		}
		w.Close('}')
	}
	w.Close(']')
}

// audioFormat is chat's word for a type of audio.
func audioFormat(mime string) string {
	if mime == "audio/mpeg" {
		return "mp3"
	}
	return "wav"
}
