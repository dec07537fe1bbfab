package search

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/store/search/fts"
)

// searchSubstring finds the messages that hold a text anywhere.
func (f *executor) searchSubstring(ctx context.Context, t match.Term) (*fts.Set, error) {
	if err := f.probeTrigrams(ctx); err != nil {
		return nil, err
	}
	ids, outside, err := f.substringByIndex(ctx, t)
	if err != nil {
		return nil, err
	}
	if outside != "" {
		// LIKE stops at a NUL. Multimodal content begins with one; behind one in
		// the middle of a text only words are found.
		where := `(` + outside + `) AND (m.content LIKE ?1 ESCAPE '\' OR ` + f.toolNameColumn + ` LIKE ?1 ESCAPE '\'
			OR ` + f.toolCallsColumn + ` LIKE ?1 ESCAPE '\' OR m.content < char(1))`
		_, found, err := f.readAndMatch(ctx, singleTerm(t), where, nil, likePattern(t.Text))
		if err != nil {
			return nil, err
		}
		ids.Union(found)
	}
	if esc := toEscaped(t.Text); esc != t.Text {
		found, err := f.matchTable(ctx, &f.words, phrase(esc, true))
		if err != nil {
			return nil, err
		}
		if found.Subtract(ids); utf8.RuneCountInString(t.Text) > 1 {
			// Each character is a word, and words may have something between them.
			if found, err = f.withoutGaps(ctx, t, found); err != nil {
				return nil, err
			}
		}
		ids.Union(found)
	}
	return ids, nil
}

// substringByIndex finds the messages that hold a text anywhere as it is typed, by
// the index of trigrams: from three characters on by the text itself, shorter
// texts by what stands around them. outside is the condition on m for messages of
// which the index does not tell, "1" for all and "" for none.
func (f *executor) substringByIndex(ctx context.Context, t match.Term) (ids *fts.Set, outside string, err error) {
	var ok bool
	short := utf8.RuneCountInString(t.Text) < 3
	switch {
	case f.trigrams.table != "" && !short:
		ids, err = f.matchTable(ctx, &f.trigrams, phrase(t.Text, false))
		return ids, f.trigrams.unindexedRows, err
	case matchesVerbatim(strings.ReplaceAll(t.Text, `\`, "")):
		ids, ok, err = f.shortSubstring(ctx, t)
	case short:
		ids, ok, err = f.shortSubstringInAnyForm(ctx, t.Text)
	}
	if err == nil && !ok {
		return &fts.Set{}, "1", nil
	}
	return ids, "", err
}

// shortSubstring finds the messages that hold a text of one or two characters which
// is stored as it is typed, backslashes aside. ok is false where the index of
// trigrams does not tell.
func (f *executor) shortSubstring(ctx context.Context, t match.Term) (found *fts.Set, ok bool, err error) {
	found, ok, err = f.substringByTrigrams(ctx, t.Text)
	if err != nil || !ok || t.Text[0] >= utf8.RuneSelf { // other scripts as JSON spells them are found by their escapes
		return found, ok, err
	}
	unsure, err := f.jsonContentIDs(ctx)
	if err != nil {
		return nil, false, err
	}
	if strings.HasSuffix(t.Text, `\`) { // may only spell another character
		sure, _, err := f.matchTrigrams(ctx, contains(t.Text, func(three []byte) bool {
			// The u of an escape may stand behind it, or one more before that.
			return len(three) > len(t.Text) && three[len(t.Text)] != 'u' && three[len(t.Text)] != '\\'
		}))
		if err != nil {
			return nil, false, err
		}
		unsure = unsure.Clone()
		unsure.Union(found)
		unsure.Subtract(sure)
		found = sure
	}
	if _, unsure, err = f.readAndMatch(ctx, singleTerm(t), "", unsure); err != nil {
		return nil, false, err
	}
	found.Union(unsure)
	return found, true, nil
}

// substringByTrigrams gives the messages that have one or two characters, by the index of
// trigrams. Where they can end JSON, it is remembered how messages end.
func (f *executor) substringByTrigrams(ctx context.Context, s string) (ids *fts.Set, ok bool, err error) {
	of := contains(s, nil)
	if endsInsideText(s) {
		return f.matchTrigrams(ctx, of)
	}
	if ids, ok, err = f.matchTrigrams(ctx, of); err != nil || !ok || len([]rune(s)) > 2 {
		return nil, false, err
	}
	rest, err := f.idsBetween(ctx, f.firstID, f.lastID)
	if err != nil {
		return nil, false, err
	}
	rest.Subtract(ids)
	w, err := f.textFactsOf(ctx, rest)
	if err != nil {
		return nil, false, err
	}
	rest.Subtract(&w.readIDs)
	rest.Union(&w.uncategorized)
	for end, found := range w.byEnding {
		if strings.Contains(end, s) {
			ids.Union(found)
		}
	}
	var escapes []ftsQuery // of what JSON has no need to escape, but may
	for _, r := range s {
		escapes = append(escapes, phrase(escapeRune(r), true))
	}
	found, err := f.matchTable(ctx, &f.words, anyOf(escapes...))
	if err != nil {
		return nil, false, err
	}
	rest.Union(found)
	rest.Subtract(ids)
	_, found, err = f.readAndMatch(ctx, singleTerm(match.Term{Text: s}), "", rest)
	ids.Union(found)
	return ids, true, err
}

// endsInsideText reports whether a text has always another character behind it: JSON's
// brackets end a row, or what is no text where JSON was cut off.
func endsInsideText(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return !strings.ContainsRune(`]}"`+"\ufffd", last)
}

// matchesVerbatim reports whether a text is stored as it is typed, but for the case of
// its ASCII letters: JSON spells a backslash in several ways, other letters may
// have more forms than two, and U+FFFD stands for what is no text.
func matchesVerbatim(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r == '\\' || r == utf8.RuneError || r|1 == 0xffff || 0x7f <= r && (r < 0xa0 || unicode.SimpleFold(r) != r || unicode.Is(unicode.Latin, r))
	})
}

