package scriptborders

import (
	"context"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
)

// substrings are the messages that contain the texts of terms, for a process that searches
// once. They are at the versions of the indexes.
type substrings struct {
	trigrams, words fts.Version
	rows            map[match.Term]substringRows
}

// substringRows are the messages that contain the text of a term.
type substringRows struct {
	asWord *idset.Set
	within *idset.Set // inside a longer word, and not as a word; nil for a text that is too short for the index
	before *idset.Set // of these: the longer word goes on with a script without spaces
}

const (
	// maxSubstrings is how many messages with a text that is no word there are read at most.
	// That takes as long as reading which characters come before which two of ASCII.
	maxSubstrings = 5_000
	// maxOthers is up to how many terms of a query restrict the messages that are read for
	// one of them.
	maxOthers = 16
	// trigram is how many characters a text has at least that the trigram index finds.
	trigram = 3
)

// rowsOfSubstring is for a process that searches once: until all borders have been read, it
// adds to unread the messages with the text of a term, without those that have it as a word
// and those that lack the text of one of the other terms. They are few for most words. Where
// they are many, and for prefixes, which are typed, the borders are needed: ok is false then.
// Messages in which the word itself goes on with such a script are added to found.
func (c *Cache) rowsOfSubstring(ctx context.Context, trigrams, words *fts.Index, t match.Term, others []match.Term, found, unread *idset.Set) (ok bool, err error) {
	if trigrams == nil || c.rows != nil || t.Prefix {
		return false, nil
	}
	if c.scripts, err = hasScripts(ctx, trigrams); err != nil || !c.scripts {
		return err == nil, err
	}
	of, ok, err := c.substringRows(ctx, trigrams, words, t)
	if err != nil || !ok {
		return false, err
	}
	rows := of.within
	if len(others) > maxOthers {
		others = nil
	}
	for _, other := range others {
		if other == t || other.Prefix || len(other.BorderWord()) < trigram {
			continue
		}
		with, ok, err := c.substringRows(ctx, trigrams, words, other)
		switch {
		case err != nil:
			return false, err
		case ok && rows == nil:
			rows = idset.Difference(with.asWord, of.asWord)
			rows.Union(idset.Difference(with.within, of.asWord))
		case ok:
			had := idset.Intersection(rows, with.asWord)
			had.Union(idset.Intersection(rows, with.within))
			rows = had
		}
	}
	if rows == nil || rows.Len() > maxSubstrings {
		return false, nil
	}
	found.Union(of.before)
	unread.Union(idset.Difference(rows, of.before))
	return true, nil
}

// hasScripts reports whether an index has a character of a script without spaces.
func hasScripts(ctx context.Context, trigrams *fts.Index) (has bool, err error) {
	err = trigrams.WalkTerms(ctx, fts.Version{}, firstUnspaced, func(term []byte) (next string) {
		r, _ := utf8.DecodeRune(term)
		switch {
		case r == utf8.RuneError:
			return string(term) + "\x00"
		case has || match.IsUnspaced(r):
			has = true
			return ""
		}
		return string(r + 1)
	})
	return has, err
}

// substringRows returns the messages that contain the text of a term. ok is false where an
// index does not find it.
func (c *Cache) substringRows(ctx context.Context, trigrams, words *fts.Index, t match.Term) (of substringRows, ok bool, err error) {
	known := &c.substrings
	if known.rows == nil || !known.trigrams.Equal(trigrams.Version()) || !known.words.Equal(words.Version()) || len(known.rows) > maxOthers {
		*known = substrings{trigrams.Version(), words.Version(), map[match.Term]substringRows{}}
	}
	if of, ok = known.rows[t]; ok {
		return of, true, nil
	}
	word := t.BorderWord()
	whole, ok := words.Phrase(word, false)
	if !ok {
		return of, false, nil
	}
	if of.asWord, err = words.Search(ctx, whole); err != nil {
		return of, false, err
	}
	if of.before, err = words.Search(ctx, words.Continued(word, []byte(leadBytes), beginsUnspaced)); err != nil {
		return of, false, err
	}
	if len(word) >= trigram {
		substring, ok := trigrams.Phrase(word, false)
		if !ok {
			return of, false, nil
		}
		rows, err := trigrams.Search(ctx, substring)
		if err != nil {
			return of, false, err
		}
		rows.Union(of.before) // which the trigram index may lack
		of.within = idset.Difference(rows, of.asWord)
	}
	known.rows[t] = of
	return of, true, nil
}
