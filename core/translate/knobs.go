package translate

import (
	"strings"

	"holdfast/core/json"
)

// A knob is a number, word or object that APIs call by different names and mean alike. Its value
// travels as it stands.
type knob struct {
	kind json.Kind // of the value; 't' is true or false
	only string    // the providers that take it; "" is all of them
	// names are its places in chat, responses, messages and generate; "" where it cannot be said.
	names [len(columns)]string
}

var knobs = []knob{
	{'0', "", [...]string{"temperature", "temperature", "temperature", "generationConfig/temperature"}},
	{'0', "", [...]string{"top_p", "top_p", "top_p", "generationConfig/topP"}},
	{'0', "", [...]string{"", "", "top_k", "generationConfig/topK"}},
	{'0', "", [...]string{"seed", "", "", "generationConfig/seed"}},
	{'0', "", [...]string{"presence_penalty", "", "", "generationConfig/presencePenalty"}},
	{'0', "", [...]string{"frequency_penalty", "", "", "generationConfig/frequencyPenalty"}},
	{'"', "", [...]string{"user", "user", "metadata/user_id", ""}},
	{'"', "openai", [...]string{"safety_identifier", "safety_identifier", "", ""}},
	{'"', "openai", [...]string{"prompt_cache_key", "prompt_cache_key", "", ""}},
	{'"', "openai", [...]string{"service_tier", "service_tier", "", ""}},
	{'"', "openai", [...]string{"verbosity", "text/verbosity", "", ""}},
	{'{', "openai", [...]string{"metadata", "metadata", "", ""}}, // xAI refuses it
	{'t', "openai xai", [...]string{"store", "store", "", ""}},
}

// taken tells whether the target takes a knob. An unknown provider is thought to take what its API
// can say.
func (r *request) taken(k *knob) bool {
	return k.names[column(r.to.API)] != "" &&
		(k.only == "" || r.to.Provider == "" || !r.chosen && r.to.Provider == r.from.Provider || has(k.only, string(r.to.Provider)))
}

// idle are values that ask for what happens anyway: they go without a word.
var idle = map[string]string{
	"n":                                   "1",
	"presence_penalty":                    "0",
	"frequency_penalty":                   "0",
	"top_logprobs":                        "0",
	"parallel_tool_calls":                 "true",
	"service_tier":                        `"auto"`,
	"verbosity":                           `"medium"`,
	"text/verbosity":                      `"medium"`,
	"truncation":                          `"disabled"`,
	"modalities":                          `["text"]`,
	"thinking":                            `{"type":"disabled"}`,
	"generationConfig/candidateCount":     "1",
	"generationConfig/presencePenalty":    "0",
	"generationConfig/frequencyPenalty":   "0",
	"generationConfig/responseModalities": `["TEXT"]`,
}

// spoken are the members that each API's reader takes care of itself.
var spoken = [len(columns)]string{
	"model messages tools tool_choice functions function_call parallel_tool_calls stop stream stream_options max_tokens max_completion_tokens response_format",
	"model input instructions tools tool_choice parallel_tool_calls stream max_output_tokens text/format",
	"model messages system tools tool_choice stop_sequences stream max_tokens output_format output_config/format",
	"model contents systemInstruction tools toolConfig/functionCallingConfig generationConfig/maxOutputTokens generationConfig/stopSequences " +
		"generationConfig/responseMimeType generationConfig/responseSchema generationConfig/responseJsonSchema",
}

// bound are members that a target of the same API and provider does not get either: reasoning, and
// what refers to an answer stored for another model.
const bound = "reasoning_effort reasoning include thinking output_config context_management container"

// routed are Gloo's other ways to choose a model, of which exactly one may be given.
const routed = "auto_routing model_family"

// value is a knob's value in a request.
type value struct {
	knob int
	at   string
	raw  json.Value
}

