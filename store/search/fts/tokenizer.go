package fts

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// tokenizer splits text into the terms that FTS5 stores for it.
type tokenizer struct {
	trigram          bool   // else unicode61
	caseSensitive    bool   // case_sensitive, of trigram
	removeDiacritics int    // remove_diacritics: 0 keeps them; 1 leaves letters with two of them, 2 does not
	tokenchars       string // of unicode61
	separators       string // of unicode61
}

// tokens returns the terms of a text. ok is false for text with zero bytes or
// that is not UTF-8, which FTS5 decodes in its own way.
func (t *tokenizer) tokens(text string) (terms []string, ok bool) {
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return nil, false
	}
	if t.trigram {
		return t.trigrams(text), true
	}
	var word []byte
	inWord := false
	for _, r := range text {
		switch {
		case t.isTokenChar(r):
			inWord = true
			if f := fold(r, t.removeDiacritics); f != 0 {
				word = utf8.AppendRune(word, f)
			}
		case inWord && isDiacritic(r):
			if f := fold(r, t.removeDiacritics); f != 0 {
				word = utf8.AppendRune(word, f)
			}
		case inWord:
			terms = append(terms, string(word))
			word = word[:0]
			inWord = false
		}
	}
	if inWord {
		terms = append(terms, string(word))
	}
	return terms, true
}

// trigrams returns every three consecutive characters, folded unless the index is case
// sensitive.
func (t *tokenizer) trigrams(text string) (terms []string) {
	var last []rune
	for _, r := range text {
		if !t.caseSensitive {
			r = fold(r, t.removeDiacritics)
		}
		if r == 0 {
			continue
		}
		if last = append(last, r); len(last) > 3 {
			last = last[1:]
		}
		if len(last) == 3 {
			terms = append(terms, string(last))
		}
	}
	return terms
}

// isTokenChar reports whether a character is part of a token of unicode61.
func (t *tokenizer) isTokenChar(r rune) bool {
	if t.tokenchars != "" && strings.ContainsRune(t.tokenchars, r) {
		return true
	}
	return isAlnum(r) && (t.separators == "" || !strings.ContainsRune(t.separators, r))
}

// isAlnum reports whether a character is a letter, a digit or for private use
// (categories L*, N* and Co of Unicode 6.1).
func isAlnum(r rune) bool {
	if r < 0x80 {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	i, exact := slices.BinarySearch(alnumRanges[:], r)
	return exact || i%2 == 1
}

// isDiacritic reports whether a character is a combining mark that unicode61
// takes as part of the token before it.
func isDiacritic(r rune) bool {
	if r < 0x300 || r > 0x331 {
		return false
	}
	const marks = 1<<0x31 | 1<<0x30 | 1<<0x2e | 1<<0x2d | 0x3f<<0x23 | 1<<0x1b | 1<<0x11 | 1<<0xf | 0x7f<<6 | 0x1f
	return marks>>(r-0x300)&1 != 0
}

// fold returns the character that is stored for another: in lower case and, according
// to remove_diacritics, without its diacritic; 0 for a combining mark alone.
func fold(r rune, removeDiacritics int) rune {
	if r < 0x80 {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if i, exact := slices.BinarySearchFunc(foldRanges[:], r, func(f [4]rune, r rune) int { return cmp.Compare(f[0], r) }); exact || i > 0 {
		if !exact {
			i--
		}
		if f := foldRanges[i]; r <= f[1] && (r-f[0])%f[2] == 0 {
			r += f[3]
		}
	}
	if removeDiacritics == 0 || r < 0x80 || r > 0x1fff {
		return r
	}
	if isDiacritic(r) {
		return 0
	}
	if b := baseLetter(r, diacritics1[:]); b != 0 {
		return b
	}
	if removeDiacritics == 2 {
		if b := baseLetter(r, diacritics2[:]); b != 0 {
			return b
		}
	}
	return r
}

// baseLetter returns the base letter of the line of a table that has r, 0 for none.
func baseLetter(r rune, table []string) rune {
	for _, line := range table {
		if strings.ContainsRune(line[1:], r) {
			return rune(line[0])
		}
	}
	return 0
}
