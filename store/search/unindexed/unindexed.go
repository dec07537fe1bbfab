// Package unindexed holds what the full-text indexes of today's files lack, so that no key reads
// it from the file. From schema 26 on the trigram index has nothing that tools returned, from 29
// on the word index has the first 8,192 characters of it. To read these texts takes up to half a
// second at 100,000 messages.
//
// A [Cache] holds of each message, JSON escapes decoded:
//
//	the stretches in scripts without spaces, with a few characters beside them (scripts.go)
//	the words that follow such a script inside a word
//	the words, where the word index holds the beginning of the message only
//	the symbols, each with the character beside it (symbols.go)
//
// The last three are in inverted indexes (index.go). At 100,000 messages of schema 31, of which
// 3,100 are long results of tools, all take 14 MB, and two seconds of CPU to read. They take up to
// 32 MB: where they would take more, the symbols are left out, then the words, then all. Of a file
// that is too large to be read whole, only the messages that the word index has the beginning of are
// read, for their words: every key of a word needs these. What is left out is read from the file.
//
// An answer is the same with and without them, but for words that follow such a script in the middle
// of a longer word of what a tool returned (x部署docker): only these texts tell of them. And the word
// index does not tell when a message comes back that it has no word of, as undo of another process
// restores it: such a message is found once the file is opened again.
package unindexed

import (
	"context"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
)

// These bound the memory of a cache.
const (
	maxBytes    = 32 << 20
	maxCutBytes = 96 << 20 // of words of cut messages alone
)

// kind is what is held of messages, in the order in which it is left out.
type kind int

const (
	symbols kind = iota
	words        // folded
	runs         // see [match.RunsBehindScripts]
	scripts
)

// Cache caches the texts of one database. The zero value is empty. It may be used by several
// goroutines.
type Cache struct {
	version  fts.CacheVersion // of the word index
	complete bool             // every message was read
	held     held             // its lists are replaced, never changed
	changed  idset.Set        // messages that were written since
	last     int64            // the last id of the file
	reading  *idset.Set       // messages that were written since [Cache.Unread], nil where any may have been
}

// held is what is held of messages.
type held struct {
	indexes [scripts]index // by kind
	scripts []messageText
	cut     idset.Set // messages whose words are held
	noWords idset.Set // messages that the word index has no word of, so that it does not tell when they change
	leftOut kind      // the kinds before this one are not held
	cutOnly bool      // only of cut messages, and not their scripts
}

// everything is the leftOut of which nothing is held.
const everything = scripts + 1

// messageText is what a message has in scripts without spaces.
type messageText struct {
	message int64
	text    string // each stretch after a line feed, with letters of ASCII in lower case
}

// size estimates the memory of a text.
func (m messageText) size() int { return len(m.text) + 32 }

// limit leaves out what is too much, where the kinds take so many bytes.
func (h *held) limit(bytes [everything]int) {
	total, most := 0, maxBytes
	if h.cutOnly {
		most = maxCutBytes
	}
	for _, n := range bytes[h.leftOut:] {
		total += n
	}
	for ; total > most; h.leftOut++ {
		total -= bytes[h.leftOut]
	}
	if h.cutOnly && h.leftOut > words {
		h.leftOut = everything
	}
	h.clear()
}

// clear removes what is left out.
func (h *held) clear() {
	clear(h.indexes[:min(h.leftOut, scripts)])
	if h.leftOut == everything {
		h.scripts = nil
	}
}

// Texts collects the texts of messages. The zero value has none, and takes them of all messages.
type Texts struct {
	builders [scripts]indexBuilder // by kind
	held
	bytes [everything]int
	seen  pairSet
}

// OfCutMessages returns a collection for messages of which the word index holds the beginning, of
// which it takes the words only.
func OfCutMessages() *Texts { return &Texts{held: held{leftOut: words, cutOnly: true}} }

// Full reports whether the texts are more than a cache holds.
func (t *Texts) Full() bool { return t.leftOut == everything }

