package fault

import (
	"bytes"
	"strings"

	"holdfast/core/decimal"
	"holdfast/core/json"
)

// A shape is what kind of body came.
type shape byte

const (
	nothing   shape = iota // no body, or one that says nothing
	structure              // JSON
	page                   // HTML, from a proxy or a login page
	edgeText               // "error code: 1015", Cloudflare's plain form
	plain                  // any other text
)

// An envelope is an error body of any provider or proxy, unpacked. Every field may be empty: no
// sender can be trusted to send it, or to send it in the type that its documentation names.
type envelope struct {
	shape shape

	code    string   // error.code where it is a word
	typ     string   // error.type
	status  string   // Google's error.status
	symbol  string   // Gloo's error.name
	inner   []string // more exact words found deeper: details' reasons, innererror.code
	number  int64    // a numeric code; for HTML, the edge's error number
	http    int64    // a status that the body names itself
	message string   // at most maxSearch bytes
	advice  string   // Gloo's developer_message

	source    json.Value // the object in which the fields stood
	details   json.Value // Google's error.details
	retryable json.Value // Gloo's verdict; only from the outermost object
	requestID string
	traceID   string
	blame     string
	ray       string
}

// bom is the mark that some proxies put before UTF-8.
const bom = "\xEF\xBB\xBF"

// read unpacks a body. It looks at all bytes only where they are JSON, and copies none but the
// texts that it keeps.
func read(body []byte) (e envelope) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte(bom)))
	if len(body) == 0 || string(body) == "null" {
		return e
	}
	switch c := body[0]; {
	case c == '{' || c == '[' || c == '"':
		v, err := json.Parse(body)
		if err != nil {
			v, err = json.Parse(withoutStrayCommas(body))
		}
		if err == nil {
			e.unpack(v, 0)
			return e
		}
		if len(body) > maxSearch {
			body = body[:maxSearch]
		}
	case c == '<':
		e.readPage(body)
		return e
	}
	if len(body) > maxNested {
		body = body[:maxNested]
	}
	text := string(body)
	if v, ok := firstData(text); ok {
		e.unpack(v, 0)
		return e
	}
	e.shape = plain
	e.message = text[:min(len(text), maxSearch)]
	if n, ok := edgeNumber(text); ok {
		e.shape, e.number = edgeText, n
	} else if v, ok := jsonWithin(text); ok {
		e.unpack(v, 1)
	}
	return e
}

// The members that can matter of an answer, in one list so that one pass finds them all.
const (
	outError = iota
	outDetail
	outErrors
	outMessage
	outMsg
	outDescription
	outCode
	outType
	outStatus
	outStatusCode
	outStatusCode2
	outObject
	outSuccess
	outRequestID
	outRequestID2
	outResponse
	outInteraction
	outChoices
	outCloudflare
	outBase
	outCount
)

var outKeys = []string{
	"error", "detail", "errors", "message", "msg", "error_description", "code", "type", "status",
	"statusCode", "status_code", "object", "success", "request_id", "requestId", "response",
	"interaction", "choices", "cloudflare_error",
	"base_resp",
}

// The members that can matter of the object that describes the error itself.
const (
	inMessage = iota
	inMsg
	inDescription
	inDetail
	inCode
	inGlooCode
	inErrorCode
	inReason
	inType
	inStatus
	inName
	inDetails
	inError
	inInnerError
	inMetadata
	inTraceID
	inFault
	inAdvice
	inRequestID
	inStatusMsg
	inCount
)

var inKeys = []string{
	"message", "msg", "description", "detail", "code", "gloo_code", "error_code", "reason", "type",
	"status", "name", "details", "error", "innererror", "metadata", "trace_id", "fault",
	"developer_message", "request_id", "status_msg",
}

// unpack reads one JSON value. depth counts the layers opened so far: some senders wrap an error
// as text inside another one, and five layers are enough for all that was ever seen.
func (e *envelope) unpack(v json.Value, depth int) {
	if depth > 5 {
		return
	}
	e.shape = structure
	switch v.Kind() {
	case '"':
		e.unpackText(v, depth)
	case '[':
		e.unpack(v.At(0), depth+1)
	case '{':
		e.unpackObject(v, depth)
	}
}

