package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
)

// lexer splits a text into terms, operators and filters. lexFilter, lexPhrase and
// lexWord follow the grammar in doc.go: each reads one element at the beginning of a
// text and gives its length in bytes, 0 if the text does not begin with such an
// element.
type lexer struct {
	typing    bool
	termCount int
	operands  []operand
	query     Query // receives tokens and filters
}

// lex reads the elements of a text in order. It begins at start in the text of the query.
func (l *lexer) lex(text string, start int) {
	for pos := 0; ; {
		rest := strings.TrimLeftFunc(text[pos:], unicode.IsSpace)
		if rest == "" {
			return
		}
		pos = len(text) - len(rest)
		n := l.lexFilter(rest, start+pos)
		if n == 0 {
			n = l.lexPhrase(rest, start+pos)
		}
		if n == 0 {
			n = l.lexWord(rest, start+pos)
		}
		pos += n
	}
}

// cutMinus removes the minus of an exclusion. In --flag and -> the minus is part of
// the word.
func cutMinus(text string) (rest string, minus bool) {
	if len(text) > 1 && text[0] == '-' && text[1] != '-' && text[1] != '>' {
		return text[1:], true
	}
	return text, false
}

// plain returns the text up to the first space or quote.
func plain(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' }); end >= 0 {
		return text[:end]
	}
	return text
}

