package fault

import "testing"

func TestEdge(t *testing.T) {
	table := []exchange{
		{"cls-018", 521, "content-type: text/html|server: cloudflare|cf-ray: x", `<!DOCTYPE html><html><head><title>api.example | 521: Web server is down</title></head><body><h1>Error 521</h1></body></html>`, "retry edge_error failure after_retries"},
		{"cls-019", 524, "content-type: text/html|server: cloudflare", `<html><title>524: A timeout occurred</title></html>`, "retry edge_timeout failure after_retries"},
		{"nginx", 502, "", "<html>\r\n<head><title>502 Bad Gateway</title></head>", "retry edge_error failure after_retries"},
		{"nginx", 504, "", "\xEF\xBB\xBF <html><title>504 Gateway Time-out</title>", "retry edge_timeout failure after_retries"},
		{"nginx", 429, "retry-after: 7", "<html><title>429 Too Many Requests</title>", "retry rate_limit failure after_retries 7s"},
		{"nginx", 404, "", "<html><title>404 Not Found</title>", "fix_request invalid_request ignore never"},
		{"Cloudflare", 429, "", "error code: 1015", "retry rate_limit failure after_retries"},
		{"Cloudflare", 403, "", "error code: 1020", "stop permission ignore never"},
		{"Cloudflare", 403, "", "error code: 1009", "stop region ignore never"},
		{"Cloudflare", 530, "", "error code: 1016", "retry edge_error failure after_retries"},
		{"Cloudflare", 502, "", "error code: 502", "retry edge_error failure after_retries"},
		{"Cloudflare", 403, "", `<!DOCTYPE html><title>Access denied</title><span class="cf-error-code">1009</span>`, "stop region ignore never"},
		{"Cloudflare", 403, "cf-mitigated: challenge", `<!DOCTYPE html><title>Just a moment...</title>`, "stop edge_error ignore never"},
		{"Cloudflare", 403, "", `<!DOCTYPE html><title>Just a moment...</title>`, "stop edge_error ignore never"},
		{"RFC 9457", 429, "", `{"type":"https://developers.cloudflare.com/…","title":"Error 1015","status":429,"detail":"You are being rate limited.","error_code":1015,"cloudflare_error":true,"retryable":true,"retry_after":30,"ray_id":"9d99a39dc992d168"}`, "retry rate_limit failure after_retries 30s"},
		{"providers §2.6", 525, "", ``, "stop edge_error failure other_provider"},
		{"providers §2.6", 523, "", ``, "retry edge_error failure after_retries"},
		{"a captive portal", 200, "content-type: text/html", `<!doctype HTML><title>Hotel Wi-Fi</title>`, "retry transport failure after_retries"},
		{"text may begin so", 200, "content-type: text/plain", `<b>bold</b>`, "success  success never"},
		{"cls-017", 503, "content-type: text/plain", `upstream connect error or disconnect/reset before headers. reset reason: overflow`, "retry proxy_unavailable failure after_retries"},
		{"Envoy", 504, "", `upstream request timeout`, "retry edge_timeout failure after_retries"},
		{"a plain word", 500, "", `Internal Server Error`, "retry server_error failure after_retries"},
		{"an event stream for an error", 429, "", "event: error\ndata: {\"error\":{\"message\":\"try again in 2s\"}}\n\n", "retry rate_limit failure after_retries 2s"},
		{"nothing", 500, "", "", "retry server_error failure after_retries"},
		{"nothing", 502, "", " \r\n", "retry server_error failure after_retries"},
		{"null", 503, "", "null", "retry overloaded failure after_retries"},
		{"an empty list", 500, "", "[]", "retry server_error failure after_retries"},
		{"an opaque answer", -1, "", "", "stop unknown ignore never"},
	}
	for _, p := range []Provider{OpenAI, Anthropic, XAI, Gemini, "any", ""} {
		run(t, p, table)
	}
}

func TestEdgeReports(t *testing.T) {
	page := `<!DOCTYPE html><html><head><title>api.x.com |
		502: Bad gateway</title></head><p>Cloudflare Ray ID: <strong class="x">8f3c1d2e4b5a6978</strong></p></html>`
	f := exchange{status: 502, body: page}.fault(t, OpenAI)
	if f.Ray != "8f3c1d2e4b5a6978" {
		t.Errorf("ray %q", f.Ray)
	}
	if want := "an HTML page instead of an answer: api.x.com | 502: Bad gateway"; f.Developer != want {
		t.Errorf("developer %q", f.Developer)
	}
	if f := (exchange{status: 502, headers: "cf-ray: 8f3c-FRA", body: page}).fault(t, OpenAI); f.Ray != "8f3c-FRA" {
		t.Errorf("ray %q", f.Ray)
	}
	for status, body := range map[int]string{524: "", 200: "<html>"} {
		if f := (exchange{status: status, body: body}).fault(t, OpenAI); f.MaxRetries != 1 {
			t.Errorf("%d: %d retries", status, f.MaxRetries)
		}
	}
}
