// Command load measures what stands between a provider and its clients: it is both of them, so that
// one clock times each delta from when it was sent to when it was received.
//
//	{"streams": 100, "deltas": 200, "everyMs": 50, "url": "http://127.0.0.1:8787/v1/chat/completions"}
//
// It prints {"upstream": ADDRESS}, reads runs such as this from its standard input, a line each, and
// prints what came of each as JSON. Without a url it asks the provider itself.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// run is what one line asks for.
type run struct {
	URL      string `json:"url"`   // where to ask; the provider itself when empty
	Token    string `json:"token"` // sent as the key
	Model    string `json:"model"`
	Streams  int    `json:"streams"`
	Deltas   int    `json:"deltas"`   // of each stream
	EveryMs  int    `json:"everyMs"`  // between two deltas of a stream
	SpreadMs int    `json:"spreadMs"` // the streams begin within so long
}

// result is what came of it.
type result struct {
	Complete int      `json:"complete"` // streams that brought every delta, in order, and their end mark
	Failed   int      `json:"failed"`
	Why      []string `json:"why,omitempty"` // of some that failed
	Deltas   int      `json:"deltas"`
	P50Ms    float64  `json:"p50Ms"`
	P99Ms    float64  `json:"p99Ms"`
	MaxMs    float64  `json:"maxMs"`
	Seconds  float64  `json:"seconds"`
}

var began = time.Now()

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "Cannot listen:", err)
		os.Exit(1)
	}
	go http.Serve(listener, http.HandlerFunc(provide))
	upstream := "http://" + listener.Addr().String()
	out := json.NewEncoder(os.Stdout)
	out.Encode(map[string]string{"upstream": upstream})
	lines := json.NewDecoder(os.Stdin)
	for {
		var r run
		if err := lines.Decode(&r); err != nil {
			if errors.Is(err, io.EOF) {
				return
			}
			fmt.Fprintln(os.Stderr, "Not a run:", err)
			os.Exit(1)
		}
		if r.URL == "" {
			r.URL = upstream + "/v1/chat/completions"
		}
		out.Encode(r.measure())
	}
}

// order is what a stream is asked to be, as its user message: number, deltas and milliseconds between them.
type order struct{ stream, deltas, everyMs int }

func (o order) String() string { return fmt.Sprintf("%d %d %d", o.stream, o.deltas, o.everyMs) }

// provide serves one stream, as OpenAI does.
func provide(w http.ResponseWriter, r *http.Request) {
	var body struct{ Messages []struct{ Content string } }
	var o order
	if json.NewDecoder(r.Body).Decode(&body) != nil || len(body.Messages) == 0 {
		http.Error(w, "no body", http.StatusBadRequest)
		return
	}
	if _, err := fmt.Sscan(body.Messages[0].Content, &o.stream, &o.deltas, &o.everyMs); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	flusher := http.NewResponseController(w)
	event := func(delta, finish string) error {
		fmt.Fprintf(w, `data: {"id":"chatcmpl-%d","object":"chat.completion.chunk","created":1764400000,"model":"gpt-load","service_tier":"default","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":{%s},"logprobs":null,"finish_reason":%s}]}`+"\n\n", o.stream, delta, finish)
		return flusher.Flush()
	}
	event(`"role":"assistant","content":"","refusal":null`, "null")
	every := time.Duration(o.everyMs) * time.Millisecond
	next := time.Now().Add(time.Duration(rand.Int64N(int64(every) + 1)))
	for n := range o.deltas {
		time.Sleep(time.Until(next))
		next = next.Add(every)
		if event(`"content":" `+mark(o.stream, n)+`"`, "null") != nil {
			return
		}
	}
	event("", `"stop"`)
	io.WriteString(w, "data: [DONE]\n\n")
}

// mark is a delta's text: its stream, its number, and when it was sent.
func mark(stream, n int) string {
	return strconv.Itoa(stream) + "." + strconv.Itoa(n) + "." + strconv.FormatInt(int64(time.Since(began)), 10)
}

// measure opens all streams and reads them to their ends.
func (r run) measure() result {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: r.Streams, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var out result
	var all []time.Duration
	var wait sync.WaitGroup
	start := time.Now()
	for n := range r.Streams {
		wait.Go(func() {
			if r.SpreadMs > 0 {
				time.Sleep(time.Duration(r.SpreadMs) * time.Millisecond * time.Duration(n) / time.Duration(r.Streams))
			}
			took, err := r.read(client, order{n, r.Deltas, r.EveryMs})
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			if err == nil {
				out.Complete++
				return
			}
			out.Failed++
			if len(out.Why) < 5 {
				out.Why = append(out.Why, err.Error())
			}
		})
	}
	wait.Wait()
	out.Seconds, out.Deltas = time.Since(start).Seconds(), len(all)
	if len(all) > 0 {
		slices.Sort(all)
		at := func(share float64) float64 { return float64(all[int(share*float64(len(all)-1))].Microseconds()) / 1000 }
		out.P50Ms, out.P99Ms, out.MaxMs = at(0.5), at(0.99), at(1)
	}
	return out
}

// read reads one stream; took is how long each delta was on its way.
func (r run) read(client *http.Client, o order) (took []time.Duration, err error) {
	body, _ := json.Marshal(map[string]any{"model": r.Model, "stream": true, "messages": []map[string]string{{"role": "user", "content": o.String()}}})
	request, err := http.NewRequest("POST", r.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Authorization", "Bearer "+r.Token)
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(response.Body, 300))
		return nil, fmt.Errorf("HTTP %d: %s", response.StatusCode, said)
	}
	took = make([]time.Duration, 0, o.deltas)
	lines := bufio.NewReaderSize(response.Body, 8<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return took, fmt.Errorf("stream %d ended after %d deltas: %w", o.stream, len(took), err)
		}
		if bytes.HasPrefix(line, []byte("data: [DONE]")) || bytes.Contains(line, []byte(`"streamClosed":true`)) {
			break
		}
		for _, mark := range marks(string(line)) {
			place, sent, _ := cutLast(mark)
			if want := strconv.Itoa(o.stream) + "." + strconv.Itoa(len(took)); place != want {
				return took, fmt.Errorf("got delta %s where %s was to come", place, want)
			}
			at, err := strconv.ParseInt(sent, 10, 64)
			if err != nil {
				return took, err
			}
			took = append(took, time.Since(began)-time.Duration(at))
		}
	}
	if len(took) != o.deltas {
		return took, fmt.Errorf("stream %d has %d deltas of %d", o.stream, len(took), o.deltas)
	}
	io.Copy(io.Discard, response.Body)
	return took, nil
}

// marks finds the deltas in a line: one in OpenAI's form, some in a message of a durable answer.
func marks(line string) []string {
	_, text, found := strings.Cut(line, `"content":" `)
	if !found {
		_, text, _ = strings.Cut(line, `"text":" `)
	}
	text, _, _ = strings.Cut(text, `"`)
	return strings.Fields(text)
}

// cutLast cuts at the last dot.
func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}
