package store

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// lack takes messages out of unsure that surely do not have the symbols of a term
// at its words, where both are ASCII. Of messages that are plain, see [written],
// the index of trigrams has all that there is to know: which have the first word
// with the symbols before it and what may follow it, and which the last with
// those behind it, at the beginning of the message or behind what is in no word.
// Those with escapes of JSON may have it in another way.
func (f *finder) lack(ctx context.Context, t model.Term, unsure *ftsindex.Set) error {
	head, tail := t.Outer()
	odd := func(r rune) bool { return r >= utf8.RuneSelf || r == 0 }
	if head+tail == "" || strings.ContainsFunc(head+tail, odd) || !f.measured() {
		return nil
	}
	plain, ok, err := f.unescaped(ctx, unsure)
	if err != nil || !ok || plain.Len() <= f.some {
		return err
	}
	less := func(can *ftsindex.Set) {
		absent := ftsindex.Without(plain, can)
		plain.Subtract(absent)
		unsure.Subtract(absent)
	}
	var texts []question
	if words := t.Words(); head != "" && len(words) > 1 {
		texts = append(texts, before(head, words[1]))
	} else if len(head) >= 3 {
		texts = append(texts, quoted(head, false))
	}
	if len(tail) >= 3 && f.begun[tail] == nil {
		texts = append(texts, quoted(tail, false))
	}
	if len(texts) > 0 {
		can, ok, err := f.trigrams(ctx, allOf(texts...))
		if err != nil || !ok {
			return err
		}
		if less(can); plain.Len() <= f.some {
			return nil
		}
	}
	if tail == "" {
		return nil
	}
	begins := tail
	words := t.Words()
	if len(words) > 1 { // one space stands between the last two, or what is asked below
		begins = words[len(words)-2] + " " + tail
	}
	can, ok, err := f.trigrams(ctx, first(begins[:min(3, len(begins))]))
	if err != nil || !ok {
		return err
	}
	behind, ok, err := f.begins(ctx, begins)
	if err != nil || !ok {
		return err
	}
	can.Union(behind)
	if len(words) > 1 {
		if behind, ok, err = f.trigrams(ctx, looselyBehind(tail)); err != nil || !ok {
			return err
		}
		can.Union(behind)
	}
	less(can)
	return nil
}

// before asks for a text of ASCII, two characters or more, that another word may
// follow: it stands behind one space, or behind another sign as far as its first
// letter tells, or there are more signs than one.
func before(text, word string) question {
	return anyOf(
		quoted(text+" "+word, false),
		ahead(text, betweenWords(), func(three []byte) bool {
			c := three[2]
			return c < utf8.RuneSelf && !inASCIIWord(c) || c == word[0] && three[1] != ' '
		}),
	)
}

// looselyBehind asks for a text of ASCII that stands behind another word with
// more than one space between them, or another sign.
func looselyBehind(text string) question {
	signs := slices.DeleteFunc(betweenWords(), func(c rune) bool { return c == ' ' })
	return anyOf(after(signs, text), after(betweenWords(), " "+text))
}

// begins gives the messages in which a text of ASCII, two characters or more, may
// begin a word: in which it stands behind one of ASCII that is in no word. ok is
// false where the index of trigrams does not tell. The set is for reading.
func (f *finder) begins(ctx context.Context, text string) (ids *ftsindex.Set, ok bool, err error) {
	if ids = f.begun[text]; ids != nil {
		return ids, true, nil
	}
	if ids, ok, err = f.trigrams(ctx, after(betweenWords(), text)); err != nil || !ok {
		return nil, false, err
	}
	if f.begun == nil {
		f.begun = map[string]*ftsindex.Set{}
	}
	f.begun[text] = ids
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

// unescaped gives those of some messages that are plain and have no escapes of
// JSON. ok is false where the index of trigrams does not tell.
func (f *finder) unescaped(ctx context.Context, ids *ftsindex.Set) (plain *ftsindex.Set, ok bool, err error) {
	w, err := f.writing(ctx, ids)
	if err != nil {
		return nil, false, err
	}
	escapes, ok, err := f.trigrams(ctx, inside(`\u`, nil))
	if err != nil || !ok {
		return nil, false, err
	}
	w.plain.Subtract(escapes)
	return &w.plain, true, nil
}
