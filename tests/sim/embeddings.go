package sim

import (
	"math"
	"strconv"

	"holdfast/core/json"
)

// embeddings is the embeddings API of OpenAI, xAI, Gloo and Gemini's compatible layer.
var embeddings = api{read: readEmbeddings, whole: wholeEmbeddings}

// dimensions is the length of every vector.
const dimensions = 8

func readEmbeddings(body json.Value, p *prompt) bool {
	p.model = body.Get("model").Text()
	p.floats = body.Get("encoding_format").Text() != "base64"
	p.readInputs(body.Get("input"))
	return p.inputs > 0
}

// readInputs counts a text, or a list of texts.
func (p *prompt) readInputs(input json.Value) {
	if input.Kind() == '"' {
		p.first, p.last = first(p.first, input.Text()), input.Text()
		p.tokens += len(words(p.last))
		p.inputs++
	}
	if input.Kind() == '[' {
		input.Each(func(_ string, item json.Value) bool {
			p.readInputs(item)
			return true
		})
	}
}

func wholeEmbeddings(r reply) []byte {
	var w json.Writer
	w.Open("", '{').Text("object", "list").Open("data", '[')
	for i := range r.inputs {
		w.Open("", '{').Text("object", "embedding").Int("index", int64(i))
		if r.floats {
			writeVector(&w, "embedding", i)
		} else {
			w.Text("embedding", packed(i))
		}
		w.Close('}')
	}
	return w.Close(']').Text("model", r.model).
		Open("usage", '{').Int("prompt_tokens", int64(r.usage.input)).Int("total_tokens", int64(r.usage.input)).Close('}').
		Close('}').Out
}

// component is a number of a vector: some power of two, so that a float32 holds it exactly.
func component(vector, n int) float64 { return 1 / float64(int(1)<<((vector+n)%dimensions)) }

func writeVector(w *json.Writer, key string, vector int) {
	w.Open(key, '[')
	for n := range dimensions {
		w.Raw("", strconv.AppendFloat(nil, component(vector, n), 'f', -1, 64))
	}
	w.Close(']')
}

// packed is a vector as little-endian float32s in base64.
func packed(vector int) string {
	var raw []byte
	for n := range dimensions {
		bits := math.Float32bits(float32(component(vector, n)))
		raw = append(raw, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	}
	return pack(raw)
}

// embedContent is Gemini's embeddings API for one text, batchEmbed that for several, countTokens
// what it says about the size of a prompt.
var (
	embedContent = api{read: readEmbedContent, whole: func(reply) []byte {
		var w json.Writer
		w.Open("", '{').Open("embedding", '{')
		writeVector(&w, "values", 0)
		return w.Close('}').Close('}').Out
	}}
	batchEmbed = api{read: readBatchEmbed, whole: func(r reply) []byte {
		var w json.Writer
		w.Open("", '{').Open("embeddings", '[')
		for i := range r.inputs {
			w.Open("", '{')
			writeVector(&w, "values", i)
			w.Close('}')
		}
		return w.Close(']').Close('}').Out
	}}
	countTokens = api{read: readGenerate, whole: func(r reply) []byte {
		return []byte(`{"totalTokens":` + strconv.Itoa(r.usage.input) + `,"promptTokensDetails":[{"modality":"TEXT","tokenCount":` +
			strconv.Itoa(r.usage.input) + `}]}`)
	}}
)

func readEmbedContent(body json.Value, p *prompt) bool {
	text := partsText(body.Get("content"))
	p.first, p.last = first(p.first, text), text
	p.tokens += len(words(text))
	p.inputs++
	return body.Get("content").Kind() == '{'
}

func readBatchEmbed(body json.Value, p *prompt) bool {
	ok := true
	body.Get("requests").Each(func(_ string, item json.Value) bool {
		ok = readEmbedContent(item, p) && ok
		return true
	})
	return ok && p.inputs > 0
}
