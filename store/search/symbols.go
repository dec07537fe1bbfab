package search

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/store/search/fts"
)

// verifyGroup parts the messages of one alternative by whether the symbols of its
// terms stand at their words: of those an index of words knows nothing. The
// index of trigrams says which surely have them. It says of others that they
// can not; of the rest, unsure, the texts tell.
func (f *executor) verifyGroup(ctx context.Context, g match.Group, ids *fts.Set) (sure, unsure *fts.Set, err error) {
	unsure = ids
	sure = ids.Clone()
	f.candidates = unsure // which will be fewer and fewer
	defer func() { f.candidates = nil }()
	for _, t := range withSymbols(g.All) { // must have all of them
		can, ok, err := f.boundaryCandidates(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			unsure.Intersect(can)
			sure.Intersect(can)
		}
		if sure.Empty() {
			continue
		}
		if sure, err = f.proveVerbatim(ctx, t, sure); err != nil {
			return nil, nil, err
		}
	}
	for _, t := range withSymbols(g.Not) { // must have none, and most have not
		if sure.Empty() {
			break
		}
		may, err := f.matchTable(ctx, &f.words, termPhrase(t))
		if err != nil {
			return nil, nil, err
		}
		can, ok, err := f.boundaryCandidates(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			may.Intersect(can)
		}
		if may.Intersect(sure); may.Len() > f.readThreshold {
			if err := f.refute(ctx, t, may); err != nil {
				return nil, nil, err
			}
			has, err := f.proveVerbatim(ctx, t, may)
			if err != nil {
				return nil, nil, err
			}
			unsure.Subtract(has)
		}
		sure.Subtract(may)
	}
	unsure.Subtract(sure)
	for _, t := range withSymbols(g.All) {
		if unsure.Len() <= f.readThreshold {
			break
		}
		if err := f.refute(ctx, t, unsure); err != nil {
			return nil, nil, err
		}
	}
	return sure, unsure, nil
}

// boundaryCandidates gives the messages that may have a term with its symbols: those in
// which symbols stand next to a letter as they do in the term, those that may
// have it as JSON spells it, and those that the trigrams do not hold whole. ok
// is false where no index tells.
func (f *executor) boundaryCandidates(ctx context.Context, t match.Term) (can *fts.Set, ok bool, err error) {
	if err := f.probeTrigrams(ctx); err != nil {
		return nil, false, err
	}
	edges, symbols := t.Boundaries()
	if can, ok, err = f.anyBoundary(ctx, edges); err != nil || !ok {
		return nil, false, err
	}
	inJSON, err := f.escapedWith(ctx, symbols)
	if err != nil {
		return nil, false, err
	}
	can.Union(inJSON)
	return can, true, nil
}

// anyBoundary gives the messages in which characters stand next to one another as
// some edges have them. ok is false where the index of trigrams does not tell.
func (f *executor) anyBoundary(ctx context.Context, edges []match.Boundary) (ids *fts.Set, ok bool, err error) {
	var of []ftsQuery
	for _, e := range edges {
		if e.Fits == nil && !endsInsideText(e.Text) || strings.Contains(e.Text, "\ufffd") {
			return nil, false, nil
		}
		of = append(of, contains(e.Text, e.Fits))
	}
	return f.matchTrigrams(ctx, anyOf(of...))
}

// escapedWith gives the messages that may have some symbols as JSON spells them, and
// those that the trigrams do not hold whole.
func (f *executor) escapedWith(ctx context.Context, symbols []rune) (*fts.Set, error) {
	var of []ftsQuery
	for _, symbol := range symbols {
		of = append(of, phrase(escapeRune(symbol), true))
	}
	ids, err := f.matchTable(ctx, &f.words, anyOf(of...))
	if err != nil {
		return nil, err
	}
	coded, err := f.jsonContentIDs(ctx)
	if err != nil {
		return nil, err
	}
	ids.Union(coded)
	return ids, nil
}

// proveVerbatim gives those of some messages that surely have a term, as far as
// the index of trigrams tells of any: those with its text, where that is ASCII
// and its first word begins there, and where it ends with a symbol, or at a
// word's end unless that may go on. Between its words stands what is typed
// there, or one space, as between most.
func (f *executor) proveVerbatim(ctx context.Context, t match.Term, among *fts.Set) (sure *fts.Set, err error) {
	odd := func(r rune) bool { return r >= utf8.RuneSelf }
	escape := strings.Contains(t.Text, `\u`) // may be read as another character
	sure = &fts.Set{}
	if !f.hasTextLengths() || escape || strings.ContainsFunc(t.Text, odd) {
		return sure, nil
	}
	texts := []string{t.Text}
	if spaced := t.Normalized(); !strings.EqualFold(spaced, t.Text) {
		texts = append(texts, spaced)
	}
	for _, text := range texts {
		ids, ok, err := f.havingText(ctx, t, text)
		if err != nil || !ok {
			return sure, err
		}
		whole, err := f.withinOneColumn(ctx, fts.Intersection(ids, among), text)
		if err != nil {
			return nil, err
		}
		sure.Union(whole)
	}
	return sure, nil
}

