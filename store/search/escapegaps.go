package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
)

// escapeGaps remembers how escapes stand in messages, as far as an index of words
// does not tell. Without it, every message with the escapes of a text is read: at
// a million messages, two characters of a common word take 28 to 35 ms instead of
// 3 to 5, more than a key may take.
type escapeGaps struct {
	mu           sync.Mutex
	indexVersion fts.Version // of the index of words, when what follows was right
	readIDs      fts.Set     // the messages
	gaps         []escapeGap // in them
}

const (
	// escapePrepareBatch is how many messages are read before anybody asks for them.
	escapePrepareBatch = 50_000
	// maxEscapeGaps bounds the memory of all messages, two megabytes, and of one.
	maxEscapeGaps           = 1 << 18
	maxEscapeGapsPerMessage = 64
)

// escapeGap is two escapes of a message, one after the other for an index of words,
// that may have something between them.
type escapeGap struct {
	pair uint32 // see [pairOf]
	id   uint32
}

func pairOf(first, second uint16) uint32 { return uint32(first)<<16 | uint32(second) }

// withoutGaps gives those of some messages that have a text of several characters,
// in all of which an index of words knows its escapes one after the other. Of
// most it is remembered whether anything stands between them; the others are
// read.
func (f *executor) withoutGaps(ctx context.Context, t match.Term, ids *fts.Set) (*fts.Set, error) {
	if ids.Empty() {
		return ids, nil
	}
	f.addStep("escapes by reading what the index found")
	now, ok, err := f.refreshEscapeGaps(ctx)
	if err != nil {
		return nil, err
	}
	found := &fts.Set{}
	if ok {
		found = f.engine.escapeGaps.contiguous(now, t.Text, ids)
	}
	if ids = fts.Difference(ids, found); ids.Empty() {
		return found, nil
	}
	m := match.NewMatcher(singleTerm(t).Groups)
	return found, f.readEscapeGaps(ctx, now, ids, func(b messageText) {
		if b.matches(m) {
			found.Add(b.id)
		}
	})
}

// refreshEscapeGaps drops what is remembered of messages that the index of words
// was told of since, and gives the moment. ok is false where nothing can be
// remembered: that index can not be read, is not told of all that is written, or
// has other words than [escapeScanner] are.
func (f *executor) refreshEscapeGaps(ctx context.Context) (now fts.Version, ok bool, err error) {
	if !f.engine.db.Schema.DeletesFollowed(f.words.table) || strings.Contains(f.engine.db.Schema.Tables[f.words.table], "tokenize") {
		return now, false, nil
	}
	s := &f.engine.escapeGaps
	s.mu.Lock()
	as := s.indexVersion
	s.mu.Unlock()
	now, changed, ok, err := f.changedSince(ctx, &f.words, as)
	if err != nil || !ok {
		return now, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.indexVersion.Equal(now) || !s.indexVersion.Equal(as): // right, or somebody else's
	case changed == nil:
		s.indexVersion, s.readIDs, s.gaps = now, fts.Set{}, nil
	default:
		s.indexVersion = now
		s.readIDs.Subtract(changed)
		s.gaps = slices.DeleteFunc(s.gaps, func(a escapeGap) bool { return !s.readIDs.Has(int64(a.id)) })
	}
	return now, true, nil
}

// readEscapeGaps reads messages and remembers how escapes stand in them at a moment of
// the index of words.
func (f *executor) readEscapeGaps(ctx context.Context, now fts.Version, ids *fts.Set, each func(messageText)) error {
	known := &fts.Set{}
	var all []escapeGap
	from, args := fromIDs(ids.All())
	err := f.eachText(ctx, from, args, func(b messageText) {
		if pairs, ok := gapsIn(b.content, b.toolName, b.toolCalls); ok && 0 <= b.id && b.id <= fts.MaxRowid {
			known.Add(b.id)
			for _, p := range pairs {
				all = append(all, escapeGap{p, uint32(b.id)})
			}
		}
		each(b)
	})
	f.engine.escapeGaps.add(now, known, all) // what was read before a cancellation too
	return err
}

