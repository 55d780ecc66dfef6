package sim

import "holdfast/core/json"

// deferredID is under which a chat answer is kept: only xAI does, where the request asks for it.
func deferredID(r reply) string {
	if r.deferred {
		return r.uuid
	}
	return ""
}

// deferredTicket is what the request is told at once.
func deferredTicket(r reply) []byte {
	var w json.Writer
	return w.Open("", '{').Text("request_id", r.uuid).Close('}').Out
}

// deferred is the API of GET /v1/chat/deferred-completion/{id}: 202 without a body while the
// answer is not ready, then the answer, but only once.
var deferred = api{operate: func(p *planner, b Behaviour) {
	k := p.kept
	switch {
	case k == nil:
		p.refuse("not_found", "")
	case k.pending > 0 || b.Produced >= 0:
		k.pending = max(0, k.pending-1)
		p.respond(b, 202, "")
		p.exchange.Steps = document(nil, b)
	default:
		k.gone = true
		p.respond(b, 200, "application/json")
		p.exchange.Steps = document(k.api.whole(k.reply), b)
	}
}}
