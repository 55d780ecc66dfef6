package sim

import "strings"

// benchAnswer is what the bench's provider says: sixty words, always the same.
const benchAnswer = "The lighthouse keeper counted sixty waves before the storm finally broke over the harbour wall. " +
	"Each lantern answered another until the whole bay glowed like a patient promise. " +
	"By morning fishermen found their boats unharmed, nets folded, ropes dry, and a short note " +
	"pinned beside the door that simply said: keep the light burning, somebody out there still needs it."

// Bench are the scenarios of Failover Bench v0.1 (peers.md), a public referee of clients that
// fail over. Ask for one by the model name sim-s01 to sim-s16, at a path that speaks as OpenAI;
// the model to fall back to is sim-bench, at S14 sim-s14-fallback. Where the first model recovers,
// the requests that follow in the session find it healthy. Asked to continue, this provider gives
// the whole answer again.
var Bench = bench([]Scenario{
	{"bench", "Bench", "Nothing fails.",
		`[{}]`},
	{"s01", "S01", "429 with Retry-After: 2, once.",
		`[{"error":"rate_limit","retryAfter":2},{}]`},
	{"s02", "S02", "429 for ever, without a hint.",
		`[{"error":"rate_limit"}]`},
	{"s03", "S03", "500 once.",
		`[{"error":"server_error"},{}]`},
	{"s04", "S04", "503 for ever.",
		`[{"error":"overloaded"}]`},
	{"s05", "S05", "A reset before the headers, once.",
		`[{"beforeHeaders":true,"end":"reset"},{}]`},
	{"s06", "S06", "No response for 120 seconds.",
		`[{"delayMs":120000}]`},
	{"s07", "S07", "Headers at once, the first token after 20 seconds.",
		`[{"firstMs":20000}]`},
	{"s08", "S08", "Cut after 40 of 60 words, once.",
		`[{"endAfterWords":40,"end":"reset"},{}]`},
	{"s09", "S09", "Silence after 20 words, once.",
		`[{"endAfterWords":20,"end":"hang"},{}]`},
	{"s10", "S10", "The tenth event is not JSON, once.",
		`[{"malformedAfterWords":8},{}]`},
	{"s11", "S11", "No [DONE], and the connection stays.",
		`[{"noDone":true,"end":"hang"}]`},
	{"s12", "S12", "400: the context is too long.",
		`[{"error":"context_length"}]`},
	{"s13", "S13", "400: against the content policy.",
		`[{"error":"content_policy"}]`},
	{"s14", "S14", "Always cut after 40 words; the other model refuses an assistant message at the end.",
		`[{"endAfterWords":40,"end":"reset"}]`},
	{"s14-fallback", "S14, the other model", "Refuses an assistant message at the end.",
		`[{"prefill":false}]`},
	{"s15", "S15", "503 for 60 seconds, then healthy.",
		`[{"downForMs":60000}]`},
	{"s16", "S16", "503 for ever; the caller wants to know who answered.",
		`[{"error":"overloaded"}]`},
})

// bench gives each script the bench's answer, and its way to continue. What is always there is
// there for continuations too.
func bench(list []Scenario) []Scenario {
	for i := range list {
		requests := list[i].Script
		last := requests[strings.LastIndex(requests, "{"):]
		again := strings.Replace(last, "{", `{"continues":"restart",`, 1)
		again = strings.Replace(again, ",}", "}", 1)
		list[i].Script = `{"text":"` + benchAnswer + `","requests":` + requests + `,"continuations":[` + again + `}`
	}
	return list
}
