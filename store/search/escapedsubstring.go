package search

import (
	"context"
	"hermes-sessions/model/match"
	"hermes-sessions/store/search/fts"
	"strings"
	"unicode"
	"unicode/utf8"
)

// searchEscaped finds the messages that have a text of one or two characters which may
// be stored in other ways than it is typed, by the character of it that is not:
// the index of trigrams tells where that stands, and what stands there is read.
// ok is false where no index tells of any.
func (f *executor) searchEscaped(ctx context.Context, text string) (found *fts.Set, ok bool, err error) {
	var can *fts.Set
	for _, r := range text {
		one := string(r)
		var ids *fts.Set
		switch {
		case r == utf8.RuneError:
			// The index has it for itself, and for most of what is no text at all.
			if ids, ok, err = f.substringByTrigrams(ctx, one); err == nil && ok {
				err = f.surrogateHalves(ctx, ids)
			}
		case matchesVerbatim(one):
			ids, ok, err = f.substringByTrigrams(ctx, one)
		case r == '\\' || unicode.IsLetter(r) || unicode.IsNumber(r):
			continue
		default:
			ids, ok, err = f.anyCaseOf(ctx, r)
		}
		if err != nil || !ok {
			return nil, false, err
		}
		if can == nil {
			can = ids
		}
		can.Intersect(ids)
	}
	if can == nil {
		return nil, false, nil
	}
	coded, err := f.escapedMessages(ctx)
	if err != nil {
		return nil, false, err
	}
	can.Union(coded)
	_, found, err = f.ReadAndMatch(ctx, singleTerm(match.Term{Text: text}), "", can)
	return found, true, err
}

// anyCaseOf gives the messages that have a character which is no letter, or its
// capital, as they are or as JSON spells them.
func (f *executor) anyCaseOf(ctx context.Context, r rune) (ids *fts.Set, ok bool, err error) {
	ids = &fts.Set{}
	var spelled []ftsQuery
	for c := r; ; {
		found, ok, err := f.substringByTrigrams(ctx, string(c))
		if err != nil || !ok {
			return nil, false, err
		}
		ids.Union(found)
		spelled = append(spelled, phrase(escapeRune(c), true))
		if c = unicode.SimpleFold(c); c == r {
			break
		}
	}
	found, err := f.matchTable(ctx, &f.words, anyOf(spelled...))
	if err != nil {
		return nil, false, err
	}
	ids.Union(found)
	return ids, true, nil
}

// surrogateHalves puts into ids the messages that have halves of characters as JSON
// spells them, which by themselves are no text.
func (f *executor) surrogateHalves(ctx context.Context, ids *fts.Set) error {
	var of []ftsQuery
	for _, digit := range strings.Split("89abcdef", "") {
		of = append(of, phrase("ud"+digit, true))
	}
	found, err := f.matchTable(ctx, &f.words, anyOf(of...))
	if err == nil {
		ids.Union(found)
	}
	return err
}