// unpackText takes a string for the message, or for another layer when there is an error in it.
func (e *envelope) unpackText(v json.Value, depth int) {
	before := e.message
	if inner, ok := nested(v); ok && depth < 5 {
		e.unpack(inner, depth+1)
	}
	if e.message == before && !blank(v) {
		e.message = head(v, maxSearch)
	}
}

// unpackObject finds where in an answer the error stands, and reads it.
func (e *envelope) unpackObject(v json.Value, depth int) {
	var o [outCount]json.Value
	v.Pick(outKeys, o[:])

	failed, status, errors := o[outError], o[outStatus], o[outErrors]
	for _, whole := range []json.Value{o[outResponse], o[outInteraction]} { // response.failed carries it all
		if failed.Missing() && whole.Kind() == '{' {
			failed, errors, status = whole.Get("error"), whole.Get("errors"), whole.Get("status")
		}
	}
	if failed.Missing() {
		failed = o[outChoices].At(0).Get("error") // OpenRouter puts it into the choice
	}
	if base := o[outBase]; failed.Missing() && base != nil { // MiniMax, whose numbers others use as well
		failed, e.typ = base, "minimax_"+scalar(base.Get("status_code"))
	}
	if failed.Kind() == '[' { // Cloudflare's AI gateway
		failed = failed.At(0)
	}

	set(&e.requestID, o[outRequestID])
	set(&e.requestID, o[outRequestID2])
	setNumber(&e.http, status)
	setNumber(&e.http, o[outStatusCode])
	setNumber(&e.http, o[outStatusCode2])
	flat := o[outType].Text() == "error" || o[outObject].Text() == "error" || status.Text() == "failed" || o[outSuccess].False() ||
		!o[outMessage].Missing() || !o[outMsg].Missing() || !o[outCode].Missing()

	detail := o[outDetail]
	switch {
	case o[outCloudflare].True():
		e.readProblem(v)
	case failed.Kind() == '{':
		e.verdict(failed, depth)
		e.unpackError(failed, depth)
		e.setCode(o[outCode])
		e.setType(o[outType])
	case !blank(failed):
		e.unpackErrorText(failed, &o, v, depth)
	case detail.Kind() == '{':
		e.verdict(detail, depth)
		e.unpackError(detail, depth)
	case detail.Kind() == '[' || !blank(detail):
		e.unpackDetail(detail, v, depth)
		e.setCode(o[outCode])
	case errors.At(0).Kind() == '{':
		e.unpackError(errors.At(0), depth)
		e.setCode(o[outCode])
	case !blank(errors.At(0)):
		e.source, e.message = v, head(errors.At(0), maxSearch)
		e.setCode(o[outCode])
	case flat:
		// Flat: {"type":"error","code":…,"message":…} in a stream, {"statusCode":429,"message":…}.
		if o[outType].Text() == "error" {
			e.verdict(v, depth)
		}
		e.unpackError(v, depth)
	}
}

// verdict keeps Gloo's literal verdict. It counts only where Gloo puts it: in the outermost
// error, not in text that happens to contain another one.
func (e *envelope) verdict(source json.Value, depth int) {
	if depth == 0 {
		e.retryable = source.Get("retryable")
	}
}

// unpackErrorText reads {"error":"text"}. The text is the message, unless there is one beside it:
// then the text is the code (Gloo's Data Engine, OAuth).
func (e *envelope) unpackErrorText(failed json.Value, o *[outCount]json.Value, v json.Value, depth int) {
	e.source = v
	e.unpackText(failed, depth)
	e.setCode(o[outCode])
	e.setType(o[outType])
	for _, m := range []json.Value{o[outMessage], o[outDescription]} {
		if !blank(m) {
			e.message = head(m, maxSearch)
			set(&e.code, failed)
			return
		}
	}
}

// unpackDetail reads FastAPI's two other forms: a text, or a list of what is wrong with each field.
func (e *envelope) unpackDetail(detail, v json.Value, depth int) {
	e.source = v
	if detail.Kind() == '[' {
		e.message = validation(detail)
		e.typ = "validation_error"
		return
	}
	e.unpackText(detail, depth)
}

