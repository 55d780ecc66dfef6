package sim

import (
	_ "embed"
	"strings"
)

// long is the usual answer. It holds what breaks clients: emoji of several code points, CJK
// without spaces, a table, a list, a code block. A test keeps it fit for judging continuations:
// no word begins with a doubled piece ("haha") and no word follows itself.
//
//go:embed long.md
var long string

// canned are the answers the model knows. The first whose keywords stand in the prompt is given;
// the last has none and always fits. They begin differently, so that a partial tells which it was.
var canned = []struct {
	keywords []string
	text     string
}{
	{[]string{"ping"}, "Pong, loud and clear."},
	{[]string{"short", "brief", "one sentence"}, "Small pools outlive big storms because everything in them knows when to hold on and when to let go. 🐚"},
	{nil, strings.TrimSuffix(long, "\n")},
}

// answerTo picks the answer to a prompt.
func answerTo(prompt string) string {
	prompt = strings.ToLower(prompt)
	for _, answer := range canned {
		for _, keyword := range answer.keywords {
			if strings.Contains(prompt, keyword) {
				return answer.text
			}
		}
	}
	return canned[len(canned)-1].text
}

// LongAnswer is what a prompt without a keyword gets.
func LongAnswer() string { return canned[len(canned)-1].text }

// words splits text into pieces as a model would send them: each is one run of visible characters
// together with the white space before it. Joined they give the text again.
func words(text string) []string {
	var list []string
	start, visible := 0, false
	for i := 0; i < len(text); i++ {
		space := text[i] == ' ' || text[i] == '\n' || text[i] == '\t'
		if space && visible {
			list = append(list, text[start:i])
			start = i
		}
		visible = !space
	}
	if start < len(text) {
		list = append(list, text[start:])
	}
	return list
}
