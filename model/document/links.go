package document

import (
	"regexp"
	"slices"
	"strings"
)

var webAddress = regexp.MustCompile("(?i)\\bhttps?://[^\\s<>\"`|\\\\^{}]+")

// Links returns the http and https URLs in a text, each once, in order, without the
// punctuation that follows them in a sentence.
func Links(s string) []string {
	var out []string
	for _, a := range webAddress.FindAllString(s, -1) {
		if a = trimPunctuation(a); !strings.HasSuffix(a, "//") && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// trimPunctuation removes punctuation from the end. A closing bracket stays if its
// opening one is in the URL.
func trimPunctuation(a string) string {
	for a != "" {
		switch last := a[len(a)-1]; last {
		case '.', ',', ';', ':', '!', '?', '\'', '*', '_':
		case ')':
			if strings.Count(a, "(") >= strings.Count(a, ")") {
				return a
			}
		case ']':
			if strings.Count(a, "[") >= strings.Count(a, "]") {
				return a
			}
		default:
			return a
		}
		a = a[:len(a)-1]
	}
	return a
}
