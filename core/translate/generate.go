package translate

import (
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/json"
)

// Gemini's generateContent, as requests. The model and the streaming stand in the path; names may
// be spelt in camelCase and in snake_case; calls may go without ids.

func (r *request) readGenerate(body json.Value) {
	r.model, r.stream = generatePath(r.from.Path)
	if r.model == "" {
		r.model = strings.TrimPrefix(body.Get("model").Text(), "models/")
	}
	config, at := named(body, "generationConfig"), "/generationConfig"
	r.readLimit(config, at, "maxOutputTokens")
	r.readStops(named(config, "stopSequences"), at+"/stopSequences")
	r.readGenerateFormat(config, at)

	each(body.Get("tools"), "/tools", func(at string, t json.Value) {
		t.Each(func(key string, v json.Value) bool {
			if at := below(at, key); camel(key) == "functionDeclarations" {
				each(v, at, r.readDeclaration)
			} else if key != "" {
				r.drop(at, "")
			}
			return true
		})
	})
	r.readGenerateChoice(named(named(body, "toolConfig"), "functionCallingConfig"))

	if v := named(body, "systemInstruction"); v.Kind() == '"' {
		r.add(system, "/systemInstruction", []part{text("/systemInstruction", v.Text())})
	} else {
		r.add(system, "/systemInstruction", r.readParts("/systemInstruction/parts", v.Get("parts")))
	}
	each(body.Get("contents"), "/contents", func(at string, c json.Value) {
		who := user
		switch word := c.Get("role").Text(); word {
		case "model":
			who = assistant
		case "system":
			who = system
		case "", "user", "function":
		default:
			r.drop(at, "role "+word)
			return
		}
		r.add(who, at, r.readParts(at+"/parts", c.Get("parts")))
		r.others(c, at, "role parts")
	})
}

func (r *request) readDeclaration(at string, f json.Value) {
	schema := r.standardSchema(f.Get("parameters"))
	if full := named(f, "parametersJsonSchema"); !full.Missing() {
		schema = full
	}
	r.others(f, at, "name description parameters parametersJsonSchema parameters_json_schema")
	r.addTool(at, f.Get("name").Text(), f.Get("description").Text(), schema, false)
}

// generateModes are the words for tool choices; "tool" is ANY with one allowed function.
var generateModes = []struct{ mode, word string }{{"auto", "AUTO"}, {"none", "NONE"}, {"required", "ANY"}, {"tool", "ANY"}}

func (r *request) readGenerateChoice(v json.Value) {
	const at = "/toolConfig/functionCallingConfig"
	word, allowed := ascii.Upper(v.Get("mode").Text()), named(v, "allowedFunctionNames")
	for i := len(generateModes) - 2; i >= 0; i-- {
		if m := generateModes[i]; m.word == word {
			r.choice = choice{at: at, mode: m.mode}
		}
	}
	switch {
	case r.choice.mode == "required" && allowed.At(0) != nil && allowed.At(1) == nil:
		r.choice.mode, r.choice.name = "tool", allowed.At(0).Text()
	case !nothing(allowed):
		r.drop(at+"/allowedFunctionNames", "")
	}
	if r.choice.mode == "" && word != "" && word != "MODE_UNSPECIFIED" {
		r.drop(at, word)
	}
	r.others(v, at, "mode allowedFunctionNames allowed_function_names")
}

func (r *request) readGenerateFormat(config json.Value, at string) {
	switch mime := named(config, "responseMimeType").Text(); mime {
	case "", "text/plain":
		return
	case "application/json":
		r.format = format{at: at + "/responseMimeType", kind: "object"}
	default:
		r.drop(at+"/responseMimeType", mime)
		return
	}
	f := &r.format
	if v := named(config, "responseJsonSchema"); !v.Missing() {
		f.at, f.kind, f.schema = at+"/responseJsonSchema", "schema", v
	} else if v := named(config, "responseSchema"); !v.Missing() {
		f.at, f.kind, f.schema = at+"/responseSchema", "schema", r.standardSchema(v)
	}
	f.strict = f.kind == "schema" && strictAnswer(f.schema)
}

func (r *request) readParts(at string, v json.Value) (parts []part) {
	each(v, at, func(at string, p json.Value) {
		r.others(p, at, "text inlineData inline_data fileData file_data functionCall function_call functionResponse function_response thought thoughtSignature thought_signature")
		if signature := named(p, "thoughtSignature"); !nothing(signature) && signature.Text() != foreign {
			r.drop(at+"/thoughtSignature", "")
		}
		call, response := named(p, "functionCall"), named(p, "functionResponse")
		switch {
		case p.Get("thought").True():
			r.drop(at, "thought")
		case !call.Missing():
			name := call.Get("name").Text()
			if name == "" {
				r.drop(at, "a call without a name")
				return
			}
			parts = append(parts, part{kind: callPart, at: at, id: call.Get("id").Text(), name: name, args: string(call.Get("args"))})
			r.others(call, at+"/functionCall", "id name args")
		case !response.Missing():
			parts = append(parts, r.readFunctionResponse(at, response))
		case p.Get("text").Kind() == '"':
			parts = append(parts, text(at, p.Get("text").Text()))
		default:
			if m := r.readBlob(at, p); m.kind != "" {
				parts = r.addMedia(parts, at, m)
			}
		}
	})
	return parts
}

