package model

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// form is how a term is looked for.
type form struct {
	anywhere    bool     // as a stretch of text, not as words
	words       []string // folded; empty if anywhere
	lead, trail string   // symbols that stand before and after the words
	prefix      bool     // the last word may go on
	text        []rune   // folded, if anywhere
	caseless    string   // the text where folding changes nothing, if anywhere
}

func (t Term) form() form {
	var f form
	first, last := -1, 0
	for i := 0; ; {
		start, end, word := nextWord(t.Text, i, nil)
		if start == len(t.Text) {
			break
		}
		if first < 0 {
			first = start
		}
		f.words = append(f.words, string(word))
		i, last = end, end
	}
	if first < 0 || strings.ContainsFunc(t.Text, isUnspaced) {
		f = form{anywhere: true, caseless: t.Text}
		for _, r := range t.Text {
			f.text = append(f.text, fold(r))
			if fold(r) != r || unicode.SimpleFold(r) != r || 'a' <= r && r <= 'z' {
				f.caseless = ""
			}
		}
		return f
	}
	f.lead, f.trail = t.Text[:first], t.Text[last:]
	f.prefix = t.Prefix && f.trail == ""
	return f
}

// Words gives the folded words of a term that is looked for as words, nil for
// one that is looked for anywhere in the text.
func (t Term) Words() []string { return t.form().words }

// Symbols reports whether the term has symbols before its first or after its
// last word, which an index of words knows nothing of.
func (t Term) Symbols() bool {
	f := t.form()
	return f.lead != "" || f.trail != ""
}

// Leads reports whether the term has symbols before its first word.
func (t Term) Leads() bool { return t.form().lead != "" }

// Trails reports whether the term has symbols behind its last word.
func (t Term) Trails() bool { return t.form().trail != "" }

// Edge is how characters begin where a symbol of a term meets a word. Text may
// end within a character. Fits reports whether its last two and the next, or
// three that begin so, may be a place of the term; they are in lower case. It is
// nil where all may.
type Edge struct {
	Text string
	Fits func(three []byte) bool
}

// Edges gives what stands where the symbols of a term meet its words: the last
// symbols before the first word with the letters that may follow them, or the
// letters and marks that may stand before the first symbol after the last word.
// Letters are all that are compared as equal, capitals aside, and what the term
// has as JSON spells it. symbols are those that they have, none where the term
// has none.
func (t Term) Edges() (edges []Edge, symbols []rune) {
	f := t.form()
	switch {
	case f.lead != "":
		return t.leadingEdges(f)
	case f.trail != "":
		return t.trailingEdges(f)
	}
	return nil, nil
}

