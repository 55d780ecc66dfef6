package translate

import (
	"strings"

	"holdfast/core/fault"
)

// Models that refuse what most of their provider's take. A request that was written for another
// one would fail there; whoever names such a model himself learns it from its provider. Sources: the
// providers' guides to reasoning models, Anthropic's to migrating to Claude 4.6 and 4.7.
var refusing = []struct {
	provider fault.Provider
	models   func(model string) bool
	members  string
}{
	{fault.OpenAI, reasons, "temperature top_p presence_penalty frequency_penalty logprobs top_logprobs logit_bias stop"},
	{fault.XAI, reasonsAtXAI, "presence_penalty frequency_penalty stop"},
	{fault.Anthropic, func(model string) bool { return claude(model) >= 47 }, "temperature top_p top_k"},
}

// fitModel drops what the model refuses.
func (r *request) fitModel() {
	if r.chosen {
		return
	}
	for _, row := range refusing {
		if row.provider != r.to.Provider || !row.models(r.model) {
			continue
		}
		for more, members := true, row.members; more; {
			var name string
			name, members, more = strings.Cut(members, " ")
			r.unset(name, "the model refuses it")
		}
		if has(row.members, "stop") {
			for _, s := range r.stops {
				r.drop(s.at, "the model refuses it")
			}
			r.stops = nil
		}
		var rest []member
		for _, m := range r.rest {
			if has(row.members, m.name) {
				r.drop(below("", m.name), "the model refuses it")
			} else {
				rest = append(rest, m)
			}
		}
		r.rest = rest
	}
	// Only messages means a last turn of the assistant's to be gone on from, where its models take it.
	if r.to.API == messages && claude(r.model) >= 46 || r.from.API == messages && r.to.API != messages {
		r.endWithUser()
	}
}

// reasons tells OpenAI's reasoning models: o1, o3-mini, gpt-5.5, but not gpt-5-chat.
func reasons(model string) bool {
	if version, ok := strings.CutPrefix(model, "gpt-"); ok {
		return number(version) >= 5 && !strings.Contains(model, "-chat")
	}
	return len(model) > 1 && model[0] == 'o' && number(model[1:]) > 0
}

func reasonsAtXAI(model string) bool {
	version, ok := strings.CutPrefix(model, "grok-")
	return ok && (number(version) >= 4 || strings.HasPrefix(version, "3-mini")) && !strings.Contains(model, "non-reasoning")
}

// formOrTools tells Gemini's models before 3, which take no form of the answer beside functions.
func formOrTools(model string) bool {
	version, ok := strings.CutPrefix(model, "gemini-")
	n := number(version)
	return ok && 0 < n && n < 3
}

// claude is the version of a Claude in tenths: 47 of claude-opus-4-7, 50 of claude-sonnet-5-20260901, and
// 0 of what is none or does not tell.
func claude(model string) int {
	words := strings.Split(model, "-")
	if words[0] != "claude" {
		return 0
	}
	for i, word := range words[1:] {
		major := number(word)
		if major == 0 {
			continue
		}
		minor := 0
		if _, rest, ok := strings.Cut(word, "."); ok {
			minor = number(rest)
		} else if next := i + 2; next < len(words) && len(words[next]) < 3 { // longer ones are dates
			minor = number(words[next])
		}
		return 10*major + min(minor, 9)
	}
	return 0
}

// number is the whole number that a text begins with, or 0; a longer one than of two digits is none.
func number(text string) (n int) {
	for i := 0; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
		if n = 10*n + int(text[i]-'0'); n > 99 {
			return 0
		}
	}
	return n
}
