//go:build js && wasm && lean

package bind

import (
	"errors"

	"holdfast/core"
	"holdfast/core/json"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// What the lean program does without: targets, fetch and live sessions. The loader takes the full
// one where any of them is asked for; who names a lean one by the option wasm learns it here.

func (c *client) readTargets(v json.Value) error {
	if v.Kind() == '[' && v.At(0) == nil {
		return nil
	}
	return errors.New("this is the lean program; the full one, holdfast-full.wasm, can ask other targets")
}

func (c *client) fetchSpec(_, _ []byte) (core.Spec, error) {
	return core.Spec{}, badOption("fetch: this is the lean program; the full one is holdfast-full.wasm")
}

func (c *client) route(*target, json.Value) ([]target, error) {
	return nil, badOption("route: this is the lean program; the full one is holdfast-full.wasm")
}

func writeFetch(_, _ []byte, _ int32, _ []core.Action, _ wire.API, _ *bool) []byte { return nil }

type line struct{ armed time.Time }

var lines map[int32]*line // there are none

func (*line) told(float64, core.EventKind) int32 { return unknown }
