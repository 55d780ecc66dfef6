package fault

import "testing"

func TestNetwork(t *testing.T) {
	for _, c := range []struct {
		name, code, message string
		want                Reason
	}{
		{"TypeError", "", "Failed to fetch", Transport},                                 // Chromium
		{"TypeError", "", "NetworkError when attempting to fetch resource.", Transport}, // Firefox
		{"TypeError", "", "Load failed", Transport},                                     // Safari
		{"TypeError", "ECONNRESET", "fetch failed", Transport},
		{"TypeError", "UND_ERR_SOCKET", "terminated: other side closed", Transport}, // cls-028
		{"TypeError", "ENOTFOUND", "getaddrinfo ENOTFOUND api.x.ai", Transport},
		{"Error", "", "Network connection lost.", Transport}, // workerd
		{"TypeError", "UND_ERR_HEADERS_TIMEOUT", "fetch failed", Timeout},
		{"TypeError", "UND_ERR_CONNECT_TIMEOUT", "fetch failed", Timeout},
		{"Error", "ETIMEDOUT", "read ETIMEDOUT", Timeout},
		{"TimeoutError", "", "The operation was aborted due to timeout", Timeout}, // cls-029
		{"TimeoutError", "23", "signal timed out", Timeout},
		{"AbortError", "20", "The user aborted a request.", Cancelled}, // cls-030
		{"Error", "", "Request was aborted.", Cancelled},
		{"Error", "ERR_HTTP2_STREAM_ERROR", "Stream closed with error code NGHTTP2_REFUSED_STREAM", NotProcessed}, // cls-031
		{"Error", "ERR_HTTP2_GOAWAY_SESSION", "New streams cannot be created after receiving a GOAWAY", NotProcessed},
		{"Error", "ERR_HTTP2_STREAM_ERROR", "Stream closed with error code NGHTTP2_INTERNAL_ERROR", Transport},
		{"Error", "", "Too many subrequests.", PlatformLimit},
		{"BudgetError", "", "What is left does not cover the request.", Budget},
		{"RedirectError", "", "https://a.example redirects to https://b.example/v1", InvalidRequest},
		{"TypeError", "ERR_INVALID_URL", "Failed to parse URL from /v1", InvalidRequest},
		{"TypeError", "", "fetch failed: redirect count exceeded", InvalidRequest},
		{"", "", "", Transport},
	} {
		f := Network(c.name, c.code, c.message)
		if f.Reason != c.want || f.Message == "" {
			t.Errorf("%s %s %q: %s", c.name, c.code, c.message, short(f))
		}
	}
}

func TestLost(t *testing.T) {
	for kind, want := range map[Reason]string{
		Transport:       "retry transport failure after_retries",
		Timeout:         "retry timeout failure after_retries",
		Truncated:       "retry truncated failure after_retries",
		IdleTimeout:     "retry idle_timeout failure after_retries",
		MalformedStream: "retry malformed_stream failure after_retries",
		EmptyCompletion: "retry empty_completion failure after_retries",
		NotProcessed:    "retry not_processed failure after_retries",
		Cancelled:       "stop cancelled ignore never",
		Deadline:        "stop deadline ignore never",
		PlatformLimit:   "stop platform_limit ignore never",
		CircuitOpen:     "stop circuit_open ignore after_retries", // brk-006
		Budget:          "stop budget ignore never",
		"new":           "stop new ignore never",
		"":              "stop unknown ignore never",
	} {
		if got := short(Lost(kind, "d")); got != want {
			t.Errorf("%s: got %s, want %s", kind, got, want)
		}
	}
	if f := Lost(IdleTimeout, "with Bearer abcdefghijkl"); f.MaxRetries != 1 || f.Developer != "with Bearer …" {
		t.Errorf("%+v", f)
	}
}
