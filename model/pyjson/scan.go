package pyjson

import (
	"iter"
	"strings"
)

// Fields returns the names of the fields of a JSON object and their values as stored. It
// decodes only the names, so that a few fields of a large object cost little. It stops
// where the text is no longer JSON, as at the end of one that was cut.
func Fields(object string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		if !strings.HasPrefix(object, "{") {
			return
		}
		for i := skipSpace(object, 1); i < len(object) && object[i] == '"'; {
			end := stringEnd(object, i)
			name := String(object[i:end], end-i)
			if i = skipSpace(object, end); i >= len(object) || object[i] != ':' {
				return
			}
			i = skipSpace(object, i+1)
			if end = valueEnd(object, i); end <= i || !yield(name, object[i:end]) {
				return
			}
			if i = skipSpace(object, end); i >= len(object) || object[i] != ',' {
				return
			}
			i = skipSpace(object, i+1)
		}
	}
}

// Elements returns the elements of a JSON array as stored, as [Fields] gives those of an
// object.
func Elements(array string) iter.Seq[string] {
	return func(yield func(value string) bool) {
		if !strings.HasPrefix(array, "[") {
			return
		}
		for i := skipSpace(array, 1); i < len(array) && array[i] != ']'; {
			end := valueEnd(array, i)
			if end <= i || !yield(array[i:end]) {
				return
			}
			if i = skipSpace(array, end); i >= len(array) || array[i] != ',' {
				return
			}
			i = skipSpace(array, i+1)
		}
	}
}

// String decodes the beginning of a stored JSON string, about most bytes of it. The
// closing quotation mark may be missing. Of any other value it gives "".
func String(value string, most int) string {
	if !strings.HasPrefix(value, `"`) {
		return ""
	}
	inner := value[1:]
	if end := stringEnd(value, 0); end <= len(value) && end > 1 && value[end-1] == '"' {
		inner = value[1 : end-1]
	}
	if len(inner) > most {
		inner = inner[:most]
	}
	for range 3 { // an escape at the end may have been cut
		if v, err := Parse(`"` + inner + `"`); err == nil {
			text, _ := v.(string)
			return strings.ToValidUTF8(text, "")
		}
		at := strings.LastIndexByte(inner, '\\')
		if at < 0 {
			break
		}
		inner = inner[:at]
	}
	return strings.ToValidUTF8(Unescape(inner), "")
}

// CutString decodes the JSON string that a text begins with, and returns the text behind it.
// text and found are what [strings.CutPrefix] has returned: where it found no prefix, or no
// string follows, ok is false.
func CutString(text string, found bool) (value, rest string, ok bool) {
	if !found || !strings.HasPrefix(text, `"`) {
		return "", text, false
	}
	p := parser{text: text}
	value, err := p.parseString()
	return value, text[p.pos:], err == nil
}

// SkipString skips the JSON string that a text begins with. Its arguments and ok are those of
// [CutString].
func SkipString(text string, found bool) (rest string, ok bool) {
	if !found || !strings.HasPrefix(text, `"`) {
		return text, false
	}
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			return text[i+1:], true
		case c < 0x20:
			return text, false
		case c != '\\':
			continue
		}
		if i++; i < len(text) && text[i] == 'u' {
			hex := parser{text: text, pos: i + 1}
			if _, ok := hex.parseHex(); !ok {
				return text, false
			}
		} else if i == len(text) || strings.IndexByte(`"\/bfnrt`, text[i]) < 0 {
			return text, false
		}
	}
	return text, false
}

// skipSpace returns the position of the first byte from i on that is no white space.
func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the end of the JSON string that begins at i, or of the text.
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		n := strings.IndexAny(s[i:], `"\`)
		if n < 0 {
			return len(s)
		}
		if i += n; s[i] == '"' {
			return i + 1
		}
		i++
	}
	return len(s)
}

// valueEnd returns the end of the JSON value that begins at i, or of the text.
func valueEnd(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			if i = stringEnd(s, i); depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth < 0 {
				return i
			} else if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(s)
}