// contiguous gives those of some messages that surely have a text as escapes with
// nothing between them, where the index of words has found these one after the
// other at a moment.
func (s *escapeGaps) contiguous(now fts.Version, text string, ids *fts.Set) *fts.Set {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < utf8.RuneSelf }) {
		return &fts.Set{}
	}
	var pairs []uint32
	units := utf16.Encode([]rune(text))
	for i, u := range units[1:] {
		pairs = append(pairs, pairOf(units[i], u))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.indexVersion.Equal(now) { // somebody has seen another moment since
		return &fts.Set{}
	}
	sure := fts.Intersection(ids, &s.readIDs)
	for _, a := range s.gaps {
		if slices.Contains(pairs, a.pair) {
			sure.Remove(int64(a.id))
		}
	}
	return sure
}

// add takes in what was read of messages at a moment.
func (s *escapeGaps) add(now fts.Version, known *fts.Set, all []escapeGap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.indexVersion.Equal(now) || len(s.gaps)+len(all) > maxEscapeGaps {
		return
	}
	for _, a := range all {
		if !s.readIDs.Has(int64(a.id)) { // else another search has read it
			s.gaps = append(s.gaps, a)
		}
	}
	s.readIDs.Union(known)
}

// notRead gives those of some messages that are not known.
func (s *escapeGaps) notRead(ids *fts.Set) *fts.Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fts.Difference(ids, &s.readIDs)
}

// gapsIn gives the pairs of escapes in a message that an index of words may
// take for neighbours although something stands between them. ok is false where
// it may take for escapes what is read as none, or where they are too many.
func gapsIn(content, name, calls string) (pairs []uint32, ok bool) {
	var said, called, tool escapeScanner
	if !said.scan(content) || !called.scan(calls) || !tool.scan(name) || tool.found {
		return nil, false
	}
	pairs = append(said.gaps, called.gaps...)
	if said.found && called.found { // which an index may have in one row
		pairs = append(pairs, pairOf(said.last, called.first), pairOf(called.last, said.first))
	}
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	return pairs, len(pairs) <= maxEscapeGapsPerMessage
}

// escapeScanner is those of a text.
type escapeScanner struct {
	found       bool // there are any
	first, last uint16
	gaps        []uint32 // pairs of them, see [apartIn]
}

// scan looks at a text. ok is false where a word of it is no escape but may be one
// for an index of words: that folds letters, and does not see what stands before
// a word.
func (e *escapeScanner) scan(s string) (ok bool) {
	end, word := 0, false // where the last one ends, and whether a word begins behind that
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if size == 1 || unicode.Is(unicode.Latin, r) || 0x300 <= r && r < 0x370 { // it may be folded to a letter, or left out
				return false
			}
			i += size - 1
			continue
		}
		if c|0x20 != 'u' || len(s)-i < 5 || i > 0 && inASCIIWord(s[i-1]) {
			word = word || inASCIIWord(c)
			continue
		}
		unit, ok := parseHex4(s[i+1 : i+5])
		if !ok {
			word = true
			continue
		}
		if c != 'u' || i == 0 || s[i-1] != '\\' {
			return false
		}
		begin := i
		for begin > end && s[begin-1] == '\\' {
			begin--
		}
		switch {
		case !e.found:
			e.found, e.first = true, unit
		case !word && begin > end:
			e.gaps = append(e.gaps, pairOf(e.last, unit))
		}
		e.last, end, word = unit, i+5, false
		i += 4
	}
	return true
}

// prepareEscapeGaps reads how the newest messages are spelled that have characters of
// scripts without spaces as escapes.
func (f *executor) prepareEscapeGaps(ctx context.Context) error {
	begins := []string{"u0e", "u0f", "u10", "u11", "u17", "u3", "u4", "u5", "u6", "u7", "u8", "u9"}
	for hangul := 0xac; hangul <= 0xd7; hangul++ {
		begins = append(begins, fmt.Sprintf("u%x", hangul))
	}
	var of []ftsQuery
	for _, b := range begins {
		of = append(of, phrase(b, true))
	}
	now, ok, err := f.refreshEscapeGaps(ctx)
	if err != nil || !ok {
		return err
	}
	ids, ok, err := f.matchByIndex(ctx, &f.words, anyOf(of...), nil)
	if err != nil || !ok {
		return err
	}
	rows := f.engine.escapeGaps.notRead(ids).Rowids()
	for part := range slices.Chunk(rows[max(0, len(rows)-escapePrepareBatch):], snapshot.RoleReadBatch) {
		some := &fts.Set{}
		for _, id := range part {
			some.Add(id)
		}
		if err := f.readEscapeGaps(ctx, now, some, func(messageText) {}); err != nil {
			return err
		}
	}
	return nil
}
