// Package scriptborders finds words of ASCII beside a script without spaces. FTS5 splits
// words at spaces and punctuation, so 用docker部署 is one word of the index. A search for
// docker must look for it in two ways: before such a script among the words that begin
// with docker, after such a script by the trigrams of 用do.
//
// A [Cache] holds which characters come before which two characters of ASCII, read from
// the terms of the indexes once per segment, the messages with these, and the words after
// such a script in most of them. In a file without such scripts nothing is searched.
// match.Term.BorderWord defines which words count.
//
// Without trigrams it holds the terms of the word index that begin with such a script and
// have a word after it (mixedterms.go).
package scriptborders

import (
	"context"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
)

// Source is a database in a read transaction.
type Source interface {
	// UseIndexes calls use with the readers of the trigram index, nil where it is not to be
	// read, and of the word index, which are valid during the call only. Where an index cannot be read it does not
	// call use, or drops the error of use: a search of that index reports it. The error
	// is ctx's or the database's.
	UseIndexes(ctx context.Context, use func(trigrams, words *fts.Index) error) error
	// EachText calls each with the searched texts of messages, JSON escapes decoded.
	EachText(ctx context.Context, ids *idset.Set, each func(id int64, texts ...string)) error
}

// Cache keeps the borders between scripts in one database. It never changes an answer. The
// zero value is empty. It may be used by several goroutines.
type Cache struct {
	mu              sync.Mutex
	trigrams, words fts.Version       // versions that before was read at
	scripts         bool              // there is a character of a script without spaces
	before          map[string][]rune // two characters of ASCII → the characters before them, negative for a JSON escape
	mixedTerms      mixedTerms        // where there are no trigrams

	substrings substrings // until all borders were read

	version fts.Version           // of the trigram index, or of the words without it, at which the fields below were read
	all     *idset.Set            // the messages that have two characters of ASCII after such a script, nil until Prepare
	rows    map[string]*idset.Set // two characters of ASCII → those that have these two
	changed idset.Set             // messages that were written since rows were read
	readIDs idset.Set             // messages whose runs are known
	runs    map[int64][]string    // of these messages: see match.RunsBehindScripts
}

const (
	maxPairs    = 256    // of Cache.rows: 32 KB each at 200,000 messages
	maxMessages = 20_000 // of Cache.runs
	readBatch   = 5_000  // messages that Prepare reads at once
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
// with the term, or without trigrams with the script. Messages without one of the other terms
// may be left out. The set is the caller's.
func (c *Cache) Rows(ctx context.Context, s Source, t match.Term, others []match.Term) (*idset.Set, error) {
	found, unread := &idset.Set{}, &idset.Set{}
	word := t.BorderWord()
	if word == "" {
		return found, nil
	}
	matches := func(run string) bool { return run == word || t.Prefix && strings.HasPrefix(run, word) }
	var version fts.Version
	err := s.UseIndexes(ctx, func(trigrams, words *fts.Index) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		ok, err := c.rowsOfSubstring(ctx, trigrams, words, t, others, found, unread)
		if ok || err != nil {
			return err
		}
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
		var among *idset.Set
		if trigrams == nil {
			among, err = c.mixedTerms.rows(ctx, words, matches)
		} else {
			among, err = c.rowsOfPair(ctx, trigrams, words, word[:2])
		}
		if err != nil {
			return err
		}
		for id := range idset.Intersection(among, &c.readIDs).All() {
			if slices.ContainsFunc(c.runs[id], matches) {
				found.Add(id)
			}
		}
		version = c.version
		unread = idset.Difference(among, &c.readIDs)
		if trigrams == nil || unread.Empty() || len(word) < 3 { // the pair is the word
			return nil
		}
		e, ok := trigrams.Phrase(word, false)
		if !ok {
			return nil
		}
		holding, err := trigrams.SearchAmong(ctx, e, unread)
		unread = idset.Intersection(unread, holding)
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
		if err := c.refresh(ctx, trigrams, words); err != nil || !c.scripts || trigrams == nil {
			return err
		}
		if c.all == nil {
			if err := c.readRows(ctx, trigrams, words); err != nil {
				return err
			}
		}
		all := c.all.Clone()
		all.Union(&c.changed)
		all.Subtract(&c.readIDs)
		unread, version = all.Rowids(), c.version
		unread = unread[max(0, len(unread)-maxMessages+len(c.runs)):]
		return nil
	})
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(unread, readBatch) {
		ids := &idset.Set{}
		for _, id := range batch {
			ids.Add(id)
		}
		if err := c.read(ctx, s, version, ids, func(int64, string) {}); err != nil {
			return err
		}
	}
	return nil
}

// Cached reports, after a call of Rows, whether another one finds most of what it needs in
// the cache.
func (c *Cache) Cached() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.scripts || c.mixedTerms.used || c.all != nil
}

// read reads messages and calls each with the runs after scripts without spaces in them.
// It adds the runs to the cache if that is still at the version.
func (c *Cache) read(ctx context.Context, s Source, version fts.Version, ids *idset.Set, each func(id int64, run string)) error {
	if ids.Empty() {
		return nil
	}
	read, runs := &idset.Set{}, map[int64][]string{}
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
	if err == nil && c.runs != nil && version.Equal(c.version) && len(c.runs)+len(runs) <= maxMessages {
		maps.Copy(c.runs, runs)
		c.readIDs.Union(read)
	}
	return err
}

