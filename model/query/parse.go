package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
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
	Text    string        // as typed
	Groups  []match.Group // alternatives (OR); a match satisfies at least one
	Filters []Filter      // hold for all groups
	Tokens  []Token       // of Text, in their order; what is not in one means nothing
}

// Token is a stretch of a query's text: Text[Start:End].
type Token struct {
	Start, End int // bytes
	Kind       TokenKind
	Field      Field  // of a filter, also of one that is not understood (yet)
	ValueStart int    // where the value of a filter begins
	Hint       string // what a person should know about how it is understood, "" for nothing
}

// TokenKind says what a piece of a query is.
type TokenKind int

// The kinds of pieces.
const (
	TokenWord       TokenKind = iota
	TokenPhrase               // in quotes
	TokenExcluded             // a word or a phrase that may not occur
	TokenOperator             // AND, OR, NOT
	TokenFilter               // a filter in force
	TokenIncomplete           // a filter without a value that says anything yet: it is passed over
	TokenIgnored              // punctuation, passed over
)

// FiltersOnly reports whether there is nothing to look for. Filters alone list.
func (q Query) FiltersOnly() bool { return len(q.Groups) == 0 }

// Terms gives the terms to mark in what was found, each once.
func (q Query) Terms() []match.Term { return match.Terms(q.Groups) }