// readBlob reads inlineData or fileData. Files of Google's own store do not travel.
func (r *request) readBlob(at string, p json.Value) media {
	if blob := named(p, "inlineData"); !blob.Missing() {
		m := media{kind: "image", mime: named(blob, "mimeType").Text(), data: blob.Get("data").Text(), name: named(blob, "displayName").Text()}
		return newMedia(m)
	}
	if file := named(p, "fileData"); !file.Missing() {
		m := media{kind: "document", mime: named(file, "mimeType").Text(), url: named(file, "fileUri").Text()}
		if r.to.API != generate && (strings.HasPrefix(m.url, "gs:") || strings.HasPrefix(m.url, "https://generativelanguage.googleapis.com/")) {
			r.drop(at, storedFile)
			return media{}
		}
		return newMedia(m)
	}
	return media{}
}

func (r *request) writeGenerate(w *json.Writer) {
	turns := r.turns
	if len(turns) > 0 && turns[0].role == system {
		w.Open("systemInstruction", '{')
		r.writeParts(w, turns[0].parts)
		w.Close('}')
		turns = turns[1:]
	}
	w.Open("contents", '[')
	for _, t := range turns {
		who := "user"
		if t.role == assistant {
			who = "model"
		}
		w.Open("", '{').Text("role", who)
		r.writeParts(w, t.parts)
		w.Close('}')
	}
	w.Close(']')
	if len(r.tools) > 0 {
		w.Open("tools", '[').Open("", '{').Open("functionDeclarations", '[')
		for _, t := range r.tools {
			w.Open("", '{').Text("name", t.name).TextIf("description", t.description)
			if t.schema != nil {
				writeGoogleSchema(w, "parameters", "parametersJsonSchema", t.schema)
			}
			w.Close('}')
		}
		w.Close(']').Close('}').Close(']')
	}
	for _, m := range generateModes {
		if m.mode != r.choice.mode {
			continue
		}
		w.Open("toolConfig", '{').Open("functionCallingConfig", '{').Text("mode", m.word)
		if m.mode == "tool" {
			w.Open("allowedFunctionNames", '[').Text("", r.choice.name).Close(']')
		}
		w.Close('}').Close('}')
	}
	r.writeGenerationConfig(w)
	r.writeKnobs(w, "")
}

func (r *request) writeGenerationConfig(w *json.Writer) {
	var inner json.Writer
	inner.Open("", '{')
	empty := len(inner.Out)
	inner.IntIf("maxOutputTokens", r.limit)
	r.writeStops(&inner, "stopSequences")
	if f := &r.format; f.kind != "" {
		inner.Text("responseMimeType", "application/json")
		if f.kind == "schema" {
			writeGoogleSchema(&inner, "responseSchema", "responseJsonSchema", f.schema)
		}
	}
	r.writeKnobs(&inner, "generationConfig")
	if len(inner.Out) > empty {
		w.Raw("generationConfig", inner.Close('}').Out)
	}
}

// writeGoogleSchema writes a schema into the older field when that can say it, which every model
// reads, and else into the one that takes any JSON Schema.
func writeGoogleSchema(w *json.Writer, older, full string, v json.Value) {
	if isGoogle(v) {
		writeSchema(w, older, v, google)
	} else {
		w.Raw(full, v)
	}
}

// foreign is the signature that Google documents for calls that another model made; Gemini 3
// refuses the first call of a turn without any.
const foreign = "skip_thought_signature_validator"

func (r *request) writeParts(w *json.Writer, parts []part) {
	called := false
	w.Open("parts", '[')
	for _, p := range parts {
		w.Open("", '{')
		switch m := p.media; {
		case p.kind == textPart:
			w.Text("text", p.text)
		case p.kind == callPart:
			w.Open("functionCall", '{').Text("id", p.id).Text("name", p.name)
			r.writeArgs(w, "args", p)
			w.Close('}')
			if !called {
				w.Text("thoughtSignature", foreign)
			}
			called = true
		case p.kind == resultPart:
			w.Open("functionResponse", '{').Text("id", p.id).Text("name", p.name)
			writeFunctionResponse(w, p)
			w.Close('}')
		case m.url != "":
			w.Open("fileData", '{').Text("mimeType", m.mime).Text("fileUri", m.url).Close('}')
		default:
			w.Open("inlineData", '{').Text("mimeType", m.mime).Text("data", m.data).Close('}')
		}
		w.Close('}')
	}
	w.Close(']')
}
