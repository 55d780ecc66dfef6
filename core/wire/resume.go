package wire

import (
	"strings"

	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/json"
)

// Cursor is how far an answer was taken, so that another stream of the same answer can go on
// (Stream.From). A Stream keeps its Cursor up to date; the zero value is the beginning. It counts
// what the provider sent, not what a caller was shown of it.
type Cursor struct {
	ID    string // of the response, interaction or deferred completion; "" until the provider said it
	Next  int64  // Responses: the lowest sequence_number that was not taken
	Event string // Interactions: the last event_id that was taken. Answers: the offset behind it

	Text, Reasoning, Refusal int      // how much text of each kind was taken, in UTF-16 units
	Tools                    []string // the ids of the tool calls that were handed out
	Bytes                    int      // of all that, and of the arguments of tool calls as they stand there
	Ahead                    Ahead    // Answers: what of the following was taken as well

	calls []partialCall // those whose arguments were still arriving
	sum   uint32        // of Text: see mix; 0 where it is not known
}

// Whole tells that no tool call was half taken: then the exported fields are all there is to it.
func (c *Cursor) Whole() bool { return len(c.calls) == 0 }

// taken is the length of one kind of text.
func (c *Cursor) taken(kind Kind) *int {
	switch kind {
	case Reasoning:
		return &c.Reasoning
	case Refusal:
		return &c.Refusal
	}
	return &c.Text
}

// again makes the stream expect the answer from its beginning: what was taken of it is left out.
func (s *Stream) again() {
	s.skip = Cursor{Text: s.Cursor.Text, Reasoning: s.Cursor.Reasoning, Refusal: s.Cursor.Refusal, sum: s.Cursor.sum}
	if s.skip.sum != 0 {
		s.skip.sum = 1
	}
	for _, id := range s.Cursor.Tools {
		if id == "" {
			s.skip.Tools = append(s.skip.Tools, id)
		}
	}
}

// units is the length of a text in UTF-16. Counted byte by byte, it does not depend on where the
// text was cut in two, not even between the halves of a surrogate pair (see json.AppendText).
func units(text []byte) (n int) {
	for _, c := range text {
		if c&0xC0 != 0x80 { // no continuation byte
			n++
		}
		if c >= 0xF0 {
			n++
		}
	}
	return n
}

// mix adds text to a sum that tells two texts apart, unless that is 0. It does not depend on where the text
// was cut in two either, so that it leaves out what a surrogate pair can be part of.
func mix(sum uint32, text []byte) uint32 {
	for _, c := range text {
		if sum != 0 && (c < 0x80 || c >= 0xC0 && c < 0xED) {
			sum = sum*31 + uint32(c)
		}
	}
	return sum
}

// drop removes up to n units from text, behind the first from bytes, and returns what is left of n.
// A character that is cut in two leaves its second half.
func drop(text []byte, from, n int, sum *uint32) ([]byte, int) {
	at := from
	for at < len(text) && n > 0 {
		size, width := 1, 1
		for at+size < len(text) && text[at+size]&0xC0 == 0x80 {
			size++
		}
		if text[at] >= 0xF0 {
			width = 2
		}
		if width > n && size == 4 {
			low := rune(text[at+2]&0x0F)<<6 | rune(text[at+3]&0x3F)
			at++
			text[at], text[at+1], text[at+2] = 0xED, 0xB0|byte(low>>6), 0x80|byte(low&0x3F)
			return append(text[:from], text[at:]...), 0
		}
		*sum = mix(*sum, text[at:at+size])
		at, n = at+size, max(0, n-width)
	}
	return append(text[:from], text[at:]...), n
}

// ways are what providers let us do with an answer whose stream broke. What is not listed can only
// be sent again or continued. Source: providers.md §7.1.
var ways = []struct {
	provider fault.Provider
	api      API
	stream   kept // the stream can be taken up again
	whole    kept // the answer can be fetched as one JSON object
}{
	{fault.OpenAI, Responses, inBackground, inStore},
	{fault.XAI, Responses, never, always}, // readable even when it was not to be stored
	{fault.XAI, Chat, never, deferred},
	{fault.Gemini, Interactions, inBackground, inStore},
}

