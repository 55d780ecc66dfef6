package fault

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"holdfast/core/header"
	"holdfast/core/json"
)

// evidence is everything that one failed exchange tells.
type evidence struct {
	provider Provider
	status   int  // HTTP status; for an error inside a 200, the status that it stands for
	inside   bool // the error came inside an answer or stream that had said 200
	header   header.Header
	now      time.Time
	env      envelope
	names    []string // codes, types and reasons, the most exact first
	words    string   // the message in lower case
}

// Classify says what an answer means. It is total: every provider, status and body give a Fault
// with a Decision, a Reason and a Message.
//
// A 2xx whose body is no error is Success, and nothing else of that Fault matters. A 2xx that
// carries an error (OpenAI's status "failed", xAI's {code, error}, a Gemini error in an array) is
// the fault that it stands for; a 2xx with an HTML page is a transport fault; one whose JSON is
// cut off is Truncated. Fault.Status is always r.Status.
//
// The order of evidence: Gloo's error.retryable or another provider's x-should-retry; exact codes,
// types and details, money before rate limits; words of the message; the status. On Gloo nothing
// but a literal true in retryable gives Retry.
//
// r.Body is only read, and kept by nothing in the result.
func Classify(p Provider, r Response) Fault {
	x := evidence{provider: p, status: r.Status, header: r.Header, now: r.Now}
	if r.Status/100 == 2 {
		if isPage(r.Body, r.Header.Get("content-type")) {
			x.env = read(r.Body)
			return x.fault(r.Status)
		}
		trouble, cutOff := trouble(r.Body)
		switch {
		case cutOff:
			f := x.conclude(outcome{Retry, Truncated, Failing, AfterRetries, 0})
			f.Status = r.Status
			return f
		case !trouble:
			return Fault{
				Decision: Success, Breaker: Healthy, Fallback: Never, Status: r.Status,
				RequestID: requestID(r.Header, ""), Ray: name(r.Header.Get("cf-ray")),
			}
		}
		x.inside = true
	}
	x.env = read(r.Body)
	return x.fault(r.Status)
}

// Event says what an error inside a stream means, after HTTP 200. raw is the whole event: a chat
// chunk with an error member, a Responses error or response.failed, an Anthropic or Interactions
// error event, a Gemini chunk or array. nil stands for an "event: error" without data. h is the
// header of the answer; it names the request and gives no hints, which were true when the stream
// began. Fault.Status is 0.
//
// A name or number that stands for a status means what that status means; an error that is not
// known is the server's (Retry), on Gloo it fails closed.
func Event(p Provider, h header.Header, raw json.Value) Fault {
	x := evidence{provider: p, inside: true, header: h}
	if raw.Missing() {
		x.env.typ = "unknown_stream_error"
	} else {
		x.env.unpack(raw, 0)
	}
	return x.fault(0)
}

// FinishError says what a finish reason means that reports a failure of the model, such as
// Gemini's MALFORMED_FUNCTION_CALL. Reasons that end an answer (stop, length, filters) are none of
// its business; it takes what it does not know for a failure.
func FinishError(p Provider, reason string) Fault {
	x := evidence{provider: p, inside: true}
	x.env.code = cut(reason, maxName)
	x.collect()
	o, ok := x.find(finishRows)
	if !ok {
		o = strangeFinish
	}
	if p == Gloo {
		o = failedClosed
	}
	f := x.conclude(o)
	f.Developer = "the model ended with " + name(reason)
	return f
}

var finishRows = []row{
	{0, "MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MALFORMED_RESPONSE", "", badToolCall},
	{0, "MISSING_THOUGHT_SIGNATURE", "", badRequest}, // the request lost a thought signature
	{0, "NO_IMAGE|IMAGE_OTHER|OTHER", "", strangeFinish},
	{0, "budget_exceeded", "", capReached}, // Interactions
	{0, "error|failed", "", serverFailed},
}

// trouble reports whether the body of a 2xx is an error after all, or JSON that was cut off.
func trouble(body []byte) (isError, cutOff bool) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 || body[0] != '{' && body[0] != '[' {
		return false, false
	}
	v, err := json.Parse(body)
	if err != nil {
		syntax, ok := err.(*json.SyntaxError)
		return false, ok && syntax.Offset >= len(body)
	}
	if v.Kind() == '[' {
		v = v.At(0)
	}
	var found [5]json.Value
	v.Pick([]string{"error", "status", "type", "object", "success"}, found[:])
	switch failed := found[0]; failed.Kind() {
	case '{':
		return len(failed) > len("{}"), false
	case '[':
		return failed.At(0) != nil, false
	case '"':
		return !blank(failed), false
	}
	return found[1].Text() == "failed" || found[2].Text() == "error" || found[3].Text() == "error" || found[4].False(), false
}

// fault collects the names, asks the tables and concludes.
func (x *evidence) fault(status int) Fault {
	x.collect()
	f := x.conclude(x.decide())
	f.Status = status
	return f
}

