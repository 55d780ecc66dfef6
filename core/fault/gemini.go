package fault

import (
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/json"
)

// Gemini: generateContent, Interactions and its OpenAI layer. A 429 says what it is only in its
// details. Sources: ai.google.dev api-errors, gemini-cli's googleQuotaErrors.ts.

var geminiRows = []row{
	// status, status or detail reason, message, outcome
	{429, "zero_quota", "", notOnPlan}, // our own names, see namesGemini
	{0, "", "have a free quota tier", notOnPlan},
	{429, "daily_quota|quota_exceeded", "", daySpent},
	{429, "", "per day|perday|per_day", daySpent},
	{0, "MODEL_CAPACITY_EXHAUSTED", "", overloaded},
	{402, "", "", unpaid}, // prepaid credits are gone
	{0, "RESOURCE_EXHAUSTED", "", rateLimited},

	{0, "API_KEY_INVALID|API_KEY_EXPIRED|CREDENTIALS_MISSING|ACCESS_TOKEN_EXPIRED", "", badKey},
	{0, "", "api key not valid|api key expired|api key not found|api key was reported as leaked|authorization header|authentication credentials", badKey},
	{0, "API_KEY_HTTP_REFERRER_BLOCKED|API_KEY_IP_ADDRESS_BLOCKED|API_KEY_SERVICE_BLOCKED|SERVICE_DISABLED", "", forbidden},
	{0, "FAILED_PRECONDITION", "location|country|region|territory", wrongPlace},
	{0, "FAILED_PRECONDITION", "billing", unpaid},
	{0, "FAILED_PRECONDITION", "", forbidden},
	{400, "", "user location is not supported", wrongPlace},
	{0, "PROHIBITED_CONTENT|SAFETY|RECITATION|LANGUAGE|SPII|BLOCKLIST|content_blocked", "", againstRules},
	{0, "IMAGE_SAFETY|IMAGE_PROHIBITED_CONTENT|IMAGE_RECITATION", "", againstRules},
	{400, "", "blocked*safety|violates*polic|prohibited_content", againstRules},

	{0, "model_not_found", "", noSuchModel},
	{404, "", "models/|model ", noSuchModel},
	{409, "ABORTED", "", conflicting},
	{409, "", "", badRequest}, // ALREADY_EXISTS
	{0, "CANCELLED", "", gaveUp},
	{504, "", "", timedOutOnce}, // stream, or allow more time
	{0, "UNAVAILABLE", "", overloaded},
}

// rpcCodes are the names of google.rpc.Code, from 1 on: a step that failed tells its number alone.
const rpcCodes = "CANCELLED|UNKNOWN|INVALID_ARGUMENT|DEADLINE_EXCEEDED|NOT_FOUND|ALREADY_EXISTS|PERMISSION_DENIED|RESOURCE_EXHAUSTED|" +
	"FAILED_PRECONDITION|ABORTED|OUT_OF_RANGE|UNIMPLEMENTED|INTERNAL|UNAVAILABLE|DATA_LOSS|UNAUTHENTICATED"

// rpcCode is the name of a number, or "".
func rpcCode(n int64) (name string) {
	more := rpcCodes
	for ; n > 0 && more != ""; n-- {
		name, more, _ = strings.Cut(more, "|")
	}
	if n > 0 {
		return ""
	}
	return name
}

// namesGemini turns google.rpc details into names that the rows can ask for. zero_quota: the
// plan gives this model nothing at all. daily_quota: the day is spent, whatever RetryInfo says.
// minute_quota: a minute brings it back, where nothing says how much of it is left.
func namesGemini(x *evidence) {
	x.addMinute(x.words)
	if limitZero(x.words) {
		x.addName("zero_quota")
	}
	n := 0
	x.env.details.Each(func(_ string, detail json.Value) bool {
		switch kind := detailKind(detail); {
		case strings.HasSuffix(kind, "ErrorInfo"):
			x.env.addInner(detail.Get("reason"))
			x.addName(head(detail.Get("reason"), maxName))
			x.addQuota(detail.Get("metadata", "quota_limit"), detail.Get("metadata", "quota_limit_value"))
			x.addQuota(detail.Get("metadata", "quota_unit"), nil)
		case strings.HasSuffix(kind, "QuotaFailure"):
			m := 0
			detail.Get("violations").Each(func(_ string, v json.Value) bool {
				x.addQuota(v.Get("quotaId"), v.Get("quotaValue"))
				x.addQuota(v.Get("description"), nil)
				m++
				return m < 32
			})
		}
		n++
		return n < 32
	})
}

// addQuota names what kind of quota was hit: id is its name, its unit ("1/d/{project}") or its
// description, limit its size.
func (x *evidence) addQuota(id, limit json.Value) {
	words := ascii.Lower(head(id, 4*maxName))
	if says(words, "perday|per_day|per day|daily|1/d/") {
		x.addName("daily_quota")
	}
	x.addMinute(words)
	if scalar(limit) == "0" {
		x.addName("zero_quota")
	}
}

func (x *evidence) addMinute(words string) {
	if says(words, "perminute|per_minute|per minute|1/min/") {
		x.addName("minute_quota")
	}
}

// detailKind reads "@type". gemini-cli met keys with stray spaces around them.
func detailKind(detail json.Value) (kind string) {
	detail.Each(func(key string, v json.Value) bool {
		if strings.TrimSpace(key) == "@type" {
			kind = head(v, 4*maxName)
		}
		return kind == ""
	})
	return kind
}

// limitZero finds "limit: 0" as a whole number: not in "limit: 0.5", "limit: 05" or "limit: 20".
func limitZero(words string) bool {
	for {
		_, rest, ok := strings.Cut(words, "limit:")
		if !ok {
			return false
		}
		words = rest
		rest = strings.TrimLeft(rest, " \t\n")
		if rest == "" || rest[0] != '0' {
			continue
		}
		rest = strings.TrimPrefix(rest[1:], ".")
		if rest == "" || rest[0] < '0' || rest[0] > '9' {
			return true
		}
	}
}
