package trash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/internal/transfer"
)

const maxReplans = 3 // how often a plan is made anew because others write

var errPlanChanged = errors.New("changed meanwhile")

// PlanDelete says what Delete would remove, without changing anything. The
// error says why Delete would refuse; the counts are given all the same.
func (b *Bin) PlanDelete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Deletion, error) {
	p, err := b.makeDeletePlan(ctx, func(c *snapshot.Snapshot) (selection, error) { return selectSessions(c, ids, o.SegmentOnly), nil })
	if o.SkipBlocked && err == nil {
		p, err = b.plannableIDs(ctx, ids, nil)
	}
	if err != nil {
		return model.Deletion{}, err
	}
	left, err := b.findTranscripts(p.catalog, p.ids)
	if err != nil {
		return p.Deletion, err
	}
	p.Files = left.count()
	if err := left.close(); err != nil {
		return p.Deletion, err
	}
	return p.Deletion, b.deleteBlocker(ctx, p)
}

// deleteBlocker asks now what the transaction will ask again.
func (b *Bin) deleteBlocker(ctx context.Context, p *deletePlan) error {
	if err := b.db.WriteProblem(); err != nil {
		return err
	}
	if err := b.db.CheckIndexIntegrity(ctx); err != nil {
		return err
	}
	return b.db.ReadOnlyTx(ctx, func(t *db.Tx) error {
		if p.Messages > 0 {
			if err := b.db.CheckIndexWritable(t); err != nil {
				return err
			}
		}
		held, err := rowsReferencing(ctx, t, p.Sessions)
		if err != nil {
			return err
		}
		for _, table := range held {
			return b.referencedError(table)
		}
		return b.db.CheckNotHeld(ctx, t, p.Sessions...)
	})
}

// Delete removes the conversations that the sessions with these ids belong
// to: all their segments, and the delegates under them to any depth. Branches
// stay and lose their parent (store/README.md#deletion). See
// [model.DeleteOptions] for a single segment.
//
// A conversation of up to 128 KB, counting a quarter of a kilobyte for each row
// besides its text, goes in one transaction, whole or not at all; short ones go
// together as they fit. A longer one goes in parts of
// about 30 ms with pauses between, newest first, each session with its last
// messages, delegates before the sessions that started them: nobody else waits
// long to write, but a crash leaves its beginning. One message is never
// divided; a megabyte of text takes about a second. When ctx ends, or
// something fails, between two transactions, the error is of kind partly and
// the Undo holds what is gone by then. With nothing removed the Undo is nil.
//
// The error is an [*db.Error]: not-found where none of ids exists, changed where
// the sessions are not what o.Expect says or others change them all the time,
// in-use where another process is writing them, index where the full-text index
// is damaged and might not take them back, tokenizer, refused (with the
// words of a newer Hermes), read-only, locked, disk-full. Transcript files
// are removed after their session; those that can not be are in FilesLeft.
func (b *Bin) Delete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error) {
	if o.SkipBlocked {
		return b.deleteUnblocked(ctx, ids, o)
	}
	return b.deleteSelected(ctx, o, func(c *snapshot.Snapshot) (selection, error) { return selectSessions(c, ids, o.SegmentOnly), nil })
}

// selection is what a delete picks out of a catalog.
type selection struct {
	removals []model.DeletionGroup
	orphaned []int    // without their parent
	notFound []string // ids that are not there
}

type selector func(*snapshot.Snapshot) (selection, error)

// named chooses what goes with the sessions of these ids.
func selectSessions(c *snapshot.Snapshot, ids []string, segment bool) (ch selection) {
	var positions []int
	missing := map[string]bool{}
	for _, id := range ids {
		if i, ok := c.Position(id); ok {
			positions = append(positions, i)
		} else if !missing[id] {
			missing[id] = true
			ch.notFound = append(ch.notFound, id)
		}
	}
	ch.removals, ch.orphaned = c.Lineage.PlanDeletion(positions, segment)
	return ch
}

// deletePlan is what is going to be deleted, by what the catalog says.
type deletePlan struct {
	model.Deletion
	catalog  *snapshot.Snapshot
	removals []removal
	ids      map[string]bool
}

// removal is what only makes sense to delete as a whole.
type removal struct {
	ids      []string // each before the one that it hangs on
	messages int
}

