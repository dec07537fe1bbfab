package fts

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// tokenizer cuts text into the terms that FTS5 has stored for it.
type tokenizer struct {
	trigram          bool // else words
	caseSensitive    bool // of trigrams
	removeDiacritics int  // remove_diacritics: 0 keeps them, 1 and 2 as FTS5's
	tokenchars       string
	separators       string
}

// tokens gives the terms of a text. ok is false for text that is not UTF-8,
// which FTS5 reads in its own way.
func (t *tokenizer) tokens(text string) (terms []string, ok bool) {
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return nil, false
	}
	if t.trigram {
		return t.trigrams(text), true
	}
	var word []byte
	in := false
	for _, r := range text {
		switch {
		case t.isTokenChar(r):
			in = true
			if f := fold(r, t.removeDiacritics); f != 0 {
				word = utf8.AppendRune(word, f)
			}
		case in && isDiacritic(r):
			if f := fold(r, t.removeDiacritics); f != 0 {
				word = utf8.AppendRune(word, f)
			}
		case in:
			terms, word, in = append(terms, string(word)), word[:0], false
		}
	}
	if in {
		terms = append(terms, string(word))
	}
	return terms, true
}

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

func (t *tokenizer) isTokenChar(r rune) bool {
	if t.tokenchars != "" && strings.ContainsRune(t.tokenchars, r) {
		return true
	}
	return isAlnum(r) && (t.separators == "" || !strings.ContainsRune(t.separators, r))
}

// isAlnum reports whether a character stands in words.
func isAlnum(r rune) bool {
	if r < 0x80 {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	i, exact := slices.BinarySearch(alnumRanges[:], r)
	return exact || i%2 == 1
}

// isDiacritic reports whether a character belongs to the one before it.
func isDiacritic(r rune) bool {
	if r < 0x300 || r > 0x331 {
		return false
	}
	const marks = 1<<0x31 | 1<<0x30 | 1<<0x2e | 1<<0x2d | 0x3f<<0x23 | 1<<0x1b | 1<<0x11 | 1<<0xf | 0x7f<<6 | 0x1f
	return marks>>(r-0x300)&1 != 0
}

// fold gives the form in which a character is stored: lower case, and without
// its diacritic as remove_diacritics says. A mark alone becomes 0.
func fold(r rune, accents int) rune {
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
	if accents == 0 || r < 0x80 || r > 0x1fff {
		return r
	}
	if isDiacritic(r) {
		return 0
	}
	if b := baseLetter(r, diacritics1[:]); b != 0 {
		return b
	}
	if accents == 2 {
		if b := baseLetter(r, diacritics2[:]); b != 0 {
			return b
		}
	}
	return r
}

// baseLetter looks up a letter in a table of accents, 0 if it is not there.
func baseLetter(r rune, table []string) rune {
	for _, line := range table {
		if strings.ContainsRune(line[1:], r) {
			return rune(line[0])
		}
	}
	return 0
}
