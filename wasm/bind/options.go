package bind

import (
	"errors"
	"math"
	"slices"
	"strings"

	"holdfast/core"
	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/pace"
	"holdfast/core/shared"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// A failure that the user made: code is one of the words in holdfast.d.ts.
type failure struct{ code, message string }

func (f *failure) Error() string { return f.message }

func badOption(message string) error { return &failure{"bad_option", message} }

// errNotOurs says that a request passes as it is: it asks no model, or in a way that cannot be helped.
var errNotOurs = &failure{"not_ours", "the request is not a call"}

// setter puts the value of one option in its place.
type setter func(v json.Value) error

// option is one of a table: a list is less code than a map, and as fast for so few.
type option struct {
	name string
	set  setter
}

// options reads an object strictly: a key that is not in the table is an error that names it and
// what there is.
func options(v json.Value, where string, table []option) (err error) {
	if v.Kind() != '{' {
		return badOption("must be an object")
	}
	v.Each(func(key string, item json.Value) bool {
		for i := range table {
			if table[i].name != key {
				continue
			}
			if e := table[i].set(item); e != nil {
				err = badOption(key + ": " + e.Error())
			}
			return err == nil
		}
		err = badOption(key + ": is not an option of " + where + "; there are " + strings.Join(names(table, where), ", "))
		return false
	})
	return err
}

// besides are the options around a table: those that users give too and the JavaScript module keeps
// for itself, and those of the table that only the module gives. Each list is sorted.
var besides = []struct{ where, kept, inner string }{
	{"createClient", "WebSocket apiKey dangerouslyAllowBrowser fetch full now onEvent random share sleep token wasm", "page"},
	{"targets", "apiKey token", ""},
	{"request", "onEvent signal", "path"},
	{"stream", "durable onDelta onEvent signal", "cursors from path route"},
	{"live", "onEvent onItem signal", "path"},
}

// names lists the options that users can give, sorted.
func names(table []option, where string) (keys []string) {
	var inner []string
	for i := range besides {
		if b := &besides[i]; b.where == where {
			keys, inner = strings.Fields(b.kept), strings.Fields(b.inner)
		}
	}
	for i := range table {
		if slices.Contains(inner, table[i].name) {
			continue
		}
		keys = append(keys, table[i].name)
		for i := len(keys) - 1; i > 0 && keys[i] < keys[i-1]; i-- {
			keys[i], keys[i-1] = keys[i-1], keys[i]
		}
	}
	return keys
}

// maxMs keeps durations far from overflow: a hundred years.
const maxMs = 100 * 365 * 24 * 3600 * 1000

func ms(to *time.Duration, highest float64) setter {
	return func(v json.Value) error {
		n, ok := v.Float()
		if !ok || n < 0 || n > highest {
			return errors.New("must be a number of milliseconds from 0 to " + decimal.String(int64(highest)))
		}
		*to = time.Duration(math.Round(n * 1e6))
		return nil
	}
}

// limit is ms where 0 switches the limit off.
func limit(to *time.Duration) setter {
	set := ms(to, maxMs)
	return func(v json.Value) error {
		err := set(v)
		if err == nil && *to == 0 {
			*to = pace.Off
		}
		return err
	}
}

func whole(to *int, lowest, highest int) setter {
	return func(v json.Value) error {
		n, ok := v.Int()
		if !ok || n < int64(lowest) || n > int64(highest) {
			return errors.New("must be a whole number from " + decimal.String(lowest) + " to " + decimal.String(highest))
		}
		*to = int(n)
		return nil
	}
}

func flag(to *bool) setter {
	return func(v json.Value) error {
		if !v.True() && !v.False() {
			return errors.New("must be true or false")
		}
		*to = v.True()
		return nil
	}
}

func text(to *string) setter {
	return func(v json.Value) error {
		if v.Kind() != '"' {
			return errors.New("must be text")
		}
		*to = v.Text()
		return nil
	}
}

func headers(to *header.Header) setter {
	return func(v json.Value) (err error) {
		if v.Kind() != '{' {
			return errors.New("must be an object of names and values")
		}
		v.Each(func(name string, value json.Value) bool {
			if value.Kind() != '"' {
				err = errors.New(name + ": must be text")
				return false
			}
			*to = to.Set(name, value.Text())
			return true
		})
		return err
	}
}

func shape(to *pace.Shape) setter {
	return func(v json.Value) error {
		switch shape := pace.Shape(v.Text()); shape {
		case pace.Full, pace.Added:
			*to = shape
			return nil
		}
		return errors.New(`must be "full" or "added"`)
	}
}

func budget(b *pace.Budget, where string) setter {
	return func(v json.Value) error {
		return options(v, where, []option{
			{"attempts", whole(&b.Attempts, 1, 100)},
			{"backoff", shape(&b.Backoff)},
			{"backoffBaseMs", ms(&b.Base, maxMs)},
			{"backoffCapMs", ms(&b.Cap, maxMs)},
			{"maxHintMs", ms(&b.MaxHint, maxMs)},
			{"windowMs", limit(&b.Window)},
			{"totalMs", limit(&b.Total)},
			{"continues", whole(&b.Continues, 0, 10)},
		})
	}
}

// policy reads what a client or a call sets of a policy. Of the two budgets only the one for this
// kind of call is kept; both are checked.
func policy(p *core.Policy, background bool) setter {
	return func(v json.Value) error {
		owner := !p.Passive
		other := p.Budget
		live, away := &p.Budget, &other
		if background {
			live, away = away, live
		}
		err := options(v, "policy", []option{
			{"owner", flag(&owner)},
			{"interactive", budget(live, "interactive")},
			{"background", budget(away, "background")},
			{"headersMs", limit(&p.Headers)},
			{"firstDeltaMs", limit(&p.FirstDelta)},
			{"switchMs", limit(&p.Switch)},
			{"idleMs", limit(&p.Idle)},
			{"drainMs", ms(&p.Drain, 2000)},
			{"maxBodyBytes", whole(&p.MaxBody, 1, 256<<20)},
			{"maxEventBytes", whole(&p.MaxEvent, 1, 256<<20)},
			{"continuation", func(v json.Value) error {
				if !strings.Contains(v.Text(), "{partial}") {
					return errors.New("must be text that contains {partial}")
				}
				p.Continuation = v.Text()
				return nil
			}},
		})
		p.Passive = !owner
		return err
	}
}

// question reads what is asked of a provider's rules, without a client.
func question(data []byte) (json.Value, fault.Provider, error) {
	v, err := json.Parse(data)
	if err != nil {
		return nil, "", badOption(err.Error())
	}
	p, err := readProvider(v)
	return v, p, err
}

// readProvider reads the option that every question needs.
func readProvider(v json.Value) (fault.Provider, error) {
	p := fault.Provider(v.Get("provider").Text())
	if _, ok := wire.Hosts[p]; !ok {
		return p, badOption("provider: must be gloo, openai, anthropic, xai or gemini; a server that is compatible with OpenAI is openai with its baseURL")
	}
	return p, nil
}

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

// spec reads a call's options and body. The bytes are the call's from now on.
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
	flag(&s.Background)(v.Get("background")) // the budgets depend on it
	if wire.API(v.Get("api").Text()) == wire.Answers {
		first.api, fallbacks = wire.Answers, nil // the gateway has its own
	}
	s.Target = first.at("", s.Background, c.policy)
	where, api, handover := "request", "", true
	total := s.Policy.Budget.Total
	var own header.Header
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
	if stream {
		where, table = "stream", append(table, []option{
			{"continues", text(&s.Partial)},
			{"handover", flag(&handover)},
			{"route", func(json.Value) error { return nil }}, // read above
			{"cursors", flag(&s.Cursors)},
			{"from", cursor(&s.From)},
		}...)
	}
	if err := options(v, where, table); err != nil {
		return s, err
	}
	if err := checkPath(s.Path); err != nil {
		return s, err
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
		return s, badOption("api: is not a wire format that Holdfast knows")
	}
	if stream && !wire.Streams(s.API) {
		return s, badOption("api: the path does not tell the wire format of the stream; name it")
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
	if len(body) > s.Policy.MaxBody {
		return s, &failure{"body_too_large", "body: " + decimal.String(len(body)) + " bytes are more than policy.maxBodyBytes, " + decimal.String(s.Policy.MaxBody)}
	}
	if s.Body, err = json.Parse(body); err != nil {
		return s, &failure{"bad_body", "body: " + err.Error()}
	}
	if s.First == 1 {
		s.Body = s.Body.Without("models") // they were the chain
	}
	if err := s.Check(); err != nil {
		return s, &failure{"bad_body", "body: " + err.Error()}
	}
	return s, nil
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
