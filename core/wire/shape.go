package wire

import "holdfast/core/json"

// shapes are where requests say that the answer's text must be JSON.
var shapes = []struct {
	api          API
	outer, inner string // inner: "" where outer says it
	kind         string // the member that holds the word, or "" where inner is the word itself
}{
	{Chat, "response_format", "", "type"},
	{Responses, "text", "format", "type"},
	{Messages, "output_config", "format", "type"}, {Messages, "output_format", "", "type"},
	{Generate, "generationConfig", "responseMimeType", ""}, {Generate, "generationConfig", "response_mime_type", ""},
	{Generate, "generation_config", "responseMimeType", ""}, {Generate, "generation_config", "response_mime_type", ""},
}

// AsksJSON tells whether a request asks for an answer whose text is JSON.
func AsksJSON(api API, body json.Value) bool {
	for _, s := range shapes {
		if s.api != api {
			continue
		}
		v := body.Get(s.outer)
		if s.inner != "" {
			v = v.Get(s.inner)
		}
		if s.kind != "" {
			v = v.Get(s.kind)
		}
		switch v.Text() {
		case "json_object", "json_schema", "application/json":
			return true
		}
	}
	return false
}

// unshaped is a body without what makes the answer's text JSON: what goes on in the middle of a JSON
// text is none.
func unshaped(api API, body json.Value) json.Value {
	if !AsksJSON(api, body) {
		return body
	}
	for _, s := range shapes {
		switch outer := body.Get(s.outer); {
		case s.api != api || outer.Kind() != '{':
		case s.inner == "":
			body = body.Without(s.outer)
		default:
			body = body.With(s.outer, outer.Without(s.inner))
		}
	}
	for _, config := range []string{"generationConfig", "generation_config"} {
		if v := body.Get(config); api == Generate && v.Kind() == '{' {
			for _, schema := range []string{"responseSchema", "response_schema", "responseJsonSchema", "response_json_schema"} {
				v = v.Without(schema)
			}
			body = body.With(config, v)
		}
	}
	return body
}
