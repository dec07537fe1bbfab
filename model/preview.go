package model

import (
	"strings"
)

// Preview shortens the first message of a user to one line, as Hermes does: of the
// first 63 characters, line breaks become spaces, and more than 60 characters are
// cut and end in "..." (store/README.md#previews).
func Preview(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	n, end := 0, len(text)
	for i := range text {
		if n++; n > 63 {
			end = i
			break
		}
	}
	text = strings.NewReplacer("\n", " ", "\r", " ").Replace(text[:end])
	text = trimPythonSpace(text)
	n = 0
	for i := range text {
		if n++; n > 60 {
			return text[:i] + "..."
		}
	}
	return text
}

// trimPythonSpace trims what Python's str.strip does, U+001C to U+001F included.
func trimPythonSpace(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		switch {
		case r >= 0x1c && r <= 0x20, r >= 9 && r <= 13, r == 0x85, r == 0xa0, r == 0x1680,
			r >= 0x2000 && r <= 0x200a, r == 0x2028, r == 0x2029, r == 0x202f, r == 0x205f, r == 0x3000:
			return true
		}
		return false
	})
}
