// Package seam joins the parts of an answer where a continuation meets the text already shown.
//
// A model that is asked to go on may go on exactly, say the last word, sentence or paragraph
// again, open the code fence again, or start over. Joiner holds back the first text of the
// continuation only as long as it could still be a repeat, removes the longest exact repeat, and
// lets everything else pass untouched: no white space is added, trimmed or normalised.
//
// When is an overlap a repeat? An exact continuation may begin by chance with the letters that
// the shown text ends with ("Hel" + "lo"). So a repeat must start where a word starts in the
// shown text, or with the markup that starts a line, and hold at least one word; and it
// must not look like the writer's own doubling ("ha" + "ha", "very " + "very very good").
// When unsure, nothing is removed: a visible repeat is better than a silent loss.
package seam

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// window bounds the text before the seam in which a repeat may start, in bytes. A restart,
	// a repeat of everything, is looked for whatever its length.
	window = 4096
	// A continuation that repeats this much of the answer's beginning and then differs, or some words of it
	// and then ends, is a second, different answer: it can be neither joined nor shown.
	restartBytes, restartWords = 64, 3
	shortWord                  = 4 // runes; what is shorter, and repeated alone, needs evidence
)

// Joiner joins one continuation to the text shown before it.
type Joiner struct {
	// Trimmed counts the characters removed so far.
	Trimmed int
	// Diverged says that the continuation started the answer over and then told it differently.
	// What it says is not emitted any more.
	Diverged bool

	shown   string
	fence   string // the line that opened the code block still open at the end of shown, or ""
	held    []byte // the continuation so far, from the first byte not yet decided
	checked int    // held[:checked] has been compared with every start in open
	open    []int  // starts in shown whose text still matches, and needs more of the continuation
	whole   []int  // lengths of the repeats found in full, in bytes, the longest first
	over    int    // how far the continuation followed the answer's beginning, in bytes
	decided bool
}

// New returns a Joiner for a continuation of shown.
func New(shown string) *Joiner {
	j := &Joiner{shown: shown, fence: openFence(shown), decided: shown == ""}
	j.look()
	return j
}

// Decided tells that the seam is behind us: nothing is held back any more.
func (j *Joiner) Decided() bool { return j.decided }

// Feed takes the next text of the continuation and returns what may be shown now.
func (j *Joiner) Feed(text string) string {
	if j.Diverged {
		return ""
	}
	if j.decided {
		return text
	}
	j.held = append(j.held, text...)
	return j.decide(false)
}

// Flush says that the continuation ended and returns the rest of what may be shown.
func (j *Joiner) Flush() string {
	if j.decided || j.Diverged {
		return ""
	}
	return j.decide(true)
}

// look lists where in shown a repeat may start: at its beginning and, within the window, at
// every place that is not inside a word.
func (j *Joiner) look() {
	j.open, j.checked, j.whole, j.over = append(j.open[:0], 0), 0, nil, 0
	from := max(0, len(j.shown)-window)
	for from < len(j.shown) && !utf8.RuneStart(j.shown[from]) {
		from++
	}
	inWord := false
	if before, size := utf8.DecodeLastRuneInString(j.shown[:from]); size > 0 {
		inWord = isWord(before)
	}
	for i, r := range j.shown[from:] {
		word := isWord(r)
		if from+i > 0 && !(inWord && word) {
			j.open = append(j.open, from+i)
		}
		inWord = word
	}
}

