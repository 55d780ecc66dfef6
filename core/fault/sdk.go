package fault

import (
	"strings"

	"holdfast/core/header"
	"holdfast/core/json"
)

// SDKError says what an error means that an official SDK or fetch threw, and whether the same
// request may succeed later. err is what JavaScript collected from it without asking for its
// class, since bundles rename those:
//
//	{name, message, status, code, type, causeCode, causeName, causeMessage,
//	 headers: [[name, value], …], body: any JSON, aiRetryable}
//
// Every member may be missing or have any type. body is the error's error, data, parsed
// responseBody, body or message, whichever there is. It may be the whole body, only the object
// inside its error, or a text (OpenAI's SDK against xAI). aiRetryable is the AI SDK's own opinion,
// which looks at the status alone; it counts only where there is nothing else.
//
// With a status it is Classify, without one but with a body it is an Event, and without both it is
// Network, provided that it looks like one: a bug in the caller's code is not retried.
func SDKError(p Provider, err json.Value) (retryable bool, f Fault) {
	f = sdkFault(p, err)
	return f.Decision == Retry, f
}

func sdkFault(p Provider, err json.Value) Fault {
	text := func(key string) string { return head(err.Get(key), maxSearch) }
	message, code := text("message"), text("code")
	network := func() Fault {
		return Network(
			first(text("causeName"), text("name")),
			first(text("causeCode"), code),
			join(message, text("causeMessage")))
	}
	if isAbort(text("name"), text("causeName"), message) {
		return network()
	}

	x := evidence{provider: p, header: headerOf(err.Get("headers"))}
	body := err.Get("body")
	if inner, ok := nested(body); ok {
		body = inner
	}
	if body.Missing() || body.Kind() == '"' && blank(body) {
		if inner, ok := jsonWithin(message); ok { // @google/genai puts the body into the message
			body = inner
		}
	}
	x.status = status(err.Get("status"))
	if x.status == 0 && body.Missing() {
		return withoutAnswer(err, network)
	}

	switch {
	case body.Kind() == '"':
		x.env = read([]byte(head(body, maxSearch))) // a text, or an HTML page
	case !body.Missing():
		x.env.unpack(asError(body), 0)
	}
	if x.env.message == "" {
		x.env.message = message
	}
	set(&x.env.code, err.Get("code"))
	set(&x.env.typ, err.Get("type"))
	if x.status == 0 || x.status/100 == 2 {
		http := x.status
		x.inside = true
		return x.fault(http)
	}
	return x.fault(x.status)
}

// withoutAnswer judges an error that carries neither a status nor a body.
func withoutAnswer(err json.Value, network func() Fault) Fault {
	if f := network(); f.Reason != Transport || looksLikeNetwork(err) {
		return f
	}
	f := Lost(Unknown, head(err.Get("message"), maxSearch))
	if err.Get("aiRetryable").True() {
		f = Lost(Transport, f.Developer)
	}
	return f
}

// networkWords are how fetch, its implementations and the SDKs say that no answer came.
const networkWords = "failed to fetch|fetch failed|networkerror|load failed|network error|network request failed|" +
	"network connection|connection error|connection closed|cannot connect|socket|terminated|econnre|premature close|internal error"

const networkNames = "APIConnectionError|ConnectionError|NetworkError|FetchError|SocketError"

// looksLikeNetwork tells a lost connection from a bug that happens to be a TypeError too.
func looksLikeNetwork(err json.Value) bool {
	x := evidence{names: []string{head(err.Get("name"), maxName), head(err.Get("causeName"), maxName)}}
	words := lower(head(err.Get("message"), maxSearch) + " " + head(err.Get("causeMessage"), maxSearch))
	return !blank(err.Get("causeCode")) || isErrno(head(err.Get("code"), maxName)) || x.named(networkNames) || says(words, networkWords)
}

// isErrno recognises codes as Node and undici give them: ECONNRESET, UND_ERR_SOCKET.
func isErrno(code string) bool {
	return len(code) > 3 && (code[0] == 'E' && code == strings.ToUpper(code) || strings.HasPrefix(code, "UND_ERR_"))
}

func isAbort(name, causeName, message string) bool {
	return name == "AbortError" || causeName == "AbortError" || name == "APIUserAbortError" || message == "Request was aborted."
}

// asError wraps what OpenAI's SDK keeps of a body, the object inside error, so that it is read
// like a whole one.
func asError(body json.Value) json.Value {
	if body.Kind() != '{' {
		return body
	}
	for _, key := range []string{"error", "detail", "response", "errors"} {
		if !body.Get(key).Missing() {
			return body
		}
	}
	out := make([]byte, 0, len(body)+len(`{"error":}`))
	return json.Value(append(append(append(out, `{"error":`...), body...), '}'))
}

// status reads an HTTP status that may have become a string.
func status(v json.Value) int {
	var e envelope
	e.setNumber(v)
	if e.number < 100 || e.number > 599 {
		return 0
	}
	return int(e.number)
}

// headerOf reads [[name, value], …].
func headerOf(list json.Value) (h header.Header) {
	list.Each(func(_ string, pair json.Value) bool {
		h = append(h, header.Field{Name: head(pair.At(0), maxName), Value: head(pair.At(1), 4<<10)})
		return len(h) < 200
	})
	return h
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func join(a, b string) string {
	if a != "" && b != "" {
		return a + ": " + b
	}
	return a + b
}
