package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"

	"holdfast/core/json"
)

const (
	usualSeconds = 900
	mostSeconds  = 24 * 3600
)

// mint makes a short-lived token, which a backend hands to one of its users: {token, expiresAtMs}.
// What it may ask for is sub, scope, limits, models and expiresInSeconds; tokens.js says what they
// mean, and the edge hands out no token that tokens.js would refuse.
func mint(w *json.Writer, f facts) error {
	if f.text("audience") == "" {
		return errors.New("this gateway accepts no signed tokens: its configuration has no jwt")
	}
	asked, err := json.Parse([]byte(f.text("asked")))
	if err != nil || asked.Kind() != '{' {
		return errors.New("the body must be a JSON object")
	}
	seconds := int64(usualSeconds)
	claims := json.Writer{}
	claims.Open("", '{')
	asked.Each(func(key string, v json.Value) bool {
		switch key {
		case "sub", "scope", "limits", "models":
			claims.Raw(key, v)
		case "expiresInSeconds":
			var whole bool
			if seconds, whole = v.Int(); !whole || seconds < 1 || seconds > mostSeconds {
				err = errors.New("expiresInSeconds: must be a whole number from 1 to " + strconv.Itoa(mostSeconds))
			}
		default:
			err = errors.New(key + ": is none of sub, scope, limits, models and expiresInSeconds")
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	now := f.atMs() / 1000
	claims.Text("aud", f.text("audience")).Int("iat", now).Int("exp", now+seconds).Close('}')
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims.Out)
	mac := hmac.New(sha256.New, []byte(f.text("secret")))
	mac.Write([]byte(text))
	w.Open("", '{').Text("token", text+"."+base64.RawURLEncoding.EncodeToString(mac.Sum(nil))).Int("expiresAtMs", (now+seconds)*1000).Close('}')
	return nil
}
