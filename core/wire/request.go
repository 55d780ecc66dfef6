package wire

import (
	"errors"
	"strings"

	"holdfast/core/json"
)

// Request is one HTTP request as a wire format sees it.
type Request struct {
	Method string     // "" stands for POST
	URL    string     // whole, or only its path and query: nothing before the path is looked at
	Body   json.Value // nil when there is none
}

// ErrNoContinuation says that a request has no place for a continuation message.
var ErrNoContinuation = errors.New("the request has no message list to continue")

// Continuation is the default wording of a continuation message; {partial} stands for the text
// so far.
const Continuation = "Your previous answer was cut off while it was being sent. This much of it arrived:\n\n{partial}\n\n" +
	"Go on from exactly that point, as if nothing had happened. Do not repeat any of it and do not start over."

// Streamed returns the request with streaming switched on: in the body, or for generate in the
// path. A path that streams already stays as the caller wrote it, and so does a request for a
// deferred completion, which is fetched later (see Retrieve).
func Streamed(api API, r Request) Request {
	switch {
	case api == Chat && r.Body.Get("deferred").True():
		return r
	case api != Generate:
		r.Body = r.Body.With("stream", json.Value("true"))
		return r
	}
	path, query, asked := strings.Cut(r.URL, "?")
	if path, whole := strings.CutSuffix(path, ":generateContent"); whole {
		r.URL = path + ":streamGenerateContent?alt=sse"
		if asked && query != "" {
			r.URL += "&" + query
		}
	}
	return r
}

// Counted is a body of chat that asks for the usage of its stream, which it otherwise is not told.
func Counted(body json.Value) json.Value {
	options := body.Get("stream_options")
	if options.Kind() != '{' {
		options = json.Value("{}")
	}
	return body.With("stream_options", options.With("include_usage", json.Value("true")))
}

// Fill puts the model's name into the place of {model} in a path. Both "gemini-x" and
// "models/gemini-x" are names; "models/" is never doubled.
func Fill(path, model string) string {
	if strings.Contains(path, "models/{model}") {
		model = strings.TrimPrefix(model, "models/")
	}
	return strings.ReplaceAll(path, "{model}", escape(model, "/"))
}

// Model is the model that a request asks for, in its path or in its body, or "". Where the path names one
// with what it shall do, as Gemini's do, nobody reads the body's.
func Model(r Request) string {
	path, _, _ := strings.Cut(r.URL, "?")
	_, name, _ := strings.Cut(path, "/models/")
	name, _, does := strings.Cut(name, ":")
	if does {
		return name
	}
	for _, member := range []string{"model", "agent"} { // Interactions' agents
		if said := r.Body.Get(member).Text(); said != "" {
			return said
		}
	}
	return name
}

// escape makes s fit to stand in a path or a query. Letters, digits, -._~ and the bytes of also
// stay as they are.
func escape(s, also string) string {
	const hex = "0123456789ABCDEF"
	var out []byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			strings.IndexByte("-._~", c) >= 0, strings.IndexByte(also, c) >= 0:
			out = append(out, c)
		default:
			out = append(out, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(out)
}

// Continue returns the request body with a new user message that carries the partial answer and
// asks to go on from it. The messages before it stay as they are: neither reasoning nor an
// unfinished tool call is replayed, and no assistant message is added, which newer models refuse. Where
// the answer was to be JSON, that is no longer asked for: see AsksJSON.
func Continue(api API, body json.Value, partial, wording string) (json.Value, error) {
	if wording == "" {
		wording = Continuation
	}
	text := json.Value(json.AppendQuoted(nil, strings.ReplaceAll(wording, "{partial}", partial)))
	body = unshaped(api, body)
	switch api {
	case Chat:
		return add(body, "messages", body.Get("messages"), said("content", text))
	case Responses:
		input := body.Get("input")
		switch {
		case input.Kind() == '"':
			input = list(said("content", input))
		case input.Missing(): // a stored prompt or a conversation says it all
			input = json.Value("[]")
		}
		return add(body, "input", input, said("content", text))
	case Messages:
		return continueMessages(body, text)
	case Generate:
		var part json.Writer
		part.Open("", '{').Raw("text", text).Close('}')
		return add(body, "contents", body.Get("contents"), said("parts", list(part.Out)))
	case Interactions:
		return continueInteraction(body, text)
	}
	return nil, ErrNoContinuation
}

// continueMessages makes the text a block of the last message where that is the user's, since some
// servers want the roles to alternate; but never behind a tool's result, which confuses Claude.
func continueMessages(body, text json.Value) (json.Value, error) {
	messages := body.Get("messages")
	before, last := json.Value("[]"), json.Value(nil)
	messages.Each(func(_ string, m json.Value) bool {
		if last != nil {
			before = before.Add(last)
		}
		last = m
		return true
	})
	content := last.Get("content")
	if content.Kind() == '"' {
		content = list(textPart(content))
	}
	toolResult := false
	content.Each(func(_ string, block json.Value) bool {
		toolResult = toolResult || block.Get("type").Text() == "tool_result"
		return true
	})
	if last.Get("role").Text() != "user" || content.Kind() != '[' || toolResult {
		return add(body, "messages", messages, said("content", list(textPart(text))))
	}
	return add(body, "messages", before, last.With("content", content.Add(textPart(text))))
}

// continueInteraction speaks the language of the input: a text, contents, turns or steps. A
// previous_interaction_id stays: it is the last one that succeeded.
func continueInteraction(body, text json.Value) (json.Value, error) {
	input := body.Get("input")
	switch input.Kind() {
	case '"':
		input = list(textPart(input))
	case '{':
		input = list(input)
	}
	message := textPart(text)
	switch head := input.At(0); {
	case head.Get("role") != nil:
		message = said("content", text)
	case isStep(head.Get("type").Text()):
		var step json.Writer
		step.Open("", '{').Text("type", "user_input").Raw("content", list(message)).Close('}')
		message = step.Out
	}
	return add(body, "input", input, message)
}

// isStep tells the steps of an interaction from the contents that one step holds.
func isStep(kind string) bool {
	switch kind {
	case "user_input", "model_output", "thought":
		return true
	}
	return strings.HasSuffix(kind, "_call") || strings.HasSuffix(kind, "_result")
}

// add returns the body with an item behind those of one of its lists.
func add(body json.Value, key string, items, item json.Value) (json.Value, error) {
	if items.Kind() != '[' {
		return nil, ErrNoContinuation
	}
	return body.With(key, items.Add(item)), nil
}

// said is a user's message whose content stands under key.
func said(key string, content json.Value) json.Value {
	var w json.Writer
	return w.Open("", '{').Text("role", "user").Raw(key, content).Close('}').Out
}

// textPart is a part of a message; text is a JSON string.
func textPart(text json.Value) json.Value {
	var w json.Writer
	return w.Open("", '{').Text("type", "text").Raw("text", text).Close('}').Out
}

func list(item json.Value) json.Value { return json.Value("[]").Add(item) }
