package translate

import (
	"strings"

	"holdfast/core/json"
)

// What chat and responses say alike: tool choices, formats, and the parts of a message.

// readChoice reads a tool choice as chat and responses write it: a word, or an object that names
// a function.
func (r *request) readChoice(at string, v json.Value, name string) {
	switch word := v.Text(); {
	case v.Missing():
	case word == "auto" || word == "none" || word == "required":
		r.choice = choice{at: at, mode: word}
	case v.Kind() == '{' && name != "" && has("function ", v.Get("type").Text()):
		r.choice = choice{at: at, mode: "tool", name: name}
	default:
		r.drop(at, v.Get("type").Text())
	}
}

// readFormat reads the form of the answer from response_format, or from text.format, which has the
// schema and its name on the outside.
func (r *request) readFormat(v json.Value, at, inner string) {
	schema, place := v, at
	if inner != "" {
		schema, place = v.Get(inner), below(at, inner)
	}
	switch kind := v.Get("type").Text(); {
	case v.Missing() || kind == "text":
	case kind == "json_object":
		r.format = format{at: at, kind: "object"}
	case kind == "json_schema":
		r.format = format{place, "schema", schema.Get("name").Text(), schema.Get("description").Text(),
			schema.Get("schema"), schema.Get("strict").True()}
		r.others(schema, place, "type name description schema strict")
	default:
		r.drop(at, kind)
	}
}

// readContent reads content: a text, or a list of parts. The parts of both APIs are known.
func (r *request) readContent(at string, v json.Value) (parts []part) {
	alone := r.pieces(at, v, "parts", func(at string, p json.Value) {
		switch kind := p.Get("type").Text(); kind {
		case "text", "input_text", "output_text":
			parts = append(parts, text(at, p.Get("text").Text()))
			r.others(p, at, "type text")
		case "refusal":
			parts = append(parts, text(at, p.Get("refusal").Text()))
		case "image_url", "input_image":
			parts = r.readImage(parts, at, p)
		case "file":
			parts = r.readFile(parts, at, p.Get("file"))
		case "input_file":
			parts = r.readFile(parts, at, p)
		case "input_audio":
			audio := p.Get("input_audio")
			parts = r.addMedia(parts, at, newMedia(media{kind: "audio", data: audio.Get("data").Text(), mime: "audio/" + audio.Get("format").Text()}))
		default:
			r.drop(at, kind)
		}
	})
	return append(alone, parts...)
}

func (r *request) readImage(parts []part, at string, p json.Value) []part {
	image := p.Get("image_url")
	url, detail, place := image.Text(), p.Get("detail"), at+"/detail"
	if image.Kind() == '{' {
		url, detail, place = image.Get("url").Text(), image.Get("detail"), at+"/image_url/detail"
	}
	m := fromURL("image", url, "")
	if detail.Kind() == '"' && detail.Text() != "auto" {
		if r.to.API == chat || r.to.API == responses {
			m.detail = detail
		} else {
			r.drop(place, detail.Text())
		}
	}
	r.others(p, at, "type image_url detail file_id")
	if r.stored(p, at, "file_id", m) {
		return parts
	}
	return r.addMedia(parts, at, m)
}

func (r *request) readFile(parts []part, at string, f json.Value) []part {
	name, url := f.Get("filename").Text(), f.Get("file_url").Text()
	if data := f.Get("file_data").Text(); data != "" {
		if url = data; !strings.HasPrefix(data, "data:") {
			url = "data:" + mimeOf(name, "document") + ";base64," + data
		}
	}
	m := fromURL("document", url, name)
	r.others(f, at, "type filename file_url file_data file_id")
	if r.stored(f, at, "file_id", m) {
		return parts
	}
	return r.addMedia(parts, at, m)
}

// writeOpenAI writes a schema with its name, as chat and responses want it.
func (f *format) writeOpenAI(w *json.Writer) {
	w.Text("name", f.name).TextIf("description", f.description).Raw("schema", f.schema).Bool("strict", f.strict)
}

// fileName is the name of a document; OpenAI wants one.
func fileName(m media) string {
	if m.name != "" {
		return m.name
	}
	for _, e := range ends {
		if e.mime == m.mime {
			return "file" + e.end
		}
	}
	return "file"
}