// Add adds the texts of a message, its content first, JSON escapes decoded. cut says that the word
// index holds the beginning of the content only.
func (t *Texts) Add(message int64, cut bool, texts ...string) {
	of := &t.builders
	if t.leftOut <= symbols {
		of[symbols].begin(message)
		for _, text := range texts {
			t.seen.eachSymbol(text, of[symbols].add)
		}
	}
	if cut && t.leftOut <= words {
		t.cut.Add(message)
		of[words].begin(message)
		for _, text := range texts {
			match.EachWord(text, of[words].add)
		}
	}
	if !hasIndexedWord(cut, texts) {
		t.noWords.Add(message)
	}
	var stretches []byte
	for _, text := range texts {
		stretches = appendScripts(stretches, text)
	}
	if len(stretches) > 0 {
		if !t.cutOnly {
			m := messageText{message, string(stretches)}
			t.scripts = append(t.scripts, m)
			t.bytes[scripts] += m.size()
		}
		of[runs].begin(message)
		for _, text := range texts {
			match.RunsBehindScripts(text, func(run string) { of[runs].add([]byte(run)) })
		}
	}
	for k := range of {
		t.bytes[k] = of[k].bytes()
	}
	t.limit(t.bytes)
	for k := range min(t.leftOut, scripts) {
		of[k] = indexBuilder{}
	}
}

// indexedLength is how many characters of what a tool returned the word index has.
const indexedLength = 8192

// hasIndexedWord reports whether the word index is sure to have a word of a message. An escape, six
// characters of what it has, is one here.
func hasIndexedWord(cut bool, texts []string) bool {
	for i, text := range texts {
		n := 0
		for _, r := range text {
			if match.IsWord(r) {
				return true
			}
			if n++; cut && i == 0 && n == indexedLength/6 {
				break
			}
		}
	}
	return false
}

// Unread returns the messages that are to be read in the same read transaction and added by
// [Cache.Add]. last is the last id of the file. all says that these are all messages of the file. None
// are where their texts are more than a cache holds. cutOnly says that only those of which the word index
// holds the beginning will be added. The set is the caller's. One goroutine at a time reads.
func (c *Cache) Unread(ctx context.Context, changes fts.Changes, last int64, cutOnly bool) (unread *idset.Set, all bool, err error) {
	at, ok, err := c.refresh(ctx, changes, last)
	if err != nil || !ok {
		return &idset.Set{}, false, err
	}
	c.version.Lock()
	defer c.version.Unlock()
	if c.held.cutOnly != cutOnly { // the file has grown
		c.complete, c.held, c.changed = false, held{cutOnly: cutOnly}, idset.Set{}
	}
	if c.held.leftOut == everything || !c.version.IsAt(at) {
		return &idset.Set{}, false, nil
	}
	c.reading = &idset.Set{}
	return c.changed.Clone(), !c.complete, nil
}

// refresh notes which messages were written since the texts were read. The word index does not
// tell of new messages without words: these are noticed by their ids.
func (c *Cache) refresh(ctx context.Context, changes fts.Changes, last int64) (now fts.Version, ok bool, err error) {
	defer func() {
		c.version.Lock()
		defer c.version.Unlock()
		from := c.last
		c.last = max(c.last, last)
		c.noteNewer(from)
	}()
	return c.version.Refresh(ctx, changes, func(changed *idset.Set) {
		if changed == nil {
			c.complete, c.held, c.changed, c.reading = false, held{}, idset.Set{}, nil
			return
		}
		c.changed.Union(changed)
		if c.reading != nil {
			c.reading.Union(changed)
		}
	})
}

// noteNewer notes the messages after an id.
func (c *Cache) noteNewer(id int64) {
	if c.last-id > maxNoted {
		c.complete = false
	}
	for ; id < c.last && c.complete; id++ {
		c.changed.Add(id + 1)
	}
}

// Add adds the texts of the messages that [Cache.Unread] returned. What has been written meanwhile
// stays unread, so that the texts are kept also beside a process that writes without a pause. last and
// all are as they were there.
func (c *Cache) Add(texts *Texts, last int64, all bool) {
	c.version.Lock()
	defer c.version.Unlock()
	if c.reading == nil {
		return
	}
	next := held{leftOut: texts.leftOut, cutOnly: texts.cutOnly}
	if !all {
		next.leftOut = max(c.held.leftOut, texts.leftOut)
		next.cut.Union(&c.held.cut)
		next.noWords.Union(&c.held.noWords)
		for _, of := range []*idset.Set{&next.cut, &next.noWords} {
			of.Subtract(&c.changed)
		}
		for _, m := range c.held.scripts {
			if !c.changed.Has(m.message) {
				next.scripts = append(next.scripts, m)
			}
		}
		for k, x := range c.held.indexes {
			next.indexes[k] = x.without(&c.changed)
		}
	}
	next.cut.Union(&texts.cut)
	next.noWords.Union(&texts.noWords)
	next.scripts = append(next.scripts, texts.scripts...)
	var bytes [everything]int
	for k := range next.indexes {
		next.indexes[k] = append(next.indexes[k], texts.builders[k].index()...).merged()
		bytes[k] = next.indexes[k].bytes()
	}
	for _, m := range next.scripts {
		bytes[scripts] += m.size()
	}
	next.limit(bytes)
	c.held, c.changed, c.complete, c.reading = next, *c.reading, true, nil
	c.noteNewer(last)
}

