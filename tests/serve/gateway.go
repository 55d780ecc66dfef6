package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"holdfast/core/wire"
)

// gateway is what the page asks when -gateway names one: durable answers, which are below /answers
// there as here. The token stays in this process.
var gateway = provider{name: "gateway", env: "HOLDFAST_TOKEN", host: wire.Host{Auth: "authorization: Bearer "},
	passes: []string{"POST /answers/v1/chat/completions", "GET /answers/*", "POST /answers/*/cancel"},
	api:    wire.Chat, path: "/v1/chat/completions"}

// devToken is the one that wasm/worker/dev.mjs takes.
const devToken = "dev"

// firstModel asks a gateway for its models.
func firstModel(at *url.URL, token string) (string, error) {
	request, err := http.NewRequest("GET", at.JoinPath("v1/models").String(), nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("authorization", "Bearer "+token)
	response, err := (&http.Client{Timeout: 5 * time.Second}).Do(request)
	if err != nil {
		return "", fmt.Errorf("no gateway answers at %s: %v. Start one with: node wasm/worker/dev.mjs", at, reason(err))
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden {
		return "", fmt.Errorf("the gateway at %s refuses the token; give one in the environment variable %s", at, gateway.env)
	}
	var list struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&list); err != nil || response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("what answers at %s is no gateway", at)
	}
	if len(list.Data) == 0 {
		return "", errors.New("the gateway has no models; name some in its configuration")
	}
	return list.Data[0].ID, nil
}
