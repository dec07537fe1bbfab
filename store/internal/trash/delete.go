package trash

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/internal/transfer"
)

// maxReplans is how often a plan is made because other processes change sessions.
const maxReplans = 3

// Delete removes conversations or single segments; see store.Store.Delete for the
// contract.
func (b *Bin) Delete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error) {
	if o.SkipBlocked {
		return b.deleteUnblocked(ctx, ids, o)
	}
	return b.deleteSelected(ctx, o, func(snap *snapshot.Snapshot) (selection, error) { return selectSessions(snap, ids, o.SegmentOnly), nil })
}

// deleter carries out one plan.
type deleter struct {
	bin      *Bin
	plan     *deletePlan
	undo     *UndoLog
	files    *transcriptFiles
	progress func(done, total int)

	backedUpPrompts map[string]bool // hashes of the system prompts that were backed up
	txPrompts       []string        // hashes of those of the sessions that the running transaction deletes
	backedUpCells   map[string]bool // that triggers have changed; the first value of each is the one to restore
	txCells         map[string]bool // those of the running transaction

	deleted     int // messages
	chunker     db.Chunker
	skipBlocked bool // pass over conversations that cannot be deleted

	// There will be no undo: of the rows, only those of a conversation that is deleted
	// in several transactions are kept, until all of it is gone.
	unfinishedOnly bool
	headerSize     int64 // bytes in the undo before the first row
}

// deleteSelected plans and deletes what a selector chooses, and plans again where
// another process changed sessions in between.
func (b *Bin) deleteSelected(ctx context.Context, o model.DeleteOptions, choose selector) (model.Undo, error) {
	for try := 1; ; try++ {
		p, err := b.makeDeletePlan(ctx, choose)
		if err != nil {
			return nil, err
		}
		if err := p.checkExpected(b, o.Expected); err != nil {
			return nil, err
		}
		u, err := b.executePlan(ctx, p, o)
		switch {
		case !errors.Is(err, errPlanChanged):
		case u == nil && o.Expected == nil && try < maxReplans:
			continue
		case u == nil:
			err = b.changedError(err)
		}
		if u == nil {
			return nil, err // a nil *UndoLog is not a nil Undo
		}
		return u, err
	}
}

// executePlan carries out a plan. The undo is nil, with an error, where nothing was
// deleted. An empty plan gives an empty undo.
func (b *Bin) executePlan(ctx context.Context, p *deletePlan, o model.DeleteOptions) (_ *UndoLog, err error) {
	if b.db.Writer.ReadOnly {
		return nil, b.db.ReadOnlyError(nil)
	}
	rows := &transfer.Spool{}
	saves := b.db.UndoFolder != "" && !o.NoUndo && o.Backup == ""
	if saves || o.NoUndo && o.Backup == "" {
		rows = b.newSpool()
	}
	if len(p.Sessions) == 0 {
		return &UndoLog{Rows: &transfer.Spool{Discard: o.NoUndo}, deletion: p.Deletion}, nil
	}
	if err := b.db.CheckIndexIntegrity(ctx); err != nil {
		return nil, err
	}
	if o.Backup != "" {
		if rows, err = transfer.NewSpoolFile(o.Backup); err != nil {
			return nil, err
		}
	}
	if saves && rows.Save() != nil {
		rows = &transfer.Spool{} // an undo that a crash ends is better than no delete
	}
	d := &deleter{bin: b, plan: p, undo: &UndoLog{Rows: rows}, progress: o.Progress, backedUpPrompts: map[string]bool{}, backedUpCells: map[string]bool{}}
	d.skipBlocked, d.unfinishedOnly = o.SkipBlocked, o.NoUndo && o.Backup == ""
	d.undo.deletion = model.Deletion{NotFound: p.NotFound, Skipped: p.Skipped, Left: p.Left}
	if d.progress == nil {
		d.progress = func(int, int) {}
	}
	if d.files, err = b.findTranscripts(p.snapshot, p.ids); err != nil {
		return nil, errors.Join(err, d.discardBackup(o.Backup))
	}
	defer func() { err = errors.Join(err, d.files.close()) }()
	if _, err := rows.Write(b.header(p)); err != nil {
		return nil, errors.Join(err, d.discardBackup(o.Backup))
	}
	d.headerSize = rows.Size
	if err = d.run(ctx); err != nil {
		if len(d.undo.deletion.Sessions) == 0 && d.deleted == 0 {
			return nil, errors.Join(err, d.discardBackup(o.Backup))
		}
		err = d.incompleteError(err, o.Backup)
	}
	if d.unfinishedOnly {
		err = errors.Join(err, rows.Close())
		d.undo.Rows = &transfer.Spool{Discard: true}
		return d.undo, err
	}
	if err == nil {
		rows.Rename(deletedName(rows.Path()))
	}
	if rows.Path() != "" && b.db.UndoLimits.Days > 0 && rows.Size > d.headerSize {
		d.undo.keep, d.undo.deletion.Kept = true, true
		rows.Date(b.db.Clock())
	}
	return d.undo, err
}

