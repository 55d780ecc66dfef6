package translate

import (
	"slices"
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/json"
)

// rules say what an API wants of a request beyond its words.
type rules struct {
	alternates   bool  // user and assistant by turns, system text apart
	resultMedia  bool  // tool results may hold images and files
	stops        int   // how many stop texts it takes
	strictTools  bool  // a tool's arguments can be held to its schema
	anyJSON      bool  // "any JSON object" can be asked for
	serial       bool  // parallel tool calls can be forbidden
	minTokens    int64 // the smallest output limit that it takes
	defaultLimit int64 // the output limit when none is given, where one is demanded
	maxHeat      int
}

var apiRules = [len(columns)]rules{
	{stops: 4, strictTools: true, anyJSON: true, serial: true, maxHeat: 2},                                                          // chat
	{resultMedia: true, strictTools: true, anyJSON: true, serial: true, minTokens: 16, maxHeat: 2},                                  // responses
	{alternates: true, resultMedia: true, stops: 1000, strictTools: true, serial: true, defaultLimit: DefaultMaxTokens, maxHeat: 1}, // messages
	{alternates: true, stops: 5, anyJSON: true, maxHeat: 2},                                                                         // generate
}

// fit makes the request one that the target takes, and lists what that costs.
func (r *request) fit() {
	rule := apiRules[column(r.to.API)]
	r.fitFormat(rule)
	r.fitMedia(rule)
	if rule.alternates {
		r.withoutBlanks()
		r.alternate()
	}
	r.fitModel()
	r.fitNumbers(rule)
	r.fitStops(rule)
	r.fitTools(rule)
}

// fitMedia drops the media that cannot be said where they stand. What a tool brought and its
// result cannot hold goes to the user's turn behind it.
func (r *request) fitMedia(rule rules) {
	var fitted []turn
	for _, t := range r.turns {
		var kept, moved []part
		for _, p := range t.parts {
			switch p = r.readable(p); {
			case p.kind == mediaPart && t.role != user:
				r.drop(p.at, p.media.kind+" that is not the user's")
				continue
			case p.kind == mediaPart && !r.fits(p):
				continue
			case p.kind == resultPart:
				var inner []part
				for _, q := range p.inner {
					switch q = r.readable(q); {
					case q.kind == mediaPart && !r.fits(q):
					case q.kind == mediaPart && !rule.resultMedia:
						r.adjust(q.at, "moved behind the tool's result")
						moved = append(moved, q)
					default:
						inner = append(inner, q)
					}
				}
				p.inner = inner
				if p.failed && (r.to.API == chat || r.to.API == responses) {
					r.drop(p.at, "that the result is an error")
				}
			}
			kept = append(kept, p)
		}
		if t.parts = kept; len(kept) > 0 {
			fitted = append(fitted, t)
		}
		if len(moved) > 0 {
			fitted = append(fitted, turn{role: user, at: moved[0].at, parts: moved})
		}
	}
	r.turns = fitted
}

func (r *request) fits(p part) bool {
	why, ok := r.takes(p.media)
	switch {
	case !ok:
		r.drop(p.at, why)
	case p.media.name != "" && r.to.API == generate:
		r.adjust(p.at, "without its name")
	}
	return ok
}

func (r *request) fitNumbers(rule rules) {
	switch limit := r.limit; {
	case limit == 0 && rule.defaultLimit > 0:
		r.limit = rule.defaultLimit
		if r.to.MaxTokens > 0 {
			r.limit = min(r.limit, r.to.MaxTokens)
		}
		r.adjust("/max_tokens", "none given, "+decimal.String(r.limit)+" sent")
	case r.to.MaxTokens > 0 && limit > r.to.MaxTokens:
		r.limit = r.to.MaxTokens
		r.adjust(r.limitAt, decimal.String(limit)+", lowered to "+decimal.String(r.limit))
	case limit > 0 && limit < rule.minTokens:
		r.limit = rule.minTokens
		r.adjust(r.limitAt, decimal.String(limit)+", raised to "+decimal.String(r.limit))
	}
	if heat := r.knobSet("temperature"); heat != nil {
		if f, ok := heat.raw.Float(); ok && f > float64(rule.maxHeat) {
			r.adjust(heat.at, string(heat.raw)+", lowered to "+decimal.String(rule.maxHeat))
			heat.raw = json.Value(decimal.String(rule.maxHeat))
		}
		if r.to.API == messages && r.to.Provider != fault.XAI {
			r.unset("top_p", "beside a temperature")
		}
	}
	// A call that was not to be stored is not to be stored elsewhere: only responses stores
	// unless told not to.
	if r.to.API == responses && r.from.API != responses && r.knobSet("store") == nil {
		r.set("store", "false")
	}
}

func (r *request) fitStops(rule rules) {
	var kept []stop
	for _, s := range r.stops {
		switch {
		case len(kept) == rule.stops:
			r.drop(s.at, "")
		case strings.TrimSpace(s.text) == "" && r.to.API == messages:
			r.drop(s.at, "blank")
		default:
			kept = append(kept, s)
		}
	}
	r.stops = kept
}

