// Control is the gateway's control plane: what is rare and not streamed. It is a program of its own, an
// instance for each request, and knows nothing by itself: the edge (control.js) hands it the facts, as
// the JSON body of a POST to /control/health, config, spend, tokens or status, and it answers.
//
// That is also how it stays clear of what github.com/syumai/workers v0.33.0 does not do. A request
// always has a body, since one without it panics when it is read; nothing is said in headers, which
// are split at commas; nothing is fetched or awaited here, so that nothing is left over; and the
// edge reads the answer to its end before the client gets any of it, so that no client's leaving
// reaches the program.
//
// It adds 1.5 MB to the Worker's compressed size, nearly all of it net/http. encoding/json would add
// another 0.14 MB and html/template 1.1 MB, and then it would not fit a free plan (3 MB in all).
package main

import (
	"io"
	"net/http"

	"github.com/syumai/workers"
	"holdfast/core/json"
)

func main() { workers.Serve(handler()) }

// facts is what the edge knows and the route needs; the rest is missing. Times are milliseconds
// since the epoch, money is in ticks.
//
//	atMs                        now
//	health                      what the shared program tells of itself: Health in holdfast.d.ts
//	config, problem             the configuration without anything secret (describe.js), and why it
//	                            is not accepted
//	owners                      [{owner, limits, report}]: see Ledger
//	nonce                       of the status page's style
//	asked, audience, secret     of a token to be minted: the request's body, and with what to sign;
//	                            no audience: signed tokens are not accepted
type facts struct{ json.Value }

func (f facts) text(key string) string { return f.Get(key).Text() }

func (f facts) atMs() int64 { return integer(f.Get("atMs")) }

// integer is a whole number, or 0.
func integer(v json.Value) int64 {
	n, _ := v.Int()
	return n
}

// routes are what writes the answers, by path: JSON, or the page.
var routes = map[string]func(*json.Writer, facts) error{
	"/control/health": func(w *json.Writer, f facts) error { writeHealth(w, f); return nil },
	"/control/config": func(w *json.Writer, f facts) error { check(f).write(w, f); return nil },
	"/control/spend":  func(w *json.Writer, f facts) error { writeSpending(w, f); return nil },
	"/control/tokens": mint,
	statusPath:        func(w *json.Writer, f facts) error { w.Out = append(w.Out, statusPage(f)...); return nil },
}

func handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		write, ok := routes[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		var answer json.Writer
		data, err := io.ReadAll(r.Body)
		if err == nil {
			var v json.Value
			if v, err = json.Parse(data); err == nil {
				err = write(&answer, facts{v})
			}
		}
		w.Header().Set("Content-Type", "application/json")
		switch {
		case err != nil:
			w.WriteHeader(http.StatusBadRequest)
			answer = json.Writer{}
			answer.Open("", '{').Text("message", err.Error()).Close('}')
		case r.URL.Path == statusPath:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		w.Write(answer.Out)
	})
}
