package translate

import (
	"strings"

	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// Chosen is Request for the target that the caller meant, in whose API he asks: what he wrote stays,
// with what only its provider understands. It gets the target's model and limit, and loses what the
// provider is known to refuse. Who imitates chat gets what Request makes of it, and all members that
// Request does not know.
func Chosen(from Source, body json.Value, to Target) (Result, error) {
	if from.API == chat && to.Provider != fault.OpenAI {
		from.Provider = to.Provider
		return rebuild(from, body, to, true)
	}
	if body.Kind() != '{' {
		return Result{}, ErrNotARequest
	}
	return kept(from, body, to), nil
}

// kept is the body as it is, for another model of its API.
func kept(from Source, body json.Value, to Target) Result {
	r := &request{from: from, to: to, model: body.Get("model").Text()}
	if to.Model != "" {
		r.model = to.Model
		body = body.With("model", json.AppendQuoted(nil, to.Model))
	}
	for _, k := range knobs {
		outer, inner, nested := strings.Cut(k.names[column(to.API)], "/")
		v := body.Get(outer)
		switch {
		case outer == "" || k.only == "" || has(k.only, string(to.Provider)) || v.Missing():
			continue
		case !nested:
			body = body.Without(outer)
		case v.Get(inner).Missing():
			continue
		default:
			body = body.With(outer, v.Without(inner))
		}
		r.drop("/"+k.names[column(to.API)], "")
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		if n, _ := body.Get(name).Int(); to.MaxTokens > 0 && n > to.MaxTokens {
			r.adjust("/"+name, decimal.String(n)+", lowered to "+decimal.String(to.MaxTokens))
			body = body.With(name, decimal.Append(nil, to.MaxTokens))
		}
	}
	return Result{Path: r.path(), Body: body, Dropped: r.dropped, Adjusted: r.adjusted}
}

// stored tells whether a request goes on from what only its provider has: without that it asks
// something else.
func stored(api wire.API, body json.Value) (found bool) {
	switch api {
	case responses:
		for _, name := range []string{"previous_response_id", "conversation", "prompt"} {
			found = found || !body.Get(name).Missing()
		}
		each(body.Get("input"), "", func(_ string, item json.Value) {
			found = found || item.Get("type").Text() == "item_reference"
		})
	case generate:
		found = !named(body, "cachedContent").Missing()
	}
	return found
}
