package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"

	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessionroles"
	"hermes-sessions/store/internal/snapshot"
)

// salvagedMessages are the messages that match among those that can be read around damaged pages.
type salvagedMessages struct {
	roles snapshot.RoleSets // ReadIDs are the messages
	rows  map[int64]salvagedMessage
}

// salvagedMessage is what is sorted and filtered of a message.
type salvagedMessage struct {
	session, role string
	at            any // as stored
}

// readSalvaged reads every message that can be read around damaged pages, and keeps those that
// match. No index is asked: a damaged page makes every statement fail that comes across it.
func (ex *executor) readSalvaged(ctx context.Context) (found salvagedMessages, err error) {
	d := ex.engine.db
	d.AddNote(model.NoteDamaged)
	ex.plan = nil
	ex.addStep("reading what is left around damaged pages")
	found.rows = map[int64]salvagedMessage{}
	m := match.NewMatcher(ex.query.Groups)
	_, err = ex.engine.sessions.Salvage.Rows(ctx, "messages", `SELECT m.id, m.session_id, m.role, m.content, `+ex.toolNameColumn+`, `+ex.toolCallsColumn+`,
		`+d.Schema.NotRewoundRows("m")+d.Schema.AndNotHidden("m")+`, m.timestamp FROM main.messages m NOT INDEXED WHERE m.id >= ? ORDER BY m.id LIMIT ?`, func(r db.Row) {
		id := r.Int(0)
		role := r.Text(2)
		calls := pyjson.Unescape(r.Text(5))
		if !r.Bool(6) || role == "session_meta" || !m.Match(pyjson.Unescape(r.Text(3)), r.Text(4), calls) ||
			!query.MessagePasses(ex.query.Filters, role, sessionroles.ToolNames(r[4], r[5])) {
			return
		}
		found.rows[id] = salvagedMessage{r.Text(1), role, r[7]}
		found.roles.ReadIDs.Add(id)
		if role == "tool" {
			found.roles.FromTools.Add(id)
		}
		if len(calls) > len("[]") {
			found.roles.WithCalls.Add(id)
		}
	})
	return found, err
}

// prepareSalvaged is prepare with what [executor.readSalvaged] finds.
func (h *hitCounter) prepareSalvaged(ctx context.Context, ex *executor, snap *snapshot.Snapshot) error {
	found, err := ex.readSalvaged(ctx)
	h.ids = found.roles.ReadIDs.Clone()
	h.roles = &found.roles
	h.sessions = nil
	h.unread = nil
	h.unmapped = unmappedSessions{}
	for id, m := range found.rows {
		h.unmapped[id] = snap.SessionNumber(m.session)
	}
	return err
}

// countSalvaged is count with what [executor.readSalvaged] finds.
func (h *hitCounter) countSalvaged(ctx context.Context, ex *executor, snap *snapshot.Snapshot) error {
	clear(h.scores)
	h.nonZero = h.nonZero[:0]
	err := h.prepareSalvaged(ctx, ex, snap)
	for _, id := range slices.Sorted(maps.Keys(h.unmapped)) {
		h.countOne(id, h.unmapped[id])
	}
	return err
}

// salvagedFiles calls each for every file that the messages work on which can be read around
// damaged pages.
func (e *Engine) salvagedFiles(ctx context.Context, each func(session, path string)) error {
	e.db.AddNote(model.NoteDamaged)
	calls := e.db.Schema.ColumnOrNull("messages", "m", "tool_calls")
	_, err := e.sessions.Salvage.Rows(ctx, "messages", `SELECT m.id, m.session_id, `+calls+` FROM main.messages m NOT INDEXED WHERE m.id >= ? ORDER BY m.id LIMIT ?`, func(r db.Row) {
		for _, call := range db.CallsOf(r[2]) {
			for _, use := range files.Of(call) {
				each(r.Text(1), use.Path)
			}
		}
	})
	return err
}

// salvaged is [Engine.SearchMessages] with what [executor.readSalvaged] finds: without ranks, and
// without the messages around each.
func (s messageSearch) salvaged(ctx context.Context, o Options, keeps func(session string) bool) ([]MessageHit, int, error) {
	all, err := s.readSalvaged(ctx)
	if err != nil {
		return nil, 0, err
	}
	snap, err := s.engine.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, 0, err
	}
	if o.Plan != nil {
		*o.Plan = s.plan
	}
	var found []MessageHit
	for id, m := range all.rows {
		at, known := snap.Position(m.session)
		if !known || !keeps(m.session) || len(o.Roles) > 0 && !slices.Contains(o.Roles, m.role) {
			continue
		}
		session := snap.Session(at)
		if o.Sources != nil && !slices.Contains(o.Sources, session.Source) || slices.Contains(o.ExcludeSources, session.Source) {
			continue
		}
		h := MessageHit{ID: id, SessionID: m.session, Role: m.role, Source: session.Source, Model: session.Model}
		h.Timestamp, _ = db.AsFloat(m.at)
		if !session.StartedAt.IsZero() {
			h.SessionStarted = float64(session.StartedAt.UnixMicro()) / 1e6
		}
		found = append(found, h)
	}
	sort.Slice(found, func(i, j int) bool {
		a, b := &found[i], &found[j]
		if o.Sort == Oldest {
			a, b = b, a
		}
		return a.Timestamp > b.Timestamp || a.Timestamp == b.Timestamp && a.ID > b.ID
	})
	page := found[min(max(o.Offset, 0), len(found)):]
	if limit := cmp.Or(o.Limit, 20); limit > 0 {
		page = page[:min(limit, len(page))]
	}
	messages := map[int64]model.Message{}
	for i := range page {
		h := &page[i]
		if err := s.engine.sessions.Salvage.ReadMessages(ctx, []int64{h.ID}, messages); err != nil {
			return nil, 0, err
		}
		m := messages[h.ID]
		h.ToolName, h.Snippet = m.ToolName, ownSnippet(match.NewMatcher(s.query.Groups), &m)
	}
	return page, len(found), nil
}
