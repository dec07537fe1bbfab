// Package edits changes a few columns of sessions for a person: the title, the
// pin and the archive flag. Each change is one transaction and gives a
// [model.Edit], the cells before and after, with which it can be undone.
//
// The rules of titles (titles.go) are also those of the documented calls of
// package sessiondb.
package edits

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Editor edits the sessions of one database.
type Editor struct {
	db       *db.DB
	sessions *snapshot.Sessions
}

// New returns an editor of a database and its snapshots. It reads nothing.
func New(d *db.DB, s *snapshot.Sessions) *Editor {
	return &Editor{db: d, sessions: s}
}

// Editable says what can be changed in the file; see store.Store.Editable.
func (e *Editor) Editable() model.Editable {
	return model.Editable{ReadOnly: e.db.WriteProblem(), Pin: e.db.Schema.Has("sessions", "pinned"), Archive: e.db.Schema.Has("sessions", "archived")}
}

// SetPinned pins conversations or removes the pins; see store.Store.SetPinned. A pin shows
// hidden sessions again, but for the chat that Hermes keeps hidden.
func (e *Editor) SetPinned(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	f := flag{column: "pinned", what: "pins", on: on}
	if on {
		f.besides, f.value = "hidden", `CASE WHEN hidden AND title = '`+hiddenChat+`' THEN hidden ELSE 0 END`
	}
	return e.setFlag(ctx, ids, f)
}

// SetArchived archives conversations or brings them back; see store.Store.SetArchived. Either
// way they are no longer those that Hermes archived by itself, and brings back by itself.
func (e *Editor) SetArchived(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	return e.setFlag(ctx, ids, flag{column: "archived", what: "archive", on: on, besides: "auto_archived", value: "0"})
}

// hiddenChat is the title by which Hermes recognizes a chat that stays hidden
// (store/README.md#newer-files).
const hiddenChat = "Bot Chat"

// flag is a flag of conversations, with what changes along with it.
type flag struct {
	column         string
	what           string // names the flag where the file has no such column
	on             bool
	besides, value string // another column, where the file has it, and what it is set to, in SQL
}

// setFlag sets a flag of all segments of conversations.
func (e *Editor) setFlag(ctx context.Context, ids []string, f flag) (model.Edit, error) {
	snap, err := e.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return model.Edit{}, err
	}
	var segments []string
	for _, id := range ids {
		m, ok := snap.ConversationOf(id)
		if !ok {
			return model.Edit{}, e.db.NotFoundError(id)
		}
		segments = append(segments, m.Segments...)
	}
	return e.editColumns(ctx, "change sessions of", segments, []string{f.column, f.besides}, func(t *db.Tx) error {
		if !t.Schema.Has("sessions", f.column) {
			older := e.db.OlderSchemaError(f.what)
			older.Remedy = model.Advise("start a newer Hermes once to add what is missing")
			return older
		}
		set := f.column + " = ?"
		if t.Schema.Has("sessions", f.besides) {
			set += ", " + f.besides + " = " + f.value
		}
		found := 0
		err := db.InChunks(segments, func(where string, args []any) error {
			n, err := t.Exec(ctx, `UPDATE sessions SET `+set+` WHERE id `+where, append([]any{db.AsBit(f.on)}, args...)...)
			found += int(n)
			return err
		})
		if err == nil && found != len(segments) {
			err = e.changedError("another program has deleted some of these sessions; nothing was changed")
		}
		return err
	})
}

// editColumns makes a change in one transaction and returns what it did to these
// columns of these sessions. doing begins the text of an error.
func (e *Editor) editColumns(ctx context.Context, doing string, ids, columns []string, change func(*db.Tx) error) (edit model.Edit, err error) {
	err = e.db.Write(ctx, doing, func(t *db.Tx) error {
		have := slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return !t.Schema.Has("sessions", c) })
		before, err := readCells(ctx, t, ids, have)
		if err != nil {
			return err
		}
		if err := change(t); err != nil {
			return err
		}
		after, err := readCells(ctx, t, ids, have)
		if err != nil {
			return err
		}
		edit = model.Edit{}
		for _, id := range ids {
			for i, c := range have {
				if b, a := before[id], after[id]; b != nil && a != nil && !reflect.DeepEqual(b[i], a[i]) {
					edit.Changes = append(edit.Changes, model.CellChange{Session: id, Column: c, Before: b[i], After: a[i]})
				}
			}
		}
		edit.Besides, err = changedBesides(ctx, t, ids, have)
		return err
	})
	if err != nil {
		return model.Edit{}, err
	}
	return edit, nil
}

