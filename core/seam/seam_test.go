package seam

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// join feeds next to a Joiner in chunks of size bytes and returns what it adds to shown.
func join(shown, next string, size int) (string, *Joiner) {
	j := New(shown)
	var b strings.Builder
	for next != "" {
		n := min(size, len(next))
		for n < len(next) && !utf8.RuneStart(next[n]) {
			n++
		}
		b.WriteString(j.Feed(next[:n]))
		next = next[n:]
	}
	b.WriteString(j.Flush())
	return b.String(), j
}

func TestJoin(t *testing.T) {
	for _, c := range []struct{ name, shown, next, added string }{
		{"exact", "The quick", " brown", " brown"},
		{"exact inside a word", "Hel", "lo", "lo"},
		{"con-014 spaces are kept", "The quick", "  brown", "  brown"},
		{"con-014 last words again", "The quick brown ", "quick brown fox", "fox"},
		{"con-014 nothing is added", "Hello", "world", "world"},
		{"con-015 case counts", "The river is what most visitors like.", " Most visitors stay.", " Most visitors stay."},
		{"con-016 paragraph break", "Then add the salt", "add the salt\n\nNext", "\n\nNext"},
		{"last word, cut inside", "see the Hel", "Hello world", "lo world"},
		{"last word, one letter", "see the h", "house", "ouse"},
		{"last word, whole", "I want to", "to go", " go"},
		{"sentence", "It rains. The sea is calm, mos", "The sea is calm, mostly.", "tly."},
		{"start over", "Three tips: rest,", "Three tips: rest, water, walk.", " water, walk."},
		{"start over at the end", "All is said.", "All is said.", ""},
		{"same first words only", "The answer is 4. So", "The answer to the other is 5.", "The answer to the other is 5."},
		{"last word, at the end", "x = `a`;\n```\n", "a`;\n```\n", ""},
		{"last word, short, at the end", "It is 42.\n", "42.\n", "42.\n"},
		{"ha + ha", "ha", "ha", "ha"},
		{"ha! + ha!", "They said ha! ", "ha! ", "ha! "},
		{"ha + ha in a text", "They said ha", "ha, that was it", ", that was it"},
		{"hahaha", "ha", "haha", "haha"},
		{"ha ha ha", "ha ha ", "ha", "ha"},
		{"a refrain", "La la land. La la land. ", "La la land. La la land. End.", "La la land. La la land. End."},
		{"a refrain, first time", "La la land. ", "La la land. La la land. End.", "La la land. La la land. End."},
		{"doubled on purpose", "It was very ", "very very good", "very very good"},
		{"CJK exact", "潮汐池很", "安静。", "安静。"},
		{"CJK phrase again", "海风吹过。潮汐池", "潮汐池很安静。", "很安静。"},
		{"CJK doubled", "哈", "哈哈", "哈哈"},
		{"emoji alone is kept", "Great 🎉", "🎉 indeed", "🎉 indeed"},
		{"emoji in a repeat", "Look 🎉 at the tide 👩‍🔬 an", "🎉 at the tide 👩‍🔬 and", "d"},
		{"table row exact", "| a | b |\n|---", "|---|\n", "|---|\n"},
		{"table cell exact", "| yes |", " yes | no |", " yes | no |"},
		{"table row again", "| a | b |\n|---|---|\n| one |", "| one | two |", " two |"},
		{"bullet and emoji again", "List:\n- 👩‍🔬", "- 👩‍🔬 Biologists", " Biologists"},
		{"heading again", "Text.\n\n## ", "## Next", "Next"},
		{"bold word again", "1. **Impact.**", "**Impact.** The crest", " The crest"},
		{"heading without its space", "Text.\n\n##", "## Next", " Next"},
		{"a longer heading", "Text.\n\n#", "# Next", "# Next"},
		{"code exact", "```go\nfor {", "\n\tbreak", "\n\tbreak"},
		{"code closed", "```go\nx := 1\n", "```\nDone", "```\nDone"},
		{"fence again", "See:\n```go\nx := ", "```go\n1\n```\n", "1\n```\n"},
		{"fence and line again", "See:\n```go\nx := ", "```go\nx := 1\n```\n", "1\n```\n"},
		{"fence of another language", "```go\nx := ", "```js\n1", "```js\n1"},
		{"bare fence closes", "```\nx := 1\n", "```\nDone", "```\nDone"},
		{"closed fence", "```go\nx\n```\nNow ", "```go\ny", "```go\ny"},
		{"nothing shown", "", "Hello", "Hello"},
		{"nothing added", "Hello", "", ""},
	} {
		for _, size := range []int{1, 2, 3, 7, 1000} {
			added, j := join(c.shown, c.next, size)
			if added != c.added {
				t.Errorf("%s (chunks of %d): %q + %q added %q, want %q", c.name, size, c.shown, c.next, added, c.added)
			}
			if want := utf8.RuneCountInString(c.next) - utf8.RuneCountInString(c.added); j.Trimmed != want {
				t.Errorf("%s: Trimmed = %d, want %d", c.name, j.Trimmed, want)
			}
		}
	}
}

