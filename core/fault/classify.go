package fault

import (
	"bytes"
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/header"
	"holdfast/core/json"
)

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
		isError, broken := trouble(r.Body, r.Header.Get("content-type"))
		switch {
		case broken:
			o := *brokenAnswer
			if p == Gloo {
				o = *failedClosed
			}
			f := x.conclude(o)
			f.Status, f.Developer = r.Status, "the JSON of the answer is cut off or broken"
			return f
		case !isError:
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
		raw.Get("headers").Each(func(name string, value json.Value) bool { // of its own, on OpenAI's sockets
			x.own = append(x.own, header.Field{Name: name, Value: scalar(value)})
			return len(x.own) < 40
		})
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
	o, ok := x.finish()
	if !ok {
		o = *strangeFinish
	}
	if p == Gloo {
		o = *failedClosed
	}
	f := x.conclude(o)
	f.Developer = "the model ended with " + name(reason)
	return f
}

// FinishFails tells whether a finish reason is known to report a failure.
func FinishFails(reason string) bool {
	var x evidence
	x.addName(reason)
	_, ok := x.finish()
	return ok
}

func (x *evidence) finish() (outcome, bool) {
	if o, ok := x.find(modelRows); ok {
		return o, true
	}
	return x.find(finishRows)
}

// modelRows say what came of a model that wrote no answer. Interactions tells it as an error.
var modelRows = []row{
	{0, "MALFORMED_FUNCTION_CALL|function_call_filter|malformed_tool_call|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MALFORMED_RESPONSE", "", badToolCall},
	{0, "MISSING_THOUGHT_SIGNATURE", "", badRequest}, // the request lost a thought signature
	{0, "NO_IMAGE|IMAGE_OTHER|OTHER", "", strangeFinish},
}

var finishRows = []row{
	{0, "budget_exceeded", "", capReached}, // Interactions
	{0, "cancelled|canceled", "", &outcome{Stop, Cancelled, Ignore, Never, 0}},
	{0, "insufficient_system_resource", "", overloaded},               // DeepSeek
	{0, "error|failed|network_error|abort|aborted", "", serverFailed}, // OpenRouter, GLM, vLLM, SGLang
	{0, "timeout", "", timedOut},
}

// trouble reports whether the body of a 2xx is an error after all, or JSON that did not arrive
// whole.
func trouble(body []byte, contentType string) (isError, broken bool) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte(bom)))
	if len(body) == 0 || body[0] != '{' && body[0] != '[' {
		return false, false
	}
	v, err := json.Parse(body)
	if err != nil {
		syntax, ok := err.(*json.SyntaxError)
		return false, ok && syntax.Offset >= len(body) || strings.HasPrefix(ascii.Lower(contentType), "application/json")
	}
	if v.Kind() == '[' {
		v = v.At(0)
	}
	var found [5]json.Value
	v.Pick([]string{"status", "type", "object", "success", "choices"}, found[:])
	status, typ, object, success := found[0], found[1], found[2], found[3]
	isError = Refuses(v) || Wrong(found[4].At(0).Get("error")) // OpenRouter puts it into the choice
	switch kind := object.Text(); {
	case typ.Text() == "error" || kind == "error" || success.False():
		isError = true
	case status.Text() == "failed": // a failed batch is an answer; a failed response is none
		isError = isError || kind == "response" || kind == "interaction" || kind == ""
	}
	return isError, false
}

// Refuses tells whether an answer says that it is none: in an error, or in MiniMax's way.
func Refuses(v json.Value) bool {
	var found [2]json.Value
	v.Pick([]string{"error", "base_resp"}, found[:])
	code, _ := found[1].Get("status_code").Int()
	return code != 0 || Wrong(found[0])
}

// Wrong tells whether the value of an error member says that something is wrong. Some say in it that
// all is well: null, false, "", {}, {"code":null,"message":null}.
func Wrong(member json.Value) (wrong bool) {
	switch member.Kind() {
	case '{', '[':
		member.Each(func(_ string, item json.Value) bool {
			wrong = !item.Missing()
			return !wrong
		})
		return wrong
	case '"':
		return !blank(member)
	}
	return !member.Missing() && !member.False()
}

// fault collects the names, asks the tables and concludes.
func (x *evidence) fault(status int) Fault {
	x.collect()
	f := x.conclude(x.decide())
	f.Status = status
	return f
}
