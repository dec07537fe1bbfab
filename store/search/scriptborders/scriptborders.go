// Package scriptborders finds words of ASCII beside a script without spaces. FTS5 splits
// words at spaces and punctuation, so 用docker部署 is one word of the index. A search for
// docker must look for it in two ways: before such a script among the words that begin
// with docker, after such a script by the trigrams of 用do.
//
// A [Cache] holds which characters come before which two characters of ASCII, read from
// the terms of the indexes once per segment, and the runs after such scripts in the texts
// of most messages that have some (runs.go). In a file without such scripts nothing is
// searched. match.Term.BorderWord defines which words count.
//
// Where the trigram index lacks messages it holds the terms of the word index that begin with
// such a script and have a word after it (mixedterms.go).
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
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
)

// Cache keeps the borders between scripts in one database. It never changes an answer. The
// zero value is empty. It may be used by several goroutines.
type Cache struct {
	mu              sync.Mutex
	trigrams, words fts.Version       // versions that before was read at
	scripts         bool              // there is a character of a script without spaces
	before          map[string][]rune // two characters of ASCII → the characters before them, negative for a JSON escape
	mixedTerms      mixedTerms        // where trigrams are lacking

	version  fts.Version           // of the trigram index that rows was read at
	rows     map[string]*idset.Set // two characters of ASCII → messages with these two after such a script, nil until some are needed
	changed  idset.Set             // messages that were written since
	prepared *idset.Set            // messages with any two characters after such a script, nil until Prepare
	runs     runs
}

// maxPairs bounds Cache.rows, which has 32 KB each at 200,000 messages.
const maxPairs = 256

// leadBytes are the first bytes of the characters for which match.IsUnspaced may be
// true, and firstUnspaced is the first of these.
const (
	leadBytes     = "\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xef\xf0"
	firstUnspaced = "\u0e00"
)

// Rows returns the messages that have a word beside a script without spaces, and possible ones,
// which may have it after one. trigrams is nil where that index cannot be used, and lacking says
// that it does not hold every message, or cannot be used. Messages that it does not hold are found
// only where the word index begins a word with the term or with the script. The sets are the
// caller's.
func (c *Cache) Rows(ctx context.Context, trigrams, words *fts.Index, lacking bool, t match.Term) (found, possible *idset.Set, err error) {
	found, possible = &idset.Set{}, &idset.Set{}
	word := t.BorderWord()
	whole, ok := words.Phrase(word, t.Prefix)
	c.mu.Lock()
	defer c.mu.Unlock()
	if lacking {
		if err := c.readMixedTerms(ctx, words); err != nil {
			return nil, nil, err
		}
	}
	if c.rows == nil && ok && trigrams != nil && !c.scripts {
		if c.scripts, err = hasScripts(ctx, trigrams); err != nil {
			return nil, nil, err
		}
	} else if trigrams != nil && (c.rows != nil || !ok) {
		if err := c.refresh(ctx, trigrams, words); err != nil {
			return nil, nil, err
		}
	}
	if !c.scripts {
		return found, possible, nil
	}
	if found, err = Before(ctx, words, t); err != nil {
		return nil, nil, err
	}
	if trigrams != nil {
		if possible, err = c.behindScript(ctx, trigrams, words, word, whole); err != nil {
			return nil, nil, err
		}
		found.Union(c.runs.rows(word, t.Prefix))
	}
	if lacking {
		mixed, err := c.mixedTerms.rows(ctx, words, func(run string) bool { return run == word || t.Prefix && strings.HasPrefix(run, word) })
		if err != nil {
			return nil, nil, err
		}
		possible.Union(mixed)
	}
	return found, possible, nil
}

// Before returns the messages that have a word of ASCII before a script without spaces.
func Before(ctx context.Context, words *fts.Index, t match.Term) (*idset.Set, error) {
	if t.Prefix { // it is found as a word
		return &idset.Set{}, nil
	}
	return words.Search(ctx, words.Continued(t.BorderWord(), []byte(leadBytes), beginsUnspaced))
}

// behindScript returns the messages that may have a word after a script without spaces, but those
// whose runs are known: where few have it inside a longer word, all of these, else by what comes
// before its first two characters.
func (c *Cache) behindScript(ctx context.Context, trigrams, words *fts.Index, word string, whole fts.Expr) (*idset.Set, error) {
	substring, ok := trigrams.Phrase(word, false)
	ok = ok && len(word) > 2
	if c.rows == nil && ok {
		having, err := trigrams.Search(ctx, substring)
		if err != nil {
			return nil, err
		}
		asWord, err := words.Search(ctx, whole)
		if err != nil {
			return nil, err
		}
		if having.Subtract(asWord); having.Len() <= FewRows {
			return having, nil
		}
	}
	if err := c.refresh(ctx, trigrams, words); err != nil {
		return nil, err
	}
	if c.prepared == nil && len(c.rows) > 0 { // reading all costs little more than reading two
		if err := c.readRows(ctx, trigrams, words); err != nil {
			return nil, err
		}
	}
	possible, err := c.rowsOfPair(ctx, trigrams, words, word[:2])
	if err != nil {
		return nil, err
	}
	if possible.Subtract(&c.runs.read); !ok || possible.Empty() {
		return possible, nil
	}
	having, err := trigrams.SearchAmong(ctx, substring, possible)
	if err == nil {
		possible.Intersect(having)
	}
	return possible, err
}

