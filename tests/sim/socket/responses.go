package socket

import (
	"encoding/json"

	"github.com/coder/websocket"

	"holdfast/tests/sim"
)

// responses plays the WebSocket mode of Responses: each response.create is answered by the events
// of its stream, one a message. A problem that would be a status over HTTP is an event "error".
// A connection goes on after an answer; only its limit ends it.
func (c *conn) responses() string {
	own := map[string]bool{} // ids that only this connection knows
	for {
		if c.due(c.behaviour.DropAfter) {
			return c.drop()
		}
		if c.due(c.behaviour.LimitAfter) {
			c.fail(400, `{"type":"invalid_request_error","code":"websocket_connection_limit_reached","message":"Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.","param":null}`)
			c.Close(websocket.StatusNormalClosure, "")
			return "close"
		}
		_, data, err := c.Read(c.ctx)
		if err != nil {
			return "client_left"
		}
		var asked map[string]json.RawMessage
		if json.Unmarshal(data, &asked) != nil || string(asked["type"]) != `"response.create"` {
			c.fail(400, `{"type":"invalid_request_error","code":"invalid_value","message":"The message must be a response.create event.","param":"type"}`)
			continue
		}
		c.turn()
		var previous string
		json.Unmarshal(asked["previous_response_id"], &previous)
		if previous != "" && (c.behaviour.Forget || !own[previous] && !c.knows(previous)) {
			c.fail(400, `{"type":"invalid_request_error","code":"previous_response_not_found","message":"Previous response with id '`+previous+`' not found.","param":"previous_response_id"}`)
			continue
		}
		delete(asked, "type")
		asked["stream"] = json.RawMessage("true")
		request := c.request
		request.Path = c.path
		request.Body, _ = json.Marshal(asked)
		e := c.server.Provider.Plan(request)
		if e.Status >= 400 {
			c.fail(e.Status, problemIn(e.Body()))
			continue
		}
		ended := c.play(e, func(event []byte) error {
			var created struct{ Response struct{ ID string } }
			if json.Unmarshal(event, &created); created.Response.ID != "" {
				own[created.Response.ID] = true
				if string(asked["store"]) != "false" {
					c.learn(created.Response.ID)
				}
			}
			return c.Write(c.ctx, websocket.MessageText, event)
		})
		if ended != sim.Close {
			return c.drop()
		}
	}
}

// problemIn is the error object of a refusal over HTTP; xAI's has none, only two texts.
func problemIn(body []byte) string {
	var found struct {
		Code  string
		Error json.RawMessage
	}
	json.Unmarshal(body, &found)
	if len(found.Error) > 0 && found.Error[0] == '{' {
		return string(found.Error)
	}
	object, _ := json.Marshal(map[string]any{"code": found.Code, "message": found.Error})
	return string(object)
}

// fail sends the event "error".
func (c *conn) fail(status int, problem string) {
	data, _ := json.Marshal(map[string]any{"type": "error", "status": status, "error": json.RawMessage(problem)})
	c.Write(c.ctx, websocket.MessageText, data)
}

func (c *conn) knows(id string) bool {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	return c.session.responses[id]
}

func (c *conn) learn(id string) {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	c.session.responses[id] = true
}
