package wire

import (
	"strings"

	"holdfast/core/fault"
	"holdfast/core/json"
)

// generate reads Gemini's generateContent: the same object again and again, each with a piece of
// the answer. Its terminals are a finishReason, and a blockReason for a prompt that is refused;
// nothing marks the end of the body. STOP is the end only where no more of the answer follows: some
// models, and servers that imitate them, say it with every piece.
type generate struct {
	call *partialArgs // the function call whose arguments are still arriving
}

// generateEnds says what each finishReason means. Any other word is a failure of the model; what
// kind of one fault.FinishError knows.
var generateEnds = map[string]End{
	"STOP":                      Complete,
	"MAX_TOKENS":                Complete, // see AtLimit
	"CONTINUATION":              Complete, // likewise
	"SAFETY":                    Filtered,
	"RECITATION":                Filtered,
	"LANGUAGE":                  Filtered,
	"BLOCKLIST":                 Filtered,
	"PROHIBITED_CONTENT":        Filtered,
	"SPII":                      Filtered,
	"MODEL_ARMOR":               Filtered,
	"IMAGE_SAFETY":              Filtered,
	"IMAGE_PROHIBITED_CONTENT":  Filtered,
	"IMAGE_RECITATION":          Filtered,
	"FINISH_REASON_UNSPECIFIED": Open, // as if there were none
	"":                          Open,
}

func (g *generate) read(s *Stream, event string, v json.Value) {
	var found [5]json.Value
	v.Pick(generated, found[:])
	candidates, block, usage := found[0], found[1].Get("blockReason").Text(), found[2]
	candidate := first(candidates)
	candidate.Get("content", "parts").Each(func(_ string, part json.Value) bool {
		g.part(s, part)
		return true
	})
	s.note(v)
	word := s.word(candidate, candidates, "finishReason", func(item json.Value) bool { return item.Get("content", "parts").At(0) != nil })
	switch {
	case event == "error" || fault.Wrong(found[3]) || fault.Wrong(found[4]):
		s.explain(word, v)
	case candidate == nil && block != "" && !strings.HasSuffix(block, "_UNSPECIFIED"):
		s.finish(Filtered, block)
	default:
		g.end(s, word, v)
	}
	// A finish comes with the last usage: then nothing is left to wait for.
	if s.End != Open && usage.Kind() == '{' {
		s.Done = true
	}
}

// generated are the members that are read; the last two are those of an error (see isError).
var generated = []string{"candidates", "promptFeedback", "usageMetadata", "error", "detail"}

func (g *generate) whole(s *Stream, v json.Value) bool {
	if first(v.Get("candidates")) == nil && v.Get("promptFeedback").Kind() != '{' {
		return false
	}
	g.read(s, "", v)
	s.settle()
	return true
}

// part takes a piece of content. Code that ran at the provider's, pictures and files are part of
// an answer, too.
func (g *generate) part(s *Stream, part json.Value) {
	if s.End != Open {
		return
	}
	if s.ending != "" && holds(part) {
		s.goesOn()
	}
	if call := part.Get("functionCall"); call.Kind() == '{' {
		g.functionCall(s, call)
		return
	}
	switch text := part.Get("text"); {
	case text == nil:
		part.Each(func(name string, _ json.Value) bool {
			s.Output = s.Output || name != "thought" && name != "thoughtSignature"
			return true
		})
	case part.Get("thought").True():
		s.add(Reasoning, text)
	default:
		s.add(Text, text)
	}
}

// holds tells whether a part has something of an answer in it.
func holds(part json.Value) (found bool) {
	part.Each(func(name string, item json.Value) bool {
		found = name != "thought" && name != "thoughtSignature" && !item.Missing() && len(item) > len(`""`)
		return !found
	})
	return found
}

// functionCall takes a call, which comes whole, or in pieces as long as it says willContinue.
func (g *generate) functionCall(s *Stream, call json.Value) {
	s.Cursor.Bytes += len(call)
	name := call.Get("name").Text()
	if g.call != nil && g.call.name != "" && name != "" { // another one, without a word
		s.broken(g.call.name)
		g.call = nil
	}
	if g.call == nil {
		if empty(call) { // the close of one that its last piece closed already
			return
		}
		s.begin()
		g.call = &partialArgs{}
	}
	g.call.identify(call.Get("id").Text(), name)
	if args := call.Get("args"); args.Kind() == '{' {
		g.call.arguments = append(g.call.arguments[:0], args...)
	}
	g.call.take(call.Get("partialArgs"))
	if call.Get("willContinue").True() {
		return
	}
	tool, whole := g.call.tool()
	if g.call = nil; !whole {
		s.broken(tool.Name)
		return
	}
	s.call(tool)
}

// end takes a word for the end. v is the object that it came in, or nil when nothing follows it.
func (g *generate) end(s *Stream, word string, v json.Value) {
	end, known := generateEnds[word]
	if known && end == Open || s.End != Open {
		return
	}
	if word == "STOP" && v != nil {
		s.ending = word
		return
	}
	if known { // a later word than STOP that ends an answer, too
		s.ending = ""
	}
	if g.call != nil {
		s.broken(g.call.name)
	}
	switch {
	case !known:
		s.breakDown(word, word)
	case word == "STOP" && g.call != nil && len(s.Cursor.Tools) == 0:
		s.breakDown(word, "malformed_tool_call")
	default:
		s.finish(end, word)
	}
}
