package fault

import (
	"strings"

	"holdfast/core/ascii"
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
	message := head(err.Get("message"), maxSearch)
	x := evidence{provider: p, header: headerOf(err.Get("headers")), status: httpStatus(err.Get("status"))}

	body := err.Get("body")
	if inner, ok := nested(body); ok {
		body = inner
	} else if inner, ok := jsonWithin(message); ok && body.Kind() != '{' { // @google/genai
		body = inner
	}
	if body.Kind() == '"' && (blank(body) || x.status == 0 && head(body, maxSearch) == message) {
		body = nil // there is no body, only the error's own words
	}
	if (x.status == 0 || x.status/100 == 2) && body.Missing() { // AI SDK: a stream that broke carries its 200
		return withoutAnswer(err)
	}

	if body.Kind() == '"' {
		x.env = read([]byte(head(body, maxSearch))) // a text, or an HTML page
	} else if !body.Missing() {
		x.env.unpack(asError(body), 0)
	}
	if e := &x.env; x.status == 0 && e.message+e.code+e.typ+e.status+e.symbol == "" && e.number == 0 {
		return withoutAnswer(err) // data of some other kind
	}
	if x.env.message == "" {
		x.env.message = message
	}
	set(&x.env.code, err.Get("code"))
	set(&x.env.typ, err.Get("type"))
	x.inside = x.status == 0 || x.status/100 == 2
	return x.fault(x.status)
}

// withoutAnswer judges an error that carries neither a status nor a body, by itself and by its
// cause.
func withoutAnswer(err json.Value) Fault {
	text := func(key string) string { return head(err.Get(key), maxSearch) }
	words := text("message")
	if cause := text("causeMessage"); cause != "" {
		words += ": " + cause
	}
	f := Network(text("name"), text("code"), words)
	if f.Reason == Transport {
		f = Network(text("causeName"), text("causeCode"), words)
	}
	if f.Reason == Transport && !looksLikeNetwork(err) && !err.Get("aiRetryable").True() {
		return Lost(Unknown, words)
	}
	return f
}

// networkWords are how fetch, its implementations and the SDKs say that no answer came.
const networkWords = "failed to fetch|fetch failed|networkerror|load failed|network error|network request failed|" +
	"network connection|internet connection|connection error|connection closed|cannot connect|could not connect|hostname could not be found|socket|terminated|econnre|premature close|internal error|" +
	"error sending request|unable to connect|connection reset|connection refused|other side closed"

const networkNames = "APIConnectionError|ConnectionError|NetworkError|FetchError|SocketError"

// looksLikeNetwork tells a lost connection from a bug that happens to be a TypeError too.
func looksLikeNetwork(err json.Value) bool {
	x := evidence{names: []string{head(err.Get("name"), maxName), head(err.Get("causeName"), maxName)}}
	words := ascii.Lower(head(err.Get("message"), maxSearch) + " " + head(err.Get("causeMessage"), maxSearch))
	return isErrno(head(err.Get("causeCode"), maxName)) || isErrno(head(err.Get("code"), maxName)) ||
		x.named(networkNames) || says(words, networkWords)
}

// isErrno recognises how runtimes name the failures of sockets: ECONNRESET, UND_ERR_SOCKET,
// ERR_HTTP2_STREAM_ERROR, ConnectionClosed. ERR_INVALID_ARG_TYPE is a bug of the caller's.
func isErrno(code string) bool {
	for _, prefix := range []string{"ERR_HTTP2", "ERR_STREAM", "ERR_SSL", "ERR_TLS", "ERR_NETWORK", "ERR_SOCKET", "UND_ERR_", "Connection"} {
		if strings.HasPrefix(code, prefix) {
			return true
		}
	}
	return len(code) > 3 && code[0] == 'E' && code == ascii.Upper(code) && !strings.HasPrefix(code, "ERR_")
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

// httpStatus reads an HTTP status that may have become a string.
func httpStatus(v json.Value) int {
	var n int64
	if setNumber(&n, v); n < 100 || n > 599 {
		return 0
	}
	return int(n)
}

// headerOf reads [[name, value], …].
func headerOf(list json.Value) (h header.Header) {
	list.Each(func(_ string, pair json.Value) bool {
		h = append(h, header.Field{Name: head(pair.At(0), maxName), Value: head(pair.At(1), 4<<10)})
		return len(h) < 200
	})
	return h
}
