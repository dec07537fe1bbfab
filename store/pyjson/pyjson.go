// Package pyjson writes JSON as Python's json.dumps does by default, which is
// how Hermes Agent stores it (store-behaviour 3.1): ASCII only, a space after
// every comma and colon, keys in the order in which they were put.
package pyjson

import "unicode/utf8"

// AppendString appends s as a JSON string. Everything outside printable ASCII
// is escaped, beyond the basic plane as a surrogate pair; "/", "<", ">" and
// "&" are not. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	unit := func(dst []byte, u rune) []byte {
		return append(dst, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			i += n
			if r > 0xFFFF {
				r -= 0x10000
				dst = unit(dst, 0xD800+r>>10)
				r = 0xDC00 + r&0x3FF
			}
			dst = unit(dst, r)
			continue
		}
		i++
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c == '\f':
			dst = append(dst, '\\', 'f')
		case c == '\b':
			dst = append(dst, '\\', 'b')
		case c < ' ' || c == 0x7F:
			dst = unit(dst, rune(c))
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
