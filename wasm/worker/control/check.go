package main

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"holdfast/core/fault"
	"holdfast/core/spend"
)

// configReport says what the configuration is and what is wrong with it. Nothing in it is secret.
type configReport struct {
	OK       bool      `json:"ok"` // the gateway serves with it
	Problems []finding `json:"problems"`
	Advice   []finding `json:"advice"`
	Config   *settings `json:"config,omitempty"`
}

// finding is something about one place in the configuration.
type finding struct {
	Where string `json:"where"`
	What  string `json:"what"`
}

func check(f *facts) *configReport {
	r := &configReport{OK: f.Problem == "", Problems: []finding{}, Advice: []finding{}, Config: f.Config}
	if f.Problem != "" {
		where, what, found := strings.Cut(f.Problem, ": ")
		if !found {
			where, what = "the configuration", f.Problem
		}
		r.problem(where, what)
	}
	if c := f.Config; c != nil {
		r.providers(c)
		r.models(c, f)
		r.callers(c)
	}
	return r
}

func (r *configReport) problem(where, what string) {
	if !slices.ContainsFunc(r.Problems, func(p finding) bool { return p.Where == where }) {
		r.Problems = append(r.Problems, finding{where, what})
	}
}

func (r *configReport) advise(where, what string) { r.Advice = append(r.Advice, finding{where, what}) }

func (r *configReport) providers(c *settings) {
	for _, name := range sorted(c.Providers) {
		p, where := c.Providers[name], "providers."+name
		if !p.Set {
			r.problem(where, "the secret "+p.Secret+" is not set")
		}
		if u, err := url.Parse(p.BaseURL); p.BaseURL != "" && err == nil && u.Scheme == "http" && !isLocal(u.Hostname()) {
			r.advise(where, "its key travels unencrypted: baseURL begins with http://")
		}
		for _, fallback := range p.Fallbacks {
			if _, ok := c.Models[fallback]; !ok {
				r.problem(where, "fallbacks: there is no model "+strconv.Quote(fallback))
			}
		}
	}
}

func isLocal(host string) bool {
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

func (r *configReport) models(c *settings, f *facts) {
	prices := spend.Default()
	for _, name := range sorted(c.Models) {
		chain, where := c.Models[name], "models."+name
		providers := map[string]bool{}
		for i, m := range chain {
			providers[m.Provider] = true
			if _, ok := c.Providers[m.Provider]; !ok {
				r.problem(where, strconv.Quote(m.Provider)+" is not among the providers")
			} else if rates, known := prices.Rates(fault.Provider(m.Provider), m.Model, f.now(), 0); !known {
				r.advise(where+"["+strconv.Itoa(i)+"]", "nobody knows what "+m.Model+" costs: it counts with "+
					perMillion(rates.Input)+" USD for a million tokens of input and "+perMillion(rates.Output)+" of output")
			}
		}
		switch {
		case len(chain) == 1:
			r.advise(where, "it has one target, and nothing to fall back to")
		case len(chain) > 1 && len(providers) == 1:
			r.advise(where, "all its targets are at one provider, whose models mostly fail together")
		}
	}
}

func perMillion(rate spend.Ticks) string { return (rate * 1_000_000).String() }

func (r *configReport) callers(c *settings) {
	admin := false
	for _, name := range sorted(c.Tokens) {
		t, where := c.Tokens[name], "tokens."+name
		admin = admin || t.Admin
		if t.Limits == nil {
			r.advise(where, "it has no limits: whoever has the token may spend what the keys allow, and nobody counts it")
		}
		r.names(c, where, t.Models)
	}
	if !admin {
		r.advise("tokens", "none is an admin's: nobody can ask the control plane")
	}
	if c.JWT != nil {
		if !c.Signs {
			r.problem("jwt", "the secret HOLDFAST_JWT_SECRET is not set")
		}
		if c.JWT.Limits == nil {
			r.advise("jwt", "it has no limits: a signed token that says none has none")
		}
		r.names(c, "jwt", c.JWT.Models)
	} else if !c.Signs {
		r.advise("the secret HOLDFAST_JWT_SECRET", "it is not set: there are no signed tokens and no links to answers")
	}
	for _, origin := range c.Origins {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host {
			r.problem("origins", strconv.Quote(origin)+" never matches: an origin is a scheme and a host, with a port where it is not the usual one")
		} else if u.Scheme != "https" && !isLocal(u.Hostname()) {
			r.advise("origins", origin+" is not encrypted: whoever is between can put a page there")
		}
	}
}

// names finds models of a token that there are not.
func (r *configReport) names(c *settings, where string, models []string) {
	for _, name := range models {
		provider, _, native := strings.Cut(name, "/")
		_, isModel := c.Models[name]
		_, isProvider := c.Providers[provider]
		if !isModel && !(native && isProvider) {
			r.advise(where, "models: "+strconv.Quote(name)+" is neither a model of the configuration nor one of a provider's")
		}
	}
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
