//go:build js

package main

import (
	"slices"
	"strconv"

	"honnef.co/go/js/dom/v2"
)

// failures is the list of what can go wrong.
type failures struct {
	list         []scenario
	selected     int
	summary      dom.HTMLElement // the choice in words, where the list is folded
	inBackground *dom.HTMLInputElement
}

// featured are the scenarios to see before all others, in this order.
var featured = []string{"healthy", "cut_reset", "cut_twice", "repeats_sentence", "rate_limit_then_ok", "unavailable",
	"service_unavailable_30s", "stall", "content_filter"}

// rank is the place of a scenario among the featured ones, or behind them.
func rank(c scenario) int {
	if i := slices.Index(featured, c.name); i >= 0 {
		return i
	}
	return len(featured)
}

func newFailures(s *service) *failures {
	f := &failures{list: slices.Clone(s.scenarios), summary: byID("chosen-failure"),
		inBackground: byID("background").(*dom.HTMLInputElement)}
	asked := func(c scenario) bool { return c.name == s.asked }
	if s.mode != proxy && s.mode != gateway && s.asked != "" && !slices.ContainsFunc(f.list, asked) {
		f.list = append(f.list, scenario{s.asked, "Your own", s.asked})
	}
	slices.SortStableFunc(f.list, func(a, b scenario) int { return rank(a) - rank(b) })
	f.choose(max(0, slices.IndexFunc(f.list, asked)))
	f.draw()
	if len(f.list) == 0 {
		do := "pull the plug, or switch your network off."
		if s.mode == gateway {
			do = "reload this page, " + do
			byID("no-failures").SetTextContent("The gateway answers, and mends what breaks behind it.")
		}
		byID("welcome-how").SetTextContent("Send the question below. While the answer is arriving, " + do)
	}
	show(byID("background-choice"), s.mode != gateway) // it is for a provider's stream
	show(byID("no-failures"), len(f.list) == 0)
	show(byID("choose"), len(f.list) > 0)
	f.foldable()
	return f
}

// draw shows the featured scenarios, and the others folded behind them.
func (f *failures) draw() {
	shown, rest := byID("failure-list"), el("div", "failure-list")
	for i, choice := range f.list {
		into := shown
		if rank(choice) == len(featured) {
			into = rest
		}
		into.AppendChild(f.option(i, choice))
	}
	if rest.FirstChild() == nil {
		return
	}
	more := el("details", "more", el("summary", "", count(len(rest.ChildNodes()), "more failure")), rest)
	if f.selected >= len(featured) {
		more.SetAttribute("open", "")
	}
	shown.AppendChild(more)
}

func (f *failures) option(i int, choice scenario) dom.Node {
	id := "failure-" + strconv.Itoa(i)
	input := el("input", "", attr{"type", "radio"}, attr{"name", "failure"}, attr{"id", id}, attr{"value", choice.name},
		attr{"aria-describedby", id + "-about"}).(*dom.HTMLInputElement)
	input.SetChecked(i == f.selected)
	on(input, "change", func(dom.Event) { f.choose(i) })
	return el("div", "failure", input,
		el("label", "failure-title", attr{"for", id}, choice.title),
		el("p", "failure-about", attr{"id", id + "-about"}, choice.description))
}

func (f *failures) choose(i int) {
	if i < len(f.list) {
		f.selected = i
		f.summary.SetTextContent(f.list[i].title)
	}
}

// chosen is the scenario to ask for; its title is empty when nothing shall fail.
func (f *failures) chosen() scenario {
	if len(f.list) == 0 {
		return scenario{}
	}
	chosen := f.list[f.selected]
	if chosen.name == "healthy" {
		chosen.title = ""
	}
	return chosen
}

func (f *failures) background() bool { return f.inBackground.Checked() }

// foldable lets a narrow screen fold the list away; on a wide one the style sheet shows it always.
func (f *failures) foldable() {
	toggle, panel := byID("choose"), byID("panel")
	on(toggle, "click", func(dom.Event) {
		open := toggle.GetAttribute("aria-expanded") != "true"
		toggle.SetAttribute("aria-expanded", strconv.FormatBool(open))
		setClass(panel, "is-open", open)
	})
}
