package fault

import (
	"bytes"
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/decimal"
	"holdfast/core/json"
)

// What answers from proxies, CDNs and login pages mean: bodies that no provider wrote.

// edgeRows are Cloudflare's numbers, as they stand in "error code: 1015" or on an HTML page.
// They say more than the 403, 429 or 530 that they come with.
var edgeRows = []struct {
	from, to int64
	then     *outcome
}{
	{1006, 1008, forbidden},   // this address is banned
	{1009, 1009, wrongPlace},  // this country is banned
	{1010, 1012, forbidden},   // this client, hotlink or bot is banned
	{1015, 1015, rateLimited}, // by the owner of the site
	{1016, 1016, edgeFailed},  // the origin's name does not resolve
	{1020, 1020, forbidden},   // a firewall rule
	{1033, 1033, edgeFailed},  // a tunnel is down
	{1101, 1102, edgeFailed},  // a Worker threw, or ran too long
	{1000, 1099, edgeBroken},  // other trouble with names and certificates
	{1200, 1200, overloaded},  // too many requests wait for the origin
}

// proxyWords are what proxies write in plain text when they cannot reach the origin (Envoy,
// nginx, HAProxy, AWS, Heroku). They count only with a status of the 5xx family.
const proxyWords = "upstream connect error|disconnect/reset before headers|upstream request timeout|" +
	"no healthy upstream|connection termination|upstream prematurely closed|bad gateway|" +
	"connection refused|no server is available|dns resolution failure|remote connection failure"

// edge classifies a body that is no JSON. It says false where the status decides.
func (x *evidence) edge() (outcome, bool) {
	if ascii.Lower(x.header.Get("cf-mitigated")) == "challenge" {
		return *edgeBlocked, true
	}
	switch x.env.shape {
	case page, edgeText:
		if x.env.number >= 1000 {
			for _, r := range edgeRows {
				if r.from <= x.env.number && x.env.number <= r.to {
					return *r.then, true
				}
			}
		}
		status := x.status
		if x.env.shape == edgeText && 400 <= x.env.number && x.env.number <= 599 {
			status = int(x.env.number)
		}
		switch {
		case status < 300:
			return *loginPage, true
		case status == 403:
			return *edgeBlocked, true
		case status == 504:
			return *edgeTooLate, true
		case status == 500 || status == 502 || status == 503:
			return *edgeFailed, true
		}
		return statusOutcome(status), true
	case plain:
		if x.status >= 500 && says(x.words, proxyWords) {
			if x.status == 504 {
				return *edgeTooLate, true
			}
			return *proxyDown, true
		}
	}
	return outcome{}, false
}

// readPage keeps of an HTML page what helps support: its title, its error number, its ray.
func (e *envelope) readPage(body []byte) {
	e.shape = page
	text := string(body[:min(len(body), maxSearch)])
	words := ascii.Lower(text)
	if at := strings.Index(words, "<title"); at >= 0 {
		_, rest, _ := strings.Cut(text[at:], ">")
		title, _, _ := strings.Cut(rest, "<")
		e.message = strings.Join(strings.Fields(title), " ")
	}
	for _, before := range []string{"error code: ", "error code ", "error code <span>", "cf-error-code\">", "error ", "error&nbsp;"} {
		if _, rest, ok := strings.Cut(words, before); ok {
			if n := leadingNumber(rest); 1000 <= n && n <= 1299 {
				e.number = n
				break
			}
		}
	}
	if _, rest, ok := strings.Cut(words, "ray id:"); ok {
		e.ray = firstHex(rest[:min(len(rest), 200)])
	}
}

// readProblem reads Cloudflare's own errors in the form of RFC 9457, which it sends to clients that
// accept JSON. Its "retryable" is Cloudflare's opinion, and no verdict of Gloo's.
func (e *envelope) readProblem(v json.Value) {
	e.shape, e.source = edgeText, v
	e.message = head(v.Get("title"), maxSearch)
	if !blank(v.Get("detail")) {
		e.message = head(v.Get("detail"), maxSearch)
	}
	setNumber(&e.number, v.Get("error_code"))
	set(&e.code, v.Get("error_name"))
	set(&e.ray, v.Get("ray_id"))
}

// edgeNumber reads Cloudflare's plain body "error code: 1015".
func edgeNumber(text string) (int64, bool) {
	const start = "error code:"
	if len(text) > 64 || len(text) < len(start) || ascii.Lower(text[:len(start)]) != start {
		return 0, false
	}
	n := leadingNumber(strings.TrimSpace(text[len(start):]))
	return n, n > 0
}

func leadingNumber(s string) int64 {
	end := 0
	for end < len(s) && end < 9 && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	n, _ := decimal.Int(s[:end])
	return n
}

// firstHex returns the first run of 16 or more hexadecimal digits: a ray.
func firstHex(s string) string {
	run := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && ('0' <= s[i] && s[i] <= '9' || 'a' <= s[i] && s[i] <= 'f') {
			run++
			continue
		}
		if run >= 16 {
			return s[i-run : i]
		}
		run = 0
	}
	return ""
}

// isPage reports that body is an HTML document. A text or XML answer may also begin with "<", so
// the content type or the first tag must say so.
func isPage(body []byte, contentType string) bool {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte(bom)))
	if len(body) == 0 || body[0] != '<' {
		return false
	}
	start := ascii.Lower(string(body[:min(len(body), 15)]))
	return strings.Contains(ascii.Lower(contentType), "html") || strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}
