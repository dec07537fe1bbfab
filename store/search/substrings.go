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

// substring returns what the indexes tell about a text: the trigram index about it as typed,
// the word index about its escapes in JSON. Messages that the trigram index does not hold are
// read.
func (ex *executor) substring(ctx context.Context, t match.Term) (evidence, error) {
	if err := ex.probeTrigrams(ctx); err != nil {
		return evidence{}, err
	}
	if found, ok, err := ex.unindexedText(ctx, t); ok || err != nil {
		return found, err
	}
	found, unindexed, err := ex.byTrigrams(ctx, t.Text)
	if err != nil {
		return evidence{}, err
	}
	if unindexed != "" {
		// LIKE stops at a NUL. Multimodal content begins with one; behind one in
		// the middle of a text only words are found.
		where := `(` + unindexed + `) AND (m.content LIKE ?1 ESCAPE '\' OR ` + ex.toolNameColumn + ` LIKE ?1 ESCAPE '\'
			OR ` + ex.toolCallsColumn + ` LIKE ?1 ESCAPE '\' OR m.content < char(1))`
		if ex.mostTexts > 0 || ex.onlyNewestTexts && t.Within { // a word inside others is a guess
			newest, err := ex.amongNewest(ctx)
			if err != nil {
				return evidence{}, err
			}
			where += newest
		}
		_, read, err := ex.readAndMatch(ctx, singleTerm(t), where, nil, likePattern(t.Text))
		if err != nil {
			return evidence{}, err
		}
		found.either(certain(read))
	}
	if escaped := pyjson.Escape(t.Text); escaped != t.Text {
		ids, err := ex.matchTable(ctx, &ex.words, ftsquery.Phrase(escaped, true))
		if err != nil {
			return evidence{}, err
		}
		found.possible.Union(ids)
		if utf8.RuneCountInString(t.Text) == 1 { // else there may be punctuation between two escapes, which are words
			found.sure.Union(ids)
		}
	}
	return found, nil
}

