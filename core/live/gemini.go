package live

import (
	"strings"

	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/time"
)

// gemini is the dialect of Gemini's Live API. Sources: providers.md §7.5, the API reference of
// BidiGenerateContent, and field reports.
type gemini struct {
	setup       json.Value // without sessionResumption
	resumption  json.Value // what the caller wants of it, without a handle; never missing
	handle      string     // that the caller began with
	transparent bool
}

func newGemini(setup json.Value) *gemini {
	if setup.Kind() != '{' {
		setup = json.Value("{}")
	}
	given := setup.Get("sessionResumption")
	if given == nil {
		given = setup.Get("session_resumption")
	}
	if given.Kind() != '{' {
		given = json.Value("{}")
	}
	return &gemini{
		setup:       without(setup, "sessionResumption", "session_resumption"),
		resumption:  without(given, "handle"),
		handle:      given.Get("handle").Text(),
		transparent: given.Get("transparent").True(),
	}
}

func (g *gemini) origin() (handle, chain string) { return g.handle, "" }

func (g *gemini) greeting(handle string) []byte {
	resumption := g.resumption
	if handle != "" {
		resumption = resumption.With("handle", json.AppendQuoted(nil, handle))
	}
	var w json.Writer
	return w.Open("", '{').Raw("setup", g.setup.With("sessionResumption", resumption)).Close('}').Out
}

func (g *gemini) read(data json.Value) (m message, problem string) {
	m.data = data
	switch content, live, answer := either(data, "clientContent", "client_content"), either(data, "realtimeInput", "realtime_input"), either(data, "toolResponse", "tool_response"); {
	case data.Get("setup") != nil:
		return m, "the setup is sent by Holdfast; it is the second argument of live()"
	case content != nil:
		m.asks = either(content, "turnComplete", "turn_complete").True()
	case live != nil:
		m.rides = true
	case answer != nil:
		m.tool, m.rides = true, true
		either(answer, "functionResponses", "function_responses").Each(func(_ string, r json.Value) bool {
			if id := r.Get("id").Text(); id != "" {
				m.ids = append(m.ids, id)
			}
			return len(m.ids) < maxCalls
		})
	}
	return m, ""
}

func (g *gemini) frame(data json.Value, _ string) []byte { return data }

// again: only transparent mode says what was consumed. Answers to tool calls are not kept: the
// calls do not survive the connection.
func (g *gemini) again(m *message) bool { return g.transparent && !m.tool }

func (g *gemini) follows(json.Value) bool { return true }

func (g *gemini) hear(v json.Value) (h heard) {
	h.ready = present(v, "setupComplete", "setup_complete")
	if content := either(v, "serverContent", "server_content"); content != nil {
		h.ends = either(content, "turnComplete", "turn_complete").True()
		h.begins = present(content, "modelTurn", "model_turn") // a transcription may also come behind the end
	}
	if call := either(v, "toolCall", "tool_call"); call != nil {
		h.begins = true
		either(call, "functionCalls", "function_calls").Each(func(_ string, c json.Value) bool {
			h.calls = append(h.calls, c.Get("id").Text())
			return len(h.calls) < maxCalls
		})
	}
	if cancelled := either(v, "toolCallCancellation", "tool_call_cancellation"); cancelled != nil {
		cancelled.Get("ids").Each(func(_ string, id json.Value) bool {
			h.cancelled = append(h.cancelled, id.Text())
			return len(h.cancelled) < maxCalls
		})
	}
	if update := either(v, "sessionResumptionUpdate", "session_resumption_update"); update != nil {
		h.handle = either(update, "newHandle", "new_handle").Text()
		h.resumable = update.Get("resumable").True()
		h.frozen = !h.resumable
		h.index, h.indexed = index(either(update, "lastConsumedClientMessageIndex", "last_consumed_client_message_index"))
	}
	if away := either(v, "goAway", "go_away"); away != nil {
		h.goAway = true
		h.timeLeft = span(either(away, "timeLeft", "time_left"))
	}
	h.usage = either(v, "usageMetadata", "usage_metadata")
	if e := v.Get("error"); e.Kind() == '{' { // not documented; proxies send it
		f := fault.Event(fault.Gemini, nil, v)
		h.failed = &f
	}
	return h
}

// maxCalls bounds how many tool calls are remembered.
const maxCalls = 256

// either finds a member under its JSON name or under its protobuf name: both are read as the same.
func either(v json.Value, camel, snake string) json.Value {
	if found := v.Get(camel); found != nil {
		return found
	}
	return v.Get(snake)
}

func present(v json.Value, camel, snake string) bool { return !either(v, camel, snake).Missing() }

// index reads an int64 of protobuf's JSON, which may be a string. Zero is left out there, so that
// a missing one says nothing.
func index(v json.Value) (int64, bool) {
	if v.Kind() == '"' {
		n, ok := decimal.Int(v.Text())
		return n, ok && n >= 0
	}
	n, ok := v.Int()
	return n, ok && n >= 0
}

// span reads a protobuf duration: "10s", "9.5s", {"seconds":"10"}, 10. What cannot be read is 0:
// there is no time to lose.
func span(v json.Value) time.Duration {
	if v.Kind() == '{' {
		v = v.Get("seconds")
	}
	text := string(v)
	if v.Kind() == '"' {
		text = strings.TrimSuffix(v.Text(), "s")
	}
	seconds, ok := decimal.Float(text)
	if !ok || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, 24*3600) * float64(time.Second))
}
