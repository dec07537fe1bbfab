package search

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/ftsquery"
)

// searchSubstring returns the messages that contain a text: those of the trigram
// index, those in which JSON escapes it, and by reading those that the trigram
// index does not hold. The set is the caller's.
func (ex *executor) searchSubstring(ctx context.Context, t match.Term) (*idset.Set, error) {
	if err := ex.probeTrigrams(ctx); err != nil {
		return nil, err
	}
	ids, unindexed, err := ex.substringByIndex(ctx, t)
	if err != nil {
		return nil, err
	}
	if unindexed != "" {
		// LIKE stops at a NUL. Multimodal content begins with one; behind one in
		// the middle of a text only words are found.
		where := `(` + unindexed + `) AND (m.content LIKE ?1 ESCAPE '\' OR ` + ex.toolNameColumn + ` LIKE ?1 ESCAPE '\'
			OR ` + ex.toolCallsColumn + ` LIKE ?1 ESCAPE '\' OR m.content < char(1))`
		_, found, err := ex.readAndMatch(ctx, singleTerm(t), where, nil, likePattern(t.Text))
		if err != nil {
			return nil, err
		}
		ids.Union(found)
	}
	if escaped := pyjson.Escape(t.Text); escaped != t.Text {
		found, err := ex.matchTable(ctx, &ex.words, ftsquery.Phrase(escaped, true))
		if err != nil {
			return nil, err
		}
		if found.Subtract(ids); utf8.RuneCountInString(t.Text) > 1 {
			// Each escape is a word, and there may be punctuation between two words.
			if found, err = ex.withoutGaps(ctx, t, found); err != nil {
				return nil, err
			}
		}
		ids.Union(found)
	}
	return ids, nil
}

// substringByIndex returns the messages that contain a text as it is typed, by the
// trigram index: from three characters on by the trigrams of the text, a shorter
// text by the trigrams that begin with it. unindexed is the condition on m for the
// messages that the index does not answer for: "1" for all, "" for none.
func (ex *executor) substringByIndex(ctx context.Context, t match.Term) (ids *idset.Set, unindexed string, err error) {
	var ok bool
	short := utf8.RuneCountInString(t.Text) < 3
	switch {
	case ex.trigrams.table != "" && !short:
		ids, err = ex.matchTable(ctx, &ex.trigrams, ftsquery.Phrase(t.Text, false))
		return ids, ex.trigrams.unindexedRows, err
	case matchesVerbatim(strings.ReplaceAll(t.Text, `\`, "")):
		ids, ok, err = ex.shortSubstring(ctx, t)
	case short:
		ids, ok, err = ex.shortSubstringInAnyForm(ctx, t.Text)
	}
	if err == nil && !ok {
		return &idset.Set{}, "1", nil
	}
	return ids, "", err
}

// shortSubstring returns the messages that contain a text of one or two characters
// that is stored as it is typed, apart from backslashes. ok is false when the trigram
// index cannot answer.
func (ex *executor) shortSubstring(ctx context.Context, t match.Term) (found *idset.Set, ok bool, err error) {
	found, ok, err = ex.substringByTrigrams(ctx, t.Text)
	if err != nil || !ok || t.Text[0] >= utf8.RuneSelf { // what JSON escapes is found by its escapes
		return found, ok, err
	}
	unsure, err := ex.jsonContentIDs(ctx)
	if err != nil {
		return nil, false, err
	}
	if strings.HasSuffix(t.Text, `\`) { // it may be the beginning of an escape
		sure, _, err := ex.matchTrigrams(ctx, ftsquery.Contains(t.Text, func(three []byte) bool {
			// The u of an escape may follow, or another backslash before that u.
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
	if _, unsure, err = ex.readAndMatch(ctx, singleTerm(t), "", unsure); err != nil {
		return nil, false, err
	}
	found.Union(unsure)
	return found, true, nil
}

// substringByTrigrams returns the messages that contain one or two characters, by the
// trigrams that begin with them. At the very end of a message no trigram does:
// where JSON can end with the characters, the endings in [textfacts.Facts] are searched too.
func (ex *executor) substringByTrigrams(ctx context.Context, s string) (ids *idset.Set, ok bool, err error) {
	q := ftsquery.Contains(s, nil)
	if endsInsideText(s) {
		return ex.matchTrigrams(ctx, q)
	}
	if ids, ok, err = ex.matchTrigrams(ctx, q); err != nil || !ok || len([]rune(s)) > 2 {
		return nil, false, err
	}
	rest, err := ex.factSource().IDsBetween(ctx, ex.firstID, ex.lastID)
	if err != nil {
		return nil, false, err
	}
	rest.Subtract(ids)
	facts, err := ex.engine.textFacts.Of(ctx, ex.factSource(), rest)
	if err != nil {
		return nil, false, err
	}
	rest.Subtract(&facts.ReadIDs)
	rest.Union(&facts.Uncategorized)
	for ending, found := range facts.ByEnding {
		if strings.Contains(ending, s) {
			ids.Union(found)
		}
	}
	var escapes []ftsquery.Query // JSON need not escape these characters, but may
	for _, r := range s {
		escapes = append(escapes, ftsquery.Phrase(pyjson.EscapeRune(r), true))
	}
	found, err := ex.matchTable(ctx, &ex.words, ftsquery.AnyOf(escapes...))
	if err != nil {
		return nil, false, err
	}
	rest.Union(found)
	rest.Subtract(ids)
	_, found, err = ex.readAndMatch(ctx, singleTerm(match.Term{Text: s}), "", rest)
	ids.Union(found)
	return ids, true, err
}

// endsInsideText reports whether another character always follows a text in a row
// of the trigram index. A row can end with a bracket or a quotation mark of JSON,
// or with an invalid byte where JSON was cut off.
func endsInsideText(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return !strings.ContainsRune(`]}"`+"\ufffd", last)
}

// matchesVerbatim reports whether a text is stored as it is typed, apart from the case
// of its ASCII letters. JSON writes a backslash in several ways, a letter beyond
// ASCII can have more than two forms, and U+FFFD replaces invalid bytes.
func matchesVerbatim(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r == '\\' || r == utf8.RuneError || r|1 == 0xffff || 0x7f <= r && (r < 0xa0 || unicode.SimpleFold(r) != r || unicode.Is(unicode.Latin, r))
	})
}

