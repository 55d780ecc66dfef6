package main

import (
	"fmt"
	"math"
	"strings"

	"holdfast/core/time"
)

// The drawing: two charts over one time axis, and a legend. All in pixels; it has a light ground of
// its own, so that it can be read on a dark page too.
const (
	width, height = 1080, 800
	left, right   = 76, width - 34
)

// chart is one pair of axes.
type chart struct {
	title, note string
	top, bottom float64
	ticks       []float64
	low, high   float64 // at bottom and top
	log         bool
	of          func(s second) int
}

var charts = []chart{
	{"Offered load", "requests a second, 1 is normal, logarithmic", 124, 390, []float64{0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16}, 0.0625, 16, true,
		func(s second) int { return s.requests }},
	{"Goodput", "whole answers a second, 1 is normal", 464, 632, []float64{0, 0.5, 1, 1.5}, 0, 1.5, false,
		func(s second) int { return s.served }},
}

func (c *chart) y(v float64) float64 {
	v = max(c.low, min(c.high, v))
	part := (v - c.low) / (c.high - c.low)
	if c.log {
		part = math.Log(v/c.low) / math.Log(c.high/c.low)
	}
	return c.bottom - part*(c.bottom-c.top)
}

func x(t time.Duration) float64 {
	return left + (right-left)*float64(t-settled)/float64(end-settled)
}

// drawing is an SVG in the making.
type drawing struct{ strings.Builder }

func (d *drawing) add(format string, a ...any) { fmt.Fprintf(&d.Builder, format+"\n", a...) }

func (d *drawing) text(x, y float64, class, text string) {
	d.add(`<text x="%.1f" y="%.1f" class="%s">%s</text>`, x, y, class, text)
}

// draw writes the curves of all policies as an SVG file.
func draw(runs []*record, clients int) []byte {
	d := new(drawing)
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="Load and goodput of six retry policies through an outage and a brown-out">`, width, height)
	d.add(`<style>
text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#3d4852}
.title{font-size:22px;font-weight:650;fill:#16212b}
.head{font-size:15px;font-weight:650;fill:#16212b}
.quiet{fill:#74808c}.tick{fill:#74808c;text-anchor:end}.time{fill:#74808c;text-anchor:middle}.band{text-anchor:middle;font-weight:600}
.curve{fill:none;stroke-linejoin:round}
</style>`)
	d.add(`<rect x="1" y="1" width="%d" height="%d" rx="14" fill="#fdfcf9" stroke="#e3dfd6"/>`, width-2, height-2)
	d.text(left, 46, "title", "An outage and a brown-out, as the provider sees them")
	d.text(left, 70, "quiet", fmt.Sprintf("The same %s calls a second, whatever the policy. Virtual time, the real core.", count(float64(clients)/60)))
	for i := range charts {
		d.axes(&charts[i])
		for j := range runs {
			d.curve(&charts[i], runs[j], &policies[j])
		}
	}
	d.legend()
	d.add(`</svg>`)
	return []byte(d.String())
}

// axes draws what a chart's curves lie on.
func (d *drawing) axes(c *chart) {
	d.add(`<text x="%d" y="%.1f"><tspan class="head">%s</tspan><tspan class="quiet" dx="10">%s</tspan></text>`, left, c.top-24, c.title, c.note)
	for _, b := range []struct {
		from, to         time.Duration
		name, fill, text string
	}{{down, up, "outage: all fail", "#d1495b", "#a8324a"}, {dim, clear, "brown-out: half fail", "#e09f3e", "#9a6413"}} {
		d.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" opacity=".1"/>`, x(b.from), c.top, x(b.to)-x(b.from), c.bottom-c.top, b.fill)
		if c == &charts[0] {
			d.add(`<text x="%.1f" y="%.1f" class="band" style="fill:%s">%s</text>`, (x(b.from)+x(b.to))/2, c.top-6, b.text, b.name)
		}
	}
	for _, v := range c.ticks {
		colour := "#e9e5dc"
		if v == 1 {
			colour = "#b9b3a6"
		}
		d.add(`<path d="M%d %.1fH%d" stroke="%s"/>`, left, c.y(v), right, colour)
		d.text(left-10, c.y(v)+4.5, "tick", times(v)+"×")
	}
	for t := time.Minute; t <= end; t += time.Minute {
		d.add(`<path d="M%.1f %.1fv5" stroke="#b9b3a6"/>`, x(t), c.bottom)
		label := fmt.Sprint(int(t.Seconds() / 60))
		if t == time.Minute {
			label += " min"
		}
		d.text(x(t), c.bottom+20, "time", label)
	}
}

// curve draws one policy, second by second.
func (d *drawing) curve(c *chart, r *record, p *policy) {
	normal := ratio(c.of(r.sum(settled, down)), int((down - settled).Seconds()))
	d.WriteString(`<path class="curve" stroke="` + p.colour + `" stroke-width="1.7" d="`)
	move := 'M'
	for t := settled; t < end; t += time.Second {
		v := float64(c.of(r.sum(t, t+time.Second))) / normal
		fmt.Fprintf(d, "%c%.1f %.1f", move, x(t+time.Second/2), c.y(v))
		move = 'L'
	}
	d.add(`"/>`)
}

// legend names the curves: what other clients do on the left, Holdfast's on the right.
func (d *drawing) legend() {
	for i, p := range policies {
		column, line := 0, i
		if p.name != "no jitter" && p.name != "plain SDK" {
			column, line = 1, i-2
		}
		x, y := float64(left+column*430), 690+26*float64(line)
		d.add(`<path d="M%.1f %.1fh22" stroke="%s" stroke-width="4" stroke-linecap="round"/>`, x, y-4.5, p.colour)
		d.add(`<text x="%.1f" y="%.1f"><tspan font-weight="650">%s</tspan><tspan class="quiet">: %s</tspan></text>`, x+34, y, p.name, p.says)
	}
}

// times writes a factor as people do.
func times(v float64) string {
	if 0 < v && v < 1 {
		return fmt.Sprintf("1/%.0f", 1/v)
	}
	return fmt.Sprintf("%g", v)
}

// count writes a number of calls with as many digits as say something.
func count(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
