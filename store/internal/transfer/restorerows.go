package transfer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// restoreSession inserts one session, without its parent if that does not exist yet.
func (r *restorer) restoreSession(ctx context.Context, tx *insertTx, l *backupLine) error {
	id := l.value("id")
	parent := l.value("parent_session_id")
	_, there, err := tx.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, id)
	if err != nil {
		return err
	}
	if there {
		same, err := r.equalsStored(ctx, tx, l, "id", "parent_session_id")
		if err != nil || same {
			return err
		}
		if !r.skipExisting {
			return &model.Error{
				Kind: model.KindExists, Path: r.transfer.db.Path,
				Message: fmt.Sprintf("another session has the ID %s now; nothing was restored", db.AsText(id)),
				Remedy:  model.Remedy{Kind: model.RemedyShow, Text: "show it", Object: db.AsText(id)},
			}
		}
		r.skipped[db.AsText(id)] = true
		r.totals.Skipped++
		return nil
	}
	if parent != nil {
		_, there, err := tx.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, parent)
		if err != nil {
			return err
		}
		if !there {
			l.row = slices.Clone(l.row)
			l.setValue("parent_session_id", nil)
			defer l.setValue("parent_session_id", parent)
		}
	}
	added, err := r.insertRow(ctx, tx, l)
	if c := db.ExtendedCode(err); c == sqliteConstraintUnique {
		title := db.AsText(l.value("title"))
		owner, taken, err2 := tx.One(ctx, `SELECT id FROM sessions WHERE title = ?`, title)
		if err2 != nil || !taken {
			return errors.Join(err, err2)
		}
		if !r.dropTitles {
			return r.transfer.db.TitleTakenError(title, db.AsText(owner))
		}
		l.setValue("title", nil)
		r.totals.Untitled++
		added, err = r.insertRow(ctx, tx, l)
	}
	if err != nil {
		return err
	}
	if added {
		r.totals.Sessions++
	}
	return nil
}

func (l *backupLine) setValue(column string, v any) {
	for i := range l.row {
		if l.row[i].Name == column {
			l.row[i].Value = v
		}
	}
}

// restoreMessage inserts one message. One that exists and is equal is left alone;
// where the number is taken by another, an import gives it a new number.
func (r *restorer) restoreMessage(ctx context.Context, tx *insertTx, l *backupLine) error {
	added, err := r.insertRow(ctx, tx, l)
	if c := db.ExtendedCode(err); c == sqliteConstraintPrimaryKey || c == sqliteConstraintRowid {
		same, err := r.equalsStored(ctx, tx, l, "id", "")
		if err != nil {
			return err
		}
		if !same {
			if !r.skipExisting {
				return &model.Error{
					Kind: model.KindExists, Path: r.transfer.db.Path,
					Message: fmt.Sprintf("another message has the number %v now; nothing was restored", l.value("id")),
					Remedy:  model.Advise("import the backup into another database"),
				}
			}
			again := *l
			again.row = slices.Clone(l.row)
			again.setValue("id", nil)
			if added, err = r.insertRow(ctx, tx, &again); err != nil {
				return err
			}
			r.totals.Renumbered++
			r.renumbered[db.AsText(l.value("id"))] = true
		}
		if added {
			r.totals.Messages++
		}
		r.restored++
		return nil
	}
	if err != nil {
		return err
	}
	r.totals.Messages++
	r.restored++
	return nil
}

// equalsStored reports whether the row with the same key is equal to the backed up
// one, except for one column.
func (r *restorer) equalsStored(ctx context.Context, tx *insertTx, l *backupLine, key, except string) (bool, error) {
	tg, err := tx.target(ctx, l.table)
	if err != nil {
		return false, err
	}
	var names []string
	var want []any
	for _, f := range l.row {
		if tg.columns[f.Name] && f.Name != except {
			names, want = append(names, "+"+db.Quote(f.Name)), append(want, f.Value)
		}
	}
	rows, err := tx.QueryContext(ctx, `SELECT `+strings.Join(names, ", ")+` FROM `+db.Quote(l.table)+` WHERE `+db.Quote(key)+` = ?`, l.value(key))
	if err != nil {
		return false, err
	}
	defer rows.Close()
	have := make([]any, len(names))
	into := make([]any, len(names))
	for i := range have {
		into[i] = &have[i]
	}
	if !rows.Next() {
		return false, rows.Err()
	}
	if err := rows.Scan(into...); err != nil {
		return false, err
	}
	return reflect.DeepEqual(have, want), nil
}