// likePattern returns a LIKE pattern that every text with s in it matches, and maybe
// others: LIKE folds the case of ASCII letters only, so other letters match any.
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

// shortSubstringInAnyForm returns the messages that contain a text of one or two
// characters that may be stored in another form than it is typed: another case, an
// escape, an invalid byte. The trigram index gives the messages that have its
// characters other than letters, in any form, and these are read. ok is false when
// the index cannot answer, or the text has no such character.
func (ex *executor) shortSubstringInAnyForm(ctx context.Context, text string) (found *idset.Set, ok bool, err error) {
	var possible *idset.Set
	for _, r := range text {
		one := string(r)
		var ids *idset.Set
		switch {
		case r == utf8.RuneError:
			// The index stores U+FFFD for most invalid bytes.
			if ids, ok, err = ex.substringByTrigrams(ctx, one); err == nil && ok {
				err = ex.addSurrogateHalves(ctx, ids)
			}
		case matchesVerbatim(one):
			ids, ok, err = ex.substringByTrigrams(ctx, one)
		case r == '\\' || unicode.IsLetter(r) || unicode.IsNumber(r):
			continue
		default:
			ids, ok, err = ex.characterInAnyForm(ctx, r)
		}
		if err != nil || !ok {
			return nil, false, err
		}
		if possible == nil {
			possible = ids
		}
		possible.Intersect(ids)
	}
	if possible == nil {
		return nil, false, nil
	}
	jsonContent, err := ex.jsonContentIDs(ctx)
	if err != nil {
		return nil, false, err
	}
	possible.Union(jsonContent)
	_, found, err = ex.readAndMatch(ctx, singleTerm(match.Term{Text: text}), "", possible)
	return found, true, err
}

// characterInAnyForm returns the messages that contain a character in any case, as it
// is or as a JSON escape.
func (ex *executor) characterInAnyForm(ctx context.Context, r rune) (ids *idset.Set, ok bool, err error) {
	ids = &idset.Set{}
	var escapes []ftsquery.Query
	for c := r; ; {
		found, ok, err := ex.substringByTrigrams(ctx, string(c))
		if err != nil || !ok {
			return nil, false, err
		}
		ids.Union(found)
		escapes = append(escapes, ftsquery.Phrase(pyjson.EscapeRune(c), true))
		if c = unicode.SimpleFold(c); c == r {
			break
		}
	}
	found, err := ex.matchTable(ctx, &ex.words, ftsquery.AnyOf(escapes...))
	if err != nil {
		return nil, false, err
	}
	ids.Union(found)
	return ids, true, nil
}

// addSurrogateHalves adds to ids the messages with escapes \ud800 to \udfff. One of
// these without the other half decodes to U+FFFD.
func (ex *executor) addSurrogateHalves(ctx context.Context, ids *idset.Set) error {
	var escapes []ftsquery.Query
	for _, digit := range strings.Split("89abcdef", "") {
		escapes = append(escapes, ftsquery.Phrase("ud"+digit, true))
	}
	found, err := ex.matchTable(ctx, &ex.words, ftsquery.AnyOf(escapes...))
	if err == nil {
		ids.Union(found)
	}
	return err
}
