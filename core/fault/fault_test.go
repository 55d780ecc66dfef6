package fault

import (
	"strings"
	"testing"

	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/time"
)

// An exchange is one line of a provider's test table.
type exchange struct {
	source  string // where this was seen, or which rule asks for it
	status  int    // 0: the body is an event inside a stream
	headers string // "name: value" separated by "|"
	body    string
	want    string // decision reason breaker fallback [wait]
}

func headers(lines string) (h header.Header) {
	for _, line := range strings.Split(lines, "|") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			h = append(h, header.Field{Name: strings.TrimSpace(name), Value: value})
		}
	}
	return h
}

func parse(t testing.TB, text string) json.Value {
	t.Helper()
	v, err := json.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func (x exchange) fault(t testing.TB, p Provider) Fault {
	if x.status == 0 {
		var raw json.Value
		if x.body != "" {
			raw = parse(t, x.body)
		}
		return Event(p, headers(x.headers), raw)
	}
	return Classify(p, Response{Status: x.status, Header: headers(x.headers), Body: []byte(x.body)})
}

// short writes a Fault in the words of exchange.want.
func short(f Fault) string {
	words := []string{string(f.Decision), string(f.Reason), string(f.Breaker), string(f.Fallback)}
	if f.Hint.Known {
		words = append(words, f.Hint.Wait.String())
	}
	return strings.Join(words, " ")
}

func run(t *testing.T, p Provider, table []exchange) {
	t.Helper()
	for _, x := range table {
		f := x.fault(t, p)
		if got := short(f); got != x.want {
			t.Errorf("%s: %d %s %s\n got %s\nwant %s", x.source, x.status, x.headers, x.body, got, x.want)
		}
		if f.Message == "" && f.Decision != Success {
			t.Errorf("%s: no message", x.source)
		}
	}
}

func TestRetryWithin(t *testing.T) {
	hint := func(d time.Duration) Hint { return Hint{d, true, "retry-after"} }
	for _, c := range []struct {
		f       Fault
		longest time.Duration
		want    bool
	}{
		{Fault{Decision: Retry}, 0, true},
		{Fault{Decision: Retry, Hint: hint(30 * time.Second)}, 2 * time.Second, false},
		{Fault{Decision: Retry, Hint: hint(30 * time.Second)}, 30 * time.Second, true},
		{Fault{Decision: Stop, Hint: hint(95 * time.Second)}, time.Minute, false},
		{Fault{Decision: Stop, Hint: hint(95 * time.Second)}, 2 * time.Minute, true},
		{Fault{Decision: Stop}, time.Hour, false},
		{Fault{Decision: FixRequest}, time.Hour, false},
		{Fault{Decision: Success}, time.Hour, false},
	} {
		if got := c.f.RetryWithin(c.longest); got != c.want {
			t.Errorf("%s %v within %v: %v", c.f.Decision, c.f.Hint, c.longest, got)
		}
	}
}