// readCells reads columns of sessions, by id. Sessions that do not exist are left
// out.
func readCells(ctx context.Context, t *db.Tx, ids, columns []string) (map[string][]any, error) {
	out := map[string][]any{}
	if len(columns) == 0 {
		return out, nil
	}
	query := "SELECT +id" // a "+" hides the declared type, by which the driver would change the value
	for _, c := range columns {
		query += ", +" + db.Quote(c)
	}
	return out, db.InChunks(ids, func(where string, args []any) error {
		return db.EachRow(ctx, t, query+` FROM sessions WHERE id `+where, args, func(r db.Row) {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = r[i+1]
			}
			out[r.Text(0)] = values
		})
	})
}

// Undo puts the cells of an edit back; see store.Store.UndoEdit.
func (e *Editor) Undo(ctx context.Context, edit model.Edit) error {
	return e.db.Write(ctx, "undo a change in", func(t *db.Tx) error {
		for _, c := range edit.Changes {
			if err := e.checkUnchanged(ctx, t, c); err != nil {
				return err
			}
		}
		return undoBesides(ctx, t, edit.Besides, func() error { return e.putBack(ctx, t, edit.Changes) })
	})
}

// putBack puts back the cells of an edit. A title may move from one of these sessions to
// another, and titles are unique: all of them are removed before any is put back.
func (e *Editor) putBack(ctx context.Context, t *db.Tx, changes []model.CellChange) error {
	put := func(c model.CellChange, v any) error {
		_, err := t.Exec(ctx, `UPDATE sessions SET `+db.Quote(c.Column)+` = ? WHERE id = ?`, v, c.Session)
		return err
	}
	for _, c := range changes {
		if c.Column == "title" {
			if err := put(c, nil); err != nil {
				return err
			}
		}
	}
	for _, c := range changes {
		if c.Column == "title" && c.Before != nil {
			owner, taken, err := t.One(ctx, `SELECT id FROM sessions WHERE title = ? AND id <> ?`, c.Before, c.Session)
			if err != nil {
				return err
			}
			if taken {
				return e.db.TitleTakenError(db.AsText(c.Before), db.AsText(owner))
			}
		}
		if err := put(c, c.Before); err != nil {
			return err
		}
	}
	return nil
}

// checkUnchanged refuses to undo a change of a cell that another program has
// changed since.
func (e *Editor) checkUnchanged(ctx context.Context, t *db.Tx, c model.CellChange) error {
	if !isEditable(c.Column) || !t.Schema.Has("sessions", c.Column) {
		return fmt.Errorf("undo a change of the column %q", c.Column)
	}
	now, err := readCells(ctx, t, []string{c.Session}, []string{c.Column})
	if err != nil {
		return err
	}
	have, exists := now[c.Session]
	switch {
	case !exists:
		return e.db.NotFoundError(c.Session)
	case !reflect.DeepEqual(have[0], c.After) && c.Column == "title":
		return e.changedError(fmt.Sprintf("another program has renamed it to '%s'", db.AsText(have[0])))
	case !reflect.DeepEqual(have[0], c.After):
		return e.changedError("another program has changed session " + c.Session)
	}
	return nil
}

// isEditable reports whether an edit may hold a column.
func isEditable(column string) bool {
	return slices.Contains([]string{"title", "title_source", "pinned", "archived", "auto_archived", "hidden"}, column)
}

// changedError makes the error of a session that is not what a person saw any
// more.
func (e *Editor) changedError(message string) *model.Error {
	return &model.Error{Kind: model.KindChanged, Path: e.db.Path, Message: message, Remedy: model.Advise("check it, then try again")}
}
