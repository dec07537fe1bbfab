package store

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// partly finds the messages that have a text of one or two characters which may
// be stored in other ways than it is typed, by the character of it that is not:
// the index of trigrams tells where that stands, and what stands there is read.
// ok is false where no index tells of any.
func (f *finder) partly(ctx context.Context, text string) (found *ftsindex.Set, ok bool, err error) {
	var can *ftsindex.Set
	for _, r := range text {
		one := string(r)
		var ids *ftsindex.Set
		switch {
		case r == utf8.RuneError:
			// The index has it for itself, and for most of what is no text at all.
			if ids, ok, err = f.anywhere(ctx, one); err == nil && ok {
				err = f.halves(ctx, ids)
			}
		case asTyped(one):
			ids, ok, err = f.anywhere(ctx, one)
		case r == '\\' || unicode.IsLetter(r) || unicode.IsNumber(r):
			continue
		default:
			ids, ok, err = f.inAnyCase(ctx, r)
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
	coded, err := f.coded(ctx)
	if err != nil {
		return nil, false, err
	}
	can.Union(coded)
	_, found, err = f.read(ctx, alone(model.Term{Text: text}), "", can)
	return found, true, err
}

// inAnyCase gives the messages that have a character which is no letter, or its
// capital, as they are or as JSON spells them.
func (f *finder) inAnyCase(ctx context.Context, r rune) (ids *ftsindex.Set, ok bool, err error) {
	ids = &ftsindex.Set{}
	var spelled []question
	for c := r; ; {
		found, ok, err := f.anywhere(ctx, string(c))
		if err != nil || !ok {
			return nil, false, err
		}
		ids.Union(found)
		spelled = append(spelled, quoted(escapeWord(c), true))
		if c = unicode.SimpleFold(c); c == r {
			break
		}
	}
	found, err := f.match(ctx, &f.words, anyOf(spelled...))
	if err != nil {
		return nil, false, err
	}
	ids.Union(found)
	return ids, true, nil
}

// halves puts into ids the messages that have halves of characters as JSON
// spells them, which by themselves are no text.
func (f *finder) halves(ctx context.Context, ids *ftsindex.Set) error {
	var of []question
	for _, digit := range strings.Split("89abcdef", "") {
		of = append(of, quoted("ud"+digit, true))
	}
	found, err := f.match(ctx, &f.words, anyOf(of...))
	if err == nil {
		ids.Union(found)
	}
	return err
}
