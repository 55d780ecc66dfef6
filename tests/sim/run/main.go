// Command run is the simulated provider on its own, with its sockets, for tests in other languages:
//
//	go run ./tests/sim/run -addr 127.0.0.1:0
//
// It prints "listening http://127.0.0.1:PORT" and ends when its standard input closes, so that it
// never outlives the test that started it.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"holdfast/tests/sim/server"
	"holdfast/tests/sim/socket"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	reuse := flag.Bool("reuse", false, "let clients use a connection again, as real providers do")
	flag.Parse()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "Cannot listen:", err)
		os.Exit(1)
	}
	fmt.Printf("listening http://%s\n", listener.Addr())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	provider := &http.Server{Handler: &socket.Server{Provider: &server.Server{CORS: true}}}
	// A browser repeats a request on its own when a connection that it used before is reset; so by
	// default none is used twice. Where the response says so ("Connection: close"), however, Node
	// takes a cut for the end of the body.
	provider.SetKeepAlivesEnabled(*reuse)
	fmt.Fprintln(os.Stderr, provider.Serve(listener))
	os.Exit(1)
}
