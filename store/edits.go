package store

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Changes of a few columns that a person makes to conversations. Each says
// what it did, so that it can be taken back.

// Editable says what can be changed at all: whether the file may be written,
// by what the system said when [db.DB.DataVersion] was last asked, and what it
// has a place for.
func (s *Store) Editable() model.Editable {
	return model.Editable{ReadOnly: s.db.WriteProblem(), Pin: s.db.Schema.Has("sessions", "pinned"), Archive: s.db.Schema.Has("sessions", "archived")}
}

// Rename gives a conversation a title through its tip, by the rules of
// SetTitle; a blank one takes it away. was is the title that the person saw.
// The error is of kind changed, and nothing is done, where the title is
// another by now, or the conversation goes on in another session.
func (s *Store) Rename(ctx context.Context, tip, was, title string) (model.Edit, error) {
	title, err := model.SanitizeTitle(title)
	if err != nil {
		return model.Edit{}, s.InvalidError(err.Error(), "use a shorter title", err)
	}
	conv, err := s.sessions.Conversation(ctx, tip)
	if err != nil {
		return model.Edit{}, err
	}
	if conv.ID != tip {
		return model.Edit{}, s.changedSinceError("the conversation goes on in session " + conv.ID + " by now; nothing was renamed")
	}
	earlier := conv.Segments[:len(conv.Segments)-1]
	return s.editColumns(ctx, "rename "+tip+" in", conv.Segments, []string{"title", "title_source"}, func(t *db.Tx) error {
		if !t.Schema.Has("sessions", "title") {
			return s.OlderSchemaError("titles")
		}
		now, there, err := t.One(ctx, `SELECT title FROM sessions WHERE id = ?`, tip)
		switch {
		case err != nil:
			return err
		case !there:
			return s.db.NotFoundError(tip)
		case db.AsText(now) != was:
			return s.changedSinceError("another program has named it '" + db.AsText(now) + "' meanwhile; nothing was renamed")
		case was == title:
			return nil
		}
		return s.AssignTitle(ctx, t, tip, title, earlier)
	})
}

// TitleOwner says who has a title, nil where it is free. by is the conversation
// that is to get it.
func (s *Store) TitleOwner(ctx context.Context, title, by string) (*model.TitleOwner, error) {
	ids, err := s.SessionsTitled(ctx, `SELECT s.id FROM sessions s WHERE s.title = ? LIMIT 1`, title)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	o := &model.TitleOwner{Session: ids[0]}
	if o.Conversation, err = s.sessions.Conversation(ctx, ids[0]); err != nil {
		return nil, err
	}
	o.EarlierSegment = o.Conversation.ID == by && o.Session != by
	o.NextFree, err = s.NextTitle(ctx, title)
	return o, err
}

// SetPinned pins conversations or takes the pins away: all segments of each,
// so that every program that shows one finds it pinned. The error is of kind
// invalid, wrapping [errors.ErrUnsupported], where the file knows no pins.
func (s *Store) SetPinned(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	return s.setFlag(ctx, ids, "pinned", "pins", on)
}

// SetArchived archives conversations or brings them back: all segments of
// each, or the root would bring back what was archived (store/README.md#newer-files).
// The error is as that of [Store.SetPinned].
func (s *Store) SetArchived(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	return s.setFlag(ctx, ids, "archived", "archive", on)
}

func (s *Store) setFlag(ctx context.Context, ids []string, column, what string, on bool) (model.Edit, error) {
	c, err := s.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return model.Edit{}, err
	}
	var segments []string
	for _, id := range ids {
		m, ok := c.ConversationOf(id)
		if !ok {
			return model.Edit{}, s.db.NotFoundError(id)
		}
		segments = append(segments, m.Segments...)
	}
	return s.editColumns(ctx, "change sessions of", segments, []string{column}, func(t *db.Tx) error {
		if !t.Schema.Has("sessions", column) {
			e := s.OlderSchemaError(what)
			e.Remedy = "start a Hermes that has it once; it adds what is missing"
			return e
		}
		found := 0
		err := db.InChunks(segments, func(where string, args []any) error {
			n, err := t.Exec(ctx, `UPDATE sessions SET `+column+` = ? WHERE id `+where, append([]any{db.AsBit(on)}, args...)...)
			found += int(n)
			return err
		})
		if err == nil && found != len(segments) {
			err = s.changedSinceError("another program has removed some of these sessions meanwhile; nothing was changed")
		}
		return err
	})
}