func (b *Bin) makeDeletePlan(ctx context.Context, choose selector) (*deletePlan, error) {
	c, err := b.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	ch, err := choose(c)
	if err != nil {
		return nil, err
	}
	if len(ch.removals) == 0 && len(ch.notFound) > 0 {
		return nil, b.db.NotFoundError(ch.notFound[0])
	}
	p := &deletePlan{catalog: c, ids: map[string]bool{}}
	p.NotFound = ch.notFound
	now := b.db.Clock()
	for _, g := range ch.removals {
		var r removal
		for _, i := range g.Positions {
			m := c.Session(i)
			r.ids = append(r.ids, m.ID)
			p.ids[m.ID] = true
			if m.Running(now) {
				p.Running = append(p.Running, m.ID)
			}
		}
		p.Requested += g.Requested
		p.Delegates += len(g.Positions) - g.Requested
		p.Sessions = append(p.Sessions, r.ids...)
		p.removals = append(p.removals, r)
	}
	for _, i := range ch.orphaned {
		p.Orphaned = append(p.Orphaned, c.Id(i))
	}
	messages, err := b.countMessages(ctx, p.Sessions)
	if err != nil {
		return nil, b.db.WrapError("count the messages of", err)
	}
	for i := range p.removals {
		for _, id := range p.removals[i].ids {
			p.removals[i].messages += messages[id]
		}
		p.Messages += p.removals[i].messages
		p.PerConversation = append(p.PerConversation, p.removals[i].deletionShare())
	}
	return p, nil
}

// countMessages counts all rows, visible or not.
func (b *Bin) countMessages(ctx context.Context, ids []string) (map[string]int, error) {
	counts := map[string]int{}
	return counts, db.InChunks(ids, func(where string, args []any) error {
		rows, err := b.db.Pool.QueryContext(ctx, `SELECT session_id, count(*) FROM messages WHERE session_id `+where+` GROUP BY session_id`, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id any
			var n int
			if err := rows.Scan(&id, &n); err != nil {
				return err
			}
			counts[db.AsText(id)] = n
		}
		return rows.Err()
	})
}

// checkExpected refuses where something else would go than was agreed to.
func (p *deletePlan) checkExpected(s *Bin, want *model.Deletion) error {
	if want == nil {
		return nil
	}
	have, agreed := slices.Sorted(slices.Values(p.Sessions)), slices.Sorted(slices.Values(want.Sessions))
	stays, stayed := slices.Sorted(slices.Values(p.Orphaned)), slices.Sorted(slices.Values(want.Orphaned))
	if slices.Equal(have, agreed) && p.Messages == want.Messages && slices.Equal(stays, stayed) {
		return nil
	}
	return s.changedError(nil)
}

func (b *Bin) changedError(err error) *db.Error {
	return &db.Error{
		Kind: db.KindChanged, Path: b.db.Path, Err: err,
		Message: "another program has changed these sessions meanwhile; nothing was removed",
		Remedy:  "look at them again, then delete",
	}
}

// UndoLog is what a delete removed: lines of a backup.
type UndoLog struct {
	deletion model.Deletion
	Rows     *transfer.Spool
}

func (u *UndoLog) Deleted() model.Deletion { return u.deletion }

func (u *UndoLog) Close() error { return u.Rows.Close() }

// deleter carries out one plan.
type deleter struct {
	store    *Bin
	plan     *deletePlan
	undo     *UndoLog
	files    *transcriptFiles
	progress func(done, total int)

	promptHashes      map[string]bool // hashes of the prompts that were kept
	promptHashesInUse []string        // of the sessions that the running transaction takes

	deleted     int // messages gone
	chunker     db.Chunker
	skipBlocked bool // what can not go
}

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
			return nil, err // a nil *undo is no nil Undo
		}
		return u, err
	}
}

// executePlan deletes what was planned. The undo is nil where nothing is gone.
func (b *Bin) executePlan(ctx context.Context, p *deletePlan, o model.DeleteOptions) (_ *UndoLog, err error) {
	if b.db.Writer.ReadOnly {
		return nil, b.db.ReadOnlyError(nil)
	}
	rows := &transfer.Spool{Discard: o.NoUndo && o.Backup == ""}
	if len(p.Sessions) == 0 {
		return &UndoLog{Rows: rows, deletion: p.Deletion}, nil
	}
	if err := b.db.CheckIndexIntegrity(ctx); err != nil {
		return nil, err
	}
	if o.Backup != "" {
		if rows, err = transfer.NewSpoolFile(o.Backup); err != nil {
			return nil, err
		}
	}
	d := &deleter{store: b, plan: p, undo: &UndoLog{Rows: rows}, progress: o.Progress, promptHashes: map[string]bool{}}
	d.skipBlocked = o.SkipBlocked
	d.undo.deletion = model.Deletion{NotFound: p.NotFound, Skipped: p.Skipped}
	if d.progress == nil {
		d.progress = func(int, int) {}
	}
	if d.files, err = b.findTranscripts(p.catalog, p.ids); err != nil {
		return nil, errors.Join(err, d.discardBackup(o.Backup))
	}
	defer func() { err = errors.Join(err, d.files.close()) }()
	if _, err := fmt.Fprintf(rows, "{%q: %d, \"schema\": %d}\n", transfer.BackupHeader, transfer.BackupVersion, b.db.Schema.Version); err != nil {
		return nil, errors.Join(err, d.discardBackup(o.Backup))
	}
	if err = d.run(ctx); err == nil {
		return d.undo, nil
	}
	if len(d.undo.deletion.Sessions) == 0 && d.deleted == 0 {
		return nil, errors.Join(err, d.discardBackup(o.Backup))
	}
	return d.undo, &db.Error{
		Kind: db.KindIncompleteWrite, Path: b.db.Path, Err: err,
		Message: fmt.Sprintf("stopped when %d of %d sessions and %d of %d messages were gone: %s",
			len(d.undo.deletion.Sessions), len(p.Sessions), d.deleted, p.Messages, db.CauseOf(err)),
		Remedy: "delete again to go on, or undo to take it back",
	}
}

// discardBackup forgets an undo that holds nothing.
func (d *deleter) discardBackup(backup string) error {
	err := d.undo.Rows.Close()
	if backup != "" {
		err = errors.Join(err, os.Remove(backup))
	}
	return err
}

// run goes through the plan, conversation by conversation: small ones
// together, a large one in parts.
func (d *deleter) run(ctx context.Context) error {
	most := len(d.plan.removals)
	for rest := d.plan.removals; len(rest) > 0; {
		n, err := d.deleteWhole(ctx, rest[:min(most, len(rest))])
		if err != nil && d.skipBlocked && isBlocker(err) {
			// One of them changed since the plan was made; ever fewer at a
			// time leave it alone.
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
		rest = rest[n:]
	}
	return nil
}

// runChunk makes one transaction.
func (d *deleter) runChunk(ctx context.Context, f func(*db.Tx) error) error {
	start := d.undo.Rows.Size
	err := d.chunker.RunChunk(ctx, d.store.db, "delete from", func(t *db.Tx) error {
		if err := d.undo.Rows.Rewind(start); err != nil {
			return err
		}
		if err := f(t); err != nil {
			return err
		}
		// What is gone must be safe before it is gone.
		return d.undo.Rows.Flush()
	})
	if err != nil {
		return errors.Join(err, d.undo.Rows.Rewind(start))
	}
	return nil
}

// deleteWhole deletes conversations with all that is theirs in one transaction, as
// many of the first as it should take, and says how many those were. None are
// where the first alone is too much.
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
		ids, messages, n = nil, 0, 0
		k, err := transfer.NewRowEncoder(ctx, t, "messages")
		if err != nil {
			return err
		}
		size := 0
		for _, r := range some {
			before, more, full := d.undo.Rows.Size, 0, false
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
			ids, messages, n = append(ids, r.ids...), messages+more, n+1
		}
		if n == 0 {
			return nil
		}
		d.chunker.Account(size)
		if err := d.checkPreconditions(ctx, t, ids); err != nil {
			return err
		}
		if messages > 0 {
			if err := d.store.db.CheckIndexWritable(t); err != nil {
				return err
			}
			if err := db.InChunks(ids, func(where string, args []any) error {
				return db.RemoveMessages(ctx, t, `session_id `+where, args...)
			}); err != nil {
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

// oneTransaction gives as many of the first removals as may go in one transaction by
// the number of their rows; none where the first alone is too much.
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

// deleteInChunks deletes one conversation that is too large to be deleted at once. What
// would refuse any of it refuses before the first part.
func (d *deleter) deleteInChunks(ctx context.Context, r removal) error {
	if err := d.store.db.ReadOnlyTx(ctx, func(t *db.Tx) error { return d.checkPreconditions(ctx, t, r.ids) }); err != nil {
		return err
	}
	for _, id := range r.ids {
		start := d.undo.Rows.Size
		if err := d.files.backUp(id, d.undo.Rows); err != nil {
			return errors.Join(err, d.undo.Rows.Rewind(start))
		}
		for last := int64(-1); ; {
			var taken []int64
			finished := false
			until := last
			err := d.runChunk(ctx, func(t *db.Tx) (err error) {
				until = last // this may be another try
				if taken, finished, err = d.deleteChunk(ctx, t, id, &until); err != nil || !finished {
					return err
				}
				return d.deleteSessions(ctx, t, []string{id})
			})
			if err != nil {
				return err
			}
			last = until
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

// deleteChunk deletes the newest messages of a session. finished says that none
// are left. last is the newest message when the session's turn came: what
// others write after that is not ours to delete.
func (d *deleter) deleteChunk(ctx context.Context, t *db.Tx, id string, last *int64) (taken []int64, finished bool, err error) {
	if err := d.store.db.CheckNotHeld(ctx, t, id); err != nil {
		return nil, false, err
	}
	if *last < 0 {
		if err := d.checkPreconditions(ctx, t, []string{id}); err != nil {
			return nil, false, err
		}
		v, _, err := t.One(ctx, `SELECT coalesce(max(id), 0) FROM messages WHERE session_id = ?`, id)
		if err != nil {
			return nil, false, err
		}
		*last = db.AsInt(v)
	}
	k, err := transfer.NewRowEncoder(ctx, t, "messages")
	if err != nil {
		return nil, false, err
	}
	at, size, full := slices.Index(k.Columns, "id"), 0, false
	// In the order of the index by session and time, so that nothing is sorted.
	_, err = k.BackUpRows(ctx, t, d.undo.Rows, `session_id = ? AND id <= ? ORDER BY timestamp DESC, id DESC`,
		[]any{id, *last}, func(v []any) bool {
			size += db.RowSize(v)
			if full = len(taken) > 0 && size > d.chunker.Limit(); full {
				size -= db.RowSize(v)
				return false
			}
			taken = append(taken, db.AsInt(v[at]))
			return true
		})
	if err != nil {
		return nil, false, err
	}
	d.chunker.Account(size)
	if len(taken) > 0 {
		if err := d.store.db.CheckIndexWritable(t); err != nil {
			return nil, false, err
		}
	}
	err = db.InChunks(taken, func(where string, args []any) error { return db.RemoveMessages(ctx, t, `id `+where, args...) })
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

// checkPreconditions makes sure that the sessions are still what the plan was made for:
// nobody is writing them, and nothing new hangs on them.
func (d *deleter) checkPreconditions(ctx context.Context, t *db.Tx, ids []string) error {
	if err := d.store.db.CheckNotHeld(ctx, t, ids...); err != nil {
		return err
	}
	c := d.plan.catalog
	found := 0
	err := db.InChunks(ids, func(where string, args []any) error {
		rows, err := d.store.sessions.ReadSessions(ctx, t, `s.id `+where, args)
		found += len(rows)
		for i := range rows {
			at, _ := c.Position(rows[i].ID)
			now, was := &rows[i], c.Session(at)
			if now.ParentID != was.ParentID && now.ParentID != "" || now.EndReason != was.EndReason && now.EndReason != "" ||
				now.DelegateFrom != was.DelegateFrom || now.BranchedFrom != was.BranchedFrom {
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
	return db.InChunks(ids, func(where string, args []any) error {
		rows, err := d.store.sessions.ReadSessions(ctx, t, `s.parent_session_id `+where, args)
		for i := range rows {
			if d.plan.ids[rows[i].ID] {
				continue
			}
			at, known := c.Position(rows[i].ID)
			if !known || c.Session(at).ParentID != rows[i].ParentID {
				return errPlanChanged
			}
		}
		return err
	})
}

// deleteSessions deletes rows of sessions whose messages are gone, and what belongs
// to them. What stays loses its parent.
func (d *deleter) deleteSessions(ctx context.Context, t *db.Tx, ids []string) error {
	// Parents and children may run in a ring and lie in different statements;
	// the transaction as a whole keeps every reference whole.
	if _, err := t.Exec(ctx, `PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	k, err := transfer.NewRowEncoder(ctx, t, "sessions")
	if err != nil {
		return err
	}
	hash := slices.Index(k.Columns, "system_prompt_hash")
	d.promptHashesInUse = d.promptHashesInUse[:0]
	err = db.InChunks(ids, func(where string, args []any) error {
		_, err := k.BackUpRows(ctx, t, d.undo.Rows, `id `+where, args, func(v []any) bool {
			if hash >= 0 && v[hash] != nil {
				d.promptHashesInUse = append(d.promptHashesInUse, db.AsText(v[hash]))
			}
			return true
		})
		return err
	})
	if err != nil {
		return err
	}
	if err := d.recordDangling(ctx, t, ids); err != nil {
		return err
	}
	if err := d.deleteDependents(ctx, t, ids); err != nil {
		return err
	}
	if err := d.unlinkChildren(ctx, t, ids); err != nil {
		return err
	}
	err = db.InChunks(ids, func(where string, args []any) error {
		_, err := t.Exec(ctx, `DELETE FROM sessions WHERE id `+where, args...)
		return err
	})
	if err != nil {
		return err
	}
	return d.deleteUnusedPrompts(ctx, t)
}

// recordDangling keeps which sessions name a parent that is not there, so that they
// can come back so.
func (d *deleter) recordDangling(ctx context.Context, t *db.Tx, ids []string) error {
	return db.InChunks(ids, func(where string, args []any) error {
		rows, err := t.QueryContext(ctx, `SELECT +s.id, +s.parent_session_id FROM sessions s WHERE s.id `+where+`
			AND s.parent_session_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id)`, args...)
		if err != nil {
			return err
		}
		return db.ScanRecords(rows, func(r db.Record) error {
			b := transfer.AppendStoredValue([]byte(`{"link": `), r[0].Value)
			b = transfer.AppendStoredValue(append(b, `, "parent": `...), r[1].Value)
			_, err := d.undo.Rows.Write(append(b, ", \"dangling\": true}\n"...))
			return err
		})
	})
}

// unlinkChildren takes the parent from sessions that stay.
func (d *deleter) unlinkChildren(ctx context.Context, t *db.Tx, ids []string) error {
	going := make(map[string]bool, len(ids))
	for _, id := range ids {
		going[id] = true
	}
	var orphans []any
	err := db.InChunks(ids, func(where string, args []any) error {
		rows, err := t.QueryContext(ctx, `SELECT +id, +parent_session_id FROM sessions WHERE parent_session_id `+where, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent any
			if err := rows.Scan(&id, &parent); err != nil {
				return err
			}
			if going[db.AsText(id)] {
				continue
			}
			b := transfer.AppendStoredValue([]byte(`{"link": `), id)
			b = transfer.AppendStoredValue(append(b, `, "parent": `...), parent)
			if _, err := d.undo.Rows.Write(append(b, "}\n"...)); err != nil {
				return err
			}
			orphans = append(orphans, id)
		}
		return rows.Err()
	})
	if err != nil {
		return err
	}
	return db.InChunks(orphans, func(where string, args []any) error {
		_, err := t.Exec(ctx, `UPDATE sessions SET parent_session_id = NULL WHERE id `+where, args...)
		return err
	})
}

// deleteDependents keeps and deletes the rows of other tables that belong to
// sessions: usage by model, chats bound to a session. Most go by themselves
// with the session; early session_model_usage does not. A table that is not
// known keeps its rows: SQLite then refuses.
func (d *deleter) deleteDependents(ctx context.Context, t *db.Tx, ids []string) error {
	tables, err := foreignKeysTo(ctx, t)
	if err != nil {
		return err
	}
	for _, r := range tables {
		k, err := transfer.NewRowEncoder(ctx, t, r.table)
		if err != nil {
			return err
		}
		err = db.InChunks(ids, func(where string, args []any) error {
			n, err := k.BackUpRows(ctx, t, d.undo.Rows, db.Quote(r.column)+" "+where, args, nil)
			if err != nil || n == 0 {
				return err
			}
			switch {
			case r.onDelete == "CASCADE":
			case r.isKnownTable():
				_, err = t.Exec(ctx, `DELETE FROM session_model_usage WHERE `+db.Quote(r.column)+" "+where, args...)
			default:
				return d.store.referencedError(r.table)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// foreignKey is a column of another table that names a session.
type foreignKey struct {
	table, column string
	onDelete      string // ON DELETE
}

// isKnownTable reports whether a row that refers to a session goes with it: by itself,
// or because it is known to be only about that session.
func (r foreignKey) isKnownTable() bool {
	return r.onDelete == "CASCADE" || r.table == "session_model_usage"
}

// referencedError says that a table keeps a session.
func (b *Bin) referencedError(table string) *db.Error {
	return &db.Error{
		Kind: db.KindRefused, Path: b.db.Path,
		Message: fmt.Sprintf("a newer Hermes still refers to the session in its table %s", table),
		Remedy:  "make this change with the Hermes that wrote the file",
	}
}

// rowsReferencing gives those of the sessions that a table keeps, and which.
func rowsReferencing(ctx context.Context, t *db.Tx, ids []string) (map[string]string, error) {
	tables, err := foreignKeysTo(ctx, t)
	if err != nil {
		return nil, err
	}
	held := map[string]string{}
	for _, r := range tables {
		if r.isKnownTable() {
			continue
		}
		err := db.InChunks(ids, func(where string, args []any) error {
			rows, err := t.QueryContext(ctx, `SELECT `+db.Quote(r.column)+` FROM `+db.Quote(r.table)+` WHERE `+db.Quote(r.column)+" "+where, args...)
			if err != nil {
				return err
			}
			return db.ScanRecords(rows, func(row db.Record) error {
				held[db.AsText(row[0].Value)] = r.table
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return held, nil
}

// foreignKeysTo finds the tables that refer to sessions, without messages and
// sessions themselves.
func foreignKeysTo(ctx context.Context, t *db.Tx) (all []foreignKey, err error) {
	var tables []string
	for name, ddl := range t.Schema.Tables {
		ddl = strings.ToLower(ddl)
		if name != "sessions" && name != "messages" && strings.HasPrefix(ddl, "create table") && strings.Contains(ddl, "references") {
			tables = append(tables, name)
		}
	}
	slices.Sort(tables)
	for _, name := range tables {
		if all, err = foreignKeysOf(ctx, t, all, name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// foreignKeysOf appends the columns of one table that refer to sessions.
func foreignKeysOf(ctx context.Context, t *db.Tx, all []foreignKey, table string) ([]foreignKey, error) {
	rows, err := t.QueryContext(ctx, `SELECT "from", on_delete FROM pragma_foreign_key_list(?) WHERE lower("table") = 'sessions'`, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		r := foreignKey{table: table}
		if err := rows.Scan(&r.column, &r.onDelete); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// deleteUnusedPrompts keeps the prompts of deleted sessions and deletes those that
// only they used. Others that nobody uses were there before and stay.
func (d *deleter) deleteUnusedPrompts(ctx context.Context, t *db.Tx) error {
	if len(d.promptHashesInUse) == 0 || !t.Schema.Has("system_prompts", "hash") {
		return nil
	}
	slices.Sort(d.promptHashesInUse)
	d.promptHashesInUse = slices.Compact(d.promptHashesInUse)
	k, err := transfer.NewRowEncoder(ctx, t, "system_prompts")
	if err != nil {
		return err
	}
	// One that another session still uses may be gone when this one comes back.
	fresh := slices.DeleteFunc(slices.Clone(d.promptHashesInUse), func(h string) bool { return d.promptHashes[h] })
	err = db.InChunks(fresh, func(where string, args []any) error {
		_, err := k.BackUpRows(ctx, t, d.undo.Rows, `hash `+where, args, nil)
		return err
	})
	if err != nil {
		return err
	}
	return db.InChunks(d.promptHashesInUse, func(where string, args []any) error {
		_, err := t.Exec(ctx, `DELETE FROM system_prompts WHERE hash `+where+`
			AND NOT EXISTS (SELECT 1 FROM sessions WHERE system_prompt_hash = system_prompts.hash)`, args...)
		return err
	})
}

// recordDeleted takes note of what a transaction has removed for good, and removes the
// files of its sessions.
func (d *deleter) recordDeleted(ids []string, messages int) {
	g := &d.undo.deletion
	for _, id := range ids {
		g.Sessions = append(g.Sessions, id)
		n, left := d.files.remove(id)
		g.Files += n
		g.FilesLeft = append(g.FilesLeft, left...)
	}
	if len(ids) > 0 {
		for _, h := range d.promptHashesInUse {
			d.promptHashes[h] = true
		}
	}
	g.Messages += messages
	d.deleted += messages
	d.progress(d.deleted, max(d.plan.Messages, d.deleted))
	if len(g.Sessions) == len(d.plan.Sessions) {
		g.Requested, g.Delegates, g.Orphaned, g.Running = d.plan.Requested, d.plan.Delegates, d.plan.Orphaned, d.plan.Running
	}
}
