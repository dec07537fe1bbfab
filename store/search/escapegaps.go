package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
	"hermes-sessions/store/search/ftsquery"
)

// escapeGaps caches which JSON escapes of a message have other characters between
// them. The word index has the escapes of 数据 as the words u6570 and u636e, and does
// not distinguish "\u6570\u636e" from "\u6570, \u636e". Without the cache every message that has
// both words is read: two characters of a common word take 28 to 35 ms of CPU at a
// million messages instead of 3 to 5, and a key may take 16.
type escapeGaps struct {
	version fts.CacheVersion // of the word index
	readIDs fts.Set          // messages that were read
	gaps    []escapeGap      // of these messages
}

const (
	// escapePrepareBatch is how many of the newest messages Prepare reads.
	escapePrepareBatch = 50_000
	// maxEscapeGaps bounds the cache, to two megabytes.
	maxEscapeGaps = 1 << 18
	// maxEscapeGapsPerMessage bounds the part of one message.
	maxEscapeGapsPerMessage = 64
)

// escapeGap is two escapes of a message that follow each other in the word index,
// but may have something between them in the text.
type escapeGap struct {
	pair uint32 // see [pairOf]
	id   uint32 // of the message
}

// pairOf packs the UTF-16 units of two escapes.
func pairOf(first, second uint16) uint32 { return uint32(first)<<16 | uint32(second) }

// withoutGaps gives those of some messages that contain a text of several
// characters. In all of them the word index has the escapes of the text one after
// the other. The cache says for most whether other characters are between the escapes;
// the rest are read.
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

// refreshEscapeGaps removes from the cache what was written to the word index since,
// and gives the version of the index now. ok is false when the cache cannot be
// used: the index cannot be read, does not follow every change of messages, or has
// a tokenizer whose words are not those of [escapeScanner].
func (f *executor) refreshEscapeGaps(ctx context.Context) (now fts.Version, ok bool, err error) {
	if !f.engine.db.Schema.HasSyncTriggers(f.words.table) || strings.Contains(f.engine.db.Schema.Tables[f.words.table], "tokenize") {
		return now, false, nil
	}
	s := &f.engine.escapeGaps
	return s.version.Refresh(ctx, f.changesOf(&f.words), func(changed *fts.Set) {
		if changed == nil {
			s.readIDs, s.gaps = fts.Set{}, nil
			return
		}
		s.readIDs.Subtract(changed)
		s.gaps = slices.DeleteFunc(s.gaps, func(a escapeGap) bool { return !s.readIDs.Has(int64(a.id)) })
	})
}

// readEscapeGaps reads messages, adds their gaps to the cache, where it is at the
// version now, and calls each with their texts.
func (f *executor) readEscapeGaps(ctx context.Context, now fts.Version, ids *fts.Set, each func(messageText)) error {
	read := &fts.Set{}
	var gaps []escapeGap
	from, args := fromIDs(ids.All())
	err := f.eachText(ctx, from, args, func(b messageText) {
		if pairs, ok := gapsIn(b.content, b.toolName, b.toolCalls); ok && 0 <= b.id && b.id <= fts.MaxRowid {
			read.Add(b.id)
			for _, p := range pairs {
				gaps = append(gaps, escapeGap{p, uint32(b.id)})
			}
		}
		each(b)
	})
	f.engine.escapeGaps.add(now, read, gaps) // also what was read before a cancellation
	return err
}

// contiguous gives those of some messages that surely have the escapes of a text
// with nothing between them. The word index has found the escapes one after the
// other in all of them, at the version now.
func (s *escapeGaps) contiguous(now fts.Version, text string, ids *fts.Set) *fts.Set {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < utf8.RuneSelf }) {
		return &fts.Set{}
	}
	var pairs []uint32
	units := utf16.Encode([]rune(text))
	for i, u := range units[1:] {
		pairs = append(pairs, pairOf(units[i], u))
	}
	s.version.Lock()
	defer s.version.Unlock()
	if !s.version.IsAt(now) {
		return &fts.Set{}
	}
	sure := fts.Intersection(ids, &s.readIDs)
	for _, g := range s.gaps {
		if slices.Contains(pairs, g.pair) {
			sure.Remove(int64(g.id))
		}
	}
	return sure
}

