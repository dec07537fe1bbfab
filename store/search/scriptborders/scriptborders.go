// Package scriptborders finds words of ASCII beside a script without spaces. FTS5 splits
// words at spaces and punctuation, so 用docker部署 is one word of the index. A search for
// docker must look for it in two ways: before such a script among the words that begin
// with docker, after such a script by the trigrams of 用do.
//
// A [Cache] holds which characters come before which two characters of ASCII, read from
// the terms of the indexes once per segment, the messages with these, and the words after
// such a script in most of them. In a file without such scripts nothing is searched.
// match.Term.BorderWord defines which words count.
package scriptborders

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/store/search/fts"
)

// Source is a database in a read transaction.
type Source interface {
	// UseIndexes calls use with the readers of the trigram index and of the word index,
	// which are valid during the call only. Where an index cannot be read it does not
	// call use, or drops the error of use: a search of that index reports it. The error
	// is that of ctx or of the database.
	UseIndexes(ctx context.Context, use func(trigrams, words *fts.Index) error) error
	// EachText calls each with the searched texts of messages, JSON escapes decoded.
	EachText(ctx context.Context, ids *fts.Set, each func(id int64, texts ...string)) error
}

// Cache caches what was read of one database. It never changes an answer. The zero value is
// empty. It may be used by several goroutines.
type Cache struct {
	mu              sync.Mutex
	trigrams, words fts.Version         // versions that before and escapes were read at
	scripts         bool                // there is a character of a script without spaces
	before          map[string][]rune   // two characters of ASCII → the characters before them
	escapes         map[string][]string // two characters of ASCII → the JSON escapes before them, such as u7528

	version fts.Version         // of the trigram index, at which the fields below were read
	rows    map[string]*fts.Set // two characters of ASCII → the messages that have them after such a script
	bytes   int                 // of rows
	changed fts.Set             // messages that were written since rows were read
	readIDs fts.Set             // messages whose runs are known
	runs    map[int64][]string  // of these messages: see match.RunsBehindScripts
}

const (
	maxBytes    = 6 << 20 // of Cache.rows
	maxMessages = 20_000  // of Cache.runs
	readBatch   = 5_000   // messages that Prepare reads at once
)

// leadBytes are the first bytes of the characters for which match.IsUnspaced may be
// true, and firstUnspaced is the first of these.
const (
	leadBytes     = "\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xef\xf0"
	firstUnspaced = "\u0e00"
)

// Rows returns the messages that have a term directly after or before a script without
// spaces, by the indexes, and maybe others that have it as a word only. Messages that
// the trigram index does not hold are found only where the word index begins a word
// with the term. The set is the caller's.
func (c *Cache) Rows(ctx context.Context, s Source, t match.Term) (*fts.Set, error) {
	found, unread := &fts.Set{}, &fts.Set{}
	word := t.BorderWord()
	if word == "" {
		return found, nil
	}
	matches := func(run string) bool { return run == word || t.Prefix && strings.HasPrefix(run, word) }
	var version fts.Version
	err := s.UseIndexes(ctx, func(trigrams, words *fts.Index) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if err := c.refresh(ctx, trigrams, words); err != nil || !c.scripts {
			return err
		}
		if !t.Prefix { // a prefix is found as a word
			rows, err := words.Search(ctx, words.Continued(word, []byte(leadBytes), beginsUnspaced))
			if err != nil {
				return err
			}
			found.Union(rows)
		}
		among, err := c.rowsOfPair(ctx, trigrams, words, word[:2])
		if err != nil {
			return err
		}
		for id := range fts.Intersection(among, &c.readIDs).All() {
			if slices.ContainsFunc(c.runs[id], matches) {
				found.Add(id)
			}
		}
		version = c.version
		unread = fts.Difference(among, &c.readIDs)
		e, ok := trigrams.Phrase(word, false)
		if !ok || unread.Empty() || len(word) < 3 { // the pair is the word
			return nil
		}
		holding, err := trigrams.SearchAmong(ctx, e, unread)
		unread = fts.Intersection(unread, holding)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, c.read(ctx, s, version, unread, func(id int64, run string) {
		if matches(run) {
			found.Add(id)
		}
	})
}

// Prepare fills the cache, with the texts of the newest messages up to a limit.
func (c *Cache) Prepare(ctx context.Context, s Source) error {
	var unread []int64
	var version fts.Version
	err := s.UseIndexes(ctx, func(trigrams, words *fts.Index) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if err := c.refresh(ctx, trigrams, words); err != nil || !c.scripts {
			return err
		}
		all := &fts.Set{}
		for pair := range c.before {
			rows, err := c.rowsOfPair(ctx, trigrams, words, pair)
			if err != nil {
				return err
			}
			all.Union(rows)
		}
		all.Subtract(&c.readIDs)
		unread, version = all.Rowids(), c.version
		return nil
	})
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(unread[max(0, len(unread)-maxMessages):], readBatch) {
		ids := &fts.Set{}
		for _, id := range batch {
			ids.Add(id)
		}
		if err := c.read(ctx, s, version, ids, func(int64, string) {}); err != nil {
			return err
		}
	}
	return nil
}

