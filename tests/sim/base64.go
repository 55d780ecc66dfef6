package sim

import "strings"

// base64 in a few lines: the standard package would bring reflection into the page.
const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func pack(raw []byte) string {
	var out []byte
	for len(raw) > 0 {
		var group [3]byte
		n := copy(group[:], raw)
		raw = raw[n:]
		bits := uint(group[0])<<16 | uint(group[1])<<8 | uint(group[2])
		for i := range 4 {
			if i > n {
				out = append(out, '=')
			} else {
				out = append(out, base64[bits>>(18-6*i)&63])
			}
		}
	}
	return string(out)
}

// unpack undoes pack; it reports false for what is not base64.
func unpack(text string) (string, bool) {
	var out []byte
	bits, held := uint(0), 0
	for _, c := range []byte(strings.TrimRight(text, "=")) {
		n := strings.IndexByte(base64, c)
		if n < 0 {
			return "", false
		}
		bits, held = bits<<6|uint(n), held+6
		if held >= 8 {
			held -= 8
			out = append(out, byte(bits>>held))
		}
	}
	return string(out), true
}
