package sim

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func second(n int) time.Duration { return time.Duration(n) * time.Second }

// What the streams of each provider say at their ends and in the middle; a "!" must not be there.
func TestProviderStreams(t *testing.T) {
	const messages, interactions = "/anthropic/v1/messages", "/gemini/v1beta/interactions"
	const sse, array = "/gemini/v1beta/models/gemini-x:streamGenerateContent?alt=sse", "/gemini/v1beta/models/gemini-x:streamGenerateContent"
	const think = `{"reasoning":"Let me think.","tool":true,"finishAfterWords":3}`
	for _, c := range []struct {
		path, script string
		want         []string
	}{
		{messages, "healthy", []string{`event: message_start`, `"output_tokens":1}`, "event: ping", `{"type":"text_delta","text":"Tidepools"}`,
			`"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{`, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", "![DONE]"}},
		{messages, think, []string{`"content_block":{"type":"thinking","thinking":"","signature":""}`, `"thinking_delta","thinking":"Let"`,
			`{"type":"signature_delta","signature":"EqQ`, `"index":2,"content_block":{"type":"tool_use","id":"toolu_`, `"input":{}`,
			`"partial_json":""`, `"partial_json":"{\"near\":`, `"stop_reason":"tool_use"`}},
		{messages, "tool_cut", []string{`"partial_json":"{\"near`, "!sea star", "!message_stop"}},
		{messages, "refusal", []string{`"stop_reason":"refusal"`, `"stop_details":{"type":"refusal"`}},
		{messages, "content_filter", []string{`"stop_reason":"refusal"`}},
		{messages, "length_reasoning", []string{`"stop_reason":"max_tokens"`, "!text_delta"}},
		{messages, `{"finish":"pause_turn"}`, []string{`"stop_reason":"pause_turn"`}},
		{messages, `{"error":"overloaded","errorAfterWords":0}`, []string{"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"", "!message_start", "!request_id"}},
		{messages, `{"error":"server_error","errorAfterWords":5}`, []string{"message_start", `"type":"api_error"`, "!message_stop"}},
		{messages, "no_terminal", []string{"tomorrow.", "!message_delta", "!message_stop"}},
		{sse, "healthy", []string{"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Tidepools\"}],\"role\":\"model\"},\"index\":0}],\"usageMetadata\":{",
			"\r\n\r\ndata: ", `"finishReason":"STOP"`, `"modelVersion":"gemini-x"`, "![DONE]", "!event:"}},
		{sse, think, []string{`{"text":"Let","thought":true}`, `"functionCall":{"name":"find_tidepool","args":{"near":"Monterey"`, `"thoughtsTokenCount":3`, `"finishReason":"STOP"`}},
		{sse, `{"tool":{"parts":3},"finishAfterWords":1}`, []string{`{"functionCall":{"name":"find_tidepool","willContinue":true}}`,
			`{"functionCall":{"partialArgs":[{"jsonPath":"$.near","stringValue":"Mont","willContinue":true},{"jsonPath":"$.near","stringValue":"erey"}],"willContinue":true}}`,
			`{"jsonPath":"$.species[1]","stringValue":"star"}`, `{"functionCall":{}}`}},
		{sse, `{"tool":{"parts":3},"finishAfterWords":1,"endAfterParts":2,"end":"reset"}`, []string{`"jsonPath":"$.radius_km","numberValue":25`, "!star", "!finishReason"}},
		{sse, "content_filter", []string{`"finishReason":"SAFETY"`}},
		{sse, "length_reasoning", []string{`"finishReason":"MAX_TOKENS"`}},
		{sse, `{"finish":"MALFORMED_FUNCTION_CALL","finishAfterWords":0}`, []string{`"finishReason":"MALFORMED_FUNCTION_CALL"`}},
		{sse, `{"blockReason":"PROHIBITED_CONTENT","finishAfterWords":0}`, []string{`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}`, "!candidates"}},
		{sse, `{"error":"overloaded","errorAfterWords":3,"errorShape":"raw"}`, []string{"\r\n\r\n{\"error\":{\"code\":503,"}},
		{sse, `{"error":"overloaded","errorAfterWords":3}`, []string{"data: {\"error\":{\"code\":503,"}},
		{array, "healthy", []string{`[{"candidates":`, "},\r\n{\"candidates\":", `"finishReason":"STOP"`, "!data:"}},
		{array, "cut_clean", []string{`[{"candidates":`, "!finishReason", "!}]\n"}},
		{array, `{"error":"overloaded","errorAfterWords":3}`, []string{",\r\n{\"error\":{\"code\":503,"}},
		{interactions, "healthy", []string{`{"event_type":"interaction.created","interaction":{"id":"v1_`, `"event_id":"ev_`,
			`"step":{"type":"model_output"}`, `"delta":{"type":"text","text":"Tidepools"}`, `"event_type":"interaction.completed"`, `"status":"completed"`,
			`"total_output_tokens":`, "data: [DONE]\n\n"}},
		{interactions, think, []string{`"step":{"type":"thought"}`, `"thought_summary"`, `"thought_signature"`, `"arguments_delta"`, `"status":"requires_action"`}},
		{interactions, `{"noUsage":true}`, []string{`"status":"completed"`, "!total_tokens"}},
		{interactions, `{"error":"not_found","errorAfterWords":3}`, []string{`{"event_type":"error","error":{"code":"not_found"`}},
		{interactions, `{"endAfterWords":5,"tail":"[{\"error\":{}}]"}`, []string{"\n\n[{\"error\":{}}]", "!completed"}},
		{"/openai/v1/responses", `{"error":"quota","errorAfterWords":0}`, []string{"response.created", "event: error\ndata: {\"type\":\"error\",\"sequence_number\":2,\"error\":{",
			`"code":"insufficient_quota"`, `"type":"response.failed","sequence_number":3`}},
		{"/openai/v1/responses", `{"error":"quota","errorAfterWords":0,"errorShape":"flat"}`, []string{`"sequence_number":2,"code":"insufficient_quota"`, "response.failed"}},
		{"/openai/v1/responses", think, []string{`"response.reasoning_summary_text.delta","sequence_number":`, `"summary":[{"type":"summary_text","text":"Let me think."}]`}},
		{"/gloo/ai/v2/direct/responses", think, []string{`"response.reasoning_text.delta"`, `"summary":[],"content":[{"type":"reasoning_text"`}},
		{"/xai/v1/chat/completions", "tool_call", []string{`"arguments":"{\"near\":\"Monterey\",\"radius_km\":25,\"species\":[\"limpet\",\"sea star\"]}"`, `"cost_in_usd_ticks":`}},
		{"/xai/v1/responses", "healthy", []string{`"type":"response.created","sequence_number":0,"response":{"id":"`, "!resp_", `"item_id":"msg_`}},
		{"/gemini/v1beta/openai/chat/completions", "healthy", []string{`"finish_reason":"stop"`, "[DONE]"}},
	} {
		body := string(send(&Store{}, "POST", c.path, c.script, everything).Body())
		for _, want := range c.want {
			unwanted, no := strings.CutPrefix(want, "!")
			if no && strings.Contains(body, unwanted) || !no && !strings.Contains(body, want) {
				t.Errorf("%s %s: want %s in %.300s … %s", c.path, c.script, want, body, body[max(0, len(body)-600):])
			}
		}
	}
}

// Every scenario ends at every provider, and what comes as events is JSON.
func TestEveryScenarioEndsEverywhere(t *testing.T) {
	for _, path := range streams {
		for _, s := range Scenarios {
			e := send(&Store{}, "POST", path, s.Name, everything)
			if len(e.Steps) == 0 || e.Ends() == "" {
				t.Fatalf("%s %s has no end", path, s.Name)
			}
			if s.Name == "malformed" || !strings.HasPrefix(e.Header.Get("content-type"), "text/event-stream") {
				continue
			}
			for line := range strings.SplitSeq(strings.ReplaceAll(string(e.Body()), "\r\n", "\n"), "\n") {
				if data, ok := strings.CutPrefix(line, "data: "); ok && data != "[DONE]" && !json.Valid([]byte(data)) {
					t.Errorf("%s %s: %s", path, s.Name, data)
				}
			}
		}
	}
}

// An assistant message at the end: old models go on from it, new ones refuse it.
func TestPrefill(t *testing.T) {
	body := func(model, text string) string {
		return `{"model":"` + model + `","max_tokens":9,"messages":[{"role":"user","content":"Why?"},{"role":"assistant","content":"` + text + `"}]}`
	}
	for _, c := range []struct {
		path, script, model, text string
		status                    int
	}{
		{"/anthropic/v1/messages", "healthy", "claude-opus-5", "Tidepools", 400},
		{"/anthropic/v1/messages", "healthy", "claude-sonnet-4-5", "Tidepools", 200},
		{"/anthropic/v1/messages", "healthy", "claude-sonnet-4-5", "Tidepools ", 400},
		{"/anthropic/v1/messages", `{"prefill":true}`, "claude-opus-5", "Tidepools", 200},
		{"/anthropic/v1/messages", `{"continuations":[{"prefill":false}]}`, "claude-sonnet-4-5", "Tidepools look", 400},
		{"/openai/v1/chat/completions", `{"prefill":false}`, "gpt-x", "Some", 400},
		{"/openai/v1/chat/completions", "healthy", "gpt-x", "Some", 200},
	} {
		e := send(&Store{}, "POST", c.path, c.script, body(c.model, c.text))
		if e.Status != c.status {
			t.Errorf("%s %s %q: %d %s", c.script, c.model, c.text, e.Status, e.Body())
		}
	}
}

// Law: the events of a stored stream after any cursor are the ones that came after it, however the
// first connection was cut.
func TestResume(t *testing.T) {
	for _, c := range []struct{ path, cursor string }{
		{"/openai/v1/responses", "starting_after"}, {"/v1/responses", "starting_after"}, {"/gemini/v1beta/interactions", "last_event_id"},
	} {
		const body = `{"model":"m","input":"one sentence","background":true,"stream":true}`
		whole := string(send(&Store{}, "POST", c.path, `{"reasoning":"Hm, let me see."}`, body).Body())
		events := strings.SplitAfter(strings.TrimSuffix(whole, "data: [DONE]\n\n"), "\n\n")
		store := &Store{}
		script := `{"requests":[{"reasoning":"Hm, let me see.","endAfterWords":6,"end":"reset"}],"reads":[{},{"ignoresCursor":true},{"asJson":true},{"produced":9,"endAfterWords":9},{"produced":4,"asJson":true},{"error":"not_found"}]}`
		part := string(send(store, "POST", c.path, script, body).Body())
		if !strings.HasPrefix(whole, part) || len(part) == len(whole) {
			t.Fatalf("%s: %s", c.path, part)
		}
		id := idIn(part)
		cut := strings.Split(strings.TrimSuffix(part, "\n\n"), "\n\n")
		after := "?stream=true&" + c.cursor + "=" + cursorOf([]byte(cut[len(cut)-1]+"\n\n"))
		read := func(query string) Exchange { return send(store, "GET", c.path+"/"+id+query, script, "") }
		if rest := string(read(after).Body()); part+rest != whole {
			t.Errorf("%s: after the cut %.200s", c.path, rest)
		}
		if all := string(read(after).Body()); all != whole {
			t.Errorf("%s: replayed %.200s", c.path, all)
		}
		if e := read(after); e.Header.Get("content-type") != "application/json" || !strings.Contains(string(e.Body()), `"status":"completed"`) {
			t.Errorf("%s: %s", c.path, e.Body())
		}
		if e := string(read("?stream=true").Body()); !strings.HasPrefix(whole, e) || len(e) == len(whole) {
			t.Errorf("%s: up to nine words %.200s", c.path, e)
		}
		if e := string(read("").Body()); !strings.Contains(e, `"status":"in_progress"`) || !strings.Contains(e, `"Small pools outlive big"`) {
			t.Errorf("%s: in progress %s", c.path, e)
		}
		if e := read(""); e.Status != 404 {
			t.Errorf("%s: expired is %d", c.path, e.Status)
		}
		for i := range events[:len(events)-1] { // a cursor at every event
			again := string(send(store, "GET", c.path+"/"+id+"?stream=true&"+c.cursor+"="+cursorOf([]byte(events[i])), "healthy", "").Body())
			if strings.Join(events[:i+1], "")+again != whole {
				t.Errorf("%s: after event %d %.200s", c.path, i, again)
			}
		}
	}
}

// idIn is the id of the answer in its first event or its document.
func idIn(body string) string {
	_, rest, _ := strings.Cut(body, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// Answers that are not streamed: accepted at once, read until they are there, cancelled, deleted.
func TestStoredAnswers(t *testing.T) {
	for _, path := range []string{"/openai/v1/responses", "/gemini/v1beta/interactions"} {
		store := &Store{}
		const script = `{"pending":2}`
		accepted := string(send(store, "POST", path, script, `{"model":"m","input":"ping","background":true}`).Body())
		id := idIn(accepted)
		var statuses []string
		for _, body := range []string{accepted, "", "", ""} {
			if body == "" {
				body = string(send(store, "GET", path+"/"+id, script, "").Body())
			}
			_, rest, _ := strings.Cut(body, `"status":"`)
			status, _, _ := strings.Cut(rest, `"`)
			statuses = append(statuses, status)
		}
		if got := strings.Join(statuses, " "); strings.ReplaceAll(got, "queued", "in_progress") != "in_progress in_progress in_progress completed" {
			t.Errorf("%s: %s", path, got)
		}
		if e := send(store, "POST", path+"/"+id+"/cancel", script, ""); !strings.Contains(string(e.Body()), `"status":"cancelled"`) {
			t.Errorf("%s: %s", path, e.Body())
		}
		if e := send(store, "DELETE", path+"/"+id, script, ""); e.Status != 200 {
			t.Errorf("%s: %s", path, e.Body())
		}
		if e := send(store, "GET", path+"/"+id, script, ""); e.Status != 404 {
			t.Errorf("%s: %s", path, e.Body())
		}
	}
	store := &Store{}
	if e := send(store, "POST", "/xai/v1/responses", "healthy", `{"model":"m","input":"ping","background":true}`); e.Status != 400 {
		t.Errorf("xAI takes background: %s", e.Body())
	}
	if e := send(store, "POST", "/xai/v1/responses", "healthy", `{"model":"m","input":"ping","metadata":{}}`); e.Status != 400 {
		t.Errorf("xAI takes metadata: %s", e.Body())
	}
	id := idIn(string(send(store, "POST", "/xai/v1/responses", "healthy", `{"model":"m","input":"ping","store":false}`).Body()))
	if e := send(store, "GET", "/xai/v1/responses/"+id, "healthy", ""); e.Status != 200 || !strings.Contains(string(e.Body()), "Pong") {
		t.Errorf("%s: %s", id, e.Body())
	}
	if e := send(store, "GET", "/openai/v1/responses/"+id, "healthy", ""); e.Status != 404 {
		t.Errorf("OpenAI knows xAI's answer %s", id)
	}
	// Failed in the background: the stored answer says so.
	failed := string(send(store, "POST", "/openai/v1/responses", `{"error":"rate_limit","errorAfterWords":2,"retryAfter":11}`, `{"model":"m","input":"ping","background":true,"stream":true}`).Body())
	e := send(store, "GET", "/openai/v1/responses/"+idIn(failed), "healthy", "")
	if body := string(e.Body()); !strings.Contains(body, `"status":"failed"`) || !strings.Contains(body, "try again in 11s") {
		t.Error(body)
	}
}

func TestDeferred(t *testing.T) {
	store := &Store{}
	const script = `{"pending":2}`
	var ticket struct {
		RequestID string `json:"request_id"`
	}
	e := send(store, "POST", "/xai/v1/chat/completions", script, `{"model":"m","deferred":true,"messages":[{"role":"user","content":"ping"}]}`)
	if err := json.Unmarshal(e.Body(), &ticket); err != nil || len(ticket.RequestID) != 36 {
		t.Fatal(string(e.Body()))
	}
	for i, status := range []int{202, 202, 200, 404} {
		e := send(store, "GET", "/xai/v1/chat/deferred-completion/"+ticket.RequestID, script, "")
		if e.Status != status || (status == 202) != (len(e.Body()) == 0) || (status == 200) != strings.Contains(string(e.Body()), "Pong") {
			t.Errorf("read %d: %d %s", i, e.Status, e.Body())
		}
	}
}

func TestOneShots(t *testing.T) {
	for _, c := range []struct{ path, body, want string }{
		{"/anthropic/v1/messages/count_tokens", everything, `{"input_tokens":1}`},
		{"/anthropic/v1/messages", strings.Replace(everything, `"stream":true,`, "", 1), `"content":[{"type":"text","text":"Tidepools`},
		{"/anthropic/v1/messages", strings.Replace(everything, `"max_tokens":9,`, "", 1), `max_tokens: Field required`},
		{"/gemini/v1beta/models/g:generateContent", everything, `"finishReason":"STOP"`},
		{"/gemini/v1beta/models/g:countTokens", everything, `{"totalTokens":1,`},
		{"/gemini/v1beta/models/g:embedContent", everything, `{"embedding":{"values":[1,0.5,`},
		{"/gemini/v1beta/models/g:batchEmbedContents", everything, `{"embeddings":[{"values":[1,0.5,`},
		{"/openai/v1/embeddings", `{"model":"e","input":["a","b"]}`, `{"object":"embedding","index":1,"embedding":[0.5,`},
		{"/xai/v1/embeddings", `{"model":"e","input":"a","encoding_format":"base64"}`, `"embedding":"AACAPwAAAD8AAIA+AAAAPgAAgD0AAAA9AACAPAAAADw="`},
		{"/gloo/ai/v2/embeddings", `{"model":"e","input":"a b"}`, `"usage":{"prompt_tokens":2,"total_tokens":2}`},
	} {
		e := send(&Store{}, "POST", c.path, "healthy", c.body)
		if !json.Valid(e.Body()) || !strings.Contains(string(e.Body()), c.want) {
			t.Errorf("%s: %d %s", c.path, e.Status, e.Body())
		}
	}
	if e := send(&Store{}, "GET", "/openai/v1/chat/completions", "healthy", ""); e.Status != 405 {
		t.Error(e.Status)
	}
	var list []any
	e := send(&Store{}, "POST", "/gemini/v1beta/models/g:streamGenerateContent", "healthy", everything)
	if err := json.Unmarshal(e.Body(), &list); err != nil || len(list) < 100 {
		t.Error(err, len(list))
	}
}
