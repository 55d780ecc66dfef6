package fault

import (
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/decimal"
	"holdfast/core/header"
	"holdfast/core/time"
)

// evidence is everything that one failed exchange tells.
type evidence struct {
	provider Provider
	status   int  // HTTP status; for an error inside a 200, the status that it stands for
	inside   bool // the error came inside an answer or stream that had said 200
	header   header.Header
	own      header.Header // that the error itself carries
	now      time.Time
	env      envelope
	names    []string // codes, types and reasons, the most exact first
	words    string   // the message in lower case
}

// collect gathers the names and words that the tables are asked about.
func (x *evidence) collect() {
	x.words = ascii.Lower(x.env.message)
	if x.provider == Gloo {
		x.addName(x.header.Get("x-gloo-error-code"))
	}
	x.addName(x.env.symbol)
	x.addName(x.env.code)
	for _, n := range x.env.inner {
		x.addName(n)
	}
	x.addName(x.env.status)
	x.addName(x.env.typ)
	if x.env.number != 0 {
		x.addName(decimal.String(x.env.number))
	}
	if x.provider == Gemini {
		x.addName(rpcCode(x.env.number))
	}
	if e := &x.env; e.symbol+e.code+e.status+e.typ == "" {
		x.addCodes(e.message)
	}
	if x.inside && x.env.shape != page {
		x.status = x.statusInside()
	}
	switch x.provider {
	case Gloo:
	case Gemini:
		namesGemini(x)
	case Anthropic, XAI:
		namesOpenAI(x)
	default:
		if x.env.status != "" && x.env.details != nil { // Google's shape is Google's, whoever carried it
			x.provider = Gemini
			namesGemini(x)
		}
		namesOpenAI(x)
	}
}

// addName adds a name, and what follows its last "/" or ":" as well, and what stands before the ":": xAI writes
// "subscription:free-usage-exhausted" and "unauthenticated:bad-credentials", Google "googleapis.com/…", its OpenAI
// layer "function_call_filter: …".
func (x *evidence) addName(n string) {
	if n == "" || len(x.names) >= 40 {
		return
	}
	x.names = append(x.names, n)
	if at := max(strings.LastIndexByte(n, '/'), strings.LastIndexByte(n, ':')); at >= 0 && at+1 < len(n) {
		x.names = append(x.names, strings.TrimSpace(n[at+1:]))
		if n[at] == ':' {
			x.names = append(x.names, n[:at])
		}
	}
}

// addCodes finds the codes in a text that nothing else explains, such as {"error":"insufficient_quota"} or JSON
// that was cut off: the words with a "_", and a word that is alone.
func (x *evidence) addCodes(text string) {
	for rest := text; rest != ""; {
		end := 0
		for end < len(rest) && isKeyByte(rest[end]) {
			end++
		}
		if end == len(text) || strings.IndexByte(rest[:end], '_') >= 0 {
			x.addName(rest[:end])
		}
		rest = rest[min(end+1, len(rest)):]
	}
}

// decide finds what happened, and then lets the server's own verdict count.
func (x *evidence) decide() outcome {
	if x.provider == Gloo {
		return x.gloo()
	}
	var o outcome
	switch x.provider {
	case Anthropic:
		o = x.meaning(moneyRows, contextRows, anthropicRows, openaiRows)
	case XAI:
		o = x.meaning(moneyRows, openaiMoney, contextRows, xaiRows, openaiRows)
	case Gemini:
		o = x.meaning(moneyRows, contextRows, geminiRows, modelRows, openaiRows)
	default:
		o = x.meaning(moneyRows, openaiMoney, contextRows, openaiRows)
	}
	return x.obey(o)
}

// meaning asks the tables in order, then the status.
func (x *evidence) meaning(tables ...[]row) outcome {
	if o, ok := x.edge(); ok {
		return o
	}
	for _, table := range tables {
		if o, ok := x.find(table); ok {
			return o
		}
	}
	return statusOutcome(x.status)
}

// obey applies x-should-retry (Anthropic's API, xAI's proxy, OpenAI's SDKs). The reason stays; so
// do breaker and fallback, which are about the provider and not about this request.
func (x *evidence) obey(o outcome) outcome {
	if x.inside {
		return o
	}
	switch ascii.Lower(x.header.Get("x-should-retry")) {
	case "false":
		if o.decision == Retry {
			o.decision = Stop
		}
	case "true":
		// A server that wants another try of what cannot succeed is not believed. xAI's own client
		// never believes it.
		switch o.reason {
		case Quota, DailyQuota, Billing, SpendCap, PlanGate, PlanWindow, ModelNotOnPlan,
			Auth, Permission, Region, ContentPolicy, ContextLength, RequestTooLarge:
		default:
			if x.provider != XAI {
				o.decision = Retry
			}
		}
	}
	return o
}
