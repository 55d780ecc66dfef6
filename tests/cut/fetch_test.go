package cut

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/sse"
	"holdfast/core/wire"
	"holdfast/tests/sim"
)

// raw is the spec of a fetch: the caller's own request, which streams already.
func (s stream) raw() core.Spec {
	spec := s.spec(false)
	spec.Raw = true
	r := wire.Streamed(s.api, wire.Request{URL: spec.Path, Body: spec.Body})
	spec.Path, spec.Body = r.URL, r.Body
	return spec
}

// alone tells that a call broke before it told its id, and may run on by itself: it is not started
// again, and ends as an error.
func (s stream) alone(got Played) bool {
	return s.resumes && s.api == wire.Interactions && got.Requests == 1 && got.Status == core.Failed && got.Head.Status >= 400
}

// read reads a stream back as an SDK would, and fails the test where it is not well formed.
func (s stream) read(t *testing.T, body []byte) (text string, end wire.End, from *wire.Stream) {
	t.Helper()
	from = wire.NewStream(s.api, s.provider, nil)
	form := newForm(s.api)
	var decoder sse.Decoder
	decoder.Feed(body)
	take := func() {
		for {
			e, ok, err := decoder.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				return
			}
			from.Event(e)
			if from.End != wire.Failed {
				if problem := form.take(e); problem != "" {
					t.Fatalf("%s: %s at %s in\n%s", s.name, problem, e.Data, body)
				}
			}
			for _, d := range from.Take() {
				if d.Kind == wire.Text {
					text += string(d.Text)
				}
			}
		}
	}
	take()
	decoder.Flush()
	take()
	from.Close()
	if from.End == wire.Complete {
		if problem := form.end(text); problem != "" {
			t.Fatalf("%s: %s in\n%s", s.name, problem, body)
		}
	}
	return text, from.End, from
}

// Cut at every byte, cleanly and by a reset, with every way of going on: what the SDK reads is one
// well-formed stream with the uncut text, and an uncut stream is the same bytes.
func TestFetchEveryByte(t *testing.T) {
	for _, s := range streams {
		for _, end := range []string{"close", "reset"} {
			for j, way := range ways {
				step := 11
				if j > 0 {
					step = 41
				}
				t.Run(s.name+"/"+end+"/"+way, func(t *testing.T) {
					t.Parallel()
					healthy := Play(s.raw(), s.plan(script(short, `{"words":3}`, `{}`)), 0)
					whole := s.healthy(t, short, `{"words":3}`)
					if !bytes.Equal(healthy.Body, whole) {
						t.Fatalf("healthy bytes differ:\n%s\n\n%s", healthy.Body, whole)
					}
					for at := j; at < len(whole); at += step {
						first := `{"words":3,"end":"` + end + `","endAfterBytes":` + strconv.Itoa(at) + `}`
						got := Play(s.raw(), s.plan(script(short, first, `{"continues":"`+way+`"}`)), at%4*100)
						if s.alone(got) {
							continue
						}
						text, ended, _ := s.read(t, got.Body)
						if got.Head == nil || got.Head.Status != 200 || ended != wire.Complete || text != short || got.Status != core.Complete {
							t.Fatalf("cut at %d: %s %v %q\n%s", at, got.Status, ended, text, got.Body)
						}
					}
				})
			}
		}
	}
}

// With a thought before the text and a tool call behind it; everything in pieces of every size.
func TestFetchEverything(t *testing.T) {
	for _, s := range streams {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			const behaviour = `{"words":3,"reasoning":"I think of the sea.","tool":true}`
			whole := s.healthy(t, short, behaviour)
			for chunk := 1; chunk < 2000; chunk += 1 + chunk/3 {
				if got := Play(s.raw(), s.plan(script(short, behaviour, `{}`)), chunk); !bytes.Equal(got.Body, whole) {
					t.Fatalf("healthy bytes differ in chunks of %d", chunk)
				}
			}
			for at := 0; at < len(whole); at += 13 {
				first := strings.Replace(behaviour, "{", `{"end":"reset","endAfterBytes":`+strconv.Itoa(at)+`,`, 1)
				next := `{"words":3,"reasoning":"Where was I?","tool":true}`
				got := Play(s.raw(), s.plan(strings.Replace(script(short, first, next), `,{}]`, `,`+behaviour+`]`, 1)), 0)
				if s.alone(got) {
					continue
				}
				text, ended, from := s.read(t, got.Body)
				switch {
				case ended == wire.Complete && (text != short || !from.Tool || len(from.Cursor.Tools) != 1):
					t.Fatalf("cut at %d: complete with %q and %d calls\n%s", at, text, len(from.Cursor.Tools), got.Body)
				case ended == wire.Complete:
				case ended != wire.Failed || from.Fault.Reason == fault.Truncated || !got.Attempts[0].ToolCall:
					t.Fatalf("cut at %d: %v %+v\n%s", at, ended, from.Fault, got.Body)
				}
			}
		})
	}
}

