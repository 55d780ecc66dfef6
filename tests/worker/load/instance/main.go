//go:build js && wasm

// Command instance is the peer that starts a Go program for each request: a proxy as people write it
// on github.com/syumai/workers, reading each event and handing it on.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"
	"github.com/syumai/workers/cloudflare/fetch"
)

func main() {
	workers.Serve(http.HandlerFunc(proxy))
}

func proxy(w http.ResponseWriter, r *http.Request) {
	request, err := fetch.NewRequest(r.Context(), r.Method, cloudflare.Getenv("UPSTREAM")+r.URL.Path, r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	request.Header.Set("content-type", "application/json")
	response, err := fetch.NewClient().Do(request, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	w.Header().Set("content-type", response.Header.Get("content-type"))
	w.WriteHeader(response.StatusCode)
	text := 0
	lines := bufio.NewReader(response.Body)
	for {
		line, err := lines.ReadBytes('\n')
		if data, ok := bytes.CutPrefix(line, []byte("data: {")); ok {
			var chunk struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			if json.Unmarshal(append([]byte{'{'}, data...), &chunk) == nil && len(chunk.Choices) > 0 {
				text += len(chunk.Choices[0].Delta.Content)
			}
		}
		if len(line) > 0 {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
