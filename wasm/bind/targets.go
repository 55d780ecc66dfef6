//go:build !lean

package bind

import (
	"errors"
	"strings"

	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/wire"
)

// readTargets reads the option targets: where calls may go behind the client's own.
func (c *client) readTargets(v json.Value) (err error) {
	if v.Kind() != '[' {
		return errors.New("must be a list")
	}
	v.Each(func(_ string, item json.Value) bool {
		var t target
		if err = t.readFallback(item); err != nil {
			err = errors.New(decimal.String(len(c.fallbacks)) + ": " + err.Error())
		}
		c.fallbacks = append(c.fallbacks, t)
		return err == nil
	})
	return err
}

// readFallback reads one of the option targets.
func (t *target) readFallback(v json.Value) error {
	api := ""
	table := append(t.table(), []option{
		{"api", text(&api)},
		{"path", text(&t.path)},
		{"model", text(&t.model)},
		{"maxOutputTokens", whole(&t.maxTokens, 1, 1<<30)},
	}...)
	if err := options(v, "targets", table); err != nil {
		return err
	}
	if err := t.complete(v); err != nil {
		return err
	}
	paths := wire.Hosts[t.provider].Paths
	switch t.api = wire.API(api); {
	case t.path != "" && api == "":
		t.api = wire.DetectAPI(t.path)
	case api == "":
		t.api = ownAPI[t.provider]
	}
	if t.path == "" {
		t.path = under(t.base, paths[t.api])
	}
	if !wire.Known(t.api) || t.path == "" {
		return errors.New("api: " + string(t.api) + " is not served by " + string(t.provider) + "; name the path")
	}
	return checkPath(t.path)
}

// under is a provider's own path at a base that may end with its first part, "/v1", as many write it.
func under(base, path string) string {
	if end := strings.IndexByte(strings.TrimPrefix(path, "/"), '/') + 1; strings.HasSuffix(base, path[:end]) {
		return path[end:]
	}
	return path
}

// ownAPI is the wire format that a target speaks when nothing names one.
var ownAPI = map[fault.Provider]wire.API{
	fault.Gloo: wire.Chat, fault.OpenAI: wire.Chat, fault.XAI: wire.Chat,
	fault.Anthropic: wire.Messages, fault.Gemini: wire.Generate,
}
