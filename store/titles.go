package store

import (
	"context"
	"errors"
	"slices"

	"hermes-sessions/model"
)

// SetTitle gives a session a title, cleaned by [model.SanitizeTitle], and
// returns it as stored: "" where the title was blank, which clears it
// (set_session_title, store/README.md#titles and #q33).
//
// Titles are unique, case counting. Where an earlier segment of the same
// conversation has it, the title moves on from there (store/README.md#q10). Where
// another session has it the error is of [KindTitleInUse] and names its id in
// Candidates; that is checked first. Other errors are of [KindInvalid] for a
// title that is too long, and of [KindNotFound].
func (s *Store) SetTitle(ctx context.Context, id, title string) (string, error) {
	title, err := model.SanitizeTitle(title)
	if err != nil {
		return "", s.invalid(err.Error(), "use a shorter title", err)
	}
	earlier, err := s.earlier(ctx, id)
	if err != nil {
		return "", err
	}
	return title, s.write(ctx, "rename "+id+" in", func(t *tx) error {
		return s.setTitle(ctx, t, id, title, earlier)
	})
}

// earlier gives the segments of a conversation that come before a session.
func (s *Store) earlier(ctx context.Context, id string) ([]string, error) {
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, err
	}
	m, ok := c.conversationOf(id)
	if !ok {
		return nil, nil
	}
	segments := m.Segments
	return segments[:max(0, slices.Index(segments, id))], nil
}

func (s *Store) setTitle(ctx context.Context, t *tx, id, title string, earlier []string) error {
	if !t.schema.has("sessions", "title") {
		return s.tooOld("titles")
	}
	var value, source any // NULL for no title
	if title != "" {
		value, source = title, "user"
		owner, taken, err := t.one(ctx, `SELECT id FROM sessions WHERE title = ? AND id <> ?`, title, id)
		if err != nil {
			return err
		}
		switch owner := text(owner); {
		case taken && slices.Contains(earlier, owner):
			if err := s.putTitle(ctx, t, owner, nil, nil); err != nil {
				return err
			}
		case taken:
			return s.titleInUse(title, owner)
		}
	}
	return s.putTitle(ctx, t, id, value, source)
}

// titleInUse says who has a title.
func (s *Store) titleInUse(title, owner string) *Error {
	taken := model.TitleTaken{Title: title, Owner: owner}
	return &Error{
		Kind: KindTitleInUse, Path: s.path, Candidates: []string{owner}, Err: taken,
		Message: taken.Error(),
		Remedy:  "choose another title, or rename that session first",
	}
}

// putTitle writes the column. One row has a title that is more than that: the
// newest Hermes knows its hidden chat by it (store/README.md#newer-files).
func (s *Store) putTitle(ctx context.Context, t *tx, id string, title, source any) error {
	if t.schema.has("sessions", "hidden") {
		_, identity, err := t.one(ctx, `SELECT 1 FROM sessions WHERE id = ? AND hidden = 1 AND title = 'Bot Chat'`, id)
		if err != nil {
			return err
		}
		if identity {
			return &Error{
				Kind: KindRefused, Path: s.path,
				Message: "Hermes recognises this hidden session by its title 'Bot Chat'",
				Remedy:  "leave its title as it is",
			}
		}
	}
	set, args := "title = ?", []any{title}
	if t.schema.has("sessions", "title_source") {
		set, args = set+", title_source = ?", append(args, source)
	}
	n, err := t.exec(ctx, `UPDATE sessions SET `+set+` WHERE id = ?`, append(args, id)...)
	if err == nil && n == 0 {
		return s.notFound(id)
	}
	return err
}

// Title gives the title of a session, "" where it has none.
func (s *Store) Title(ctx context.Context, id string) (string, error) {
	r, err := s.Session(ctx, id)
	if err != nil {
		return "", err
	}
	return text(r.Get("title")), nil
}

// SessionByTitle gives the row of the session with exactly this title
// (get_session_by_title). The error is of [KindNotFound] where there is none.
func (s *Store) SessionByTitle(ctx context.Context, title string) (Record, error) {
	ids, err := s.titled(ctx, `SELECT s.id FROM sessions s WHERE s.title = ? LIMIT 1`, title)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, s.notFound(title)
	}
	return s.Session(ctx, ids[0])
}

// NextTitle gives the title for a session that continues the one with this
// title, with or without a number: "deploy #4" after "deploy" or "deploy #3",
// the title itself where it is free (get_next_title_in_lineage). It may be
// longer than [model.MaxTitle].
func (s *Store) NextTitle(ctx context.Context, title string) (string, error) {
	base := model.TitleBase(title)
	taken, err := s.titled(ctx, `SELECT s.title FROM sessions s WHERE s.title = ?1 OR s.title LIKE
		replace(replace(replace(?1, '\', '\\'), '%', '\%'), '_', '\_') || ' #%' ESCAPE '\'`, base)
	if err != nil {
		return "", err
	}
	return model.NextTitle(base, taken), nil
}

// titled runs a query over titles and gives its one column.
func (s *Store) titled(ctx context.Context, query, title string) (found []string, err error) {
	if !s.schema.has("sessions", "title") {
		return nil, nil
	}
	rows, err := s.db.QueryContext(ctx, query, title)
	if err == nil {
		err = eachRecord(rows, func(r Record) error {
			found = append(found, text(r[0].Value))
			return nil
		})
	}
	return found, s.wrap("look up a title in", err)
}

// invalid says that a value can not be stored.
func (s *Store) invalid(message, remedy string, err error) *Error {
	return &Error{Kind: KindInvalid, Path: s.path, Message: message, Remedy: remedy, Err: err}
}

// tooOld says that a file has no place for something.
func (s *Store) tooOld(what string) *Error {
	return s.invalid("a database of this version has no "+what, "hermes-sessions doctor --migrate", errors.ErrUnsupported)
}
