// Control is the gateway's control plane: what is rare and not streamed. It is a program of its own, an
// instance for each request, and knows nothing by itself: the edge (control.js) hands it the facts, as
// the JSON body of a POST to /control/health, config, spend, tokens or status, and it answers.
//
// That is also how it stays clear of what github.com/syumai/workers v0.33.0 does not do. A request
// always has a body, since one without it panics when it is read; nothing is said in headers, which
// are split at commas; nothing is fetched or awaited here, so that nothing is left over; and the
// edge reads the answer to its end before the client gets any of it, so that no client's leaving
// reaches the program.
package main

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/syumai/workers"
)

func main() { workers.Serve(handler()) }

// routes are the answers by their paths: HTML as text, or what becomes JSON.
var routes = map[string]func(*facts) (any, error){
	"/control/health": func(f *facts) (any, error) { return health(f), nil },
	"/control/config": func(f *facts) (any, error) { return check(f), nil },
	"/control/spend":  func(f *facts) (any, error) { return spending(f), nil },
	"/control/tokens": mint,
	"/control/status": func(f *facts) (any, error) { return statusPage(f), nil },
}

func handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := routes[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		f := &facts{}
		err := json.NewDecoder(r.Body).Decode(f)
		var v any
		if err == nil {
			v, err = answer(f)
		}
		if page, ok := v.(string); ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, page)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			v = map[string]string{"message": err.Error()}
		}
		json.NewEncoder(w).Encode(v)
	})
}