// add adds the gaps of messages that were read at the version now. It adds nothing
// when the cache is at another version or full.
func (s *escapeGaps) add(now fts.Version, read *fts.Set, gaps []escapeGap) {
	s.version.Lock()
	defer s.version.Unlock()
	if !s.version.IsAt(now) || len(s.gaps)+len(gaps) > maxEscapeGaps {
		return
	}
	for _, g := range gaps {
		if !s.readIDs.Has(int64(g.id)) { // else another search has read it
			s.gaps = append(s.gaps, g)
		}
	}
	s.readIDs.Union(read)
}

// notRead gives those of some messages that are not in the cache.
func (s *escapeGaps) notRead(ids *fts.Set) *fts.Set {
	s.version.Lock()
	defer s.version.Unlock()
	return fts.Difference(ids, &s.readIDs)
}

// gapsIn gives the pairs of escapes in the texts of a message that may be neighbors
// in the word index although other characters are between them. ok is false when the
// index may see an escape where there is none, or when the pairs are too many.
func gapsIn(content, name, calls string) (pairs []uint32, ok bool) {
	var inContent, inCalls, inName escapeScanner
	if !inContent.scan(content) || !inCalls.scan(calls) || !inName.scan(name) || inName.found {
		return nil, false
	}
	pairs = append(inContent.gaps, inCalls.gaps...)
	if inContent.found && inCalls.found { // which an index may have in one row
		pairs = append(pairs, pairOf(inContent.last, inCalls.first), pairOf(inCalls.last, inContent.first))
	}
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	return pairs, len(pairs) <= maxEscapeGapsPerMessage
}

// escapeScanner collects the escapes of a text.
type escapeScanner struct {
	found       bool // there is an escape
	first, last uint16
	gaps        []uint32 // pairs of escapes with punctuation between them, see [pairOf]
}

// scan reads a text. ok is false when the word index may see an escape in it where
// there is none: the index folds letters, and does not store the characters before a
// word.
func (e *escapeScanner) scan(s string) (ok bool) {
	end, word := 0, false // where the last escape ends, and whether a word begins behind it
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if size == 1 || unicode.Is(unicode.Latin, r) || 0x300 <= r && r < 0x370 { // FTS5 may fold it to an ASCII letter, or drop it
				return false
			}
			i += size - 1
			continue
		}
		if c|0x20 != 'u' || len(s)-i < 5 || i > 0 && inASCIIWord(s[i-1]) {
			word = word || inASCIIWord(c)
			continue
		}
		unit, ok := pyjson.ParseHex4(s[i+1 : i+5])
		if !ok {
			word = true
			continue
		}
		if c != 'u' || i == 0 || s[i-1] != '\\' {
			return false
		}
		start := i
		for start > end && s[start-1] == '\\' {
			start--
		}
		switch {
		case !e.found:
			e.found, e.first = true, unit
		case !word && start > end:
			e.gaps = append(e.gaps, pairOf(e.last, unit))
		}
		e.last, end, word = unit, i+5, false
		i += 4
	}
	return true
}

// prepareEscapeGaps fills the cache with the newest messages that have escapes of
// characters of scripts without spaces.
func (f *executor) prepareEscapeGaps(ctx context.Context) error {
	prefixes := []string{"u0e", "u0f", "u10", "u11", "u17", "u3", "u4", "u5", "u6", "u7", "u8", "u9"}
	for hangul := 0xac; hangul <= 0xd7; hangul++ {
		prefixes = append(prefixes, fmt.Sprintf("u%x", hangul))
	}
	var escapes []ftsquery.Query
	for _, p := range prefixes {
		escapes = append(escapes, ftsquery.Phrase(p, true))
	}
	now, ok, err := f.refreshEscapeGaps(ctx)
	if err != nil || !ok {
		return err
	}
	ids, ok, err := f.matchByIndex(ctx, &f.words, ftsquery.AnyOf(escapes...), nil)
	if err != nil || !ok {
		return err
	}
	rows := f.engine.escapeGaps.notRead(ids).Rowids()
	for batch := range slices.Chunk(rows[max(0, len(rows)-escapePrepareBatch):], snapshot.RoleReadBatch) {
		some := &fts.Set{}
		for _, id := range batch {
			some.Add(id)
		}
		if err := f.readEscapeGaps(ctx, now, some, func(messageText) {}); err != nil {
			return err
		}
	}
	return nil
}