// leadingEdges gives the last symbols before the first word with the letters that
// may follow them. Only symbols that are stored in one way are sure to stand there
// as they are typed: the edges begin behind the last that may have several.
func (t Term) leadingEdges(f form) (edges []Edge, symbols []rune) {
	lead := f.lead
	if i := strings.LastIndexFunc(lead, varies); i >= 0 {
		_, size := utf8.DecodeRuneInString(lead[i:])
		if lead = lead[i:]; len(lead) > size {
			lead = lead[size:]
		}
	}
	first, size := utf8.DecodeRuneInString(f.words[0])
	next, more := utf8.DecodeRuneInString(f.words[0][size:])
	goesOn := f.prefix && len(f.words) == 1
	fits := func(three []byte) bool {
		r, _ := utf8.DecodeLastRune(three)
		return r == '\\' || r >= utf8.RuneSelf || more > 0 && fold(r) == next || more == 0 && (goesOn || !isWord(r))
	}
	for _, r := range equals(first) {
		edges = append(edges, Edge{lead + string(r), fits})
	}
	if r, _ := utf8.DecodeRuneInString(t.Text[len(f.lead):]); r >= utf8.RuneSelf { // as JSON spells it
		edges = append(edges, Edge{lead + `\`, func(three []byte) bool { return three[len(three)-1] == 'u' }})
	}
	return edges, []rune(lead)
}

// trailingEdges gives the letters, digits of escapes, and marks that may stand
// before the first symbol after the last word, with that symbol.
func (t Term) trailingEdges(f form) (edges []Edge, symbols []rune) {
	symbol, size := utf8.DecodeRuneInString(f.trail)
	var fits func(three []byte) bool
	if next, more := utf8.DecodeRuneInString(f.trail[size:]); more > 0 {
		fits = func(three []byte) bool {
			r, _ := utf8.DecodeLastRune(three)
			return r == '\\' || fold(r) == fold(next)
		}
	}
	last, _ := utf8.DecodeLastRuneInString(f.words[len(f.words)-1])
	for _, r := range equals(last) {
		edges = append(edges, Edge{string(r) + string(symbol), fits})
	}
	typed, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(t.Text, f.trail))
	if typed >= utf8.RuneSelf { // as JSON spells it: in hexadecimal
		for _, r := range []rune{typed, unicode.ToLower(typed), unicode.ToUpper(typed), unicode.ToTitle(typed)} {
			edges = append(edges, Edge{string("0123456789abcdef"[r&15]) + string(symbol), fits})
		}
	}
	edges = append(edges, Edge{string(marks[0])[:1], func(three []byte) bool { // as all marks begin
		r, size := utf8.DecodeRune(three)
		second, _ := utf8.DecodeRune(three[size:])
		return isMark(r) && fold(second) == fold(symbol) && (fits == nil || fits(three))
	}})
	return edges, []rune{symbol}
}

// Spaced gives the text of a term that is looked for as words with one space
// between them, as they mostly stand, and its words folded.
func (t Term) Spaced() string {
	f := t.form()
	return f.lead + strings.Join(f.words, " ") + f.trail
}

// varies reports whether a symbol may be stored in other ways than it is typed,
// but for JSON's escapes.
func varies(r rune) bool {
	return r < ' ' || 0x7f <= r && r < 0xa0 || unicode.IsMark(r) || unicode.SimpleFold(r) != r || r == utf8.RuneError
}

// Matcher looks for the terms of a query in texts, by the same rules as FTS5's
// unicode61 tokenizer. It may be used by one goroutine at a time.
type Matcher struct {
	forms    []form
	positive int // forms[:positive] are to be marked
	groups   []group

	// All words of all forms stand in one row of places; a bit set holds the
	// places reached (Shift-And over words).
	word   []string
	prefix []bool
	owner  []int // form
	length []int // of the form's row, at its last place; 0 elsewhere
	first  bits  // places that begin a form
	byHead [256][]int
	state  bits
	here   bits
	starts []int // where the last words of the text begin, a ring
	stops  *stops
	buf    []byte
}

type group struct{ all, none []int } // forms

type bits []uint64

func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) any() bool      { return slices.ContainsFunc(b, func(w uint64) bool { return w != 0 }) }
func (b bits) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// Terms gives the terms that must match of groups, each once.
func Terms(groups []Group) []Term {
	var ts []Term
	for _, g := range groups {
		for _, t := range g.All {
			if !slices.Contains(ts, t) {
				ts = append(ts, t)
			}
		}
	}
	return ts
}

// Extensible reports whether the term ends in a word, so that more letters may
// follow.
func (t Term) Extensible() bool {
	f := t.form()
	return !f.anywhere && f.trail == ""
}

// NewMatcher prepares the search for the groups of a query.
func NewMatcher(groups []Group) *Matcher {
	m := &Matcher{}
	terms := Terms(groups)
	m.positive = len(terms)
	index := func(t Term) int {
		i := slices.Index(terms, t)
		if i < 0 {
			i, terms = len(terms), append(terms, t)
		}
		return i
	}
	for _, g := range groups {
		var c group
		for _, t := range g.All {
			c.all = append(c.all, index(t))
		}
		for _, t := range g.None {
			c.none = append(c.none, index(t))
		}
		m.groups = append(m.groups, c)
	}
	places, longest := 0, 1
	for _, t := range terms {
		f := t.form()
		m.forms = append(m.forms, f)
		places += len(f.words)
		longest = max(longest, len(f.words))
	}
	m.first, m.state, m.here = make(bits, places/64+1), make(bits, places/64+1), make(bits, places/64+1)
	m.starts = make([]int, longest)
	for i, f := range m.forms {
		for j, w := range f.words {
			p := len(m.word)
			if j == 0 {
				m.first.set(p)
			}
			n, last := 0, j == len(f.words)-1
			if last {
				n = len(f.words)
			}
			m.word, m.owner, m.length = append(m.word, w), append(m.owner, i), append(m.length, n)
			m.prefix = append(m.prefix, last && f.prefix)
			m.byHead[w[0]] = append(m.byHead[w[0]], p)
		}
	}
	m.stops = m.newStops()
	return m
}

// Match reports whether the texts together, the parts of one message, satisfy
// the query. A phrase does not reach from one text into the next.
func (m *Matcher) Match(texts ...string) bool {
	found := make([]bool, len(m.forms))
	left := len(found)
	for _, text := range texts {
		m.each(text, len(m.forms), func(f, _, _ int) bool {
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
		if !slices.ContainsFunc(g.all, func(f int) bool { return !found[f] }) && !slices.ContainsFunc(g.none, is) {
			return true
		}
	}
	return false
}

// place is a match of a form in a text.
type place struct{ form, start, end int }

// places gives all matches of what is to be marked, in order of their start.
func (m *Matcher) places(text string) []place {
	var ps []place
	m.each(text, m.positive, func(f, start, end int) bool {
		ps = append(ps, place{f, start, end})
		return true
	})
	slices.SortStableFunc(ps, func(a, b place) int { return a.start - b.start })
	return ps
}

// each calls hit for every match of forms[:n] in text until it says no.
func (m *Matcher) each(text string, n int, hit func(form, start, end int) bool) {
	for i, f := range m.forms[:n] {
		if f.anywhere && !f.each(text, func(start, end int) bool { return hit(i, start, end) }) {
			return
		}
	}
	if len(m.word) == 0 {
		return
	}
	clear(m.state)
	m.stops.from()
	for i, count := 0, 0; ; count++ {
		var start int
		if !m.state.any() {
			i = m.skip(text, i)
		}
		start, i, m.buf = nextWord(text, i, m.buf[:0])
		if start == len(text) || len(m.buf) == 0 {
			return
		}
		m.starts[count%len(m.starts)] = start
		heads := m.byHead[m.buf[0]]
		if len(heads) == 0 {
			clear(m.state)
			continue
		}
		clear(m.here)
		for _, p := range heads {
			if w := m.word[p]; string(m.buf) == w || m.prefix[p] && len(m.buf) > len(w) && string(m.buf[:len(w)]) == w {
				m.here.set(p)
			}
		}
		carry := uint64(0)
		for j := range m.state {
			next := m.state[j] >> 63
			m.state[j] = (m.state[j]<<1 | carry | m.first[j]) & m.here[j]
			carry = next
		}
		for _, p := range heads {
			if m.length[p] == 0 || m.owner[p] >= n || !m.state.has(p) {
				continue
			}
			f := &m.forms[m.owner[p]]
			start := m.starts[(count-m.length[p]+1)%len(m.starts)]
			if !strings.HasSuffix(text[:start], f.lead) || !strings.HasPrefix(text[i:], f.trail) {
				continue
			}
			if !hit(m.owner[p], start-len(f.lead), i+len(f.trail)) {
				return
			}
		}
	}
}

// stops are the next places of a text that the first word of a term may begin
// at: a letter that one begins with, or what is not ASCII. To look for each by
// itself is many times faster than to read all words.
type stops struct {
	letters []stop
	other   int // where what is not ASCII comes next
}

// stop is one of the letters.
type stop struct {
	led    string // the letter, in one of its cases, behind the symbols that must stand before it
	goesOn *pass  // what may follow it, 0 for what is in no word, nil for anything
	at     int    // where it comes next
}

// pass is a set of ASCII characters.
type pass [utf8.RuneSelf]bool

func (m *Matcher) newStops() *stops {
	s := &stops{other: -1}
	for c := range byte(utf8.RuneSelf) {
		var leads []string
		goesOn := &pass{}
		for _, p := range m.byHead[c] {
			if !m.first.has(p) {
				continue
			}
			leads = append(leads, m.forms[m.owner[p]].lead)
			switch w := m.word[p]; {
			case goesOn == nil:
			case len(w) > 1 && w[1] < utf8.RuneSelf:
				goesOn[w[1]] = true
			case len(w) == 1 && !m.prefix[p]:
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
		s.letters = append(s.letters, stop{led: lead + string(c), goesOn: goesOn})
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
			s.letters = append(s.letters, stop{led: lead + string(c), goesOn: goesOn})
		}
	}
	return s
}

// from starts with a new text.
func (s *stops) from() {
	s.other = -1
	for k := range s.letters {
		s.letters[k].at = -1
	}
}

// next gives the first stop at or after i, the end of the text if there is
// none.
func (s *stops) next(text string, i int) int {
	first := len(text)
	for k := range s.letters {
		l := &s.letters[k]
		if l.at < i {
			l.next(text, i)
		}
		first = min(first, l.at)
	}
	// Only so far, and a little further: the rest may never be looked at.
	for s.other < first && s.other < len(text) {
		from := max(s.other, i)
		n := asciiPrefix(text[from:min(from+lookOver, len(text))])
		if s.other = from + n; n < lookOver {
			break
		}
	}
	return min(first, s.other)
}

// lookOver is how many bytes are looked over at once for what is not ASCII.
const lookOver = 256

// next goes to the first place at or after i where the letter begins a word that
// may be wanted, or follows what is not ASCII.
func (l *stop) next(text string, i int) {
	for ; i < len(text); i++ {
		from := max(0, i-len(l.led)+1)
		n := strings.Index(text[from:], l.led)
		if n < 0 {
			break
		}
		i = from + n + len(l.led) - 1
		if i > 0 && text[i-1] < utf8.RuneSelf && ascii[text[i-1]] != 0 {
			continue // inside a word
		}
		if l.goesOn == nil {
			l.at = i
			return
		}
		if i+1 == len(text) {
			if l.goesOn[0] {
				l.at = i
				return
			}
			continue
		}
		if c := text[i+1]; c >= utf8.RuneSelf || l.goesOn[ascii[c]] {
			l.at = i
			return
		}
	}
	l.at = len(text)
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

// skip passes over words that begin like no first word of a term, from between
// two words, and gives where it stopped: i itself where the next word may be
// wanted.
func (m *Matcher) skip(text string, i int) int {
	at := m.stops.next(text, i)
	if at < len(text) && text[at] >= utf8.RuneSelf { // the word begins before it
		for at > i && text[at-1] < utf8.RuneSelf && ascii[text[at-1]] != 0 {
			at--
		}
	}
	for _, c := range []byte(text[i:at]) {
		if ascii[c&0x7f] != 0 {
			return at // behind a word
		}
	}
	return i
}

// each calls hit for every place of text where the form's text stands.
func (f *form) each(text string, hit func(start, end int) bool) bool {
	if f.caseless != "" {
		for i := 0; ; {
			j := strings.Index(text[i:], f.caseless)
			if j < 0 {
				return true
			}
			if !hit(i+j, i+j+len(f.caseless)) {
				return false
			}
			i += j + len(f.caseless)
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if fold(r) == f.text[0] {
			if end := f.at(text, i); end > 0 {
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

// at gives the end of the form's text in text if it stands at i, else 0.
func (f *form) at(text string, i int) int {
	for _, want := range f.text {
		r, size := utf8.DecodeRuneInString(text[i:])
		if size == 0 || fold(r) != want {
			return 0
		}
		i += size
	}
	return i
}

// Mark cuts text into pieces, so that those that match the terms can be marked.
// The pieces together are the text, byte for byte.
func (m *Matcher) Mark(text string) []Span {
	places := m.places(text)
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
