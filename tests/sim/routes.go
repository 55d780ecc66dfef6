package sim

import "strings"

// dialect is how a provider speaks of errors, and a little of how it spells its answers.
type dialect string

const (
	guarded      dialect = "guarded"    // Gloo: authentication failures are a detail string
	direct       dialect = "direct"     // Gloo: X-Gloo-Error-Code, developer_message, retry_after
	compatible   dialect = "compatible" // OpenAI's shapes with Gloo's words, as look-alikes do it
	openAI       dialect = "openai"
	anthropic    dialect = "anthropic"
	xAI          dialect = "xai"
	gemini       dialect = "gemini"              // google.rpc.Status
	geminiCompat dialect = "gemini-compat"       // the same inside an array
	interacting  dialect = "gemini-interactions" // a word for a code, no status, no details
)

// ofGloo tells that errors carry Gloo's verdict.
func (d dialect) ofGloo() bool { return d == guarded || d == direct }

// mounts are the prefixes that choose a provider in front of its own paths, and the dialect in
// which it speaks of a path that it does not have.
var mounts = []struct {
	name   string
	speaks dialect
}{
	{"gloo", guarded},
	{"openai", openAI},
	{"anthropic", anthropic},
	{"xai", xAI},
	{"gemini", gemini},
}

// routes say what is where. At "-" a path stands without a prefix, at "xai" behind /xai. A star
// is one argument: a model, or the id of a stored answer. A path may ask for a query.
var routes = []struct {
	at, method, path string
	api              api
	speaks           dialect
}{
	{"- gloo", "POST", "/ai/v2/guarded/chat/completions", chat, guarded},
	{"- gloo", "POST", "/ai/v2/direct/chat/completions", chat, direct},
	{"- gloo", "POST", "/ai/v2/chat/completions", chat, guarded},
	{"- gloo", "POST", "/ai/v2/guarded/responses", responses, guarded},
	{"- gloo", "POST", "/ai/v2/direct/responses", responses, direct},

	{"- gloo", "POST", "/ai/v2/embeddings", embeddings, guarded},
	{"- gloo", "POST", "/ai/v2/guarded/embeddings", embeddings, guarded},
	{"- gloo", "POST", "/ai/v2/direct/embeddings", embeddings, direct},

	{"-", "POST", "/v1/chat/completions", chat, compatible},
	{"openai", "POST", "/v1/chat/completions", chat, openAI},
	{"xai", "POST", "/v1/chat/completions", chat, xAI},
	{"xai", "GET", "/v1/chat/deferred-completion/*", deferred, xAI},

	{"-", "POST", "/v1/embeddings", embeddings, compatible},
	{"openai", "POST", "/v1/embeddings", embeddings, openAI},
	{"xai", "POST", "/v1/embeddings", embeddings, xAI},

	{"-", "POST", "/v1/responses", responses, compatible},
	{"-", "GET", "/v1/responses/*", retrieve("starting_after"), compatible},
	{"-", "POST", "/v1/responses/*/cancel", cancel, compatible},
	{"-", "DELETE", "/v1/responses/*", remove, compatible},
	{"openai", "POST", "/v1/responses", responses, openAI},
	{"openai", "GET", "/v1/responses/*", retrieve("starting_after"), openAI},
	{"openai", "POST", "/v1/responses/*/cancel", cancel, openAI},
	{"openai", "DELETE", "/v1/responses/*", remove, openAI},
	{"xai", "POST", "/v1/responses", responses, xAI},
	{"xai", "GET", "/v1/responses/*", retrieve("starting_after"), xAI},
	{"xai", "DELETE", "/v1/responses/*", remove, xAI},

	{"- anthropic", "POST", "/v1/messages", messages, anthropic},
	{"- anthropic", "POST", "/messages", messages, anthropic},
	{"- anthropic", "POST", "/v1/messages/count_tokens", countMessages, anthropic},
	{"- anthropic", "POST", "/messages/count_tokens", countMessages, anthropic},

	{"anthropic", "POST", "/v1/chat/completions", chat, openAI},
	{"xai", "POST", "/v1/messages", messages, xAI},

	{"- gemini", "POST", "/v1beta/models/*:generateContent", generate, gemini},
	{"- gemini", "POST", "/v1beta/models/*:streamGenerateContent?alt=sse", streamGenerate, gemini},
	{"- gemini", "POST", "/v1beta/models/*:streamGenerateContent", streamArray, gemini},
	{"- gemini", "POST", "/v1beta/models/*:embedContent", embedContent, gemini},
	{"- gemini", "POST", "/v1beta/models/*:batchEmbedContents", batchEmbed, gemini},
	{"- gemini", "POST", "/v1beta/models/*:countTokens", countTokens, gemini},
	{"- gemini", "POST", "/v1beta/openai/chat/completions", chat, geminiCompat},
	{"- gemini", "POST", "/v1beta/openai/embeddings", embeddings, geminiCompat},

	{"- gemini", "POST", "/v1beta/interactions", interactions, interacting},
	{"- gemini", "GET", "/v1beta/interactions/*", retrieve("last_event_id"), interacting},
	{"- gemini", "POST", "/v1beta/interactions/*/cancel", cancel, interacting},
	{"- gemini", "DELETE", "/v1beta/interactions/*", remove, interacting},
}

// find returns the row of routes for a request, its argument, and the dialect that the place
// speaks in any case. Without a row, others tells that the path takes other methods.
func find(r Request) (row int, argument string, speaks dialect, others bool) {
	at, path, speaks := "-", r.Path, guarded
	for _, mount := range mounts {
		if rest, ok := strings.CutPrefix(r.Path, "/"+mount.name); ok && strings.HasPrefix(rest, "/") {
			at, path, speaks = mount.name, rest, mount.speaks
		}
	}
	for i, route := range routes {
		pattern, asked, _ := strings.Cut(route.path, "?")
		key, value, _ := strings.Cut(asked, "=")
		found, fits := match(pattern, path)
		if !fits || !contains(route.at, at) || query(r.Query, key) != value {
			continue
		}
		if route.method == r.Method {
			return i, found, route.speaks, false
		}
		speaks, others = route.speaks, true
	}
	return -1, "", speaks, others
}

// match compares a path with a pattern that may hold one star, which takes no slash.
func match(pattern, path string) (argument string, fits bool) {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return "", pattern == path
	}
	rest, ok := strings.CutPrefix(path, before)
	argument, tail := strings.CutSuffix(rest, after)
	return argument, ok && tail && argument != "" && !strings.Contains(argument, "/")
}

// contains tells that a word stands in a list of words.
func contains(list, word string) bool {
	for each := range strings.FieldsSeq(list) {
		if each == word {
			return true
		}
	}
	return false
}

// query is the value of a key in a URL's query; "" when it is missing.
func query(raw, key string) string {
	for pair := range strings.SplitSeq(raw, "&") {
		if name, value, _ := strings.Cut(pair, "="); name == key {
			return unescape(value)
		}
	}
	return ""
}

// unescape undoes percent-encoding. What is not well formed stays.
func unescape(text string) string {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && hexDigit(text[i+1]) >= 0 && hexDigit(text[i+2]) >= 0 {
			out = append(out, byte(hexDigit(text[i+1])<<4|hexDigit(text[i+2])))
			i += 2
			continue
		}
		out = append(out, text[i])
	}
	return string(out)
}

func hexDigit(c byte) int {
	return strings.IndexByte("0123456789abcdef0123456789ABCDEF", c) % 16
}
