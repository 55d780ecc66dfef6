package wire

import (
	"strings"

	"holdfast/core/decimal"
	"holdfast/core/json"
)

// partialArgs is a Gemini function call whose arguments arrive one leaf after another, each with
// its place: {"jsonPath": "$.items[0].name", "stringValue": "Ap", "willContinue": true}. A string
// may come in pieces; a number, a boolean or null comes whole.
type partialArgs struct {
	partialCall
	root   *node
	broken bool // a piece could not be placed
}

// node is a value under construction. Its kind is that of the JSON value, or 0 while it is not
// known.
type node struct {
	kind  json.Kind
	keys  []string // of an object's members
	items []*node  // of an object or an array
	leaf  []byte   // what stands between the quotes of a string, or another leaf itself
}

// take puts pieces into their places.
func (p *partialArgs) take(pieces json.Value) {
	pieces.Each(func(_ string, piece json.Value) bool {
		if p.root == nil {
			p.root = &node{kind: '{'}
		}
		place := p.root.find(piece.Get("jsonPath").Text())
		switch text := piece.Get("stringValue"); {
		case place == nil:
			p.broken = true
		case text.Kind() == '"' && (place.kind == 0 || place.kind == '"'):
			place.kind = '"'
			place.leaf = append(place.leaf, text[1:len(text)-1]...)
		case place.kind == 0:
			place.kind = '0'
			place.leaf = leaf(piece)
		default:
			p.broken = true
		}
		return !p.broken
	})
}

// leaf is the value of a piece that is no string.
func leaf(piece json.Value) []byte {
	if n := piece.Get("numberValue"); n.Kind() == '0' {
		return append([]byte(nil), n...)
	}
	if b := piece.Get("boolValue"); b.True() || b.False() {
		return append([]byte(nil), b...)
	}
	return []byte("null")
}

// tool is partialCall's, with the arguments that the pieces make.
func (p *partialArgs) tool() (Tool, bool) {
	if p.root != nil {
		p.arguments = p.root.write(p.arguments[:0])
	}
	t, whole := p.partialCall.tool()
	return t, whole && !p.broken
}

// find follows a JSON path of names and places, such as $.a[0]['b c'], and makes the nodes that it
// lacks. It returns nil for a path that it cannot follow.
func (n *node) find(path string) *node {
	path = strings.TrimPrefix(path, "$")
	for depth := 0; path != ""; depth++ {
		var name string
		kind := json.Kind('{')
		switch {
		case depth == json.MaxDepth-1:
			return nil
		case strings.HasPrefix(path, "['"):
			end := strings.Index(path, "']")
			if end < 0 {
				return nil
			}
			name, path = path[2:end], path[end+2:]
		case path[0] == '[':
			end := strings.IndexByte(path, ']')
			if end < 0 {
				return nil
			}
			kind, name, path = '[', path[1:end], path[end+1:]
		default:
			path = strings.TrimPrefix(path, ".")
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			name, path = path[:end], path[end:]
			if name == "" {
				return nil
			}
		}
		if n.kind == 0 {
			n.kind = kind
		}
		if n.kind != kind {
			return nil
		}
		if n = n.item(name); n == nil {
			return nil
		}
	}
	return n
}

// item is the member or the element called name, made if it is the next one.
func (n *node) item(name string) *node {
	if n.kind == '[' {
		at, ok := decimal.Int(name)
		switch {
		case !ok || at < 0 || at > int64(len(n.items)):
			return nil
		case at == int64(len(n.items)):
			n.items = append(n.items, &node{})
		}
		return n.items[at]
	}
	for i, key := range n.keys {
		if key == name {
			return n.items[i]
		}
	}
	n.keys, n.items = append(n.keys, name), append(n.items, &node{})
	return n.items[len(n.items)-1]
}

func (n *node) write(out []byte) []byte {
	switch n.kind {
	case '"':
		return append(append(append(out, '"'), n.leaf...), '"')
	case '{', '[':
		out = append(out, byte(n.kind))
		for i, item := range n.items {
			if i > 0 {
				out = append(out, ',')
			}
			if n.kind == '{' {
				out = append(json.AppendQuoted(out, n.keys[i]), ':')
			}
			out = item.write(out)
		}
		return append(out, byte(n.kind)+2) // ']' and '}' stand two after their opening in ASCII
	}
	return append(out, n.leaf...)
}
