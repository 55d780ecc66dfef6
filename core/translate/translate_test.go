package translate

import (
	"bytes"
	stdjson "encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdfast/core/json"
	"holdfast/core/wire"
)

var update = flag.Bool("update", false, "write testdata/*-to-*.txt anew")

func load(t testing.TB, api wire.API) json.Value {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", string(api)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := json.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func source(api wire.API) Source {
	return Source{API: api, Path: "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse"}
}

func pretty(t testing.TB, body []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := stdjson.Indent(&out, body, "", " "); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return out.String()
}

// TestDirections translates a request that uses everything into every other API. The files show
// what arrives, what is dropped and what is adjusted.
func TestDirections(t *testing.T) {
	models := map[wire.API]string{chat: "gpt-5-mini", responses: "gpt-5-mini", messages: "claude-haiku-4-5", generate: "gemini-3-flash"}
	for _, from := range columns {
		for _, to := range columns {
			t.Run(fmt.Sprintf("%s-to-%s", from, to), func(t *testing.T) {
				r, err := Request(source(from), load(t, from), Target{API: to, Model: models[to], MaxTokens: 8192})
				if err != nil {
					t.Fatal(err)
				}
				got := fmt.Sprintf("POST %s\n%s\n\ndropped\n  %s\n\nadjusted\n  %s\n", r.Path, pretty(t, r.Body),
					strings.Join(r.Dropped, "\n  "), strings.Join(r.Adjusted, "\n  "))
				name := filepath.Join("testdata", fmt.Sprintf("%s-to-%s.txt", from, to))
				if *update {
					if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("%s is\n%s", name, got)
				}
			})
		}
	}
}
