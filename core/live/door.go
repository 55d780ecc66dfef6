package live

import "holdfast/core/fault"

// Door is how a provider lets a socket in: the forms that a credential completes, which never
// comes here. A page's socket cannot carry headers; what it has are the query and the
// subprotocols, and both end up in more logs than a header does.
type Door struct {
	Header   string // a header with its scheme, "authorization: Bearer "; preferred where it can be sent
	Key      string // the name of the query's parameter for a key
	Token    string // and for a short-lived token
	Protocol string // what a subprotocol begins with that is the key or token
}

// Doors by provider: the providers that have sockets at all. Sources: providers.md §7.5 and
// google-genai (the query); openai and xai-sdk for the subprotocols, which both providers document
// for their realtime sockets, not for Responses.
var Doors = map[fault.Provider]Door{
	fault.Gemini: {Key: "key", Token: "access_token"},
	fault.OpenAI: {Header: "authorization: Bearer ", Protocol: "openai-insecure-api-key."},
	fault.XAI:    {Header: "authorization: Bearer ", Protocol: "xai-client-secret."},
}
