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

// verifyGroup splits the messages of one alternative, found by words alone, by
// whether the symbols of its terms are next to the words: the word index stores no
// symbols. By the trigram index, sure are those that match, unsure those that may
// match and have to be read; the others do not match.
//
// It narrows unsure to the messages with the trigrams found where symbols meet words
// (boundaryCandidates), proves messages by the trigrams of the whole text
// (proveVerbatim), and refutes others by the character before the text (refute).
// Each step costs a few reads of the index, a message that stays unsure its text.
func (ex *executor) verifyGroup(ctx context.Context, g match.Group, ids *idset.Set) (sure, unsure *idset.Set, err error) {
	unsure = ids
	sure = ids.Clone()
	ex.candidates = unsure // it shrinks as the loops go on
	defer func() { ex.candidates = nil }()
	for _, t := range withSymbols(g.All) { // a message needs all of them
		possible, ok, err := ex.boundaryCandidates(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			unsure.Intersect(possible)
			sure.Intersect(possible)
		}
		if sure.Empty() {
			continue
		}
		if sure, err = ex.proveVerbatim(ctx, t, sure); err != nil {
			return nil, nil, err
		}
	}
	for _, t := range withSymbols(g.Not) { // a message may have none, and few have one
		if sure.Empty() {
			break
		}
		suspects, err := ex.matchTable(ctx, &ex.words, ftsquery.Term(t))
		if err != nil {
			return nil, nil, err
		}
		possible, ok, err := ex.boundaryCandidates(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			suspects.Intersect(possible)
		}
		if suspects.Intersect(sure); suspects.Len() > ex.readThreshold {
			if err := ex.refute(ctx, t, suspects); err != nil {
				return nil, nil, err
			}
			excluded, err := ex.proveVerbatim(ctx, t, suspects)
			if err != nil {
				return nil, nil, err
			}
			unsure.Subtract(excluded)
		}
		sure.Subtract(suspects)
	}
	unsure.Subtract(sure)
	for _, t := range withSymbols(g.All) {
		if unsure.Len() <= ex.readThreshold {
			break
		}
		if err := ex.refute(ctx, t, unsure); err != nil {
			return nil, nil, err
		}
	}
	return sure, unsure, nil
}

// boundaryCandidates returns the messages that may have a term with its symbols: those
// in which a symbol is next to a letter as in the term, those in which JSON may
// escape the symbol, and those that the trigram index does not hold whole. ok is
// false when the index cannot answer.
func (ex *executor) boundaryCandidates(ctx context.Context, t match.Term) (possible *idset.Set, ok bool, err error) {
	if err := ex.probeTrigrams(ctx); err != nil {
		return nil, false, err
	}
	found, symbols := boundariesOf(t)
	if possible, ok, err = ex.anyBoundary(ctx, found); err != nil || !ok {
		return nil, false, err
	}
	escaped, err := ex.escapedWith(ctx, symbols)
	if err != nil {
		return nil, false, err
	}
	possible.Union(escaped)
	return possible, true, nil
}

// anyBoundary returns the messages that have one of some boundaries of words, by the
// trigram index. ok is false when it cannot answer.
func (ex *executor) anyBoundary(ctx context.Context, boundaries []boundary) (ids *idset.Set, ok bool, err error) {
	var queries []ftsquery.Query
	for _, b := range boundaries {
		if b.accepts == nil && !endsInsideText(b.text) || strings.Contains(b.text, "\ufffd") {
			return nil, false, nil
		}
		queries = append(queries, ftsquery.Contains(b.text, b.accepts))
	}
	return ex.matchTrigrams(ctx, ftsquery.AnyOf(queries...))
}

// escapedWith returns the messages that may have one of some symbols as a JSON escape,
// and those that the trigram index does not hold whole.
func (ex *executor) escapedWith(ctx context.Context, symbols []rune) (*idset.Set, error) {
	var escapes []ftsquery.Query
	for _, symbol := range symbols {
		escapes = append(escapes, ftsquery.Phrase(pyjson.EscapeRune(symbol), true))
	}
	ids, err := ex.matchTable(ctx, &ex.words, ftsquery.AnyOf(escapes...))
	if err != nil {
		return nil, err
	}
	jsonContent, err := ex.jsonContentIDs(ctx)
	if err != nil {
		return nil, err
	}
	ids.Union(jsonContent)
	return ids, nil
}

// proveVerbatim returns which of some messages surely have a term, by the
// trigrams of its text: a term of ASCII whose text is there as typed, or with
// one space between its words as in most texts, begins at the start of a word, and
// ends with a symbol or at the end of a word unless the last word may go on. It
// gives none where the trigram index cannot prove any.
func (ex *executor) proveVerbatim(ctx context.Context, t match.Term, among *idset.Set) (sure *idset.Set, err error) {
	beyondASCII := func(r rune) bool { return r >= utf8.RuneSelf }
	escape := strings.Contains(t.Text, `\u`) // decodes to another character
	sure = &idset.Set{}
	if !ex.hasTextLengths() || escape || strings.ContainsFunc(t.Text, beyondASCII) {
		return sure, nil
	}
	texts := []string{t.Text}
	p := t.Parts()
	if spaced := p.Leading + strings.Join(p.Words, " ") + p.Trailing; !strings.EqualFold(spaced, t.Text) {
		texts = append(texts, spaced)
	}
	for _, text := range texts {
		ids, ok, err := ex.havingText(ctx, t, text)
		if err != nil || !ok {
			return sure, err
		}
		proven, err := ex.withinOneColumn(ctx, idset.Intersection(ids, among), text)
		if err != nil {
			return nil, err
		}
		sure.Union(proven)
	}
	return sure, nil
}

