package server

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"holdfast/tests/sim"
)

// play does on the connection what the exchange says. It returns how it ended and how many bytes
// of the body were written.
func play(line *Line, w http.ResponseWriter, e sim.Exchange) (ended string, sent int) {
	if !line.Wait(e.Delay) {
		return line.Lost(), 0
	}
	if e.Status != 0 {
		for _, f := range e.Header {
			w.Header().Add(f.Name, f.Value)
		}
		if document := !strings.HasPrefix(e.Header.Get("content-type"), "text/event-stream"); document && e.Ends() == sim.Close {
			w.Header().Set("Content-Length", strconv.Itoa(len(e.Body())))
		}
		w.Header().Set("X-Sim-Session", strings.ToValidUTF8(e.Session, "?"))
		w.WriteHeader(e.Status)
		line.Flush()
	}
	for _, step := range e.Steps {
		if step.End == sim.Hang {
			return hang(line, w, step, sent)
		}
		if !line.Wait(step.Wait) {
			return line.Lost(), sent
		}
		if len(step.Write) > 0 { // writing nothing would send headers
			n, err := w.Write(step.Write)
			sent += n
			if err != nil || line.Flush() != nil {
				return line.Lost(), sent
			}
		}
		switch step.End {
		case sim.Reset:
			line.Reset()
		case sim.Drop:
			line.Drop()
		}
		if step.End != "" {
			return string(step.End), sent
		}
	}
	return string(sim.Close), sent
}

// hang keeps the line open until the client leaves or the plug is pulled.
func hang(line *Line, w http.ResponseWriter, step sim.Step, sent int) (string, int) {
	interval := step.Wait
	if interval == 0 {
		interval = time.Hour
	}
	for line.Wait(interval) {
		if len(step.Write) == 0 {
			continue
		}
		n, err := w.Write(step.Write)
		sent += n
		if err != nil || line.Flush() != nil {
			break
		}
	}
	return line.Lost(), sent
}
