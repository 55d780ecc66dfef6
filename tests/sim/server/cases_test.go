package server

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"testing"
)

// Every stream and every answer that somebody met in the field can be met here over real HTTP, in
// the same network reads.
func TestFieldCases(t *testing.T) {
	lines, err := os.ReadFile("../../../../shared/cases/field.jsonl")
	if err != nil {
		t.Skip("the field cases are not here")
	}
	p := start(t)
	for line := range bytes.Lines(lines) {
		var c struct {
			ID, Kind string
			Input    struct {
				Status  int
				Headers map[string]string
				Body    any
				Chunks  []string `json:"sse_chunks"`
				Bytes   []byte   `json:"bytes_b64"`
				Error   any      `json:"then_error"`
			}
		}
		if json.Unmarshal(line, &c) != nil || c.Kind != "stream" && c.Kind != "http" || c.Input.Status == 0 {
			continue
		}
		script := map[string]any{"status": c.Input.Status, "headers": c.Input.Headers}
		want := string(c.Input.Bytes)
		switch body, text := c.Input.Body.(string); {
		case c.Input.Chunks != nil:
			script["chunks"] = c.Input.Chunks
			for _, chunk := range c.Input.Chunks {
				want += chunk
			}
		case c.Input.Bytes != nil:
			script["chunks"] = []string{"base64:" + base64.StdEncoding.EncodeToString(c.Input.Bytes)}
		case text:
			script["body"], want = body, body
		default:
			whole, _ := json.Marshal(c.Input.Body)
			script["body"], want = c.Input.Body, string(whole)
		}
		if c.Input.Error != nil {
			script["end"] = "reset"
		}
		asked, _ := json.Marshal(script)
		response, body, err := p.ask("POST", "/openai/v1/chat/completions", url.PathEscape(string(asked)), prompt)
		if response.StatusCode != c.Input.Status || body != want || (err != nil) != (c.Input.Error != nil) {
			t.Errorf("%s: %s %v %q, want %q", c.ID, response.Status, err, body, want)
		}
		for name, value := range c.Input.Headers {
			if got := response.Header.Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", c.ID, name, got, value)
			}
		}
	}
}