// collect gathers the names and words that the tables are asked about.
func (x *evidence) collect() {
	x.words = lower(x.env.message)
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
		x.addName(strconv.FormatInt(x.env.number, 10))
	}
	if x.inside && x.env.shape != page {
		x.status = x.statusInside()
	}
	switch x.provider {
	case Gloo, Anthropic:
	case Gemini:
		namesGemini(x)
	default:
		namesOpenAI(x)
	}
}

// addName adds a name, and what follows its last "/" or ":" as well: xAI writes
// "subscription:free-usage-exhausted", Google "googleapis.com/…".
func (x *evidence) addName(n string) {
	if n == "" || len(x.names) >= 40 {
		return
	}
	x.names = append(x.names, n)
	if at := strings.LastIndexAny(n, "/:"); at >= 0 && at+1 < len(n) {
		x.names = append(x.names, n[at+1:])
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
		o = x.meaning(moneyRows, contextRows, anthropicRows)
	case XAI:
		o = x.meaning(moneyRows, openaiMoney, contextRows, xaiRows, openaiRows)
	case Gemini:
		o = x.meaning(moneyRows, contextRows, geminiRows)
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
	switch lower(x.header.Get("x-should-retry")) {
	case "false":
		if o.decision == Retry {
			o.decision = Stop
		}
	case "true":
		// A server that wants another try of what cannot succeed is not believed: xAI's own client
		// ignores true for this reason.
		switch o.reason {
		case Quota, DailyQuota, Billing, SpendCap, PlanGate, PlanWindow, ModelNotOnPlan,
			Auth, Permission, Region, ContentPolicy, ContextLength, RequestTooLarge:
		default:
			o.decision = Retry
		}
	}
	return o
}

// far is a wait that no call is held open for. gemini-cli draws the line at the same place.
const far = 5 * time.Minute

// conclude writes the Fault that an outcome and the evidence make.
func (x *evidence) conclude(o outcome) Fault {
	e := &x.env
	f := Fault{
		Decision: o.decision, Reason: o.reason, Breaker: o.breaker, Fallback: o.fallback, MaxRetries: o.max,
		Code: name(x.code()), Type: name(e.typ), Name: name(e.symbol), Blame: name(e.blame),
		TraceID:   name(e.traceID),
		RequestID: requestID(x.header, e.requestID),
		Ray:       name(x.header.Get("cf-ray")),
	}
	if f.Type == "" {
		f.Type = name(e.status)
	}
	if f.Ray == "" {
		f.Ray = name(e.ray)
	}
	if x.provider == Gloo {
		f.Number = int(int32(e.number))
		switch {
		case e.retryable.True():
			f.Retryable = "true"
		case e.retryable.False():
			f.Retryable = "false"
		}
	} else if !x.inside {
		if verdict := lower(x.header.Get("x-should-retry")); verdict == "true" || verdict == "false" {
			f.Retryable = verdict
		}
	}

	hint := x.hint()
	switch {
	case f.Decision == Retry:
		f.Hint = hint
		if hint.Wait > far && x.provider != Gloo { // on Gloo the verdict is Gloo's
			f.Decision = Stop
		}
	case f.Reason == PlanWindow || f.Reason == SpendCap || f.Reason == Quota:
		f.Resets = hint
	}

	f.Message = sentence(f.Reason)
	if text := strings.TrimSpace(e.message); x.provider == Gloo && e.shape == structure && text != "" && text[0] != '<' {
		f.Message = mask(cut(text, maxText)) // Gloo's contract says that it is fit to show
	}
	f.Developer = x.developer()
	return f
}

// code returns the most exact code that the provider gave.
func (x *evidence) code() string {
	if len(x.names) > 0 && x.provider == Gloo {
		if code := x.header.Get("x-gloo-error-code"); code != "" {
			return code
		}
	}
	switch e := &x.env; {
	case e.symbol != "":
		return e.symbol
	case len(e.inner) > 0:
		return e.inner[0]
	case e.code != "":
		return e.code
	case e.number != 0:
		return strconv.FormatInt(e.number, 10)
	}
	return ""
}

// developer says in one line, for logs, what came.
func (x *evidence) developer() string {
	text := x.env.advice
	if strings.TrimSpace(text) == "" {
		text = x.env.message
	}
	text = strings.TrimSpace(text)
	switch {
	case x.env.shape == page && text == "":
		text = "an HTML page instead of an answer"
	case x.env.shape == page:
		text = "an HTML page instead of an answer: " + text
	case text == "" && x.env.code+x.env.typ+x.env.status != "":
		text = strings.TrimSpace(x.env.code + " " + x.env.typ + " " + x.env.status)
	case text == "" && x.status != 0:
		text = "HTTP " + strconv.Itoa(x.status) + " without an explanation"
	}
	return mask(cut(text, maxText))
}

// requestID prefers the header: it is there for every answer.
func requestID(h header.Header, body string) string {
	for _, key := range []string{"x-request-id", "request-id", "apim-request-id"} {
		if id := h.Get(key); id != "" {
			return name(id)
		}
	}
	return name(body)
}
