package main

import "holdfast/core/spend"

// spendReport is what the owners of tokens have spent, of those who have limits: the others' money
// nobody counts.
type spendReport struct {
	AtMs   int64     `json:"atMs"`
	Owners []account `json:"owners"`
}

type account struct {
	Owner      string             `json:"owner"`
	Limits     map[string]float64 `json:"limits"`
	Today      sum                `json:"today"` // in UTC, as the month
	Month      sum                `json:"month"`
	All        sum                `json:"all"`
	HeldUSD    float64            `json:"heldUsd"` // set aside for what is under way
	Concurrent int                `json:"concurrent"`
	Days       []sum              `json:"days"` // of this month and the last one
}

type sum struct {
	Period       string  `json:"period"`
	USD          float64 `json:"usd"`
	EstimatedUSD float64 `json:"estimatedUsd"` // of usd: what had to be estimated
	Requests     int64   `json:"requests"`
}

func spending(f *facts) spendReport {
	r := spendReport{AtMs: f.AtMs, Owners: []account{}}
	for _, o := range f.Owners {
		a := account{
			Owner: o.Owner, Limits: map[string]float64{},
			Today: o.Report.Day.sum(), Month: o.Report.Month.sum(), All: o.Report.All.sum(),
			HeldUSD: o.Report.Held.Dollars(), Concurrent: o.Report.Concurrent, Days: []sum{},
		}
		for name, n := range o.Limits {
			a.Limits[name] = float64(n)
			if isMoney(name) {
				a.Limits[name] = spend.Ticks(n).Dollars()
			}
		}
		for _, day := range o.Report.Days {
			a.Days = append(a.Days, day.sum())
		}
		r.Owners = append(r.Owners, a)
	}
	return r
}

// isMoney tells the limits of money from those of numbers.
func isMoney(limit string) bool {
	return limit == "maxUsd" || limit == "maxUsdPerDay" || limit == "maxUsdPerMonth"
}

func (p period) sum() sum {
	return sum{Period: p.Name, USD: p.Ticks.Dollars(), EstimatedUSD: p.Estimated.Dollars(), Requests: p.Requests}
}
