package store

import (
	"context"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// lack takes messages out of unsure that surely do not have the symbols of a term
// at its words, where both are ASCII. Of messages that are plain, see [written],
// the index of trigrams has all that there is to know: which have the first word
// with the symbols before it, and which the last with those behind it, at the
// beginning of the message or behind what is in no word. Those with escapes of
// JSON may have it in another way.
func (f *finder) lack(ctx context.Context, t model.Term, unsure *ftsindex.Set) error {
	head, tail := t.Outer()
	odd := func(r rune) bool { return r >= utf8.RuneSelf || r == 0 }
	if head+tail == "" || strings.ContainsFunc(head+tail, odd) || strings.Contains(f.s.schema.tables[f.grams.table], "remove_diacritics") {
		return nil
	}
	if _, sized := f.s.schema.tables[f.grams.table+"_docsize"]; !sized {
		return nil
	}
	var texts []question
	for _, text := range []string{head, tail} {
		if len(text) >= 3 {
			texts = append(texts, quoted(text, false))
		}
	}
	if len(texts) > 0 {
		can, ok, err := f.trigrams(ctx, allOf(texts...))
		if err != nil || !ok {
			return err
		}
		if err := f.less(ctx, unsure, can); err != nil || unsure.Len() <= f.some {
			return err
		}
	}
	if tail == "" {
		return nil
	}
	behind, ok, err := f.begins(ctx, tail)
	if err != nil || !ok {
		return err
	}
	can, ok, err := f.trigrams(ctx, first(tail[:min(3, len(tail))]))
	if err != nil || !ok {
		return err
	}
	can.Union(behind)
	return f.less(ctx, unsure, can)
}

// begins gives the messages in which a text of ASCII, two characters or more, may
// begin a word: in which it stands behind one of ASCII that is in no word. ok is
// false where the index of trigrams does not tell. The set is for reading.
func (f *finder) begins(ctx context.Context, text string) (ids *ftsindex.Set, ok bool, err error) {
	if f.begun.ids != nil && f.begun.text == text {
		return f.begun.ids, true, nil
	}
	q := after(text)
	if len(text) < 3 {
		var of []question
		for _, r := range betweenWords() {
			of = append(of, quoted(string(r)+text, false))
		}
		q = anyOf(of...)
	}
	if ids, ok, err = f.trigrams(ctx, q); err != nil || !ok {
		return nil, false, err
	}
	f.begun.text, f.begun.ids = text, ids
	return ids, true, nil
}

// betweenWords gives the characters of ASCII that are in no word.
func betweenWords() (all []rune) {
	for c := byte(1); c < utf8.RuneSelf; c++ {
		if !inASCIIWord(c) {
			all = append(all, rune(c))
		}
	}
	return all
}

// less takes the messages out of unsure that are none of can, but for those that
// are not plain or have escapes of JSON.
func (f *finder) less(ctx context.Context, unsure, can *ftsindex.Set) error {
	absent := ftsindex.Without(unsure, can)
	if absent.Empty() {
		return nil
	}
	escapes, ok, err := f.trigrams(ctx, inside(`\u`, nil))
	if err != nil || !ok {
		return err
	}
	absent.Subtract(escapes)
	w, err := f.writing(ctx, absent)
	if err != nil {
		return err
	}
	unsure.Subtract(&w.plain)
	return nil
}