// readKnobs takes the values of all knobs from the body.
func (r *request) readKnobs(body json.Value) {
	for i, k := range knobs {
		name := k.names[column(r.from.API)]
		if name == "" {
			continue
		}
		v := body
		for more := true; more && v != nil; {
			var key string
			key, name, more = strings.Cut(name, "/")
			v = named(v, key)
		}
		at := "/" + k.names[column(r.from.API)]
		kind := v.Kind()
		if kind == 'f' {
			kind = 't'
		}
		switch {
		case v.Missing():
		case kind != k.kind || tooDeep(v):
			r.drop(at, "not of the right type")
		case !r.taken(&k):
			if !isIdle(at[1:], v) {
				r.drop(at, "")
			}
		default:
			r.values = append(r.values, value{i, at, v})
		}
	}
}

// writeKnobs writes the values that the target has inside a container, or outside of all for "".
func (r *request) writeKnobs(w *json.Writer, container string) {
	for _, v := range r.values {
		outer, name, nested := strings.Cut(knobs[v.knob].names[column(r.to.API)], "/")
		if !nested {
			outer, name = "", outer
		}
		if outer == container {
			w.Raw(name, v.raw)
		}
	}
}

// knobSet returns the value of the knob that the target calls name, or nil.
func (r *request) knobSet(name string) *value {
	for i := range r.values {
		if knobs[r.values[i].knob].names[column(r.to.API)] == name {
			return &r.values[i]
		}
	}
	return nil
}

// set gives the knob that the target calls name a value of our own, if the target takes it.
func (r *request) set(name, raw string) {
	for i, k := range knobs {
		if k.names[column(r.to.API)] == name && r.taken(&k) {
			r.values = append(r.values, value{knob: i, raw: json.Value(raw)})
		}
	}
}

// unset drops the value of the knob that the target calls name, without a word where it is what is
// meant without it.
func (r *request) unset(name, why string) {
	for i, v := range r.values {
		if knobs[v.knob].names[column(r.to.API)] == name {
			usual := string(v.raw) == "1" && (name == "temperature" || name == "top_p")
			if !usual && !isIdle(name, v.raw) {
				r.drop(v.at, why)
			}
			r.values = append(r.values[:i:i], r.values[i+1:]...)
			return
		}
	}
}

// leftovers lists what no reader knows, down to the members of the containers. Between targets of
// one API and provider it stays.
func (r *request) leftovers(body json.Value) {
	body.Each(func(key string, v json.Value) bool {
		name := r.spelt(key)
		if isIdle(name, v) {
			return true
		}
		if key == "" { // no API has it, and the Writer has no word for it
			r.drop("/", "")
			return true
		}
		inside, known := r.known(name)
		switch {
		case inside && v.Kind() == '{':
			v.Each(func(key string, v json.Value) bool {
				inner := name + "/" + r.spelt(key)
				if _, known := r.known(inner); !known && !isIdle(inner, v) {
					r.drop(below(below("", name), key), "")
				}
				return true
			})
		case known:
		case r.from.API == r.to.API && r.from.Provider == r.to.Provider && r.from.Provider != "" &&
			(r.chosen || !has(bound, name)) && !(r.to.Model != "" && has(routed, name)) && !tooDeep(v):
			r.rest = append(r.rest, member{key, v})
		default:
			r.drop(below("", key), "")
		}
		return true
	})
}

// known tells whether somebody reads the member name, and whether it is a container of such members.
func (r *request) known(name string) (container, known bool) {
	check := func(other string) {
		known = known || other == name
		container = container || strings.HasPrefix(other, name) && strings.HasPrefix(other[len(name):], "/")
	}
	list := spoken[column(r.from.API)]
	for more := true; more; {
		var next string
		next, list, more = strings.Cut(list, " ")
		check(next)
	}
	for _, k := range knobs {
		check(k.names[column(r.from.API)])
	}
	return container, known
}

// isIdle tells whether a member asks for nothing, or for what happens anyway.
func isIdle(name string, v json.Value) bool { return nothing(v) || idle[name] == string(v) }

// spelt is a member name as the tables spell it: Google takes both generationConfig and
// generation_config.
func (r *request) spelt(key string) string {
	if r.from.API == generate {
		return camel(key)
	}
	return key
}
