package search

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf16"
)

// toEscaped spells text as Python's JSON does.
func toEscaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}

// escapeRune is the word, or the words, that an escape of JSON is of a character,
// of one that needs none too.
func escapeRune(r rune) string {
	if r > 0xffff {
		return toEscaped(string(r))
	}
	return fmt.Sprintf("u%04x", r)
}

// Unescape gives stored text with its \uXXXX escapes as characters, so that it
// can be searched. It is not parsed: what is damaged can be searched too.
func Unescape(s string) string {
	i := escapeAt(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		r, n := decodeEscape(s[i:])
		if n == 0 {
			b.WriteString(s[:i+2])
			n = 2
		} else {
			// Arguments are JSON inside JSON: their own escapes have two backslashes.
			b.WriteString(strings.TrimRight(s[:i], `\`))
			if utf16.IsSurrogate(r) {
				rest := strings.TrimLeft(s[i+n:], `\`)
				low, m := decodeEscape(`\` + rest)
				if r = utf16.DecodeRune(r, low); m > 0 && r != unicode.ReplacementChar {
					n += len(s[i+n:]) - len(rest) + m - 1
				}
			}
			b.WriteRune(r)
		}
		s = s[i+n:]
		i = escapeAt(s)
	}
	b.WriteString(s)
	return b.String()
}

// escapeAt gives where `\u` stands first, -1 for nowhere. JSON is full of
// backslashes, at each of which [strings.Index] stops: this looks at eight
// characters at once.
func escapeAt(s string) int {
	const each = 0x0101010101010101
	i := 0
	for ; i+9 <= len(s); i += 8 {
		here := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		behind := here>>8 | uint64(s[i+8])<<56
		other := (here ^ '\\'*each) | (behind ^ 'u'*each) // 0 where both are as wanted
		if found := (other - each) &^ other & (0x80 * each); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	if n := strings.Index(s[i:], `\u`); n >= 0 {
		return i + n
	}
	return -1
}

// decodeEscape reads a \uXXXX at the beginning of s; n is its length, 0 if none.
func decodeEscape(s string) (r rune, n int) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, 0
	}
	v, ok := parseHex4(s[2:6])
	if !ok {
		return 0, 0
	}
	return rune(v), 6
}

// parseHex4 reads four digits. That something is none is no error: text that
// is searched is full of it.
func parseHex4(four string) (v uint16, ok bool) {
	for _, c := range []byte(four) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		v = v<<4 | uint16(c)
	}
	return v, true
}
