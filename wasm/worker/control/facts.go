package main

import (
	"time"

	"holdfast/core/spend"
)

// facts is what the edge knows and the route needs; the rest is zero. Times are milliseconds since
// the epoch, money is in ticks.
type facts struct {
	AtMs    int64     `json:"atMs"`
	Health  *client   `json:"health"`
	Config  *settings `json:"config"`
	Problem string    `json:"problem"` // why the configuration is not accepted
	Owners  []owner   `json:"owners"`
	Nonce   string    `json:"nonce"` // of the page's style

	// Of a token to be minted.
	Asked    string `json:"asked"`    // the request's body
	Audience string `json:"audience"` // "" when no signed tokens are accepted
	Secret   string `json:"secret"`
}

func (f *facts) now() time.Time { return time.UnixMilli(f.AtMs).UTC() }

// client is what the shared program tells of itself: Health in wasm/js/holdfast.d.ts.
type client struct {
	Targets     []target `json:"targets"`
	RetriesLeft *int     `json:"retriesLeft,omitempty"`
}

type target struct {
	Host       string         `json:"host"`
	Model      string         `json:"model,omitempty"` // "" is the provider as a whole
	Breaker    string         `json:"breaker"`
	Failures   int            `json:"failures"`
	Gated      bool           `json:"gated"`
	RetryAtMs  int64          `json:"retryAtMs,omitempty"`
	LimitsAtMs int64          `json:"limitsAtMs,omitempty"`
	Limits     map[string]any `json:"limits,omitempty"`
}

// settings is the configuration without anything secret: no hashes, no keys, no header values.
type settings struct {
	Tokens    map[string]token    `json:"tokens"`
	JWT       *signed             `json:"jwt,omitempty"`
	Signs     bool                `json:"signs"` // HOLDFAST_JWT_SECRET is set
	Origins   []string            `json:"origins"`
	Providers map[string]provider `json:"providers"`
	Models    map[string][]model  `json:"models"`
}

type token struct {
	Limits map[string]float64 `json:"limits,omitzero"` // as written: money in USD
	Models []string           `json:"models,omitempty"`
	Admin  bool               `json:"admin,omitempty"`
}

type signed struct {
	Audience string             `json:"audience"`
	Limits   map[string]float64 `json:"limits,omitzero"`
	Models   []string           `json:"models,omitempty"`
}

type provider struct {
	BaseURL   string   `json:"baseURL"`
	Secret    string   `json:"secret"` // its name
	Set       bool     `json:"set"`
	Fallbacks []string `json:"fallbacks,omitempty"`
}

type model struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	API      string `json:"api,omitempty"`
}

// owner is whoever has an account, with what his ledger reports.
type owner struct {
	Owner  string           `json:"owner"`
	Limits map[string]int64 `json:"limits"`
	Report report           `json:"report"`
}

type report struct {
	Day        period      `json:"day"`
	Month      period      `json:"month"`
	All        period      `json:"all"`
	Days       []period    `json:"days"`
	Held       spend.Ticks `json:"held"`
	Concurrent int         `json:"concurrent"`
}

type period struct {
	Name      string      `json:"period"`
	Ticks     spend.Ticks `json:"ticks"`
	Estimated spend.Ticks `json:"estimated"`
	Requests  int64       `json:"requests"`
}
