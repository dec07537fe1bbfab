package match

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

// TextIndex are short texts, such as titles, that are searched at every key. They
// are never changed, and may be used by several goroutines at once.
type TextIndex struct {
	texts []string
	// To look through all in one takes a tenth of reading each.
	words     joined           // all words, folded, with a space before each and behind the last
	verbatim  joined           // the texts
	overrides map[int32]string // what stands at some numbers, and at all further ones
}

// joined is lines one after the other.
type joined struct {
	text  string
	ends  []int32 // where each line ends, with a line feed
	bloom *bloom  // of the text
}

func newJoined(text string, ends []int32) joined {
	c := joined{text: text, ends: ends, bloom: &bloom{}}
	for i := range len(text) - gramSize + 1 {
		n := gramHash(text[i:])
		c.bloom[n/64] |= 1 << (n % 64)
	}
	return c
}

// bloom is a sieve of all stretches of so many bytes of a text. Most texts that
// are looked for stand nowhere, and of most of these it tells at once.
type bloom [1 << 10]uint64

const gramSize = 4

// gramHash gives the place in the sieve of what a text begins with.
func gramHash(s string) uint32 {
	return (uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24) * 0x9e3779b1 >> 16
}

// mayContain reports whether a text may stand in that of the sieve.
func (p *bloom) mayContain(text string) bool {
	for i := range len(text) - gramSize + 1 {
		if n := gramHash(text[i:]); p[n/64]>>(n%64)&1 == 0 {
			return false
		}
	}
	return true
}

// containing gives the lines that hold a text, ascending. One that reaches from a
// line into the next counts for the first.
func (c *joined) containing(text string) []int32 {
	if !c.bloom.mayContain(text) {
		return nil
	}
	var found []int32
	for at := 0; ; {
		i := strings.Index(c.text[at:], text)
		if i < 0 {
			return found
		}
		n := sort.Search(len(c.ends), func(n int) bool { return int(c.ends[n]) > at+i })
		found = append(found, int32(n))
		at = int(c.ends[n])
	}
}

// NewTextIndex prepares texts for being searched.
func NewTextIndex(texts []string) *TextIndex {
	l := &TextIndex{texts: texts}
	var words, whole strings.Builder
	var wordEnds, wholeEnds []int32
	var word []byte
	for _, text := range texts {
		for i := 0; ; {
			var start int
			start, i, word = nextWord(text, i, word[:0])
			if start == len(text) || len(word) == 0 {
				break
			}
			words.WriteByte(' ')
			words.Write(word)
		}
		words.WriteString(" \n")
		wordEnds = append(wordEnds, int32(words.Len()))
		whole.WriteString(text)
		whole.WriteByte('\n')
		wholeEnds = append(wholeEnds, int32(whole.Len()))
	}
	l.words, l.verbatim = newJoined(words.String(), wordEnds), newJoined(whole.String(), wholeEnds)
	return l
}

// Updated gives lines some of which, by their numbers, are other texts, or further
// ones. Nothing is prepared anew: each of those is looked at by itself.
func (l *TextIndex) Updated(other map[int32]string) *TextIndex {
	w := *l
	w.overrides = make(map[int32]string, len(l.overrides)+len(other))
	maps.Copy(w.overrides, l.overrides)
	maps.Copy(w.overrides, other)
	return &w
}

// Text gives one of the texts.
func (l *TextIndex) Text(n int) string {
	if text, ok := l.overrides[int32(n)]; ok {
		return text
	}
	return l.texts[n]
}

// MatchIndex gives the numbers of the lines that satisfy the query, ascending.
func (m *Matcher) MatchIndex(l *TextIndex) []int32 {
	var found []int32
	for _, n := range m.candidateTexts(l) {
		if _, ok := l.overrides[n]; !ok && m.Match(l.texts[n]) {
			found = append(found, n)
		}
	}
	if len(l.overrides) > 0 {
		for n, text := range l.overrides {
			if m.Match(text) {
				found = append(found, n)
			}
		}
		slices.Sort(found)
	}
	return found
}

// candidateTexts gives all lines that can satisfy the query, and few others.
func (m *Matcher) candidateTexts(l *TextIndex) []int32 {
	every := func() []int32 {
		all := make([]int32, len(l.texts))
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
		rarest, in := "", &l.words // the longest is what fewest lines have
		for _, f := range g.all {
			if text := m.terms[f].exact; len(text) > len(rarest) {
				rarest, in = text, &l.verbatim
			}
			if text := m.terms[f].wordKey(); len(text) >= len(rarest) {
				rarest, in = text, &l.words
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

// wordKey gives the words of a form as [TextIndex] has them, "" for none.
func (f *compiledTerm) wordKey() string {
	if len(f.words) == 0 {
		return ""
	}
	text := " " + strings.Join(f.words, " ")
	if !f.prefix {
		text += " "
	}
	return text
}