// kept says which answers a way is open for, by the request that they were asked for with.
type kept int

const (
	never        kept = iota
	always            // every one
	inStore           // unless the request said "store": false
	inBackground      // "background": true, and stored: others die with their connection
	deferred          // "deferred": true, fetchable once within 24 hours
)

func (k kept) holds(body json.Value) bool {
	stored := !body.Get("store").False()
	switch k {
	case always:
		return true
	case inStore:
		return stored
	case inBackground:
		return stored && body.Get("background").True()
	case deferred:
		return body.Get("deferred").True()
	}
	return false
}

// Resume returns the request that takes up the stream of an answer behind a cursor: sent is the
// request that asked for it, at the Cursor of the stream that broke. It reports false where the
// provider cannot. Its answer goes to a Stream that begins From the same cursor, which drops what
// a server repeats nevertheless; it may be one JSON object instead, when the answer is finished or
// its stream has expired. A 404 means that it is gone: start over.
func Resume(p fault.Provider, api API, sent Request, at Cursor) (Request, bool) {
	if at.ID == "" || !allowed(p, api, sent.Body, false) {
		return Request{}, false
	}
	if api == Answers {
		return Request{Method: "GET", URL: answerURL(sent.URL, at.ID) + "?offset=" + escape(at.Event, "") + "&live=sse"}, true
	}
	query := "stream=true"
	switch {
	case api == Responses && at.Next > 0:
		query += "&starting_after=" + decimal.String(at.Next-1)
	case api == Interactions && at.Event != "":
		query += "&last_event_id=" + escape(at.Event, "")
	}
	return Request{Method: "GET", URL: below(sent.URL, "/"+escape(at.ID, ""), query)}, true
}

// Retrieve returns the request that fetches an answer as one JSON object, to see what became of
// it. Its answer goes to a Stream that begins From the same cursor. When that says Pending the
// answer is still being made: ask again after some seconds. A deferred completion that is pending
// answers 202 with an empty body.
func Retrieve(p fault.Provider, api API, sent Request, at Cursor) (Request, bool) {
	if at.ID == "" || !allowed(p, api, sent.Body, true) {
		return Request{}, false
	}
	url := below(sent.URL, "/"+escape(at.ID, ""), "")
	if api == Chat {
		url = strings.Replace(url, "/chat/completions/", "/chat/deferred-completion/", 1)
	}
	return Request{Method: "GET", URL: url}, true
}

// Withdraw returns the request that stops the making of an answer that runs in the background, so
// that its bill stops too.
func Withdraw(p fault.Provider, api API, sent Request, at Cursor) (Request, bool) {
	if at.ID == "" || !allowed(p, api, sent.Body, false) {
		return Request{}, false
	}
	if api == Answers {
		return Request{Method: "POST", URL: answerURL(sent.URL, at.ID) + "/cancel"}, true
	}
	return Request{Method: "POST", URL: below(sent.URL, "/"+escape(at.ID, "")+"/cancel", "")}, true
}

// Resumable tells whether answers to a request can be taken up as a stream, and whether they can be
// fetched whole.
func Resumable(p fault.Provider, api API, body json.Value) (stream, whole bool) {
	return allowed(p, api, body, false), allowed(p, api, body, true)
}

func allowed(p fault.Provider, api API, body json.Value, whole bool) bool {
	if api == Answers {
		return !whole
	}
	for _, way := range ways {
		if way.provider == p && way.api == api {
			if whole {
				return way.whole.holds(body)
			}
			return way.stream.holds(body)
		}
	}
	return false
}

// below appends to the path of a URL, and to its query.
func below(url, path, query string) string {
	before, asked, _ := strings.Cut(url, "?")
	url = strings.TrimRight(before, "/") + path
	switch {
	case asked == "":
		asked = query
	case query != "":
		asked += "&" + query
	}
	if asked == "" {
		return url
	}
	return url + "?" + asked
}
