package main

// healthReport is how the providers do, as the isolate that answered has seen it. Others may have
// seen something else.
type healthReport struct {
	Status string `json:"status"` // ok; degraded: some cannot be asked now; down: none can
	AtMs   int64  `json:"atMs"`
	*client
}

func health(f *facts) healthReport {
	h := healthReport{Status: "ok", AtMs: f.AtMs, client: f.Health}
	if h.client == nil {
		h.client = &client{}
	}
	if h.Targets == nil {
		h.Targets = []target{}
	}
	away := 0
	for i := range h.Targets {
		if h.Targets[i].away() {
			away++
		}
	}
	switch {
	case away == 0:
	case away == len(h.Targets):
		h.Status = "down"
	default:
		h.Status = "degraded"
	}
	return h
}

// away tells that nothing is sent there now.
func (t *target) away() bool { return t.Breaker == "open" || t.Gated }
