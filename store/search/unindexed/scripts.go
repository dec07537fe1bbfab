package unindexed

import (
	"strings"
	"unicode/utf8"

	"hermes-sessions/model/match"
)

// beside is how many bytes of other text are kept before and after a script.
const beside = 16

// appendScripts appends each stretch of a text that has characters of scripts without spaces: from
// a few bytes before the first to a few after the last, without white space of ASCII.
func appendScripts(to []byte, text string) []byte {
	kept := -1 // the end of the stretch before
	for i := nextScript(text, 0); i < len(text); i = nextScript(text, kept) {
		from := i
		for from > max(kept, 0) && i-from < beside && text[from-1] > ' ' {
			from--
		}
		for !utf8.RuneStart(text[from]) {
			from++
		}
		end := i
		for last := i; end < len(text); {
			r, size := utf8.DecodeRuneInString(text[end:])
			if match.IsUnspaced(r) {
				last = end + size
			} else if r <= ' ' || end+size-last > beside {
				break
			}
			end += size
		}
		if from > kept {
			to = append(to, '\n')
		}
		for _, c := range []byte(text[from:end]) {
			to = append(to, lower(c))
		}
		kept = end
	}
	return to
}

// nextScript returns where the next character of a script without spaces stands, at i or after it.
func nextScript(text string, i int) int {
	for i < len(text) {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if match.IsUnspaced(r) {
			break
		}
		i += size
	}
	return i
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// lookUpText returns what is looked for to find a text: all of it where a stretch holds all of it,
// which exact says, else its longest part in scripts without spaces, "" where it has none.
func lookUpText(text string) (wanted string, exact bool) {
	stretch, isOne := strings.CutPrefix(string(appendScripts(nil, text)), "\n")
	if isOne && len(stretch) == len(text) && !strings.Contains(stretch, "\n") {
		return stretch, true
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return !match.IsUnspaced(r) }) {
		if len(part) > len(wanted) {
			wanted = part
		}
	}
	return wanted, false
}
