package sim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ways in which a model goes on after a partial answer, as a script names them.
const (
	exact         = "exact"          // where the partial ends
	lastWord      = "last_word"      // from the partial's last run of letters and digits
	lastSentence  = "last_sentence"  // from its last sentence
	lastParagraph = "last_paragraph" // from its last paragraph
	restart       = "restart"        // the whole answer again
	fence         = "fence"          // opens the code block again, then exact
)

var modes = []string{exact, lastWord, lastSentence, lastParagraph, restart, fence}

// goOn is the text with which a model in the given mode continues answer after its first n bytes.
func goOn(answer string, n int, mode string) string {
	partial := answer[:n]
	switch mode {
	case lastWord:
		return answer[wordStart(partial):]
	case lastSentence:
		return answer[sentenceStart(partial):]
	case lastParagraph:
		return answer[strings.LastIndex(strings.TrimRight(partial, "\n"), "\n\n")+1:]
	case restart:
		return answer
	case fence:
		if open := openFence(partial); open != "" {
			return open + "\n" + answer[n:]
		}
	}
	return answer[n:]
}

// wordStart is where the last run of letters and digits begins; len(partial) when there is none.
func wordStart(partial string) int {
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	end := strings.LastIndexFunc(partial, isWord)
	if end < 0 {
		return len(partial)
	}
	before := strings.LastIndexFunc(partial[:end], func(r rune) bool { return !isWord(r) })
	if before < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(partial[before:])
	return before + size
}

// sentenceStart is where the last sentence begins that has a word: bare markup or an emoji is no
// sentence yet, and whether to say it again nobody could tell from saying it twice. Sentences end at
// a line's end, at . ! ? before a space, and at the full-width marks.
func sentenceStart(partial string) int {
	start, pending := 0, 0
	previous := rune(0)
	for i, r := range partial {
		if (unicode.IsLetter(r) || unicode.IsDigit(r)) && pending > start {
			start = pending
		}
		switch {
		case r == '\n' || r == '。' || r == '！' || r == '？':
			pending = i + utf8.RuneLen(r)
		case r == ' ' && (previous == '.' || previous == '!' || previous == '?'):
			pending = i + 1
		}
		previous = r
	}
	return start
}

// openFence is the line that opened a code block which the partial leaves open, or "".
func openFence(partial string) (open string) {
	for line := range strings.SplitSeq(partial, "\n") {
		if !strings.HasPrefix(line, "```") {
			continue
		}
		if open == "" {
			open = line
		} else {
			open = ""
		}
	}
	return open
}

// partialIn looks for the beginning of answer inside a message, whatever words surround it, and
// returns how many bytes of the answer the message carries; 0 when it is not a continuation.
func partialIn(message, answer string) int {
	// A few letters may stand in any prompt. They count only as a paragraph of their own.
	const sure = 16
	best := 0
	for i := range len(message) {
		n := common(message[i:], answer)
		if n == 0 {
			continue
		}
		n = stepBack(message[i:], n)
		alone := strings.HasSuffix(message[:i], "\n\n") && strings.HasPrefix(message[i+n:], "\n\n")
		if n > best && (n >= sure || alone) {
			best = n
		}
	}
	return best
}

// stepBack corrects a match that ran on into the words after the partial: the blank line that
// ends the partial may be what the answer has there too. A match that stops before a mark, such
// as a closing tag or quote, did not run on.
func stepBack(message string, n int) int {
	const farthest = 12
	if next, _ := utf8.DecodeRuneInString(message[n:]); unicode.IsPunct(next) || unicode.IsSymbol(next) {
		return n
	}
	for p := n; p > 0 && p >= n-farthest; p-- {
		if strings.HasPrefix(message[p:], "\n\n") {
			return p
		}
	}
	return n
}

// common is the length of the longest common beginning of a and b.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