// lexPhrase reads a phrase in quotes. A quote that is not closed ends with the text;
// an empty phrase is ignored.
func (l *lexer) lexPhrase(text string, start int) int {
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

// lexWord reads a word or an operator.
func (l *lexer) lexWord(text string, start int) int {
	rest, minus := cutMinus(text)
	word := plain(rest)
	end := start + len(text) - len(rest) + len(word)
	op, meant := operatorOf(word), trimPunctuation(word)
	star := strings.HasSuffix(word, "*")
	unfinished := l.typing && len(word) == len(rest)
	switch {
	case minus && (op != noOperator || meant == ""): // "-", "-OR": a dash
		l.addOperand(operand{term: match.Term{Text: "-" + word}, punctuation: op == noOperator}, TokenWord, start, end)
	case minus: // no prefix match while typing: the results would flicker with every key
		l.addOperand(operand{term: match.Term{Text: meant, Prefix: star}, excluded: true, option: true, unfinished: unfinished}, TokenWord, start, end)
	case unfinished && word == "O" && len(l.operands) > 0 && l.operands[len(l.operands)-1].operator == noOperator:
		l.addToken(start, end, TokenIgnored) // an OR may be meant: its first letter must not narrow the results
	case op != noOperator:
		l.addOperand(operand{operator: op, term: match.Term{Text: word, Prefix: unfinished}}, TokenOperator, start, end)
	case meant != "":
		l.addOperand(operand{term: match.Term{Text: meant, Prefix: unfinished || star}}, TokenWord, start, end)
	case strings.Trim(word, "*") == "" || unfinished && word == "-": // the beginning of an element
		l.addToken(start, end, TokenIgnored)
	default:
		l.addOperand(operand{term: match.Term{Text: strings.ReplaceAll(word, "*", "")}, punctuation: true}, TokenWord, start, end)
	}
	return end - start
}

func (l *lexer) addOperand(o operand, kind TokenKind, start, end int) {
	o.term.Prefix = o.term.Prefix && o.term.Extensible()
	if o.operator == noOperator {
		l.termCount++
	}
	switch {
	case o.punctuation:
		kind = TokenIgnored
	case o.excluded:
		kind = TokenExcluded
	}
	o.token = l.addToken(start, end, kind)
	if kind == TokenWord {
		l.query.Tokens[o.token].Hint = filterHint(l.query.Text[start:end])
	}
	l.operands = append(l.operands, o)
}

// addToken adds a token to the query and returns its index.
func (l *lexer) addToken(start, end int, kind TokenKind) int {
	l.query.Tokens = append(l.query.Tokens, Token{Start: start, End: end, Kind: kind})
	return len(l.query.Tokens) - 1
}

// lexFilter reads a filter. With a value that is not valid the element is text,
// unless it is still being typed.
func (l *lexer) lexFilter(text string, start int) int {
	minus, rest := false, text
	if rest[0] == '-' {
		minus, rest = true, rest[1:]
	}
	info, value, ok := splitFilter(rest)
	if !ok || len(l.query.Filters) == maxFilters {
		return 0
	}
	valueStart := len(text) - len(value)
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
	f, hint, ok := newFilter(info, value, typing)
	token := Token{Start: start, End: start + n, Kind: TokenFilter, Field: info.Field, ValueStart: start + valueStart}
	switch {
	case ok:
		if last := len(l.operands) - 1; last >= 0 && l.operands[last].operator == opNot { // NOT before a filter is its minus
			minus, l.operands = !minus, l.operands[:last]
		} else if last >= 0 && l.operands[last].operator == opOr {
			token.Hint = "OR joins words only: " + string(info.Field) + ": applies to all of them"
		}
		f.Not = minus
		if !slices.Contains(l.query.Filters, f) {
			l.query.Filters = append(l.query.Filters, f)
		}
	case typing:
		token.Kind = TokenIncomplete
		if hint != "" {
			token.Hint = string(info.Field) + ": " + hint
		}
	default:
		return 0 // text; filterHint says why
	}
	l.query.Tokens = append(l.query.Tokens, token)
	return n
}

// splitFilter splits a text that begins with a field and a colon; rest begins after
// the colon. A URL, such as file:///etc/hosts, is no filter.
func splitFilter(s string) (info FieldInfo, rest string, ok bool) {
	name, rest, ok := strings.Cut(s, ":")
	if !ok || name == "" || len(name) > 8 || strings.HasPrefix(rest, "//") { // no field is longer
		return FieldInfo{}, "", false
	}
	info, ok = fieldNamed(name)
	return info, rest, ok
}

// filterHint returns the hint for a word that looks like a filter but is read as text,
// because its name or its value is unknown. It is "" for any other word.
func filterHint(s string) string {
	name, value, ok := strings.Cut(s, ":")
	notLetter := func(r rune) bool { return r < 'a' || r > 'z' }
	if !ok || len(name) < 2 || strings.ContainsFunc(name, notLetter) || strings.HasPrefix(value, "//") {
		return ""
	}
	info, known := fieldNamed(name)
	switch {
	case !known && value == "":
		return ""
	case !known:
		return name + ": is not a filter; searched as text"
	case value == "":
		return name + ": needs its value right after the colon"
	}
	_, hint, _ := newFilter(info, value, false)
	return name + ": " + hint + "; " + s + " is searched as text"
}

// isInvisible reports whether r is a zero-width space or a direction mark, which
// pasted text may contain. The joiners of emoji are not.
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

// trimPunctuation removes the punctuation of sentences, brackets and quotes around
// a word, and keeps symbols that belong to it: .env, C#, $HOME, --flag, 100%, ~/x.
// It returns "" for ASCII or Unicode punctuation alone.
func trimPunctuation(w string) string {
	const around = "\"'`,;:!?()[]{}<>|=*^_“”„‘’«»‹›…、。，．；：！？（）「」『』【】《》〈〉・¿¡"
	w = strings.TrimLeft(w, around)
	w = strings.TrimRight(w, around+`./\`)
	if !strings.ContainsFunc(w, func(r rune) bool { return match.IsWord(r) || r >= utf8.RuneSelf && !unicode.IsPunct(r) }) {
		return ""
	}
	return w
}

// blankIllegible replaces control characters, invisible marks and damaged UTF-8 with
// spaces, byte for byte, so that the offsets of all other characters stay the same.
func blankIllegible(text string) string {
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

// operator is an operator between terms. Of several in a row the greatest one holds.
type operator int

const (
	noOperator operator = iota
	opAnd
	opOr
	opNot
)

// operand is a term or an operator.
type operand struct {
	operator    operator
	term        match.Term
	excluded    bool // -word
	option      bool // of an excluded word: it may be an option of a command, see [readOptions]
	unfinished  bool // of an excluded word: it is still being typed
	punctuation bool // punctuation only: ignored if the query has words
	token       int  // index in Query.Tokens
}

// Limits of a query, far above what is typed by hand; of what exceeds them, such as a
// pasted file, [Condense] and dropCommon keep what tells most. They keep a query within
// what FTS5 parses.
const (
	maxBytes   = 2048 // bytes
	maxTerms   = 48
	maxGroups  = 32
	maxFilters = 32
)
