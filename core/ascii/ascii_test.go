package ascii

import (
	"strings"
	"testing"
)

// Of ASCII, everything is as package strings has it; other letters are equal to themselves only.
func FuzzEqual(f *testing.F) {
	f.Add("Retry-After", "retry-after")
	f.Add("[", "{")
	f.Add("K", "\u212a")
	f.Add("é", "É")
	f.Fuzz(func(t *testing.T, a, b string) {
		plain := strings.Trim(a+b, "\x00\x01\x02 !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\t\r\n") == ""
		if plain && (Equal(a, b) != strings.EqualFold(a, b) || Lower(a) != strings.ToLower(a) || Upper(a) != strings.ToUpper(a)) {
			t.Fatalf("%q and %q", a, b)
		}
		if Equal(a, b) != (Lower(a) == Lower(b)) || len(Lower(a)) != len(a) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}
