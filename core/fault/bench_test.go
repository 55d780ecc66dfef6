package fault

import (
	"strings"
	"testing"

	"holdfast/core/json"
)

func BenchmarkClassify(b *testing.B) {
	limited := Response{Status: 429, Body: []byte(gemini429("You exceeded your current quota. Please retry in 12.3s.", perMin+","+retry40s)), Now: now}
	answer := Response{Status: 200, Body: []byte(`{"choices":[{"message":{"content":"` + strings.Repeat("word ", 2000) + `"}}]}`)}
	for name, r := range map[string]Response{"error": limited, "answer-10kB": answer} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Classify(Gemini, r)
			}
		})
	}
}

func BenchmarkEvent(b *testing.B) {
	event := json.Value(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
	b.ReportAllocs()
	for b.Loop() {
		Event(Anthropic, nil, event)
	}
}
