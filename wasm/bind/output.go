package bind

import (
	"holdfast/core"
	"holdfast/core/fault"
	"holdfast/core/header"
	"holdfast/core/json"
	"holdfast/core/spend"
	"holdfast/core/time"
	"holdfast/core/wire"
)

// The shapes written here are declared, with their units, in wasm/js/holdfast.d.ts.

// epochMs is a time in milliseconds since 1970, 0 where it is none.
func epochMs(t time.Time) int64 { return t.UnixMilli() }

// writeMs writes a duration in milliseconds, to the microsecond.
func writeMs(w *json.Writer, key string, d time.Duration) *json.Writer {
	return w.Parts(key, d.Microseconds(), 3)
}

// writeMsIf writes a duration unless it is 0: what it measures did not happen.
func writeMsIf(w *json.Writer, key string, d time.Duration) {
	if d != 0 {
		writeMs(w, key, d)
	}
}

// writeTexts writes a list of texts.
func writeTexts(w *json.Writer, key string, texts []string) {
	w.Open(key, '[')
	for _, text := range texts {
		w.Text("", text)
	}
	w.Close(']')
}

// writeHeaders writes [[name, value], …].
func writeHeaders(w *json.Writer, h header.Header) {
	w.Open("headers", '[')
	for _, f := range h {
		w.Open("", '[').Text("", f.Name).Text("", f.Value).Close(']')
	}
	w.Close(']')
}

// readHeader reads what writeHeaders writes.
func readHeader(data []byte) (h header.Header) {
	v, _ := json.Parse(data)
	v.Each(func(_ string, pair json.Value) bool {
		h = append(h, header.Field{Name: pair.At(0).Text(), Value: pair.At(1).Text()})
		return true
	})
	return h
}

// writeFailure writes a Failure.
func writeFailure(w *json.Writer, key string, f *fault.Fault) {
	w.Open(key, '{')
	w.Text("decision", string(f.Decision)).Text("reason", string(f.Reason))
	w.Text("breaker", string(f.Breaker)).Text("fallback", string(f.Fallback))
	w.IntIf("status", int64(f.Status))
	w.TextIf("code", f.Code).TextIf("type", f.Type).TextIf("name", f.Name).TextIf("fault", f.Blame).IntIf("number", int64(f.Number))
	if f.Retryable != "" {
		w.Bool("retryable", f.Retryable == "true")
	}
	w.Text("message", f.Message).TextIf("developerMessage", f.Developer)
	w.TextIf("traceId", f.TraceID).TextIf("requestId", f.RequestID).TextIf("ray", f.Ray)
	if f.Hint.Known {
		writeMs(w, "retryAfterMs", f.Hint.Wait).TextIf("retryAfterSource", f.Hint.Source)
	}
	if f.Resets.Known {
		writeMs(w, "resetsMs", f.Resets.Wait)
	}
	w.Close('}')
}

func writeUsage(w *json.Writer, u wire.Usage) {
	if u == (wire.Usage{}) {
		return
	}
	w.Open("usage", '{')
	for _, f := range []struct {
		key string
		n   int64
	}{
		{"inputTokens", u.Input}, {"outputTokens", u.Output}, {"totalTokens", u.Total},
		{"cachedTokens", u.Cached}, {"cacheWriteTokens", u.CacheWrite}, {"cacheWrite1hTokens", u.CacheWrite1h},
		{"toolPromptTokens", u.ToolPrompt}, {"reasoningTokens", u.Reasoning}, {"costTicks", u.CostTicks},
	} {
		w.IntIf(f.key, f.n)
	}
	w.Close('}')
}

func writeBill(w *json.Writer, b spend.Bill) {
	w.Parts("costUsd", int64(b.Cost), spend.Places)
	if b.Estimated {
		w.Bool("costEstimated", true)
	}
}

func writeAttempts(w *json.Writer, attempts []core.Attempt) {
	w.Open("attempts", '[')
	for i := range attempts {
		a := &attempts[i]
		w.Open("", '{').Int("attempt", int64(a.Number)).Text("kind", string(a.Kind))
		w.Int("target", int64(a.Target)).Text("provider", string(a.Provider)).Text("api", string(a.API)).TextIf("model", a.Model).TextIf("servedModel", a.Served)
		w.Int("startedAtMs", epochMs(a.Sent))
		writeMsIf(w, "headersMs", a.Headers)
		writeMsIf(w, "firstDeltaMs", a.FirstDelta)
		writeMs(w, "durationMs", a.Took)
		w.IntIf("httpStatus", int64(a.HTTPStatus)).TextIf("requestId", a.RequestID).TextIf("traceId", a.TraceID)
		writeMs(w, "waitedMs", a.Waited).TextIf("waitSource", a.WaitSource)
		if a.Fault.Decision != "" {
			writeFailure(w, "error", &a.Fault)
		}
		writeDropped(w, a.Dropped)
		w.TextIf("finishReason", a.Finish)
		w.Bool("shown", a.TextLength > 0).Int("textLength", int64(a.TextLength)).Bool("toolCall", a.ToolCall)
		if a.Kind == core.Continued {
			w.Int("trimmed", int64(a.Trimmed))
		}
		writeUsage(w, a.Usage)
		writeBill(w, a.Bill)
		w.Close('}')
	}
	w.Close(']')
}

// writeDropped writes what a target could not be told; nothing when there is none.
func writeDropped(w *json.Writer, places []string) {
	if len(places) > 0 {
		writeTexts(w, "dropped", places)
	}
}