// What is thought goes out at once, before there is a word of text. Where it breaks off, the next
// attempt thinks on behind it, in one well-formed stream.
func TestFetchThinks(t *testing.T) {
	const thought = "I think of the sea."
	const thinks = `{"words":3,"reasoning":"` + thought + `"}`
	for _, s := range streams {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			once := s.raw()
			once.Policy.Passive = true
			first := strings.Replace(thinks, "{", `{"endAfterWords":0,"end":"reset",`, 1)
			got := Play(once, s.plan(script(short, first, `{}`)), 0)
			if _, ended, from := s.read(t, got.Body); got.Status == core.Complete || ended != wire.Failed || from.Fault.Reason == fault.Truncated || from.Cursor.Reasoning != len(thought) {
				t.Fatalf("held back: %v, %d characters of a thought in\n%s", ended, from.Cursor.Reasoning, got.Body)
			}
			broken, n := 0, len(s.healthy(t, short, thinks))
			for at := 0; at < n; at += 5 {
				first := strings.Replace(thinks, "{", `{"end":"reset","endAfterBytes":`+strconv.Itoa(at)+`,`, 1)
				got := Play(s.raw(), s.plan(strings.Replace(script(short, first, `{}`), `,{}]`, `,`+thinks+`]`, 1)), 0)
				if s.alone(got) {
					continue
				}
				text, ended, from := s.read(t, got.Body)
				if ended != wire.Complete || text != short || from.Cursor.Reasoning < len(thought) {
					t.Fatalf("cut at %d: %v %q with %d characters of a thought\n%s", at, ended, text, from.Cursor.Reasoning, got.Body)
				}
				if from.Cursor.Reasoning > len(thought) {
					broken++
				}
			}
			if broken == 0 && !s.resumes {
				t.Fatal("no cut was in a thought")
			}
		})
	}
}

// An answer whose resumption breaks, too, is read as a document: what of it had not come goes on in the same stream.
func TestFetchLooksUp(t *testing.T) {
	for _, s := range streams {
		if !s.resumes {
			continue
		}
		for _, behaviour := range []string{`{"words":3}`, `{"words":3,"reasoning":"I think of the sea."}`, `{"words":3,"tool":true}`} {
			looked, n := 0, len(s.healthy(t, short, behaviour))
			for at := 0; at < n; at += 29 {
				for _, second := range []int{0, 200} {
					first := strings.Replace(behaviour, "{", `{"end":"reset","endAfterBytes":`+strconv.Itoa(at)+`,`, 1)
					reads := `"reads":[` + strings.Replace(behaviour, "{", `{"end":"reset","endAfterBytes":`+strconv.Itoa(second)+`,`, 1) + `,{"end":"reset","beforeHeaders":true},` + behaviour + `],`
					got := Play(s.raw(), s.plan(strings.Replace(strings.Replace(script(short, first, `{}`), "{", "{"+reads, 1), `,{}]`, `,`+behaviour+`]`, 1)), 0)
					if s.alone(got) {
						continue
					}
					text, ended, from := s.read(t, got.Body)
					if ended != wire.Complete || text != short || got.Status != core.Complete || from.Tool != strings.Contains(behaviour, "tool") {
						t.Fatalf("%s, cut at %d and %d: %s %v %q\n%s", s.name, at, second, got.Status, ended, text, got.Body)
					}
					if n := len(got.Attempts); n > 2 && got.Attempts[n-1].Kind == core.Resumed {
						looked++
					}
				}
			}
			if looked == 0 {
				t.Errorf("%s: no answer was read as a document", s.name)
			}
		}
	}
}

// When nothing helps, the stream ends in the API's own error, and never reads as complete.
func TestFetchFails(t *testing.T) {
	for _, s := range streams {
		if s.resumes {
			continue
		}
		n := len(s.healthy(t, short, `{"words":3}`))
		for at := n / 4; at < n*3/4; at += 13 {
			for _, second := range []int{0, 300, 900} {
				first := `{"words":3,"end":"reset","endAfterBytes":` + strconv.Itoa(at) + `}`
				next := `{"words":3,"end":"reset","endAfterBytes":` + strconv.Itoa(second) + `}`
				got := Play(s.raw(), s.plan(script(short, first, next)), 0)
				if got.Attempts[1].Fault.Decision == "" {
					continue
				}
				text, ended, from := s.read(t, got.Body)
				if ended != wire.Failed || from.Fault.Reason == fault.Truncated || !strings.HasPrefix(short, text) {
					t.Fatalf("%s, cut at %d and %d: %v %+v %q\n%s", s.name, at, second, ended, from.Fault, text, got.Body)
				}
			}
		}
	}
}

