package scriptborders

import (
	"context"
	"slices"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
)

// mixedTerms are the terms of the word index that begin with a script without spaces and have
// other characters after it: 用docker部署. Where most messages are in such a script, every
// thirtieth has one.
type mixedTerms struct {
	version fts.Version         // of the word index
	words   map[string][]string // the run after the script → the terms with it, sorted
	count   int                 // of the terms
}

// In a file with more than maxMixedTerms, or with more than maxScanned terms that begin with
// such a script, words after one are not searched: the terms would take more than 4 MB of
// memory, or more than half a second to read.
const (
	maxMixedTerms = 40_000
	maxScanned    = 1_500_000
)

// readMixedTerms adds the terms in segments of the index that were not read yet.
func (c *Cache) readMixedTerms(ctx context.Context, words *fts.Index) error {
	now, g := words.Version(), &c.mixedTerms
	if g.version.Equal(now) {
		return nil
	}
	scanned := 0
	err := words.WalkTerms(ctx, g.version, firstUnspaced, func(term []byte) (next string) {
		r, _ := utf8.DecodeRune(term)
		if g.tooMany() {
			return ""
		} else if r != utf8.RuneError && !match.IsUnspaced(r) {
			return string(r + 1)
		}
		c.scripts = true
		if scanned++; scanned > maxScanned {
			g.words, g.count = nil, maxMixedTerms+1
			return ""
		}
		if slices.ContainsFunc(term, isASCIIAlnum) {
			g.add(string(term), string(term))
		}
		return firstUnspaced // the next term
	})
	if err != nil {
		return err
	}
	err = eachEscape(ctx, words, g.version, func(term []byte) {
		if r, rest := escaped(term); match.IsUnspaced(r) && slices.ContainsFunc(rest, isASCIIAlnum) {
			c.scripts = true
			g.add(string(term), string(r)+string(rest))
		}
	})
	if err == nil {
		g.version = now
	}
	return err
}

// tooMany reports whether words after a script are not searched.
func (g *mixedTerms) tooMany() bool { return g.count > maxMixedTerms }

// add adds a term by the runs that its text has after a script.
func (g *mixedTerms) add(word, text string) {
	behind, from := false, 0        // behind a script is the run text[from:]
	for at, r := range text + "文" { // so that the last run ends
		if !match.IsUnspaced(r) {
			continue
		}
		if behind && from < at && !g.tooMany() {
			g.addRun(text[from:at], word)
		}
		behind, from = true, at+utf8.RuneLen(r)
	}
}

func (g *mixedTerms) addRun(run, word string) {
	at, known := slices.BinarySearch(g.words[run], word)
	if known {
		return
	}
	if g.words == nil {
		g.words = map[string][]string{}
	}
	g.words[run] = slices.Insert(g.words[run], at, word)
	if g.count++; g.tooMany() {
		g.words = nil
	}
}

// rows returns the messages with a term that has a run after a script which matches.
func (g *mixedTerms) rows(ctx context.Context, ix *fts.Index, matches func(run string) bool) (*idset.Set, error) {
	found := &idset.Set{}
	for run, words := range g.words {
		if !matches(run) {
			continue
		}
		for _, word := range words {
			err := ix.AddRows(ctx, word, func(term []byte) *idset.Set {
				if string(term) != word {
					return nil
				}
				return found
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}
