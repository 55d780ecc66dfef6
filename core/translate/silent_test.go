package translate

import (
	stdjson "encoding/json"
	"strconv"
	"strings"
	"testing"

	"holdfast/core/json"
)

// leaves are the places of all texts in v, as JSON pointers.
func leaves(v any, at string, yield func(at string)) {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			leaves(item, below(at, key), yield)
		}
	case []any:
		for i, e := range v {
			leaves(e, item(at, i), yield)
		}
	case string:
		yield(at)
	}
}

// replaced is a copy of v with the text at a place replaced.
func replaced(v any, at, with string) any {
	if at == "" {
		return with
	}
	key, rest, _ := strings.Cut(at[1:], "/")
	if rest != "" {
		rest = "/" + rest
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, item := range v {
			out[k] = item
		}
		out[key] = replaced(v[key], rest, with)
		return out
	case []any:
		n, _ := strconv.Atoi(key)
		out := append([]any(nil), v...)
		out[n] = replaced(v[n], rest, with)
		return out
	}
	return v
}

// unheard tells whether the words at a place have no meaning of their own: ids that pair or store
// things, the name of a schema, the type of what a URL leads to, and an order that is kept anyway.
func unheard(at string) bool {
	return has("id call_id tool_call_id tool_use_id status", at[strings.LastIndexByte(at, '/')+1:]) ||
		strings.HasSuffix(at, "/json_schema/name") || strings.HasSuffix(at, "/fileData/mimeType") || strings.Contains(at, "/propertyOrdering/")
}

// TestNothingIsLostSilently puts a mark into every text of the requests that use everything, one
// at a time: it must arrive, or its place, or one around it, must be listed.
func TestNothingIsLostSilently(t *testing.T) {
	const mark = "zqmarkqz"
	for _, from := range columns {
		var tree any
		if err := stdjson.Unmarshal(load(t, from), &tree); err != nil {
			t.Fatal(err)
		}
		leaves(tree, "", func(at string) {
			if unheard(at) {
				return
			}
			marked, err := stdjson.Marshal(replaced(tree, at, mark))
			if err != nil {
				t.Fatal(err)
			}
			for _, to := range columns {
				r, err := Request(source(from), json.Value(marked), Target{API: to, MaxTokens: 8192})
				if err != nil {
					t.Fatal(err)
				}
				heard := strings.Contains(strings.ToLower(string(r.Body)), mark) || strings.Contains(strings.ToLower(r.Path), mark)
				for _, lost := range append(r.Dropped, r.Adjusted...) {
					place, _, _ := strings.Cut(lost, " (")
					place = strings.ReplaceAll(place, "Instruction", "_instruction") // both spellings are Google's
					heard = heard || strings.HasPrefix(at+"/", place+"/")
				}
				if !heard {
					t.Errorf("%s to %s: %s is lost\n dropped %q", from, to, at, r.Dropped)
				}
			}
		})
	}
}
