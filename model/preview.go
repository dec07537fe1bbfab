package model

import (
	"strings"
)

// Preview shortens a first user message to one line: line breaks become
// spaces, 63 characters are looked at, and more than 60 end in "..."
// (store/README.md#previews).
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

// trimPythonSpace is Python's str.strip: it also takes U+001C to U+001F.
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
