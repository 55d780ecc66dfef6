package markdown

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// outline writes a tree as text: kind(children), text in quotes.
func outline(nodes []Node) string {
	names := map[Kind]string{Paragraph: "p", Heading: "h", List: "list", Item: "item", Code: "code",
		Quote: "quote", Table: "table", Row: "row", Cell: "cell", Rule: "rule", Strong: "strong",
		Emphasis: "em", Strike: "del", CodeSpan: "span", Link: "link", Break: "br"}
	var out []string
	for _, n := range nodes {
		if n.Kind == Text {
			out = append(out, "'"+n.Text+"'")
			continue
		}
		name := names[n.Kind]
		if n.Info != "" {
			name += "=" + n.Info
		}
		if n.Children != nil {
			name += "(" + outline(n.Children) + ")"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func nodesOf(blocks []Block) []Node {
	var nodes []Node
	for _, b := range blocks {
		nodes = append(nodes, b.Node)
	}
	return nodes
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"paragraphs", "One\ntwo.\n\nThree.", "p('One\ntwo.') p('Three.')"},
		{"heading", "## Title ##\ntext", "h('Title') p('text')"},
		{"emphasis", "a **b *c* d** _e_ ~~f~~ g", "p('a ' strong('b ' em('c') ' d') ' ' em('e') ' ' del('f') ' g')"},
		{"three marks", "***a***", "p(strong(em('a')))"},
		{"marks in words", "snake_case_name 2 * 3 * 4", "p('snake_case_name 2 * 3 * 4')"},
		{"not closed", "a **b", "p('a **b')"},
		{"escapes", `\*a\*`, "p('*a' '*')"},
		{"code span", "use `a*b*` and ``x`y``", "p('use ' span('a*b*') ' and ' span('x`y'))"},
		{"fence", "```go\nfunc x() {\n\n}\n```\nafter", "code=go('func x() {\n\n}\n') p('after')"},
		{"fence in item", "1. a\n   ```\n   x\n   ```\n2. b", "list(item(p('a') code('x\n')) item(p('b')))"},
		{"nested list", "- a\n  - b\n  - c\n- d", "list(item(p('a') list(item(p('b')) item(p('c')))) item(p('d')))"},
		{"loose list", "1. a\n\n2. b\n\nc", "list(item(p('a')) item(p('b'))) p('c')"},
		{"quote", "> a\n> b\n\nc", "quote(p('a\n' 'b')) p('c')"},
		{"table", "| a | b |\n|:--|--:|\n| 1 | `x|y` |\nend", "table(row(cell('a') cell('b')) row(cell('1') cell(span('x|y')))) p('end')"},
		{"rule", "a\n\n---\n\nb", "p('a') rule p('b')"},
		{"link", "see [the *page*](https://a.example/x) now", "p('see ' link=https://a.example/x('the ' em('page')) ' now')"},
		{"bare link", "at https://a.example/x.", "p('at ' link=https://a.example/x('https://a.example/x') '.')"},
		{"unsafe link", "[x](javascript:alert(1))", "p('[x](javascript:alert(1))')"},
		{"html stays text", "<b onclick=x>hi</b>", "p('<b onclick=x>hi</b>')"},
		{"carriage returns", "a\r\nb\r\n\r\n- c\r\n", "p('a' '\nb') list(item(p('c')))"},
		{"cjk and emoji", "**恩典**是🌊", "p(strong('恩典') '是🌊')"},
	} {
		if got := outline(nodesOf(Parse(c.source, false))); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestHalfFinished(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"a **b", "p('a ' strong('b'))"},
		{"a **b*", "p('a ' strong('b'))"},
		{"a **", "p('a ')"},
		{"a `b", "p('a ' span('b'))"},
		{"a ``b`", "p('a ' span('b'))"},
		{"a\n-", "p('a')"},
		{"a\n``", "p('a')"},
		{"```go\nx", "code=go('x')"},
		{"```\na\n--", "code('a\n--')"},
		{"| a | b", "table(row(cell('a') cell('b')))"},
		{"| a | b |\n|--", "table(row(cell('a') cell('b')))"},
		{"see [x](https://a.ex", "p('see ' link('x'))"},
	} {
		if got := outline(nodesOf(Parse(c.source, true))); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.source, got, c.want)
		}
	}
}

// The law: whatever the source, every run of text is the source's own, in order, and no letter or
// digit is lost except list numbers, code languages and link addresses.
func FuzzParse(f *testing.F) {
	f.Add("a **b** `c`\n\n- d\n  1. e\n\n| f | g |\n|---|---|\n| h | i |\n> j\n```k\nl\n```\n[m](https://n.o)", true)
	f.Add("***a** b*\r\n> - 1) c\\\nd  \ne", false)
	f.Fuzz(func(t *testing.T, source string, open bool) {
		end := 0
		var walk func(nodes []Node)
		walk = func(nodes []Node) {
			for _, n := range nodes {
				if n.Kind == Text {
					if n.At < end || n.At+len(n.Text) > len(source) || source[n.At:n.At+len(n.Text)] != n.Text {
						t.Fatalf("%q is not the source's own at %d (after %d)", n.Text, n.At, end)
					}
					end = n.At + len(n.Text)
				}
				walk(n.Children)
			}
		}
		from := 0
		for _, b := range Parse(source, open) {
			if b.From < from || b.To < b.From {
				t.Fatalf("block %d–%d after %d", b.From, b.To, from)
			}
			from = b.To
			walk([]Node{b.Node})
		}
		if !open && utf8.ValidString(source) && !strings.ContainsAny(source, "[]()<>`~.0123456789\n\r\t") {
			var shown strings.Builder
			var collect func(nodes []Node)
			collect = func(nodes []Node) {
				for _, n := range nodes {
					shown.WriteString(n.Text)
					collect(n.Children)
				}
			}
			collect(nodesOf(Parse(source, open)))
			if letters(shown.String()) != letters(source) {
				t.Fatalf("lost: %q from %q", shown.String(), source)
			}
		}
	})
}

// The law: read on from any place it is what it is when it is read at once.
func FuzzParseOn(f *testing.F) {
	for _, source := range []string{
		"a\n\n| b\nc\n\n- d\n\n1\n\n1. e\n```\nf\n--\n```\n> g\n\n| h | i |\n|--|--|\n| j | k |\n\n***\nl\n- \n  ```\n  m\n\nn\n\n-\no",
		"1. a\n\n2. b\n\nc\n| d\n|-\n| e\r\n\r\n~~~\n```\n\n-\n#\n# g\n>\n> h\n",
	} {
		for n := range source {
			f.Add(source, n, n*3/2)
		}
	}
	f.Fuzz(func(t *testing.T, source string, n, m int) {
		n = max(0, min(n, len(source)))
		m = max(n, min(m, len(source)))
		blocks := ParseOn(Parse(source[:n], true), source[:m], true)
		for _, open := range []bool{true, false} {
			if got, want := ParseOn(blocks, source, open), Parse(source, open); !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
				t.Fatalf("%q read on from %d and %d, open %v:\n got %s\nwant %s", source, n, m, open, outline(nodesOf(got)), outline(nodesOf(want)))
			}
		}
	})
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r > 0x3000 && r != 0xfffd {
			return r
		}
		return -1
	}, s)
}
