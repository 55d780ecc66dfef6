package live

import (
	"strings"

	"holdfast/core/ascii"
	"holdfast/core/decimal"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
)

// Closing is how a connection ended, as far as the host can see it.
type Closing struct {
	Code   int    // of the close frame; 1006 when none came
	Reason string // of the close frame: Gemini puts its errors there
	// Status is that of a refused handshake; 0 when unknown, as always in browsers. Header and Body
	// are what else the server said there, where the host tells it.
	Status int
	Header header.Header
	Body   []byte
	// Name, ErrorCode and Message describe the error that the host reported, if it did.
	Name, ErrorCode, Message string
}

// closeCodes say which HTTP status a close code stands for. Sources: RFC 6455 §7.4, the IANA
// registry, and what Gemini Live was seen to send.
var closeCodes = []struct{ from, to, status int }{
	{1003, 1003, 400}, // unsupported data
	{1007, 1007, 400}, // Gemini: invalid argument, bad key
	{1008, 1008, 403}, // Gemini: refused, no such model, no such session
	{1009, 1009, 413}, // message too big
	{1010, 1010, 400},
	{1011, 1011, 500}, // internal error, deadline, quota
	{1012, 1013, 503}, // restarts, try again later
	{1014, 1014, 502},
	{3000, 3000, 401},
	{3003, 3003, 403},
	{3008, 3008, 408},
}

// closeWords correct the status by what the reason says.
var closeWords = []struct {
	says   string
	status int
}{
	{"quota", 429}, {"resource exhausted", 429}, {"resource_exhausted", 429}, {"rate limit", 429},
	{"not found", 404},
	{"unavailable", 503}, {"overloaded", 503},
	{"deadline expired", 504},
	{"aborted", 499}, {"cancelled", 499}, // by itself, or behind a goAway: nothing was refused
	{"unauthenticated", 401},
}

// Classify says what the end of a connection means. A connection that simply ended, by whatever
// code, is a transport fault: somebody still wanted it.
func (c Closing) Classify(p fault.Provider) fault.Fault {
	switch refused := "the server refused the WebSocket with HTTP " + decimal.String(c.Status); {
	case c.Name == "SyntaxError" || c.Name == "SecurityError": // of the constructor: it was not even dialled
		return fault.Lost(fault.InvalidRequest, c.Name+": "+c.Message)
	case c.Status >= 200 && c.Status < 300:
		return fault.Lost(fault.Transport, refused)
	case c.Status >= 300 && c.Status < 400:
		return fault.Lost(fault.InvalidRequest, refused+": no redirect is followed, let baseURL be the final address")
	case c.Status >= 400 && c.Status < 600:
		f := fault.Classify(p, fault.Response{Status: c.Status, Header: c.Header, Body: c.Body})
		if len(c.Body) > 0 {
			refused += ": " + f.Developer
		}
		f.Developer = refused
		return f
	}
	status := 0
	for _, r := range closeCodes {
		if r.from <= c.Code && c.Code <= r.to {
			status = r.status
		}
	}
	if c.Code >= 4400 && c.Code <= 4599 { // by custom, 4000 and an HTTP status
		status = c.Code - 4000
	}
	if status == 0 {
		f := fault.Lost(fault.Transport, c.describe())
		if c.Message != "" && (c.Code == 0 || c.Code == 1006) {
			f = fault.Network(c.Name, c.ErrorCode, c.Message)
		}
		if c.Code != 0 {
			f.Code = decimal.String(c.Code)
		}
		return f
	}
	reason := ascii.Lower(c.Reason)
	for _, w := range closeWords {
		if strings.Contains(reason, w.says) {
			status = w.status
			break
		}
	}
	var w json.Writer
	w.Open("", '{').Open("error", '{').Text("message", c.Reason).Close('}').Close('}')
	f := fault.Classify(p, fault.Response{Status: status, Body: w.Out})
	f.Status, f.Code, f.Developer = 0, decimal.String(c.Code), c.describe()
	return f
}

func (c Closing) describe() string {
	if c.Code == 0 || c.Code == 1006 {
		return "the connection broke"
	}
	s := "the server closed the connection with code " + decimal.String(c.Code)
	if c.Reason != "" {
		s += ": " + c.Reason
	}
	return s
}
