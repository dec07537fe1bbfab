package transfer

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// SQLite's extended result codes for what a row violates.
const (
	sqliteConstraintPrimaryKey = db.SQLiteConstraint | 6<<8
	sqliteConstraintUnique     = db.SQLiteConstraint | 8<<8
	sqliteConstraintRowid      = db.SQLiteConstraint | 10<<8
)

// Restore puts back the rows and files of a backup; see store.Store.Restore for
// the contract.
func (t *Transfer) Restore(ctx context.Context, backup *Spool, o model.RestoreOptions) error {
	r := &restorer{transfer: t, rows: backup, dropTitles: o.DropTitles, progress: o.Progress}
	return r.run(ctx)
}

// Conflict returns the error with which Restore would refuse a backup, because others have
// the IDs or titles of its sessions.
func (t *Transfer) Conflict(ctx context.Context, backup *Spool, o model.RestoreOptions) error {
	r := &restorer{transfer: t, rows: backup, dropTitles: o.DropTitles}
	return r.checkConflicts(ctx)
}

// restorer restores one backup. Restore fails where a row exists and differs;
// Import skips it.
type restorer struct {
	transfer     *Transfer
	rows         *Spool
	dropTitles   bool // restore a session without its title where another session has it
	skipExisting bool // skip sessions that exist and differ, and bad lines
	strict       bool // with skipExisting: fail at a bad line all the same
	progress     func(done, total int)

	lastBadLine     int                // the highest number of a line that was reported
	badLines        model.ImportReport // the bad lines only: a transaction that is tried again resets totals
	total, restored int                // messages
	chunker         db.Chunker
	totals          model.ImportReport
	sessions        map[string]bool // ids of those of the backup
	skipped         map[string]bool // ids of sessions that exist and differ
	renumbered      map[string]bool // messages whose numbers others had taken
	danglingLinks   []*backupLine   // links to parents that did not exist before either
	dangling        map[string]bool // the sessions that have them
}

// run restores the backup: in one transaction where it is short, otherwise in
// chunks.
func (r *restorer) run(ctx context.Context) error {
	if r.progress == nil {
		r.progress = func(int, int) {}
	}
	r.sessions, r.skipped = map[string]bool{}, map[string]bool{}
	r.renumbered = map[string]bool{}
	r.danglingLinks, r.dangling = nil, map[string]bool{}
	size := 0
	if err := r.eachBackupLine(func(l *backupLine) error {
		if l.dangling {
			r.danglingLinks, r.dangling[db.AsText(l.linkChild)] = append(r.danglingLinks, l), true
		}
		switch l.table {
		case "messages":
			r.total++
		case "sessions":
			r.sessions[db.AsText(l.value("id"))] = true
		}
		if l.file == "" {
			size += l.memorySize()
		}
		return nil
	}); err != nil {
		return r.transfer.db.WrapError("read the backup for", err)
	}
	var err error
	if size <= db.MaxSingleTxBytes {
		err = r.runChunk(ctx, func(t *db.Tx) error {
			r.totals, r.restored = model.ImportReport{}, 0
			r.skipped = map[string]bool{}
			return r.restoreAll(ctx, t)
		})
	} else {
		err = r.restoreInChunks(ctx)
	}
	if err == nil {
		err = r.restoreDangling(ctx)
	}
	if err != nil {
		return err
	}
	r.totals.Add(r.badLines)
	r.progress(r.restored, r.total)
	return r.restoreFiles()
}

// eachBackupLine calls f with each line of the backup but the header.
func (r *restorer) eachBackupLine(f func(*backupLine) error) error {
	return eachLine(r.rows.reader(), func(n int, line []byte) error {
		l, ok, err := parseBackupLine(string(line))
		switch {
		case err != nil && r.skipExisting && !r.strict:
			if n > r.lastBadLine {
				r.lastBadLine = n
				r.badLines.AddBad(n, err)
			}
			return nil
		case err != nil:
			return r.transfer.badLineError(n, err)
		case !ok:
			return nil
		}
		return f(&l)
	})
}

// The passes over a backup: prompts come back before the sessions that name them,
// sessions before their messages (the full-text index of newer files looks them
// up), links to parents and single changed values when all rows exist.
const (
	passPrompts = iota
	passSessions
	passRows
	passLinks
	restorePasses
)

// passOf returns the pass in which a line is inserted.
func passOf(l *backupLine) int {
	switch {
	case l.table == "system_prompts":
		return passPrompts
	case l.table == "sessions":
		return passSessions
	case l.table != "":
		return passRows
	}
	return passLinks
}