// A second, different answer is neither joined nor shown after the first.
func TestDiverged(t *testing.T) {
	shown := "Tide pools survive storms since their animals hold on to rock, and hide deep"
	added, j := join(shown, shown[:70]+"quite another way. Then more.", 5)
	if added != "" || !j.Diverged {
		t.Errorf("added %q, Diverged %v", added, j.Diverged)
	}
	if added, j = join(shown, "Tide pools survive", 5); added != "" || !j.Diverged { // its limit, or a filter, ended it
		t.Errorf("added %q, Diverged %v", added, j.Diverged)
	}
}

// Text that cannot be a repeat passes at once.
func TestNoDelay(t *testing.T) {
	j := New("The tide comes in twice a day. ")
	if got := j.Feed("X"); got != "X" || !j.Decided() {
		t.Errorf("held %q back", "X")
	}
}

// A long tail of one letter costs no quadratic time. con-018.
func TestLongTail_con_018(t *testing.T) {
	for _, shown := range []string{strings.Repeat("a", 200000), strings.Repeat("a ", 100000)} {
		began := time.Now()
		join(shown, strings.Repeat("a", 4000), 4000)
		join(shown, shown[:4000], 1)
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("took %v", took)
		}
	}
}

// text has no word that begins with a doubled prefix and no doubled word, so that each way to go
// on is well defined at every cut.
const text = "# Tide pools 🌊\n\nWhy do they *survive*? Three reasons:\n\n1. Rock holds — mostly.\n2. 潮汐池里，海葵紧紧抓住岩石。\n\n" +
	"| who | where |\n|---|---|\n| crab 🦀 | under stones |\n\n```go\nfunc tide(h int) float64 {\n\treturn h * 2\n}\n```\n\nThat is the whole story, 👩‍🔬 says the biologist.\n"

func TestEveryCut(t *testing.T) {
	for cut := range text {
		shown := text[:cut]
		if countWords(shown) == 0 {
			continue // the call holds such text back: nothing is shown yet
		}
		for name, next := range map[string]string{
			"exact":     text[cut:],
			"word":      text[lastWord(shown):],
			"line":      text[from(shown, "\n"):],
			"sentence":  text[from(shown, ". ", "? ", "。", "\n"):],
			"paragraph": text[from(shown, "\n\n"):],
			"restart":   text,
		} {
			for _, size := range []int{1, 11, 4000} {
				if added, _ := join(shown, next, size); shown+added != text {
					t.Errorf("cut %d, %s, chunks of %d: %q + %q added %q", cut, name, size, shown[max(0, cut-20):], next[:min(20, len(next))], added[:min(20, len(added))])
				}
			}
		}
	}
}

// from is where the last piece of s begins that holds a word, as the marks divide it.
func from(s string, marks ...string) (start int) {
	for _, mark := range marks {
		if i := strings.LastIndex(s, mark); i >= 0 {
			start = max(start, i+len(mark))
		}
	}
	if countWords(s[start:]) == 0 {
		return lastWord(s)
	}
	return start
}

func lastWord(s string) int {
	end := len(s)
	for end > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:end])
		if isWord(r) {
			break
		}
		end -= size
	}
	for end > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:end])
		if !isWord(r) {
			break
		}
		end -= size
	}
	return end
}

// FuzzJoin: whatever comes, how it is cut does not matter, and only a prefix of it is removed.
func FuzzJoin(f *testing.F) {
	f.Add("The quick brown ", "quick brown fox", uint8(3))
	f.Add("```go\nx ", "```go\nx 1", uint8(1))
	f.Fuzz(func(t *testing.T, shown, next string, size uint8) {
		if !utf8.ValidString(shown) || !utf8.ValidString(next) {
			return
		}
		whole, _ := join(shown, next, max(1, len(next)))
		cut, j := join(shown, next, int(size)+1)
		if whole != cut {
			t.Errorf("in one piece %q, in pieces %q", whole, cut)
		}
		if !j.Diverged && !strings.HasSuffix(next, cut) {
			t.Errorf("added %q is not the end of %q", cut, next)
		}
	})
}
