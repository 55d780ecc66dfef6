package json

import (
	"holdfast/core/decimal"
	"holdfast/core/view"
)

// What is JSON: RFC 8259, to the letter.

// check validates the value that starts at i and returns its end.
func check(b []byte, i, depth int) (int, error) {
	if i >= len(b) {
		return i, &SyntaxError{i, "the value is cut off"}
	}
	switch c := b[i]; {
	case c == '"':
		return checkString(b, i)
	case c == '{' || c == '[':
		if depth == MaxDepth {
			return i, &SyntaxError{i, "nested deeper than " + decimal.String(MaxDepth)}
		}
		return checkItems(b, i, depth+1)
	case c == '-' || '0' <= c && c <= '9':
		return checkNumber(b, i)
	case c == 't':
		return checkWord(b, i, "true")
	case c == 'f':
		return checkWord(b, i, "false")
	case c == 'n':
		return checkWord(b, i, "null")
	}
	return i, &SyntaxError{i, "a value was expected"}
}

func checkItems(b []byte, i, depth int) (int, error) {
	object := b[i] == '{'
	closing := b[i] + 2 // ']' and '}' stand two after their opening in ASCII
	i = space(b, i+1)
	if i < len(b) && b[i] == closing {
		return i + 1, nil
	}
	for {
		var err error
		if object {
			if i >= len(b) || b[i] != '"' {
				return i, &SyntaxError{i, "a member name was expected"}
			}
			if i, err = checkString(b, i); err != nil {
				return i, err
			}
			if i = space(b, i); i >= len(b) || b[i] != ':' {
				return i, &SyntaxError{i, "a colon was expected"}
			}
			i = space(b, i+1)
		}
		if i, err = check(b, i, depth); err != nil {
			return i, err
		}
		if i = space(b, i); i >= len(b) {
			return i, &SyntaxError{i, "the value is cut off"}
		}
		switch b[i] {
		case closing:
			return i + 1, nil
		case ',':
			i = space(b, i+1)
		default:
			return i, &SyntaxError{i, "a comma or the end was expected"}
		}
	}
}

func checkString(b []byte, i int) (int, error) {
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1, nil
		case c < ' ':
			return i, &SyntaxError{i, "a control character in a string"}
		case c == '\\':
			i++
			if i >= len(b) {
				return i, &SyntaxError{i, "the string is cut off"}
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if i+4 >= len(b) || hex4(b[i+1:]) < 0 {
					return i, &SyntaxError{i, "four hexadecimal digits were expected"}
				}
				i += 4
			default:
				return i, &SyntaxError{i, "an unknown escape"}
			}
		}
	}
	return i, &SyntaxError{i, "the string is cut off"}
}

func checkNumber(b []byte, i int) (int, error) {
	if b[i] == '-' {
		i++
	}
	digits := func() bool {
		start := i
		for i < len(b) && '0' <= b[i] && b[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return i, &SyntaxError{i, "a digit was expected"}
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return i, &SyntaxError{i, "a digit was expected"}
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return i, &SyntaxError{i, "a digit was expected"}
		}
	}
	return i, nil
}

func checkWord(b []byte, i int, word string) (int, error) {
	if len(b)-i < len(word) || view.String(b[i:i+len(word)]) != word {
		return i, &SyntaxError{i, word + " was expected"}
	}
	return i + len(word), nil
}
