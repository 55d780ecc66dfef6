package sim

import (
	"strconv"

	"holdfast/core/header"
)

// identify gives the header that names the request; Gemini has none.
func (p *planner) identify() header.Header {
	h := header.Header{{Name: "Cache-Control", Value: "no-cache"}}
	switch p.speaks {
	case gemini, geminiCompat, interacting:
		return h
	case anthropic:
		return append(h, header.Field{Name: "request-id", Value: p.id("req_")},
			header.Field{Name: "anthropic-organization-id", Value: "00000000-0000-4000-8000-000000000000"})
	case openAI:
		h = append(h, header.Field{Name: "openai-version", Value: "2020-10-01"},
			header.Field{Name: "openai-organization", Value: "org-sim"},
			header.Field{Name: "openai-processing-ms", Value: "12"})
	}
	return append(h, header.Field{Name: "X-Request-Id", Value: p.id("req_")})
}

// limits gives the headers about rate limits that a provider sends with every answer. While it
// refuses for its limit, nothing remains; when it then does not say how long to wait, it says
// nothing of limits either.
func (p *planner) limits(refused bool, retryAfter string) (h header.Header) {
	add := func(name, value string) { h = append(h, header.Field{Name: name, Value: value}) }
	if refused && retryAfter == "" {
		return nil
	}
	left := func(plenty string) string {
		if refused {
			return "0"
		}
		return plenty
	}
	switch p.speaks {
	case openAI:
		reset := "20ms"
		if refused {
			reset = retryAfter + "s"
		}
		add("x-ratelimit-limit-requests", "500")
		add("x-ratelimit-remaining-requests", "499")
		add("x-ratelimit-reset-requests", "120ms")
		add("x-ratelimit-limit-tokens", "30000")
		add("x-ratelimit-remaining-tokens", left("29984"))
		add("x-ratelimit-reset-tokens", reset)
	case anthropic:
		for _, of := range []struct{ name, limit, plenty string }{
			{"requests", "50", "49"}, {"tokens", "60000", "59000"}, {"input-tokens", "50000", "49000"}, {"output-tokens", "10000", "9000"},
		} {
			remaining := of.plenty
			if of.name == "input-tokens" || of.name == "tokens" {
				remaining = left(of.plenty)
			}
			add("anthropic-ratelimit-"+of.name+"-limit", of.limit)
			add("anthropic-ratelimit-"+of.name+"-remaining", remaining)
			add("anthropic-ratelimit-"+of.name+"-reset", "2026-01-01T00:00:00Z")
		}
	case xAI:
		add("x-ratelimit-limit-requests", "60")
		add("x-ratelimit-remaining-requests", left("59"))
		add("x-ratelimit-limit-tokens", "2000000")
		add("x-ratelimit-remaining-tokens", "1999000")
	}
	return h
}

// hint gives the headers by which a provider says whether and when to try again.
func (p *planner) hint(found problem, asked *bool) (h header.Header) {
	switch p.speaks {
	case gemini, geminiCompat, interacting: // it stands in the body
		return nil
	case xAI: // a proxy in front of it forbids, nothing allows
		if asked != nil && !*asked {
			h = header.Header{{Name: "x-should-retry", Value: "false"}}
		}
		if found.kind == "rate_limit" {
			return h
		}
	case anthropic:
		h = header.Header{{Name: "x-should-retry", Value: strconv.FormatBool(found.retryable)}}
	case openAI:
		if asked != nil {
			h = header.Header{{Name: "x-should-retry", Value: strconv.FormatBool(*asked)}}
		}
	}
	if found.retryAfter != "" {
		h = append(h, header.Field{Name: "Retry-After", Value: found.retryAfter})
	}
	return h
}
