package model

import (
	"slices"
	"sort"
	"strings"
)

// Lines are short texts, such as titles, that are searched at every key. They
// are never changed, and may be used by several goroutines at once.
type Lines struct {
	texts []string
	// All words of all lines, folded, with a space before each and a line feed
	// after each line: to look through it takes a tenth of reading the texts.
	words string
	ends  []int32 // of the lines, in words
}

// NewLines prepares texts for being searched.
func NewLines(texts []string) *Lines {
	l := &Lines{texts: texts, ends: make([]int32, len(texts))}
	var b strings.Builder
	var word []byte
	for n, text := range texts {
		for i := 0; ; {
			var start int
			start, i, word = nextWord(text, i, word[:0])
			if start == len(text) || len(word) == 0 {
				break
			}
			b.WriteByte(' ')
			b.Write(word)
		}
		b.WriteByte('\n')
		l.ends[n] = int32(b.Len())
	}
	l.words = b.String()
	return l
}

// Lines gives the numbers of the lines that satisfy the query, ascending.
func (m *Matcher) Lines(l *Lines) []int32 {
	var found []int32
	for _, n := range m.likely(l) {
		if m.Match(l.texts[n]) {
			found = append(found, n)
		}
	}
	return found
}

// likely gives all lines that can satisfy the query, and few others.
func (m *Matcher) likely(l *Lines) []int32 {
	var likely []int32
	for _, g := range m.groups {
		rarest := "" // the longest word is the one that fewest lines have
		for _, f := range g.all {
			for _, w := range m.forms[f].words {
				if len(w) > len(rarest) {
					rarest = w
				}
			}
		}
		if rarest == "" {
			likely = likely[:0]
			for n := range l.texts {
				likely = append(likely, int32(n))
			}
			return likely
		}
		rarest = " " + rarest
		for at := 0; ; {
			i := strings.Index(l.words[at:], rarest)
			if i < 0 {
				break
			}
			n := sort.Search(len(l.ends), func(n int) bool { return int(l.ends[n]) > at+i })
			likely = append(likely, int32(n))
			at = int(l.ends[n])
		}
	}
	if len(m.groups) > 1 {
		slices.Sort(likely)
		likely = slices.Compact(likely)
	}
	return likely
}
