package json

import "testing"

func TestPick(t *testing.T) {
	v, err := Parse([]byte(` { "a" : 1, "b\u0062" : [2, {"a":9}], "a": 3, "c": null } `))
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"c", "a", "bb", "none"}
	found := make([]Value, len(keys))
	v.Pick(keys, found)
	for i, key := range keys {
		if got, want := string(found[i]), string(v.Get(key)); got != want {
			t.Errorf("Pick %q got %s, Get says %s", key, got, want)
		}
	}
	Value("[1]").Pick(keys, found) // not an object: nothing changes
	Value(nil).Pick(keys, found)
}