// restorable reports whether a backup may fill a table: not Hermes's own
// bookkeeping, whatever the file says.
func restorable(t *db.Tx, table string) bool {
	switch table {
	case "sessions", "messages", "system_prompts":
		return true
	}
	return strings.Contains(strings.ToLower(t.Schema.Tables[table]), "references sessions") || belongsToMessages(t, table)
}

// belongsToMessages reports whether rows of a table belong to messages, by their numbers.
func belongsToMessages(t *db.Tx, table string) bool {
	return strings.Contains(strings.ToLower(t.Schema.Tables[table]), "references messages")
}

// insertRow inserts a row as it was. Columns and tables that the database does not
// have are left out and reported. added is false where a table other than sessions
// and messages already has a row with the same key.
func (r *restorer) insertRow(ctx context.Context, tx *insertTx, l *backupLine) (added bool, err error) {
	tg, err := tx.target(ctx, l.table)
	if err != nil {
		return false, err
	}
	if len(tg.columns) == 0 || !restorable(tx.Tx, l.table) {
		r.totals.AddUnknown(l.table)
		return false, nil
	}
	columns := r.knownColumns(tg, l)
	if tg.rowid && l.rowid != nil {
		// The old rowid, unless another row has taken it.
		_, taken, err := tx.One(ctx, `SELECT 1 FROM `+db.Quote(l.table)+` WHERE rowid = ?`, l.rowid)
		if err != nil {
			return false, err
		}
		if !taken {
			columns = append(columns, pyjson.Field{Name: "rowid", Value: l.rowid})
		}
	}
	err = tx.insert(ctx, l.table, columns)
	if c := db.ExtendedCode(err); l.table != "sessions" && l.table != "messages" && (c == sqliteConstraintPrimaryKey || c == sqliteConstraintUnique || c == sqliteConstraintRowid) {
		return false, nil // another process has added it again
	}
	if db.ExtendedCode(err) == db.SQLiteConstraintForeignKey {
		return false, &model.Error{
			Kind: model.KindNotFound, Path: r.transfer.db.Path, Err: err,
			Message: fmt.Sprintf("a row of %s refers to a row that no longer exists", l.table),
			Remedy:  model.Advise("restore its session first: another program has deleted that"),
		}
	}
	return err == nil, err
}

// knownColumns returns the columns of a row that the table has, and reports the others.
func (r *restorer) knownColumns(tg *targetTable, l *backupLine) pyjson.Object {
	columns := make(pyjson.Object, 0, len(l.row)+1)
	for _, f := range l.row {
		if !tg.columns[f.Name] {
			r.totals.AddUnknown(l.table + "." + f.Name)
			continue
		}
		columns = append(columns, f)
	}
	return columns
}

// queueRow adds a message to those that the next statement inserts.
func (r *restorer) queueRow(ctx context.Context, tx *insertTx, l *backupLine) error {
	tg, err := tx.target(ctx, "messages")
	if err != nil {
		return err
	}
	row := r.knownColumns(tg, l)
	if !tx.queue.hasRoom(row) {
		if err := r.insertQueued(ctx, tx); err != nil {
			return err
		}
	}
	tx.queue.add(row)
	tx.queuedLines = append(tx.queuedLines, l)
	return nil
}