// restoreAll restores everything in one transaction.
func (r *restorer) restoreAll(ctx context.Context, t *db.Tx) error {
	tx := &insertTx{Tx: t, tables: map[string]*targetTable{}}
	for pass := range restorePasses {
		if err := r.eachBackupLine(func(l *backupLine) error { return r.restoreRow(ctx, tx, l, pass) }); err != nil {
			return err
		}
		if err := r.insertQueued(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// restoreRow does what a line needs in one pass. The row of a session needs two: it
// is inserted, and later gets its parent.
func (r *restorer) restoreRow(ctx context.Context, tx *insertTx, l *backupLine, pass int) error {
	if l.file != "" {
		return nil
	}
	if pass == passLinks {
		if err := r.putBack(ctx, tx, l); err != nil {
			return err
		}
		switch {
		case l.cell != nil:
			return r.restoreCell(ctx, tx, *l.cell)
		case l.dangling || l.table == "sessions" && r.dangling[db.AsText(l.value("id"))]:
			return nil // restoreDangling does it
		case l.linkChild != nil:
			return r.setParent(ctx, tx.Tx, l.linkChild, l.linkParent)
		case l.table == "sessions" && l.value("parent_session_id") != nil && !r.skipped[db.AsText(l.value("id"))]:
			return r.setParent(ctx, tx.Tx, l.value("id"), l.value("parent_session_id"))
		}
		return nil
	}
	if passOf(l) != pass {
		return nil
	}
	switch l.table {
	case "sessions":
		return r.restoreSession(ctx, tx, l)
	case "messages":
		if r.skipped[db.AsText(l.value("session_id"))] {
			return nil
		}
		return r.queueRow(ctx, tx, l)
	}
	if id := l.value("session_id"); id != nil && r.skipped[db.AsText(id)] {
		return nil
	}
	if belongsToMessages(tx.Tx, l.table) {
		if err := r.insertQueued(ctx, tx); err != nil {
			return err
		}
		if len(r.skipped) > 0 || r.totals.Renumbered > 0 { // the number may be of another message
			r.totals.AddUnknown(l.table)
			return nil
		}
	}
	_, err := r.insertRow(ctx, tx, l)
	return err
}

// restoreInChunks restores much without making other writers wait long. It looks
// for sessions and titles that are taken first, so that none of them stops it halfway.
func (r *restorer) restoreInChunks(ctx context.Context) error {
	if err := r.checkConflicts(ctx); err != nil {
		return err
	}
	for pass := range restorePasses {
		var some []*backupLine
		size := 0
		flush := func() error {
			if len(some) == 0 {
				return nil
			}
			before, done := r.totals, r.restored
			err := r.runChunk(ctx, func(t *db.Tx) error {
				r.chunker.SetSize(size)
				r.totals, r.restored = before, done
				tx := &insertTx{Tx: t, tables: map[string]*targetTable{}}
				// A chunk of a long conversation was backed up newest first. What belongs to
				// messages comes after them.
				sort.SliceStable(some, func(i, j int) bool {
					if message := some[i].table == "messages"; message != (some[j].table == "messages") {
						return message
					}
					return db.AsInt(some[i].value("id")) < db.AsInt(some[j].value("id"))
				})
				for _, l := range some {
					if err := r.restoreRow(ctx, tx, l, pass); err != nil {
						return err
					}
				}
				if err := r.insertQueued(ctx, tx); err != nil {
					return err
				}
				for _, l := range some {
					if err := r.putBack(ctx, tx, l); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				r.totals, r.restored = before, done
			}
			some, size = some[:0], 0
			r.progress(r.restored, r.total)
			return err
		}
		err := r.eachBackupLine(func(l *backupLine) error {
			if l.file != "" || pass < passLinks && passOf(l) != pass || pass == passLinks && l.linkChild == nil && l.cell == nil && l.table != "sessions" {
				return nil
			}
			cost := l.memorySize()
			if size+cost > r.chunker.Limit() {
				if err := flush(); err != nil {
					return err
				}
			}
			some, size = append(some, l), size+cost
			return nil
		})
		if err == nil {
			err = flush()
		}
		if err != nil {
			if r.totals.Sessions == 0 && r.restored == 0 {
				return err
			}
			return &model.Error{
				Kind: model.KindIncompleteWrite, Path: r.transfer.db.Path, Err: err,
				Message: fmt.Sprintf("stopped after restoring %d of %d messages: %s", r.restored, r.total, db.CauseOf(err)),
				Remedy:  model.Advise("restore again to continue"),
			}
		}
	}
	return nil
}

// checkConflicts returns the error that restoring the sessions would give, without
// changing anything.
func (r *restorer) checkConflicts(ctx context.Context) error {
	if r.skipExisting {
		return nil
	}
	return r.transfer.db.ReadOnlyTx(ctx, func(t *db.Tx) error {
		tx := &insertTx{Tx: t, tables: map[string]*targetTable{}}
		return r.eachBackupLine(func(l *backupLine) error {
			if l.table != "sessions" {
				return nil
			}
			if _, there, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, l.value("id")); err != nil {
				return err
			} else if there {
				return r.restoreSession(ctx, tx, l)
			}
			title := l.value("title")
			if title == nil || r.dropTitles || t.Schema.Tables["idx_sessions_title_unique"] == "" {
				return nil
			}
			owner, taken, err := t.One(ctx, `SELECT id FROM sessions WHERE title = ?`, title)
			if err != nil || !taken {
				return err
			}
			return r.transfer.db.TitleTakenError(db.AsText(title), db.AsText(owner))
		})
	})
}

// runChunk runs one transaction of a chunked write.
func (r *restorer) runChunk(ctx context.Context, f func(*db.Tx) error) error {
	return r.chunker.RunChunk(ctx, r.transfer.db, "restore into", func(t *db.Tx) error {
		if err := r.transfer.db.CheckIndexWritable(t); r.total > 0 && err != nil {
			return err
		}
		if err := f(t); err != nil {
			return err
		}
		return t.RevertSideEffects(ctx)
	})
}

// restoreFiles writes the transcript files.
func (r *restorer) restoreFiles() error {
	back := fileRestore{dir: r.transfer.db.Transcripts}
	err := r.eachBackupLine(func(l *backupLine) error {
		if l.file == "" {
			return nil
		}
		return back.write(l)
	})
	if err = errors.Join(err, back.close()); err != nil {
		return fmt.Errorf("the sessions are back in %s, but not all of their files: %w", r.transfer.db.Path, err)
	}
	return nil
}
