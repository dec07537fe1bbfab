package analysis

import "strings"

// HalfWidth returns a text with its full-width letters, digits and signs, which the input
// methods of Chinese and Japanese write, as those of ASCII.
func HalfWidth(text string) string {
	return strings.Map(func(r rune) rune {
		if '！' <= r && r <= '～' {
			return r - '！' + '!'
		}
		return r
	}, text)
}
