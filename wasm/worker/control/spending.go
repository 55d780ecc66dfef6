package main

import (
	"strings"

	"holdfast/core/json"
	"holdfast/core/spend"
)

// writeSpending writes what the owners of tokens have spent, in USD, of those who have limits: the
// others' money nobody counts. Days and months are of UTC.
//
//	{atMs, owners: [{owner, limits, today, month, all, heldUsd, concurrent, days}]}
//
// heldUsd is set aside for what is under way; days are those of this month and the last one; each sum
// is {period, usd, estimatedUsd, requests}, estimatedUsd being what of usd had to be estimated.
func writeSpending(w *json.Writer, f facts) {
	w.Open("", '{').Int("atMs", f.atMs()).Open("owners", '[')
	f.Get("owners").Each(func(_ string, o json.Value) bool {
		report := o.Get("report")
		w.Open("", '{').Text("owner", o.Get("owner").Text()).Open("limits", '{')
		o.Get("limits").Each(func(name string, limit json.Value) bool {
			if strings.HasPrefix(name, "maxUsd") {
				w.Parts(name, integer(limit), spend.Places)
			} else {
				w.Int(name, integer(limit))
			}
			return true
		})
		w.Close('}')
		writeSum(w, "today", report.Get("day"))
		writeSum(w, "month", report.Get("month"))
		writeSum(w, "all", report.Get("all"))
		w.Parts("heldUsd", integer(report.Get("held")), spend.Places).Int("concurrent", integer(report.Get("concurrent"))).Open("days", '[')
		report.Get("days").Each(func(_ string, day json.Value) bool { writeSum(w, "", day); return true })
		w.Close(']').Close('}')
		return true
	})
	w.Close(']').Close('}')
}

func writeSum(w *json.Writer, key string, period json.Value) {
	w.Open(key, '{').Text("period", period.Get("period").Text())
	w.Parts("usd", integer(period.Get("ticks")), spend.Places).Parts("estimatedUsd", integer(period.Get("estimated")), spend.Places)
	w.Int("requests", integer(period.Get("requests"))).Close('}')
}

// dollars are ticks as people count them.
func dollars(ticks json.Value) float64 { return spend.Ticks(integer(ticks)).Dollars() }
