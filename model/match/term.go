package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Group is one alternative of a query: every term of All and no term of Not. All
// is never empty.
type Group struct {
	All []Term
	Not []Term
}

// Term is a word or a phrase of a query.
//
// Its words must follow one another as FTS5's tokenizer splits them. Symbols
// before the first and after the last (.env, C#, --flag) must stand there too;
// symbols between words only separate them. A term without words (🚀), or in a
// script without spaces, is found anywhere in a text.
//
// A term of one word of ASCII, of two characters or more, is also found beside a
// script without spaces: docker in 用docker部署, which is one word to FTS5. There it
// stands as typed, capitals aside.
type Term struct {
	Text   string // as typed, without quotes, star and sentence punctuation
	Prefix bool   // the last word may go on: a star, or the word is still being typed
	Within bool   // found anywhere in a text, also inside a word
}

// compiledTerm is a term prepared for matching.
type compiledTerm struct {
	substring         bool     // anywhere in the text, not as words
	words             []string // folded; empty for a substring
	leading, trailing string   // symbols before the first word and after the last
	prefix            bool     // the last word may go on
	runes             []rune   // of a substring, folded
	exact             string   // of a substring: the text, where folding changes nothing
	borderWord        string   // see [Term.BorderWord]
}

// compile splits a term into words and the symbols around them, or makes it a
// substring where it has no words or a script without spaces.
func (t Term) compile() compiledTerm {
	var c compiledTerm
	first, last := -1, 0
	for i := 0; ; {
		start, end, word := nextWord(t.Text, i, nil)
		if start == len(t.Text) {
			break
		}
		if first < 0 {
			first = start
		}
		c.words = append(c.words, string(word))
		i, last = end, end
	}
	if first < 0 || t.Within || strings.ContainsFunc(t.Text, IsUnspaced) {
		c = compiledTerm{substring: true, exact: t.Text}
		for _, r := range t.Text {
			c.runes = append(c.runes, Fold(r))
			if Fold(r) != r || unicode.SimpleFold(r) != r || 'a' <= r && r <= 'z' {
				c.exact = ""
			}
		}
		return c
	}
	c.leading, c.trailing = t.Text[:first], t.Text[last:]
	c.prefix = t.Prefix && c.trailing == ""
	if len(c.words) == 1 && len(t.Text) >= minBorderWord && strings.EqualFold(c.words[0], t.Text) && asciiPrefix(t.Text) == len(t.Text) {
		c.borderWord = c.words[0]
	}
	return c
}

// minBorderWord is how many characters a word has at least that is found beside a
// script without spaces: no index tells a single one from those of longer words.
const minBorderWord = 2

// BorderWord returns the word of a term, in lower case, that is also found beside a
// script without spaces; "" for all other terms.
func (t Term) BorderWord() string { return t.compile().borderWord }

// RunsBehindScripts calls each with the runs of characters of a text that follow a
// script without spaces inside a word, with ASCII in lower case. A term with a
// [Term.BorderWord] is found at such a run if it is that word, or for a prefix begins
// with it.
func RunsBehindScripts(text string, each func(run string)) {
	var inWord, behind bool
	from := -1 // behind a script of the word is the run text[from:i]
	endRun := func(i int) {
		if from >= 0 {
			each(strings.Map(func(r rune) rune {
				if 'A' <= r && r <= 'Z' {
					r += 'a' - 'A'
				}
				return r
			}, text[from:i]))
		}
		from = -1
	}
	for i := 0; i < len(text); {
		if !behind { // no run begins before the next character that is not ASCII
			n := asciiPrefix(text[i:])
			if i += n; n > 0 {
				inWord = foldedASCII[text[i-1]] != 0
			}
			if i == len(text) {
				break
			}
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		common := isCommonUnspaced(r)
		switch {
		case !common && !IsWord(r) && !(inWord && IsMark(r)):
			endRun(i)
			inWord, behind = false, false
		case common || IsUnspaced(r):
			endRun(i)
			inWord, behind = true, true
		default:
			if inWord = true; behind && from < 0 {
				from = i
			}
		}
		i += size
	}
	endRun(len(text))
}

// Words returns the folded words of a term, nil for one that is found anywhere in
// a text.
func (t Term) Words() []string { return t.compile().words }

// HasSymbols reports whether the term has symbols before its first or after its
// last word, which an index of words does not hold.
func (t Term) HasSymbols() bool {
	c := t.compile()
	return c.leading != "" || c.trailing != ""
}

// HasLeading reports whether the term has symbols before its first word.
func (t Term) HasLeading() bool { return t.compile().leading != "" }

// HasTrailing reports whether the term has symbols after its last word.
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

// Terms returns the terms of groups that must match, each once.
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

// Extensible reports whether the term ends in a word, so that it can be a prefix.
func (t Term) Extensible() bool {
	c := t.compile()
	return !c.substring && c.trailing == ""
}
