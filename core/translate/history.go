package translate

import (
	"strings"

	"holdfast/core/decimal"
)

// settle brings the turns into the one order that all APIs accept: a turn with tool calls is
// followed by a turn with their results, in the order of the calls, and nothing else. Every call
// then has an id of its own that every API accepts; most stay what they were.
func (r *request) settle() {
	r.turns = joinCalls(r.turns)
	calls := r.pair()
	var settled []turn
	n := 0 // of calls seen
	for _, t := range r.turns {
		var said, answers []part
		for _, p := range t.parts {
			switch p.kind {
			case callPart:
				if c := calls[n]; c.result != nil {
					p.id, p.name = c.id, c.name
					answer := *c.result
					answer.id, answer.name = c.id, c.name
					said, answers = append(said, p), append(answers, answer)
				} else {
					r.drop(p.at, "a tool call without a result")
				}
				n++
			case resultPart: // stands behind its call
			default:
				said = append(said, p)
			}
		}
		if len(said) > 0 {
			settled = append(settled, turn{t.role, t.at, said, t.name})
		}
		if len(answers) > 0 {
			settled = append(settled, turn{role: results, at: answers[0].at, parts: answers})
		}
	}
	r.turns = settled
}

// joinCalls makes one turn of an assistant's neighbouring turns when one of them holds a call:
// Responses sends each call as an item of its own.
func joinCalls(turns []turn) []turn {
	holds := func(t turn) bool {
		for _, p := range t.parts {
			if p.kind == callPart {
				return true
			}
		}
		return false
	}
	var joined []turn
	open := false // the last of joined is an assistant's and holds a call
	for _, t := range turns {
		calls := t.role == assistant && holds(t)
		if n := len(joined); n > 0 && t.role == assistant && joined[n-1].role == assistant && (open || calls) {
			last := &joined[n-1]
			last.parts = append(last.parts[:len(last.parts):len(last.parts)], t.parts...)
			open = true
			continue
		}
		joined = append(joined, t)
		open = calls
	}
	return joined
}

// paired is a call with its result, if there is one.
type paired struct {
	id, name string
	result   *part
}

// pair finds the result of every call, by id or, where one side has none, by name and order. It
// drops results that answer no call.
func (r *request) pair() []paired {
	var calls []paired
	taken := map[string]bool{}
	for _, t := range r.turns {
		for i := range t.parts {
			p := &t.parts[i]
			switch p.kind {
			case callPart:
				calls = append(calls, paired{id: p.id, name: p.name})
				taken[p.id] = true
			case resultPart:
				answered := false
				for c := range calls {
					call := &calls[c]
					sameID := p.id != "" && p.id == call.id
					sameName := (p.id == "" || call.id == "") && p.name != "" && p.name == call.name
					if call.result == nil && (sameID || sameName) {
						call.result, answered = p, true
						break
					}
				}
				if !answered {
					r.drop(p.at, "a tool result without its call")
				}
			}
		}
	}
	used, made := map[string]bool{}, 0
	for c := range calls {
		call := &calls[c]
		if call.result == nil {
			continue
		}
		if !goodID(call.id) || used[call.id] {
			for made++; taken["call_"+decimal.String(made)]; made++ {
			}
			call.id = "call_" + decimal.String(made)
		}
		used[call.id] = true
	}
	return calls
}

// goodID tells whether every API takes an id: messages allows only these characters, responses
// only 64 of them.
func goodID(id string) bool {
	if len(id) == 0 || len(id) > 64 {
		return false
	}
	for i := 0; i < len(id); i++ {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// opening is the user's turn put before a history that begins with the assistant's, where an API
// wants the user to begin.
const opening = "Begin."

// alternate brings the turns into the order that messages and generate want: all system text
// first, then user and assistant by turns, the user first. Results count as the user's.
func (r *request) alternate() {
	front := turn{role: system}
	var rest []turn
	for _, t := range r.turns {
		switch n := len(rest); {
		case t.role == system:
			if n > 0 {
				r.adjust(t.at, "moved to the front")
			}
			front.parts = append(front.parts, t.parts...)
			continue
		case t.role == results:
			t.role = user
			fallthrough
		default:
			if n > 0 && rest[n-1].role == t.role {
				last := &rest[n-1]
				last.parts = append(last.parts[:len(last.parts):len(last.parts)], t.parts...)
				continue
			}
		}
		rest = append(rest, t)
	}
	switch {
	case len(rest) == 0 && len(front.parts) > 0:
		r.adjust(front.parts[0].at, "sent as the user's message")
		front.role = user
		r.turns = []turn{front}
		return
	case len(rest) > 0 && rest[0].role == assistant:
		r.adjust(rest[0].at, "a user's message was put before it")
		rest = append([]turn{{role: user, at: rest[0].at, parts: []part{text(rest[0].at, opening)}}}, rest...)
	}
	if len(front.parts) > 0 {
		rest = append([]turn{front}, rest...)
	}
	r.turns = rest
}

// goOn is the user's turn put behind a last one of the assistant's, from which the target would not go on.
const goOn = "Go on from exactly where your last message ends. Do not repeat any of it."

func (r *request) endWithUser() {
	if n := len(r.turns); n > 0 && r.turns[n-1].role == assistant {
		at := r.turns[n-1].at
		r.adjust(at, "a user's message was put behind it")
		r.turns = append(r.turns, turn{role: user, at: at, parts: []part{text(at, goOn)}})
	}
}

// withoutBlanks removes texts that messages and generate refuse because they hold nothing.
func (r *request) withoutBlanks() {
	var kept []turn
	for _, t := range r.turns {
		var parts []part
		for _, p := range t.parts {
			if p.kind == textPart && strings.TrimSpace(p.text) == "" {
				if p.text != "" {
					r.adjust(p.at, "blank, left out")
				}
				continue
			}
			parts = append(parts, p)
		}
		if t.parts = parts; len(parts) > 0 {
			kept = append(kept, t)
		}
	}
	r.turns = kept
}
