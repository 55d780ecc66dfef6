package main

import (
	_ "embed"
	"html"
	"strconv"
	"strings"
	"time"

	"holdfast/core/json"
)

const statusPath = "/control/status"

// The status page is written by hand: html/template, whose reflection keeps every method of the
// program, would make it twice as large. Only these functions write, and all that they are given is
// text that they escape.

//go:embed status.css
var style string

// page is HTML in the making.
type page struct{ strings.Builder }

// element writes text in an element. tag may have attributes; it is never data.
func (p *page) element(tag, text string) {
	name, _, _ := strings.Cut(tag, " ")
	p.WriteString("<" + tag + ">" + html.EscapeString(text) + "</" + name + ">\n")
}

// cell is text in a table.
type cell struct {
	text  string
	class string // "", number or bad
}

// table writes one, whose first row is its head.
func (p *page) table(rows [][]cell) {
	p.WriteString("<table>\n")
	for i, row := range rows {
		p.WriteString("<tr>")
		for _, c := range row {
			tag := "td"
			if i == 0 {
				tag = `th scope="col"`
			}
			if c.class != "" {
				tag += ` class="` + c.class + `"`
			}
			p.element(tag, c.text)
		}
		p.WriteString("</tr>\n")
	}
	p.WriteString("</table>\n")
}

func (p *page) list(class string, findings []finding) {
	if len(findings) == 0 {
		return
	}
	p.WriteString("<ul>\n")
	for _, f := range findings {
		p.element("li"+class, f.where+": "+f.what)
	}
	p.WriteString("</ul>\n")
}

// statusPage shows health, money and what is wrong with the configuration. It has no script, and its
// only style is the one that the edge's nonce stands for.
func statusPage(f facts) string {
	p, status := &page{}, statusOf(f)
	p.WriteString("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n")
	p.element("title", "Holdfast: "+status)
	p.WriteString(`<style nonce="` + html.EscapeString(f.text("nonce")) + "\">\n" + style + "</style>\n")
	p.element("h1", "Holdfast: "+status)
	p.element("p", "As the isolate that answered saw it at "+clock(f.atMs())+". Others may have seen something else.")
	p.element("h2", "Providers")
	if rows := targetRows(f); len(rows) == 1 {
		p.element("p", "Nobody has been asked yet.")
	} else {
		p.table(rows)
	}
	p.element("h2", "Money")
	if rows := ownerRows(f); len(rows) == 1 {
		p.element("p", "No token of the configuration has limits, so nobody counts.")
	} else {
		p.table(rows)
	}
	p.element("h2", "Configuration")
	if f.text("problem") == "" {
		p.element("p", "The gateway serves with it.")
	}
	r := check(f)
	p.list(` class="bad"`, r.problems)
	p.list("", r.advice)
	p.WriteString("</html>\n")
	return p.String()
}

func targetRows(f facts) [][]cell {
	rows := [][]cell{{{"Host", ""}, {"Model", ""}, {"Breaker", ""}, {"Failures in a row", "number"}, {"Asked again", ""}}}
	f.Get("health", "targets").Each(func(_ string, t json.Value) bool {
		model, state, class, again := t.Get("model").Text(), t.Get("breaker").Text(), "", "at any time"
		if model == "" {
			model = "all"
		}
		if t.Get("gated").True() {
			state += ", asked for patience"
		}
		if isAway(t) {
			class = "bad"
		}
		if at := integer(t.Get("retryAtMs")); at != 0 {
			again = clock(at)
		}
		rows = append(rows, []cell{{t.Get("host").Text(), ""}, {model, ""}, {state, class}, count(t.Get("failures")), {again, ""}})
		return true
	})
	return rows
}

func ownerRows(f facts) [][]cell {
	rows := [][]cell{{{"Owner", ""}, {"Today", "number"}, {"This month", "number"}, {"In all", "number"}, {"Set aside", "number"}, {"Requests today", "number"}, {"Under way", "number"}}}
	f.Get("owners").Each(func(_ string, o json.Value) bool {
		r := o.Get("report")
		rows = append(rows, []cell{
			{o.Get("owner").Text(), ""}, money(r.Get("day", "ticks")), money(r.Get("month", "ticks")), money(r.Get("all", "ticks")), money(r.Get("held")),
			count(r.Get("day", "requests")), count(r.Get("concurrent")),
		})
		return true
	})
	return rows
}

func count(v json.Value) cell { return cell{strconv.FormatInt(integer(v), 10), "number"} }

func money(ticks json.Value) cell {
	return cell{"$" + strconv.FormatFloat(dollars(ticks), 'f', 4, 64), "number"}
}

func clock(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC") }
