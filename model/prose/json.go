package prose

import (
	"strings"

	"hermes-sessions/model/pyjson"
)

// looksLikeJSON reports whether a text is stored JSON, by its first character.
func looksLikeJSON(text string) bool {
	text = strings.TrimLeft(text[:min(len(text), 64)], " \n\t\r")
	if strings.HasPrefix(text, `{"`) || strings.HasPrefix(text, `[{`) || strings.HasPrefix(text, `["`) || strings.HasPrefix(text, `[[`) {
		return true
	}
	rest, ok := strings.CutPrefix(text, "{")
	return ok && strings.HasPrefix(strings.TrimLeft(rest, " \n\t\r"), `"`)
}

// enclosing returns the value of the string in JSON that has the bytes from to to, and
// their place in it. ok is false for other text, and where they are in no string, in the
// name of a field, or in more than one string.
func enclosing(text string, from, to int) (value string, at, end int, ok bool) {
	if !looksLikeJSON(text) {
		return "", 0, 0, false
	}
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '"')
		if n < 0 || i+n >= from {
			return "", 0, 0, false
		}
		start := i + n + 1
		stop := closingQuote(text, start)
		i = min(stop+1, len(text))
		if from >= stop {
			continue
		}
		if to > stop || strings.HasPrefix(strings.TrimLeft(text[i:], " \n\t\r"), ":") {
			return "", 0, 0, false
		}
		if start < from-2*before { // an escape that is cut is far from what will be shown
			start = from - before
		}
		lead, hit := decode(text[start:from]), decode(text[from:to])
		return lead + hit + decode(text[to:min(stop, to+2*after)]), len(lead), len(lead) + len(hit), true
	}
}

// closingQuote returns the place of the closing quotation mark of a string, or the end of the
// text.
func closingQuote(text string, i int) int {
	for i < len(text) {
		n := strings.IndexAny(text[i:], `"\`)
		if n < 0 {
			return len(text)
		}
		if i += n; text[i] == '"' {
			return i
		}
		i += 2 // past what is escaped
	}
	return len(text)
}

// decode decodes the inside of a JSON string, or a part of it.
func decode(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return escapes.Replace(pyjson.Unescape(s))
}

var escapes = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\/`, `/`, `\n`, "\n", `\t`, "\t", `\r`, "", `\b`, "", `\f`, "")

// flatten writes JSON, or a part of it, without its punctuation.
func flatten(s string) string {
	var b strings.Builder
	inside := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			inside = !inside
		case c == '\\' && i+1 < len(s) && s[i+1] != 'u':
			b.WriteString(escapes.Replace(s[i : i+2]))
			i++
		case inside:
			b.WriteByte(c)
		case c == '{', c == '}', c == '[', c == ']':
			b.WriteByte(' ')
		case c == ',':
			b.WriteString(" ")
		default:
			b.WriteByte(c)
		}
	}
	return pyjson.Unescape(b.String())
}
