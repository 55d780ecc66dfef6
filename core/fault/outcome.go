package fault

import "strings"

// An outcome is what a table row concludes. The tables name outcomes instead of spelling them
// out, so that the same trouble gets the same words at every provider, and point to them, which
// halves a row. Whoever changes one changes a copy.
type outcome struct {
	decision Decision
	reason   Reason
	breaker  Effect
	fallback Scope
	max      int // Fault.MaxRetries
}

// What may succeed later.
var (
	rateLimited   = &outcome{Retry, RateLimit, Failing, AfterRetries, 0}
	overloaded    = &outcome{Retry, Overloaded, Failing, AfterRetries, 0}
	serverFailed  = &outcome{Retry, ServerError, Failing, AfterRetries, 0}
	timedOut      = &outcome{Retry, Timeout, Failing, AfterRetries, 0}
	timedOutOnce  = &outcome{Retry, Timeout, Failing, AfterRetries, 1} // the same deadline again
	emptyAnswer   = &outcome{Retry, EmptyCompletion, Failing, AfterRetries, 0}
	badToolCall   = &outcome{Retry, MalformedToolCall, Ignore, AfterRetries, 1}
	strangeFinish = &outcome{Retry, ServerError, Ignore, AfterRetries, 1}
	conflicting   = &outcome{Retry, ServerError, Ignore, Never, 2} // a lock that somebody else holds
	gaveUp        = &outcome{Retry, ServerError, Ignore, Never, 0} // 499: somebody between us hung up
)

// What ends at a proxy or on the way.
var (
	edgeFailed   = &outcome{Retry, EdgeError, Failing, AfterRetries, 0}
	edgeTooLate  = &outcome{Retry, EdgeTimeout, Failing, AfterRetries, 1} // may be billed; meets the same deadline
	edgeBroken   = &outcome{Stop, EdgeError, Failing, OtherProvider, 0}   // certificates do not heal in seconds
	edgeBlocked  = &outcome{Stop, EdgeError, Ignore, Never, 0}            // a challenge, not a bad key
	proxyDown    = &outcome{Retry, ProxyUnavailable, Failing, AfterRetries, 0}
	lostOnWay    = &outcome{Retry, Transport, Failing, AfterRetries, 0}
	brokenAnswer = &outcome{Retry, Truncated, Failing, AfterRetries, 0}
	loginPage    = &outcome{Retry, Transport, Failing, AfterRetries, 1} // HTML where an answer should be
)

// What the caller must change.
var (
	badRequest   = &outcome{FixRequest, InvalidRequest, Ignore, Never, 0}
	tooLong      = &outcome{FixRequest, ContextLength, Ignore, Never, 0}
	tooLarge     = &outcome{FixRequest, RequestTooLarge, Ignore, Never, 0}
	overLimit    = &outcome{FixRequest, RequestTooLarge, Ignore, OtherModel, 0} // larger than this model's whole limit
	noSuchModel  = &outcome{FixRequest, ModelNotFound, Ignore, OtherModel, 0}
	againstRules = &outcome{FixRequest, ContentPolicy, Ignore, Never, 0}
)

// What only people can change: credentials, money, plans, places.
var (
	badKey       = &outcome{Stop, Auth, Ignore, Never, 0}
	forbidden    = &outcome{Stop, Permission, Ignore, Never, 0}
	wrongPlace   = &outcome{Stop, Region, Ignore, Never, 0}
	quotaSpent   = &outcome{Stop, Quota, Ignore, Never, 0}
	daySpent     = &outcome{Stop, DailyQuota, Ignore, OtherModel, 0} // each model has its own day
	unpaid       = &outcome{Stop, Billing, Ignore, Never, 0}
	capReached   = &outcome{Stop, SpendCap, Ignore, Never, 0}
	notOnPlan    = &outcome{Stop, ModelNotOnPlan, Ignore, OtherModel, 0}
	planLacksIt  = &outcome{Stop, PlanGate, Ignore, Never, 0}
	windowSpent  = &outcome{Stop, PlanWindow, Ignore, Never, 0}
	unsupported  = &outcome{Stop, InvalidRequest, Ignore, Never, 0}
	failedClosed = &outcome{Stop, FailClosed, Ignore, Never, 0}
	unexplained  = &outcome{Stop, Unknown, Ignore, Never, 0}
)

// A row is one line of a provider's table. It applies when all the cells that are filled in do.
//
//   - status: the HTTP status, or the one that a name inside a stream stands for; 0 is any.
//   - name: one of these stands in the answer as a code, type, status or detail reason;
//     alternatives are separated by "|". Case does not count, "_", "-" and " " are alike, and "*" at
//     the end stands for whatever follows.
//   - says: the message contains one of these, in lower case; alternatives are separated by "|",
//     and "*" stands for anything between two pieces.
type row struct {
	status int
	name   string
	says   string
	then   *outcome
}

// find returns the outcome of the first row that applies.
func (x *evidence) find(table []row) (outcome, bool) {
	for _, r := range table {
		if (r.status == 0 || r.status == x.status) &&
			(r.name == "" || x.named(r.name)) &&
			(r.says == "" || says(x.words, r.says)) {
			return *r.then, true
		}
	}
	return outcome{}, false
}

// named reports whether one of the alternatives stands among the names of the answer.
func (x *evidence) named(alternatives string) bool {
	for more := true; more; {
		var name string
		name, alternatives, more = strings.Cut(alternatives, "|")
		for _, n := range x.names {
			if sameName(n, name) {
				return true
			}
		}
	}
	return false
}

// sameName compares codes as the providers vary them: "Invalid_Argument", "invalid-argument" and
// "invalid argument" are one.
func sameName(a, b string) bool {
	if start, ok := strings.CutSuffix(b, "*"); ok {
		b = start
		a = a[:min(len(a), len(b))]
	}
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if foldName(a[i]) != foldName(b[i]) {
			return false
		}
	}
	return true
}

func foldName(c byte) byte {
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	case c == '_' || c == ' ':
		return '-'
	}
	return c
}

// says reports whether words contain one of the alternatives of pattern; see row.
func says(words, pattern string) bool {
	for more := true; more; {
		var alternative string
		alternative, pattern, more = strings.Cut(pattern, "|")
		if inOrder(words, alternative) {
			return true
		}
	}
	return false
}

func inOrder(words, pieces string) bool {
	for more := true; more; {
		var piece string
		piece, pieces, more = strings.Cut(pieces, "*")
		at := strings.Index(words, piece)
		if at < 0 {
			return false
		}
		words = words[at+len(piece):]
	}
	return true
}
