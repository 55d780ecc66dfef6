package wire

import "holdfast/core/json"

type generate struct{}

func (*generate) read(s *Stream, kind string, v json.Value) {}
func (*generate) whole(s *Stream, v json.Value) bool        { return false }
