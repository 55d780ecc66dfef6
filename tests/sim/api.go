package sim

import (
	"strings"

	"holdfast/core/json"
)

// api is one wire format: how to read its requests and how to say an answer in it.
type api struct {
	// read fills in what the body says; it returns false when a required member is missing. The
	// model is there already where it stands in the path.
	read   func(body json.Value, p *prompt) bool
	whole  func(reply) []byte  // the body of an answer that is not streamed
	stream func(reply) encoder // nil: nothing is streamed

	always      bool               // every answer is streamed
	contentType string             // of a stream; "" is that of events
	alive       string             // what keeps a silent stream alive; "" is a comment
	id          func(reply) string // under which an answer is kept; nil: none is

	// operate answers a request about an answer that is kept; the rest is nil then.
	operate func(p *planner, b Behaviour)
}

// prompt is what the simulator wants to know of a request.
type prompt struct {
	speaks     dialect
	model      string
	stream     bool
	usage      bool   // usage was asked for in the stream
	first      string // the conversation's first user message
	last       string // its last one
	prefill    string // the assistant message at the very end, when there is one
	noPrefill  bool   // the model does not take one
	tokens     int    // a rough count of all texts
	inputs     int    // texts to embed
	floats     bool   // as numbers, not as base64
	background bool   // answered while nobody listens
	unstored   bool   // the answer shall not be kept
	deferred   bool   // … shall only be kept
	wrong      string // what else is wrong with the request
}

// reply is one answer, before it takes the form of a wire format.
type reply struct {
	id         string // without the format's prefix
	uuid       string // the same where a provider uses such names
	model      string
	speaks     dialect
	text       string
	refusal    string
	reasoning  string
	tool       *Tool
	finish     string // as chat names it: stop, length, content_filter, tool_calls
	usage      usage
	sendUsage  bool
	status     string // of one that is not finished: queued, in_progress, cancelled; "" else
	failure    *problem
	background bool
	unstored   bool
	deferred   bool
	noUsage    bool
	blocked    string // the reason why a prompt was
	inputs     int
	floats     bool
}

type usage struct{ input, output, reasoning int }

// created is when every answer was made; the simulator has no clock.
const created = 1767225600 // 2026-01-01

// encoder says a streamed answer event by event. Each method returns whole events.
type encoder interface {
	start() []byte
	delta(kind deltaKind, text string) []byte
	callTool(id string, tool *Tool) []byte
	toolArguments(piece string) []byte
	finish(word string) []byte // ends what is open and sends the terminal
	fail(p problem) []byte     // the error event, which also ends the stream
	after() []byte             // what follows the terminal, without [DONE]
	done() []byte              // [DONE], where the format has it
}

// deltaKind is whose text a delta carries.
type deltaKind int

const (
	noDelta deltaKind = iota
	textDelta
	refusalDelta
	reasoningDelta
)

// event frames one event; name may be empty.
func event(name string, data []byte) []byte {
	var out []byte
	if name != "" {
		out = append(append(append(out, "event: "...), name...), '\n')
	}
	return append(append(append(out, "data: "...), data...), "\n\n"...)
}

// readMessages fills in what a list of messages tells, for the formats that have roles.
func (p *prompt) readMessages(list json.Value) {
	list.Each(func(_ string, message json.Value) bool {
		text := contentText(message.Get("content"))
		p.tokens += len(words(text))
		p.prefill = ""
		switch message.Get("role").Text() {
		case "user":
			if p.first == "" {
				p.first = text
			}
			p.last = text
		case "assistant":
			p.prefill = text
		}
		return true
	})
}

// contentText joins the texts of a message's content: a string, or a list of parts.
func contentText(content json.Value) string {
	if content.Kind() == '"' {
		return content.Text()
	}
	var all strings.Builder
	content.Each(func(_ string, part json.Value) bool {
		all.WriteString(part.Get("text").Text())
		return true
	})
	return all.String()
}

// wholeCall collects a tool call for the formats that send it in one piece.
type wholeCall struct {
	id        string
	tool      *Tool
	arguments string
	sent      bool
}

// add takes a piece of the arguments, and sends the call when they are all there.
func (c *wholeCall) add(piece string, send func(wholeCall) []byte) []byte {
	c.arguments += piece
	if c.sent || len(c.arguments) < len(c.tool.Arguments) {
		return nil
	}
	c.sent = true
	return send(*c)
}
