package search

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
)

// boundary is a text that a message must have where a symbol of a term meets one
// of its words, in the form of a query to the trigram index.
type boundary struct {
	text string // in lower case; it may end within a character
	// accepts reports whether the last two characters of text and the next one, or
	// three that begin with a shorter text, can occur in a match. It is nil where all can.
	accepts func(three []byte) bool
}

// boundariesOf returns the texts that can occur where the symbols of a term meet its
// words; every match has one of them. These are the last symbols before the first word
// with the letters that can follow, or the letters and combining marks that can
// come before the first symbol after the last word. The letters are those that
// compare as equal, capitals aside, and their escapes in JSON. symbols are the
// symbols in the boundaries. Both are nil for a term without symbols.
func boundariesOf(t match.Term) (found []boundary, symbols []rune) {
	p := t.Parts()
	switch {
	case p.Leading != "":
		return leadingBoundaries(t, p)
	case p.Trailing != "":
		return trailingBoundaries(t, p)
	}
	return nil, nil
}

// leadingBoundaries returns the boundaries of the symbols before the first word. A symbol
// that may be stored in several ways is left out, with those before it: only the
// symbols after the last of these are sure to be stored as they were typed.
func leadingBoundaries(t match.Term, p match.Parts) (found []boundary, symbols []rune) {
	lead := p.Leading
	if i := strings.LastIndexFunc(lead, hasVariants); i >= 0 {
		_, size := utf8.DecodeRuneInString(lead[i:])
		if lead = lead[i:]; len(lead) > size {
			lead = lead[size:]
		}
	}
	first, size := utf8.DecodeRuneInString(p.Words[0])
	next, more := utf8.DecodeRuneInString(p.Words[0][size:])
	mayGoOn := p.Prefix && len(p.Words) == 1
	accepts := func(three []byte) bool {
		r, _ := utf8.DecodeLastRune(three)
		return r == '\\' || r >= utf8.RuneSelf || more > 0 && match.Fold(r) == next || more == 0 && (mayGoOn || !match.IsWord(r))
	}
	for _, r := range variants(first) {
		found = append(found, boundary{lead + string(r), accepts})
	}
	if r, _ := utf8.DecodeRuneInString(t.Text[len(p.Leading):]); r >= utf8.RuneSelf { // the word may begin with an escape
		found = append(found, boundary{lead + `\`, func(three []byte) bool { return three[len(three)-1] == 'u' }})
	}
	return found, []rune(lead)
}

// firstByteOfMarks is the first byte of the combining marks that match.IsMark
// knows: U+0300 to U+0331.
const firstByteOfMarks = "\xcc"

// trailingBoundaries returns the boundaries of the symbols after the last word. Before
// the first of them comes a letter, the last digit of an escape, or a combining mark.
func trailingBoundaries(t match.Term, p match.Parts) (found []boundary, symbols []rune) {
	symbol, size := utf8.DecodeRuneInString(p.Trailing)
	var accepts func(three []byte) bool
	if next, more := utf8.DecodeRuneInString(p.Trailing[size:]); more > 0 {
		accepts = func(three []byte) bool {
			r, _ := utf8.DecodeLastRune(three)
			return r == '\\' || match.Fold(r) == match.Fold(next)
		}
	}
	last, _ := utf8.DecodeLastRuneInString(p.Words[len(p.Words)-1])
	for _, r := range variants(last) {
		found = append(found, boundary{string(r) + string(symbol), accepts})
	}
	typed, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(t.Text, p.Trailing))
	if typed >= utf8.RuneSelf { // the word may end with an escape: with a hexadecimal digit
		for _, r := range []rune{typed, unicode.ToLower(typed), unicode.ToUpper(typed), unicode.ToTitle(typed)} {
			found = append(found, boundary{string("0123456789abcdef"[r&15]) + string(symbol), accepts})
		}
	}
	found = append(found, boundary{firstByteOfMarks, func(three []byte) bool {
		mark, size := utf8.DecodeRune(three)
		second, _ := utf8.DecodeRune(three[size:])
		return match.IsMark(mark) && match.Fold(second) == match.Fold(symbol) && (accepts == nil || accepts(three))
	}})
	return found, []rune{symbol}
}

// hasVariants reports whether a symbol may be stored in another way than it is
// typed, apart from escapes in JSON.
func hasVariants(r rune) bool {
	return r < ' ' || 0x7f <= r && r < 0xa0 || unicode.IsMark(r) || unicode.SimpleFold(r) != r || r == utf8.RuneError
}

// variants returns a folded character and the others that fold to it, without
// capitals.
func variants(base rune) []rune { return append([]rune{base}, variantsOf()[base]...) }

// variantsOf returns the other characters that fold to a character, for all that
// have some.
var variantsOf = sync.OnceValue(func() map[rune][]rune {
	all := map[rune][]rune{}
	for r := rune(0x80); r < 0x2200; r++ { // above, only case is folded
		base, lower := match.Fold(r), unicode.ToLower(r)
		if capital := lower != r && unicode.ToUpper(lower) == r; base != r && !capital && match.IsWord(r) {
			all[base] = append(all[base], r)
		}
	}
	return all
})