// byTrigrams returns what the trigram index tells about a text as it is typed: from three
// characters on by the trigrams of the text, about a shorter one by the trigrams that begin
// with it. unindexed is the condition on m for the messages that the index does not answer
// for: "1" for all, "" for none.
func (ex *executor) byTrigrams(ctx context.Context, text string) (found evidence, unindexed string, err error) {
	var ok bool
	short := utf8.RuneCountInString(text) < 3
	switch {
	case ex.trigrams.table != "" && !short:
		ids, err := ex.matchTable(ctx, &ex.trigrams, ftsquery.Phrase(text, false))
		if err != nil {
			return evidence{}, "", err
		}
		return certain(ids), ex.trigrams.unindexedRows, nil
	case matchesVerbatim(strings.ReplaceAll(text, `\`, "")):
		found, ok, err = ex.shortText(ctx, text)
	case short:
		found, ok, err = ex.shortInAnyForm(ctx, text)
	}
	if err == nil && !ok {
		return certain(&idset.Set{}), "1", nil
	}
	return found, "", err
}

// shortText returns what the trigram index tells about a text of one or two characters that
// is stored as it is typed, apart from backslashes. ok is false when it cannot answer.
func (ex *executor) shortText(ctx context.Context, text string) (found evidence, ok bool, err error) {
	found, ok, err = ex.beginningTrigrams(ctx, text)
	if err != nil || !ok || text[0] >= utf8.RuneSelf { // what JSON escapes is found by its escapes
		return found, ok, err
	}
	jsonContent, err := ex.jsonContentIDs(ctx)
	if err != nil {
		return evidence{}, false, err
	}
	found.possible.Union(jsonContent)
	if strings.HasSuffix(text, `\`) { // it may be the beginning of an escape
		found.sure, ok, err = ex.matchTrigrams(ctx, ftsquery.Contains(text, func(three []byte) bool {
			// The u of an escape may follow, or another backslash before that u.
			return len(three) > len(text) && three[len(text)] != 'u' && three[len(text)] != '\\'
		}))
	}
	return found, ok, err
}

// beginningTrigrams returns which messages contain one or two characters, by the trigrams that
// begin with them. At the very end of a message no trigram does: where JSON can end with the
// characters, the ends of the others are read.
func (ex *executor) beginningTrigrams(ctx context.Context, s string) (found evidence, ok bool, err error) {
	ids, ok, err := ex.matchTrigrams(ctx, ftsquery.Contains(s, nil))
	if err != nil || !ok {
		return evidence{}, false, err
	}
	found = certain(ids)
	if endsInsideText(s) {
		return found, true, nil
	}
	if utf8.RuneCountInString(s) > 2 {
		return evidence{}, false, nil
	}
	if err := ex.addEndings(ctx, s, found); err != nil {
		return evidence{}, false, err
	}
	var escapes []ftsquery.Query // JSON need not escape these characters, but may
	for _, r := range s {
		escapes = append(escapes, ftsquery.Phrase(pyjson.EscapeRune(r), true))
	}
	escaped, err := ex.matchTable(ctx, &ex.words, ftsquery.AnyOf(escapes...))
	if err == nil {
		found.possible.Union(escaped)
	}
	return found, true, err
}

// addEndings adds the messages that end with a text, or have it before their last character, as
// [textfacts.Facts] have them.
func (ex *executor) addEndings(ctx context.Context, s string, found evidence) error {
	if ex.mostTexts > 0 { // a key that waits for its rows has those of the trigrams
		ex.cut = true
		return nil
	}
	rest, err := ex.factSource().IDsBetween(ctx, ex.firstID, ex.lastID)
	if err != nil {
		return err
	}
	rest.Subtract(found.sure)
	facts, err := ex.engine.textFacts.Of(ctx, ex.factSource(), rest)
	if err != nil {
		return err
	}
	rest.Subtract(&facts.ReadIDs)
	rest.Union(&facts.OtherEnds)
	found.possible.Union(rest)
	for ending, ids := range facts.ByEnding {
		if strings.Contains(ending, s) {
			found.either(certain(ids))
		}
	}
	return nil
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

// shortInAnyForm returns what the indexes tell about a text of one or two characters that may
// be stored in another form than it is typed: another case, an escape, an invalid byte. The
// trigram index gives the messages that have its characters other than letters, in any form.
// ok is false when it cannot answer, or the text has no such character.
func (ex *executor) shortInAnyForm(ctx context.Context, text string) (found evidence, ok bool, err error) {
	var possible *idset.Set
	for _, r := range text {
		forms := []rune{r}
		switch {
		case r == utf8.RuneError || matchesVerbatim(string(r)):
		case r == '\\' || unicode.IsLetter(r) || unicode.IsNumber(r):
			continue
		default:
			for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
				forms = append(forms, c)
			}
		}
		ids, ok, err := ex.anyCharacter(ctx, forms)
		if err != nil || !ok {
			return evidence{}, false, err
		}
		if possible == nil {
			possible = ids
		}
		possible.Intersect(ids)
	}
	if possible == nil {
		return evidence{}, false, nil
	}
	jsonContent, err := ex.jsonContentIDs(ctx)
	if err != nil {
		return evidence{}, false, err
	}
	possible.Union(jsonContent)
	return evidence{&idset.Set{}, possible}, true, nil
}

// anyCharacter returns the messages that may contain one of some characters, as it is or as a
// JSON escape: U+FFFD stands for invalid bytes, and for one half of a surrogate pair.
func (ex *executor) anyCharacter(ctx context.Context, forms []rune) (possible *idset.Set, ok bool, err error) {
	possible = &idset.Set{}
	var escapes []ftsquery.Query
	for _, c := range forms {
		found, ok, err := ex.beginningTrigrams(ctx, string(c))
		if err != nil || !ok {
			return nil, false, err
		}
		possible.Union(found.possible)
		escapes = append(escapes, ftsquery.Phrase(pyjson.EscapeRune(c), true))
		if c == utf8.RuneError {
			for _, digit := range "89abcdef" {
				escapes = append(escapes, ftsquery.Phrase("ud"+string(digit), true))
			}
		}
	}
	escaped, err := ex.matchTable(ctx, &ex.words, ftsquery.AnyOf(escapes...))
	if err == nil {
		possible.Union(escaped)
	}
	return possible, true, err
}
