package serve

import (
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"

	"holdfast/tests/sim/server"
)

// proxy passes the page's requests on to a provider and adds the key, which never leaves this
// process in the other direction. What breaks between it and the provider breaks in the same way
// between it and the page: nothing is retried or repaired here.
type proxy struct {
	provider provider
	key      string
	upstream *url.URL
	lines    server.Lines
	reverse  httputil.ReverseProxy
}

// forwarded are the request headers that reach the provider, and asked the parts of the query. A
// list of what may pass cannot forget a cookie, an Origin or a credential of the page.
var (
	forwarded = []string{"Accept", "Content-Type", "Anthropic-Beta", "Anthropic-Version", "Idempotency-Key", "X-Grok-Conv-Id"}
	asked     = []string{"alt", "stream", "starting_after", "last_event_id", "include_obfuscation", "offset", "live"}
)

func newProxy(p provider, key string, upstream *url.URL, errors io.Writer) *proxy {
	x := &proxy{provider: p, key: key, upstream: upstream}
	x.reverse = httputil.ReverseProxy{
		Rewrite:       x.rewrite,
		FlushInterval: -1, // each write at once: the answer is a stream
		Transport: &http.Transport{
			Proxy:              http.ProxyFromEnvironment,
			DisableCompression: true, // a compressed stream arrives in lumps
		},
		ModifyResponse: clean,
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				log.New(errors, "", log.LstdFlags).Printf("%s does not answer: %v", upstream.Host, err)
			}
			panic(http.ErrAbortHandler) // as when it breaks in the middle; see ServeHTTP
		},
		ErrorLog: log.New(io.Discard, "", 0), // an answer that breaks is the page's news, not ours
	}
	return x
}

func (x *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	taken, known := x.provider.takes(r.Method, r.URL.Path)
	switch {
	case !known || path.Clean(r.URL.Path) != r.URL.Path:
		http.Error(w, "Only these are passed on: "+strings.Join(x.provider.passes, ", ")+".", http.StatusNotFound)
		return
	case !taken:
		http.Error(w, r.Method+" is not passed on to this path.", http.StatusMethodNotAllowed)
		return
	}
	line := x.lines.Open(r.Header.Get("x-sim-session"), w, r)
	defer line.Close()
	defer func() {
		if failure := recover(); failure == http.ErrAbortHandler {
			line.Reset()
		} else if failure != nil {
			panic(failure)
		}
	}()
	x.reverse.ServeHTTP(w, r.WithContext(line.Context))
}

func (x *proxy) rewrite(r *httputil.ProxyRequest) {
	header := http.Header{}
	for _, name := range forwarded {
		if value := r.In.Header.Get(name); value != "" {
			header.Set(name, value)
		}
	}
	for _, field := range x.provider.host.Header {
		if header.Get(field.Name) == "" {
			header.Set(field.Name, field.Value)
		}
	}
	if x.key != "" {
		name, scheme, _ := strings.Cut(x.provider.host.Sign(r.In.URL.Path), ": ")
		header.Set(name, scheme+x.key)
	}
	r.Out.Header = header
	query := url.Values{}
	for _, name := range asked {
		if values := r.In.URL.Query()[name]; values != nil {
			query[name] = values
		}
	}
	to := *x.upstream
	to.RawQuery = query.Encode()
	to.Path = strings.TrimSuffix(to.Path, "/") + r.In.URL.Path
	r.Out.URL = &to
	r.Out.Host = x.upstream.Host
}

// clean removes what the provider says to its own site's visitors.
func clean(response *http.Response) error {
	for name := range response.Header {
		if name == "Set-Cookie" || strings.HasPrefix(name, "Access-Control-") {
			response.Header.Del(name)
		}
	}
	return nil
}
