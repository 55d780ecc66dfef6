package translate

import (
	"strings"

	"holdfast/core/json"
)

// Habits of Google's API: two spellings of every name, the model in the path, and results that are
// objects.

// named is Get for Google's two spellings of a name.
func named(v json.Value, name string) json.Value {
	if found := v.Get(name); found != nil {
		return found
	}
	for i := 0; i < len(name); i++ {
		if 'A' <= name[i] && name[i] <= 'Z' {
			return v.Get(snake(name))
		}
	}
	return nil
}

func camel(name string) string {
	out := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		if name[i] == '_' && i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z' {
			i++
			out = append(out, name[i]-'a'+'A')
			continue
		}
		out = append(out, name[i])
	}
	return string(out)
}

func snake(name string) string {
	var out []byte
	for i := 0; i < len(name); i++ {
		if c := name[i]; 'A' <= c && c <= 'Z' {
			out = append(out, '_', c-'A'+'a')
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

// generatePath reads "…/models/gemini-x:streamGenerateContent?alt=sse".
func generatePath(path string) (model string, stream bool) {
	path, _, _ = strings.Cut(path, "?")
	i := strings.LastIndexByte(path, ':')
	if i < 0 {
		return "", false
	}
	model = path[:i]
	model = model[strings.LastIndexByte(model, '/')+1:]
	return model, path[i+1:] == "streamGenerateContent"
}

// readFunctionResponse reads a result. Its text is what stands under "output", or under "error",
// or else the whole object as JSON.
func (r *request) readFunctionResponse(at string, v json.Value) part {
	p := part{kind: resultPart, at: at, id: v.Get("id").Text(), name: v.Get("name").Text()}
	response := v.Get("response")
	said := string(response)
	if s, failed, ok := onlyText(response); ok {
		said, p.failed = s, failed
	}
	p.inner = append(p.inner, text(at+"/functionResponse/response", said))
	each(v.Get("parts"), at+"/functionResponse/parts", func(at string, q json.Value) {
		r.others(q, at, "inlineData inline_data fileData file_data")
		if m := r.readBlob(at, q); m.kind != "" {
			p.inner = r.addMedia(p.inner, at, m)
		}
	})
	r.others(v, at+"/functionResponse", "id name response parts")
	return p
}

// onlyText reads an object whose only member is a text called "output" or "error".
func onlyText(v json.Value) (said string, failed, ok bool) {
	n := 0
	v.Each(func(key string, item json.Value) bool {
		n++
		if n == 1 && (key == "output" || key == "error") && item.Kind() == '"' {
			said, failed, ok = item.Text(), key == "error", true
		}
		return n < 2
	})
	return said, failed, ok && n == 1
}

// writeFunctionResponse writes a result as the object that Google wants: the result itself when
// it is one, unless it would be read as the other form.
func writeFunctionResponse(w *json.Writer, p part) {
	said := joined(p.inner)
	if v := object(said); v != nil && len(v) == len(said) && !p.failed {
		if _, _, wrapped := onlyText(v); !wrapped {
			w.Raw("response", v)
			return
		}
	}
	key := "output"
	if p.failed {
		key = "error"
	}
	w.Open("response", '{').Text(key, said).Close('}')
}
