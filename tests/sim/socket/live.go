package socket

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"holdfast/tests/sim"
)

// content is one of Gemini's, as far as it matters here.
type content struct {
	Role  string           `json:"role,omitempty"`
	Parts []map[string]any `json:"parts"`
}

// saved is what a resumption handle stands for: the conversation after its last whole turn.
type saved struct {
	history []content
	// consumed is how many messages of this connection are in it: the index of the last, as the
	// setup is message 0. Each connection counts anew (observed elsewhere, not documented).
	consumed int
}

// clientMessage is what a client sends.
type clientMessage struct {
	Setup *struct {
		Model             string
		SessionResumption *struct {
			Handle      string
			Transparent bool
		}
	}
	ClientContent *struct {
		Turns        []content
		TurnComplete bool
	}
	RealtimeInput *struct{ Text string }
	ToolResponse  *struct{ FunctionResponses []map[string]any }
}

// live plays Gemini Live. While an answer is generated nothing can be resumed; after each turn
// comes a handle that stands for all until there. A client that asked for it to be transparent
// also learns which of its messages are in it.
func (c *conn) live() string {
	var setup clientMessage
	if !c.hear(&setup) {
		return "client_left"
	}
	if setup.Setup == nil {
		return c.refuse(websocket.StatusInvalidFramePayloadData, "setup must be the first message and only the first")
	}
	var now saved
	resumes := setup.Setup.SessionResumption
	if resumes != nil && resumes.Handle != "" {
		c.server.mu.Lock()
		found, known := c.session.handles[resumes.Handle]
		c.seen.Handle = resumes.Handle
		c.server.mu.Unlock()
		if !known || c.behaviour.RefuseHandle {
			return c.refuse(websocket.StatusPolicyViolation, "BidiGenerateContent session not found")
		}
		now = saved{history: found.history}
	}
	model := strings.TrimPrefix(setup.Setup.Model, "models/")
	c.tell(map[string]any{"setupComplete": map[string]any{}})
	if resumes != nil {
		c.update(now, true, resumes.Transparent)
	}
	var away <-chan time.Time
	warned := false
	messages := make(chan clientMessage)
	go func() {
		defer close(messages)
		for {
			var m clientMessage
			if !c.hear(&m) {
				return
			}
			select {
			case messages <- m:
			case <-c.ctx.Done():
				return
			}
		}
	}()
	for {
		if c.due(c.behaviour.DropAfter) {
			return c.drop()
		}
		if c.due(c.behaviour.GoAwayAfter) && !warned {
			left := time.Duration(c.behaviour.TimeLeftMs) * time.Millisecond
			c.tell(map[string]any{"goAway": map[string]any{"timeLeft": strconv.FormatFloat(left.Seconds(), 'f', -1, 64) + "s"}})
			away, warned = time.After(left), true
		}
		var m clientMessage
		var there bool
		select {
		case <-away:
			return c.drop()
		case m, there = <-messages:
		}
		if !there {
			return "client_left"
		}
		now.consumed++
		if !now.take(m) {
			continue // the turn goes on
		}
		c.turn()
		if resumes != nil {
			c.update(now, false, resumes.Transparent)
		}
		said, ended := c.answer(model, now.history)
		if ended != sim.Close {
			return c.drop()
		}
		now.history = append(now.history, said)
		if resumes != nil {
			c.update(now, true, resumes.Transparent)
		}
	}
}

// take adds a message to the conversation, and reports whether it asks for an answer.
func (s *saved) take(m clientMessage) bool {
	add := func(parts ...map[string]any) {
		s.history = append(s.history[:len(s.history):len(s.history)], content{"user", parts})
	}
	switch {
	case m.ClientContent != nil:
		s.history = append(s.history[:len(s.history):len(s.history)], m.ClientContent.Turns...)
		return m.ClientContent.TurnComplete
	case m.RealtimeInput != nil && m.RealtimeInput.Text != "":
		add(map[string]any{"text": m.RealtimeInput.Text})
		return true
	case m.ToolResponse != nil:
		for _, response := range m.ToolResponse.FunctionResponses {
			add(map[string]any{"functionResponse": response})
		}
		return true
	}
	return false
}

// answer generates one turn: the parts of a generateContent stream, as Live frames them.
func (c *conn) answer(model string, history []content) (content, sim.End) {
	said := content{Role: "model"}
	request := c.request
	request.Path = "/gemini/v1beta/models/" + model + ":streamGenerateContent"
	request.Query = "alt=sse"
	request.Body, _ = json.Marshal(map[string]any{"contents": history})
	e := c.server.Provider.Plan(request)
	if e.Status >= 400 {
		var problem struct{ Error struct{ Message string } }
		json.Unmarshal(e.Body(), &problem)
		c.Close(websocket.StatusInternalError, problem.Error.Message[:min(len(problem.Error.Message), 120)])
		return said, sim.Drop
	}
	ended := c.play(e, func(event []byte) error {
		var chunk struct {
			Candidates []struct {
				Content      content
				FinishReason string
			}
			UsageMetadata json.RawMessage
		}
		if err := json.Unmarshal(event, &chunk); err != nil || len(chunk.Candidates) == 0 {
			return c.send(event) // broken or an error: as it is
		}
		var calls []any
		var shown []map[string]any
		for i, part := range chunk.Candidates[0].Content.Parts {
			if call, ok := part["functionCall"].(map[string]any); ok {
				call["id"] = "function-call-" + strconv.Itoa(c.seen.Turns) + "-" + strconv.Itoa(i)
				calls = append(calls, call)
			} else if part["text"] != "" {
				shown = append(shown, part)
			}
			said.Parts = append(said.Parts, part)
		}
		if calls != nil {
			return c.tell(map[string]any{"toolCall": map[string]any{"functionCalls": calls}})
		}
		if chunk.Candidates[0].FinishReason != "" {
			c.tell(map[string]any{"serverContent": map[string]any{"generationComplete": true}})
			return c.tell(map[string]any{"serverContent": map[string]any{"turnComplete": true}, "usageMetadata": chunk.UsageMetadata})
		}
		return c.tell(map[string]any{"serverContent": map[string]any{"modelTurn": content{"model", shown}}})
	})
	return said, ended
}

// update tells which handle stands for the conversation; none while an answer is under way.
func (c *conn) update(now saved, resumable, transparent bool) {
	update := map[string]any{"resumable": false}
	if resumable && !c.behaviour.NotResumable {
		c.server.mu.Lock()
		c.session.made++
		handle := "handle-" + strconv.Itoa(c.session.made)
		c.session.handles[handle] = now
		c.server.mu.Unlock()
		update = map[string]any{"newHandle": handle, "resumable": true}
		if transparent && now.consumed > 0 {
			update["lastConsumedClientMessageIndex"] = strconv.Itoa(now.consumed)
		}
	}
	c.tell(map[string]any{"sessionResumptionUpdate": update})
}

// hear reads a message, and reports whether there was one.
func (c *conn) hear(m *clientMessage) bool {
	_, data, err := c.Read(c.ctx)
	return err == nil && json.Unmarshal(data, m) == nil
}

func (c *conn) tell(message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return c.send(data)
}

// send writes JSON the way Gemini does: as a binary message.
func (c *conn) send(data []byte) error {
	kind := websocket.MessageBinary
	if c.behaviour.Text {
		kind = websocket.MessageText
	}
	return c.Write(c.ctx, kind, data)
}
