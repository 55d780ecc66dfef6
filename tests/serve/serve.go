// Package serve is the server behind `go run .`: the demo page, the module, and a provider for
// them to talk to, which is the simulator or a real one whose key stays here.
package serve

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const usage = `Serves the demo page, the module and a provider for them to talk to.

  go run .                                    with a simulated provider
  GLOO_API_KEY=… go run . -provider gloo      with a real one; the key stays in this process
  go run . -gateway http://127.0.0.1:8787     with a gateway (node wasm/worker/dev.mjs), which keeps the
                                              answers; its token is in HOLDFAST_TOKEN, or dev

Real providers and their keys:
`

// Exit codes.
const (
	ok       = 0
	failed   = 1
	badUsage = 2
)

// Run serves from the project's directory until ctx ends, and returns the exit code. Everything
// that goes wrong before is one sentence on stderr.
func Run(ctx context.Context, project string, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	say := func(code int, format string, a ...any) int {
		fmt.Fprintf(stderr, format+"\n", a...)
		return code
	}
	s, err := parse(args, getenv, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return ok
	}
	if err != nil {
		return say(badUsage, "%v", err)
	}
	s.project, s.errors = project, stderr

	// First the port: who started the server twice should not wait for a build.
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		return say(failed, "Cannot listen on %s: %v. Choose another with -addr, e.g. -addr 127.0.0.1:8081.", s.addr, reason(err))
	}
	defer listener.Close()
	if _, err := os.Stat(filepath.Join(project, "build.sh")); err == nil && stale(project) {
		fmt.Fprintln(stdout, "Building the page and the module with ./build.sh …")
		if err := build(project); err != nil {
			return say(failed, "Cannot build: %v", err)
		}
	}
	if s.gateway != nil {
		if s.provider.model, err = firstModel(s.gateway, s.key); err != nil {
			return say(failed, "%v", err)
		}
	}
	handler, err := s.handler()
	if err != nil {
		return say(failed, "There is nothing to serve here: %v. Run this in the project's directory.", err)
	}
	fmt.Fprintf(stdout, "%s at http://%s\n", s.who(), shown(listener.Addr()))
	if host, _, _ := net.SplitHostPort(s.addr); s.key != "" && !knownHost(host, "none") {
		fmt.Fprintln(stdout, "Careful: everybody who reaches this address can use your key.")
	}

	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	// A browser repeats a request on its own when a connection that it used before is reset. Then
	// the page would never learn of a reset that it shall survive; so no connection is used twice.
	server.SetKeepAlivesEnabled(false)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		<-ctx.Done()
		// Streams may last for ever: a moment for short answers, then everything is closed.
		grace, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		defer cancel()
		if server.Shutdown(grace) != nil {
			server.Close()
		}
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return say(failed, "The server stopped: %v", err)
	}
	<-closed
	return ok
}

// parse reads flags and environment.
func parse(args []string, getenv func(string) string, help io.Writer) (site, error) {
	var names []string
	for _, p := range providers {
		names = append(names, p.name)
	}
	known := strings.Join(names, ", ")
	flags := flag.NewFlagSet("holdfast", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "listen on this `host:port`")
	name := flags.String("provider", "simulator", "who answers: simulator, or one of "+known)
	upstream := flags.String("upstream", "", "send the provider's requests, and its key if one is set, to this `URL` instead")
	keeper := flags.String("gateway", "", "let the gateway at this `URL` answer, and keep the answers")
	flags.SetOutput(io.Discard) // a mistake is told in one sentence, not with the whole usage
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(help, usage)
		for _, p := range providers {
			fmt.Fprintf(help, "  %-10s %s\n", p.name, p.env)
		}
		fmt.Fprint(help, "\nFlags:\n")
		flags.SetOutput(help)
		flags.PrintDefaults()
		return site{}, err
	} else if err != nil {
		return site{}, fmt.Errorf("%w; -help lists the flags", err)
	}
	if flags.NArg() > 0 {
		return site{}, fmt.Errorf("%q is not a flag; -help lists the flags", flags.Arg(0))
	}
	if _, _, err := net.SplitHostPort(*addr); err != nil {
		return site{}, fmt.Errorf("-addr takes host:port, such as 127.0.0.1:8080, not %q", *addr)
	}
	s := site{addr: *addr, provider: simulated}
	if *keeper != "" {
		if *name != "simulator" || *upstream != "" {
			return s, errors.New("-gateway says who answers; -provider and -upstream say it too")
		}
		s.provider, s.key = gateway, cmp.Or(strings.TrimSpace(getenv(gateway.env)), devToken)
		var err error
		s.gateway, err = address("-gateway", *keeper)
		return s, err
	}
	if *name == "simulator" {
		if *upstream != "" {
			return s, errors.New("-upstream says where a provider is; say which with -provider")
		}
		return s, nil
	}
	var found bool
	if s.provider, found = providerNamed(*name); !found {
		return s, fmt.Errorf("-provider takes simulator, %s, not %q", known, *name)
	}
	s.key = strings.TrimSpace(getenv(s.provider.env))
	if s.key == "" && *upstream == "" {
		return s, fmt.Errorf("-provider %s needs its key in the environment variable %s", s.provider.name, s.provider.env)
	}
	base := s.provider.host.Base
	if *upstream != "" {
		base = *upstream
	}
	var err error
	s.upstream, err = address("-upstream", base)
	return s, err
}

// address reads the URL that a flag gives.
func address(flag, given string) (*url.URL, error) {
	u, err := url.Parse(given)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s takes an http or https URL, not %q", flag, given)
	}
	return u, nil
}

// who says who answers.
func (s site) who() string {
	if s.gateway != nil {
		return "Holdfast with a gateway (" + s.gateway.Host + ")"
	}
	if s.upstream == nil {
		return "Holdfast with a simulated provider"
	}
	return "Holdfast with " + s.provider.name + " (" + s.upstream.Host + ")"
}

// shown is an address that a browser can open.
func shown(addr net.Addr) string {
	host, port, _ := net.SplitHostPort(addr.String())
	if everywhere(host) {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// reason is the innermost error: "address already in use", without the call that met it.
func reason(err error) error {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err
}
