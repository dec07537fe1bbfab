package search

import (
	"context"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/ftsquery"
)

// besideSymbols returns what the indexes tell about a word with symbols beside it, of the
// messages that have the word. The word index stores no symbols. Those remain in which a symbol
// is next to a letter as in the term, by the trigrams there, those in which JSON may escape the
// symbol, and those that the trigram index does not hold whole.
func (ex *executor) besideSymbols(ctx context.Context, t match.Term, having *idset.Set) (evidence, error) {
	found := evidence{&idset.Set{}, having}
	if err := ex.probeTrigrams(ctx); err != nil || having.Empty() {
		return found, err
	}
	boundaries, symbols := boundariesOf(t)
	ex.candidates = having
	possible, ok, err := ex.anyBoundary(ctx, boundaries)
	ex.candidates = nil
	if err != nil {
		return found, err
	}
	if !ok {
		beside, ok, err := ex.unindexedText(ctx, t)
		if err == nil && ok {
			found.sure = beside.sure
			having.Intersect(beside.possible)
			found.sure.Intersect(having)
		}
		return found, err
	}
	escaped, err := ex.escapedWith(ctx, symbols)
	if err != nil {
		return found, err
	}
	possible.Union(escaped)
	having.Intersect(possible)
	return found, ex.decide(ctx, t, found)
}

// decideFrom is the number of messages from which reading what the trigrams tell about them
// costs less than reading them. A key that waits for its rows reads the newest instead.
const decideFrom = 100

// decide decides about messages of plain ASCII in which JSON escapes nothing, by the trigrams of
// the whole term: those that have it as typed, or with one space between its words as in most
// texts, match; those that do not have a term of one word as typed do not.
func (ex *executor) decide(ctx context.Context, t match.Term, found evidence) error {
	if ex.mostTexts > 0 || found.possible.Len() < decideFrom || !ex.hasTextLengths() || strings.ContainsFunc(t.Text, func(r rune) bool { return r >= utf8.RuneSelf || r == 0 }) {
		return nil
	}
	facts, err := ex.engine.textFacts.Of(ctx, ex.factSource(), found.possible)
	if err != nil {
		return err
	}
	plain := &facts.PlainASCII
	ex.candidates = plain
	defer func() { ex.candidates = nil }()
	escaped, ok, err := ex.matchTrigrams(ctx, ftsquery.Contains(`\u`, nil))
	if err != nil || !ok {
		return err
	}
	plain.Subtract(escaped)
	p, absent := t.Parts(), plain.Clone()
	texts := []string{t.Text}
	if spaced := p.Leading + strings.Join(p.Words, " ") + p.Trailing; !strings.EqualFold(spaced, t.Text) {
		texts = append(texts, spaced)
	}
	for _, text := range texts {
		ids, ok, err := ex.havingText(ctx, t, text)
		if err != nil || !ok {
			return err
		}
		absent.Subtract(ids)
		if ids.Intersect(plain); facts.NamesAny(func(name string) bool { return spansColumns(text, name) }) {
			ids.Subtract(&facts.Named)
		}
		if !spansColumns(text, "") {
			found.sure.Union(ids)
		}
	}
	if len(p.Words) > 1 || p.Leading != "" {
		return nil
	}
	atStart, ok, err := ex.matchTrigrams(ctx, ftsquery.AtStart(t.Text[:min(3, len(t.Text))]))
	if err == nil && ok {
		absent.Subtract(atStart)
		found.possible.Subtract(absent)
	}
	return err
}

// havingText returns the messages in which a text of ASCII, that of a term, begins at
// the start of a word and ends where the term may end, by the trigram index. ok is
// false when it cannot answer.
func (ex *executor) havingText(ctx context.Context, t match.Term, text string) (ids *idset.Set, ok bool, err error) {
	if !t.HasLeading() {
		return ex.matchTrigrams(ctx, ftsquery.FollowedBy(separatorRunes(), text))
	}
	var ends func(three []byte) bool
	if !t.HasTrailing() && !t.Prefix {
		ends = func(three []byte) bool { return !match.IsWord(rune(three[len(three)-1])) }
	}
	return ex.matchTrigrams(ctx, ftsquery.Contains(text, ends))
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

// spansColumns reports whether a text may span the columns of a message with the name of a tool,
// "" for none, in its row of the trigram index: "content tool-name tool-calls".
func spansColumns(s, tool string) bool {
	s, tool = strings.ToLower(s), strings.ToLower(tool)
	for i := range len(s) {
		if s[i] != ' ' {
			continue
		}
		before, after, name := s[:i], s[i+1:], tool+" "
		if strings.HasPrefix(name, after) || strings.HasPrefix(after, name) || tool != "" && strings.HasSuffix(tool, before) {
			return true
		}
	}
	return false
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
