// Package filecalls reads which files messages work on, by the arguments of their tool
// calls.
//
// A [Cache] has them of the messages that queries needed, with the version of the word
// index that they were read at. It never changes an answer.
package filecalls

import (
	"context"
	"slices"
	"strings"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/search/fts"
)

// Source is a database in a read transaction.
type Source struct {
	// EachRow runs a statement and calls row once per row.
	EachRow func(ctx context.Context, query string, args []any, row func(scan func(...any) error) error) error
	// ChangedSince gives the version of the word index now and the rows that were written
	// to it since an earlier version, nil when they are not known. ok is false when the
	// index cannot be read.
	ChangedSince func(ctx context.Context, earlier fts.Version) (now fts.Version, changed *fts.Set, ok bool, err error)
}

// Cache keeps what was read of one database.
type Cache struct {
	mu           sync.Mutex
	indexVersion fts.Version         // version of the word index that the rest was read at
	readIDs      fts.Set             // the messages that were read
	byMessage    map[int64]callFiles // of these, those that work on files
	texts        map[string]string   // each session and path in memory once
}

// callFiles is the files of one message.
type callFiles struct {
	session string
	paths   []string // as the calls have them
}

const (
	maxMessages = 200_000 // of Cache.byMessage
	readBatch   = 2_000   // messages that one statement reads; ctx is checked between two
)

// Each calls each with the session of a message and a file that it works on, for every
// file of some messages.
func (c *Cache) Each(ctx context.Context, src Source, ids *fts.Set, each func(session, path string)) error {
	ok, now, err := c.refresh(ctx, src)
	if err != nil {
		return err
	}
	unread := ids
	if ok {
		c.mu.Lock()
		if c.indexVersion.Equal(now) {
			unread = fts.Difference(ids, &c.readIDs)
			for id := range fts.Intersection(ids, &c.readIDs).All() {
				c.byMessage[id].each(each)
			}
		}
		c.mu.Unlock()
	}
	for batch := range slices.Chunk(unread.Rowids(), readBatch) {
		read, err := src.read(ctx, batch)
		if err != nil {
			return err
		}
		c.mu.Lock()
		if ok && c.indexVersion.Equal(now) { // else another search has moved the cache on
			c.add(batch, read)
		}
		c.mu.Unlock()
		for _, f := range read {
			f.each(each)
		}
	}
	return nil
}

func (f callFiles) each(call func(session, path string)) {
	for _, path := range f.paths {
		call(f.session, path)
	}
}

// refresh removes from the cache what was written since, or everything when the changed
// messages are not known, and gives the version of the index now. ok is false when the
// index cannot be read: nothing is cached then.
func (c *Cache) refresh(ctx context.Context, src Source) (ok bool, now fts.Version, err error) {
	c.mu.Lock()
	as := c.indexVersion
	c.mu.Unlock()
	now, changed, ok, err := src.ChangedSince(ctx, as)
	if err != nil || !ok {
		return false, now, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.indexVersion.Equal(now) || !c.indexVersion.Equal(as): // current, or another search has changed it
	case changed == nil:
		c.indexVersion, c.readIDs, c.byMessage = now, fts.Set{}, nil
	default:
		c.indexVersion = now
		c.readIDs.Subtract(changed)
		for id := range changed.All() {
			delete(c.byMessage, id)
		}
	}
	return true, now, nil
}

// add adds what was read of a batch of messages.
func (c *Cache) add(ids []int64, read map[int64]callFiles) {
	if c.byMessage == nil || len(c.byMessage)+len(read) > maxMessages {
		c.readIDs, c.byMessage, c.texts = fts.Set{}, map[int64]callFiles{}, map[string]string{}
	}
	for _, id := range ids {
		c.readIDs.Add(id)
	}
	for id, f := range read {
		f.session = c.once(f.session)
		for i, path := range f.paths {
			f.paths[i] = c.once(path)
		}
		c.byMessage[id] = f
	}
}

// once gives the copy of a text that is in memory.
func (c *Cache) once(text string) string {
	if kept, ok := c.texts[text]; ok {
		return kept
	}
	text = strings.Clone(text) // it may be a part of long arguments
	c.texts[text] = text
	return text
}

// read reads the files of messages, without the messages that have none.
func (s Source) read(ctx context.Context, ids []int64) (map[int64]callFiles, error) {
	read := map[int64]callFiles{}
	err := s.EachRow(ctx, `SELECT m.id, m.session_id, m.tool_calls FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value WHERE m.tool_calls <> ''`,
		[]any{db.JSONList(slices.Values(ids))}, func(scan func(...any) error) error {
			var id int64
			var session, stored any
			if err := scan(&id, &session, &stored); err != nil {
				return err
			}
			calls, _ := model.DecodeCalls(db.AsText(stored)) // calls that cannot be decoded name no file
			f := callFiles{session: db.AsText(session)}
			for _, call := range calls {
				for _, use := range files.Of(call) {
					f.paths = append(f.paths, use.Path)
				}
			}
			if len(f.paths) > 0 {
				read[id] = f
			}
			return nil
		})
	return read, err
}
