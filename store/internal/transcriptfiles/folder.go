// Package transcriptfiles reads conversations that stand in files beside the database:
// in the folder sessions of a Hermes home (store/README.md#transcript-files).
//
//	ID.jsonl          one message a line: turns that could not be written into the database
//	session_ID.json   a session with its messages, of releases that wrote each turn there too
//	ID.json           the same, of very old ones
//
//	folder.go        which sessions have files, and those that only files have
//	file.go          one file, message by message, broken ones included
//	conversation.go  the files of one session as a conversation
//	beyond.go        the messages that the database does not have; details and checkup
//	list.go          lists of both; import.go, export.go what their names say
//
// Files are only read. A file of any size costs little memory: what is kept of it is where
// its messages begin.
package transcriptfiles

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Folder is the folder of transcript files of a database. Its methods may be called from
// several goroutines at once.
type Folder struct {
	db     *db.DB
	ctx    context.Context //nolint:containedctx // ends what reads in the background
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu      sync.Mutex
	listed  listing
	changes int64         // how often the background has found another listing
	watched bool          // see Changes
	busy    bool          // the background reads
	opened  *Conversation // the last one, nil for none
}

// listing is what the folder had at a time.
type listing struct {
	read     bool
	modified time.Time           // of the folder
	version  int64               // of the database
	names    map[string][]string // files by session
	only     []head              // sessions that the database does not have, by id
}

// head is a session in the list, and by what its files are known.
type head struct {
	model.Conversation
	stamp string
}

// New returns the folder of a database, which may have none. It reads nothing.
func New(d *db.DB) *Folder {
	f := &Folder{db: d}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return f
}

// Close ends what reads in the background.
func (f *Folder) Close() {
	f.mu.Lock()
	f.cancel()
	f.mu.Unlock()
	f.tasks.Wait()
}

// Changes returns a number that grows when [Folder.Conversations] has others than before. A
// program that asks is one that shows a list and asks again, so from then on the folder is
// read in the background, and no list waits for it.
func (f *Folder) Changes() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watched = true
	return f.changes
}

// Conversations returns the conversations of which the database knows nothing.
func (f *Folder) Conversations(ctx context.Context) ([]model.Conversation, error) {
	l, err := f.current(ctx)
	out := make([]model.Conversation, len(l.only))
	for i := range l.only {
		out[i] = l.only[i].Conversation
		out[i].Segments, out[i].Starts = slices.Clone(out[i].Segments), slices.Clone(out[i].Starts)
	}
	return out, err
}

// current returns the listing of now, or where the list may not wait, the one that is there.
func (f *Folder) current(ctx context.Context) (listing, error) {
	info, err := f.stat()
	if info == nil || err != nil {
		return listing{}, err
	}
	version, err := f.db.DataVersion(ctx)
	if err != nil {
		return listing{}, err
	}
	f.mu.Lock()
	old := f.listed
	if old.read && old.version == version && old.modified.Equal(info.ModTime()) {
		f.mu.Unlock()
		return old, nil
	}
	if wait := !f.watched; wait {
		f.mu.Unlock()
		return f.read(ctx, old, info.ModTime(), version)
	}
	if !f.busy && f.ctx.Err() == nil {
		f.busy = true
		f.tasks.Go(func() {
			_, _ = f.read(f.ctx, old, info.ModTime(), version) // a checkup reports what is wrong with the folder
			f.mu.Lock()
			defer f.mu.Unlock()
			f.busy = false
		})
	}
	f.mu.Unlock()
	return old, nil
}

// stat returns nil where there is no folder.
func (f *Folder) stat() (fs.FileInfo, error) {
	if f.db.Transcripts == "" {
		return nil, nil //nolint:nilnil // none
	}
	info, err := os.Stat(f.db.Transcripts)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil //nolint:nilnil // none
	}
	return info, f.wrap(err)
}

