package match

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

// TextIndex holds short texts, such as titles, that are searched at every
// keystroke. It is never changed and may be used by several goroutines at once.
type TextIndex struct {
	texts []string
	// Searching all texts joined takes a tenth of searching each.
	words     joined           // all words, folded, with a space before each and after the last; then the [borderRuns], with spaces too
	verbatim  joined           // the texts themselves
	overrides map[int32]string // by number: texts instead of those, and added ones
}

// joined holds lines in one string.
type joined struct {
	text  string
	ends  []int32 // where each line ends, behind its line feed
	bloom *bloom  // of the text
}

func newJoined(text string, ends []int32) joined {
	j := joined{text: text, ends: ends, bloom: &bloom{}}
	for i := range len(text) - gramSize + 1 {
		n := gramHash(text[i:])
		j.bloom[n/64] |= 1 << (n % 64)
	}
	return j
}

// bloom is a Bloom filter of all sequences of gramSize bytes of a text. Most texts
// that are searched for occur nowhere, and it excludes most of those at once.
type bloom [1 << 10]uint64

const gramSize = 4

// gramHash returns the bit of the filter for the first bytes of a text.
func gramHash(s string) uint32 {
	return (uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24) * 0x9e3779b1 >> 16
}

func (b *bloom) mayContain(text string) bool {
	for i := range len(text) - gramSize + 1 {
		if n := gramHash(text[i:]); b[n/64]>>(n%64)&1 == 0 {
			return false
		}
	}
	return true
}

// containing returns the numbers of the lines that contain a text, ascending. A
// text that reaches from a line into the next counts for the first.
func (j *joined) containing(text string) []int32 {
	if !j.bloom.mayContain(text) {
		return nil
	}
	var found []int32
	for at := 0; ; {
		i := strings.Index(j.text[at:], text)
		if i < 0 {
			return found
		}
		n := sort.Search(len(j.ends), func(n int) bool { return int(j.ends[n]) > at+i })
		found = append(found, int32(n))
		at = int(j.ends[n])
	}
}

// NewTextIndex returns an index of some texts, numbered from 0.
func NewTextIndex(texts []string) *TextIndex {
	ix := &TextIndex{texts: texts}
	var words, whole strings.Builder
	var wordEnds, wholeEnds []int32
	var word []byte
	for _, text := range texts {
		var runs []string
		for i := 0; ; {
			var start int
			start, i, word = nextWord(text, i, word[:0])
			if start == len(text) || len(word) == 0 {
				break
			}
			words.WriteByte(' ')
			words.Write(word)
			runs = append(runs, borderRuns(string(word))...)
		}
		for _, run := range runs {
			words.WriteString("  " + run) // no phrase goes on into a run
		}
		words.WriteString(" \n")
		wordEnds = append(wordEnds, int32(words.Len()))
		whole.WriteString(text)
		whole.WriteByte('\n')
		wholeEnds = append(wholeEnds, int32(whole.Len()))
	}
	ix.words, ix.verbatim = newJoined(words.String(), wordEnds), newJoined(whole.String(), wholeEnds)
	return ix
}

// borderRuns returns the parts of a folded word that are beside a script without
// spaces, nil for a word without such a script.
func borderRuns(word string) []string {
	if !strings.ContainsFunc(word, IsUnspaced) {
		return nil
	}
	return strings.FieldsFunc(word, IsUnspaced)
}

// Updated returns an index in which the texts of some numbers are others, or
// added. It shares the index of the rest; each of the given texts is searched by
// itself.
func (ix *TextIndex) Updated(texts map[int32]string) *TextIndex {
	u := *ix
	u.overrides = make(map[int32]string, len(ix.overrides)+len(texts))
	maps.Copy(u.overrides, ix.overrides)
	maps.Copy(u.overrides, texts)
	return &u
}

// Text returns the text of a number.
func (ix *TextIndex) Text(n int) string {
	if text, ok := ix.overrides[int32(n)]; ok {
		return text
	}
	return ix.texts[n]
}

// MatchIndex returns the numbers of the texts that match the query, ascending.
func (m *Matcher) MatchIndex(ix *TextIndex) []int32 {
	var found []int32
	for _, n := range m.candidateTexts(ix) {
		if _, ok := ix.overrides[n]; !ok && m.Match(ix.texts[n]) {
			found = append(found, n)
		}
	}
	if len(ix.overrides) > 0 {
		for n, text := range ix.overrides {
			if m.Match(text) {
				found = append(found, n)
			}
		}
		slices.Sort(found)
	}
	return found
}

// candidateTexts returns the numbers of all texts that can match the query, and few
// others.
func (m *Matcher) candidateTexts(ix *TextIndex) []int32 {
	every := func() []int32 {
		all := make([]int32, len(ix.texts))
		for n := range all {
			all[n] = int32(n)
		}
		return all
	}
	if len(m.groups) == 0 {
		return every()
	}
	var likely []int32
	for _, g := range m.groups {
		rarest, in := "", &ix.words // taken to be the longest
		for _, term := range g.all {
			if text := m.terms[term].exact; len(text) > len(rarest) {
				rarest, in = text, &ix.verbatim
			}
			if text := m.terms[term].wordKey(); len(text) >= len(rarest) {
				rarest, in = text, &ix.words
			}
		}
		if rarest == "" {
			return every()
		}
		likely = append(likely, in.containing(rarest)...)
	}
	if len(m.groups) > 1 {
		slices.Sort(likely)
		likely = slices.Compact(likely)
	}
	return likely
}

// wordKey returns the words of a term as a [TextIndex] has them, "" for none.
func (c *compiledTerm) wordKey() string {
	if len(c.words) == 0 {
		return ""
	}
	text := " " + strings.Join(c.words, " ")
	if !c.prefix {
		text += " "
	}
	return text
}
