package sessiondb

import (
	"context"
	"errors"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// SetTitle gives a session a title, cleaned by [model.SanitizeTitle], and
// returns it as stored: "" where the title was blank, which clears it
// (set_session_title, store/README.md#titles and #q33).
//
// Titles are unique, case counting. Where an earlier segment of the same
// conversation has it, the title moves on from there (store/README.md#q10). Where
// another session has it the error is of [db.KindTitleInUse] and names its id in
// Candidates; that is checked first. Other errors are of [db.KindInvalid] for a
// title that is too long, and of [db.KindNotFound].
func (d *DB) SetTitle(ctx context.Context, id, title string) (string, error) {
	title, err := model.SanitizeTitle(title)
	if err != nil {
		return "", d.InvalidError(err.Error(), "use a shorter title", err)
	}
	earlier, err := d.earlierSegments(ctx, id)
	if err != nil {
		return "", err
	}
	return title, d.db.Write(ctx, "rename "+id+" in", func(t *db.Tx) error {
		return d.AssignTitle(ctx, t, id, title, earlier)
	})
}

// earlierSegments gives the segments of a conversation that come before a session.
func (d *DB) earlierSegments(ctx context.Context, id string) ([]string, error) {
	c, err := d.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	m, ok := c.ConversationOf(id)
	if !ok {
		return nil, nil
	}
	segments := m.Segments
	return segments[:max(0, slices.Index(segments, id))], nil
}

func (d *DB) AssignTitle(ctx context.Context, t *db.Tx, id, title string, earlier []string) error {
	if !t.Schema.Has("sessions", "title") {
		return d.OlderSchemaError("titles")
	}
	var value, source any // NULL for no title
	if title != "" {
		value, source = title, "user"
		owner, taken, err := t.One(ctx, `SELECT id FROM sessions WHERE title = ? AND id <> ?`, title, id)
		if err != nil {
			return err
		}
		switch owner := db.AsText(owner); {
		case taken && slices.Contains(earlier, owner):
			if err := d.putTitle(ctx, t, owner, nil, nil); err != nil {
				return err
			}
		case taken:
			return d.db.TitleTakenError(title, owner)
		}
	}
	return d.putTitle(ctx, t, id, value, source)
}

// putTitle writes the column. One row has a title that is more than that: the
// newest Hermes knows its hidden chat by it (store/README.md#newer-files).
func (d *DB) putTitle(ctx context.Context, t *db.Tx, id string, title, source any) error {
	if t.Schema.Has("sessions", "hidden") {
		_, identity, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ? AND hidden = 1 AND title = 'Bot Chat'`, id)
		if err != nil {
			return err
		}
		if identity {
			return &db.Error{
				Kind: db.KindRefused, Path: d.db.Path,
				Message: "Hermes recognises this hidden session by its title 'Bot Chat'",
				Remedy:  "leave its title as it is",
			}
		}
	}
	set, args := "title = ?", []any{title}
	if t.Schema.Has("sessions", "title_source") {
		set, args = set+", title_source = ?", append(args, source)
	}
	n, err := t.Exec(ctx, `UPDATE sessions SET `+set+` WHERE id = ?`, append(args, id)...)
	if err == nil && n == 0 {
		return d.db.NotFoundError(id)
	}
	return err
}

// Title gives the title of a session, "" where it has none.
func (d *DB) Title(ctx context.Context, id string) (string, error) {
	r, err := d.Session(ctx, id)
	if err != nil {
		return "", err
	}
	return db.AsText(r.Get("title")), nil
}

// SessionByTitle gives the row of the session with exactly this title
// (get_session_by_title). The error is of [db.KindNotFound] where there is none.
func (d *DB) SessionByTitle(ctx context.Context, title string) (db.Record, error) {
	ids, err := d.SessionsTitled(ctx, `SELECT s.id FROM sessions s WHERE s.title = ? LIMIT 1`, title)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, d.db.NotFoundError(title)
	}
	return d.Session(ctx, ids[0])
}

// NextTitle gives the title for a session that continues the one with this
// title, with or without a number: "deploy #4" after "deploy" or "deploy #3",
// the title itself where it is free (get_next_title_in_lineage). It may be
// longer than [model.MaxTitle].
func (d *DB) NextTitle(ctx context.Context, title string) (string, error) {
	base := model.TitleBase(title)
	taken, err := d.SessionsTitled(ctx, `SELECT s.title FROM sessions s WHERE s.title = ?1 OR s.title LIKE
		replace(replace(replace(?1, '\', '\\'), '%', '\%'), '_', '\_') || ' #%' ESCAPE '\'`, base)
	if err != nil {
		return "", err
	}
	return model.NextTitle(base, taken), nil
}

// SessionsTitled runs a query over titles and gives its one column.
func (d *DB) SessionsTitled(ctx context.Context, query, title string) (found []string, err error) {
	if !d.db.Schema.Has("sessions", "title") {
		return nil, nil
	}
	rows, err := d.db.Pool.QueryContext(ctx, query, title)
	if err == nil {
		err = db.ScanRecords(rows, func(r db.Record) error {
			found = append(found, db.AsText(r[0].Value))
			return nil
		})
	}
	return found, d.db.WrapError("look up a title in", err)
}

// InvalidError says that a value can not be stored.
func (d *DB) InvalidError(message, remedy string, err error) *db.Error {
	return &db.Error{Kind: db.KindInvalid, Path: d.db.Path, Message: message, Remedy: remedy, Err: err}
}

// OlderSchemaError says that a file has no place for something.
func (d *DB) OlderSchemaError(what string) *db.Error {
	return d.InvalidError("a database of this version has no "+what, "hermes-sessions doctor --migrate", errors.ErrUnsupported)
}
