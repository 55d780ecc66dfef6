package serve

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"holdfast/tests/sim/server"
)

// site is what one run of the server offers.
type site struct {
	project  string // the directory that holds dist
	addr     string // as given with -addr
	provider provider
	key      string
	upstream *url.URL // nil: the simulator answers
	gateway  *url.URL // nil: the page asks the provider
	errors   io.Writer
}

// config is GET /demo/config.json: who answers, as the page needs to know it.
type config struct {
	Mode      string                `json:"mode"` // simulator, proxy or gateway
	Scenarios []server.ScenarioInfo `json:"scenarios"`
	speaker
	// Providers are all that the simulator can play, so that a page may choose; the first is the
	// one that is meant when it does not. Empty before a real one.
	Providers []speaker `json:"providers"`
}

// speaker is one provider, and how to ask it.
type speaker struct {
	Provider string `json:"provider"`
	API      string `json:"api"` // chat, responses, messages, generate
	Model    string `json:"model"`
	Path     string `json:"path"` // below /api, or below /answers of a gateway
}

func (p provider) speaker() speaker {
	return speaker{Provider: p.name, API: string(p.api), Model: p.model, Path: p.path}
}

// speakers are the simulated providers. Each is behind its own name.
func speakers() []speaker {
	list := []speaker{simulated.speaker()}
	for _, p := range providers {
		if p.name != simulated.name {
			s := p.speaker()
			s.Path = "/" + p.name + s.Path
			list = append(list, s)
		}
	}
	return list
}

// handler puts the site together:
//
//	/                  dist/web
//	/holdfast/         dist/holdfast, where dist/web does not have it
//	/demo/config.json  see config
//	/api/…             the provider: simulated, or the real one behind a proxy
//	/answers/…         the gateway, where there is one
//	/sim/plug          resets a session's connections, also those to a real provider
//	/sim/…             the simulator's log and scenarios
func (s site) handler() (http.Handler, error) {
	web, module := filepath.Join(s.project, "dist", "web"), filepath.Join(s.project, "dist", "holdfast")
	for _, dir := range []string{web, module} {
		if _, err := os.Stat(dir); err != nil {
			return nil, err
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/", files{{"/", web}, {"/holdfast/", module}})
	told := config{Mode: "simulator", speaker: s.provider.speaker(), Scenarios: []server.ScenarioInfo{}, Providers: []speaker{}}
	switch {
	case s.gateway != nil:
		kept := newProxy(s.provider, s.key, s.gateway, s.errors)
		mux.Handle("/api/", http.StripPrefix("/api", &server.Server{})) // for the plain page
		mux.Handle("/answers/", kept)
		mux.HandleFunc("/sim/plug", kept.lines.ServePlug)
		mux.Handle("/sim/", http.NotFoundHandler())
		told.Mode, told.Provider = "gateway", "openai" // whose forms it speaks
	case s.upstream != nil:
		real := newProxy(s.provider, s.key, s.upstream, s.errors)
		mux.Handle("/api/", http.StripPrefix("/api", real))
		mux.HandleFunc("/sim/plug", real.lines.ServePlug)
		mux.Handle("/sim/", http.NotFoundHandler())
		told.Mode = "proxy"
	default:
		simulator := &server.Server{}
		mux.Handle("/api/", http.StripPrefix("/api", simulator))
		mux.Handle("/sim/", simulator)
		told.Scenarios, told.Providers = server.Scenarios(), speakers()
	}
	mux.HandleFunc("GET /demo/config.json", func(w http.ResponseWriter, _ *http.Request) {
		server.WriteJSON(w, told)
	})
	return guard(s.addr, mux), nil
}
