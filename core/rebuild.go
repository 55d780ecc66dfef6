//go:build !lean

package core

import (
	"strings"

	"holdfast/core/json"
	"holdfast/core/translate"
	"holdfast/core/wire"
)

// rebuild makes a request that speaks the call's API one for the nth target of the chain. dropped
// lists what that cannot be told.
func (s *Spec) rebuild(n int, r *wire.Request) (dropped []string, err error) {
	t := s.target(n)
	if !translate.Knows(t.API) && t.API == s.API { // nothing to rebuild but the model
		if t.Model != "" {
			r.Body = r.Body.With("model", json.AppendQuoted(nil, t.Model))
			r.URL = t.Base + wire.Fill(t.Path, t.Model)
		}
		return nil, nil
	}
	asked := wire.Request{URL: s.Path, Body: r.Body}
	if s.Stream { // some must be told to report the usage of a stream
		asked = wire.Streamed(s.API, asked)
	}
	from := translate.Source{API: s.API, Provider: s.Provider, Path: asked.URL}
	to := translate.Target{API: t.API, Provider: t.Provider, Model: t.Model, Path: t.Path, MaxTokens: t.MaxTokens}
	rebuild := translate.Request
	if n == s.First && t.API == s.API { // whom the caller means when he names the chain
		rebuild = translate.Chosen
	}
	rebuilt, err := rebuild(from, asked.Body, to)
	if err != nil {
		return nil, err
	}
	r.URL, r.Body = t.Base+rebuilt.Path, rebuilt.Body
	if strings.HasPrefix(rebuilt.Path, "http") { // a path that is whole
		r.URL = rebuilt.Path
	}
	return rebuilt.Dropped, nil
}

func returned(body json.Value) json.Value { return translate.Returned(body) }

// inForm gives a document in the form that the caller asked in, whoever it came from.
func (c *Call) inForm(v json.Value) (json.Value, error) {
	from, to := c.attempt.API, c.spec.API
	if from == to || !translate.Knows(from) || !translate.Knows(to) {
		return v, nil
	}
	r, err := translate.Answer(from, to, v, translate.Meta{Created: c.now.Unix()})
	return r.Body, err
}
