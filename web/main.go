//go:build js

// The demo page: a conversation whose answers survive what one does to them.
//
// boot.js imports the module holdfast.js, as any page would, puts it in globalThis.demo and runs
// this program. The rest of the page is in one file a concept: page.go has the conversation,
// turn.go one question and its answer, kept.go what outlives a reload, ending.go how an answer ended
// and what is offered then, timeline.go and row.go the attempts, prose.go the text, words.go the
// sentences, composer.go and failures.go the controls, service.go who answers, played.go a provider
// in the page itself, holdfast.go the module as Go sees it.
package main

import "syscall/js"

func main() {
	demo := js.Global().Get("demo")
	service, err := connect(Module{demo.Get("holdfast")}, func() (Store, error) {
		kept, err := await(demo.Call("store"))
		if err != nil {
			return Store{}, err
		}
		return Store{kept.Get("store"), text(kept, "place")}, nil
	})
	if err != nil {
		demo.Call("failed", err.Error())
		select {}
	}
	page := newPage(service)
	page.comeBack()
	byID("app").Class().Remove("is-loading")
	byID("question").Focus()
	select {} // event handlers do the rest
}
