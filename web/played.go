//go:build js

package main

import (
	"strings"
	"syscall/js"
	"time"

	"holdfast/core/header"
	"holdfast/tests/sim"
)

// playedProvider is the simulated provider without a network: its fetch answers as a server
// would, with a Response whose body arrives piece by piece and may break.
type playedProvider struct {
	store sim.Store
	live  []*playing
}

// playing is one exchange under way. It runs in a goroutine of its own; gone ends it.
type playing struct {
	session string
	gone    chan struct{}
	why     js.Value // the error that the page sees; undefined when the reader left
}

func (e *playing) end(why js.Value) {
	select {
	case <-e.gone:
	default:
		e.why = why
		close(e.gone)
	}
}

// sleep reports whether the exchange still stands after d.
func (e *playing) sleep(d time.Duration) bool {
	select {
	case <-e.gone:
		return false
	default:
	}
	if d <= 0 {
		return true
	}
	select {
	case <-e.gone:
		return false
	case <-time.After(d):
		return true
	}
}

// cut breaks every connection of a session.
func (p *playedProvider) cut(session string) {
	for _, e := range p.live {
		if e.session == session {
			e.end(networkError())
		}
	}
}

// networkError is what fetch and a body report when a connection breaks.
func networkError() js.Value { return js.Global().Get("TypeError").New("network error") }

func (p *playedProvider) fetch() js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		plan := sim.Plan(&p.store, requestFrom(args[0], args[1]))
		e := &playing{session: plan.Session, gone: make(chan struct{})}
		p.live = append(p.live, e)
		if signal := args[1].Get("signal"); signal.Truthy() {
			var abort js.Func
			abort = js.FuncOf(func(js.Value, []js.Value) any {
				abort.Release()
				e.end(signal.Get("reason"))
				return nil
			})
			signal.Call("addEventListener", "abort", abort, map[string]any{"once": true})
		}
		return promise(func(resolve, reject js.Value) {
			go func() {
				p.play(e, plan, resolve, reject)
				p.forget(e)
			}()
		})
	})
}

func (p *playedProvider) play(e *playing, plan sim.Exchange, resolve, reject js.Value) {
	if !e.sleep(plan.Delay) {
		reject.Invoke(e.why)
		return
	}
	if plan.Status == 0 {
		if last := plan.Steps[len(plan.Steps)-1]; last.End == sim.Hang {
			<-e.gone
		} else {
			e.end(networkError())
		}
		reject.Invoke(e.why)
		return
	}
	var body js.Value
	source := map[string]any{
		"start":  once(func(controller js.Value) { body = controller }),
		"cancel": once(func(js.Value) { e.end(js.Undefined()) }),
	}
	headers := js.Global().Get("Headers").New()
	for _, field := range plan.Header {
		headers.Call("append", field.Name, field.Value)
	}
	stream := js.Global().Get("ReadableStream").New(source)
	resolve.Invoke(js.Global().Get("Response").New(stream, map[string]any{"status": plan.Status, "headers": headers}))
	for _, step := range plan.Steps {
		if !e.step(step, body) {
			break
		}
	}
	if !e.why.IsUndefined() {
		body.Call("error", e.why)
	}
}

// step reports whether the exchange goes on.
func (e *playing) step(step sim.Step, body js.Value) bool {
	for step.End == sim.Hang && step.Wait > 0 && e.sleep(step.Wait) {
		write(body, step.Write)
	}
	if !e.sleep(step.Wait) {
		return false
	}
	write(body, step.Write)
	switch step.End {
	case sim.Close:
		body.Call("close")
		return false
	case sim.Drop, sim.Reset:
		e.end(networkError())
		return false
	case sim.Hang:
		<-e.gone
		return false
	}
	return true
}

func (p *playedProvider) forget(gone *playing) {
	for i, e := range p.live {
		if e == gone {
			p.live = append(p.live[:i], p.live[i+1:]...)
			return
		}
	}
}

func write(body js.Value, data []byte) {
	if len(data) > 0 {
		chunk := js.Global().Get("Uint8Array").New(len(data))
		js.CopyBytesToJS(chunk, data)
		body.Call("enqueue", chunk)
	}
}

// requestFrom reads the arguments of fetch as the module gives them.
func requestFrom(url, init js.Value) sim.Request {
	where := js.Global().Get("URL").New(url, js.Global().Get("location").Get("href"))
	r := sim.Request{Method: text(init, "method"), Path: strings.TrimPrefix(text(where, "pathname"), "/api")}
	visit := js.FuncOf(func(_ js.Value, args []js.Value) any {
		r.Header = append(r.Header, header.Field{Name: args[1].String(), Value: args[0].String()})
		return nil
	})
	js.Global().Get("Headers").New(init.Get("headers")).Call("forEach", visit)
	visit.Release()
	if script := r.Header.Get("x-sim"); strings.HasPrefix(script, "%") {
		r.Sim = js.Global().Call("decodeURIComponent", script).String()
	}
	switch body := init.Get("body"); body.Type() {
	case js.TypeString:
		r.Body = []byte(body.String())
	case js.TypeObject:
		r.Body = make([]byte, body.Get("byteLength").Int())
		js.CopyBytesToGo(r.Body, body)
	}
	return r
}
