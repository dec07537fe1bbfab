package ftsindex

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// tokenizer cuts text into the terms that FTS5 has stored for it.
type tokenizer struct {
	trigrams  bool // else words
	keepCase  bool // of trigrams
	accents   int  // remove_diacritics: 0 keeps them, 1 and 2 as FTS5's
	extra     string
	separator string
}

// tokens gives the terms of a text. ok is false for text that is not UTF-8,
// which FTS5 reads in its own way.
func (t *tokenizer) tokens(text string) (terms []string, ok bool) {
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return nil, false
	}
	if t.trigrams {
		return t.grams(text), true
	}
	var word []byte
	in := false
	for _, r := range text {
		switch {
		case t.inWord(r):
			in = true
			if f := fold(r, t.accents); f != 0 {
				word = utf8.AppendRune(word, f)
			}
		case in && isMark(r):
			if f := fold(r, t.accents); f != 0 {
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

func (t *tokenizer) grams(text string) (terms []string) {
	var last []rune
	for _, r := range text {
		if !t.keepCase {
			r = fold(r, t.accents)
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

func (t *tokenizer) inWord(r rune) bool {
	if t.extra != "" && strings.ContainsRune(t.extra, r) {
		return true
	}
	return isWord(r) && (t.separator == "" || !strings.ContainsRune(t.separator, r))
}

// isWord reports whether a character stands in words.
func isWord(r rune) bool {
	if r < 0x80 {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	i, exact := slices.BinarySearch(wordRanges[:], r)
	return exact || i%2 == 1
}

// isMark reports whether a character belongs to the one before it.
func isMark(r rune) bool {
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
	if isMark(r) {
		return 0
	}
	if b := base(r, accents1[:]); b != 0 {
		return b
	}
	if accents == 2 {
		if b := base(r, accents2[:]); b != 0 {
			return b
		}
	}
	return r
}

// base looks up a letter in a table of accents, 0 if it is not there.
func base(r rune, table []string) rune {
	for _, line := range table {
		if strings.ContainsRune(line[1:], r) {
			return rune(line[0])
		}
	}
	return 0
}
