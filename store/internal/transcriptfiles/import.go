package transcriptfiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/transfer"
	"hermes-sessions/store/sessiondb"
)

// SessionIn returns the session of which a file is a transcript file, by its name and its
// first messages; ok is false for any other file, an export or a backup among them.
func SessionIn(ctx context.Context, path string) (id string, ok bool) {
	f := file{name: filepath.Base(path), path: path}
	if id, ok = db.SessionOfTranscript(f.name); !ok {
		return "", false
	}
	exported, n := false, 0
	_ = f.walk(ctx, func(name string, _ []byte) { exported = exported || name == "started_at" }, func(e entry) error { //nolint:errcheck // the import of any other file reports it
		m, err := e.parse()
		ok = err == nil && m.Get("role") != nil && m.Get("messages") == nil
		if n++; ok || n == headMessages {
			return errStop
		}
		return nil
	})
	return id, ok && n > 0 && !exported
}

// Import imports what the files of a session, or only the one at path, have beyond the
// database; see store.Store.ImportTranscript for the contract.
func (f *Folder) Import(ctx context.Context, t *transfer.Transfer, d *sessiondb.DB, id, path string, o model.ImportOptions) (r model.ImportReport, err error) {
	var c *Conversation
	if path == "" {
		c, err = f.Open(ctx, id)
	} else {
		c = &Conversation{ID: id, files: []file{{name: filepath.Base(path), path: path}}}
		err = c.open(ctx)
	}
	if c == nil || err != nil {
		return r, cmp.Or[error](err, f.db.NotFoundError(id))
	}
	missing, err := f.missing(ctx, []string{id})
	if err != nil {
		return r, err
	}
	var broken []Broken
	if len(missing) > 0 {
		r, broken, err = importNew(ctx, t, c, o)
	} else {
		broken, err = f.appendBeyond(ctx, d, c, &r)
	}
	for _, b := range broken {
		r.BadLines++
		r.Bad = append(r.Bad, model.BadLine{Line: b.Line, Err: fmt.Errorf("%s: %w", b.File, b.Err)})
	}
	return r, err
}

// importNew imports a conversation that the database does not have.
func importNew(ctx context.Context, t *transfer.Transfer, c *Conversation, o model.ImportOptions) (r model.ImportReport, broken []Broken, err error) {
	out, in := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		var err error
		_, broken, err = c.write(ctx, in, nil)
		_ = in.CloseWithError(err) // never fails
	}()
	r, err = t.Import(ctx, out, o)
	_ = out.Close() // ends the writer
	<-written
	r.Renumbered = 0 // they had no numbers
	return r, broken, err
}

// appendBatch is how many messages one transaction appends, and maxCompares how often the files
// are compared with the database because another process writes to the session.
const (
	appendBatch = 100
	maxCompares = 5
)

// appendBeyond appends the messages that the database does not have.
func (f *Folder) appendBeyond(ctx context.Context, d *sessiondb.DB, c *Conversation, r *model.ImportReport) (broken []Broken, err error) {
	for range maxCompares {
		broken, err = f.appendOnce(ctx, d, c, r)
		if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.KindChanged {
			break
		}
	}
	return broken, err
}

// appendOnce is [Folder.appendBeyond] while no other process writes to the session.
func (f *Folder) appendOnce(ctx context.Context, d *sessiondb.DB, c *Conversation, r *model.ImportReport) ([]Broken, error) {
	var batch []db.Record
	last := int64(0)
	write := func() error {
		if len(batch) == 0 {
			return nil
		}
		newest, unknown, err := d.AppendRows(ctx, c.ID, last, batch)
		if err != nil {
			return err
		}
		r.Messages += len(batch)
		for _, name := range unknown {
			if name = "messages." + name; !slices.Contains(r.Unknown, name) {
				r.Unknown = append(r.Unknown, name)
			}
		}
		batch, last = nil, newest
		return nil
	}
	_, broken, err := f.beyond(ctx, c, func(row pyjson.Object, newest int64) error {
		last = max(last, newest)
		if batch = append(batch, row); len(batch) < appendBatch {
			return nil
		}
		return write()
	})
	if err == nil {
		err = write()
	}
	return broken, err
}
