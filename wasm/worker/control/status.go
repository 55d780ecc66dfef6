package main

import (
	_ "embed"
	"html"
	"strconv"
	"strings"
	"time"
)

// The status page is written by hand: html/template, whose reflection keeps every method of the
// program, would make it 5 MB larger. Only these functions write, and all that they are given is
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
		p.element("li"+class, f.Where+": "+f.What)
	}
	p.WriteString("</ul>\n")
}

// statusPage shows health, money and what is wrong with the configuration. It has no script, and its
// only style is the one that the edge's nonce stands for.
func statusPage(f *facts) string {
	p, h := &page{}, health(f)
	p.WriteString("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n")
	p.element("title", "Holdfast: "+h.Status)
	p.WriteString(`<style nonce="` + html.EscapeString(f.Nonce) + "\">\n" + style + "</style>\n")
	p.element("h1", "Holdfast: "+h.Status)
	p.element("p", "As the isolate that answered saw it at "+clock(h.AtMs)+". Others may have seen something else.")
	p.element("h2", "Providers")
	if len(h.Targets) == 0 {
		p.element("p", "Nobody has been asked yet.")
	} else {
		p.table(targetRows(h.Targets))
	}
	p.element("h2", "Money")
	if owners := spending(f).Owners; len(owners) == 0 {
		p.element("p", "No token of the configuration has limits, so nobody counts.")
	} else {
		p.table(ownerRows(owners))
	}
	p.element("h2", "Configuration")
	report := check(f)
	if report.OK {
		p.element("p", "The gateway serves with it.")
	}
	p.list(` class="bad"`, report.Problems)
	p.list("", report.Advice)
	p.WriteString("</html>\n")
	return p.String()
}

func targetRows(targets []target) [][]cell {
	rows := [][]cell{{{"Host", ""}, {"Model", ""}, {"Breaker", ""}, {"Failures in a row", "number"}, {"Asked again", ""}}}
	for i := range targets {
		t := &targets[i]
		model, state, class, again := t.Model, t.Breaker, "", "at any time"
		if model == "" {
			model = "all"
		}
		if t.Gated {
			state += ", asked for patience"
		}
		if t.away() {
			class = "bad"
		}
		if t.RetryAtMs != 0 {
			again = clock(t.RetryAtMs)
		}
		rows = append(rows, []cell{{t.Host, ""}, {model, ""}, {state, class}, {strconv.Itoa(t.Failures), "number"}, {again, ""}})
	}
	return rows
}

func ownerRows(owners []account) [][]cell {
	number := func(text string) cell { return cell{text, "number"} }
	rows := [][]cell{{{"Owner", ""}, number("Today"), number("This month"), number("In all"), number("Set aside"), number("Requests today"), number("Under way")}}
	for i := range owners {
		o := &owners[i]
		rows = append(rows, []cell{
			{o.Owner, ""}, number(dollars(o.Today.USD)), number(dollars(o.Month.USD)), number(dollars(o.All.USD)), number(dollars(o.HeldUSD)),
			number(strconv.FormatInt(o.Today.Requests, 10)), number(strconv.Itoa(o.Concurrent)),
		})
	}
	return rows
}

func dollars(usd float64) string { return "$" + strconv.FormatFloat(usd, 'f', 4, 64) }

func clock(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC") }
