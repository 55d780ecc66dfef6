package translate

import (
	"bytes"

	"holdfast/core/json"
)

// Unsigned marks the thoughts of an answer that nobody signed: they broke off, or another API's model had
// them. It stands for the signature in messages and for the encrypted content in responses, or in the id.
const Unsigned = "holdfast_unsigned"

// Returned is a request without the unsigned thoughts of the answers before it: whoever is asked refuses
// what is not as he wrote it, and with it every later request of the conversation.
func Returned(body json.Value) json.Value {
	for _, key := range []string{"messages", "input"} {
		if list := body.Get(key); list.Kind() == '[' && unsigned(list) {
			body = body.With(key, signed(list))
		}
	}
	return body
}

func unsigned(v json.Value) bool { return bytes.Contains(v, []byte(Unsigned)) }

// signed is a list without unsigned items, also those in the content of its items.
func signed(list json.Value) json.Value {
	var w json.Writer
	w.Open("", '[')
	list.Each(func(_ string, item json.Value) bool {
		content := item.Get("content")
		if content.Kind() == '[' && unsigned(content) {
			if content = signed(content); content.At(0) == nil { // nothing else was said
				return true
			}
			item = item.With("content", content)
		}
		if !unsigned(item.Get("signature")) && !unsigned(item.Get("id")) && !unsigned(item.Get("encrypted_content")) {
			w.Raw("", item)
		}
		return true
	})
	return w.Close(']').Out
}
