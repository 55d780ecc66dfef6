package sim

import (
	"bytes"
	"strings"

	"holdfast/core/json"
)

// kept is an answer in the provider's store. It was made to its end whatever became of the
// connection that asked for it; a read says how much of it there was by then.
type kept struct {
	id                string
	api               api
	speaks            dialect
	reply             reply
	events            []keptEvent // of its stream; none when it was not streamed in the background
	pending           int         // reads that still find it unfinished
	gone              bool        // deleted, or fetched where that is possible once
	session, scenario string
}

// keptEvent is one event of a stored stream.
type keptEvent struct {
	data   []byte
	words  int    // of the answer, up to and with this event
	cursor string // "" when it has none
	delta  bool   // it adds words
}

// answers are the stored answers, oldest first in order.
type answers struct {
	byID  map[string]*kept
	order []string
}

// maxAnswers is how many answers a store holds.
const maxAnswers = 512

func (a *answers) put(k *kept) {
	if a.byID == nil {
		a.byID = map[string]*kept{}
	}
	if a.byID[k.id] == nil {
		a.order = append(a.order, k.id)
	}
	a.byID[k.id] = k
	if len(a.order) > maxAnswers {
		delete(a.byID, a.order[0])
		a.order = a.order[1:]
	}
}

// keep puts the answer into the store where its API does so. It returns what a request is told
// that does not wait for the answer.
func (p *planner) keep(b Behaviour, r reply) []byte {
	r.noUsage = false
	if p.api.id == nil || p.api.id(r) == "" {
		return nil
	}
	k := &kept{id: p.api.id(r), api: p.api, speaks: p.speaks, reply: r, pending: b.Pending,
		session: p.exchange.Session, scenario: p.exchange.Scenario}
	if b.Error != "" {
		failure := p.problem(b)
		k.reply.failure = &failure
		k.reply.text = upTo(r.text, place(b.ErrorAfter, len(words(r.text))))
	}
	if p.prompt.background && p.prompt.stream {
		k.events = eventsOf(p.streamed(b, r, true))
	}
	p.store.answers.put(k)
	if p.prompt.deferred {
		return deferredTicket(r)
	}
	return p.api.whole(r.unfinished("queued", 0))
}

// unfinished is the answer as it was after some of its words.
func (r reply) unfinished(status string, words int) reply {
	r.status, r.tool, r.failure = status, nil, nil
	r.text = upTo(r.text, words)
	if words == 0 {
		r.reasoning = ""
	}
	return r
}

// upTo is the first n words of a text.
func upTo(text string, n int) string {
	all := words(text)
	return strings.Join(all[:min(n, len(all))], "")
}

// eventsOf takes a stream apart.
func eventsOf(t *track) (list []keptEvent) {
	words := 0
	for i, step := range t.steps {
		for data := range bytes.SplitAfterSeq(step.Write, []byte("\n\n")) {
			if len(data) == 0 {
				continue
			}
			list = append(list, keptEvent{data: data, words: t.said[i], cursor: cursorOf(data), delta: t.said[i] > words})
		}
		words = t.said[i]
	}
	return list
}

// cursorOf is the cursor in an event: its number or its id.
func cursorOf(event []byte) string {
	_, data, _ := bytes.Cut(event, []byte("data: "))
	value, err := json.Parse(bytes.TrimSpace(data))
	if err != nil {
		return ""
	}
	return first(value.Get("event_id").Text(), string(value.Get("sequence_number")))
}

// recall finds the stored answer that the request is about. The request belongs to the session
// that made the answer, unless it names another.
func (p *planner) recall() {
	k := p.store.answers.byID[p.argument]
	if k == nil || k.gone || k.speaks != p.speaks {
		return
	}
	p.kept = k
	p.prompt.model = k.reply.model
	p.exchange.Model = k.reply.model
	p.exchange.Stream = query(p.request.Query, "stream") == "true"
	p.exchange.Session = first(p.exchange.Session, k.session)
	p.exchange.Scenario = first(p.exchange.Scenario, k.scenario)
}

// retrieve is the API of GET …/{id}: the answer as it is, or its stream from a cursor on.
func retrieve(cursor string) api {
	return api{operate: func(p *planner, b Behaviour) {
		k := p.kept
		if k == nil {
			p.refuse("not_found", "")
			return
		}
		if p.exchange.Stream && !b.AsJSON && p.speaks != xAI && k.reply.status == "" {
			p.resume(b, query(p.request.Query, cursor))
			return
		}
		p.respond(b, 200, "application/json")
		p.exchange.Steps = document(k.api.whole(k.now(b)), b)
	}}
}

// now is the answer as this read finds it.
func (k *kept) now(b Behaviour) reply {
	if k.reply.status != "" {
		return k.reply
	}
	if k.pending > 0 {
		k.pending--
		return k.reply.unfinished("in_progress", 0)
	}
	if b.Produced >= 0 && b.Produced < len(words(k.reply.text)) {
		return k.reply.unfinished("in_progress", b.Produced)
	}
	return k.reply
}

// resume streams what comes after a cursor. What is produced already comes at once, the rest with
// the behaviour's pace. Places in the answer count from its begin, not from the cursor.
func (p *planner) resume(b Behaviour, cursor string) {
	k := p.kept
	if len(k.events) == 0 {
		p.refuse("invalid_request", "This answer has no stream: it was not started in the background with stream set to true.")
		return
	}
	from := 0
	if cursor != "" && !b.IgnoresCursor {
		for from < len(k.events) && k.events[from].cursor != cursor {
			from++
		}
		if from++; from > len(k.events) {
			p.refuse("invalid_request", "There is no event "+cursor+".")
			return
		}
	}
	p.respond(b, 200, "text/event-stream; charset=utf-8")
	t := &track{}
	t.wait(b.First)
	all := k.events[len(k.events)-1].words
	cut := place(b.EndAfterWords, all)
	for _, event := range k.events[from:] {
		if cut >= 0 && event.words > cut {
			break
		}
		if b.Produced >= 0 && event.words > b.Produced && event.delta {
			t.wait(b.Gap)
		}
		t.write(event.data)
	}
	p.exchange.Steps = t.ending(b, k.api.alive)
}

// cancel is the API of POST …/{id}/cancel. What has ended stays as it is; whether it has is known
// only where reads find it unfinished.
var cancel = api{operate: func(p *planner, b Behaviour) {
	k := p.kept
	if k == nil {
		p.refuse("not_found", "")
		return
	}
	if k.reply.status == "" {
		k.reply = k.reply.unfinished("cancelled", 0)
	}
	p.respond(b, 200, "application/json")
	p.exchange.Steps = document(k.api.whole(k.reply), b)
}}

// remove is the API of DELETE …/{id}.
var remove = api{operate: func(p *planner, b Behaviour) {
	k := p.kept
	if k == nil {
		p.refuse("not_found", "")
		return
	}
	k.gone = true
	var w json.Writer
	w.Open("", '{')
	if p.speaks != interacting { // there an empty object
		w.Text("id", k.id).Text("object", "response").Bool("deleted", true)
	}
	p.respond(b, 200, "application/json")
	p.exchange.Steps = document(w.Close('}').Out, b)
}}
