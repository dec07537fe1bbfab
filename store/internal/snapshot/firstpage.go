package snapshot

import (
	"context"
	"slices"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessiontable"
)

// minMessagesForFirstPage is the number of messages from which the first rows are found
// without reading all sessions; in a smaller file all sessions are read as quickly.
const minMessagesForFirstPage = 2_000

// maxNewestSessions is how many of the newest sessions are read for the first rows. If too
// few of them belong to the list, all sessions are read after all.
const maxNewestSessions = 1_000

// maxActiveSessions is how many sessions may have been active since those began. More of
// them, as after an import of an old history, take as long as reading all sessions.
const maxActiveSessions = 2_000

// FirstPage returns the first page of the list by activity, reading only sessions
// that may be on it. ok is false where the whole list must be read instead.
//
// All sessions active since a certain time are read, with their families. A page that
// ends after that time equals the page of the whole list if no session is missing. With
// RowsOnly that is certain, because the last write of every session is read (as long as
// ids are text). With FirstPage the order of the message ids is trusted.
func (s *Sessions) FirstPage(ctx context.Context, q query.ListOptions) (page model.ConversationPage, ok bool, err error) {
	if s.readsAllAtOnce() || !q.NewestRows() {
		return page, false, nil
	}
	q.PinnedFirst = false // they may be old
	err = s.db.ReadTx(ctx, func(conn db.Querier) error {
		if q.ActiveSince.IsZero() {
			last, err := db.QueryValue(ctx, conn, `SELECT max(id) FROM messages`)
			if err != nil || db.AsInt(last) < minMessagesForFirstPage {
				return err
			}
		}
		page, ok, err = s.newestConversations(ctx, conn, q)
		return err
	})
	if db.IsCorrupt(err) {
		return page, false, nil // the whole list reads around it
	}
	if err != nil || !ok {
		return model.ConversationPage{}, false, s.db.WrapError("read the newest sessions of", err)
	}
	if q.NoPreviews {
		return page, true, nil
	}
	return page, true, s.AddPreviews(ctx, page.Conversations)
}

// readsAllAtOnce reports whether the list of all sessions takes no longer than the newest.
func (s *Sessions) readsAllAtOnce() bool {
	return s.CachedSnapshot() != nil || s.db.IndexesBypassed.Load() || !s.db.Schema.Indexed("messages", "session_id")
}

// NewestActivity returns when the n sessions that began last were active, the latest first:
// for [query.ListOptions.ActiveSince]. It returns nil where that saves nothing.
func (s *Sessions) NewestActivity(ctx context.Context, n int) (times []time.Time, err error) {
	if s.readsAllAtOnce() {
		return nil, nil
	}
	sound := true
	err = db.EachRow(ctx, s.db.Pool, `SELECT at FROM `+newestActivity+` ORDER BY at DESC`, []any{n}, func(r db.Row) {
		sound = sound && isTime(r[0])
		times = append(times, r.Time(0))
	})
	if !sound || db.IsCorrupt(err) {
		return nil, nil
	}
	return times, s.db.WrapError("read the newest sessions of", err)
}

// newestActivity is when each of the sessions that began last was active.
const newestActivity = `(SELECT coalesce((SELECT max(timestamp) FROM messages WHERE session_id = s.id), started_at) AS at
	FROM (SELECT id, started_at FROM sessions ORDER BY started_at DESC LIMIT ?) s)`

// isTime reports whether a stored value is a number of seconds since 1970. Those of other
// values are not in the order of the times.
func isTime(v any) bool {
	at, ok := v.(float64)
	return ok && at > 0 && at <= 1e11
}

// newestConversations reads the sessions that were active since a certain time, with
// their families. The time is chosen so that they should fill a page.
func (s *Sessions) newestConversations(ctx context.Context, conn db.Querier, q query.ListOptions) (model.ConversationPage, bool, error) {
	var none model.ConversationPage
	families, err := s.newActiveFamilies(ctx, conn)
	if err != nil {
		return none, false, err
	}
	snap := families.snap
	// since reads the conversations active since a time. n is how many rows of the page are certain.
	since := func(at float64) (page model.ConversationPage, n int, ok bool, err error) {
		if ok, err := families.readSince(ctx, conn, at, q.RowsOnly); err != nil || !ok {
			return none, 0, false, err
		}
		page = snap.Conversations.Page(q, snap.Conversations.Matcher(q.AdmitsOrigin))
		page.TotalsSkipped = true
		for n < len(page.Conversations) && page.Conversations[n].LastActive.After(db.AsTime(at)) {
			n++
		}
		return page, n, true, nil
	}
	if !q.ActiveSince.IsZero() {
		page, n, ok, err := since(float64(q.ActiveSince.Unix()))
		if ok {
			page.Conversations = page.Conversations[:n]
		}
		return page, ok, err
	}
	for of := 2 * q.Limit; of <= maxNewestSessions; {
		at, err := db.QueryValue(ctx, conn, `SELECT at FROM `+newestActivity+` ORDER BY at DESC LIMIT 1 OFFSET ?`, of, of*3/4-1)
		if err != nil || !isTime(at) {
			return none, false, err
		}
		page, n, ok, err := since(at.(float64))
		if err != nil || !ok || n == q.Limit {
			return page, ok, err
		}
		// Where few of them belong to the list, the next round goes back so far that
		// it should be the last.
		of = max(2*of, of*q.Limit*3/2/max(n, 1))
	}
	return none, false, nil
}

