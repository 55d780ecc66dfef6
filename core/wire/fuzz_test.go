package wire

import (
	"reflect"
	"strings"
	"testing"

	"holdfast/core/fault"
	"holdfast/core/json"
	"holdfast/core/sse"
)

// The law of a reader: whatever the bytes, it neither panics nor makes much of little, gives no
// delta after the end, hands out tool calls with valid JSON only, and how the bytes are cut into
// chunks is invisible.
func fuzzReader(f *testing.F, api API, p fault.Provider, transcripts []transcript) {
	for i, c := range transcripts {
		f.Add([]byte(c.body), uint64(i)*0x9E3779B97F4A7C15)
	}
	f.Fuzz(func(t *testing.T, body []byte, cuts uint64) {
		if len(body) > 1<<16 {
			return
		}
		whole := read(t, api, p, []string{string(body)})
		var chunks []string
		for rest := string(body); rest != ""; {
			n := min(1+int(cuts%13), len(rest))
			cuts = cuts>>3 | cuts<<61
			chunks, rest = append(chunks, rest[:n]), rest[n:]
		}
		if cut := read(t, api, p, chunks); !reflect.DeepEqual(cut, whole) {
			t.Errorf("cut: %+v\nwhole: %+v", cut, whole)
		}
	})
}

// reading is all that a stream tells.
type reading struct {
	Deltas   []Delta // of one kind in a row as one
	End      End
	Finish   string
	Fault    fault.Fault
	Done     bool
	Pending  bool
	Tool     bool
	ID       string
	Usage    Usage
	Warnings []string
	Cursor   Cursor
}

func read(t *testing.T, api API, p fault.Provider, chunks []string) (r reading) {
	s := NewStream(api, p, nil)
	d := sse.Decoder{Limit: 1 << 15}
	size, length := 0, 0
	drain := func() bool {
		for !s.Done {
			e, ok, err := d.Next()
			if err != nil {
				return false
			}
			if !ok {
				break
			}
			ended := s.End != Open
			s.Event(e)
			for _, delta := range s.Take() {
				if ended {
					t.Fatalf("a delta after the end: %+v", delta)
				}
				custom := api == Answers || (api == Responses || api == Chat) && strings.Contains(strings.Join(chunks, ""), "custom") // looked at before
				if delta.Kind == ToolCall && !custom && !json.Valid([]byte(delta.Tool.Arguments)) {
					t.Fatalf("a tool call without JSON: %q", delta.Tool.Arguments)
				}
				size += len(delta.Text) + len(delta.Tool.Arguments)
				delta.Text = append([]byte(nil), delta.Text...)
				if n := len(r.Deltas); n > 0 && delta.Kind != ToolCall && r.Deltas[n-1].Kind == delta.Kind {
					r.Deltas[n-1].Text = append(r.Deltas[n-1].Text, delta.Text...)
					continue
				}
				r.Deltas = append(r.Deltas, delta)
			}
		}
		return true
	}
	for _, c := range chunks {
		length += len(c)
		d.Feed([]byte(c))
		if !drain() {
			return reading{}
		}
	}
	d.Flush()
	if !drain() {
		return reading{}
	}
	s.Close()
	if size > 8*length+64 || len(s.Warnings) > 20 {
		t.Errorf("%d bytes of answer from %d, %d warnings", size, length, len(s.Warnings))
	}
	if u := s.Usage; u.Input < 0 || u.Output < 0 || u.Total < 0 || u.Reasoning > u.Output || u.CacheWrite1h > u.CacheWrite || u.Cached+u.CacheWrite > u.Input {
		t.Errorf("a part is larger than its whole: %+v", u)
	}
	if s.End == Open || s.End == Failed && s.Fault.Decision == "" {
		t.Error("no verdict")
	}
	return reading{r.Deltas, s.End, s.Finish, s.Fault, s.Done, s.Pending, s.Tool, s.ID, s.Usage, s.Warnings, s.Cursor}
}

func FuzzChat(f *testing.F)      { fuzzReader(f, Chat, fault.OpenAI, chatTranscripts) }
func FuzzResponses(f *testing.F) { fuzzReader(f, Responses, fault.OpenAI, responsesTranscripts) }
func FuzzMessages(f *testing.F)  { fuzzReader(f, Messages, fault.Anthropic, messagesTranscripts) }
func FuzzGenerate(f *testing.F)  { fuzzReader(f, Generate, fault.Gemini, generateTranscripts) }
func FuzzInteractions(f *testing.F) {
	fuzzReader(f, Interactions, fault.Gemini, interactionsTranscripts)
}

// Text may be dropped in any two steps, wherever it was cut: what is left is the same.
func FuzzDrop(f *testing.F) {
	f.Add("Hel😀lo", 4, 3)
	f.Fuzz(func(t *testing.T, text string, n, cut int) {
		if n < 0 || cut < 0 || cut > len(text) {
			return
		}
		once, twice := uint32(1), uint32(1)
		whole, left := drop([]byte(text), 0, n, &once)
		first, rest := drop([]byte(text[:cut]), 0, n, &twice)
		second, rest := drop([]byte(text[cut:]), 0, rest, &twice)
		valid := strings.ToValidUTF8(text, "") == text && strings.ToValidUTF8(text[:cut], "") == text[:cut]
		if valid && (string(first)+string(second) != string(whole) || rest != left) {
			t.Errorf("%q: %q + %q (%d), whole %q (%d)", text, first, second, rest, whole, left)
		}
		if valid && once != twice {
			t.Errorf("%q: the sum depends on the cut", text)
		}
		if units([]byte(text)) != units([]byte(text[:cut]))+units([]byte(text[cut:])) {
			t.Error("units depend on the cut")
		}
	})
}