// Hints gives what a person should know about how the query is understood.
func (q Query) Hints() []string {
	var all []string
	for _, p := range q.Tokens {
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
		for _, t := range g.Not {
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
func FormatTerm(t match.Term) string {
	s := t.Text
	_, _, filter := splitFilter(s)
	plain := !filter && trimPunctuation(s) == s && operatorOf(s) == noOperator && (s[0] != '-' || strings.HasPrefix(s, "--")) && !strings.ContainsFunc(s, unicode.IsSpace)
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
	maxBytes   = 2048 // bytes
	maxTerms   = 48
	maxGroups  = 32
	maxFilters = 32
)

type operator int

const (
	noOperator operator = iota
	opAnd
	opOr
	opNot
)

// operand is a piece of the typed text that takes part in what is looked for.
type operand struct {
	operator    operator
	term        match.Term
	excluded    bool // -word
	punctuation bool // only punctuation: noise beside words
	token       int  // in the query's pieces
}

// Parse understands what was typed, by the grammar at the top of this
// file. typing says that the last word may not be finished. There is no invalid
// input: an operator without its word is passed over, a query of nothing but
// operators, minuses or punctuation looks for these themselves, and what only
// looks like a filter is text.
func Parse(text string, typing bool) Query {
	l := lexer{typing: typing, query: Query{Text: text}}
	l.lex(blankIllegible(text))
	items := l.operands
	if !slices.ContainsFunc(items, func(it operand) bool { return it.operator == noOperator && !it.excluded && !it.punctuation }) {
		for _, it := range items {
			if p := &l.query.Tokens[it.token]; it.excluded && p.Kind == TokenExcluded {
				p.Kind = TokenWord
				p.Hint = "there is nothing to leave it out of: " + text[p.Start:p.End] + " is looked for as it stands"
			}
		}
		items = asLiterals(items)
	}
	items = slices.DeleteFunc(items, func(it operand) bool { return it.punctuation })
	l.query.Groups = combine(items)
	return l.query
}

// blankIllegible puts spaces in the place of what is not meant, byte for byte, so
// that all other characters keep their places.
func blankIllegible(text string) string {
	if len(text) > maxBytes {
		text = text[:maxBytes]
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
		if r == utf8.RuneError && size == 1 || unicode.IsControl(r) || isInvisible(r) {
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
	typing    bool
	termCount int
	operands  []operand
	query     Query // its pieces and filters
}

// lex takes the elements of a text one after the other, up to maxTerms terms.
func (l *lexer) lex(text string) {
	for pos := 0; l.termCount < maxTerms; {
		rest := strings.TrimLeftFunc(text[pos:], unicode.IsSpace)
		if rest == "" {
			return
		}
		pos = len(text) - len(rest)
		n := l.lexFilter(rest, pos)
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
	t := match.Term{Text: strings.TrimSpace(s), Prefix: l.typing && !closed && !minus}
	if strings.HasPrefix(after, "*") {
		t.Prefix, after = true, strings.TrimLeft(after, "*")
	}
	n := len(text) - len(after)
	if t.Text == "" {
		l.addToken(start, start+n, TokenIgnored)
	} else {
		l.addOperand(operand{term: t, excluded: minus}, TokenPhrase, start, start+n)
	}
	return n
}

// word takes a word or an operator.
func (l *lexer) word(text string, start int) int {
	rest, minus := cutMinus(text)
	word := plain(rest)
	end := start + len(text) - len(rest) + len(word)
	op, meant := operatorOf(word), trimPunctuation(word)
	star := strings.HasSuffix(word, "*")
	unfinished := l.typing && len(word) == len(rest)
	switch {
	case minus && (op != noOperator || meant == ""): // "-", "-OR": a dash
		l.addOperand(operand{term: match.Term{Text: "-" + word}, punctuation: op == noOperator}, TokenWord, start, end)
	case minus: // excluding all that begins with an unfinished word would flicker
		l.addOperand(operand{term: match.Term{Text: meant, Prefix: star}, excluded: true}, TokenWord, start, end)
	case op != noOperator:
		l.addOperand(operand{operator: op, term: match.Term{Text: word, Prefix: unfinished}}, TokenOperator, start, end)
	case meant != "":
		l.addOperand(operand{term: match.Term{Text: meant, Prefix: unfinished || star}}, TokenWord, start, end)
	case strings.Trim(word, "*") == "" || unfinished && word == "-": // on its way to a word
		l.addToken(start, end, TokenIgnored)
	default:
		l.addOperand(operand{term: match.Term{Text: strings.ReplaceAll(word, "*", "")}, punctuation: true}, TokenWord, start, end)
	}
	return end - start
}

// addOperand takes in an element that may be looked for.
func (l *lexer) addOperand(it operand, kind TokenKind, start, end int) {
	it.term.Prefix = it.term.Prefix && it.term.Extensible()
	if it.operator == noOperator {
		l.termCount++
	}
	switch {
	case it.punctuation:
		kind = TokenIgnored
	case it.excluded:
		kind = TokenExcluded
	}
	it.token = l.addToken(start, end, kind)
	if kind == TokenWord {
		l.query.Tokens[it.token].Hint = filterHint(l.query.Text[start:end])
	}
	l.operands = append(l.operands, it)
}

// addToken adds a piece to the query and gives its number.
func (l *lexer) addToken(start, end int, kind TokenKind) int {
	l.query.Tokens = append(l.query.Tokens, Token{Start: start, End: end, Kind: kind})
	return len(l.query.Tokens) - 1
}

// lexFilter takes a filter from the beginning of text and gives its length, 0
// where there is none. A value that is not understood makes the whole of it
// text, unless it is still being typed.
func (l *lexer) lexFilter(text string, start int) int {
	minus, rest := false, text
	if rest[0] == '-' {
		minus, rest = true, rest[1:]
	}
	word, value, ok := splitFilter(rest)
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
	p := Token{Start: start, End: start + n, Kind: TokenFilter, Field: word.Field, ValueStart: start + begin}
	// NOT before a filter is its minus.
	switch {
	case ok:
		if last := len(l.operands) - 1; last >= 0 && l.operands[last].operator == opNot {
			minus, l.operands = !minus, l.operands[:last]
		} else if last >= 0 && l.operands[last].operator == opOr {
			p.Hint = "OR joins words only: " + string(word.Field) + ": holds for all of them"
		}
		f.Not = minus
		if !slices.Contains(l.query.Filters, f) {
			l.query.Filters = append(l.query.Filters, f)
		}
	case typing:
		p.Kind = TokenIncomplete
		if hint != "" {
			p.Hint = string(word.Field) + ": " + hint
		}
	default:
		return 0 // text; unknownFilter tells why
	}
	l.query.Tokens = append(l.query.Tokens, p)
	return n
}

// splitFilter parts a filter word from what is behind its colon.
func splitFilter(s string) (word FieldInfo, rest string, ok bool) {
	name, rest, ok := strings.Cut(s, ":")
	if !ok || name == "" || len(name) > 8 {
		return FieldInfo{}, "", false
	}
	word, ok = fieldNamed(name)
	return word, rest, ok
}

// filterHint gives the quiet hint for a word that looks like a filter and
// is none: unknown names and values are text.
func filterHint(s string) string {
	name, value, ok := strings.Cut(s, ":")
	letters := func(r rune) bool { return r < 'a' || r > 'z' }
	if !ok || len(name) < 2 || strings.ContainsFunc(name, letters) || strings.HasPrefix(value, "//") {
		return ""
	}
	word, known := fieldNamed(name)
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

// isInvisible reports whether r is a mark that a paste brings along and nobody
// means: zero-width spaces and direction marks. The joiners of emoji are not.
func isInvisible(r rune) bool {
	switch {
	case r == 0xfeff, r == 0x200b, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2069:
		return true
	}
	return false
}

func operatorOf(word string) operator {
	switch word {
	case "AND":
		return opAnd
	case "OR":
		return opOr
	case "NOT":
		return opNot
	}
	return noOperator
}

// trimPunctuation takes away the punctuation of sentences, brackets and quotes around
// a word and leaves symbols that are part of what is meant: .env, C#, $HOME,
// --flag, 100%, ~/x. It gives "" for nothing but ASCII or Unicode punctuation.
func trimPunctuation(w string) string {
	const around = "\"'`,;:!?()[]{}<>|=*^_“”„‘’«»‹›…、。，．；：！？（）「」『』【】《》〈〉・¿¡"
	w = strings.TrimLeft(w, around)
	w = strings.TrimRight(w, around+`./\`)
	if !strings.ContainsFunc(w, func(r rune) bool { return match.IsWord(r) || r >= utf8.RuneSelf && !unicode.IsPunct(r) }) {
		return ""
	}
	return w
}

// asLiterals makes text of items that hold no word to look for: there is nothing
// to exclude from or to combine.
func asLiterals(items []operand) []operand {
	terms := slices.ContainsFunc(items, func(it operand) bool { return it.operator == noOperator })
	var out []operand
	for _, it := range items {
		if it.operator != noOperator && terms {
			continue
		}
		if it.excluded {
			it.term.Text = "-" + it.term.Text
		}
		out = append(out, operand{term: it.term})
	}
	return out
}

// combine combines the items into groups.
func combine(items []operand) []match.Group {
	isOp := func(it operand) bool { return it.operator != noOperator }
	for len(items) > 0 && isOp(items[0]) {
		items = items[1:]
	}
	for len(items) > 0 && isOp(items[len(items)-1]) {
		items = items[:len(items)-1]
	}
	var any []match.Group // OR
	var all []match.Group // AND
	op, first := opOr, true
	for i := 0; i < len(items); {
		end := i
		list := match.Group{}
		for ; end < len(items) && !isOp(items[end]); end++ {
			if it := items[end]; it.excluded {
				list.Not = addTerm(list.Not, it.term)
			} else {
				list.All = addTerm(list.All, it.term)
			}
		}
		switch {
		case first:
			all = []match.Group{list}
		case op == opOr:
			any = append(any, all...)
			all = []match.Group{list}
		case op == opAnd:
			all = conjunction(all, []match.Group{list})
		case op == opNot:
			all = conjunction(all, negation(list))
		}
		first, op = false, opAnd
		for ; end < len(items) && isOp(items[end]); end++ {
			op = max(op, items[end].operator) // of several operators NOT says most, then OR
		}
		i = end
	}
	any = append(any, all...)
	out := any[:0]
	for _, g := range any {
		same := func(o match.Group) bool { return slices.Equal(o.All, g.All) && slices.Equal(o.Not, g.Not) }
		if len(g.All) > 0 && len(out) < maxGroups && !slices.ContainsFunc(out, same) {
			out = append(out, g)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// conjunction gives every combination of two sets of alternatives.
func conjunction(a, b []match.Group) []match.Group {
	var out []match.Group
	for _, x := range a {
		for _, y := range b {
			if len(out) == 4*maxGroups {
				return out
			}
			g := match.Group{All: slices.Clone(x.All), Not: slices.Clone(x.Not)}
			for _, t := range y.All {
				g.All = addTerm(g.All, t)
			}
			for _, t := range y.Not {
				g.Not = addTerm(g.Not, t)
			}
			out = append(out, g)
		}
	}
	return out
}

// negation gives what is not g.
func negation(g match.Group) []match.Group {
	var out []match.Group
	for _, t := range g.All {
		out = append(out, match.Group{Not: []match.Term{t}})
	}
	for _, t := range g.Not {
		out = append(out, match.Group{All: []match.Term{t}})
	}
	return out
}

func addTerm(ts []match.Term, t match.Term) []match.Term {
	if slices.Contains(ts, t) {
		return ts
	}
	return append(ts, t)
}
