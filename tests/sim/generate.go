package sim

import (
	"strings"

	"holdfast/core/json"
)

// generate is Gemini's generateContent: contents in, candidates out. Its stream is the same object
// again and again, with a part of the answer each: as events without a name and without an end
// mark (streamGenerate), or, without alt=sse, as one JSON array written in pieces
// (streamArray).
var (
	generate       = api{read: readGenerate, whole: wholeGenerate}
	streamGenerate = api{read: readGenerate, whole: wholeGenerate, always: true,
		stream: func(r reply) encoder { return &generateStream{reply: r} }}
	streamArray = api{read: readGenerate, whole: arrayOf(wholeGenerate), always: true, contentType: "application/json; charset=UTF-8",
		alive: "\r\n", stream: func(r reply) encoder { return &generateStream{reply: r, array: true} }}
)

func readGenerate(body json.Value, p *prompt) bool {
	contents := body.Get("contents")
	if request := body.Get("generateContentRequest"); request != nil { // countTokens takes this too
		contents = request.Get("contents")
	}
	contents.Each(func(_ string, content json.Value) bool {
		text := partsText(content)
		p.tokens += len(words(text))
		p.prefill = ""
		if content.Get("role").Text() == "model" {
			p.prefill = text
			return true
		}
		p.first, p.last = first(p.first, text), text
		return true
	})
	return contents.Kind() == '['
}

// partsText joins the texts of a content's parts.
func partsText(content json.Value) string {
	var all strings.Builder
	content.Get("parts").Each(func(_ string, part json.Value) bool {
		all.WriteString(part.Get("text").Text())
		return true
	})
	return all.String()
}

