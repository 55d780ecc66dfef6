package bind

import (
	"strings"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/shared"
	"holdfast/core/wire"
)

// client is what createClient was given: where calls go first, and the fallbacks behind it.
type client struct {
	target
	policy    json.Value
	fallbacks []target
	page      bool // calls come from a web page
	state     *shared.State
}

// target is one place where requests may go.
type target struct {
	provider  fault.Provider
	api       wire.API // "" where the path tells
	path      string   // of a fallback
	base      string
	header    header.Header
	model     string
	maxTokens int
	policy    json.Value // what differs from the client's
}

// newClient reads a client's options. The bytes are the client's from now on.
func newClient(data []byte) (*client, error) {
	v, err := json.Parse(data)
	if err != nil {
		return nil, badOption("createClient: " + err.Error())
	}
	c := &client{}
	var config shared.Config
	table := append(c.table(), stateOptions(&config)...)
	table = append(table, option{"page", flag(&c.page)}, option{"targets", c.readTargets})
	if err := options(v, "createClient", table); err != nil {
		return nil, err
	}
	c.policy = c.target.policy
	if err := c.complete(v); err != nil {
		return nil, err
	}
	providers := map[fault.Provider]bool{c.provider: true}
	for _, f := range c.fallbacks {
		// Two models of one provider in a chain: one that fails must not shut off the other.
		config.PerModel = config.PerModel || providers[f.provider]
		providers[f.provider] = true
	}
	c.state = shared.New(config)
	return c, nil
}

// table holds the options that every target has.
func (t *target) table() []option {
	return []option{
		{"provider", func(json.Value) error { return nil }}, // read by complete
		{"baseURL", text(&t.base)},
		{"headers", headers(&t.header)},
		{"policy", func(v json.Value) error { t.policy = v; return nil }},
	}
}

// complete fills in what the provider decides, and checks the policy.
func (t *target) complete(v json.Value) (err error) {
	if t.provider, err = readProvider(v); err != nil {
		return err
	}
	t.base = strings.TrimRight(t.base, "/")
	if t.base == "" {
		t.base = wire.Hosts[t.provider].Base
	}
	if t.policy != nil {
		p := core.Defaults(t.provider, false)
		if err := policy(&p, false)(t.policy); err != nil {
			return badOption("policy: " + err.Error())
		}
	}
	return nil
}

// readProvider reads the option that every question needs.
func readProvider(v json.Value) (fault.Provider, error) {
	p := fault.Provider(v.Get("provider").Text())
	if _, ok := wire.Hosts[p]; !ok {
		return p, badOption("provider: must be gloo, openai, anthropic, xai or gemini; a server that is compatible with OpenAI is openai with its baseURL")
	}
	return p, nil
}

// checkPath keeps requests, and the secrets with them, at the host that baseURL names.
func checkPath(path string) error {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t#") {
		return badOption(`path: must begin with one "/"; the host belongs into baseURL`)
	}
	return nil
}

// at returns the target as a call sees it.
func (t *target) at(path string, background bool, policies ...json.Value) core.Target {
	p := core.Defaults(t.provider, background)
	if t.api == wire.Answers {
		p = p.Durable()
	}
	for _, v := range policies {
		if v != nil {
			policy(&p, background)(v) // checked before
		}
	}
	host := wire.Hosts[t.provider]
	return core.Target{
		Provider: t.provider, API: t.api, Base: t.base, Path: path, Auth: host.Sign(path), Header: t.header,
		Model: t.model, MaxTokens: int64(t.maxTokens), Policy: p,
	}
}

// fields joins what a provider wants in a request's header with what the user wants, who wins.
func (c *client) fields(stream bool, p fault.Provider, own ...header.Header) header.Header {
	h := header.Header{{Name: "content-type", Value: "application/json"}}
	if stream {
		h = h.Set("accept", "text/event-stream")
	}
	lists := []header.Header{wire.Hosts[p].Header}
	if c.page {
		lists = append(lists, wire.Hosts[p].Page)
	}
	for _, list := range append(lists, own...) {
		for _, f := range list {
			h = h.Set(f.Name, f.Value)
		}
	}
	return h
}
