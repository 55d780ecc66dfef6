// Package ascii compares and lowers text of protocols: names of headers, models, codes. Package
// strings would bring the tables of all alphabets along, 10 kB (brotli) of a program.
package ascii

// Lower lowers the letters from A to Z and leaves everything else, so that pieces keep their places.
func Lower(s string) string { return change(s, 'A') }

// Upper is the other way around.
func Upper(s string) string { return change(s, 'a') }

// change changes the case of letters between first and the 26th from there.
func change(s string, first byte) string {
	for i := 0; i < len(s); i++ {
		if s[i]-first < 26 {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i]-first < 26 {
					b[i] ^= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}

// Equal tells whether two texts differ in the case of such letters only.
func Equal(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		x, y := a[i], b[i]
		if x != y && (x|0x20 != y|0x20 || !upper(x) && !upper(y)) {
			return false
		}
	}
	return true
}

func upper(c byte) bool { return 'A' <= c && c <= 'Z' }
