package bind

import (
	"holdfast/core"
	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// spec reads a call's options and body. The bytes are the call's from now on.
//
// A stream has three options that only a gateway gives: route, {provider, baseURL, chain, form}, of
// which chain holds places in the client's targets and form says that the body only tells the form in
// which is asked; cursors, true; and from. With cursors the output has, behind the deltas that lie
// before it, a cursor from which another call can take up this one's answer: with that cursor as its
// option from and the text shown so far as continues. Its deltas are what follows, as if there had
// been one call, and a restart among them takes back to continues; of a durable answer to as much of it
// as from.before says, in UTF-16 units: what the gateway knows nothing of. When the provider refuses, the
// call begins as if there were no from. A cursor of null says that earlier ones are void.
func (c *client) spec(stream bool, data, body []byte) (core.Spec, error) {
	s := core.Spec{Stream: stream, Shared: c.state}
	v, err := json.Parse(data)
	if err != nil {
		return s, badOption(err.Error())
	}
	first, fallbacks := c.target, c.fallbacks
	if route := v.Get("route"); route != nil {
		if fallbacks, err = c.route(&first, route); err != nil {
			return s, err
		}
	}
	if wire.API(v.Get("api").Text()) == wire.Answers {
		first.api, fallbacks = wire.Answers, nil // the gateway has its own
	}
	own, err := c.readCall(&s, &first, v)
	if err != nil {
		return s, err
	}
	s.Header = c.fields(stream, first.provider, first.header, own)
	outer, _ := decimal.Int(s.Header.Get("x-stainless-retry-count")) // SDKs by Stainless: OpenAI's, Anthropic's
	s.Outer = int(outer)
	for i := range fallbacks {
		f := &fallbacks[i]
		t := f.at(f.path, s.Background, c.policy, f.policy, v.Get("policy"))
		t.Header = c.fields(stream, f.provider, f.header)
		s.Fallbacks = append(s.Fallbacks, t)
	}
	s.Metered = v.Get("route", "metered").True()
	if v.Get("route", "form").True() && len(fallbacks) > 0 {
		s.First = 1
	}
	err = readBody(&s, body)
	return s, err
}

// readCall reads the options of a call that goes to first, and returns its own headers.
func (c *client) readCall(s *core.Spec, first *target, v json.Value) (own header.Header, err error) {
	flag(&s.Background)(v.Get("background")) // the budgets depend on it
	s.Target = first.at("", s.Background, c.policy)
	where, api, handover := "request", "", true
	total := s.Policy.Budget.Total
	table := []option{
		{"path", text(&s.Path)},
		{"background", flag(&s.Background)},
		{"headers", headers(&own)},
		{"timeoutMs", limit(&total)},
		{"policy", policy(&s.Policy, s.Background)},
		{"api", text(&api)},
		{"strict", flag(&s.Strict)},
		{"id", text(&s.ID)},
		{"tag", flag(&s.Tag)},
	}
	if s.Stream {
		where, table = "stream", append(table, []option{
			{"continues", text(&s.Partial)},
			{"handover", flag(&handover)},
			{"route", func(json.Value) error { return nil }}, // read by spec
			{"cursors", flag(&s.Cursors)},
			{"from", cursor(&s.From)},
		}...)
	}
	if err := options(v, where, table); err != nil {
		return nil, err
	}
	if err := checkPath(s.Path); err != nil {
		return nil, err
	}
	if s.From != nil && s.From.Provider == "" {
		s.From.Provider = first.provider
	}
	if v.Get("timeoutMs") != nil {
		s.Policy.Budget.Total = total
	}
	s.Stay = !handover
	s.Auth = wire.Hosts[first.provider].Sign(s.Path)
	if s.API = wire.API(api); api == "" {
		s.API = wire.DetectAPI(s.Path)
	} else if durable := s.API == wire.Answers && s.Cursors; !durable && !wire.Known(s.API) {
		return nil, badOption("api: must be chat, responses, messages, generate, interactions, embeddings or json")
	}
	if s.Stream && !wire.Streams(s.API) {
		return nil, badOption("api: the path does not tell the wire format of the stream; name it")
	}
	return own, nil
}

// readBody reads the body of a call whose options are known.
func readBody(s *core.Spec, body []byte) (err error) {
	if len(body) > s.Policy.MaxBody {
		return &failure{"body_too_large", "body: " + decimal.String(len(body)) + " bytes are more than policy.maxBodyBytes, " + decimal.String(s.Policy.MaxBody)}
	}
	if s.Body, err = json.Parse(body); err != nil {
		return &failure{"bad_body", "body: " + err.Error()}
	}
	if s.First == 1 {
		s.Body = s.Body.Without("models") // they were the chain
	}
	if err := s.Check(); err != nil {
		return &failure{"bad_body", "body: " + err.Error()}
	}
	return nil
}

// cursor reads what writeCursor wrote.
func cursor(to **core.Cursor) setter {
	return func(v json.Value) error {
		c := &core.Cursor{}
		var provider, api string
		var next int
		const most = 1<<31 - 1
		if err := options(v, "from", []option{
			{"target", whole(&c.Target, 0, most)},
			{"before", whole(&c.Before, 0, most)},
			{"provider", text(&provider)},
			{"api", text(&api)},
			{"id", text(&c.At.ID)},
			{"next", whole(&next, 0, most)},
			{"event", text(&c.At.Event)},
			{"text", whole(&c.At.Text, 0, most)},
			{"reasoning", whole(&c.At.Reasoning, 0, most)},
			{"refusal", whole(&c.At.Refusal, 0, most)},
			{"tools", func(v json.Value) error {
				v.Each(func(_ string, id json.Value) bool { c.At.Tools = append(c.At.Tools, id.Text()); return true })
				return nil
			}},
			{"ahead", func(v json.Value) error {
				return options(v, "ahead", []option{
					{"text", whole(&c.At.Ahead.Text, 0, most)},
					{"reasoning", whole(&c.At.Ahead.Reasoning, 0, most)},
					{"refusal", whole(&c.At.Ahead.Refusal, 0, most)},
					{"tools", whole(&c.At.Ahead.Tools, 0, most)},
				})
			}},
		}); err != nil {
			return err
		}
		c.Provider, c.API, c.At.Next = fault.Provider(provider), wire.API(api), int64(next)
		*to = c
		return nil
	}
}
