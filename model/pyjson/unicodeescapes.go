package pyjson

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Escape escapes text as Python's JSON does: what is not ASCII becomes \uXXXX.
func Escape(s string) string {
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

// EscapeRune returns the word that FTS5 sees in the escape \uXXXX of a character,
// without its backslash, or the two escapes of one beyond the BMP. A character of
// ASCII has one too: JSON may escape any.
func EscapeRune(r rune) string {
	if r > 0xffff {
		return Escape(string(r))
	}
	return fmt.Sprintf("u%04x", r)
}

// Unescape decodes the \uXXXX escapes in stored text, so that it can be searched.
// The text need not be valid JSON. An escape inside a JSON string inside JSON has
// two backslashes, and counts too.
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
			// Tool arguments are JSON inside JSON: their escapes have two backslashes.
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

// escapeAt returns the index of the first `\u`, -1 for none. It compares eight bytes
// at a time: [strings.Index] stops at every backslash, of which JSON has many.
func escapeAt(s string) int {
	const each = 0x0101010101010101
	i := 0
	for ; i+9 <= len(s); i += 8 {
		here := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		behind := here>>8 | uint64(s[i+8])<<56
		other := (here ^ '\\'*each) | (behind ^ 'u'*each) // the byte of a match is 0
		if found := (other - each) &^ other & (0x80 * each); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	if n := strings.Index(s[i:], `\u`); n >= 0 {
		return i + n
	}
	return -1
}

// decodeEscape decodes a \uXXXX at the beginning of s. n is its length in bytes, 0
// when there is none.
func decodeEscape(s string) (r rune, n int) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, 0
	}
	v, ok := ParseHex4(s[2:6])
	if !ok {
		return 0, 0
	}
	return rune(v), 6
}

// ParseHex4 parses four hexadecimal digits. ok is false when one is not, which is
// common in the text that is searched.
func ParseHex4(four string) (v uint16, ok bool) {
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
