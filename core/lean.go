//go:build lean

package core

import (
	"errors"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/sse"
	"holdfast/core/wire"
)

// What the lean program does without, for a page that asks one target and reads the answer itself:
// rebuilding requests and answers for another target, and raw calls. Packages translate and splice
// are half of the code. Who drives such a core gives its calls no Fallbacks and no Raw.

func (s *Spec) rebuild(int, *wire.Request) ([]string, error) {
	return nil, errors.New("this program asks one target only")
}

func returned(body json.Value) json.Value { return body }

func (c *Call) inForm(v json.Value) (json.Value, error) { return v, nil }

type raw struct{ deltas []wire.Delta }

func newRaw(*Spec) *raw              { return nil }
func (*raw) bound() bool             { return false }
func (*raw) many() bool              { return false }
func (*raw) drains() bool            { return false }
func (*raw) feed([]byte)             {}
func (*raw) rest(*wire.Stream)       {}
func (*Call) splice()                {}
func (*Call) respond()               {}
func (*Call) close(fault.Fault)      {}
func (*Call) spliced(sse.Event) bool { return true }
