package analysis

import (
	"strings"
	"unicode"
)

const digits = "0123456789"

// minJoined is how many bytes a word has that may also be written with a hyphen.
const minJoined = 4

// Joined returns timeout for time-out, username for user_name, utf8 for utf-8 and nodejs for
// node.js, which texts may have instead, and "" for other words. word is in lower case.
func Joined(word string) string {
	joined, letters := make([]byte, 0, len(word)), false
	for _, c := range []byte(word) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			joined, letters = append(joined, c), letters || c > '9'
		case c != '-' && c != '_' && (c != '.' || strings.ContainsAny(word, digits)): // 3.11 is not 311
			return ""
		}
	}
	if !letters || len(joined) < minJoined || len(joined) == len(word) {
		return ""
	}
	return string(joined)
}

// Apart returns the parts of a word in camel case, or a word and the number after or before it,
// apart: user name for userName, python 3.11 for python3.11, 50 ms for 50ms, and utf 8 for utf8,
// which texts have that have utf-8. It is "" for other words.
func Apart(word string) string {
	if parts := camelParts(word); len(parts) > 1 {
		return strings.ToLower(strings.Join(parts, " "))
	}
	word = strings.ToLower(word)
	at := strings.IndexAny(word, digits)
	number := word[max(at, 0):]
	if at == 0 {
		at = len(word) - len(strings.TrimLeft(word, digits+"."))
		number = word[:at]
	}
	letters := strings.ReplaceAll(word, number, "")
	if at < 0 || len(letters) < 2 || !IsPlain(letters) || strings.Trim(number, digits+".") != "" {
		return ""
	}
	return word[:at] + " " + word[at:]
}

// camelParts splits an identifier of ASCII letters before each capital after a small letter.
func camelParts(word string) (parts []string) {
	start := 0
	for i := range len(word) {
		switch {
		case unicode.IsUpper(rune(word[i])) && i > 0 && unicode.IsLower(rune(word[i-1])):
			parts, start = append(parts, word[start:i]), i
		case word[i] >= unicode.MaxASCII || !unicode.IsLetter(rune(word[i])):
			return nil
		}
	}
	return append(parts, word[start:])
}
