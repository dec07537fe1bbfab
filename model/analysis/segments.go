package analysis

import "hermes-sessions/model/match"

// Segment is a part of a text in one kind of script.
type Segment struct {
	Text     string
	Unspaced bool // of a script without spaces between words; see match.IsUnspaced
}

// Segments splits a text at the borders between scripts without spaces and all
// others, and leaves out what is neither a letter nor a digit: 用docker部署 is 用,
// docker and 部署.
func Segments(text string) (out []Segment) {
	start, kind := 0, none
	end := func(i int) {
		if kind != none {
			out = append(out, Segment{Text: text[start:i], Unspaced: kind == unspaced})
		}
	}
	for i, r := range text {
		k := none
		switch {
		case match.IsUnspaced(r):
			k = unspaced
		case match.IsWord(r) || match.IsMark(r):
			k = spaced
		}
		if k != kind {
			end(i)
			start, kind = i, k
		}
	}
	end(len(text))
	return out
}

// The kinds of characters that Segments tells apart.
const (
	none = iota
	spaced
	unspaced
)

// Pairs returns the overlapping pairs of characters of a run in a script without
// spaces, each once: what 部署失败 and 部署为什么失败 have in common is 部署 and
// 失败. A run of one character is its own pair.
func Pairs(run string) (out []string) {
	r := []rune(run)
	if len(r) < 2 {
		return []string{run}
	}
	seen := map[string]bool{}
	for i := range len(r) - 1 {
		if p := string(r[i : i+2]); !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}
