package main

import "holdfast/core/json"

// statusOf tells how the providers do, as the isolate that answers has seen it: "ok", "degraded" when
// some cannot be asked now, "down" when none can. Others may have seen something else.
func statusOf(f facts) string {
	all, away := 0, 0
	f.Get("health", "targets").Each(func(_ string, target json.Value) bool {
		all++
		if isAway(target) {
			away++
		}
		return true
	})
	switch {
	case away == 0:
		return "ok"
	case away == all:
		return "down"
	}
	return "degraded"
}

// isAway tells that nothing is sent to a target now.
func isAway(target json.Value) bool {
	return target.Get("breaker").Text() == "open" || target.Get("gated").True()
}

// writeHealth writes {status, atMs, targets, retriesLeft}; the last two as in Health.
func writeHealth(w *json.Writer, f facts) {
	w.Open("", '{').Text("status", statusOf(f)).Int("atMs", f.atMs()).Open("targets", '[')
	f.Get("health", "targets").Each(func(_ string, target json.Value) bool { w.Raw("", target); return true })
	w.Close(']')
	if left := f.Get("health", "retriesLeft"); left != nil {
		w.Raw("retriesLeft", left)
	}
	w.Close('}')
}
