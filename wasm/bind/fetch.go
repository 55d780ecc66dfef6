//go:build !lean

package bind

import (
	"bytes"
	"errors"
	"strings"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/splice"
	"holdfast/core/wire"
)

// fetchSpec reads a request that an SDK wants to fetch: {url, id, outer}, and its body. Its URL is where
// the call goes; what signs it stays in JavaScript. A gateway also names the provider whose rules
// apply there, the chain behind it, as places in the client's targets, with metered: true that the
// caller is billed, and with form: true that the URL only tells the form in which the caller asks:
// then the chain is all there is. The bytes are the call's from now on.
func (c *client) fetchSpec(data, body []byte) (core.Spec, error) {
	s := core.Spec{Raw: true, Shared: c.state}
	v, err := json.Parse(data)
	if err != nil {
		return s, badOption(err.Error())
	}
	base, path := split(v.Get("url").Text())
	api := wire.DetectAPI(path)
	own := target{provider: c.providerOf(base, api), api: api, base: base}
	if v.Get("provider") != nil {
		if own.provider, err = readProvider(v); err != nil {
			return s, err
		}
	}
	s.Target, s.ID = own.at(path, false, c.policy), v.Get("id").Text()
	if s.Body, err = json.Parse(body); err != nil || len(body) > s.Policy.MaxBody || !asks(api, s.Body) {
		return s, errNotOurs
	}
	outer, _ := v.Get("outer").Int()
	s.Outer = int(outer)
	s.Stream, s.Metered = s.Body.Get("stream").True(), v.Get("metered").True()
	if api == wire.Generate {
		s.Stream = strings.Contains(path, ":streamGenerateContent")
	}
	if s.Stream && !splice.Knows(api) { // embeddings have no stream
		return s, errNotOurs
	}
	for _, f := range c.chain(v.Get("chain")) {
		t := f.at(f.path, false, c.policy, f.policy)
		t.Header = c.fields(s.Stream, f.provider, f.header)
		s.Fallbacks = append(s.Fallbacks, t)
	}
	if v.Get("form").True() && len(s.Fallbacks) > 0 {
		if s.First = 1; s.Stream && s.Fallbacks[0].API != api && wire.Several(s.Body) > 1 {
			return s, errNotOurs
		}
		s.Body = s.Body.Without("models") // they were the chain
		if s.Check() != nil {
			return s, errNotOurs
		}
	}
	return s, nil
}

// chain picks fallbacks by their places; all of them when nothing is named.
func (c *client) chain(places json.Value) (chain []target) {
	if places == nil {
		return c.fallbacks
	}
	places.Each(func(_ string, place json.Value) bool {
		if n, ok := place.Int(); ok && 0 <= n && n < int64(len(c.fallbacks)) {
			chain = append(chain, c.fallbacks[n])
		}
		return true
	})
	return chain
}

// route reads a gateway's choice: another first target, and the chain behind it.
func (c *client) route(first *target, v json.Value) ([]target, error) {
	var either bool // read where it counts
	err := options(v, "route", []option{
		{"provider", func(json.Value) error { return nil }}, // read below
		{"baseURL", text(&first.base)},
		{"chain", func(v json.Value) error {
			if v.Kind() != '[' {
				return errors.New("must be a list of places in targets")
			}
			return nil
		}},
		{"form", flag(&either)},
		{"metered", flag(&either)},
	})
	if err == nil && v.Get("provider") != nil {
		first.provider, err = readProvider(v)
	}
	first.base = strings.TrimRight(first.base, "/")
	return c.chain(v.Get("chain")), err
}

// split parts a URL before its path.
func split(url string) (base, path string) {
	host := strings.Index(url, "://") + len("://")
	if n := strings.IndexByte(url[min(host, len(url)):], '/'); host >= len("://") && n >= 0 {
		return url[:host+n], url[host+n:]
	}
	return "", url
}

// asks tells whether a request asks for an answer. Other requests may end with the same word: one
// that adds to the messages of a thread.
func asks(api wire.API, body json.Value) bool {
	return api != wire.Plain && body.Kind() == '{' && (api != wire.Messages || body.Get("messages").Kind() == '[')
}

// providerOf tells whose rules apply at a host: its own, else the client's where that provider has
// such an API, else those of the API's inventor.
func (c *client) providerOf(base string, api wire.API) fault.Provider {
	for p, host := range wire.Hosts {
		if host.Base == base {
			return p
		}
	}
	if _, ok := wire.Hosts[c.provider].Paths[api]; ok {
		return c.provider
	}
	switch api {
	case wire.Messages:
		return fault.Anthropic
	case wire.Generate, wire.Interactions:
		return fault.Gemini
	}
	return fault.OpenAI
}

// writeFetch writes the output of a fetch: how many bytes of the body there are, in 4 bytes, the
// bytes, and the rest as JSON. chunk is what has come, or nil. streams keeps that the response has
// begun as a stream.
func writeFetch(out, chunk []byte, handle int32, actions []core.Action, api wire.API, streams *bool) []byte {
	if unchanged(actions, chunk) {
		return append(out, 0)
	}
	out = append(out, 0, 0, 0, 0)
	for i := range actions {
		if head := actions[i].Head; head != nil {
			*streams = head.Status < 300
		}
	}
	last := -1 // the bytes that say the error of a stream of generate
	if n := len(actions); n > 0 && *streams && api == wire.Generate && actions[n-1].Kind == core.Done && actions[n-1].Result.Fault.Decision != "" {
		for i := range actions {
			if actions[i].Bytes != nil {
				last = i
			}
		}
	}
	for i := range actions {
		if i != last {
			out = append(out, actions[i].Bytes...)
		}
	}
	n := len(out) - 4
	for i := range 4 {
		out[i] = byte(n >> (8 * i))
	}
	w := json.Writer{Out: out}
	w.Open("", '[')
	empty := len(w.Out)
	for i := range actions {
		switch a := &actions[i]; {
		case a.Head != nil:
			w.Open("", '{').Open("head", '{').Int("status", int64(a.Head.Status))
			writeHeaders(&w, a.Head.Header)
			w.Close('}').Close('}')
		case a.Note != nil:
			writeNote(w.Open("", '{'), handle, true, a.Note)
			w.Close('}')
		case a.Kind == core.Done:
			w.Open("", '{').Open("done", '{')
			if a.Result.Fault.Decision != "" {
				writeDocument(&w, a.Result)
				if last >= 0 {
					w.Text("breaks", string(actions[last].Bytes))
				}
			}
			w.Close('}').Close('}')
		}
	}
	switch {
	case len(w.Out) > empty:
		return w.Close(']').Out
	case n > 0:
		return w.Out[:empty-1]
	}
	return w.Out[:0]
}

// unchanged tells that all there is to do with a chunk is to hand it on.
func unchanged(actions []core.Action, chunk []byte) bool {
	var body []byte
	for i := range actions {
		a := &actions[i]
		if a.Kind == core.Read {
			continue
		}
		if a.Kind != core.Emit || a.Head != nil || a.Note != nil || body != nil {
			return false
		}
		body = a.Bytes
	}
	return len(body) > 0 && bytes.Equal(body, chunk)
}
