package model

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

// Lines are short texts, such as titles, that are searched at every key. They
// are never changed, and may be used by several goroutines at once.
type Lines struct {
	texts []string
	// To look through all in one takes a tenth of reading each.
	words column           // all words, folded, with a space before each and behind the last
	whole column           // the texts
	other map[int32]string // what stands at some numbers, and at all further ones
}

// column is lines one after the other.
type column struct {
	text   string
	ends   []int32 // where each line ends, with a line feed
	pieces *pieces // of the text
}

func newColumn(text string, ends []int32) column {
	c := column{text: text, ends: ends, pieces: &pieces{}}
	for i := range len(text) - pieceSize + 1 {
		n := piece(text[i:])
		c.pieces[n/64] |= 1 << (n % 64)
	}
	return c
}

// pieces is a sieve of all stretches of so many bytes of a text. Most texts that
// are looked for stand nowhere, and of most of these it tells at once.
type pieces [1 << 10]uint64

const pieceSize = 4

// piece gives the place in the sieve of what a text begins with.
func piece(s string) uint32 {
	return (uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24) * 0x9e3779b1 >> 16
}

// maybe reports whether a text may stand in that of the sieve.
func (p *pieces) maybe(text string) bool {
	for i := range len(text) - pieceSize + 1 {
		if n := piece(text[i:]); p[n/64]>>(n%64)&1 == 0 {
			return false
		}
	}
	return true
}

// with gives the lines that hold a text, ascending. One that reaches from a
// line into the next counts for the first.
func (c *column) with(text string) []int32 {
	if !c.pieces.maybe(text) {
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

// NewLines prepares texts for being searched.
func NewLines(texts []string) *Lines {
	l := &Lines{texts: texts}
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
	l.words, l.whole = newColumn(words.String(), wordEnds), newColumn(whole.String(), wholeEnds)
	return l
}

// With gives lines some of which, by their numbers, are other texts, or further
// ones. Nothing is prepared anew: each of those is looked at by itself.
func (l *Lines) With(other map[int32]string) *Lines {
	w := *l
	w.other = make(map[int32]string, len(l.other)+len(other))
	maps.Copy(w.other, l.other)
	maps.Copy(w.other, other)
	return &w
}

// Line gives one of the texts.
func (l *Lines) Line(n int) string {
	if text, ok := l.other[int32(n)]; ok {
		return text
	}
	return l.texts[n]
}

// Lines gives the numbers of the lines that satisfy the query, ascending.
func (m *Matcher) Lines(l *Lines) []int32 {
	var found []int32
	for _, n := range m.likely(l) {
		if _, ok := l.other[n]; !ok && m.Match(l.texts[n]) {
			found = append(found, n)
		}
	}
	if len(l.other) > 0 {
		for n, text := range l.other {
			if m.Match(text) {
				found = append(found, n)
			}
		}
		slices.Sort(found)
	}
	return found
}

// likely gives all lines that can satisfy the query, and few others.
func (m *Matcher) likely(l *Lines) []int32 {
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
			if text := m.forms[f].caseless; len(text) > len(rarest) {
				rarest, in = text, &l.whole
			}
			if text := m.forms[f].phrase(); len(text) >= len(rarest) {
				rarest, in = text, &l.words
			}
		}
		if rarest == "" {
			return every()
		}
		likely = append(likely, in.with(rarest)...)
	}
	if len(m.groups) > 1 {
		slices.Sort(likely)
		likely = slices.Compact(likely)
	}
	return likely
}

// phrase gives the words of a form as [Lines] has them, "" for none.
func (f *form) phrase() string {
	if len(f.words) == 0 {
		return ""
	}
	text := " " + strings.Join(f.words, " ")
	if !f.prefix {
		text += " "
	}
	return text
}
