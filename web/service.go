//go:build js

package main

import (
	"errors"
	"strconv"
	"strings"
	"syscall/js"

	"holdfast/tests/sim"
)

// service is who answers: a simulated provider on the page's server, the real provider or a gateway
// behind that server, or, where the page is plain files, a simulated provider in the page itself.
type service struct {
	mode      string // simulator, proxy, gateway or static
	provider  string
	model     string
	path      string
	scenarios []scenario
	client    Client
	store     *Store               // where a gateway answers: what is under way outlives a reload
	plug      func(session string) // cuts every live connection of a session

	// The page's address may ask for a failure, by name or as a script (package tests/sim says
	// what a script is), and for another pace: ?sim=cut_twice&pace=5.
	asked string
	pace  string
}

// scenario is a failure that the simulated provider can be asked for.
type scenario struct{ name, title, description string }

const (
	simulator = "simulator"
	proxy     = "proxy"
	gateway   = "gateway" // it keeps the answers
	static    = "static"
)

// usualPace is the time between two words of the simulated provider, in milliseconds.
const usualPace = "35"

// connect finds out who answers, and loads the module's program. It blocks.
func connect(module Module, openStore func() (Store, error)) (*service, error) {
	s := &service{mode: static, provider: "gloo", model: "gloo-sim", path: "/ai/v2/guarded/chat/completions"}
	if config, err := readConfig(); err == nil {
		s.read(config)
	}
	query := js.Global().Get("URL").New(window.Location().Href()).Get("searchParams")
	s.asked, s.pace = parameter(query, "sim", ""), parameter(query, "pace", usualPace)
	options := map[string]any{"provider": s.provider, "baseURL": "/api"}
	if s.mode == static {
		for _, known := range sim.Scenarios {
			s.scenarios = append(s.scenarios, scenario{known.Name, known.Title, known.Description})
		}
		played := &playedProvider{}
		options["fetch"], s.plug = played.fetch(), played.cut
	} else {
		s.plug = resetConnections
	}
	switch s.mode {
	case proxy:
	case gateway:
		options["baseURL"] = "/"
		if store, err := openStore(); err == nil { // else a reload forgets
			s.store = &store
		}
	default:
		// A simulated silence is noticed while one watches; real models may think for minutes.
		options["policy"] = map[string]any{"idleMs": 6000, "firstDeltaMs": 20000}
		// Who breaks things on purpose must not be told to wait for the next.
		options["breaker"], options["throttle"] = false, false
	}
	client, err := module.CreateClient(options)
	s.client = client
	return s, err
}

func parameter(query js.Value, name, otherwise string) string {
	if value := query.Call("get", name); value.Type() == js.TypeString {
		return value.String()
	}
	return otherwise
}

// resetConnections asks the server to reset a session's connections.
func resetConnections(session string) {
	path := "sim/plug?session=" + js.Global().Call("encodeURIComponent", session).String()
	then(js.Global().Call("fetch", path, map[string]any{"method": "POST"}), func(js.Value) {}, func(error) {})
}

// readConfig asks the page's server who answers. A plain file server has no such file, or one
// that says so.
func readConfig() (js.Value, error) {
	response, err := await(js.Global().Call("fetch", "demo/config.json"))
	if err != nil {
		return js.Value{}, err
	}
	if !response.Get("ok").Bool() {
		return js.Value{}, errors.New("there is no demo/config.json")
	}
	return await(response.Call("json"))
}

func (s *service) read(config js.Value) {
	for name, member := range map[string]*string{
		"mode": &s.mode, "provider": &s.provider, "model": &s.model, "path": &s.path,
	} {
		if value := text(config, name); value != "" {
			*member = value
		}
	}
	each(config.Get("scenarios"), func(v js.Value) {
		s.scenarios = append(s.scenarios, scenario{text(v, "name"), text(v, "title"), text(v, "description")})
	})
}

// headers name the session, for the plug, and ask the simulated provider for a failure. The server
// keeps them from a real one.
func (s *service) headers(scenario, session string) map[string]any {
	if s.mode == proxy || s.mode == gateway {
		return map[string]any{"x-sim-session": session}
	}
	if strings.ContainsAny(scenario, "{[") { // a header holds no text beyond Latin-1
		scenario = js.Global().Call("encodeURIComponent", scenario).String()
	}
	return map[string]any{"x-sim": scenario, "x-sim-session": session, "x-sim-pace": s.pace}
}

// about says in a sentence who answers.
func (s *service) about() string {
	switch s.mode {
	case simulator:
		return "A simulated provider on this server answers. Its cuts are real TCP resets."
	case gateway:
		return "A gateway behind this server answers, and keeps the answer: reload this page in the middle of it."
	case proxy:
		return "The real service (" + s.provider + ", " + s.model + ") answers through this server, which keeps the key."
	}
	return "There is no server here: a simulated provider inside this page answers."
}

// newSession names a session; it has to differ from those of other pages, not to be secret.
func newSession() string {
	bytes := js.Global().Get("Uint32Array").New(2)
	js.Global().Get("crypto").Call("getRandomValues", bytes)
	return "page-" + strconv.FormatUint(uint64(bytes.Index(0).Float()), 36) + strconv.FormatUint(uint64(bytes.Index(1).Float()), 36)
}
