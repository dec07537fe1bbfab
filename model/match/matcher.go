package match

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Matcher finds the terms of a query in texts, by the rules of FTS5's unicode61
// tokenizer. It may be used by one goroutine at a time.
type Matcher struct {
	terms  []compiledTerm
	marked int // terms[:marked] must match and are marked; the others must not match
	groups []termGroup

	// The words of all terms stand in one slice. A bit set over it holds the words
	// up to which a term has matched (the Shift-And algorithm, on words).
	words        []string
	prefixes     []bool // the word may go on
	termOf       []int
	phraseLength []int      // of the term, at its last word; 0 elsewhere
	starting     bitset     // first words of terms
	byFirstByte  [256][]int // words by their first byte
	state        bitset     // words up to which a term matches the text read so far
	matching     bitset     // words that match the last word of the text
	wordStarts   []int      // ring: where the last words of the text start
	candidates   *candidateScan
	borderWords  bool   // there are terms with a borderWord
	word         []byte // scratch: the last word of the text, folded
}

// termGroup is a [Group] with its terms by number.
type termGroup struct{ all, not []int }

type bitset []uint64

func (b bitset) set(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) any() bool { return slices.ContainsFunc(b, func(w uint64) bool { return w != 0 }) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// NewMatcher returns a matcher for the groups of a query, of which one must
// match. Without groups every text matches.
func NewMatcher(groups []Group) *Matcher {
	m := &Matcher{}
	terms := Terms(groups)
	m.marked = len(terms)
	index := func(t Term) int {
		i := slices.Index(terms, t)
		if i < 0 {
			i, terms = len(terms), append(terms, t)
		}
		return i
	}
	for _, g := range groups {
		var c termGroup
		for _, t := range g.All {
			c.all = append(c.all, index(t))
		}
		for _, t := range g.Not {
			c.not = append(c.not, index(t))
		}
		m.groups = append(m.groups, c)
	}
	words, longest := 0, 1
	for _, t := range terms {
		c := t.compile()
		m.terms = append(m.terms, c)
		words += len(c.words)
		m.borderWords = m.borderWords || c.borderWord != ""
		longest = max(longest, len(c.words))
	}
	m.starting = make(bitset, words/64+1)
	m.state = make(bitset, words/64+1)
	m.matching = make(bitset, words/64+1)
	m.wordStarts = make([]int, longest)
	for i, c := range m.terms {
		for j, w := range c.words {
			p := len(m.words)
			if j == 0 {
				m.starting.set(p)
			}
			n, last := 0, j == len(c.words)-1
			if last {
				n = len(c.words)
			}
			m.words = append(m.words, w)
			m.termOf = append(m.termOf, i)
			m.phraseLength = append(m.phraseLength, n)
			m.prefixes = append(m.prefixes, last && c.prefix)
			m.byFirstByte[w[0]] = append(m.byFirstByte[w[0]], p)
		}
	}
	m.candidates = m.newCandidateScan()
	return m
}

// Match reports whether the texts together, the parts of one message, match the
// query. A phrase does not reach from one text into the next.
func (m *Matcher) Match(texts ...string) bool {
	found := make([]bool, len(m.terms))
	missing := len(found)
	for _, text := range texts {
		m.eachOccurrence(text, len(m.terms), func(term, _, _ int) bool {
			if !found[term] {
				found[term] = true
				missing--
			}
			return missing > 0
		})
	}
	if len(m.groups) == 0 {
		return true
	}
	isFound := func(term int) bool { return found[term] }
	for _, g := range m.groups {
		if !slices.ContainsFunc(g.all, func(term int) bool { return !found[term] }) && !slices.ContainsFunc(g.not, isFound) {
			return true
		}
	}
	return false
}

// occurrence is a match of a term: text[start:end].
type occurrence struct{ term, start, end int }

// occurrences returns all matches of the terms that are marked, by their start.
func (m *Matcher) occurrences(text string) []occurrence {
	var found []occurrence
	m.eachOccurrence(text, m.marked, func(term, start, end int) bool {
		found = append(found, occurrence{term, start, end})
		return true
	})
	slices.SortStableFunc(found, func(a, b occurrence) int { return a.start - b.start })
	return found
}

// eachOccurrence calls hit for every match of terms[:n] in text until a call
// returns false. Matches of words come in order of their end, after those of
// substrings.
func (m *Matcher) eachOccurrence(text string, n int, hit func(term, start, end int) bool) {
	for i, c := range m.terms[:n] {
		if c.substring && !c.eachSubstring(text, func(start, end int) bool { return hit(i, start, end) }) {
			return
		}
	}
	if len(m.words) == 0 {
		return
	}
	clear(m.state)
	m.candidates.reset()
	for i, count := 0, 0; ; count++ {
		var start int
		if !m.state.any() {
			i = m.skipToCandidate(text, i)
		}
		start, i, m.word = nextWord(text, i, m.word[:0])
		if start == len(text) || len(m.word) == 0 {
			return
		}
		if m.borderWords && asciiPrefix(text[start:i]) < i-start && !m.eachBorderWord(text, start, i, n, hit) {
			return
		}
		m.wordStarts[count%len(m.wordStarts)] = start
		words := m.byFirstByte[m.word[0]]
		if len(words) == 0 {
			clear(m.state)
			continue
		}
		clear(m.matching)
		for _, p := range words {
			if w := m.words[p]; string(m.word) == w || m.prefixes[p] && len(m.word) > len(w) && string(m.word[:len(w)]) == w {
				m.matching.set(p)
			}
		}
		carry := uint64(0)
		for j := range m.state {
			next := m.state[j] >> 63
			m.state[j] = (m.state[j]<<1 | carry | m.starting[j]) & m.matching[j]
			carry = next
		}
		for _, p := range words {
			if m.phraseLength[p] == 0 || m.termOf[p] >= n || !m.state.has(p) {
				continue
			}
			c := &m.terms[m.termOf[p]]
			start := m.wordStarts[(count-m.phraseLength[p]+1)%len(m.wordStarts)]
			if !strings.HasSuffix(text[:start], c.leading) || !strings.HasPrefix(text[i:], c.trailing) {
				continue
			}
			if !hit(m.termOf[p], start-len(c.leading), i+len(c.trailing)) {
				return
			}
		}
	}
}

// eachBorderWord calls hit for the occurrences of terms[:n] in a word, text[start:end],
// that begin or end beside a script without spaces, until a call returns false, which
// it then returns too.
func (m *Matcher) eachBorderWord(text string, start, end, n int, hit func(term, start, end int) bool) bool {
	for i := start; i < end; {
		from := i
		for i < end {
			r, size := utf8.DecodeRuneInString(text[i:])
			if IsUnspaced(r) {
				break
			}
			i += size
		}
		if run := text[from:i]; run != "" && len(run) < end-start {
			for k := range m.terms[:n] {
				if m.terms[k].isBorderWord(run, from == start) && !hit(k, from, i) {
					return false
				}
			}
		}
		for i < end {
			r, size := utf8.DecodeRuneInString(text[i:])
			if !IsUnspaced(r) {
				break
			}
			i += size
		}
	}
	return true
}

// isBorderWord reports whether the term is found in a run of characters of a word
// that are not of a script without spaces. At the start of the word the run is
// compared as the word index has it, behind such a script as it is stored.
func (c *compiledTerm) isBorderWord(run string, atStart bool) bool {
	switch {
	case c.borderWord == "" || atStart && c.prefix: // a prefix is found as a word
		return false
	case atStart:
		_, _, folded := nextWord(run, 0, nil)
		return string(folded) == c.borderWord
	case len(run) < len(c.borderWord) || len(run) > len(c.borderWord) && !c.prefix:
		return false
	}
	for i := range len(c.borderWord) {
		if b := run[i]; b >= utf8.RuneSelf || foldedASCII[b] != c.borderWord[i] {
			return false
		}
	}
	return true
}

// Mark splits text into spans that match the terms and spans between them. The
// spans together are the text, byte for byte.
func (m *Matcher) Mark(text string) []Span {
	found := m.occurrences(text)
	out := make([]Span, 0, 2*len(found)+1)
	done := 0
	for _, p := range found {
		if p.end <= done {
			continue
		}
		if n := len(out); p.start <= done && n > 0 && out[n-1].Hit { // touching or overlapping
			out[n-1].Text = text[done-len(out[n-1].Text) : p.end]
		} else {
			if p.start > done {
				out = append(out, Span{Text: text[done:p.start]})
			}
			out = append(out, Span{Text: text[max(done, p.start):p.end], Hit: true})
		}
		done = p.end
	}
	if done < len(text) {
		out = append(out, Span{Text: text[done:]})
	}
	return out
}

// eachSubstring calls hit for every place at which a substring stands until a
// call returns false, which it then returns too.
func (c *compiledTerm) eachSubstring(text string, hit func(start, end int) bool) bool {
	if c.exact != "" {
		for i := 0; ; {
			j := strings.Index(text[i:], c.exact)
			if j < 0 {
				return true
			}
			if !hit(i+j, i+j+len(c.exact)) {
				return false
			}
			i += j + len(c.exact)
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if Fold(r) == c.runes[0] {
			if end := c.substringAt(text, i); end > 0 {
				if !hit(i, end) {
					return false
				}
				i = end
				continue
			}
		}
		i += size
	}
	return true
}

// substringAt returns the end of a substring that stands at i, 0 for none.
func (c *compiledTerm) substringAt(text string, i int) int {
	for _, want := range c.runes {
		r, size := utf8.DecodeRuneInString(text[i:])
		if size == 0 || Fold(r) != want {
			return 0
		}
		i += size
	}
	return i
}
