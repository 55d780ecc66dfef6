package translate

import (
	"testing"

	"holdfast/core/wire"
)

// BenchmarkDelta: what one piece of text costs on its way to a client.
func BenchmarkDelta(b *testing.B) {
	for _, api := range columns {
		b.Run(string(api), func(b *testing.B) {
			e := NewEncoder(api, Meta{ID: "id-1", Model: "m"})
			d := wire.Delta{Kind: wire.Text, Text: []byte(" a few words")}
			b.ReportAllocs()
			for b.Loop() {
				e.Delta(d)
			}
		})
	}
}

// BenchmarkRequest: a request that uses everything, from chat to each API.
func BenchmarkRequest(b *testing.B) {
	body := load(b, chat)
	for _, to := range columns {
		b.Run(string(to), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Request(source(chat), body, Target{API: to}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