// likePattern makes a LIKE pattern that no text with s in it fails. LIKE knows the
// case of ASCII letters only.
func likePattern(s string) string {
	var b strings.Builder
	b.WriteByte('%')
	for _, r := range s {
		switch {
		case r == '%' || r == '_' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= 0x80 && unicode.IsLetter(r) && unicode.SimpleFold(r) != r:
			b.WriteByte('_')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('%')
	return b.String()
}

// shortSubstringInAnyForm finds the messages that have a text of one or two characters which may
// be stored in other ways than it is typed, by the character of it that is not:
// the index of trigrams tells where that stands, and what stands there is read.
// ok is false where no index tells of any.
func (f *executor) shortSubstringInAnyForm(ctx context.Context, text string) (found *fts.Set, ok bool, err error) {
	var can *fts.Set
	for _, r := range text {
		one := string(r)
		var ids *fts.Set
		switch {
		case r == utf8.RuneError:
			// The index has it for itself, and for most of what is no text at all.
			if ids, ok, err = f.substringByTrigrams(ctx, one); err == nil && ok {
				err = f.addSurrogateHalves(ctx, ids)
			}
		case matchesVerbatim(one):
			ids, ok, err = f.substringByTrigrams(ctx, one)
		case r == '\\' || unicode.IsLetter(r) || unicode.IsNumber(r):
			continue
		default:
			ids, ok, err = f.characterInAnyForm(ctx, r)
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
	coded, err := f.jsonContentIDs(ctx)
	if err != nil {
		return nil, false, err
	}
	can.Union(coded)
	_, found, err = f.readAndMatch(ctx, singleTerm(match.Term{Text: text}), "", can)
	return found, true, err
}

// characterInAnyForm gives the messages that have a character which is no letter, or its
// capital, as they are or as JSON spells them.
func (f *executor) characterInAnyForm(ctx context.Context, r rune) (ids *fts.Set, ok bool, err error) {
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

// addSurrogateHalves puts into ids the messages that have halves of characters as JSON
// spells them, which by themselves are no text.
func (f *executor) addSurrogateHalves(ctx context.Context, ids *fts.Set) error {
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
