package model

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The query language. The lexer splits a text into elements, after control
// characters, invisible marks and damaged UTF-8 have become spaces:
//
//	text     = { space } { element { space } } .
//	element  = filter | exclusion | term | operator .
//	filter   = [ "-" ] field ":" value .
//	field    = "source" | "model" | "title" | … .   (* see FilterWords *)
//	value    = quoted | plain .                     (* understood by newFilter, else the element is text *)
//	exclusion = "-" term .                          (* a minus before "-" or ">" belongs to the word *)
//	term     = quoted | plain .
//	operator = "AND" | "OR" | "NOT" .               (* in upper case *)
//	quoted   = '"' { character - '"' } ( '"' { "*" } | end of text ) .
//	plain    = character { character } .            (* neither space nor '"'; a star at its end: may go on *)
//
// Spaces between elements may be missing where a quote begins or ends one. The
// filters hold for the whole query, wherever they stand; NOT before a filter is
// its minus. The other elements combine with FTS5's precedence, words that stand
// together binding most:
//
//	query        = alternative { "OR" alternative } .
//	alternative  = conjunct { "AND" conjunct } .
//	conjunct     = group { "NOT" group } .
//	group        = ( term | exclusion ) { term | exclusion } .
//
// Operators at either end are passed over, and of several in a row NOT counts,
// else OR, else AND.

// Query is what a person typed into the search line, understood. There are no
// errors: whatever was typed means something. The zero value matches all.
type Query struct {
	Text    string   // as typed
	Groups  []Group  // alternatives (OR); a match satisfies at least one
	Filters []Filter // hold for all groups
	Pieces  []Piece  // of Text, in their order; what is not in one means nothing
}

// Piece is a stretch of a query's text: Text[Start:End].
type Piece struct {
	Start, End int // bytes
	Kind       PieceKind
	Field      FilterField // of a filter, also of one that is not understood (yet)
	Value      int         // where the value of a filter begins
	Hint       string      // what a person should know about how it is understood, "" for nothing
}

// PieceKind says what a piece of a query is.
type PieceKind int

// The kinds of pieces.
const (
	PieceWord     PieceKind = iota
	PiecePhrase             // in quotes
	PieceWithout            // a word or a phrase that may not occur
	PieceOperator           // AND, OR, NOT
	PieceFilter             // a filter in force
	PieceBegun              // a filter without a value that says anything yet: it is passed over
	PieceNoise              // punctuation, passed over
)

// Group is one alternative: every term of All and no term of None. All is
// never empty.
type Group struct {
	All  []Term
	None []Term
}

// Term is a word or a phrase to look for.
//
// Its words must follow one another as FTS5's tokenizer sees them; symbols
// before the first and after the last (.env, C#, --flag) must stand there too,
// symbols between words only part them. A term without words (🚀), or in a
// script without spaces, is looked for anywhere in the text.
type Term struct {
	Text   string // as typed, without quotes, star and sentence punctuation
	Prefix bool   // the last word may go on: a star, or still being typed
}

// Empty reports whether there is nothing to look for. Filters alone list.
func (q Query) Empty() bool { return len(q.Groups) == 0 }

// Terms gives the terms to mark in what was found, each once.
func (q Query) Terms() []Term { return Terms(q.Groups) }

// Hints gives what a person should know about how the query is understood.
func (q Query) Hints() []string {
	var all []string
	for _, p := range q.Pieces {
		if p.Hint != "" && !slices.Contains(all, p.Hint) {
			all = append(all, p.Hint)
		}
	}
	return all
}

// String prints how the query was understood, in the query language: parsed
// again, it gives the same groups and filters.
func (q Query) String() string {
	var b strings.Builder
	for i, g := range q.Groups {
		if i > 0 {
			b.WriteString(" OR ")
		}
		for j, t := range g.All {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(FormatTerm(t))
		}
		for _, t := range g.None {
			b.WriteString(" -" + FormatTerm(t))
		}
	}
	for i, f := range q.Filters {
		if i > 0 || len(q.Groups) > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(f.String())
	}
	return b.String()
}

// FormatTerm gives a term as the query language has it.
func FormatTerm(t Term) string {
	s := t.Text
	_, _, filter := cutField(s)
	plain := !filter && trimWord(s) == s && operator(s) == term && (s[0] != '-' || strings.HasPrefix(s, "--")) && !strings.ContainsFunc(s, unicode.IsSpace)
	if !plain {
		s = `"` + s + `"`
	}
	if t.Prefix {
		s += "*"
	}
	return s
}