// Unread reports whether a file has scripts without spaces and nothing has been read yet of what
// comes before words: to answer one query, less may do.
func (c *Cache) Unread(ctx context.Context, trigrams *fts.Index) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if trigrams == nil || c.rows != nil {
		return false, nil
	}
	return hasScripts(ctx, trigrams)
}

// FewRows is how many messages are read in less time than what comes before two characters.
const FewRows = 1_000

// hasScripts reports whether an index has a character of a script without spaces.
func hasScripts(ctx context.Context, trigrams *fts.Index) (has bool, err error) {
	err = trigrams.WalkTerms(ctx, fts.Version{}, firstUnspaced, func(term []byte) (next string) {
		r, _ := utf8.DecodeRune(term)
		if r == utf8.RuneError {
			return string(term) + "\x00"
		}
		if has = has || match.IsUnspaced(r); has {
			return ""
		}
		return string(r + 1)
	})
	return has, err
}

// Prepare reads what comes before each two characters, and the messages with those two that most
// characters come before, so that no search waits for that. It returns the messages whose runs are
// to be read and added by [Cache.AddRuns], the newest of those that have some, with the version of
// the index. The set is the caller's.
func (c *Cache) Prepare(ctx context.Context, trigrams, words *fts.Index) (unread *idset.Set, at fts.Version, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	unread = &idset.Set{}
	if trigrams == nil {
		return unread, at, nil
	}
	if err := c.refresh(ctx, trigrams, words); err != nil || !c.scripts {
		return unread, at, err
	}
	if c.prepared == nil {
		if err := c.readRows(ctx, trigrams, words); err != nil {
			return nil, at, err
		}
	}
	unread.Union(c.prepared)
	unread.Union(&c.changed)
	unread.Subtract(&c.runs.read)
	unread.KeepLast(maxRunMessages - c.runs.read.Len())
	return unread, c.version, nil
}

// readRows reads the messages with each two characters in one pass over the indexes.
func (c *Cache) readRows(ctx context.Context, trigrams, words *fts.Index) error {
	pairs := slices.Collect(maps.Keys(c.before))
	slices.SortFunc(pairs, func(a, b string) int { return len(c.before[b]) - len(c.before[a]) })
	rows, all := map[string]*idset.Set{}, &idset.Set{}
	for _, pair := range pairs[:min(len(pairs), maxPairs)] {
		rows[pair] = &idset.Set{}
	}
	rowsOf := func(term []byte) *idset.Set {
		_, pair := pairOf(term)
		if of := rows[pair]; of != nil || pair == "" {
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
	c.rows, c.changed, c.prepared = rows, idset.Set{}, all
	return nil
}

// AddRuns adds the texts of messages that [Cache.Prepare] returned, which have been read at the
// same version.
func (c *Cache) AddRuns(at fts.Version, texts *Texts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version.Equal(at) {
		c.runs.add(texts)
	}
}

// refresh brings what comes before two characters to the versions of the indexes.
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
	c.changed.Union(changed)
	c.runs.read.Subtract(changed)
	if !ok {
		c.runs = runs{}
	}
	if !ok || c.rows == nil || c.changed.Len() > FewRows {
		c.rows, c.changed, c.prepared = map[string]*idset.Set{}, idset.Set{}, nil
	}
	c.version = now
	return nil
}

// rowsOfPair returns the messages that have two characters of ASCII after a script
// without spaces, and maybe others. The set is the caller's.
func (c *Cache) rowsOfPair(ctx context.Context, trigrams, words *fts.Index, pair string) (*idset.Set, error) {
	if rows := c.rows[pair]; rows != nil {
		rows = rows.Clone()
		rows.Union(&c.changed)
		return rows, nil
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
	err := eachEscape(ctx, ix, c.words, c.note)
	if err == nil {
		c.words = now
	}
	return err
}

// eachEscape calls each with the words that may begin with an escape, in segments of the
// word index that were written since a version.
func eachEscape(ctx context.Context, ix *fts.Index, since fts.Version, each func(term []byte)) error {
	const first, last = "u0e", "ug" // what follows the u is hexadecimal
	return ix.WalkTerms(ctx, since, first, func(term []byte) (next string) {
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
	r, rest := escaped(term)
	if before = -r; r == 0 {
		var n int
		r, n = utf8.DecodeRune(term)
		before, rest = r, term[n:]
	}
	if len(rest) < 2 || !match.IsUnspaced(r) || !isASCIIAlnum(rest[0]) || !isASCIIAlnum(rest[1]) {
		return 0, ""
	}
	return before, string(rest[:2])
}

// escaped returns the character whose JSON escape a term begins with, which has lost its backslash,
// and what follows it. r is 0 for other terms.
func escaped(term []byte) (r rune, rest []byte) {
	if len(term) < 5 || term[0] != 'u' {
		return 0, nil
	}
	unit, err := strconv.ParseUint(string(term[1:5]), 16, 16)
	if err != nil {
		return 0, nil
	}
	return rune(unit), term[5:]
}

// beginsUnspaced reports whether a text begins with a character of a script without
// spaces.
func beginsUnspaced(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	return match.IsUnspaced(r)
}

// isASCIIAlnum reports whether a byte is a letter or a digit of ASCII in a folded term.
func isASCIIAlnum(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' }
