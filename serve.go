// Command holdfast serves the demo: `go run .`, then open the address that it prints.
// Package holdfast/tests/serve says what is served and how.
package main

import (
	"context"
	"os"
	"os/signal"

	"holdfast/tests/serve"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := serve.Run(ctx, ".", os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