// havingText returns the messages in which a text of ASCII, that of a term, begins at
// the start of a word and ends where the term may end, by the trigram index. ok is
// false when it cannot answer.
func (ex *executor) havingText(ctx context.Context, t match.Term, text string) (ids *idset.Set, ok bool, err error) {
	ends, endsBesideEscapes := endsOf(t)
	if t.HasLeading() {
		ids, ok, err = ex.matchTrigrams(ctx, ftsquery.Contains(text, ends))
	} else {
		ids, ok, err = ex.matchTrigrams(ctx, ftsquery.FollowedBy(separatorRunes(), text))
	}
	if err != nil || !ok || endsBesideEscapes == nil {
		return ids, ok, err
	}
	withEscapes, ok, err := ex.matchTrigrams(ctx, ftsquery.Contains(`\u`, nil))
	if err != nil || !ok {
		return nil, false, err
	}
	escaped := idset.Intersection(ids, withEscapes)
	ids = idset.Difference(ids, withEscapes)
	if t.HasLeading() && !escaped.Empty() {
		found, ok, err := ex.matchTrigrams(ctx, ftsquery.Contains(text, endsBesideEscapes))
		if err != nil || !ok {
			return nil, false, err
		}
		ids.Union(idset.Intersection(found, escaped))
	}
	return ids, true, nil
}

// endsOf says whether three characters may be at the end of a term, the third
// behind it: ends for messages without JSON escapes, endsBesideEscapes for those
// with some. nil accepts any; endsBesideEscapes is nil only when escapes make no
// difference.
func endsOf(t match.Term) (ends, endsBesideEscapes func(three []byte) bool) {
	switch {
	case !t.HasTrailing() && !t.Prefix:
		ends = func(three []byte) bool {
			r, _ := utf8.DecodeLastRune(three)
			return r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}
		endsBesideEscapes = func(three []byte) bool { return ends(three) && three[len(three)-1] != '\\' }
	case strings.HasSuffix(t.Text, `\`): // it must not begin an escape
		endsBesideEscapes = func(three []byte) bool {
			last := three[len(three)-1]
			return last != 'u' && last != '\\'
		}
	}
	return ends, endsBesideEscapes
}

// withinOneColumn returns which of some messages with an ASCII text, found by the trigram
// index, surely have it within one column. The index has the columns in one row with a
// space between, so a text with a space may span two of them; and the index does not show
// a NUL in it.
func (ex *executor) withinOneColumn(ctx context.Context, ids *idset.Set, s string) (*idset.Set, error) {
	facts, err := ex.engine.textFacts.WithoutNUL(ctx, ex.factSource(), ids)
	if err != nil {
		return nil, err
	}
	ids = &facts.ReadIDs
	if !strings.Contains(s, " ") {
		return ids, nil
	}
	ids.Subtract(&facts.Uncategorized)
	withoutName := ids.Clone()
	for name, named := range facts.ByToolName {
		withoutName.Subtract(named)
		switch {
		case spansColumns(s, name, false):
			ids.Subtract(named)
		case spansColumns(s, name, true):
			ids.Subtract(idset.Intersection(named, &facts.WithToolCalls))
		}
	}
	if spansColumns(s, "", true) {
		ids.Subtract(withoutName)
	}
	return ids, nil
}

// spansColumns reports whether a text may span the columns of a message in its row
// of the trigram index: "content tool-name tool-calls". tool is the name, "" for
// none; calls says whether there are tool calls.
func spansColumns(s, tool string, calls bool) bool {
	s, tool = strings.ToLower(s), strings.ToLower(tool)
	for i := range len(s) {
		if s[i] != ' ' {
			continue
		}
		before, after, name := s[:i], s[i+1:], tool+" "
		if strings.HasPrefix(name, after) || strings.HasPrefix(after, name) || calls && tool != "" && strings.HasSuffix(tool, before) {
			return true
		}
	}
	return false
}

// refute removes messages from unsure that surely do not have a term, where that is
// one word of ASCII with symbols behind it, such as "error.". The trigram index has
// every byte of a message that is plain ASCII, see [textfacts.Facts]; without JSON
// escapes in it, such a message has the term only behind a character that is in no
// word, or at its beginning. All others that have the word, and a longer one that
// ends like it, would be read: "error." takes 271 ms of CPU at a million messages,
// 2,838 without this.
func (ex *executor) refute(ctx context.Context, t match.Term, unsure *idset.Set) error {
	outside := func(r rune) bool { return r >= utf8.RuneSelf || r == 0 }
	if t.HasLeading() || len(t.Words()) != 1 || strings.ContainsFunc(t.Text, outside) || !ex.hasTextLengths() {
		return nil
	}
	facts, err := ex.engine.textFacts.Of(ctx, ex.factSource(), unsure)
	if err != nil {
		return err
	}
	absent := &facts.PlainASCII
	for _, q := range []ftsquery.Query{ftsquery.Contains(`\u`, nil), ftsquery.AtStart(t.Text[:min(3, len(t.Text))]), ftsquery.FollowedBy(separatorRunes(), t.Text)} {
		possible, ok, err := ex.matchTrigrams(ctx, q)
		if err != nil || !ok {
			return err
		}
		absent.Subtract(possible)
	}
	unsure.Subtract(absent)
	return nil
}

// separatorRunes returns the ASCII characters that are not part of words, but NUL.
func separatorRunes() (all []rune) {
	for c := byte(1); c < utf8.RuneSelf; c++ {
		if !match.IsWord(rune(c)) {
			all = append(all, rune(c))
		}
	}
	return all
}
