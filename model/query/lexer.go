package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
)

// lexer splits a text into terms, operators and filters. It follows the grammar
// in doc.go: lexFilter, phrase and word each take one element from
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

// What is longer or has more parts than anybody types is a paste: its
// beginning is looked for. The limits keep a query within what FTS5 parses.
const (
	maxBytes   = 2048 // bytes
	maxTerms   = 48
	maxGroups  = 32
	maxFilters = 32
)