// What is longer or has more parts than anybody types is a paste: its
// beginning is looked for. The limits keep a query within what FTS5 parses.
const (
	maxQuery   = 2048 // bytes
	maxTerms   = 48
	maxGroups  = 32
	maxFilters = 32
)

type operation int

const (
	term operation = iota
	and
	or
	not
)

// item is a piece of the typed text that takes part in what is looked for.
type item struct {
	op    operation
	term  Term
	minus bool // -word
	weak  bool // only punctuation: noise beside words
	piece int  // in the query's pieces
}

// ParseQuery understands what was typed, by the grammar at the top of this
// file. typing says that the last word may not be finished. There is no invalid
// input: an operator without its word is passed over, a query of nothing but
// operators, minuses or punctuation looks for these themselves, and what only
// looks like a filter is text.
func ParseQuery(text string, typing bool) Query {
	l := lexer{typing: typing, query: Query{Text: text}}
	l.lex(legible(text))
	items := l.items
	if !slices.ContainsFunc(items, func(it item) bool { return it.op == term && !it.minus && !it.weak }) {
		for _, it := range items {
			if p := &l.query.Pieces[it.piece]; it.minus && p.Kind == PieceWithout {
				p.Kind = PieceWord
				p.Hint = "there is nothing to leave it out of: " + text[p.Start:p.End] + " is looked for as it stands"
			}
		}
		items = literal(items)
	}
	items = slices.DeleteFunc(items, func(it item) bool { return it.weak })
	l.query.Groups = alternatives(items)
	return l.query
}

