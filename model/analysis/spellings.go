package analysis

import "strings"

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

// Apart returns a word and the number after or before it apart: python 3.11 for python3.11,
// 50 ms for 50ms, and utf 8 for utf8, which texts have that have utf-8. It is "" for other words.
// word is in lower case.
func Apart(word string) string {
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

// Version returns v0.4.4 for 0.4.4, 0.4.4 for v0.4.4, and "" for words that are no versions.
func Version(word string) string {
	number, found := strings.CutPrefix(word, "v")
	switch {
	case !strings.Contains(number, ".") || strings.Trim(number, digits+".") != "" || strings.Trim(number, ".") != number:
		return ""
	case found:
		return number
	}
	return "v" + number
}

// CamelApart returns the parts of an identifier in camel case apart, user name for userName, and
// the word in lower case for other words.
func CamelApart(word string) string {
	var parts []byte
	for i, c := range []byte(word) {
		if i > 0 && c >= 'A' && c <= 'Z' && word[i-1] >= 'a' && word[i-1] <= 'z' {
			parts = append(parts, ' ')
		}
		parts = append(parts, c)
	}
	return strings.ToLower(string(parts))
}
