// Package escapegaps caches which JSON escapes of a message have other characters between
// them. The word index has the escapes of 数据 as the words u6570 and u636e, and does not
// distinguish "\u6570\u636e" from "\u6570, \u636e". Without the cache every message that
// has both words is read: a query of two common characters takes 28 to 35 ms of CPU at a
// million messages instead of 3 to 5. The budget of a keystroke is 16 ms.
//
// A [Cache] holds the gaps of the messages that were read. It never changes an answer.
package escapegaps

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
)

// Cache caches the gaps of the messages of one database. The zero value is empty. It may be
// used by several goroutines.
type Cache struct {
	version fts.CacheVersion // of the word index
	readIDs idset.Set        // messages that were read
	gaps    []gap            // of these messages
}

const (
	// maxGaps bounds the cache to two megabytes.
	maxGaps = 1 << 18
	// maxGapsPerMessage bounds the gaps of one message. A message with more is not cached.
	maxGapsPerMessage = 64
)

// gap is two escapes of a message that follow each other in the word index, but may have
// something between them in the text.
type gap struct {
	pair uint32 // see [pairOf]
	id   uint32 // of the message
}

// pairOf packs the UTF-16 units of two escapes.
func pairOf(first, second uint16) uint32 { return uint32(first)<<16 | uint32(second) }

// Refresh removes from the cache the messages that were written to the word index since they
// were read, and returns the current version of that index. ok is false when the index
// cannot be read: the cache cannot be used then.
func (c *Cache) Refresh(ctx context.Context, changes fts.Changes) (now fts.Version, ok bool, err error) {
	return c.version.Refresh(ctx, changes, func(changed *idset.Set) {
		if changed == nil {
			c.readIDs, c.gaps = idset.Set{}, nil
			return
		}
		c.readIDs.Subtract(changed)
		c.gaps = slices.DeleteFunc(c.gaps, func(g gap) bool { return !c.readIDs.Has(int64(g.id)) })
	})
}

// Contiguous returns those messages of ids that are known to have the escapes of a text
// with nothing between them. The word index must have found the escapes one after the
// other in all of ids, at the version now. The set is the caller's.
func (c *Cache) Contiguous(now fts.Version, text string, ids *idset.Set) *idset.Set {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < utf8.RuneSelf }) {
		return &idset.Set{}
	}
	var pairs []uint32
	units := utf16.Encode([]rune(text))
	for i, u := range units[1:] {
		pairs = append(pairs, pairOf(units[i], u))
	}
	c.version.Lock()
	defer c.version.Unlock()
	if !c.version.IsAt(now) {
		return &idset.Set{}
	}
	sure := idset.Intersection(ids, &c.readIDs)
	for _, g := range c.gaps {
		if slices.Contains(pairs, g.pair) {
			sure.Remove(int64(g.id))
		}
	}
	return sure
}

// Unread returns the messages of ids that are not in the cache. The set is the caller's.
func (c *Cache) Unread(ids *idset.Set) *idset.Set {
	c.version.Lock()
	defer c.version.Unlock()
	return idset.Difference(ids, &c.readIDs)
}

// Gaps has the gaps of messages that were read, for [Cache.Add].
type Gaps struct {
	ids  idset.Set
	gaps []gap
}

// AddMessage adds the gaps of a message by its texts, as stored. It leaves out a message whose
// gaps cannot be told from them.
func (g *Gaps) AddMessage(id int64, content, toolName, toolCalls string) {
	if id < 0 || id > idset.MaxRowid {
		return
	}
	if pairs, ok := gapsIn(content, toolName, toolCalls); ok {
		g.ids.Add(id)
		for _, p := range pairs {
			g.gaps = append(g.gaps, gap{p, uint32(id)})
		}
	}
}

// Add adds the gaps of messages that were read at the version now. It adds nothing
// when the cache is at another version or full.
func (c *Cache) Add(now fts.Version, read *Gaps) {
	c.version.Lock()
	defer c.version.Unlock()
	if !c.version.IsAt(now) || len(c.gaps)+len(read.gaps) > maxGaps {
		return
	}
	for _, g := range read.gaps {
		if !c.readIDs.Has(int64(g.id)) { // else another search has read it
			c.gaps = append(c.gaps, g)
		}
	}
	c.readIDs.Union(&read.ids)
}

// gapsIn returns the pairs of escapes in the texts of a message that may be neighbors
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
	return pairs, len(pairs) <= maxGapsPerMessage
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
	end, word := 0, false // where the last escape ends, and whether a word begins after it
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

// inASCIIWord reports whether a byte is a letter or a digit of ASCII.
func inASCIIWord(c byte) bool { return c < utf8.RuneSelf && match.IsWord(rune(c)) }