// editColumns makes a change in one transaction and takes note of what it did to some
// columns of some sessions.
func (s *Store) editColumns(ctx context.Context, doing string, ids, columns []string, f func(*db.Tx) error) (e model.Edit, err error) {
	err = s.db.Write(ctx, doing, func(t *db.Tx) error {
		have := slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return !t.Schema.Has("sessions", c) })
		before, err := readCells(ctx, t, ids, have)
		if err != nil {
			return err
		}
		if err := f(t); err != nil {
			return err
		}
		after, err := readCells(ctx, t, ids, have)
		if err != nil {
			return err
		}
		e = model.Edit{}
		for _, id := range ids {
			for i, c := range have {
				if b, a := before[id], after[id]; b != nil && a != nil && !reflect.DeepEqual(b[i], a[i]) {
					e.Changes = append(e.Changes, model.CellChange{Session: id, Column: c, Before: b[i], After: a[i]})
				}
			}
		}
		return nil
	})
	if err != nil {
		return model.Edit{}, err
	}
	return e, nil
}

// readCells reads columns of sessions, by id.
func readCells(ctx context.Context, t *db.Tx, ids, columns []string) (map[string][]any, error) {
	out := map[string][]any{}
	if len(columns) == 0 {
		return out, nil
	}
	query := "SELECT +id"
	for _, c := range columns {
		query += ", +" + db.Quote(c)
	}
	return out, db.InChunks(ids, func(where string, args []any) error {
		rows, err := t.QueryContext(ctx, query+` FROM sessions WHERE id `+where, args...)
		if err != nil {
			return err
		}
		return db.ScanRecords(rows, func(r db.Record) error {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = r[i+1].Value
			}
			out[db.AsText(r[0].Value)] = values
			return nil
		})
	})
}

// UndoEdit undoes an Edit: whole or not at all. The error is of kind changed
// where another program has changed one of its cells since, not-found where a
// session is gone, title-in-use where a title is somebody else's by now.
func (s *Store) UndoEdit(ctx context.Context, e model.Edit) error {
	return s.db.Write(ctx, "take back a change in", func(t *db.Tx) error {
		for _, c := range e.Changes {
			if !isEditable(c.Column) || !t.Schema.Has("sessions", c.Column) {
				return fmt.Errorf("take back a change of the column %q", c.Column)
			}
			now, err := readCells(ctx, t, []string{c.Session}, []string{c.Column})
			if err != nil {
				return err
			}
			have, there := now[c.Session]
			switch {
			case !there:
				return s.db.NotFoundError(c.Session)
			case !reflect.DeepEqual(have[0], c.After) && c.Column == "title":
				return s.changedSinceError(fmt.Sprintf("another program has named it '%s' meanwhile", db.AsText(have[0])))
			case !reflect.DeepEqual(have[0], c.After):
				return s.changedSinceError("another program has changed session " + c.Session + " meanwhile")
			}
		}
		// A title may move from one of these sessions to another; for a moment
		// none of them has any.
		put := func(c model.CellChange, v any) error {
			_, err := t.Exec(ctx, `UPDATE sessions SET `+db.Quote(c.Column)+` = ? WHERE id = ?`, v, c.Session)
			return err
		}
		for _, c := range e.Changes {
			if c.Column == "title" {
				if err := put(c, nil); err != nil {
					return err
				}
			}
		}
		for _, c := range e.Changes {
			if c.Column == "title" && c.Before != nil {
				owner, taken, err := t.One(ctx, `SELECT id FROM sessions WHERE title = ? AND id <> ?`, c.Before, c.Session)
				if err != nil {
					return err
				}
				if taken {
					return s.db.TitleTakenError(db.AsText(c.Before), db.AsText(owner))
				}
			}
			if err := put(c, c.Before); err != nil {
				return err
			}
		}
		return nil
	})
}

// isEditable are the columns that an Edit may hold.
func isEditable(column string) bool {
	return slices.Contains([]string{"title", "title_source", "pinned", "archived"}, column)
}

// changedSinceError says that something is not any more what a person saw.
func (s *Store) changedSinceError(message string) *db.Error {
	return &db.Error{Kind: db.KindChanged, Path: s.db.Path, Message: message, Remedy: "look at it again, then try again"}
}
