// Package scripttexts finds texts in scripts without spaces where the trigram index cannot: it
// lacks what tools returned in files of schema 26 and later, and holds no one or two characters at
// the end of a column. To read every message takes half a second at 100,000 messages.
//
// A [Cache] holds what stands in such scripts in all messages of a file, with a few characters
// beside it. It never changes an answer.
package scripttexts

import (
	"context"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
)

const (
	maxBytes = 32 << 20 // of a cache
	beside   = 16       // bytes of other text that are kept before and after a script
)

// Cache caches the texts of one database. The zero value is empty. It may be used by several
// goroutines.
type Cache struct {
	version  fts.CacheVersion // of the word index
	complete bool             // every message was read
	full     bool             // they have more text than a cache holds: none is kept, nor read again
	texts    []messageText
	changed  idset.Set // messages that were written since
}

// messageText is what a message has in scripts without spaces, with letters of ASCII in lower case.
type messageText struct {
	message int64
	text    string // each stretch after a line feed
}

// Search returns the messages that have a text, and those that may have it because they were
// written since the texts were read. The text must be stored as it is typed, apart from the case of
// letters of ASCII. changes are those of the word index. exact is false where others may be among
// the found ones. ok is false where not every message is known. The sets are the caller's.
func (c *Cache) Search(ctx context.Context, changes fts.Changes, text string) (found, unread *idset.Set, exact, ok bool, err error) {
	wanted, exact := lookUpText(text)
	if wanted == "" {
		return nil, nil, false, false, nil
	}
	now, ok, err := c.refresh(ctx, changes)
	if err != nil || !ok {
		return nil, nil, false, false, err
	}
	c.version.Lock()
	defer c.version.Unlock()
	if !c.complete || !c.version.IsAt(now) {
		return nil, nil, false, false, nil
	}
	found = &idset.Set{}
	for _, m := range c.texts {
		if strings.Contains(m.text, wanted) {
			found.Add(m.message)
		}
	}
	found.Subtract(&c.changed)
	return found, c.changed.Clone(), exact, true, nil
}

// Unread returns the messages that are to be read and added by [Cache.Add], with the version of the
// index. all says that these are all messages of the file. None are where their texts are more than
// a cache holds. The set is the caller's.
func (c *Cache) Unread(ctx context.Context, changes fts.Changes) (unread *idset.Set, all bool, at fts.Version, err error) {
	at, ok, err := c.refresh(ctx, changes)
	if err != nil || !ok {
		return &idset.Set{}, false, at, err
	}
	c.version.Lock()
	defer c.version.Unlock()
	if c.full {
		return &idset.Set{}, false, at, nil
	}
	return c.changed.Clone(), !c.complete, at, nil
}

// refresh notes what was written since the texts were read.
func (c *Cache) refresh(ctx context.Context, changes fts.Changes) (now fts.Version, ok bool, err error) {
	return c.version.Refresh(ctx, changes, func(changed *idset.Set) {
		if changed == nil {
			c.complete, c.full, c.texts, c.changed = false, false, nil, idset.Set{}
			return
		}
		c.changed.Union(changed)
	})
}

// Add adds the texts of the messages that [Cache.Unread] returned, which have been read at the same
// version of the index. all is as it was there.
func (c *Cache) Add(at fts.Version, texts *Texts, all bool) {
	c.version.Lock()
	defer c.version.Unlock()
	if !c.version.IsAt(at) {
		return
	}
	if all {
		c.texts = nil
	}
	known := make([]messageText, 0, len(c.texts)+len(texts.texts))
	size := texts.bytes
	for _, m := range c.texts {
		if !c.changed.Has(m.message) {
			known = append(known, m)
			size += m.size()
		}
	}
	c.texts, c.changed = append(known, texts.texts...), idset.Set{}
	c.complete = size <= maxBytes
	if c.full = !c.complete; c.full {
		c.texts = nil
	}
}

// size estimates the memory of a text.
func (m messageText) size() int { return len(m.text) + 48 }

// Texts collects the texts of messages. The zero value has none.
type Texts struct {
	texts []messageText
	bytes int
}

// Full reports whether the texts are more than a cache holds.
func (t *Texts) Full() bool { return t.bytes > maxBytes }

// Add adds the texts of a message, JSON escapes decoded.
func (t *Texts) Add(message int64, texts ...string) {
	var all []byte
	for _, text := range texts {
		all = appendScripts(all, text)
	}
	if len(all) > 0 {
		m := messageText{message, string(all)}
		t.texts = append(t.texts, m)
		t.bytes += m.size()
	}
}

// appendScripts appends each stretch of a text that has characters of scripts without spaces: from
// a few bytes before the first to a few after the last, without white space of ASCII.
func appendScripts(to []byte, text string) []byte {
	kept := -1 // the end of the stretch before
	for i := nextScript(text, 0); i < len(text); i = nextScript(text, kept) {
		from := i
		for from > max(kept, 0) && i-from < beside && text[from-1] > ' ' {
			from--
		}
		for !utf8.RuneStart(text[from]) {
			from++
		}
		end := i
		for last := i; end < len(text); {
			r, size := utf8.DecodeRuneInString(text[end:])
			if match.IsUnspaced(r) {
				last = end + size
			} else if r <= ' ' || end+size-last > beside {
				break
			}
			end += size
		}
		if from > kept {
			to = append(to, '\n')
		}
		for _, c := range []byte(text[from:end]) {
			to = append(to, lower(c))
		}
		kept = end
	}
	return to
}

// nextScript returns where the next character of a script without spaces stands, at i or after it.
func nextScript(text string, i int) int {
	for i < len(text) {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if match.IsUnspaced(r) {
			break
		}
		i += size
	}
	return i
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// lookUpText returns what is looked for to find a text: all of it where a stretch holds all of it,
// which exact says, else its longest part in scripts without spaces, "" where it has none.
func lookUpText(text string) (wanted string, exact bool) {
	stretch, isOne := strings.CutPrefix(string(appendScripts(nil, text)), "\n")
	if isOne && len(stretch) == len(text) && !strings.Contains(stretch, "\n") {
		return stretch, true
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return !match.IsUnspaced(r) }) {
		if len(part) > len(wanted) {
			wanted = part
		}
	}
	return wanted, false
}
