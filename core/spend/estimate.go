package spend

import (
	"bytes"
	"strings"

	"holdfast/core/json"
	"holdfast/core/view"
	"holdfast/core/wire"
)

// Estimate is how many tokens a request may use, before anybody knows.
type Estimate struct {
	Input  int64
	Output int64
	Hour   bool // input may be written to a cache that lasts an hour
}

const (
	bytesPerToken = 4    // of text (providers.md §8.6)
	defaultOutput = 4096 // tokens that a request without a limit of its own is expected to get

	// A picture or a document travels as base64, and costs far less than its letters would. So does what
	// proves a thought. Elsewhere letters are text, however many stand without a break.
	attachment          = 2048 // bytes without a break: no word is so long
	bytesPerAttachToken = 32
	maxBefore           = 256 // bytes that name it, and its kind
	attachments         = " data url image_url file_data signature thoughtSignature thought_signature encrypted_content "

	// tokensPerSecond is what a model writes while nobody sees it: reasoning, or an answer that is
	// not streamed. Most write 30 to 150.
	tokensPerSecond = 100
)

// Guess estimates a request from its body: a quarter of its bytes, and the highest token limit that its
// API reads there, for each answer that it asks for: what it does not read bounds nothing. Without a
// limit it expects 4096 tokens; a longer answer then costs more than was reserved, and so does input
// that the body names and does not bring.
func Guess(api wire.API, body json.Value) Estimate {
	e := Estimate{Input: textTokens(body), Hour: strings.Contains(view.String(body), `"1h"`)}
	tokens, answers := limit(body, "max_output_tokens"), int64(1)
	switch api {
	case wire.Embeddings:
		return e
	case wire.Responses:
	case wire.Messages:
		tokens = limit(body, "max_tokens")
	case wire.Generate, wire.Interactions:
		tokens, answers = 0, 0
		for _, config := range []string{"generationConfig", "generation_config"} { // Google's servers take both, and both kinds of names
			v := body.Get(config)
			tokens = max(tokens, limit(v, "maxOutputTokens", "max_output_tokens"))
			answers = max(answers, limit(v, "candidateCount", "candidate_count"))
		}
	case wire.Chat:
		tokens, answers = limit(body, "max_completion_tokens", "max_tokens"), limit(body, "n")
	default: // it may be any of them
		tokens, answers = limit(body, "max_output_tokens", "max_completion_tokens", "max_tokens"), limit(body, "n")
	}
	if tokens == 0 {
		tokens = defaultOutput
	}
	e.Output = min(tokens*min(max(answers, 1), 1000), maxTokens)
	return e
}

// limit is the largest of these members, of what numbers of tokens can be. Google's servers take a number in quotes.
func limit(v json.Value, names ...string) (most int64) {
	for _, name := range names {
		n, ok := v.Get(name).Int()
		if !ok {
			n, _ = json.Value(v.Get(name).Text()).Int()
		}
		most = max(most, min(n, maxTokens))
	}
	return most
}

// textTokens estimates the tokens of a body. Escapes and names count like text: a little too much
// is the right side to err on.
func textTokens(body []byte) int64 {
	text, attached, run := 0, 0, 0
	written := strings.Contains(view.String(body), `"text/`) // an attachment of words has as many as they are
	for i := 0; i <= len(body); i++ {
		if i < len(body) && isBase64(body[i]) {
			run++
			continue
		}
		if run >= attachment && !written && attaches(body[max(0, i-run-maxBefore):i-run]) {
			attached += run
		} else {
			text += run
		}
		text, run = text+1, 0
	}
	return int64(text/bytesPerToken + attached/bytesPerAttachToken)
}

// attaches tells whether the string that begins at the end of these bytes stands where attachments do.
func attaches(body []byte) bool {
	at := bytes.LastIndexByte(body, '"')
	kind, media := strings.CutPrefix(string(body[at+1:]), "data:")
	if kind != "" && (!media || strings.HasPrefix(kind, "text/") || !strings.HasSuffix(kind, ";base64,")) {
		return false
	}
	for at > 0 && (body[at-1] <= ' ' || body[at-1] == ':') {
		at--
	}
	name := body[:max(at-1, 0)]
	return strings.Contains(attachments, " "+string(name[bytes.LastIndexByte(name, '"')+1:])+" ")
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
	if r.Input = max(r.Input, r.Write); e.Hour {
		r.Input = max(r.Input, r.Write1h)
	}
	return r.Cost(wire.Usage{Input: e.Input, Output: e.Output})
}
