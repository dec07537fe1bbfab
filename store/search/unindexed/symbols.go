package unindexed

import (
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/idset"
)

// The characters of a text are classes of one byte each: ASCII in lower case, blank for white
// space, control characters and the ends of a text, foreign for all bytes beyond ASCII. A pair is
// two classes of which one is a symbol at least. Symbols beyond ASCII are held as they are.
const (
	blank   = ' '
	foreign = 0x7f
)

// classes has the class of each byte.
var classes = func() (all [256]byte) {
	for c := range all {
		switch {
		case c >= utf8.RuneSelf:
			all[c] = foreign
		case c <= ' ' || c == foreign:
			all[c] = blank
		default:
			all[c] = lower(byte(c))
		}
	}
	return all
}()

// symbolClasses says which classes are symbols.
var symbolClasses = func() (all [utf8.RuneSelf]bool) {
	for c := ' ' + 1; c < foreign; c++ {
		all[c] = !match.IsWord(c)
	}
	return all
}()

func isSymbol(r rune) bool { return r >= 0 && r < utf8.RuneSelf && symbolClasses[r] }

// isForeignSymbol reports whether a character beyond ASCII is a symbol that texts have in this
// form only.
func isForeignSymbol(r rune) bool {
	return r >= utf8.RuneSelf && r != utf8.RuneError && !match.IsUnspaced(r) && !match.IsWord(r) && !match.IsMark(r) && match.Fold(r) == r && unicode.SimpleFold(r) == r
}

// pairSet tells which pairs the text at hand has had.
type pairSet struct {
	lastIn [][utf8.RuneSelf]uint32 // the number of the last text with a pair
	text   uint32
}

// eachSymbol calls each with the pairs of a text, and its symbols beyond ASCII. The bytes are
// valid during the call.
func (s *pairSet) eachSymbol(text string, each func(symbol []byte)) {
	if s.lastIn == nil {
		s.lastIn = make([][utf8.RuneSelf]uint32, utf8.RuneSelf)
	}
	s.text++
	before, pair := byte(blank), [2]byte{}
	for i := 0; i <= len(text); i++ {
		class := byte(blank)
		if i < len(text) {
			class = classes[text[i]]
			if utf8.RuneStart(text[i]) && class == foreign {
				if r, size := utf8.DecodeRuneInString(text[i:]); isForeignSymbol(r) {
					each([]byte(text[i : i+size]))
				}
			}
		}
		// A symbol after a blank is told by what comes after it.
		if symbolClasses[before&0x7f] || symbolClasses[class&0x7f] && before != blank {
			if last := &s.lastIn[before&0x7f][class&0x7f]; *last != s.text {
				*last = s.text
				pair[0], pair[1] = before, class
				each(pair[:])
			}
		}
		before = class
	}
}

// Symbols returns the messages that may have a term with symbols, and those that are sure to have
// it. Of a term with words it looks at the symbols, and the letters beside them. ok is
// false where symbols are not known, or the term has none.
func (v *View) Symbols(t match.Term) (sure, possible *idset.Set, ok bool) {
	wanted, exact := pairsOf(t)
	if len(wanted) == 0 || v.held.leftOut > symbols {
		return nil, nil, false
	}
	for _, forms := range wanted {
		having := &idset.Set{}
		for _, form := range forms {
			if form != "" {
				having.Union(v.held.indexes[symbols].having(form, len(form) == 1))
			}
		}
		if possible == nil {
			possible = having
		}
		possible.Intersect(having)
	}
	sure = &idset.Set{}
	if exact {
		sure = v.held.indexes[symbols].having(wanted[0][0], len(wanted[0][0]) == 1)
	}
	return v.withoutUnread(sure), v.withoutUnread(possible), true
}

// pairsOf returns the pairs that each match of a term has, each in one form or two: a letter may be
// stored as one beyond ASCII. A lone symbol is the first half of a pair. exact says that a text with
// the first form of the only pair matches.
func pairsOf(t match.Term) (wanted [][2]string, exact bool) {
	p := t.Parts()
	if p.Words == nil {
		wanted = appendPairs(nil, t.Text)
		runes := []rune(t.Text)
		return wanted, len(wanted) == 1 && (len(runes) == 1 || len(runes) == 2 && isSymbol(runes[0]) && isSymbol(runes[1]))
	}
	if p.Leading != "" {
		first, _ := utf8.DecodeRuneInString(p.Words[0])
		wanted = appendPairs(wanted, p.Leading+string(first))
		exact = len(wanted) == 1 && len(p.Leading) == 1 && p.Trailing == "" && p.Prefix && len(p.Words) == 1 && len(p.Words[0]) == 1
	}
	if p.Trailing != "" {
		last, _ := utf8.DecodeLastRuneInString(p.Words[len(p.Words)-1])
		wanted = appendPairs(wanted, string(last)+p.Trailing)
	}
	return wanted, exact
}

// appendPairs appends the pairs of a part of a term.
func appendPairs(to [][2]string, text string) [][2]string {
	runes := []rune(text)
	for i, r := range runes {
		if isForeignSymbol(r) {
			to = append(to, [2]string{string(r)})
		}
		if !isSymbol(r) {
			continue
		}
		told := false // by a pair
		for _, at := range []int{i - 1, i + 1} {
			if at < 0 || at >= len(runes) || runes[at] <= ' ' || runes[at] == foreign {
				continue
			}
			other, order := runes[at], func(c byte) string { return string([]byte{byte(r), c}) }
			if at < i {
				order = func(c byte) string { return string([]byte{c, byte(r)}) }
			}
			told = true
			switch {
			case at < i && isSymbol(other): // the pair of the symbol before
			case isSymbol(other):
				to = append(to, [2]string{order(byte(other))})
			case other >= utf8.RuneSelf:
				to = append(to, [2]string{order(foreign), order(asciiOf(other))})
			default:
				to = append(to, [2]string{order(lower(byte(other))), order(foreign)})
			}
		}
		if !told {
			to = append(to, [2]string{string([]byte{byte(r)})})
		}
	}
	return to
}

// asciiOf returns the letter of ASCII that compares as equal to a character, foreign for none.
func asciiOf(r rune) byte {
	if folded := match.Fold(r); folded < utf8.RuneSelf {
		return lower(byte(folded))
	}
	return foreign
}