// activeFamilies is a snapshot of the sessions active since a time, with their families.
type activeFamilies struct {
	sessions *Sessions
	snap     *Snapshot
	all      *sessiontable.Builder
}

func (s *Sessions) newActiveFamilies(ctx context.Context, conn db.Querier) (*activeFamilies, error) {
	snap, err := s.newSnapshot(ctx, conn)
	if err != nil {
		return nil, err
	}
	all := sessiontable.NewBuilder(0)
	snap.Table = all.Build()
	return &activeFamilies{s, snap, all}, nil
}

// readSince adds the sessions that have been active since a time, with their families. Each call
// must go further back. With exact, no session is missed. If ok is false, the caller must read all
// sessions instead.
func (f *activeFamilies) readSince(ctx context.Context, conn db.Querier, at float64, exact bool) (ok bool, err error) {
	active, sure, err := activeSince(ctx, f.sessions.db, conn, at, exact)
	if err != nil || !sure || len(active) > maxActiveSessions {
		return false, err
	}
	// Families are read whole: a session that is not there yet has no relative there.
	more, err := f.sessions.relatedSessions(ctx, conn, slices.DeleteFunc(active, func(id string) bool { _, ok := f.snap.Position(id); return ok }))
	if err != nil {
		return false, err
	}
	if was := f.sessions.Indexes.agreed.Load(); more.doubts.any() && (was == nil || !was.sound) {
		return false, nil // all sessions are read, and the indexes compared
	}
	for _, m := range more.All() {
		f.all.Add(&m)
	}
	f.snap.Table = f.all.Build()
	f.snap.linkConversations(f.sessions.db.Schema)
	return true, nil
}

// activeSince returns the sessions that began or got messages since a time. With exact,
// none is missing if sure is true; without, sure is always true.
func activeSince(ctx context.Context, d *db.DB, q db.Querier, since any, exact bool) (ids []string, sure bool, err error) {
	if exact {
		return activeSinceExact(ctx, d, q, since)
	}
	// Ids ascend with time, so the last messages show the active sessions, unless too
	// many must be read: reading the last write of a session costs as much as one or
	// two messages. Where a clock was set back across sessions, the whole list, read
	// next, corrects the order.
	before, err := db.QueryValue(ctx, q, `SELECT id FROM (SELECT id, timestamp FROM messages ORDER BY id DESC
		LIMIT (SELECT count(*) / 8 FROM sessions)) WHERE timestamp < ? LIMIT 1`, since)
	if err != nil {
		return nil, false, err
	}
	wrote := `SELECT id FROM sessions s WHERE EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.timestamp >= ?)`
	if before != nil {
		wrote = `SELECT DISTINCT session_id FROM messages NOT INDEXED WHERE id > ?`
	} else {
		before = since
	}
	ids, err = db.QueryTexts(ctx, q, `SELECT id FROM sessions WHERE started_at >= ? UNION ALL `+wrote, since, before)
	slices.Sort(ids)
	return slices.Compact(ids), true, err
}

// activeSinceExact reads every session. Text sorts above all numbers, so a session with
// text for a time is included. sure is false where an id is not text: its messages are
// not found by it.
func activeSinceExact(ctx context.Context, d *db.DB, q db.Querier, since any) (ids []string, sure bool, err error) {
	query, args := `SELECT id FROM sessions WHERE started_at >= ?
		UNION ALL SELECT CASE typeof(id) WHEN 'text' THEN id END FROM sessions s WHERE typeof(id) <> 'text'
			OR EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.timestamp >= ?)`, []any{since, since}
	if d.Schema.Has("sessions", "last_activity_at") {
		query, args = query+` UNION ALL SELECT id FROM sessions WHERE last_activity_at >= ?`, append(args, since)
	}
	ids, err = db.QueryTexts(ctx, q, query, args...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids, len(ids) == 0 || ids[0] != "", err
}