// decide compares what came last and, once nothing undecided is left, splits repeat from rest.
func (j *Joiner) decide(ended bool) string {
	still := j.open[:0]
	for _, start := range j.open {
		repeat := j.shown[start:]
		n := min(len(repeat), len(j.held))
		same := common(j.held[j.checked:n], repeat[min(j.checked, n):n])
		if start == 0 {
			j.over = j.checked + same
		}
		switch {
		case j.checked+same < n:
		case len(j.held) < len(repeat):
			still = append(still, start)
		default:
			j.whole = append(j.whole, len(repeat))
			for i := len(j.whole) - 1; i > 0 && j.whole[i-1] < len(repeat); i-- { // the longest first
				j.whole[i-1], j.whole[i] = len(repeat), j.whole[i-1]
			}
		}
	}
	j.open, j.checked = still, len(j.held)
	if len(still) > 0 && !ended {
		return ""
	}
	// The longest repeat counts, unless a shorter one within it shows that the writer doubles.
	verdict := keep
	for i, n := range j.whole {
		split := len(j.shown) - n
		v, doubled := judge(j.shown[:split], j.shown[split:], j.held[n:], ended)
		if i == 0 {
			verdict = v
		} else if doubled {
			verdict = keep
		}
	}
	switch {
	case verdict == wait:
		return ""
	case verdict == remove:
		return j.emit(j.whole[0])
	case (j.over >= restartBytes || ended && j.over == len(j.held)) && j.over < len(j.shown) && countWords(j.shown[:j.over]) >= restartWords:
		j.Diverged, j.held = true, nil
		return ""
	case j.fence != "" && len(j.held) < len(j.fence) && !ended && strings.HasPrefix(j.fence, string(j.held)):
		return ""
	case j.fence != "" && strings.HasPrefix(string(j.held), j.fence):
		j.Trimmed += utf8.RuneCountInString(j.fence)
		j.held, j.fence = j.held[len(j.fence):], ""
		j.look()
		return j.decide(ended)
	}
	return j.emit(0)
}

func (j *Joiner) emit(repeat int) string {
	j.Trimmed += utf8.RuneCount(j.held[:repeat])
	rest := string(j.held[repeat:])
	j.held, j.open, j.decided = nil, nil, true
	return rest
}

type verdict int

const (
	keep verdict = iota
	remove
	wait
)

// judge decides whether repeat, found at the end of the shown text (behind before) and again at
// the beginning of the continuation (in front of rest), is one. doubled tells that it is not since
// the writer says things twice here.
func judge(before, repeat string, rest []byte, ended bool) (v verdict, doubled bool) {
	words := countWords(repeat)
	first, _ := utf8.DecodeRuneInString(repeat)
	startsLine := before == "" || strings.HasSuffix(before, "\n")
	startsToken := startsLine || strings.HasSuffix(before, " ") && first != ' '
	switch {
	case words == 0 && startsLine && isMarker(repeat):
		return remove, false
	case words == 0 || words == 1 && !isWord(first) && !startsToken:
		return keep, false
	}
	unit := strings.TrimSpace(repeat)
	if words == 1 {
		unit = strings.TrimFunc(repeat, func(r rune) bool { return !isWord(r) })
	}
	next := strings.TrimLeftFunc(string(rest), unicode.IsSpace)
	switch {
	case strings.HasPrefix(next, unit), strings.HasSuffix(strings.TrimRightFunc(before, unicode.IsSpace), unit):
		return keep, true
	case !ended && len(next) < len(unit) && strings.HasPrefix(unit, next):
		return wait, false
	case words == 1 && next == "" && utf8.RuneCountInString(strings.TrimSpace(repeat)) < shortWord:
		return keep, false
	}
	return remove, false
}

// isMarker tells whether s, which holds no word, starts a line in a way that no line starts with
// twice: with markup, unlike "#", "-" or "|---" which may well go on with themselves, and perhaps
// with more behind it, such as a bullet and an emoji.
func isMarker(s string) bool {
	markup := len(s) - len(strings.TrimLeft(s, "#*+->|~` "))
	rest := s[markup:]
	switch strings.TrimRight(s[:markup], " ") {
	case "|", "**", "```", "~~~", "##", "###", "####":
		return true
	case "-", "*", "+", ">", "#":
		return strings.HasSuffix(s[:markup], " ")
	}
	return markup > 0 && rest != ""
}

// openFence returns the line, with its end, that opened a code block which shown leaves open. A
// bare fence gives "": it cannot be told from one that closes.
func openFence(shown string) string {
	opened := ""
	for line := range strings.Lines(shown) {
		mark := strings.TrimLeft(line, " ")
		if !strings.HasPrefix(mark, "```") && !strings.HasPrefix(mark, "~~~") {
			continue
		}
		switch {
		case opened == "":
			opened = mark
		case mark[:3] == opened[:3] && strings.Trim(mark, "`~ \r\n") == "":
			opened = ""
		}
	}
	if strings.Trim(opened, "`~ \r\n") == "" || !strings.HasSuffix(opened, "\n") {
		return ""
	}
	return opened
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func countWords(s string) (n int) {
	inWord := false
	for _, r := range s {
		word := isWord(r)
		if word && !inWord {
			n++
		}
		inWord = word
	}
	return n
}

// common is the length of the longest common prefix.
func common(a []byte, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
