package transfer

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Gaps says what an export lacks; see store.Store.ExportGaps for the contract.
func (t *Transfer) Gaps(ctx context.Context, o model.ExportOptions) error {
	if t.db.HasNote(model.NoteDamaged) {
		return t.incompleteError("the database is damaged: only what can be read was exported")
	}
	if t.db.IndexesBypassed.Load() {
		lost, err := t.countLost(ctx, o)
		if err == nil && lost > 0 {
			err = t.incompleteError(fmt.Sprintf("the database is damaged: at least %s could not be read; everything else was exported", model.Quantity(lost, "message")))
		}
		return err
	}
	if lost, err := db.LostInLog(t.db.Path); err == nil && lost > 0 && o.IDs == nil {
		return &model.Error{Kind: model.KindIncomplete, Path: t.db.Path, Message: db.LostInLogText(lost) + "; everything else was exported", Remedy: db.AdviseLogCopy(t.db.Path)}
	}
	if o.Source != "" {
		return nil // the source of messages without a session is not known
	}
	unnamed, sessions, messages, err := t.countUnexported(ctx, o)
	switch {
	case db.IsCorrupt(err):
		return t.incompleteError("the database is damaged: anything else it holds was not exported")
	case err != nil:
		return t.db.WrapError("export", err)
	case unnamed+messages == 0:
		return nil
	case unnamed == 0:
		return t.incompleteError(fmt.Sprintf("%s of %s could not be exported; everything else was",
			model.Quantity(messages, "message"), model.Quantity(sessions, "missing session")))
	}
	return t.incompleteError(fmt.Sprintf("%s without an ID that is text, and %s of missing sessions, could not be exported; everything else was",
		model.Quantity(unnamed, "session"), model.Quantity(messages, "message")))
}

// CountInactive counts the messages that an export leaves out because they were rewound or
// compacted in place. Hermes's index of sessions and active messages answers it.
func (t *Transfer) CountInactive(ctx context.Context, o model.ExportOptions) (n int, err error) {
	if !t.db.Schema.Has("messages", "active") {
		return 0, nil
	}
	count := func(where string, args ...any) error {
		v, err := db.QueryValue(ctx, t.db.Pool, `SELECT count(*) FROM messages m WHERE NOT `+t.db.Schema.ActiveRows("m")+` AND m.session_id `+where, args...)
		n += int(db.AsInt(v))
		return err
	}
	if o.IDs != nil {
		err = db.InChunks(o.IDs, func(where string, args []any) error { return count(where, args...) })
	} else {
		err = count(`IN (SELECT id FROM sessions WHERE ? = '' OR source = ?)`, o.Source, o.Source)
	}
	return n, t.db.WrapError("export", err)
}

// countLost counts the messages that sessions lack of those that their writer has counted,
// where the tables are read without their indexes.
func (t *Transfer) countLost(ctx context.Context, o model.ExportOptions) (lost int, err error) {
	if !t.db.Schema.Has("sessions", "message_count") {
		return 0, nil
	}
	left, err := t.sessions.Salvage.BySession(ctx)
	if err != nil {
		return 0, t.db.WrapError("export", err)
	}
	_, err = t.sessions.Salvage.Sessions(ctx, `s.id, s.message_count, s.source`, func(r db.Row) {
		id, stated := r.Text(1), int(min(r.Int(2), math.MaxInt32))
		if o.IDs != nil && !slices.Contains(o.IDs, id) || o.Source != "" && o.Source != r.Text(3) {
			return
		}
		if of := left[id]; of != nil {
			stated -= of.All
		}
		lost += max(stated, 0)
	})
	return lost, t.db.WrapError("export", err)
}

// incompleteError says that an export lacks something.
func (t *Transfer) incompleteError(message string) *model.Error {
	return &model.Error{Kind: model.KindIncomplete, Path: t.db.Path, Message: message, Remedy: t.db.AdviseRecovery()}
}

// countUnexported counts sessions that no call can name, and the messages of sessions that
// have no row, with these sessions. Of named sessions only their parents count.
func (t *Transfer) countUnexported(ctx context.Context, o model.ExportOptions) (unnamed, sessions, messages int, err error) {
	// The query without further conditions runs first: an index on session_id answers it.
	const orphans = `FROM messages m WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = m.session_id)`
	number := func(query string, args ...any) (int, error) {
		v, err := db.QueryValue(ctx, t.db.Pool, query, args...)
		return int(db.AsInt(v)), err
	}
	if o.IDs != nil {
		err = db.InChunks(o.IDs, func(where string, args []any) error {
			for at, query := range []string{`count(DISTINCT m.session_id)`, `count(*)`} {
				n, err := number(`SELECT `+query+` `+orphans+` AND `+t.db.Schema.ActiveRows("m")+
					` AND m.session_id IN (SELECT parent_session_id FROM sessions WHERE id `+where+`)`, args...)
				if err != nil {
					return err
				}
				if at == 0 {
					sessions += n
				} else {
					messages += n
				}
			}
			return nil
		})
		return 0, sessions, messages, err
	}
	if unnamed, err = number(`SELECT count(*) FROM sessions WHERE ` + t.db.Schema.UnnamedSessions()); err != nil {
		return 0, 0, 0, err
	}
	if messages, err = number(`SELECT count(*) ` + orphans); err != nil || messages == 0 {
		return unnamed, 0, 0, err
	}
	if sessions, err = number(`SELECT count(DISTINCT m.session_id) ` + orphans + ` AND ` + t.db.Schema.ActiveRows("m")); err == nil {
		messages, err = number(`SELECT count(*) ` + orphans + ` AND ` + t.db.Schema.ActiveRows("m"))
	}
	return unnamed, sessions, messages, err
}
