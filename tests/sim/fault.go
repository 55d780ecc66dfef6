package sim

import (
	"strconv"
	"strings"

	"holdfast/core/json"
)

// fault is one way in which a provider refuses or breaks. Each provider has a table of its own
// (fault_*.go); a script may ask for a fault by any code of any of them, and gets the nearest one
// that the provider it speaks to has.
type fault struct {
	code   string // by which a script asks for it; with Gloo also the value of X-Gloo-Error-Code
	kind   string // one of kinds, by which the tables are compared
	status int
	typ    string // error.type (OpenAI, Anthropic, Gloo), error.status (Gemini), a sentence (xAI)
	word   string // error.code where it is a word
	// message may hold {wait}, which is left out where the server does not know how long, and
	// {model}.
	message   string
	details   string // JSON: what else stands in the error; where xAI has it, the whole body
	retryable bool
	gloo      // only in Gloo's own
}

// kinds are what can go wrong anywhere. Every table has a row for each.
var kinds = []string{"invalid_request", "validation", "context_length", "content_policy", "prefill", "auth", "permission",
	"not_found", "model_not_found", "method_not_allowed", "request_too_large", "billing", "quota", "rate_limit",
	"timeout", "overloaded", "server_error"}

// problem is a fault that happens to one request, with what the script changed about it.
type problem struct {
	fault
	retryAfter string // as in the Retry-After header; "" when the server does not know
	traceID    string
	model      string
	shape      string // of the body, where the provider has several: see shapes
}

// shapes are the forms that an error can take beside its provider's usual one.
var shapes = []string{
	"nested",   // Responses stream: an event error whose members stand in "error" (usual at OpenAI)
	"flat",     // Responses stream: … stand beside its type
	"failed",   // Responses stream: only response.failed (usual at Gloo)
	"array",    // Gemini: the body is a list of one
	"raw",      // Gemini, in a stream: bare JSON without "data:"
	"sentence", // xAI: the code is a sentence
	"openai",   // xAI: the members of OpenAI
}

// row is a fault as the tables of OpenAI, Anthropic, xAI and Gemini give it.
type row struct {
	code, kind string
	status     int
	typ, word  string
	message    string
}

// passing are the kinds that another try may survive.
const passing = "rate_limit timeout overloaded server_error"

// faultsOf makes faults of a table; details are those of some codes.
func faultsOf(details map[string]string, rows []row) (list []fault) {
	for _, r := range rows {
		list = append(list, fault{code: r.code, kind: r.kind, status: r.status, typ: r.typ, word: r.word, message: r.message,
			details: details[r.code], retryable: contains(passing, r.kind)})
	}
	return list
}

// rows are a dialect's faults; Gloo's, where it has none of its own.
func (d dialect) rows() []fault {
	switch d {
	case openAI:
		return openAIFaults
	case anthropic:
		return anthropicFaults
	case xAI:
		return xAIFaults
	case gemini, geminiCompat:
		return geminiFaults
	case interacting:
		return interactionFaults
	}
	return glooFaults
}

// fault finds the dialect's fault for a code.
func (d dialect) fault(code string) fault {
	if found, ok := lookUp(d.rows(), code); ok {
		return found
	}
	found, _ := lookUp(d.rows(), kindOf(code))
	return found
}

// lookUp finds the fault of a code, or the first one of a kind.
func lookUp(rows []fault, name string) (fault, bool) {
	for i := range rows {
		if rows[i].code == name {
			return rows[i], true
		}
	}
	for i := range rows {
		if rows[i].kind == name {
			return rows[i], true
		}
	}
	return fault{}, false
}

// kindOf is the kind of a code in whichever table has it; "" when none has.
func kindOf(code string) string {
	for _, d := range []dialect{guarded, openAI, anthropic, xAI, gemini, interacting} {
		if found, ok := lookUp(d.rows(), code); ok {
			return found.kind
		}
	}
	return ""
}

// body is the response that carries p in the manner of a dialect.
func (p *problem) body(speaks dialect) []byte {
	if fixed := p.fixedBody(speaks); fixed != "" {
		return []byte(fixed)
	}
	var w json.Writer
	switch speaks {
	case geminiCompat:
		w.Open("", '[').Open("", '{')
		p.writeStatus(&w)
		return w.Close('}').Close(']').Out
	case gemini:
		if p.shape == "array" {
			return p.body(geminiCompat)
		}
		w.Open("", '{')
		p.writeStatus(&w)
	case interacting:
		w.Open("", '{')
		p.writeWord(&w)
	case anthropic:
		w.Open("", '{')
		p.writeAnthropic(&w, p.traceID)
	case xAI:
		w.Open("", '{')
		p.writeXAI(&w)
	case openAI, compatible:
		w.Open("", '{')
		p.writeOpenAI(&w)
	default:
		w.Open("", '{')
		p.writeGloo(&w, p.traceID, speaks == direct)
	}
	return w.Close('}').Out
}

// fixedBody is the body of a fault that has one for all requests.
func (p *problem) fixedBody(speaks dialect) string {
	for _, d := range glooDetails {
		if d.code == p.code && (speaks == guarded || speaks == direct && d.direct) {
			return d.body
		}
	}
	if speaks == xAI {
		return p.details
	}
	return ""
}

// seconds is the wait as a number of seconds, when it is one.
func (p *problem) seconds() (float64, bool) {
	n, err := strconv.ParseFloat(p.retryAfter, 64)
	return n, err == nil && n >= 0
}

// text is the message with what belongs in its braces. wait is the provider's sentence about how
// long to wait, in which {} is the time; it is left out when nobody knows that.
func (p *problem) text(wait string) string {
	said := ""
	if seconds, known := p.seconds(); known {
		said = strings.Replace(wait, "{}", strconv.FormatFloat(seconds, 'f', -1, 64)+"s", 1)
	}
	return strings.ReplaceAll(strings.ReplaceAll(p.message, "{wait}", said), "{model}", first(p.model, "model-x"))
}