func (f *Folder) wrap(err error) error {
	if _, ok := errors.AsType[*model.Error](err); ok || err == nil {
		return err // it is about the database
	}
	return fmt.Errorf("read the transcript files in %s: %w", f.db.Transcripts, err)
}

// read makes a listing. The names alone tell which sessions have files; of those that the
// database does not have, each file is read once, and again when it has changed.
func (f *Folder) read(ctx context.Context, old listing, modified time.Time, version int64) (listing, error) {
	l := listing{read: true, modified: modified, version: version, names: old.names}
	if !old.read || !old.modified.Equal(modified) {
		entries, err := os.ReadDir(f.db.Transcripts)
		if err != nil {
			return old, f.wrap(err)
		}
		l.names = map[string][]string{}
		for _, e := range entries {
			if id, ok := db.SessionOfTranscript(e.Name()); ok && e.Type().IsRegular() {
				l.names[id] = append(l.names[id], e.Name())
			}
		}
	}
	ids, err := f.missing(ctx, slices.Sorted(maps.Keys(l.names)))
	if err != nil {
		return old, err
	}
	known := map[string]*head{}
	for i := range old.only {
		known[old.only[i].ID] = &old.only[i]
	}
	for _, id := range ids {
		c := f.files(id, l.names[id])
		was := known[id]
		if was == nil || was.stamp != c.stamp() {
			was = &head{stamp: c.stamp()}
			if was.Conversation, err = c.head(ctx); err != nil {
				return old, err
			}
		}
		if was.Messages > 0 {
			l.only = append(l.only, *was)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	same := slices.EqualFunc(f.listed.only, l.only, func(a, b head) bool { return a.ID == b.ID && a.stamp == b.stamp })
	if f.listed = l; !same {
		f.changes++
	}
	return l, nil
}

// missing returns the ids that the database does not have.
func (f *Folder) missing(ctx context.Context, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	out, err := db.QueryTexts(ctx, f.db.Pool, `SELECT j.value FROM temp.json_each(?) j
		WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = j.value) ORDER BY j.key`, string(list))
	return out, f.db.WrapError("look for the sessions of transcript files in", err)
}

// WithName returns the sessions that only files have and a name may mean: the one with this
// id, else those whose ids begin with it.
func (f *Folder) WithName(ctx context.Context, name string) (ids []string, err error) {
	l, err := f.current(ctx)
	if err != nil || name == "" {
		return nil, err
	}
	for _, h := range l.only {
		if h.ID == name {
			return []string{name}, nil
		}
		if strings.HasPrefix(h.ID, name) {
			ids = append(ids, h.ID)
		}
	}
	return ids, nil
}

// files returns the files of a session in the order in which they are read: the older kinds
// first.
func (f *Folder) files(id string, names []string) *Conversation {
	c := &Conversation{ID: id}
	for _, name := range names {
		c.files = append(c.files, file{name: name, path: filepath.Join(f.db.Transcripts, name)})
	}
	age := func(a file) int {
		switch {
		case strings.HasSuffix(a.name, ".jsonl"):
			return 2
		case strings.HasPrefix(a.name, "session_"):
			return 1
		}
		return 0
	}
	slices.SortFunc(c.files, func(a, b file) int { return cmp.Or(cmp.Compare(age(a), age(b)), strings.Compare(a.name, b.name)) })
	return c
}

// Open returns the conversation in the files of a session, nil where it has none. The last one
// is not read again while its files stay as they are.
func (f *Folder) Open(ctx context.Context, id string) (*Conversation, error) {
	names := db.TranscriptNames(f.db.Transcripts, id)
	if len(names) == 0 {
		return nil, nil //nolint:nilnil // none
	}
	c := f.files(id, names)
	f.mu.Lock()
	last := f.opened
	f.mu.Unlock()
	if last != nil && last.ID == id && last.opened == c.stamp() {
		return last, nil
	}
	if err := c.open(ctx); err != nil {
		return nil, f.wrap(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = c
	return c, nil
}
