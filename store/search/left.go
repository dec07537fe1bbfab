package search

import (
	"context"
	"maps"
	"slices"

	"hermes-sessions/model/files"
	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessionroles"
	"hermes-sessions/store/internal/snapshot"
)

// leftMessages are the messages that match among those that can be read around damaged pages.
type leftMessages struct {
	roles    snapshot.RoleSets // ReadIDs are the messages
	sessions map[int64]string  // the ids of their sessions
}

// readLeft reads every message that can be read around damaged pages, and keeps those that
// match. No index is asked: a damaged page makes every statement fail that comes across it.
func (ex *executor) readLeft(ctx context.Context) (left leftMessages, err error) {
	d := ex.engine.db
	d.AddNote(db.NoteDamaged)
	ex.plan = nil
	ex.addStep("reading what is left around damaged pages")
	left.sessions = map[int64]string{}
	m := match.NewMatcher(ex.query.Groups)
	_, err = ex.engine.sessions.Salvage.Rows(ctx, `SELECT m.id, m.session_id, m.role, m.content, `+ex.toolNameColumn+`, `+ex.toolCallsColumn+`,
		`+d.Schema.NotRewoundRows("m")+d.Schema.AndNotHidden("m")+` FROM main.messages m NOT INDEXED WHERE m.id >= ? ORDER BY m.id LIMIT ?`, func(r db.Row) {
		id, role, calls := r.Int(0), r.Text(2), pyjson.Unescape(r.Text(5))
		if !r.Bool(6) || role == "session_meta" || !m.Match(pyjson.Unescape(r.Text(3)), r.Text(4), calls) ||
			!query.MessagePasses(ex.query.Filters, role, sessionroles.ToolNames(r[4], r[5])) {
			return
		}
		left.sessions[id] = r.Text(1)
		left.roles.ReadIDs.Add(id)
		if role == "tool" {
			left.roles.FromTools.Add(id)
		}
		if len(calls) > len("[]") {
			left.roles.WithCalls.Add(id)
		}
	})
	return left, err
}

// prepareLeft is prepare with what [executor.readLeft] finds.
func (h *hitCounter) prepareLeft(ctx context.Context, ex *executor, snap *snapshot.Snapshot) error {
	left, err := ex.readLeft(ctx)
	h.ids, h.roles, h.sessions, h.unread, h.unmapped = left.roles.ReadIDs.Clone(), &left.roles, nil, nil, unmappedSessions{}
	for id, session := range left.sessions {
		h.unmapped[id] = snap.SessionNumber(session)
	}
	return err
}

// countLeft is count with what [executor.readLeft] finds.
func (h *hitCounter) countLeft(ctx context.Context, ex *executor, snap *snapshot.Snapshot) error {
	clear(h.scores)
	h.nonZero = h.nonZero[:0]
	err := h.prepareLeft(ctx, ex, snap)
	for _, id := range slices.Sorted(maps.Keys(h.unmapped)) {
		h.countOne(id, h.unmapped[id])
	}
	return err
}

// filesLeft calls each for every file that the messages work on which can be read around
// damaged pages.
func (e *Engine) filesLeft(ctx context.Context, each func(session, path string)) error {
	e.db.AddNote(db.NoteDamaged)
	calls := e.db.Schema.ColumnOrNull("messages", "m", "tool_calls")
	_, err := e.sessions.Salvage.Rows(ctx, `SELECT m.id, m.session_id, `+calls+` FROM main.messages m NOT INDEXED WHERE m.id >= ? ORDER BY m.id LIMIT ?`, func(r db.Row) {
		for _, call := range db.CallsOf(r[2]) {
			for _, use := range files.Of(call) {
				each(r.Text(1), use.Path)
			}
		}
	})
	return err
}
