package wire

import "holdfast/core/json"

type interactions struct{}

func (*interactions) read(s *Stream, kind string, v json.Value) {}
func (*interactions) whole(s *Stream, v json.Value) bool        { return false }
