package main

import (
	"net/url"
	"strconv"
	"strings"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/spend"
	"holdfast/core/time"
)

// report says what is wrong with a configuration, and what could be better.
type report struct{ problems, advice []finding }

// finding is something about one place in the configuration.
type finding struct{ where, what string }

// write writes {ok, problems, advice, config}; ok says that the gateway serves with it.
func (r *report) write(w *json.Writer, f facts) {
	w.Open("", '{').Bool("ok", f.text("problem") == "")
	for _, part := range []struct {
		key      string
		findings []finding
	}{{"problems", r.problems}, {"advice", r.advice}} {
		w.Open(part.key, '[')
		for _, found := range part.findings {
			w.Open("", '{').Text("where", found.where).Text("what", found.what).Close('}')
		}
		w.Close(']')
	}
	w.Raw("config", f.Get("config")).Close('}')
}

// check finds what the gateway refuses, and what it would take and nobody would want.
func check(f facts) *report {
	r := &report{}
	if problem := f.text("problem"); problem != "" {
		where, what, found := strings.Cut(problem, ": ")
		if !found {
			where, what = "the configuration", problem
		}
		r.problem(where, what)
	}
	if c := f.Get("config"); c != nil {
		r.checkProviders(c)
		r.checkModels(c, time.UnixMilli(f.atMs()))
		r.checkCallers(c)
	}
	return r
}

// problem adds one, unless there is another one about the place: it may be the same.
func (r *report) problem(where, what string) {
	for _, p := range r.problems {
		if p.where == where {
			return
		}
	}
	r.problems = append(r.problems, finding{where, what})
}

func (r *report) advise(where, what string) { r.advice = append(r.advice, finding{where, what}) }

func (r *report) checkProviders(c json.Value) {
	c.Get("providers").Each(func(name string, p json.Value) bool {
		where := "providers." + name
		if !p.Get("set").True() {
			r.problem(where, "the secret "+p.Get("secret").Text()+" is not set")
		}
		if u, err := url.Parse(p.Get("baseURL").Text()); err == nil && u.Scheme == "http" && !isLocal(u.Hostname()) {
			r.advise(where, "its key travels unencrypted: baseURL begins with http://")
		}
		p.Get("fallbacks").Each(func(_ string, fallback json.Value) bool {
			if c.Get("models", fallback.Text()) == nil {
				r.problem(where, "fallbacks: there is no model "+strconv.Quote(fallback.Text()))
			}
			return true
		})
		return true
	})
}

func isLocal(host string) bool {
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

func (r *report) checkModels(c json.Value, now time.Time) {
	prices := spend.Default()
	if own, err := spend.Parse(c.Get("prices").Text()); err == nil {
		prices = own
	} // else the gateway does not serve, and says why
	c.Get("models").Each(func(name string, chain json.Value) bool {
		where, n := "models."+name, 0
		providers := map[string]bool{}
		chain.Each(func(_ string, target json.Value) bool {
			provider, model := target.Get("provider").Text(), target.Get("model").Text()
			providers[provider] = true
			if c.Get("providers", provider) == nil {
				r.problem(where, strconv.Quote(provider)+" is not among the providers")
			} else if rates, known := prices.Rates(fault.Provider(provider), model, now, 0); !known {
				r.advise(where+"["+strconv.Itoa(n)+"]", "nobody knows what "+model+" costs: it counts with "+
					perMillion(rates.Input)+" USD for a million tokens of input and "+perMillion(rates.Output)+" of output")
			}
			n++
			return true
		})
		switch {
		case n == 1:
			r.advise(where, "it has one target, and nothing to fall back to")
		case n > 1 && len(providers) == 1:
			r.advise(where, "all its targets are at one provider, whose models mostly fail together")
		}
		return true
	})
}

func perMillion(rate spend.Ticks) string { return (rate * 1_000_000).String() }

func (r *report) checkCallers(c json.Value) {
	admin := false
	c.Get("tokens").Each(func(name string, token json.Value) bool {
		where := "tokens." + name
		admin = admin || token.Get("admin").True()
		if token.Get("limits") == nil {
			r.advise(where, "it has no limits: whoever has the token may spend what the keys allow, and nobody counts it")
		}
		r.checkNames(c, where, token.Get("models"))
		return true
	})
	if !admin {
		r.advise("tokens", "none is an admin's: nobody can ask the control plane")
	}
	signs, jwt := c.Get("signs").True(), c.Get("jwt")
	switch {
	case jwt == nil && !signs:
		r.advise("the secret HOLDFAST_JWT_SECRET", "it is not set: there are no signed tokens and no links to answers")
	case jwt != nil:
		if !signs {
			r.problem("jwt", "the secret HOLDFAST_JWT_SECRET is not set")
		}
		if jwt.Get("limits") == nil {
			r.advise("jwt", "it has no limits: a signed token that says none has none")
		}
		r.checkNames(c, "jwt", jwt.Get("models"))
	}
	c.Get("origins").Each(func(_ string, v json.Value) bool {
		origin := v.Text()
		if u, err := url.Parse(origin); err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host {
			r.problem("origins", strconv.Quote(origin)+" never matches: an origin is a scheme and a host, with a port where it is not the usual one")
		} else if u.Scheme != "https" && !isLocal(u.Hostname()) {
			r.advise("origins", origin+" is not encrypted: whoever is between can put a page there")
		}
		return true
	})
}

// checkNames finds models of a token that there are not.
func (r *report) checkNames(c json.Value, where string, models json.Value) {
	models.Each(func(_ string, v json.Value) bool {
		name := v.Text()
		provider, _, native := strings.Cut(name, "/")
		if c.Get("models", name) == nil && !(native && c.Get("providers", provider) != nil) {
			r.advise(where, "models: "+strconv.Quote(name)+" is neither a model of the configuration nor one of a provider's")
		}
		return true
	})
}