// refresh brings the cache to the versions of the indexes.
func (c *Cache) refresh(ctx context.Context, trigrams, words *fts.Index) error {
	index, read := trigrams, c.readTrigrams
	if trigrams == nil {
		index, read = words, c.readMixedTerms
	}
	if c.mixedTerms.used != (trigrams == nil) { // of the other index
		c.trigrams, c.words, c.version, c.rows, c.mixedTerms = fts.Version{}, fts.Version{}, fts.Version{}, nil, mixedTerms{used: trigrams == nil}
	}
	if err := read(ctx, index); err != nil || !c.scripts {
		return err
	}
	if trigrams != nil {
		if err := c.readEscapes(ctx, words); err != nil {
			return err
		}
	}
	now := index.Version()
	if c.rows != nil && c.version.Equal(now) {
		return nil
	}
	changed, ok, err := index.ChangedSince(ctx, c.version)
	if err != nil {
		return err
	}
	if !ok || c.rows == nil {
		c.all, c.rows, c.changed, c.readIDs, c.runs = nil, map[string]*idset.Set{}, idset.Set{}, idset.Set{}, map[int64][]string{}
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
func (c *Cache) rowsOfPair(ctx context.Context, trigrams, words *fts.Index, pair string) (*idset.Set, error) {
	if rows := c.rows[pair]; rows != nil {
		among := rows.Clone()
		among.Union(&c.changed)
		return among, nil
	}
	rows := &idset.Set{}
	toRows := func([]byte) *idset.Set { return rows }
	for _, before := range c.before[pair] {
		ix, term := trigrams, string(before)+pair
		if before < 0 {
			ix, term = words, "u"+strconv.FormatInt(0x1_0000-int64(before), 16)[1:]+pair
		}
		if err := ix.AddRows(ctx, term, toRows); err != nil {
			return nil, err
		}
	}
	for other := range c.rows {
		if len(c.rows) < maxPairs {
			break
		}
		delete(c.rows, other)
	}
	c.rows[pair] = rows.Clone()
	return rows, nil
}

// readRows reads the rows of all pairs in one pass over each index, and keeps those of
// the pairs that the most characters come before.
func (c *Cache) readRows(ctx context.Context, trigrams, words *fts.Index) error {
	var pairs []string
	for pair := range c.before {
		pairs = append(pairs, pair)
	}
	sort.Slice(pairs, func(i, j int) bool { return len(c.before[pairs[i]]) > len(c.before[pairs[j]]) })
	all, rows := &idset.Set{}, map[string]*idset.Set{}
	for _, pair := range pairs[:min(len(pairs), maxPairs)] {
		rows[pair] = &idset.Set{}
	}
	rowsOf := func(term []byte) *idset.Set {
		_, pair := pairOf(term)
		of := rows[pair]
		if pair == "" {
			return nil
		} else if of != nil {
			return of
		}
		return all
	}
	for _, lead := range []byte(leadBytes) {
		if err := trigrams.AddRows(ctx, string([]byte{lead}), rowsOf); err != nil {
			return err
		}
	}
	for _, digit := range "0123456789abcdef" { // a script's escapes are u0e00 and later
		if err := words.AddRows(ctx, "u"+string(digit), rowsOf); err != nil {
			return err
		}
	}
	for _, of := range rows {
		all.Union(of)
	}
	c.all, c.rows, c.changed = all, rows, idset.Set{}
	return nil
}

// readTrigrams adds the characters before each pair in segments of the trigram index
// that were not read yet.
func (c *Cache) readTrigrams(ctx context.Context, ix *fts.Index) error {
	now := ix.Version()
	if c.trigrams.Equal(now) {
		return nil
	}
	err := ix.WalkTerms(ctx, c.trigrams, firstUnspaced, func(term []byte) (next string) {
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
		c.note(term)
		return firstUnspaced // the next term
	})
	if err == nil {
		c.trigrams = now
	}
	return err
}

// readEscapes adds the escapes before each pair in segments of the word index that were
// not read yet.
func (c *Cache) readEscapes(ctx context.Context, ix *fts.Index) error {
	now := ix.Version()
	if c.words.Equal(now) {
		return nil
	}
	err := c.eachEscape(ctx, ix, c.note)
	if err == nil {
		c.words = now
	}
	return err
}

// eachEscape calls each with the words that may begin with an escape, in segments of the
// word index that were not read yet.
func (c *Cache) eachEscape(ctx context.Context, ix *fts.Index, each func(term []byte)) error {
	const first, last = "u0e", "ug" // what follows the u is hexadecimal
	return ix.WalkTerms(ctx, c.words, first, func(term []byte) (next string) {
		if string(term) >= last {
			return ""
		}
		each(term)
		return first // the next term
	})
}

// note adds what is before the pair of a term.
func (c *Cache) note(term []byte) {
	if c.before == nil {
		c.before = map[string][]rune{}
	}
	if before, pair := pairOf(term); pair != "" && !slices.Contains(c.before[pair], before) {
		c.before[pair] = append(c.before[pair], before)
	}
}

// pairOf returns the two characters of ASCII after a character of a script without
// spaces, or after its JSON escape, that a term begins with, and that character, negative
// for an escape. pair is "" for other terms.
func pairOf(term []byte) (before rune, pair string) {
	before, n := utf8.DecodeRune(term)
	r := before
	if len(term) > 6 && before == 'u' {
		n = 5
		unit, err := strconv.ParseUint(string(term[1:n]), 16, 16)
		if err == nil {
			r = rune(unit)
			before = -r
		}
	}
	if len(term) < n+2 || !match.IsUnspaced(r) || !isASCIIAlnum(term[n]) || !isASCIIAlnum(term[n+1]) {
		return 0, ""
	}
	return before, string(term[n : n+2])
}

// beginsUnspaced reports whether a text begins with a character of a script without
// spaces.
func beginsUnspaced(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	return match.IsUnspaced(r)
}

// isASCIIAlnum reports whether a byte is a letter or a digit of ASCII in a folded term.
func isASCIIAlnum(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' }
