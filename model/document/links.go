package document

import (
	"regexp"
	"slices"
	"strings"
)

var webAddress = regexp.MustCompile("(?i)\\bhttps?://[^\\s<>\"`|\\\\^{}]+")

// Links gives the web addresses of a text, each once, in their order. What
// follows an address in a sentence is not part of it.
func Links(s string) []string {
	var out []string
	for _, a := range webAddress.FindAllString(s, -1) {
		if a = trimPunctuation(a); !strings.HasSuffix(a, "//") && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// trimPunctuation takes punctuation off the end; a bracket stays where its
// partner stands in the address.
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
