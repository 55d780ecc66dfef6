package wire

import "holdfast/core/json"

// partialCall is a tool call whose arguments are still arriving.
type partialCall struct {
	index     int64 // -1 when the server numbers nothing
	id, name  string
	arguments []byte
	text      bool // of a custom tool, which takes no JSON
	given     bool // they came with its beginning; what comes behind it says them again
}

// callAt is the place of the open call with an index, or -1.
func callAt(calls []partialCall, index int64) int {
	for i := range calls {
		if calls[i].index == index {
			return i
		}
	}
	return -1
}

// identify keeps the first name and id: servers repeat them, or leave them out.
func (c *partialCall) identify(id, name string) {
	if c.id == "" {
		c.id = id
	}
	if c.name == "" {
		c.name = name
	}
}

// give keeps the arguments that a call begins with, unless there are none.
func (c *partialCall) give(arguments json.Value) {
	if !empty(arguments) {
		c.append(arguments)
		c.given = true
	}
}

// append adds to the arguments what a fragment brings: JSON text within a string, or, from servers
// that do not cut it up, the JSON itself.
func (c *partialCall) append(fragment json.Value) {
	if c.given && len(fragment) > len(`""`) {
		c.arguments, c.given = c.arguments[:0], false
	}
	switch fragment.Kind() {
	case '"':
		c.arguments = json.AppendText(c.arguments, fragment)
	case '{', '[':
		c.arguments = append(c.arguments, fragment...)
	}
}

// tool is the call, and whether it is whole. No arguments at all are those of a call without
// parameters.
func (c *partialCall) tool() (Tool, bool) {
	t := Tool{ID: c.id, Name: c.name, Arguments: string(c.arguments)}
	if c.text {
		return t, true
	}
	if t.Arguments == "" {
		t.Arguments = "{}"
	}
	return t, t.Name != "" && json.Valid([]byte(t.Arguments))
}

// begin notes that a tool call has begun, complete or not.
func (s *Stream) begin() {
	if s.End == Open {
		s.Tool, s.Output = true, true
	}
}

// call hands out a tool call that is complete, once.
func (s *Stream) call(t Tool) {
	if s.End != Open {
		return
	}
	s.begin()
	if n := len(s.skip.Tools); t.ID == "" && n > 0 {
		s.skip.Tools = s.skip.Tools[:n-1]
		return
	}
	for _, id := range s.Cursor.Tools {
		if id == t.ID && id != "" {
			return
		}
	}
	s.Cursor.Tools = append(s.Cursor.Tools, t.ID)
	s.Deltas = append(s.Deltas, Delta{Kind: ToolCall, Tool: t})
}

// broken notes that a tool call is not handed out, since it is incomplete.
func (s *Stream) broken(name string) {
	s.warn("the tool call " + name + " was not handed out: it is incomplete")
}
