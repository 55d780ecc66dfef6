// Package decimal reads and writes numbers the way people and JSON do. It stands for strconv, whose
// exact conversions of every float bring tables along: 20 kB (brotli) of a program.
package decimal

// Int reads a whole number, perhaps with a sign, and tells whether s was one that fits.
func Int(s string) (n int64, ok bool) {
	negative, digits := sign(s)
	if digits == "" {
		return 0, false
	}
	for i := 0; i < len(digits); i++ {
		d := int64(digits[i]) - '0'
		if d < 0 || d > 9 || n < (-1<<63+d)/10 {
			return 0, false
		}
		n = n*10 - d // below zero there is room for one more
	}
	if negative {
		return n, true
	}
	return -n, n != -1<<63
}

// Float reads a number with an optional fraction and exponent, and tells whether s was one. It is the
// nearest float where s has no more than 15 digits and its exponent is small, and else within a few
// units of the last place. What is larger than any float is none.
func Float(s string) (f float64, ok bool) {
	negative, s := sign(s)
	mantissa, exponent, point, i := uint64(0), 0, false, 0
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		ok = true
		if room := mantissa < 1e18; room {
			mantissa = mantissa*10 + uint64(c-'0')
			if point {
				exponent--
			}
		} else if !point {
			exponent++
		}
	}
	if ok && i < len(s) {
		below, digits := sign(s[i+1:])
		ok = digits != "" && s[i]|0x20 == 'e'
		e := 0
		for i := 0; i < len(digits); i++ {
			ok = ok && '0' <= digits[i] && digits[i] <= '9'
			e = min(e*10+int(digits[i]-'0'), 1e6) // which no mantissa makes up for
		}
		if below {
			e = -e
		}
		exponent += e
	}
	if !ok {
		return 0, false
	}
	f = float64(mantissa)
	for exponent != 0 && f != 0 && f <= most {
		if exponent > 0 {
			step := min(exponent, len(powers)-1)
			f *= powers[step]
			exponent -= step
		} else {
			step := min(-exponent, len(powers)-1)
			f /= powers[step]
			exponent += step
		}
	}
	if negative {
		f = -f
	}
	return f, -most <= f && f <= most
}

// powers of ten that a float holds exactly.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

const most = 0x1p1023 * (1 + (1 - 0x1p-52))

func sign(s string) (negative bool, rest string) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[0] == '-', s[1:]
	}
	return false, s
}

// String writes a whole number.
func String[T ~int | ~int64](n T) string { return string(Append(nil, int64(n))) }

// Append appends a whole number.
func Append(out []byte, n int64) []byte { return AppendParts(out, n, 0) }

// AppendParts appends n parts of which ten to the power of places are one: 1500 with 3 places is 1.5.
func AppendParts(out []byte, n int64, places int) []byte {
	u := uint64(n)
	if n < 0 {
		out, u = append(out, '-'), -u
	}
	for places > 0 && u%10 == 0 {
		u /= 10
		places--
	}
	var digits [20]byte
	i := len(digits)
	for u > 0 || len(digits)-i <= places {
		i--
		digits[i] = byte('0' + u%10)
		u /= 10
	}
	whole := len(digits) - places
	out = append(out, digits[i:whole]...)
	if places > 0 {
		out = append(append(out, '.'), digits[whole:]...)
	}
	return out
}
