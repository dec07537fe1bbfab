package match

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// compiledTerm is how a term is looked for.
type compiledTerm struct {
	substring         bool     // as a stretch of text, not as words
	words             []string // folded; empty if anywhere
	leading, trailing string   // symbols that stand before and after the words
	prefix            bool     // the last word may go on
	runes             []rune   // folded, if anywhere
	exact             string   // the text where folding changes nothing, if anywhere
}

// Matcher looks for the terms of a query in texts, by the same rules as FTS5's
// unicode61 tokenizer. It may be used by one goroutine at a time.
type Matcher struct {
	terms  []compiledTerm
	marked int // forms[:positive] are to be marked
	groups []termGroup

	// All words of all forms stand in one row of places; a bit set holds the
	// places reached (Shift-And over words).
	words        []string
	prefixes     []bool
	termOf       []int  // form
	phraseLength []int  // of the form's row, at its last place; 0 elsewhere
	starting     bitset // places that begin a form
	byFirstByte  [256][]int
	state        bitset
	matching     bitset
	wordStarts   []int // where the last words of the text begin, a ring
	candidates   *candidateScan
	word         []byte
}

type termGroup struct{ all, not []int } // forms

type bitset []uint64

func (b bitset) set(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) any() bool { return slices.ContainsFunc(b, func(w uint64) bool { return w != 0 }) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// NewMatcher prepares the search for the groups of a query.
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
	places, longest := 0, 1
	for _, t := range terms {
		f := t.compile()
		m.terms = append(m.terms, f)
		places += len(f.words)
		longest = max(longest, len(f.words))
	}
	m.starting, m.state, m.matching = make(bitset, places/64+1), make(bitset, places/64+1), make(bitset, places/64+1)
	m.wordStarts = make([]int, longest)
	for i, f := range m.terms {
		for j, w := range f.words {
			p := len(m.words)
			if j == 0 {
				m.starting.set(p)
			}
			n, last := 0, j == len(f.words)-1
			if last {
				n = len(f.words)
			}
			m.words, m.termOf, m.phraseLength = append(m.words, w), append(m.termOf, i), append(m.phraseLength, n)
			m.prefixes = append(m.prefixes, last && f.prefix)
			m.byFirstByte[w[0]] = append(m.byFirstByte[w[0]], p)
		}
	}
	m.candidates = m.newCandidateScan()
	return m
}

// Match reports whether the texts together, the parts of one message, satisfy
// the query. A phrase does not reach from one text into the next.
func (m *Matcher) Match(texts ...string) bool {
	found := make([]bool, len(m.terms))
	left := len(found)
	for _, text := range texts {
		m.eachOccurrence(text, len(m.terms), func(f, _, _ int) bool {
			if !found[f] {
				found[f] = true
				left--
			}
			return left > 0
		})
	}
	if len(m.groups) == 0 {
		return true
	}
	is := func(f int) bool { return found[f] }
	for _, g := range m.groups {
		if !slices.ContainsFunc(g.all, func(f int) bool { return !found[f] }) && !slices.ContainsFunc(g.not, is) {
			return true
		}
	}
	return false
}

// occurrence is a match of a form in a text.
type occurrence struct{ term, start, end int }

// occurrences gives all matches of what is to be marked, in order of their start.
func (m *Matcher) occurrences(text string) []occurrence {
	var ps []occurrence
	m.eachOccurrence(text, m.marked, func(f, start, end int) bool {
		ps = append(ps, occurrence{f, start, end})
		return true
	})
	slices.SortStableFunc(ps, func(a, b occurrence) int { return a.start - b.start })
	return ps
}

