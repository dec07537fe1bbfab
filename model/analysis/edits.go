package analysis

import (
	"strings"
	"unicode/utf8"
)

// minEditLetters is the length of a word from which all kinds of errors are tried. One of
// four letters (buid) may also lack a letter, and in a shorter one only swapped letters are
// tried: it is one other error away from too many words.
const (
	minEditLetters    = 5
	minMissingLetters = 4
)

// maxEditBytes is the length of a word up to which errors are looked for. A longer one was
// not typed but pasted, and its edits would fill the memory.
const maxEditBytes = 256

// Edits returns the words that a word may be a misspelling of, one error away
// (Damerau-Levenshtein distance 1): a letter left out, doubled or added, another
// letter, two letters swapped. The first letter is right, unless it was swapped with
// the second. word is in lower case; it is not among them. Each comes once, in no
// order. A word of more than 256 bytes has none.
func Edits(word string) []string {
	if len(word) > maxEditBytes {
		return nil
	}
	w := []rune(word)
	letters := "abcdefghijklmnopqrstuvwxyz"
	for _, r := range w {
		if r >= utf8.RuneSelf && !strings.ContainsRune(letters, r) {
			letters += string(r)
		}
	}
	seen := map[string]struct{}{word: {}}
	var out []string
	add := func(parts ...[]rune) {
		var edited []rune
		for _, p := range parts {
			edited = append(edited, p...)
		}
		s := string(edited)
		if _, ok := seen[s]; !ok {
			seen[s] = struct{}{}
			out = append(out, s)
		}
	}
	for i := range len(w) + 1 {
		before, after := w[:i], w[i:]
		if len(after) > 1 {
			add(before, []rune{after[1], after[0]}, after[2:])
		}
		if i == 0 || len(w) < minMissingLetters {
			continue
		}
		others := len(w) >= minEditLetters && len(after) > 0
		if others {
			add(before, after[1:])
		}
		for _, l := range letters {
			add(before, []rune{l}, after)
			if others {
				add(before, []rune{l}, after[1:])
			}
		}
	}
	return out
}

// Distance counts the errors between two texts: characters left out, added,
// replaced, and neighbors swapped (Damerau-Levenshtein, without overlaps).
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := [3][]int{make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := range x {
		two := rows[(i+2)%3]
		one := rows[i%3]
		now := rows[(i+1)%3]
		now[0] = i + 1
		for j := range y {
			replace := one[j]
			if x[i] != y[j] {
				replace++
			}
			now[j+1] = min(replace, one[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				now[j+1] = min(now[j+1], two[j-1]+1)
			}
		}
	}
	return rows[len(x)%3][len(y)]
}