// incompleteError returns the error of a delete that was stopped: how much it has removed,
// and where the removed rows are saved.
func (d *deleter) incompleteError(err error, backup string) error {
	cause := db.CauseOf(err)
	if errors.Is(err, errPlanChanged) {
		cause = errPlanChanged.Error()
	}
	e := &model.Error{
		Kind: model.KindIncompleteWrite, Path: d.bin.db.Path, Err: err,
		Message: fmt.Sprintf("stopped after deleting %d of %d sessions and %d of %d messages: %s",
			len(d.undo.deletion.Sessions), len(d.plan.Sessions), d.deleted, d.plan.Messages, cause),
		Remedy: model.Advise("delete again to continue, or undo to restore the deleted rows"),
	}
	saved := backup
	if d.unfinishedOnly && d.undo.Rows.Size > d.headerSize {
		saved = d.undo.Rows.Keep()
		e.Message += "; the deleted part of the last conversation is saved in " + saved
	} else if backup != "" {
		e.Message += "; the deleted rows are saved in " + saved
	}
	switch {
	case saved != "":
		e.Remedy = model.Remedy{Kind: model.RemedyImport, Text: "delete again to continue, or restore the removed rows", Object: saved}
	case d.unfinishedOnly:
		e.Remedy = model.Advise("delete again to continue")
	}
	return e
}

// forgetFinished drops the backed-up rows of conversations that are gone as a whole,
// where no undo is wanted.
func (d *deleter) forgetFinished() error {
	if !d.unfinishedOnly {
		return nil
	}
	return d.undo.Rows.Rewind(d.headerSize)
}

// discardBackup drops an undo that holds nothing, and its named file.
func (d *deleter) discardBackup(backup string) error {
	err := d.undo.Rows.Close()
	if backup != "" {
		err = errors.Join(err, os.Remove(backup))
	}
	return err
}

