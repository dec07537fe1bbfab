package edits

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Rename gives a conversation a title through its tip; see store.Store.Rename.
func (e *Editor) Rename(ctx context.Context, r model.Renaming) (model.Edit, error) {
	title, err := model.SanitizeTitle(r.Title)
	if err != nil {
		return model.Edit{}, e.db.InvalidError(err.Error(), "use a shorter title", err)
	}
	conv, err := e.sessions.Conversation(ctx, r.ID)
	if err != nil {
		return model.Edit{}, err
	}
	if conv.ID != r.ID {
		return model.Edit{}, e.changedError("the conversation now continues in session " + conv.ID + "; nothing r.Was renamed")
	}
	earlier := conv.Segments[:len(conv.Segments)-1]
	return e.editColumns(ctx, "rename "+r.ID+" in", conv.Segments, []string{"title", "title_source"}, func(t *db.Tx) error {
		if !t.Schema.Has("sessions", "title") {
			return e.db.OlderSchemaError("titles")
		}
		now, exists, err := t.One(ctx, `SELECT title FROM sessions WHERE id = ?`, r.ID)
		switch {
		case err != nil:
			return err
		case !exists:
			return e.db.NotFoundError(r.ID)
		case db.AsText(now) != r.Was:
			return e.changedError("another program has renamed it to '" + db.AsText(now) + "'; nothing r.Was renamed")
		case r.Was == title:
			return nil
		}
		return e.assignTitle(ctx, t, r.ID, title, earlier)
	})
}

// SetTitle gives a session a title and returns it as stored; see
// sessiondb.DB.SetTitle.
func (e *Editor) SetTitle(ctx context.Context, id, title string) (string, error) {
	title, err := model.SanitizeTitle(title)
	if err != nil {
		return "", e.db.InvalidError(err.Error(), "use a shorter title", err)
	}
	earlier, err := e.earlierSegments(ctx, id)
	if err != nil {
		return "", err
	}
	return title, e.db.Write(ctx, "rename "+id+" in", func(t *db.Tx) error {
		return e.assignTitle(ctx, t, id, title, earlier)
	})
}

// earlierSegments returns the segments of a conversation that come before a session.
func (e *Editor) earlierSegments(ctx context.Context, id string) ([]string, error) {
	snap, err := e.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	m, ok := snap.ConversationOf(id)
	if !ok {
		return nil, nil
	}
	segments := m.Segments
	return segments[:max(0, slices.Index(segments, id))], nil
}

// assignTitle gives a session a title, "" for none. It takes the title from an
// earlier segment of the same conversation (store/README.md#q10); the error is of
// [model.KindTitleInUse] where another session has it.
func (e *Editor) assignTitle(ctx context.Context, t *db.Tx, id, title string, earlier []string) error {
	if !t.Schema.Has("sessions", "title") {
		return e.db.OlderSchemaError("titles")
	}
	if title != "" {
		found, taken, err := t.One(ctx, `SELECT id FROM sessions WHERE title = ? AND id <> ?`, title, id)
		if err != nil {
			return err
		}
		owner := db.AsText(found)
		if taken && slices.Contains(earlier, owner) {
			if err := e.putTitle(ctx, t, owner, "title = NULL"); err != nil {
				return err
			}
		} else if taken {
			return e.db.TitleTakenError(title, owner)
		}
	}
	set := "title = nullif(?1, '')"
	if t.Schema.Has("sessions", "title_source") {
		set += ", title_source = iif(?1 = '', NULL, 'user')"
	}
	return e.putTitle(ctx, t, id, set, title)
}

// putTitle changes the title of one session. It refuses to change the title by
// which the newest Hermes recognizes its hidden chat
// (store/README.md#newer-files).
func (e *Editor) putTitle(ctx context.Context, t *db.Tx, id, set string, args ...any) error {
	if t.Schema.Has("sessions", "hidden") {
		_, identity, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ? AND hidden = 1 AND title = ?`, id, hiddenChat)
		if err != nil {
			return err
		}
		if identity {
			return &model.Error{
				Kind: model.KindRefused, Path: e.db.Path,
				Message: "Hermes recognizes this hidden session by its title '" + hiddenChat + "'",
				Remedy:  model.Advise("leave its title as it is"),
			}
		}
	}
	n, err := t.Exec(ctx, `UPDATE sessions SET `+set+` WHERE id = ?`, append(args, id)...)
	if err == nil && n == 0 {
		return e.db.NotFoundError(id)
	}
	return err
}

// TitleOwner returns the session that has a title, nil where the title is free; see
// store.Store.TitleOwner.
func (e *Editor) TitleOwner(ctx context.Context, title, conversation string) (*model.TitleOwner, error) {
	id, taken, err := e.SessionTitled(ctx, title)
	if err != nil || !taken {
		return nil, err
	}
	o := &model.TitleOwner{Session: id}
	if o.Conversation, err = e.sessions.Conversation(ctx, id); err != nil {
		return nil, err
	}
	o.EarlierSegment = o.Conversation.ID == conversation && o.Session != conversation
	o.NextFree, err = e.NextTitle(ctx, title)
	return o, err
}

// SessionTitled returns the id of the session with exactly this title; ok is false
// where there is none.
func (e *Editor) SessionTitled(ctx context.Context, title string) (id string, ok bool, err error) {
	ids, err := e.queryTitles(ctx, `SELECT s.id FROM sessions s WHERE s.title = ? LIMIT 1`, title)
	if err != nil || len(ids) == 0 {
		return "", false, err
	}
	return ids[0], true, nil
}

// NextTitle returns the next free title of a numbered lineage; see
// sessiondb.DB.NextTitle.
func (e *Editor) NextTitle(ctx context.Context, title string) (string, error) {
	base := strings.TrimSpace(model.TitleBase(strings.TrimRightFunc(title, unicode.IsSpace)))
	taken, err := e.queryTitles(ctx, `SELECT s.title FROM sessions s WHERE s.title = ?1 OR s.title LIKE
		replace(replace(replace(?1, '\', '\\'), '%', '\%'), '_', '\_') || ' #%' ESCAPE '\'`, base)
	if err != nil {
		return "", err
	}
	return model.NextTitle(base, taken), nil
}

// queryTitles runs a query about one title and returns its only column; nothing in
// a file without titles.
func (e *Editor) queryTitles(ctx context.Context, query, title string) (found []string, err error) {
	if !e.db.Schema.Has("sessions", "title") {
		return nil, nil
	}
	found, err = db.QueryTexts(ctx, e.db.Pool, query, title)
	return found, e.db.WrapError("look up a title in", err)
}
