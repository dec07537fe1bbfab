package sessiondb

import (
	"context"

	"hermes-sessions/store/internal/db"
)

// SetTitle gives a session a title, cleaned by [model.SanitizeTitle], and
// returns it as stored: "" where the title was blank, which clears it
// (set_session_title, store/README.md#titles and #q33).
//
// Titles are unique; upper and lower case differ. A title that an earlier segment
// of the same conversation has moves on from there (store/README.md#q10). Where
// another session has it the error is of [model.KindTitleInUse] and names its id in
// Matches; that is checked first. Other errors are of [model.KindInvalid] for a
// title that is too long, and of [model.KindNotFound].
func (d *DB) SetTitle(ctx context.Context, id, title string) (string, error) {
	return d.edits.SetTitle(ctx, id, title)
}

// Title returns the title of a session, "" where it has none.
func (d *DB) Title(ctx context.Context, id string) (string, error) {
	r, err := d.Session(ctx, id)
	if err != nil {
		return "", err
	}
	return db.AsText(r.Get("title")), nil
}

// SessionByTitle returns the row of the session with exactly this title
// (get_session_by_title). The error is of [model.KindNotFound] where there is none.
func (d *DB) SessionByTitle(ctx context.Context, title string) (db.Record, error) {
	id, ok, err := d.edits.SessionTitled(ctx, title)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, d.db.NotFoundError(title)
	}
	return d.Session(ctx, id)
}

// NextTitle returns the title for a session that continues the one with this
// title, with or without a number: "deploy #4" after "deploy" or "deploy #3",
// the title itself where it is free (get_next_title_in_lineage). White space around
// the title does not count. The result may be longer than [model.MaxTitle].
func (d *DB) NextTitle(ctx context.Context, title string) (string, error) {
	return d.edits.NextTitle(ctx, title)
}
