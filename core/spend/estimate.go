package spend

import (
	"holdfast/core/json"
	"holdfast/core/wire"
)

// Estimate is how many tokens a request may use, before anybody knows.
type Estimate struct {
	Input  int64
	Output int64
}

const (
	bytesPerToken = 4    // of text (providers.md §8.6)
	defaultOutput = 4096 // tokens that a request without a limit of its own is expected to get

	// A picture or a document travels as base64, and costs far less than its letters would.
	attachment          = 2048 // bytes without a break: no word is so long
	bytesPerAttachToken = 32

	// tokensPerSecond is what a model writes while nobody sees it: reasoning, or an answer that is
	// not streamed. Most write 30 to 150.
	tokensPerSecond = 100
)

// Guess estimates a request from its body: a quarter of its bytes, and the highest token limit that its
// API reads there, for each answer that it asks for: what it does not read bounds nothing. Without a
// limit it expects 4096 tokens; a longer answer then costs more than was reserved, and so does input
// that the body names and does not bring.
func Guess(api wire.API, body json.Value) Estimate {
	e := Estimate{Input: textTokens(body)}
	number := func(path ...string) int64 {
		n, _ := body.Get(path...).Int()
		return max(0, min(n, maxTokens))
	}
	config := func(name, alike string) int64 { // Google's servers take both
		return max(number("generationConfig", name), number("generationConfig", alike), number("generation_config", name), number("generation_config", alike))
	}
	tokens, answers := number("max_output_tokens"), int64(1)
	switch api {
	case wire.Embeddings:
		return e
	case wire.Responses:
	case wire.Messages:
		tokens = number("max_tokens")
	case wire.Chat:
		tokens, answers = max(number("max_completion_tokens"), number("max_tokens")), number("n")
	case wire.Generate, wire.Interactions:
		tokens, answers = config("maxOutputTokens", "max_output_tokens"), config("candidateCount", "candidate_count")
	default: // it may be any of them
		tokens, answers = max(tokens, number("max_completion_tokens"), number("max_tokens")), number("n")
	}
	if tokens == 0 {
		tokens = defaultOutput
	}
	e.Output = min(tokens*min(max(answers, 1), 1000), maxTokens)
	return e
}

// textTokens estimates the tokens of a body. Escapes and names count like text: a little too much
// is the right side to err on.
func textTokens(body []byte) int64 {
	text, attached, run := 0, 0, 0
	for i := 0; i <= len(body); i++ {
		if i < len(body) && isBase64(body[i]) {
			run++
			continue
		}
		if run >= attachment {
			attached += run
		} else {
			text += run
		}
		text, run = text+1, 0
	}
	return int64(text/bytesPerToken + attached/bytesPerAttachToken)
}

func isBase64(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '+' || c == '/' || c == '-' || c == '_' || c == '='
}

// price is what a request with this estimate may cost. Input may be written to a cache, which costs
// more than reading it.
func (e Estimate) price(r Rates) Ticks {
	r.Input = max(r.Input, r.Write)
	return r.Cost(wire.Usage{Input: e.Input, Output: e.Output})
}
