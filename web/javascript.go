//go:build js

package main

import (
	"errors"
	"syscall/js"
)

// text reads a member that may be absent.
func text(v js.Value, name string) string {
	if m := v.Get(name); m.Type() == js.TypeString {
		return m.String()
	}
	return ""
}

func number(v js.Value, name string) float64 {
	if m := v.Get(name); m.Type() == js.TypeNumber {
		return m.Float()
	}
	return 0
}

func each(list js.Value, visit func(js.Value)) {
	if list.Type() != js.TypeObject {
		return
	}
	for i := range list.Length() {
		visit(list.Index(i))
	}
}

// then calls one of two functions when a promise settles.
func then(promise js.Value, resolved func(js.Value), rejected func(error)) {
	var ok, failed js.Func
	release := func() { ok.Release(); failed.Release() }
	ok = js.FuncOf(func(_ js.Value, args []js.Value) any {
		release()
		resolved(args[0])
		return nil
	})
	failed = js.FuncOf(func(_ js.Value, args []js.Value) any {
		release()
		rejected(errorFrom(args[0]))
		return nil
	})
	promise.Call("then", ok, failed)
}

// await blocks the goroutine, which must not be the one of an event handler.
func await(promise js.Value) (value js.Value, err error) {
	settled := make(chan struct{})
	then(promise,
		func(v js.Value) { value = v; close(settled) },
		func(e error) { err = e; close(settled) })
	<-settled
	return value, err
}

func errorFrom(v js.Value) error {
	if v.Type() == js.TypeObject && text(v, "message") != "" {
		return errors.New(text(v, "message"))
	}
	return errors.New(js.Global().Get("String").Invoke(v).String())
}

// steady is the page's own time in milliseconds, which nobody sets.
func steady() float64 { return js.Global().Get("performance").Call("now").Float() }

// now is the present in milliseconds since the epoch, as in the module's events.
func now() float64 { return js.Global().Get("Date").Call("now").Float() }

// promise makes a promise that work settles.
func promise(work func(resolve, reject js.Value)) js.Value {
	executor := js.FuncOf(func(_ js.Value, args []js.Value) any {
		work(args[0], args[1])
		return nil
	})
	defer executor.Release()
	return js.Global().Get("Promise").New(executor)
}

// once makes a function that is called at most once and passes on its first argument.
func once(call func(js.Value)) js.Func {
	var f js.Func
	f = js.FuncOf(func(_ js.Value, args []js.Value) any {
		f.Release()
		argument := js.Undefined()
		if len(args) > 0 {
			argument = args[0]
		}
		call(argument)
		return nil
	})
	return f
}
