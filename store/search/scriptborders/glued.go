package scriptborders

import (
	"context"
	"slices"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/store/search/fts"
)

// glued is the words of an index that begin with a script without spaces and have others
// after it: 用docker部署. A file has one in every 30 messages where such a script is the
// language of most.
type glued struct {
	used  bool
	words map[string][]string // what comes after the script → the words of the index, sorted
	count int                 // of the words
}

// In a file with more than maxGlued words, or more than maxScanned that begin with such a
// script, the words after one are not looked for: they would cost more than 4 MB of memory,
// or than half a second when they are first read.
const (
	maxGlued   = 40_000
	maxScanned = 1_500_000
)

// readGlued adds the words in segments of the index that were not read yet.
func (c *Cache) readGlued(ctx context.Context, words *fts.Index) error {
	now, g := words.Version(), &c.glued
	if c.words.Equal(now) {
		return nil
	}
	scanned := 0
	err := words.WalkTerms(ctx, c.words, firstUnspaced, func(term []byte) (next string) {
		switch r, _ := utf8.DecodeRune(term); {
		case g.tooMany():
			return ""
		case r != utf8.RuneError && !match.IsUnspaced(r):
			return string(r + 1)
		}
		c.scripts = true
		if scanned++; scanned > maxScanned {
			g.words, g.count = nil, maxGlued+1
			return ""
		}
		if slices.ContainsFunc(term, isASCIIAlnum) {
			g.add(string(term), string(term))
		}
		return string(term) + "\x00"
	})
	if err != nil {
		return err
	}
	err = c.eachEscape(ctx, words, func(term []byte) {
		if before, pair := pairOf(term); pair != "" {
			c.scripts = true
			g.add(string(term), string(-before)+string(term[5:]))
		}
	})
	if err == nil {
		c.words = now
	}
	return err
}

// tooMany reports whether the words after a script are not looked for.
func (g *glued) tooMany() bool { return g.count > maxGlued }

// add adds a word of the index by what its text has after a script.
func (g *glued) add(word, text string) {
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

func (g *glued) addRun(run, word string) {
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

// rows returns the messages with words whose runs after a script match.
func (g *glued) rows(ctx context.Context, ix *fts.Index, matches func(run string) bool) (*fts.Set, error) {
	found := &fts.Set{}
	for run, words := range g.words {
		if !matches(run) {
			continue
		}
		for _, word := range words {
			err := ix.AddRows(ctx, word, func(term []byte) *fts.Set {
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
