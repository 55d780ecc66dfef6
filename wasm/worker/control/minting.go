package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	usualSeconds = 900
	mostSeconds  = 24 * 3600
)

// claims is what a backend may ask for, and with aud, iat and exp what the token says. tokens.js
// reads it, and the edge hands out no token that tokens.js would refuse.
type claims struct {
	Sub    string          `json:"sub"`
	Scope  string          `json:"scope,omitempty"`
	Limits json.RawMessage `json:"limits,omitempty"`
	Models json.RawMessage `json:"models,omitempty"`
}

// minted is a token and when it ends.
type minted struct {
	Token       string `json:"token"`
	ExpiresAtMs int64  `json:"expiresAtMs"`
}

// mint makes a short-lived token for a backend to hand to one of its users.
func mint(f *facts) (any, error) {
	if f.Audience == "" {
		return nil, errors.New("this gateway accepts no signed tokens: its configuration has no jwt")
	}
	var asked struct {
		claims
		ExpiresInSeconds *int64 `json:"expiresInSeconds"`
	}
	d := json.NewDecoder(bytes.NewReader([]byte(f.Asked)))
	d.DisallowUnknownFields()
	if err := d.Decode(&asked); err != nil {
		return nil, fmt.Errorf("the body may have sub, scope, limits, models and expiresInSeconds: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("the body must be one JSON object")
	}
	seconds := int64(usualSeconds)
	if asked.ExpiresInSeconds != nil {
		seconds = *asked.ExpiresInSeconds
	}
	if seconds < 1 || seconds > mostSeconds {
		return nil, fmt.Errorf("expiresInSeconds: must be a whole number from 1 to %d", mostSeconds)
	}
	now := f.now().Unix()
	text := part(map[string]string{"alg": "HS256", "typ": "JWT"}) + "." + part(struct {
		claims
		Audience string `json:"aud"`
		Issued   int64  `json:"iat"`
		Expires  int64  `json:"exp"`
	}{asked.claims, f.Audience, now, now + seconds})
	mac := hmac.New(sha256.New, []byte(f.Secret))
	mac.Write([]byte(text))
	return minted{Token: text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), ExpiresAtMs: (now + seconds) * 1000}, nil
}

// part is a value as a part of a token. None of the values that it gets can fail.
func part(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(data)
}
