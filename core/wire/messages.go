package wire

import "holdfast/core/json"

type messages struct{}

func (*messages) read(s *Stream, kind string, v json.Value) {}
func (*messages) whole(s *Stream, v json.Value) bool        { return false }