// legible puts spaces in the place of what is not meant, byte for byte, so
// that all other characters keep their places.
func legible(text string) string {
	if len(text) > maxQuery {
		text = text[:maxQuery]
		for i := 1; i < utf8.UTFMax && i <= len(text); i++ { // a character that was cut
			if c := text[len(text)-i]; utf8.RuneStart(c) {
				if !utf8.FullRuneInString(text[len(text)-i:]) {
					text = text[:len(text)-i]
				}
				break
			}
		}
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 || unicode.IsControl(r) || invisible(r) {
			b.WriteString("   "[:size])
		} else {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// lexer splits a text into terms, operators and filters. It follows the grammar
// at the top of this file: filter, phrase and word each take one element from
// the beginning of a text and give its length, 0 where it is no such element.
type lexer struct {
	typing bool
	terms  int
	items  []item
	query  Query // its pieces and filters
}

// lex takes the elements of a text one after the other, up to maxTerms terms.
func (l *lexer) lex(text string) {
	for pos := 0; l.terms < maxTerms; {
		rest := strings.TrimLeftFunc(text[pos:], unicode.IsSpace)
		if rest == "" {
			return
		}
		pos = len(text) - len(rest)
		n := l.filter(rest, pos)
		if n == 0 {
			n = l.phrase(rest, pos)
		}
		if n == 0 {
			n = l.word(rest, pos)
		}
		pos += n
	}
}

// cutMinus takes the minus of an exclusion off an element. In --flag and -> it
// is a part of the word.
func cutMinus(text string) (rest string, minus bool) {
	if len(text) > 1 && text[0] == '-' && text[1] != '-' && text[1] != '>' {
		return text[1:], true
	}
	return text, false
}

// plain gives what stands at the beginning of text before a space or a quote.
func plain(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' }); end >= 0 {
		return text[:end]
	}
	return text
}

// phrase takes a phrase in quotes. An open quote ends with the text, and an
// empty phrase looks for nothing.
func (l *lexer) phrase(text string, start int) int {
	rest, minus := cutMinus(text)
	if rest[0] != '"' {
		return 0
	}
	s, after, closed := strings.Cut(rest[1:], `"`)
	t := Term{Text: strings.TrimSpace(s), Prefix: l.typing && !closed && !minus}
	if strings.HasPrefix(after, "*") {
		t.Prefix, after = true, strings.TrimLeft(after, "*")
	}
	n := len(text) - len(after)
	if t.Text == "" {
		l.piece(start, start+n, PieceNoise)
	} else {
		l.add(item{term: t, minus: minus}, PiecePhrase, start, start+n)
	}
	return n
}

// word takes a word or an operator.
func (l *lexer) word(text string, start int) int {
	rest, minus := cutMinus(text)
	word := plain(rest)
	end := start + len(text) - len(rest) + len(word)
	op, meant := operator(word), trimWord(word)
	star := strings.HasSuffix(word, "*")
	unfinished := l.typing && len(word) == len(rest)
	switch {
	case minus && (op != term || meant == ""): // "-", "-OR": a dash
		l.add(item{term: Term{Text: "-" + word}, weak: op == term}, PieceWord, start, end)
	case minus: // excluding all that begins with an unfinished word would flicker
		l.add(item{term: Term{Text: meant, Prefix: star}, minus: true}, PieceWord, start, end)
	case op != term:
		l.add(item{op: op, term: Term{Text: word, Prefix: unfinished}}, PieceOperator, start, end)
	case meant != "":
		l.add(item{term: Term{Text: meant, Prefix: unfinished || star}}, PieceWord, start, end)
	case strings.Trim(word, "*") == "" || unfinished && word == "-": // on its way to a word
		l.piece(start, end, PieceNoise)
	default:
		l.add(item{term: Term{Text: strings.ReplaceAll(word, "*", "")}, weak: true}, PieceWord, start, end)
	}
	return end - start
}

// add takes in an element that may be looked for.
func (l *lexer) add(it item, kind PieceKind, start, end int) {
	it.term.Prefix = it.term.Prefix && it.term.Extensible()
	if it.op == term {
		l.terms++
	}
	switch {
	case it.weak:
		kind = PieceNoise
	case it.minus:
		kind = PieceWithout
	}
	it.piece = l.piece(start, end, kind)
	if kind == PieceWord {
		l.query.Pieces[it.piece].Hint = unknownFilter(l.query.Text[start:end])
	}
	l.items = append(l.items, it)
}

// piece adds a piece to the query and gives its number.
func (l *lexer) piece(start, end int, kind PieceKind) int {
	l.query.Pieces = append(l.query.Pieces, Piece{Start: start, End: end, Kind: kind})
	return len(l.query.Pieces) - 1
}

// filter takes a filter from the beginning of text and gives its length, 0
// where there is none. A value that is not understood makes the whole of it
// text, unless it is still being typed.
func (l *lexer) filter(text string, start int) int {
	minus, rest := false, text
	if rest[0] == '-' {
		minus, rest = true, rest[1:]
	}
	word, value, ok := cutField(rest)
	if !ok || len(l.query.Filters) == maxFilters {
		return 0
	}
	begin := len(text) - len(value)
	typing := false
	if after, quoted := strings.CutPrefix(value, `"`); quoted {
		s, more, closed := strings.Cut(after, `"`)
		typing = l.typing && !closed
		value, rest = strings.TrimSpace(s), strings.TrimLeft(more, "*")
		if len(rest) < len(more) {
			value += "*"
		}
	} else {
		rest = value
		value = plain(rest)
		rest = rest[len(value):]
		typing = l.typing && rest == ""
	}
	n := len(text) - len(rest)
	f, hint, ok := newFilter(word, value, typing)
	p := Piece{Start: start, End: start + n, Kind: PieceFilter, Field: word.Field, Value: start + begin}
	// NOT before a filter is its minus.
	switch {
	case ok:
		if last := len(l.items) - 1; last >= 0 && l.items[last].op == not {
			minus, l.items = !minus, l.items[:last]
		} else if last >= 0 && l.items[last].op == or {
			p.Hint = "OR joins words only: " + string(word.Field) + ": holds for all of them"
		}
		f.Not = minus
		if !slices.Contains(l.query.Filters, f) {
			l.query.Filters = append(l.query.Filters, f)
		}
	case typing:
		p.Kind = PieceBegun
		if hint != "" {
			p.Hint = string(word.Field) + ": " + hint
		}
	default:
		return 0 // text; unknownFilter tells why
	}
	l.query.Pieces = append(l.query.Pieces, p)
	return n
}

// cutField parts a filter word from what is behind its colon.
func cutField(s string) (word FilterWord, rest string, ok bool) {
	name, rest, ok := strings.Cut(s, ":")
	if !ok || name == "" || len(name) > 8 {
		return FilterWord{}, "", false
	}
	word, ok = wordOf(name)
	return word, rest, ok
}

// unknownFilter gives the quiet hint for a word that looks like a filter and
// is none: unknown names and values are text.
func unknownFilter(s string) string {
	name, value, ok := strings.Cut(s, ":")
	letters := func(r rune) bool { return r < 'a' || r > 'z' }
	if !ok || len(name) < 2 || strings.ContainsFunc(name, letters) || strings.HasPrefix(value, "//") {
		return ""
	}
	word, known := wordOf(name)
	switch {
	case !known && value == "":
		return ""
	case !known:
		return name + ": is no filter: taken as text"
	case value == "":
		return name + ": wants its value right behind the colon"
	}
	_, hint, _ := newFilter(word, value, false)
	return name + ": " + hint + ": " + s + " is taken as text"
}

// invisible reports whether r is a mark that a paste brings along and nobody
// means: zero-width spaces and direction marks. The joiners of emoji are not.
func invisible(r rune) bool {
	switch {
	case r == 0xfeff, r == 0x200b, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2069:
		return true
	}
	return false
}

func operator(word string) operation {
	switch word {
	case "AND":
		return and
	case "OR":
		return or
	case "NOT":
		return not
	}
	return term
}

// trimWord takes away the punctuation of sentences, brackets and quotes around
// a word and leaves symbols that are part of what is meant: .env, C#, $HOME,
// --flag, 100%, ~/x. It gives "" for nothing but ASCII or Unicode punctuation.
func trimWord(w string) string {
	const around = "\"'`,;:!?()[]{}<>|=*^_“”„‘’«»‹›…、。，．；：！？（）「」『』【】《》〈〉・¿¡"
	w = strings.TrimLeft(w, around)
	w = strings.TrimRight(w, around+`./\`)
	if !strings.ContainsFunc(w, func(r rune) bool { return isWord(r) || r >= utf8.RuneSelf && !unicode.IsPunct(r) }) {
		return ""
	}
	return w
}

// literal makes text of items that hold no word to look for: there is nothing
// to exclude from or to combine.
func literal(items []item) []item {
	terms := slices.ContainsFunc(items, func(it item) bool { return it.op == term })
	var out []item
	for _, it := range items {
		if it.op != term && terms {
			continue
		}
		if it.minus {
			it.term.Text = "-" + it.term.Text
		}
		out = append(out, item{term: it.term})
	}
	return out
}

// alternatives combines the items into groups.
func alternatives(items []item) []Group {
	isOp := func(it item) bool { return it.op != term }
	for len(items) > 0 && isOp(items[0]) {
		items = items[1:]
	}
	for len(items) > 0 && isOp(items[len(items)-1]) {
		items = items[:len(items)-1]
	}
	var any []Group // OR
	var all []Group // AND
	op, first := or, true
	for i := 0; i < len(items); {
		end := i
		list := Group{}
		for ; end < len(items) && !isOp(items[end]); end++ {
			if it := items[end]; it.minus {
				list.None = addTerm(list.None, it.term)
			} else {
				list.All = addTerm(list.All, it.term)
			}
		}
		switch {
		case first:
			all = []Group{list}
		case op == or:
			any = append(any, all...)
			all = []Group{list}
		case op == and:
			all = both(all, []Group{list})
		case op == not:
			all = both(all, negated(list))
		}
		first, op = false, and
		for ; end < len(items) && isOp(items[end]); end++ {
			op = max(op, items[end].op) // of several operators NOT says most, then OR
		}
		i = end
	}
	any = append(any, all...)
	out := any[:0]
	for _, g := range any {
		same := func(o Group) bool { return slices.Equal(o.All, g.All) && slices.Equal(o.None, g.None) }
		if len(g.All) > 0 && len(out) < maxGroups && !slices.ContainsFunc(out, same) {
			out = append(out, g)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// both gives every combination of two sets of alternatives.
func both(a, b []Group) []Group {
	var out []Group
	for _, x := range a {
		for _, y := range b {
			if len(out) == 4*maxGroups {
				return out
			}
			g := Group{All: slices.Clone(x.All), None: slices.Clone(x.None)}
			for _, t := range y.All {
				g.All = addTerm(g.All, t)
			}
			for _, t := range y.None {
				g.None = addTerm(g.None, t)
			}
			out = append(out, g)
		}
	}
	return out
}

// negated gives what is not g.
func negated(g Group) []Group {
	var out []Group
	for _, t := range g.All {
		out = append(out, Group{None: []Term{t}})
	}
	for _, t := range g.None {
		out = append(out, Group{All: []Term{t}})
	}
	return out
}

func addTerm(ts []Term, t Term) []Term {
	if slices.Contains(ts, t) {
		return ts
	}
	return append(ts, t)
}