// insertQueued inserts the queued messages with one statement. Where one of them
// exists already, it restores each by itself.
func (r *restorer) insertQueued(ctx context.Context, tx *insertTx) error {
	lines, rows := tx.queuedLines, tx.queue.drain()
	tx.queuedLines = nil
	if len(rows) == 0 {
		return nil
	}
	err := tx.insert(ctx, "messages", rows...)
	if db.ResultCode(err) == db.SQLiteConstraint {
		for _, l := range lines {
			if err := r.restoreMessage(ctx, tx, l); err != nil {
				return err
			}
		}
		return nil
	}
	if err == nil {
		r.totals.Messages += len(rows)
		r.restored += len(rows)
	}
	return err
}

// putBack gives a restored row the values that triggers have changed since it was inserted:
// they fill columns that were NULL before the delete.
func (r *restorer) putBack(ctx context.Context, tx *insertTx, l *backupLine) error {
	if l.table != "sessions" && l.table != "messages" || !tx.ChangedByTriggers(l.table, l.value("id")) ||
		r.skipped[db.AsText(l.value("id"))] || l.table == "messages" && r.renumbered[db.AsText(l.value("id"))] {
		return nil
	}
	tg, err := tx.target(ctx, l.table)
	if err != nil {
		return err
	}
	var set []string
	var args []any
	for _, f := range l.row {
		// The parent is set, and a title may be left out, on purpose.
		if tg.columns[f.Name] && db.MayDiffer(l.table, f.Name) && f.Name != "parent_session_id" && f.Name != "title" {
			set, args = append(set, db.Quote(f.Name)+" = ?"), append(args, f.Value)
		}
	}
	if len(set) == 0 {
		return nil
	}
	_, err = tx.Exec(ctx, `UPDATE `+l.table+` SET `+strings.Join(set, ", ")+` WHERE id = ?`, append(args, l.value("id"))...)
	return err
}

// restoreCell gives a row that a delete left what a trigger changed in it. An import leaves
// the sessions of the database as they are.
func (r *restorer) restoreCell(ctx context.Context, tx *insertTx, c db.SideEffect) error {
	if c.Table != "messages" && c.Table != "sessions" || r.skipped[c.Session] || r.skipExisting && !r.sessions[c.Session] ||
		!db.MayDiffer(c.Table, c.Column) || c.Table == "messages" && r.renumbered[db.AsText(c.ID)] {
		return nil
	}
	tg, err := tx.target(ctx, c.Table)
	if err != nil || !tg.columns[c.Column] {
		return err
	}
	session := "session_id"
	if c.Table == "sessions" {
		session = "id"
	}
	_, err = tx.Exec(ctx, `UPDATE `+c.Table+` SET `+db.Quote(c.Column)+` = ? WHERE id = ? AND `+session+` = ?`, c.Before, c.ID, c.Session)
	return err
}

// setParent gives a session its parent back, if it has none and the parent exists.
func (r *restorer) setParent(ctx context.Context, t *db.Tx, id, parent any) error {
	n, err := t.Exec(ctx, `UPDATE sessions SET parent_session_id = ?2 WHERE id = ?1 AND parent_session_id IS NULL
		AND EXISTS (SELECT 1 FROM sessions WHERE id = ?2)`, id, parent)
	if err != nil || n > 0 {
		return err
	}
	if _, linked, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ? AND parent_session_id IS NOT NULL`, id); err != nil || linked {
		return err
	}
	r.totals.Unlinked++
	return nil
}

// restoreDangling gives sessions a parent back that does not exist and did not exist
// before the delete. Foreign keys are not enforced for it.
func (r *restorer) restoreDangling(ctx context.Context) error {
	for some := range slices.Chunk(r.danglingLinks, db.MaxVariables) {
		if err := db.SleepContext(ctx, db.ChunkPause); err != nil {
			return err
		}
		if err := r.transfer.db.WriteWithoutForeignKeys(ctx, "restore into", func(t *db.Tx) error {
			for _, l := range some {
				if r.skipped[db.AsText(l.linkChild)] {
					continue
				}
				if _, err := t.Exec(ctx, `UPDATE sessions SET parent_session_id = ? WHERE id = ? AND parent_session_id IS NULL`, l.linkParent, l.linkChild); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