// View is a cache at the version of a search. Its sets are the caller's.
type View struct {
	held   held
	unread *idset.Set
}

// View returns the cache at the current version of the word index, nil where not every message is
// known, but a few that were written since.
func (c *Cache) View(ctx context.Context, changes fts.Changes, last int64) (*View, error) {
	now, ok, err := c.refresh(ctx, changes, last)
	if err != nil || !ok {
		return nil, err
	}
	c.version.Lock()
	defer c.version.Unlock()
	if !c.complete || c.held.leftOut == everything || !c.version.IsAt(now) || c.changed.Len() > maxUnread {
		return nil, nil
	}
	unread := c.changed.Clone()
	unread.Union(&c.held.noWords)
	return &View{c.held, unread}, nil
}

const (
	maxUnread = 1_000   // how many messages a key may read besides
	maxNoted  = 100_000 // from how many new ids on all messages are read again
)

// Unread returns the messages that were written since the texts were read, or may have been. What the
// methods find may also be in these.
func (v *View) Unread() *idset.Set { return v.unread.Clone() }

// withoutUnread returns a set without the messages of [View.Unread].
func (v *View) withoutUnread(ids *idset.Set) *idset.Set {
	ids.Subtract(v.unread)
	return ids
}

// Cut returns the messages of which the word index holds the beginning only. ok is false where
// their words are not known.
func (v *View) Cut() (cut *idset.Set, ok bool) {
	return v.withoutUnread(v.held.cut.Clone()), v.held.leftOut <= words
}

// Script returns the messages that have a text with characters of scripts without spaces, stored
// as it is typed apart from the case of letters of ASCII. exact is false where others may be
// among them. ok is false where the text has no such character, or the scripts are not known.
func (v *View) Script(text string) (found *idset.Set, exact, ok bool) {
	wanted, exact := lookUpText(text)
	if wanted == "" || v.held.cutOnly {
		return nil, false, false
	}
	found = &idset.Set{}
	for _, m := range v.held.scripts {
		if strings.Contains(m.text, wanted) {
			found.Add(m.message)
		}
	}
	return v.withoutUnread(found), exact, true
}

// HasBehindScripts reports whether the words behind scripts are known.
func (v *View) HasBehindScripts() bool { return v.held.leftOut <= runs && !v.held.cutOnly }

// BehindScript returns the messages with a word after a script without spaces.
func (v *View) BehindScript(word string, prefix bool) *idset.Set {
	return v.withoutUnread(v.held.indexes[runs].having(word, prefix))
}

// InCut returns which of the messages that [View.Cut] returns have the words of a term: all that
// have it are possible, and the sure ones have it.
func (v *View) InCut(t match.Term) (sure, possible *idset.Set) {
	wanted, border, prefix := t.Words(), t.BorderWord(), t.Parts().Prefix
	for i, w := range wanted {
		last := prefix && i == len(wanted)-1
		having := v.held.indexes[words].find(w, func(term []byte) bool {
			next, _ := utf8.DecodeRune(term[len(w):])
			return last || len(term) == len(w) || border != "" && match.IsUnspaced(next)
		})
		if possible == nil {
			possible = having
		}
		possible.Intersect(having)
	}
	if border != "" {
		behind := v.BehindScript(border, prefix)
		behind.Intersect(&v.held.cut)
		possible.Union(behind)
	}
	v.withoutUnread(possible)
	if sure = (&idset.Set{}); len(wanted) == 1 && !t.HasSymbols() {
		sure = possible.Clone()
	}
	return sure, possible
}
