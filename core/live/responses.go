package live

import (
	"strings"

	"holdfast/core/fault"
	"holdfast/core/json"
)

// responses is the dialect of the Responses API's WebSocket mode, at OpenAI and xAI: one
// response.create a turn, the events of a stream as its answer. Sources: providers.md §1.2, §2.2,
// §6.2; OpenAI's guide to WebSocket mode.
type responses struct {
	provider fault.Provider
	setup    json.Value // members for every response.create that does not have them
	chain    string     // the response that the caller began with
}

// transportOnly are members of a request over HTTP that have no place on a socket.
var transportOnly = []string{"stream", "stream_options", "background"}

func newResponses(p fault.Provider, setup json.Value) *responses {
	if setup.Kind() != '{' {
		setup = json.Value("{}")
	}
	return &responses{
		provider: p,
		setup:    without(setup, append([]string{"type", "previous_response_id"}, transportOnly...)...),
		chain:    setup.Get("previous_response_id").Text(),
	}
}

func (r *responses) origin() (handle, chain string) { return "", r.chain }

func (r *responses) greeting(string) []byte { return nil }

func (r *responses) read(data json.Value) (m message, problem string) {
	m.data = data
	switch kind := data.Get("type"); {
	case data.Get("stream_id") != nil || r.setup.Get("stream_id") != nil:
		return m, "stream_id: a session runs one response after the other; open another session beside it"
	case kind == nil || kind.Text() == "response.create":
		m.asks = true
	default: // response.cancel and the like concern the turn under way
		m.rides = true
	}
	return m, ""
}

// frame completes a response.create: its type, what the setup says for all of them, and the
// response to go on from. A previous_response_id of the caller's own counts; null begins anew.
func (r *responses) frame(data json.Value, chain string) []byte {
	if kind := data.Get("type"); kind != nil && kind.Text() != "response.create" {
		return data
	}
	w := json.Writer{Out: make([]byte, 0, len(data)+len(r.setup)+128)}
	w.Open("", '{').Text("type", "response.create")
	skip := append([]string{"type"}, transportOnly...)
	given := data.Get("previous_response_id")
	if given != nil && given.Missing() {
		skip = append(skip, "previous_response_id")
	}
	without(data, skip...).Each(func(key string, item json.Value) bool {
		member(&w, key, item)
		return true
	})
	r.setup.Each(func(key string, item json.Value) bool {
		if data.Get(key) == nil {
			member(&w, key, item)
		}
		return true
	})
	if given == nil && chain != "" {
		w.Text("previous_response_id", chain)
	}
	return w.Close('}').Out
}

func (r *responses) again(m *message) bool { return m.asks }

func (r *responses) follows(data json.Value) bool { return data.Get("previous_response_id") == nil }

func (r *responses) hear(v json.Value) (h heard) {
	kind := v.Get("type").Text()
	if kind == "error" {
		f := fault.Event(r.provider, nil, v)
		h.failed = &f
		h.over = f.Code == "websocket_connection_limit_reached"
		h.forgot = f.Code == "previous_response_not_found"
		return h
	}
	if !strings.HasPrefix(kind, "response.") {
		return h
	}
	h.begins = true
	h.response = v.Get("response", "id").Text()
	h.usage, h.model = v.Get("response", "usage"), v.Get("response", "model").Text()
	switch kind {
	case "response.completed", "response.incomplete":
		h.ends, h.resumable = true, h.response != ""
	case "response.cancelled":
		h.ends = true
	case "response.failed":
		f := fault.Event(r.provider, nil, v)
		h.ends, h.failed = true, &f
		h.forgot = f.Code == "previous_response_not_found"
	}
	return h
}