// unpackError reads the object that describes the error itself.
func (e *envelope) unpackError(v json.Value, depth int) {
	var o [inCount]json.Value
	v.Pick(inKeys, o[:])
	message := o[inMessage]
	for _, other := range []json.Value{o[inMsg], o[inDescription], o[inStatusMsg]} {
		if message.Missing() {
			message = other
		}
	}
	if o[inError].Kind() == '{' && message.Missing() { // {"error":{"error":{…}}}
		e.unpack(v, depth+1)
		return
	}

	e.source = v
	e.setCode(o[inGlooCode]) // a number beside the word in code
	e.setCode(o[inCode])
	e.setType(o[inType])
	if e.status != "" { // a wrapper's own: "Bad Request"
		e.addInner(o[inStatus])
	} else if o[inStatus].Text() != "failed" {
		set(&e.status, o[inStatus])
	}
	setNumber(&e.http, o[inStatus])
	set(&e.symbol, o[inName])
	set(&e.traceID, o[inTraceID])
	set(&e.blame, o[inFault])
	set(&e.requestID, o[inRequestID])
	if e.advice == "" {
		e.advice = head(o[inAdvice], maxSearch)
	}
	e.addInner(o[inInnerError].Get("code"))    // Azure
	e.addInner(o[inDetails].Get("error_code")) // Anthropic
	e.addInner(o[inErrorCode])
	e.addInner(o[inReason])
	if o[inDetails].Kind() == '[' {
		e.details = o[inDetails]
	}

	switch message.Kind() {
	case '"':
		e.unpackText(message, depth)
	case '{', '[':
		e.message = string(message[:min(len(message), maxSearch)])
		if inner := message.Get("message"); !blank(inner) {
			e.message = head(inner, maxSearch)
		}
	default:
		switch detail := o[inDetail]; detail.Kind() {
		case '[':
			e.message = validation(detail)
		case '"':
			e.message = head(detail, maxSearch)
		}
	}
	if raw := o[inMetadata].Get("raw"); !blank(raw) { // OpenRouter: what the model's host had said
		message := cut(e.message, maxText)
		e.unpackText(raw, depth)
		e.message = message + ": " + e.message
	}
}

// setCode keeps a code as a word or as a number, whichever it is; the first one counts.
func (e *envelope) setCode(v json.Value) {
	set(&e.code, v)
	setNumber(&e.number, v)
}

// setType keeps error.type; the type of the event around it is no news.
func (e *envelope) setType(v json.Value) {
	if text := head(v, maxName); text != "error" && !strings.HasPrefix(text, "response.") {
		set(&e.typ, v)
	}
}

// setNumber keeps the first number that was found for a field, also one written as a string.
func setNumber(field *int64, v json.Value) {
	if *field != 0 {
		return
	}
	if n, ok := v.Int(); ok {
		*field = n
	} else if n, ok := decimal.Int(head(v, maxName)); ok && int64(int32(n)) == n {
		*field = n
	}
}

// addInner keeps a more exact word that was found deeper.
func (e *envelope) addInner(v json.Value) {
	if text := head(v, 2*maxName); text != "" && len(e.inner) < 16 {
		e.inner = append(e.inner, cut(text, maxName))
	}
}

// blank reports that v is not a string with something to read in it.
func blank(v json.Value) bool {
	return v.Kind() != '"' || strings.TrimSpace(head(v, maxSearch)) == ""
}

// set keeps the first text that was found for a field.
func set(field *string, v json.Value) {
	if *field == "" {
		*field = cut(strings.TrimSpace(head(v, 4*maxName)), maxName)
	}
}

// validation joins what FastAPI says about each field: "messages: Field required; model: …". What
// the user had sent stands in "input": it is left out, as it may be anybody's data.
func validation(list json.Value) string {
	var out []byte
	list.Each(func(_ string, item json.Value) bool {
		text := head(item, maxSearch)
		if item.Kind() == '{' {
			text = head(item.Get("msg"), maxSearch)
			if where := location(item.Get("loc")); where != "" {
				text = where + ": " + text
			}
		}
		if text != "" && len(out) > 0 {
			out = append(out, "; "...)
		}
		out = append(out, text...)
		return len(out) < maxSearch
	})
	return string(out)
}

// location writes the path ["body", "messages", 0, "content"] as messages.0.content.
func location(path json.Value) string {
	var out []byte
	path.Each(func(_ string, step json.Value) bool {
		text := scalar(step)
		if text == "body" && len(out) == 0 {
			return true
		}
		if len(out) > 0 {
			out = append(out, '.')
		}
		out = append(out, text...)
		return len(out) < maxText
	})
	return string(out)
}