// havingText gives the messages that have a text of ASCII, which is that of a
// term, where the term's first word begins and its last one may end. ok is false
// where the index of trigrams does not tell.
func (f *executor) havingText(ctx context.Context, t match.Term, text string) (ids *fts.Set, ok bool, err error) {
	ends, careful := endsOf(t)
	if t.HasLeading() {
		ids, ok, err = f.matchTrigrams(ctx, contains(text, ends))
	} else {
		ids, ok, err = f.matchTrigrams(ctx, followedBy(separatorRunes(), text))
	}
	if err != nil || !ok || careful == nil {
		return ids, ok, err
	}
	escapes, ok, err := f.matchTrigrams(ctx, contains(`\u`, nil))
	if err != nil || !ok {
		return nil, false, err
	}
	coded := fts.Intersection(ids, escapes)
	ids = fts.Difference(ids, escapes)
	if t.HasLeading() && !coded.Empty() {
		found, ok, err := f.matchTrigrams(ctx, contains(text, careful))
		if err != nil || !ok {
			return nil, false, err
		}
		ids.Union(fts.Intersection(found, coded))
	}
	return ids, true, nil
}

// endsOf tells which three characters may end the text of a term, the last of
// them behind it: ends in messages without escapes of JSON, careful in those with
// some. nil is for any; careful is nil only where escapes make no difference.
func endsOf(t match.Term) (ends, careful func(three []byte) bool) {
	switch {
	case !t.HasTrailing() && !t.Prefix:
		ends = func(three []byte) bool {
			r, _ := utf8.DecodeLastRune(three)
			return r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}
		careful = func(three []byte) bool { return ends(three) && three[len(three)-1] != '\\' }
	case strings.HasSuffix(t.Text, `\`): // of no escape
		careful = func(three []byte) bool {
			last := three[len(three)-1]
			return last != 'u' && last != '\\'
		}
	}
	return ends, careful
}

// withinOneColumn gives those of some messages in which a text of ASCII, found by the
// index of trigrams, surely stands as it is. They have no NUL, and no space of
// the text is the one which the index has between what is said, a tool's name
// and its arguments.
func (f *executor) withinOneColumn(ctx context.Context, ids *fts.Set, s string) (*fts.Set, error) {
	w, err := f.factsWithoutNUL(ctx, ids)
	if err != nil {
		return nil, err
	}
	ids = &w.readIDs
	if !strings.Contains(s, " ") {
		return ids, nil
	}
	ids.Subtract(&w.uncategorized)
	nameless := ids.Clone()
	for name, named := range w.byToolName {
		nameless.Subtract(named)
		switch {
		case spansColumns(s, name, false):
			ids.Subtract(named)
		case spansColumns(s, name, true):
			ids.Subtract(fts.Intersection(named, &w.withToolCalls))
		}
	}
	if spansColumns(s, "", true) {
		ids.Subtract(nameless)
	}
	return ids, nil
}

// spansColumns reports whether a text may only be one where the index has what is
// said, a tool's name and its arguments one after the other, with a space
// between them.
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

// refute takes messages out of unsure that surely do not have a term, where that
// is one word of ASCII with symbols behind it. Of messages that are plain, see
// [textFacts], and have no escapes of JSON, the index of trigrams has all that there
// is to know: they have it behind what is in no word, or begin with it. Without
// this every message that has the word, and another one that ends so, is read:
// "a." would take ten times as long.
func (f *executor) refute(ctx context.Context, t match.Term, unsure *fts.Set) error {
	odd := func(r rune) bool { return r >= utf8.RuneSelf || r == 0 }
	if t.HasLeading() || len(t.Words()) != 1 || strings.ContainsFunc(t.Text, odd) || !f.hasTextLengths() {
		return nil
	}
	w, err := f.textFactsOf(ctx, unsure)
	if err != nil {
		return err
	}
	absent := &w.plainASCII
	for _, q := range []ftsQuery{contains(`\u`, nil), atStart(t.Text[:min(3, len(t.Text))]), followedBy(separatorRunes(), t.Text)} {
		can, ok, err := f.matchTrigrams(ctx, q)
		if err != nil || !ok {
			return err
		}
		absent.Subtract(can)
	}
	unsure.Subtract(absent)
	return nil
}

// separatorRunes gives the characters of ASCII that are in no word.
func separatorRunes() (all []rune) {
	for c := byte(1); c < utf8.RuneSelf; c++ {
		if !inASCIIWord(c) {
			all = append(all, rune(c))
		}
	}
	return all
}

func inASCIIWord(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }
