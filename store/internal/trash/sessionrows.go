package trash

import (
	"context"
	"fmt"
	"slices"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/transfer"
)

// deleteSessions deletes the rows of sessions whose messages were deleted, and what
// belongs to them in other tables. Children that stay lose their parent.
func (d *deleter) deleteSessions(ctx context.Context, t *db.Tx, ids []string) error {
	// Parents and children may form a cycle and be deleted by different
	// statements: references are checked when the transaction commits.
	if _, err := t.Exec(ctx, `PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	k, err := transfer.NewRowEncoder(ctx, t, "sessions")
	if err != nil {
		return err
	}
	hash := slices.Index(k.Columns, "system_prompt_hash")
	d.txPrompts = d.txPrompts[:0]
	err = db.InChunks(ids, func(where string, args []any) error {
		_, err := k.BackUpRows(ctx, t, d.undo.Rows, `id `+where, args, func(v []any) bool {
			if hash >= 0 && v[hash] != nil {
				d.txPrompts = append(d.txPrompts, db.AsText(v[hash]))
			}
			return true
		})
		return err
	})
	if err != nil {
		return err
	}
	if err := d.backUpDangling(ctx, t, ids); err != nil {
		return err
	}
	if err := d.deleteDependents(ctx, t, ids); err != nil {
		return err
	}
	if err := d.unlinkChildren(ctx, t, ids); err != nil {
		return err
	}
	err = db.InChunks(ids, func(where string, args []any) error {
		return t.Delete(ctx, `sessions`, `id `+where, args...)
	})
	if err != nil {
		return err
	}
	return d.deleteUnusedPrompts(ctx, t)
}

// backUpDangling backs up which sessions have a parent that does not exist, so that
// they can be restored with it.
func (d *deleter) backUpDangling(ctx context.Context, t *db.Tx, ids []string) error {
	return db.InChunks(ids, func(where string, args []any) error {
		rows, err := t.QueryContext(ctx, `SELECT +s.id, +s.parent_session_id FROM sessions s WHERE s.id `+where+`
			AND s.parent_session_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id)`, args...)
		if err != nil {
			return err
		}
		return db.ScanRecords(rows, func(r db.Record) error {
			return d.backUpLink(r, ", \"dangling\": true}\n")
		})
	})
}

// backUpLink backs up the id of a session and that of its parent.
func (d *deleter) backUpLink(r db.Record, end string) error {
	b := transfer.AppendStoredValue([]byte(`{"link": `), r[0].Value)
	b = transfer.AppendStoredValue(append(b, `, "parent": `...), r[1].Value)
	_, err := d.undo.Rows.Write(append(b, end...))
	return err
}

// backUpSideEffects backs up what triggers have changed so far in rows that the transaction
// has not deleted yet.
func (d *deleter) backUpSideEffects(ctx context.Context, t *db.Tx) error {
	effects, err := t.SideEffects(ctx)
	for _, e := range effects {
		cell := fmt.Sprintf("%s %v %s", e.Table, e.ID, e.Column)
		if d.backedUpCells[cell] || d.txCells[cell] {
			continue
		}
		if _, err := d.undo.Rows.Write(transfer.AppendCell(nil, e)); err != nil {
			return err
		}
		d.txCells[cell] = true
	}
	return err
}

// unlinkChildren backs up and removes the links of children that stay.
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
		return db.ScanRecords(rows, func(r db.Record) error {
			if going[db.AsText(r[0].Value)] {
				return nil
			}
			orphans = append(orphans, r[0].Value)
			return d.backUpLink(r, "}\n")
		})
	})
	if err != nil {
		return err
	}
	return db.InChunks(orphans, func(where string, args []any) error {
		_, err := t.Exec(ctx, `UPDATE sessions SET parent_session_id = NULL WHERE id `+where, args...)
		return err
	})
}

// deleteDependents backs up and deletes the rows of other tables that belong to
// sessions: usage by model, chats bound to a session. Most are deleted with the
// session by their foreign key; early session_model_usage is not. Rows of an unknown
// table refuse the delete.
func (d *deleter) deleteDependents(ctx context.Context, t *db.Tx, ids []string) error {
	tables, err := foreignKeysTo(ctx, t, "sessions")
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
				err = t.Delete(ctx, `session_model_usage`, db.Quote(r.column)+" "+where, args...)
			default:
				return d.bin.referencedError(r.table)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// backUpCascade backs up the rows of other tables that SQLite deletes with the messages m that
// where picks (ON DELETE CASCADE).
func (d *deleter) backUpCascade(ctx context.Context, t *db.Tx, where string, args []any) error {
	keys, err := foreignKeysTo(ctx, t, "messages")
	for _, k := range keys {
		if k.onDelete != "CASCADE" {
			continue
		}
		e, err := transfer.NewRowEncoder(ctx, t, k.table)
		if err != nil {
			return err
		}
		if _, err := e.BackUpRows(ctx, t, d.undo.Rows, db.Quote(k.column)+` IN (SELECT m.id FROM messages m WHERE `+where+`)`, args, nil); err != nil {
			return err
		}
	}
	return err
}

// deleteUnusedPrompts backs up the system prompts of deleted sessions and deletes
// those that no other session uses. Prompts that were unused before stay.
func (d *deleter) deleteUnusedPrompts(ctx context.Context, t *db.Tx) error {
	if len(d.txPrompts) == 0 || !t.Schema.Has("system_prompts", "hash") {
		return nil
	}
	slices.Sort(d.txPrompts)
	d.txPrompts = slices.Compact(d.txPrompts)
	k, err := transfer.NewRowEncoder(ctx, t, "system_prompts")
	if err != nil {
		return err
	}
	// A prompt that another session still uses is backed up too: it may be gone
	// when this session is restored.
	notBackedUp := slices.DeleteFunc(slices.Clone(d.txPrompts), func(h string) bool { return d.backedUpPrompts[h] })
	err = db.InChunks(notBackedUp, func(where string, args []any) error {
		_, err := k.BackUpRows(ctx, t, d.undo.Rows, `hash `+where, args, nil)
		return err
	})
	if err != nil {
		return err
	}
	return db.InChunks(d.txPrompts, func(where string, args []any) error {
		_, err := t.Exec(ctx, `DELETE FROM system_prompts WHERE hash `+where+`
			AND NOT EXISTS (SELECT 1 FROM sessions WHERE system_prompt_hash = system_prompts.hash)`, args...)
		return err
	})
}
