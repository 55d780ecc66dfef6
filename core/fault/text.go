package fault

import (
	"strings"
	"unicode/utf8"

	"holdfast/core/json"
)

// How much of what others wrote is kept.
const (
	maxText   = 500      // characters of a message that people may read
	maxSearch = 16 << 10 // bytes of a message that patterns are looked for in
	maxName   = 100      // characters of a code, type or id
	maxNested = 64 << 10 // bytes of JSON inside a JSON string that are looked into
)

// head returns the beginning of the string v, at most about limit bytes of it, without copying
// the rest.
func head(v json.Value, limit int) string {
	if v.Kind() != '"' || len(v) <= limit {
		return v.Text()
	}
	end := 1
	for end < limit { // never stop inside an escape
		switch {
		case v[end] != '\\':
			end++
		case v[end+1] == 'u':
			end += 6
		default:
			end += 2
		}
	}
	short := make([]byte, 0, end+1)
	short = append(append(short, v[:end]...), '"')
	return json.Value(short).Text()
}

// cut shortens s to n characters of valid UTF-8 without control characters.
func cut(s string, n int) string {
	count, clean := 0, true
	for i, r := range s {
		if count == n {
			s = s[:i]
			break
		}
		count++
		clean = clean && r != utf8.RuneError && (r >= ' ' && r != 0x7F || r == '\n' || r == '\t')
	}
	if clean {
		return s
	}
	runes := []rune(s) // what is no UTF-8 is U+FFFD here
	for i, r := range runes {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7F {
			runes[i] = ' '
		}
	}
	return string(runes)
}

// name makes a code or id fit for a log line.
func name(s string) string { return mask(cut(strings.TrimSpace(s), maxName)) }

// keyPrefixes begin what must never reach a log, and least is how many more characters make it a
// key and not a word.
var keyPrefixes = []struct {
	prefix string
	least  int
}{
	{"sk-", 8}, {"sk_", 8}, {"pk-", 8}, {"xai-", 8}, {"gsk_", 8}, {"AIza", 16}, {"AQ.", 16}, {"ya29.", 8}, {"eyJ", 24},
	{"Bearer ", 8}, {"bearer ", 8}, {"key=", 8},
}

// mask replaces what looks like a key by its prefix and an ellipsis.
func mask(s string) string {
	var out []byte
	done := 0 // s[:done] is in out
	for i := 0; i < len(s); i++ {
		if i > 0 && isKeyByte(s[i-1]) && s[i-1] != '*' {
			continue
		}
		for _, k := range keyPrefixes {
			if !strings.HasPrefix(s[i:], k.prefix) {
				continue
			}
			end := i + len(k.prefix)
			for end < len(s) && isKeyByte(s[end]) {
				end++
			}
			if end-i-len(k.prefix) >= k.least {
				out = append(append(out, s[done:i+len(k.prefix)]...), "…"...)
				done, i = end, end-1
				break
			}
		}
	}
	if done == 0 {
		return s
	}
	return string(append(out, s[done:]...))
}

func isKeyByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '*'
}

// sentence is what people may read about a reason when the provider said nothing fit for them.
func sentence(r Reason) string {
	switch r {
	case RateLimit:
		return "Too many requests right now. Please try again shortly."
	case Overloaded, ProxyUnavailable:
		return "The service is busy right now. Please try again shortly."
	case Timeout, EdgeTimeout, IdleTimeout:
		return "The service took too long to answer. Please try again."
	case Transport, NotProcessed:
		return "The connection to the service failed. Please try again."
	case Truncated, MalformedStream:
		return "The answer was cut off. Please try again."
	case EmptyCompletion, MalformedToolCall:
		return "The model gave no usable answer. Please try again."
	case Quota, DailyQuota, PlanWindow:
		return "The usage allowance for this service is used up."
	case Billing, SpendCap:
		return "The account for this service needs attention: its credit or spending limit is used up."
	case PlanGate, ModelNotOnPlan:
		return "This is not part of the current plan."
	case ModelNotFound:
		return "This model is not available."
	case Auth:
		return "The service did not accept the credentials."
	case Permission:
		return "The service does not allow this request for these credentials."
	case Region:
		return "The service is not available from here."
	case ContentPolicy:
		return "The request was declined by the service's content policy."
	case ContextLength:
		return "The conversation is too long for this model."
	case RequestTooLarge:
		return "The request is too large."
	case InvalidRequest:
		return "The request could not be understood by the service."
	case Deadline:
		return "The answer would take longer than allowed."
	case Cancelled:
		return "The request was cancelled."
	case CircuitOpen:
		return "The service has been failing and is given a moment to recover."
	case Budget:
		return "The spending limit set for this application is reached."
	case PlatformLimit:
		return "A limit of the platform this runs on was reached."
	}
	return "The service is temporarily unavailable. Please try again."
}
