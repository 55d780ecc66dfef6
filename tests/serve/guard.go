package serve

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// policy allows what the page needs: its own files, WebAssembly, and calls to this server.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard refuses what does not come from a page of this server, and sends the headers that
// protect the page. The server may hold a key: without the check of Host, a foreign site could
// point its own name at this address (DNS rebinding) and use it; without that of Origin, it could
// send requests straight from its page.
func guard(addr string, next http.Handler) http.Handler {
	listening, _, _ := net.SplitHostPort(addr)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !knownHost(r.Host, listening) {
			http.Error(w, "This server does not answer to the name "+hostOf(r.Host)+".", http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
			http.Error(w, "This server answers only its own page.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knownHost allows loopback names, the name or address that the server was told to listen on,
// and, where it listens everywhere, every address: rebinding needs a name.
func knownHost(hostPort, listening string) bool {
	host := hostOf(hostPort)
	ip := net.ParseIP(host)
	switch {
	case strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback():
		return true
	case everywhere(listening):
		return ip != nil
	}
	return strings.EqualFold(host, listening)
}

// everywhere tells that a listener takes connections to any address of this machine.
func everywhere(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && strings.EqualFold(u.Host, host)
}

// hostOf is a Host header without the port.
func hostOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return strings.Trim(hostPort, "[]")
}
