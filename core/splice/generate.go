package splice

import "holdfast/core/json"

// generate splices Gemini's streams: the same object again and again, without start, numbers or
// end. It is enough that all of them are of one response.
type generate struct {
	head [2]json.Value // of the first object: see generateHead
	told int           // bytes of the answer
	came int           // that the attempt brought which is made to fit
}

var generateHead = []string{"responseId", "modelVersion"}

func (g *generate) see(_ string, v json.Value) {
	if g.head[0] != nil || v == nil {
		return
	}
	v.Pick(generateHead, g.head[:])
	for i := range g.head {
		g.head[i] = clone(g.head[i])
	}
}

func (g *generate) said(text []byte) { g.told += len(text) }

func (g *generate) attempt() { g.came = 0 }

func (g *generate) early(_ string, v json.Value) bool {
	early := v != nil && v.Get("candidates").At(0).Get("finishReason").Missing()
	parts(v).Each(func(_ string, part json.Value) bool {
		early = early && part.Get("thought").True()
		return early
	})
	return early
}

func (g *generate) carries(_ string, v json.Value) (found bool) {
	parts(v).Each(func(_ string, part json.Value) bool {
		found = isText(part)
		return !found
	})
	return found
}

func parts(v json.Value) json.Value { return v.Get("candidates").At(0).Get("content", "parts") }

// ends tells whether an object, or a chunk of chat, says that the answer ends.
func ends(v json.Value) bool {
	return !v.Get("candidates").At(0).Get("finishReason").Missing() || !choice(v).Get("finish_reason").Missing()
}

// isText tells whether a part is answer text.
func isText(part json.Value) bool {
	return part.Get("text").Kind() == '"' && !part.Get("thought").True()
}

// fit puts the text into the first part that has some, and leaves out what was thought for a
// continuation.
func (g *generate) fit(s *Splicer, _ string, v json.Value, text []byte) {
	if v == nil {
		return
	}
	for i, key := range generateHead {
		if g.head[i] != nil {
			v = v.With(key, g.head[i])
		}
	}
	if usage := v.Get("usageMetadata"); usage.Kind() == '{' {
		v = v.With("usageMetadata", plus(usage, s.source.Before))
	}
	candidate := v.Get("candidates").At(0)
	if candidate == nil {
		s.write("", v)
		return
	}
	fitted, empty := json.Value("[]"), true
	g.told += len(text)
	parts(v).Each(func(_ string, part json.Value) bool {
		switch {
		case isText(part):
			g.came += bytesIn(part.Get("text"))
			empty = empty && len(text) == 0 && part.Get("thoughtSignature").Missing()
			fitted = fitted.Add(part.With("text", quoted(text)))
			text = nil
		case s.joining && part.Get("thought").True():
		case part.Get("thought").True():
			fitted, empty = fitted.Add(part.With("text", s.thought(part.Get("text")))), false
		default:
			fitted, empty = fitted.Add(part), false
		}
		return true
	})
	if empty && candidate.Get("finishReason").Missing() {
		return
	}
	if content := candidate.Get("content"); content.Kind() == '{' {
		candidate = candidate.With("content", content.With("parts", fitted))
	}
	for _, notes := range []string{"groundingMetadata", "citationMetadata"} {
		if own := candidate.Get(notes); s.joining && own.Kind() == '{' {
			candidate = candidate.With(notes, moved(own, g.told-g.came))
		}
	}
	s.write("", v.With("candidates", json.Value("[]").Add(candidate)))
}

func (g *generate) text(s *Splicer, text []byte) {
	g.told += len(text)
	var w json.Writer
	w.Open("", '{').Open("candidates", '[').Open("", '{').Open("content", '{').Open("parts", '[').Open("", '{').Raw("text", quoted(text)).Close('}')
	w.Close(']').Text("role", "model").Close('}').Int("index", 0).Close('}').Close(']')
	s.write("", w.Raw("modelVersion", g.head[1]).Raw("responseId", g.head[0]).Close('}').Out)
}

func (g *generate) finish(s *Splicer) {
	if s.Array && s.last != ']' {
		s.held = append(s.held, ']')
	}
}

// fail writes the error on a line of its own: Google's SDK finds it only where it is all that a
// chunk of the body holds. Whoever gives the body to a reader makes it one, and breaks the body off
// behind it, since other readers overlook it.
func (g *generate) fail(s *Splicer, body json.Value) {
	if s.Array {
		s.write("", body)
		g.finish(s)
		return
	}
	s.held = append(append(s.held, body...), '\n')
}