// finishReasons are Gemini's words for those of chat. Its own pass.
var finishReasons = map[string]string{"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}

func (r *reply) finishReason(word string) string {
	if r.refusal != "" {
		word = "content_filter" // there is no refusal here
	}
	return first(finishReasons[word], word)
}

func wholeGenerate(r reply) []byte {
	g := generateStream{reply: r, words: len(words(r.text)), thoughts: r.usage.reasoning}
	if r.blocked != "" {
		return g.blockedPrompt()
	}
	return g.object(r.finishReason(r.finish), func(w *json.Writer) {
		if r.reasoning != "" {
			w.Open("", '{').Text("text", r.reasoning).Bool("thought", true).Close('}')
		}
		if text := first(r.text, r.refusal); text != "" {
			w.Open("", '{').Text("text", text).Close('}')
		}
		if r.tool != nil {
			r.writeFunctionCall(w, r.tool.Arguments)
		}
	})
}

func arrayOf(whole func(reply) []byte) func(reply) []byte {
	return func(r reply) []byte { return append(append([]byte("["), whole(r)...), ']') }
}

func (r *reply) writeFunctionCall(w *json.Writer, arguments string) {
	w.Open("", '{').Open("functionCall", '{').Text("name", r.tool.Name).
		Raw("args", json.Value(first(arguments, "{}"))).Close('}').
		Text("thoughtSignature", "c2ln"+r.id).Close('}')
}

// generateStream writes the objects of a stream.
type generateStream struct {
	reply
	array    bool
	sent     bool // something was
	words    int  // said so far
	thoughts int
	call     wholeCall
	pieces   *argumentStream // instead, where a script counts the parts of the arguments
}

// object is one response with a candidate. parts writes what it holds; reason is "" before the end.
func (g *generateStream) object(reason string, parts func(w *json.Writer)) []byte {
	var w json.Writer
	w.Open("", '{').Open("candidates", '[').Open("", '{').
		Open("content", '{').Open("parts", '[')
	parts(&w)
	w.Close(']').Text("role", "model").Close('}').
		TextIf("finishReason", reason).
		Int("index", 0).
		Close('}').Close(']')
	g.writeMetadata(&w)
	return w.Close('}').Out
}

// blockedPrompt is the only response to a prompt that is refused.
func (g *generateStream) blockedPrompt() []byte {
	var w json.Writer
	w.Open("", '{').Open("promptFeedback", '{').Text("blockReason", g.blocked).Close('}')
	g.words, g.thoughts = 0, 0
	g.writeMetadata(&w)
	return w.Close('}').Out
}

// writeMetadata ends a response: usage so far, model and id. What was thought is not a part of the
// candidates.
func (g *generateStream) writeMetadata(w *json.Writer) {
	if !g.noUsage {
		w.Open("usageMetadata", '{').Int("promptTokenCount", int64(g.usage.input))
		if g.words > 0 {
			w.Int("candidatesTokenCount", int64(g.words))
		}
		w.Int("totalTokenCount", int64(g.usage.input+g.words+g.thoughts)).
			Open("promptTokensDetails", '[').Open("", '{').Text("modality", "TEXT").
			Int("tokenCount", int64(g.usage.input)).Close('}').Close(']')
		if g.thoughts > 0 {
			w.Int("thoughtsTokenCount", int64(g.thoughts))
		}
		w.Close('}')
	}
	w.Text("modelVersion", g.model).Text("responseId", g.id)
}

// frame makes an object a piece of the stream.
func (g *generateStream) frame(object []byte) []byte {
	if !g.array {
		return append(append([]byte("data: "), object...), "\r\n\r\n"...)
	}
	before := ",\r\n"
	if !g.sent {
		before, g.sent = "[", true
	}
	return append([]byte(before), object...)
}

func (g *generateStream) start() []byte {
	if g.blocked != "" {
		return g.frame(g.blockedPrompt())
	}
	return nil
}

func (g *generateStream) delta(kind deltaKind, text string) []byte {
	if kind == reasoningDelta {
		g.thoughts += len(words(text))
	} else {
		g.words += len(words(text))
	}
	return g.frame(g.object("", func(w *json.Writer) {
		w.Open("", '{').Text("text", text)
		if kind == reasoningDelta {
			w.Bool("thought", true)
		}
		w.Close('}')
	}))
}

func (g *generateStream) callTool(id string, tool *Tool) []byte {
	if tool.Parts > 0 {
		g.pieces = streamArguments(tool)
		return g.functionCall(func(w *json.Writer) { w.Text("name", tool.Name).Bool("willContinue", true) })
	}
	g.call = wholeCall{id: id, tool: tool}
	return nil
}

func (g *generateStream) toolArguments(piece string) []byte {
	if g.pieces == nil {
		return g.call.add(piece, func(call wholeCall) []byte {
			return g.frame(g.object("", func(w *json.Writer) { g.writeFunctionCall(w, call.arguments) }))
		})
	}
	last := false
	out := g.functionCall(func(w *json.Writer) { last = g.pieces.next(w) })
	if last {
		out = append(out, g.functionCall(func(*json.Writer) {})...) // an empty one ends the call
	}
	return out
}

// functionCall is an object that holds a piece of a call.
func (g *generateStream) functionCall(members func(w *json.Writer)) []byte {
	return g.frame(g.object("", func(w *json.Writer) {
		w.Open("", '{').Open("functionCall", '{')
		members(w)
		w.Close('}').Close('}')
	}))
}

// finish is an object without text. Nothing but its reason marks the end.
func (g *generateStream) finish(word string) []byte {
	if g.blocked != "" {
		return nil
	}
	return g.frame(g.object(g.finishReason(word), func(w *json.Writer) {
		w.Open("", '{').Text("text", "")
		if g.reasoning != "" {
			w.Text("thoughtSignature", "c2ln"+g.id)
		}
		w.Close('}')
	}))
}

// fail is the error as an object of the stream; raw it lacks the frame.
func (g *generateStream) fail(p problem) []byte {
	shape := p.shape
	p.shape = ""
	body := p.body(gemini)
	if shape == "raw" {
		return append(body, '\n')
	}
	out := g.frame(body)
	if g.array {
		out = append(out, ']')
	}
	return out
}

func (g *generateStream) after() []byte { return nil }

// done closes the array.
func (g *generateStream) done() []byte {
	if !g.array {
		return nil
	}
	return []byte("]")
}
