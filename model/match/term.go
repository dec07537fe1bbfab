package match

import (
	"slices"
	"strings"
	"unicode"
)

func (t Term) compile() compiledTerm {
	var f compiledTerm
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
		f = compiledTerm{substring: true, exact: t.Text}
		for _, r := range t.Text {
			f.runes = append(f.runes, Fold(r))
			if Fold(r) != r || unicode.SimpleFold(r) != r || 'a' <= r && r <= 'z' {
				f.exact = ""
			}
		}
		return f
	}
	f.leading, f.trailing = t.Text[:first], t.Text[last:]
	f.prefix = t.Prefix && f.trailing == ""
	return f
}

// Words gives the folded words of a term that is looked for as words, nil for
// one that is looked for anywhere in the text.
func (t Term) Words() []string { return t.compile().words }

// HasSymbols reports whether the term has symbols before its first or after its
// last word, which an index of words knows nothing of.
func (t Term) HasSymbols() bool {
	f := t.compile()
	return f.leading != "" || f.trailing != ""
}

// HasLeading reports whether the term has symbols before its first word.
func (t Term) HasLeading() bool { return t.compile().leading != "" }

// HasTrailing reports whether the term has symbols behind its last word.
func (t Term) HasTrailing() bool { return t.compile().trailing != "" }

// Parts are the words of a term and the symbols around them.
type Parts struct {
	Leading  string   // symbols before the first word
	Words    []string // folded; nil for a term that matches anywhere in a text
	Trailing string   // symbols after the last word
	Prefix   bool     // the last word may go on
}

// Parts returns the parts of a term.
func (t Term) Parts() Parts {
	c := t.compile()
	return Parts{c.leading, c.words, c.trailing, c.prefix}
}

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
	f := t.compile()
	return !f.substring && f.trailing == ""
}

// Group is one alternative: every term of All and no term of None. All is
// never empty.
type Group struct {
	All []Term
	Not []Term
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
