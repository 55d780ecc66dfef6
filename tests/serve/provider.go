package serve

// provider is a real service that the page can talk to through this server.
type provider struct {
	name   string
	base   string // where its API is
	env    string // the environment variable that holds the key
	header string // the request header that carries the key …
	scheme string // … after this word
	prefix string // only paths under it are passed on
	model  string // what the page asks for …
	path   string // … and where
}

// providers can be chosen with -provider.
var providers = []provider{
	{"gloo", "https://platform.ai.gloo.com", "GLOO_API_KEY", "Authorization", "Bearer ",
		"/ai/", "gloo-anthropic-claude-opus-5.5", "/ai/v2/guarded/chat/completions"},
}

// simulated stands for the simulator in what the page is told.
var simulated = provider{name: "gloo", model: "gloo-sim", path: "/ai/v2/guarded/chat/completions"}

func providerNamed(name string) (provider, bool) {
	for _, p := range providers {
		if p.name == name {
			return p, true
		}
	}
	return provider{}, false
}
