package translate

import (
	"holdfast/core/json"
	"holdfast/core/wire"
)

// Answers as generateContent has them, whole and as data events of the same shape. A refusal's
// words are text here; that it is one stands in the finish reason. Its first call is signed as another
// model's, for the caller sends it back, and then perhaps to Gemini.

func writeGenerateAnswer(w *json.Writer, a *answer) {
	w.Open("", '{')
	var called bool
	writeGenerateResponse(w, a.meta.orElse("answer-0", "", 0), a.deltas, words[a.finish][3], a.usage, &called)
	w.Close('}')
}

// writeGenerateResponse writes a response without its braces; a piece of a stream has no finish. called
// keeps that the answer has a call.
func writeGenerateResponse(w *json.Writer, m Meta, deltas []wire.Delta, finish string, u wire.Usage, called *bool) {
	w.Open("candidates", '[').Open("", '{').Open("content", '{').Open("parts", '[')
	if len(deltas) == 0 {
		w.Open("", '{').Text("text", "").Close('}')
	}
	for _, d := range deltas {
		w.Open("", '{')
		switch d.Kind {
		case wire.ToolCall:
			w.Open("functionCall", '{').Text("id", d.Tool.ID).Text("name", d.Tool.Name).Raw("args", arguments(d.Tool)).Close('}')
			if !*called {
				w.Text("thoughtSignature", foreign)
			}
			*called = true
		case wire.Reasoning:
			w.Raw("text", quoted(d.Text)).Bool("thought", true)
		default:
			w.Raw("text", quoted(d.Text))
		}
		w.Close('}')
	}
	w.Close(']').Text("role", "model").Close('}').TextIf("finishReason", finish).Int("index", 0).Close('}').Close(']')
	if u != (wire.Usage{}) {
		writeGenerateUsage(w, u)
	}
	w.TextIf("modelVersion", m.Model).Text("responseId", m.ID)
}

// writeGenerateUsage writes the usage: thoughts stand beside the candidates' tokens, and what
// tools brought beside the prompt's.
func writeGenerateUsage(w *json.Writer, u wire.Usage) {
	w.Open("usageMetadata", '{').Int("promptTokenCount", max(0, u.Input-u.ToolPrompt)).Int("candidatesTokenCount", max(0, u.Output-u.Reasoning))
	w.IntIf("thoughtsTokenCount", u.Reasoning).IntIf("toolUsePromptTokenCount", u.ToolPrompt).IntIf("cachedContentTokenCount", u.Cached)
	w.Int("totalTokenCount", u.Total).Close('}')
}

// generateStream writes each delta as a response of its own, the last one with the finish reason
// and the usage. The wire format has neither a start nor an end mark.
type generateStream struct{ called bool }

func (*generateStream) start(*Encoder) {}

func (s *generateStream) delta(e *Encoder, d wire.Delta) {
	e.event("", func(w *json.Writer) { writeGenerateResponse(w, e.meta, []wire.Delta{d}, "", wire.Usage{}, &s.called) })
}

func (s *generateStream) finish(e *Encoder, f finish, u wire.Usage) {
	e.event("", func(w *json.Writer) { writeGenerateResponse(w, e.meta, nil, words[f][3], u, &s.called) })
}