// eachOccurrence calls hit for every match of forms[:n] in text until it says no.
func (m *Matcher) eachOccurrence(text string, n int, hit func(form, start, end int) bool) {
	for i, f := range m.terms[:n] {
		if f.substring && !f.eachSubstring(text, func(start, end int) bool { return hit(i, start, end) }) {
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
		m.wordStarts[count%len(m.wordStarts)] = start
		heads := m.byFirstByte[m.word[0]]
		if len(heads) == 0 {
			clear(m.state)
			continue
		}
		clear(m.matching)
		for _, p := range heads {
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
		for _, p := range heads {
			if m.phraseLength[p] == 0 || m.termOf[p] >= n || !m.state.has(p) {
				continue
			}
			f := &m.terms[m.termOf[p]]
			start := m.wordStarts[(count-m.phraseLength[p]+1)%len(m.wordStarts)]
			if !strings.HasSuffix(text[:start], f.leading) || !strings.HasPrefix(text[i:], f.trailing) {
				continue
			}
			if !hit(m.termOf[p], start-len(f.leading), i+len(f.trailing)) {
				return
			}
		}
	}
}

// candidateScan are the next places of a text that the first word of a term may begin
// at: a letter that one begins with, or what is not ASCII. To look for each by
// itself is many times faster than to read all words.
type candidateScan struct {
	firstBytes []firstByte
	nonASCII   int // where what is not ASCII comes next
}

// firstByte is one of the letters.
type firstByte struct {
	pattern   string    // the letter, in one of its cases, behind the symbols that must stand before it
	followers *asciiSet // what may follow it, 0 for what is in no word, nil for anything
	pos       int       // where it comes next
}

// asciiSet is a set of ASCII characters.
type asciiSet [utf8.RuneSelf]bool

func (m *Matcher) newCandidateScan() *candidateScan {
	s := &candidateScan{nonASCII: -1}
	for c := range byte(utf8.RuneSelf) {
		var leads []string
		goesOn := &asciiSet{}
		for _, p := range m.byFirstByte[c] {
			if !m.starting.has(p) {
				continue
			}
			leads = append(leads, m.terms[m.termOf[p]].leading)
			switch w := m.words[p]; {
			case goesOn == nil:
			case len(w) > 1 && w[1] < utf8.RuneSelf:
				goesOn[w[1]] = true
			case len(w) == 1 && !m.prefixes[p]:
				goesOn[0] = true
			default:
				goesOn = nil
			}
		}
		if len(leads) == 0 {
			continue
		}
		lead := leads[0]
		if slices.ContainsFunc(leads, func(other string) bool { return other != lead }) {
			lead = ""
		}
		s.firstBytes = append(s.firstBytes, firstByte{pattern: lead + string(c), followers: goesOn})
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
			s.firstBytes = append(s.firstBytes, firstByte{pattern: lead + string(c), followers: goesOn})
		}
	}
	return s
}

// reset starts with a new text.
func (s *candidateScan) reset() {
	s.nonASCII = -1
	for k := range s.firstBytes {
		s.firstBytes[k].pos = -1
	}
}

// next gives the first stop at or after i, the end of the text if there is
// none.
func (s *candidateScan) next(text string, i int) int {
	first := len(text)
	for k := range s.firstBytes {
		l := &s.firstBytes[k]
		if l.pos < i {
			l.next(text, i)
		}
		first = min(first, l.pos)
	}
	// Only so far, and a little further: the rest may never be looked at.
	for s.nonASCII < first && s.nonASCII < len(text) {
		from := max(s.nonASCII, i)
		n := asciiPrefix(text[from:min(from+scanStep, len(text))])
		if s.nonASCII = from + n; n < scanStep {
			break
		}
	}
	return min(first, s.nonASCII)
}

// scanStep is how many bytes are looked over at once for what is not ASCII.
const scanStep = 256

// next goes to the first place at or after i where the letter begins a word that
// may be wanted, or follows what is not ASCII.
func (l *firstByte) next(text string, i int) {
	for ; i < len(text); i++ {
		from := max(0, i-len(l.pattern)+1)
		n := strings.Index(text[from:], l.pattern)
		if n < 0 {
			break
		}
		i = from + n + len(l.pattern) - 1
		if i > 0 && text[i-1] < utf8.RuneSelf && foldedASCII[text[i-1]] != 0 {
			continue // inside a word
		}
		if l.followers == nil {
			l.pos = i
			return
		}
		if i+1 == len(text) {
			if l.followers[0] {
				l.pos = i
				return
			}
			continue
		}
		if c := text[i+1]; c >= utf8.RuneSelf || l.followers[foldedASCII[c]] {
			l.pos = i
			return
		}
	}
	l.pos = len(text)
}

// asciiPrefix gives how many bytes of s are ASCII before one is not.
func asciiPrefix(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		if w&0x8080808080808080 != 0 {
			break
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// skipToCandidate passes over words that begin like no first word of a term, from between
// two words, and gives where it stopped: i itself where the next word may be
// wanted.
func (m *Matcher) skipToCandidate(text string, i int) int {
	at := m.candidates.next(text, i)
	if at < len(text) && text[at] >= utf8.RuneSelf { // the word begins before it
		for at > i && text[at-1] < utf8.RuneSelf && foldedASCII[text[at-1]] != 0 {
			at--
		}
	}
	for _, c := range []byte(text[i:at]) {
		if foldedASCII[c&0x7f] != 0 {
			return at // behind a word
		}
	}
	return i
}

// eachSubstring calls hit for every place of text where the form's text stands.
func (f *compiledTerm) eachSubstring(text string, hit func(start, end int) bool) bool {
	if f.exact != "" {
		for i := 0; ; {
			j := strings.Index(text[i:], f.exact)
			if j < 0 {
				return true
			}
			if !hit(i+j, i+j+len(f.exact)) {
				return false
			}
			i += j + len(f.exact)
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if Fold(r) == f.runes[0] {
			if end := f.substringAt(text, i); end > 0 {
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

// substringAt gives the end of the form's text in text if it stands at i, else 0.
func (f *compiledTerm) substringAt(text string, i int) int {
	for _, want := range f.runes {
		r, size := utf8.DecodeRuneInString(text[i:])
		if size == 0 || Fold(r) != want {
			return 0
		}
		i += size
	}
	return i
}

// Mark cuts text into pieces, so that those that match the terms can be marked.
// The pieces together are the text, byte for byte.
func (m *Matcher) Mark(text string) []Span {
	places := m.occurrences(text)
	out := make([]Span, 0, 2*len(places)+1)
	done := 0
	for _, p := range places {
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