func (r *request) fitTools(rule rules) {
	found := false
	for i := range r.tools {
		t := &r.tools[i]
		found = found || t.name == r.choice.name
		if t.strict && !(rule.strictTools && r.holds(t.schema)) {
			r.drop(t.at+"/strict", "")
			t.strict = false
		}
		if !t.schema.Missing() && (t.schema.Kind() != '{' || tooDeep(t.schema)) {
			r.drop(t.at, "a schema that is no object or too deep")
			t.schema = nil
		}
	}
	switch mode := r.choice.mode; {
	case len(r.tools) == 0 && mode != "":
		if mode == "required" || mode == "tool" {
			r.drop(r.choice.at, "there are no tools")
		}
		r.choice.mode = ""
	case mode == "tool" && !found:
		r.drop(r.choice.at, "there is no such tool")
		r.choice.mode = ""
	}
	if r.serial != "" && !rule.serial && len(r.tools) > 0 {
		r.drop(r.serial, "")
	}
	if len(r.tools) == 0 {
		r.serial = ""
	}
}

func (r *request) fitFormat(rule rules) {
	f := &r.format
	means, _ := closable(f.schema)
	switch {
	case f.kind == "schema" && (f.schema.Kind() != '{' || tooDeep(f.schema)):
		r.drop(f.at, "a schema that is no object or too deep")
		f.kind = ""
	case f.kind == "object" && !rule.anyJSON:
		r.sayFormat("")
		f.kind = ""
	case f.kind == "schema" && r.to.API == messages && !means:
		r.sayFormat(strings.TrimSpace(f.description + "\n\n" + string(f.schema)))
		f.kind = ""
	case f.kind != "" && r.to.API == generate && len(r.tools) > 0 && formOrTools(r.model):
		r.sayFormat(strings.TrimSpace(f.description + "\n\n" + string(f.schema)))
		f.kind = ""
	case f.kind == "object" && r.from.API == generate && r.to.API != generate && !r.mentions("json"):
		r.sayFormat("") // OpenAI wants the word to be said
	case f.kind == "schema" && f.description != "" && rule.alternates:
		r.drop(f.at+"/description", "")
	}
	if f.kind == "schema" && r.to.API == messages && refuses(f.schema) {
		r.adjust(f.at, "without bounds")
	}
	if f.name == "" {
		f.name = "answer"
	}
}

// holds tells whether the target would hold a tool's arguments to a schema: each takes only some.
func (r *request) holds(schema json.Value) bool {
	switch {
	case r.to.API == messages:
		ok, isClosed := closable(orSchema(schema))
		return ok && isClosed && !refuses(schema)
	case r.from.API == messages:
		return strictable(schema)
	}
	return true
}

// sayFormat asks for the answer's form in words.
func (r *request) sayFormat(schema string) {
	r.adjust(r.format.at, "asked for in words")
	words := "Answer with one JSON object and nothing else: no other words, no code fence."
	if schema != "" {
		words = "Answer with JSON and nothing else: no other words, no code fence. This is its JSON Schema:\n\n" + schema
	}
	n := 0 // behind what else stands at the front
	for n < len(r.turns) && r.turns[n].role == system {
		n++
	}
	r.turns = slices.Insert(r.turns, n, turn{role: system, at: r.format.at, parts: []part{text(r.format.at, words)}})
}

// mentions tells whether a word stands in what is said, in small or capital letters.
func (r *request) mentions(word string) bool {
	for _, t := range r.turns {
		if strings.Contains(ascii.Lower(joined(t.parts)), word) {
			return true
		}
	}
	return false
}

// addTool adds a tool, or lists why it cannot travel.
func (r *request) addTool(at, name, description string, schema json.Value, strict bool) {
	if name == "" {
		r.drop(at, "a tool without a name")
		return
	}
	if schema.Missing() {
		schema = nil
	}
	r.tools = append(r.tools, tool{at, name, description, schema, strict})
}

// readLimit takes the output limit from the first of the members that has one.
func (r *request) readLimit(v json.Value, at string, names ...string) {
	for _, name := range names {
		n := named(v, name)
		if n.Missing() {
			continue
		}
		limit, ok := n.Int()
		switch {
		case !ok || limit <= 0:
			r.drop(below(at, name), "not a positive whole number")
		case r.limit == 0:
			r.limit, r.limitAt = limit, below(at, name)
		}
	}
}

// readStops takes one stop text or several.
func (r *request) readStops(v json.Value, at string) {
	add := func(at string, v json.Value) {
		if s := v.Text(); s != "" {
			r.stops = append(r.stops, stop{at, s})
		} else if !nothing(v) {
			r.drop(at, "not a text")
		}
	}
	if v.Kind() == '[' {
		each(v, at, add)
	} else {
		add(at, v)
	}
}

func (r *request) writeStops(w *json.Writer, name string) {
	if len(r.stops) == 0 {
		return
	}
	w.Open(name, '[')
	for _, s := range r.stops {
		w.Text("", s.text)
	}
	w.Close(']')
}