// read reads messages and calls each with the runs after scripts without spaces in them.
// It adds the runs to the cache if that is still at the version.
func (c *Cache) read(ctx context.Context, s Source, version fts.Version, ids *fts.Set, each func(id int64, run string)) error {
	if ids.Empty() {
		return nil
	}
	read, runs := &fts.Set{}, map[int64][]string{}
	err := s.EachText(ctx, ids, func(id int64, texts ...string) {
		read.Add(id)
		for _, text := range texts {
			match.RunsBehindScripts(text, func(run string) {
				each(id, run)
				if !slices.Contains(runs[id], run) {
					runs[id] = append(runs[id], strings.Clone(run))
				}
			})
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && version.Equal(c.version) && len(c.runs)+len(runs) <= maxMessages {
		maps.Copy(c.runs, runs)
		c.readIDs.Union(read)
	}
	return err
}

// refresh brings the cache to the versions of the indexes.
func (c *Cache) refresh(ctx context.Context, trigrams, words *fts.Index) error {
	if err := c.readTrigrams(ctx, trigrams); err != nil || !c.scripts {
		return err
	}
	if err := c.readEscapes(ctx, words); err != nil {
		return err
	}
	now := trigrams.Version()
	if c.rows != nil && c.version.Equal(now) {
		return nil
	}
	changed, ok, err := trigrams.ChangedSince(ctx, c.version)
	if err != nil {
		return err
	}
	if !ok || c.rows == nil {
		c.rows, c.bytes, c.changed, c.readIDs, c.runs = map[string]*fts.Set{}, 0, fts.Set{}, fts.Set{}, map[int64][]string{}
	} else {
		c.changed.Union(changed)
		c.readIDs.Subtract(changed)
		for id := range changed.All() {
			delete(c.runs, id)
		}
	}
	c.version = now
	return nil
}

// rowsOfPair returns the messages that have two characters of ASCII after a script
// without spaces, and maybe others. The set is the caller's.
func (c *Cache) rowsOfPair(ctx context.Context, trigrams, words *fts.Index, pair string) (*fts.Set, error) {
	if rows := c.rows[pair]; rows != nil {
		among := rows.Clone()
		among.Union(&c.changed)
		return among, nil
	}
	var plain, escaped []fts.Expr
	for _, r := range c.before[pair] {
		if e, ok := trigrams.Phrase(string(r)+pair, false); ok {
			plain = append(plain, e)
		}
	}
	for _, escape := range c.escapes[pair] {
		if e, ok := words.Phrase(escape+pair, true); ok {
			escaped = append(escaped, e)
		}
	}
	rows := &fts.Set{}
	for _, of := range []struct {
		index *fts.Index
		any   []fts.Expr
	}{{trigrams, plain}, {words, escaped}} {
		if len(of.any) == 0 {
			continue
		}
		found, err := of.index.Search(ctx, fts.Or(of.any...))
		if err != nil {
			return nil, err
		}
		rows.Union(found)
	}
	if bytes := rows.Bytes(); c.bytes+bytes <= maxBytes {
		c.rows[pair] = rows.Clone()
		c.bytes += bytes
	}
	return rows, nil
}

// readTrigrams adds the characters before each pair in segments of the trigram index
// that were not read yet.
func (c *Cache) readTrigrams(ctx context.Context, x *fts.Index) error {
	now := x.Version()
	if c.trigrams.Equal(now) && c.before != nil {
		return nil
	}
	if c.before == nil {
		c.before = map[string][]rune{}
	}
	added := map[string]bool{}
	err := x.WalkTerms(ctx, c.trigrams, firstUnspaced, func(term []byte) (next string) {
		r, size := utf8.DecodeRune(term)
		rest := term[size:]
		switch {
		case r == utf8.RuneError: // no character: the next term may begin with one
			return string(term) + "\x00"
		case !match.IsUnspaced(r):
			return string(r + 1)
		}
		c.scripts = true
		if len(rest) == 0 || rest[0] > 'z' {
			return string(r + 1)
		}
		if len(rest) == 2 && isASCIIAlnum(rest[0]) && isASCIIAlnum(rest[1]) && !slices.Contains(c.before[string(rest)], r) {
			c.before[string(rest)] = append(c.before[string(rest)], r)
			added[string(rest)] = true
		}
		return string(term) + "\x00"
	})
	c.forget(added)
	if err == nil {
		c.trigrams = now
	}
	return err
}

// readEscapes adds the escapes before each pair in segments of the word index that were
// not read yet.
func (c *Cache) readEscapes(ctx context.Context, x *fts.Index) error {
	now := x.Version()
	if c.words.Equal(now) && c.escapes != nil {
		return nil
	}
	if c.escapes == nil {
		c.escapes = map[string][]string{}
	}
	added := map[string]bool{}
	const first, last = "u0e", "ug" // what follows the u is hexadecimal
	err := x.WalkTerms(ctx, c.words, first, func(term []byte) (next string) {
		if string(term) >= last {
			return ""
		}
		if len(term) >= 7 && isASCIIAlnum(term[5]) && isASCIIAlnum(term[6]) {
			pair, escape := string(term[5:7]), string(term[:5])
			unit, err := strconv.ParseUint(escape[1:], 16, 16)
			if err == nil && match.IsUnspaced(rune(unit)) && !slices.Contains(c.escapes[pair], escape) {
				c.escapes[pair] = append(c.escapes[pair], escape)
				added[pair] = true
			}
		}
		return string(term) + "\x00"
	})
	c.forget(added)
	if err == nil {
		c.words = now
	}
	return err
}

// forget drops the messages of pairs before which new characters were found.
func (c *Cache) forget(pairs map[string]bool) {
	for pair := range pairs {
		if rows := c.rows[pair]; rows != nil {
			c.bytes -= rows.Bytes()
			delete(c.rows, pair)
		}
	}
}

// beginsUnspaced reports whether a text begins with a character of a script without
// spaces.
func beginsUnspaced(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	return match.IsUnspaced(r)
}

// isASCIIAlnum reports whether a byte is a letter or a digit of ASCII in a folded term.
func isASCIIAlnum(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' }