// A fallback of another API goes on with what was begun, or begins it.
func TestFetchFallback(t *testing.T) {
	for _, s := range streams {
		for _, other := range streams {
			if s.resumes || other.resumes || s.api == other.api || s.api == wire.Interactions || other.api == wire.Interactions {
				continue
			}
			t.Run(s.name+" to "+other.name, func(t *testing.T) {
				t.Parallel()
				n := len(s.healthy(t, short, `{"words":3}`))
				for at := 0; at < n; at += 97 {
					spec := s.raw()
					spec.Policy.Budget.Attempts, spec.Policy.Budget.Continues = 1, 0
					target := other.spec(false).Target
					target.Model = "other-x"
					spec.Fallbacks = []core.Target{target}
					one := s.plan(script(short, `{"words":3,"end":"reset","endAfterBytes":`+strconv.Itoa(at)+`}`, `{}`))
					two := other.plan(script(short, `{}`, `{"continues":"last_word"}`))
					got := Play(spec, func(n int, r *core.Request) sim.Exchange {
						if r.Target == 0 {
							return one(n, r)
						}
						return two(n, r)
					}, 0)
					text, ended, _ := s.read(t, got.Body)
					if ended != wire.Complete || text != short {
						t.Fatalf("cut at %d: %v %q\n%s\n%+v", at, ended, text, got.Body, got.Fault)
					}
				}
			})
		}
	}
}

// The usage at the end is that of all attempts.
func TestFetchUsage(t *testing.T) {
	for _, s := range streams {
		if s.resumes {
			continue
		}
		n := len(s.healthy(t, short, `{"words":3}`))
		for _, at := range []int{n / 3, n / 2, n * 3 / 4} {
			got := Play(s.raw(), s.plan(script(short, `{"words":3,"end":"reset","endAfterBytes":`+strconv.Itoa(at)+`}`, `{}`)), 0)
			_, _, from := s.read(t, got.Body)
			if from.Usage != got.Usage {
				t.Fatalf("%s: usage %+v, want %+v\n%s", s.name, from.Usage, got.Usage, got.Body)
			}
		}
	}
}

// Whatever a provider writes, what reads as a complete answer was one.
func FuzzFetch(f *testing.F) {
	const several = 0x80
	list := slices.DeleteFunc(slices.Clone(streams), func(s stream) bool { return s.resumes }) // whoever fakes progress is asked again and again
	for i, s := range list {
		for _, behaviour := range []string{`{"words":9}`, `{"words":9,"reasoning":"I think of the sea.","tool":true}`} {
			x := s.plan(script(short, behaviour, `{}`))(1, &core.Request{Method: "POST", URL: s.raw().Path, Body: s.raw().Body})
			f.Add(uint8(i), x.Body(), 100)
			f.Add(uint8(i), x.Body()[:len(x.Body())/2], 7)
			f.Add(uint8(i)|several, x.Body(), 100)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte, chunk int) {
		s := list[int(which&^several)%len(list)]
		spec := s.raw()
		if which&several != 0 {
			spec.Body = spec.Body.With("n", []byte("2"))
		}
		spec.Policy.Budget.Attempts = 2
		got := Play(spec, func(int, *core.Request) sim.Exchange {
			return sim.Exchange{Status: 200, Steps: []sim.Step{{Write: body}, {End: sim.Close}}}
		}, max(1, chunk&0xfff))
		if got.Head == nil || got.Head.Status != 200 {
			return
		}
		from := wire.NewStream(s.api, s.provider, nil)
		from.Several = wire.Several(spec.Body)
		var decoder sse.Decoder
		decoder.Feed(got.Body)
		for range 2 {
			for {
				e, ok, _ := decoder.Next()
				if !ok {
					break
				}
				from.Event(e)
			}
			decoder.Flush()
		}
		from.Close()
		whole := got.Status == core.Complete || got.Status == core.ContentFilter && got.Fault.Decision == ""
		if ended := from.End == wire.Complete || from.End == wire.Filtered; ended && !whole {
			t.Fatalf("reads as complete, and is %s (%+v):\n%q", got.Status, got.Fault, got.Body)
		}
	})
}