// run deletes the removals of the plan in order: short ones together, a long one in
// chunks.
func (d *deleter) run(ctx context.Context) error {
	most := len(d.plan.removals)
	for rest := d.plan.removals; len(rest) > 0; {
		n, err := d.deleteWhole(ctx, rest[:min(most, len(rest))])
		if n == 0 && err == nil { // all of a long one is checked before its first chunk
			err = d.bin.db.ReadOnlyTx(ctx, func(t *db.Tx) error { return d.checkPreconditions(ctx, t, rest[0].ids) })
		}
		if err != nil && d.passesOver(err) {
			// One of them has changed since the plan was made. Halving their
			// number finds it, and only that one is skipped.
			if most = min(most, len(rest)) / 2; most == 0 {
				addBlocked(&d.undo.deletion, rest[0], err)
				rest, most = rest[1:], 1
			}
			continue
		}
		if err != nil {
			return err
		}
		most = min(2*most, len(d.plan.removals))
		if n == 0 {
			if err := d.deleteInChunks(ctx, rest[0]); err != nil {
				return err
			}
			n = 1
		}
		if err := d.forgetFinished(); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// runChunk runs one transaction and syncs the backup before it commits. Where it
// fails, or is tried again, the backup is rewound.
func (d *deleter) runChunk(ctx context.Context, f func(*db.Tx) error) error {
	start := d.undo.Rows.Size
	err := d.chunker.RunChunk(ctx, d.bin.db, "delete from", func(t *db.Tx) error {
		d.txCells = map[string]bool{}
		if err := d.undo.Rows.Rewind(start); err != nil {
			return err
		}
		if err := f(t); err != nil {
			return err
		}
		if err := d.backUpSideEffects(ctx, t); err != nil {
			return err
		}
		// A named backup must be on disk before the rows are deleted.
		return d.undo.Rows.Flush()
	})
	if err != nil {
		return errors.Join(err, d.undo.Rows.Rewind(start))
	}
	maps.Copy(d.backedUpCells, d.txCells)
	return nil
}

// deleteWhole deletes as many of the first removals as fit in one transaction, and
// returns how many. It returns 0 where the first alone is too large.
func (d *deleter) deleteWhole(ctx context.Context, removals []removal) (n int, err error) {
	some := d.oneTransaction(removals)
	if len(some) == 0 {
		return 0, nil
	}
	start := d.undo.Rows.Size
	for _, r := range some {
		for _, id := range r.ids {
			if err := d.files.backUp(id, d.undo.Rows); err != nil {
				return 0, errors.Join(err, d.undo.Rows.Rewind(start))
			}
		}
	}
	var ids []string
	messages := 0
	err = d.runChunk(ctx, func(t *db.Tx) error {
		ids = nil
		messages = 0
		n = 0
		k, err := transfer.NewRowEncoder(ctx, t, "messages")
		if err != nil {
			return err
		}
		size := 0
		for _, r := range some {
			if n > 0 && d.chunker.Slow() {
				break
			}
			before := d.undo.Rows.Size
			more := 0
			full := false
			size += len(r.ids) * db.RowOverhead
			err := db.InChunks(r.ids, func(where string, args []any) error {
				if full {
					return nil
				}
				took, err := k.BackUpRows(ctx, t, d.undo.Rows, `session_id `+where+` ORDER BY id`, args, func(v []any) bool {
					size += db.RowSize(v)
					full = size > max(db.MaxSingleTxBytes, d.chunker.Limit())
					return !full
				})
				more += took
				return err
			})
			if err != nil {
				return err
			}
			if full {
				if err := d.undo.Rows.Rewind(before); err != nil {
					return err
				}
				break
			}
			ids = append(ids, r.ids...)
			messages += more
			n++
		}
		if n == 0 {
			return nil
		}
		d.chunker.SetSize(size)
		if err := d.checkPreconditions(ctx, t, ids); err != nil {
			return err
		}
		if messages > 0 {
			if err := d.bin.db.CheckIndexWritable(t); err != nil {
				return err
			}
			if err := db.InChunks(ids, func(where string, args []any) error {
				if err := d.backUpCascade(ctx, t, `m.session_id `+where, args); err != nil {
					return err
				}
				return db.RemoveMessages(ctx, t, `session_id `+where, args...)
			}); err != nil {
				return err
			}
			if err := d.backUpSideEffects(ctx, t); err != nil { // before the sessions, which they may have changed
				return err
			}
		}
		return d.deleteSessions(ctx, t, ids)
	})
	if err != nil || n == 0 {
		d.files.dropBackedUp(some[0].ids)
		return 0, errors.Join(err, d.undo.Rows.Rewind(start))
	}
	d.recordDeleted(ids, messages)
	return n, nil
}

// oneTransaction returns as many of the first removals as may fit in one transaction
// by the number of their rows; none where the first alone is too large.
func (d *deleter) oneTransaction(removals []removal) (some []removal) {
	least := 0 // bytes
	for _, r := range removals {
		least += (r.messages + len(r.ids)) * db.RowOverhead
		if len(some) > 0 && least > d.chunker.Limit() {
			break
		}
		some = append(some, r)
	}
	if (some[0].messages+len(some[0].ids))*db.RowOverhead > max(db.MaxSingleTxBytes, d.chunker.Limit()) {
		return nil
	}
	return some
}

// deleteInChunks deletes one removal that is too large for one transaction.
func (d *deleter) deleteInChunks(ctx context.Context, r removal) error {
	if d.unfinishedOnly {
		if err := d.undo.Rows.Save(); err != nil {
			return err
		}
	}
	for _, id := range r.ids {
		start := d.undo.Rows.Size
		if err := d.files.backUp(id, d.undo.Rows); err != nil {
			return errors.Join(err, d.undo.Rows.Rewind(start))
		}
		for at := (place{last: -1}); ; {
			var taken []int64
			finished := false
			after := at
			err := d.runChunk(ctx, func(t *db.Tx) (err error) {
				after = at // this may be another try
				if taken, finished, err = d.deleteChunk(ctx, t, id, &after); err != nil || !finished {
					return err
				}
				return d.deleteSessions(ctx, t, []string{id})
			})
			if err != nil {
				return err
			}
			at = after
			if !finished {
				d.recordDeleted(nil, len(taken))
				continue
			}
			d.recordDeleted([]string{id}, len(taken))
			break
		}
	}
	return nil
}

// place is how far the messages of a session are deleted.
type place struct {
	last int64 // the highest id when the first chunk began, below zero before
	next int64 // the message that the next chunk begins with, 0 for any
}

// deleteChunk deletes the newest messages of a session, as many as fit in a chunk.
// finished is true where none are left. Later messages of another process are not
// deleted, and end the delete with errPlanChanged; so does another process that deletes
// this session too, which would have a part of the rows in its undo.
func (d *deleter) deleteChunk(ctx context.Context, t *db.Tx, id string, from *place) (taken []int64, finished bool, err error) {
	if err := d.bin.db.CheckNotInUse(ctx, t, id); err != nil {
		return nil, false, err
	}
	if from.last < 0 {
		if err := d.checkPreconditions(ctx, t, []string{id}); err != nil {
			return nil, false, err
		}
		v, _, err := t.One(ctx, `SELECT coalesce(max(id), 0) FROM messages WHERE session_id = ?`, id)
		if err != nil {
			return nil, false, err
		}
		from.last = db.AsInt(v)
	}
	k, err := transfer.NewRowEncoder(ctx, t, "messages")
	if err != nil {
		return nil, false, err
	}
	at := slices.Index(k.Columns, "id")
	size := 0
	full := false
	first := from.next
	_, err = k.BackUpRows(ctx, t, d.undo.Rows, db.NewestMessages,
		[]any{id, from.last}, func(v []any) bool {
			size += db.RowSize(v)
			if full = len(taken) > 0 && (size > d.chunker.Limit() || d.chunker.Slow()); full {
				size -= db.RowSize(v)
				from.next = db.AsInt(v[at])
				return false
			}
			taken = append(taken, db.AsInt(v[at]))
			return true
		})
	if err != nil {
		return nil, false, err
	}
	if first > 0 && (len(taken) == 0 || taken[0] != first) {
		return nil, false, errPlanChanged
	}
	d.chunker.SetSize(size)
	if len(taken) > 0 {
		if err := d.bin.db.CheckIndexWritable(t); err != nil {
			return nil, false, err
		}
	}
	err = db.InChunks(taken, func(where string, args []any) error {
		if err := d.backUpCascade(ctx, t, `m.id `+where, args); err != nil {
			return err
		}
		return db.RemoveMessages(ctx, t, `id `+where, args...)
	})
	if err == nil {
		err = d.backUpSideEffects(ctx, t)
	}
	if err != nil {
		return nil, false, err
	}
	if full {
		return taken, false, nil
	}
	if _, more, err := t.One(ctx, `SELECT 1 FROM messages WHERE session_id = ? LIMIT 1`, id); err != nil || more {
		return nil, false, errors.Join(err, errPlanChanged)
	}
	return taken, true, nil
}

// checkPreconditions makes sure that the sessions are still those of the plan: no
// other process is writing them, their links and marks are the same, and they have
// no new children.
func (d *deleter) checkPreconditions(ctx context.Context, t *db.Tx, ids []string) error {
	if err := d.bin.db.CheckNotInUse(ctx, t, ids...); err != nil {
		return err
	}
	snap := d.plan.snapshot
	found := 0
	err := db.InChunks(ids, func(where string, args []any) error {
		rows, err := d.bin.sessions.ReadSessions(ctx, t, `s.id `+where, args)
		found += len(rows)
		for i := range rows {
			at, _ := snap.Position(rows[i].ID)
			now, was := &rows[i], snap.Session(at)
			if now.ParentID != was.ParentID && now.ParentID != "" || now.EndReason != was.EndReason && now.EndReason != "" ||
				now.DelegateFrom != was.DelegateFrom || now.BranchedFrom != was.BranchedFrom ||
				d.plan.byAge && !stillOld(now, &was) {
				return errPlanChanged
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if found != len(ids) {
		return errPlanChanged
	}
	if d.plan.byAge { // a new message makes a conversation young
		messages, err := d.bin.countMessages(ctx, t, ids)
		for id, n := range messages {
			if n > d.plan.messages[id] {
				return errPlanChanged
			}
		}
		if err != nil {
			return err
		}
	}
	return db.InChunks(ids, func(where string, args []any) error {
		rows, err := d.bin.sessions.ReadSessions(ctx, t, `s.parent_session_id `+where, args)
		for i := range rows {
			if d.plan.ids[rows[i].ID] {
				continue
			}
			at, known := snap.Position(rows[i].ID)
			if !known || snap.Session(at).ParentID != rows[i].ParentID {
				return errPlanChanged
			}
		}
		return err
	})
}

// recordDeleted records what a transaction has committed, and removes the files of
// its sessions.
func (d *deleter) recordDeleted(ids []string, messages int) {
	g := &d.undo.deletion
	for _, id := range ids {
		g.Sessions = append(g.Sessions, id)
		n, left := d.files.remove(id)
		g.Files += n
		g.FilesLeft = append(g.FilesLeft, left...)
	}
	if len(ids) > 0 {
		for _, h := range d.txPrompts {
			d.backedUpPrompts[h] = true
		}
	}
	g.Messages += messages
	d.deleted += messages
	d.progress(d.deleted, max(d.plan.Messages, d.deleted))
	if len(g.Sessions) == len(d.plan.Sessions) {
		g.Requested = d.plan.Requested
		g.Delegates = d.plan.Delegates
		g.DelegateMessages = d.plan.DelegateMessages
		g.Orphaned = d.plan.Orphaned
		g.Running = d.plan.Running
	}
}