// writeAnswer writes {"answer": AnswerResult}. Of a durable answer it is what the gateway told, which
// lacks only the text.
func writeAnswer(w *json.Writer, r *core.Result) {
	if r.Told != nil {
		told := r.Told.With("callId", json.AppendQuoted(nil, r.CallID))
		w.Raw("answer", told.With("text", json.AppendQuoted(nil, r.Text))).Bool("told", true)
		return
	}
	w.Open("answer", '{')
	w.Text("status", string(r.Status)).Text("text", r.Text).TextIf("refusal", r.Refusal).TextIf("reasoning", r.Reasoning)
	w.TextIf("finishReason", r.Finish)
	w.Open("toolCalls", '[')
	for _, t := range r.Tools {
		w.Open("", '{')
		writeTool(w, t)
		w.Close('}')
	}
	w.Close(']')
	writeCommon(w, r)
	w.Int("fullRetries", int64(r.Retries)).Bool("continued", r.Continued)
	if r.Fault.Decision != "" {
		writeFailure(w, "error", &r.Fault)
	}
	w.IntIf("retryAtMs", epochMs(r.RetryAt))
	writeTexts(w, "offer", r.Offer)
	writeTexts(w, "warnings", r.Warnings)
	w.Close('}')
}

// writeDocument writes {"result": Result} of a request that succeeded, else {"failure", …}.
func writeDocument(w *json.Writer, r *core.Result) {
	if r.Status == core.Complete {
		w.Open("result", '{').Raw("data", r.Data).Int("httpStatus", int64(r.HTTPStatus))
		w.Open("headers", '{')
		for _, f := range r.Header {
			w.Text(f.Name, f.Value)
		}
		w.Close('}')
		writeCommon(w, r)
		w.Close('}')
		return
	}
	writeFailure(w, "failure", &r.Fault)
	if r.First.Decision != "" && r.First != r.Fault {
		writeFailure(w, "first", &r.First)
	}
	writeAttempts(w, r.Attempts)
	w.IntIf("retryAtMs", epochMs(r.RetryAt))
	if r.Status == core.Cancelled {
		w.Bool("cancelled", true)
	}
}

// writeCommon writes what both kinds of result have.
func writeCommon(w *json.Writer, r *core.Result) {
	w.Text("callId", r.CallID)
	writeUsage(w, r.Usage)
	writeBill(w, r.Bill)
	w.TextIf("model", r.Model).TextIf("id", r.ID).TextIf("requestId", r.RequestID).TextIf("redirectedFrom", r.Redirected)
	writeAttempts(w, r.Attempts)
}

func writeTool(w *json.Writer, t wire.Tool) {
	w.Text("id", t.ID).Text("name", t.Name).Text("arguments", t.Arguments)
}

// writeDelta writes a Delta.
func writeDelta(w *json.Writer, d wire.Delta) {
	w.Open("delta", '{').Text("type", string(d.Kind))
	switch d.Kind {
	case wire.ToolCall:
		writeTool(w, d.Tool)
	case wire.Restart:
	default:
		w.Text("text", string(d.Text))
	}
	w.Close('}')
}

// writeCursor writes where a call can be taken up, for the option from: null where it cannot.
func writeCursor(w *json.Writer, c *core.Cursor) {
	if c.At.ID == "" {
		w.Raw("cursor", nil)
		return
	}
	w.Open("cursor", '{').Int("target", int64(c.Target)).Text("provider", string(c.Provider)).Text("api", string(c.API)).Text("id", c.At.ID)
	for _, f := range []struct {
		key string
		n   int64
	}{{"next", c.At.Next}, {"text", int64(c.At.Text)}, {"reasoning", int64(c.At.Reasoning)}, {"refusal", int64(c.At.Refusal)}} {
		w.IntIf(f.key, f.n)
	}
	w.TextIf("event", c.At.Event)
	if a := c.At.Ahead; a != (wire.Ahead{}) {
		w.Open("ahead", '{').Int("text", int64(a.Text)).Int("reasoning", int64(a.Reasoning)).Int("refusal", int64(a.Refusal)).Int("tools", int64(a.Tools)).Close('}')
	}
	if len(c.At.Tools) > 0 {
		writeTexts(w, "tools", c.At.Tools)
	}
	w.Close('}')
}

// writeNote writes a CallEvent.
func writeNote(w *json.Writer, call int32, stream bool, n *core.Note) {
	w.Open("event", '{').Text("type", string(n.Kind)).Int("call", int64(call)).Int("atMs", epochMs(n.At))
	if n.Kind == core.NoteDone {
		status := string(n.Status)
		if !stream && n.Status == core.Complete {
			status = "success"
		}
		w.Text("status", status).Int("attempts", int64(n.Attempt))
		writeBill(w, n.Bill)
		w.Close('}')
		return
	}
	w.Int("attempt", int64(n.Attempt))
	switch n.Kind {
	case core.NoteSent:
		w.Text("kind", string(n.Why)).Parts("mayCostUsd", int64(n.Bill.Cost), spend.Places)
		writeDropped(w, n.Dropped)
	case core.NoteResponded:
		w.Int("httpStatus", int64(n.HTTPStatus)).TextIf("requestId", n.RequestID)
	case core.NoteFailed:
		writeFailure(w, "error", n.Fault)
	case core.NoteWaiting:
		writeMs(w, "waitMs", n.Wait).Int("untilMs", epochMs(n.At.Add(n.Wait))).Text("source", n.Source)
	case core.NoteFallback:
		w.Int("target", int64(n.Target))
	case core.NoteJoined:
		w.Int("trimmed", int64(n.Trimmed))
	case core.NoteWarning:
		w.Text("message", n.Message)
	}
	w.Close('}')
}
