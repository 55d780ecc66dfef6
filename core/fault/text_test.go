package fault

import (
	"strings"
	"testing"
	"unicode/utf8"

	"holdfast/core/json"
)

func TestMask(t *testing.T) {
	for in, want := range map[string]string{
		"no key here": "no key here",
		"Incorrect API key provided: sk-proj-abc***xyz. Go":   "Incorrect API key provided: sk-…. Go",
		"xai-0123456789abcdef and AIzaSyA0123456789abcdefghi": "xai-… and AIza…",
		"the newer form AQ.Ab8RN6I0123456789_abc":             "the newer form AQ.…",
		"Authorization: Bearer abcdefghijkl":                  "Authorization: Bearer …",
		"https://x/?key=abcdefgh12&a=1":                       "https://x/?key=…&a=1",
		"a task-force of risk-takers":                         "a task-force of risk-takers",
		"sk-short":                                            "sk-short",
	} {
		if got := mask(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestCut(t *testing.T) {
	for in, want := range map[string]string{
		"abc": "abc", "abcdef": "abcd", "äöüß!": "äöüß", "a\xffb": "a\uFFFDb", "a\x00\x1bb": "a  b", "\xed\xa0\x80": "\uFFFD\uFFFD\uFFFD",
	} {
		if got := cut(in, 4); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestHead(t *testing.T) {
	v := json.Value(`"` + strings.Repeat(`\n\u00e9ä\\x`, 50) + `"`)
	whole := v.Text()
	for limit := range len(v) {
		if got := head(v, limit); !strings.HasPrefix(whole, strings.TrimRight(got, "\xc3")) || len(got) > limit+8 {
			t.Fatalf("head %d is %q", limit, got)
		}
	}
}

// Every reason has a sentence of its own kind.
func TestSentences(t *testing.T) {
	for _, r := range []Reason{RateLimit, Overloaded, Auth, Unknown, "something else"} {
		if s := sentence(r); s == "" || !utf8.ValidString(s) {
			t.Errorf("%s: %q", r, s)
		}
	}
}
