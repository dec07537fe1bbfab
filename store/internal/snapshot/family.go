package snapshot

import (
	"context"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessiontable"
)

// Conversation returns the conversation that a session belongs to. The error is of
// [model.KindNotFound] for an unknown session.
func (s *Sessions) Conversation(ctx context.Context, id string) (model.Conversation, error) {
	snap, err := s.FamilySnapshot(ctx, id)
	if err != nil {
		return model.Conversation{}, err
	}
	m, ok := snap.ConversationOf(id)
	if !ok {
		return model.Conversation{}, s.db.NotFoundError(id)
	}
	one := []model.Conversation{m}
	err = s.AddPreviews(ctx, one)
	return one[0], err
}

// FamilySnapshot returns the cached snapshot if it is up to date, else one of the families
// of some sessions: their ancestors and all descendants of these. The last one is kept. Where
// there are many of them, it is [Sessions.CurrentSnapshot].
func (s *Sessions) FamilySnapshot(ctx context.Context, ids ...string) (*Snapshot, error) {
	return s.family(ctx, ids, false)
}

// family is FamilySnapshot, counted with the messages of long sessions counted too.
func (s *Sessions) family(ctx context.Context, ids []string, counted bool) (*Snapshot, error) {
	if len(ids) > fewSessions {
		return s.CurrentSnapshot(ctx)
	}
	version, err := s.db.DataVersion(ctx)
	if err != nil {
		return nil, err
	}
	if snap := s.CachedSnapshot(); snap != nil && snap.DataVersion == version && !snap.stale {
		return snap, nil
	}
	if last := s.cache.family.Load(); last != nil && last.DataVersion == version && (!counted || last.longCounted) {
		if !slices.ContainsFunc(ids, func(id string) bool { _, ok := last.Position(id); return !ok }) {
			return last, nil
		}
	}
	var c *Snapshot
	err = s.db.ReadTx(ctx, func(q db.Querier) (err error) {
		if c, err = s.relatedSessions(ctx, q, ids); err == nil && counted {
			err = s.countLong(ctx, q, c)
		}
		return err
	})
	if db.IsCorrupt(err) || err == nil && slices.ContainsFunc(ids, func(id string) bool { return s.Indexes.inDoubt(c, id) }) {
		return s.CurrentSnapshot(ctx)
	}
	if err != nil {
		what := ids[0]
		if len(ids) > 1 {
			what += " and " + model.Quantity(len(ids)-1, "more session")
		}
		return nil, s.db.WrapError("read "+what+" of", err)
	}
	c.DataVersion, c.longCounted = version, counted
	s.cache.family.Store(c)
	return c, nil
}

// countLong counts the messages of the long sessions of a family that was just read.
func (s *Sessions) countLong(ctx context.Context, q db.Querier, snap *Snapshot) error {
	var long []string
	for i, m := range snap.All() {
		if m.MessageCount >= countLaterFrom {
			long = append(long, m.ID)
			snap.SetMessageStats(i, 0, m.LastMessageAt)
		}
	}
	if len(long) == 0 {
		return nil
	}
	found, err := s.readMessageStats(ctx, q, snap.Table, long)
	snap.doubts.add(found)
	return err
}

// PositionOf returns a snapshot that holds the family of a session, and its position
// there. The error is of [model.KindNotFound] for an unknown session.
func (s *Sessions) PositionOf(ctx context.Context, id string) (*Snapshot, int, error) {
	snap, err := s.family(ctx, []string{id}, true)
	if err != nil {
		return nil, 0, err
	}
	i, ok := snap.Position(id)
	if !ok {
		return nil, 0, s.db.NotFoundError(id)
	}
	return snap, i, nil
}

// countLaterFrom is the number of messages from which on a session is long: the first
// page takes the count that its writer stored.
const countLaterFrom = 5_000

// familyCondition returns a condition on sessions s for n sessions, their ancestors, and
// all descendants of those.
func familyCondition(n int) string {
	return `s.id IN (
			WITH RECURSIVE want(id) AS (VALUES ` + strings.TrimSuffix(strings.Repeat("(?),", n), ",") + `),
			up(id) AS ( -- a compound SELECT allows VALUES with 500 rows only
				SELECT id FROM want
				UNION SELECT p.parent_session_id FROM sessions p JOIN up ON p.id = up.id WHERE p.parent_session_id IS NOT NULL),
			tree(id) AS (
				SELECT id FROM up
				UNION SELECT d.id FROM sessions d JOIN tree ON d.parent_session_id = tree.id)
			SELECT id FROM tree)`
}

// relatedSessions reads a snapshot of some sessions, their ancestors, and all
// descendants of those. Each session in it equals that of the whole snapshot, except
// the message counts of long sessions.
func (s *Sessions) relatedSessions(ctx context.Context, q db.Querier, ids []string) (*Snapshot, error) {
	snap, err := s.newSnapshot(ctx, q)
	if err != nil {
		return nil, err
	}
	all, seen := sessiontable.NewBuilder(len(ids)), map[string]bool{}
	var members, long []string
	for chunk := range slices.Chunk(ids, 10_000) {
		err := s.eachSession(ctx, q, familyCondition(len(chunk)), db.BindArgs(chunk), func(m *model.Session) {
			if seen[m.ID] {
				return
			}
			seen[m.ID] = true
			all.Add(m)
			if m.MessageCount < countLaterFrom {
				members = append(members, m.ID)
			} else {
				long = append(long, m.ID)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	snap.Table = all.Build()
	for _, id := range long {
		// Counting messages would take most of the time here, so the count that the
		// writer stored is used until every session is read. The list needs to know
		// only whether any message is visible.
		seen, err := db.QueryValue(ctx, q, `SELECT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = ? AND `+s.db.Schema.ActiveRows("m")+`)`, id)
		if err != nil {
			return nil, err
		}
		last, err := db.QueryValue(ctx, q, `SELECT max(timestamp) FROM messages WHERE session_id = ?`, id)
		if err != nil {
			return nil, err
		}
		if i, ok := snap.Position(id); ok {
			said := messageStats{id: id, visible: db.AsBool(seen), lastAt: last}
			if said.visible {
				said.count = snap.Session(i).MessageCount
			}
			if _, _, err := s.applyMessageStats(ctx, q, snap.Table, []messageStats{said}); err != nil {
				return nil, err
			}
		}
	}
	for chunk := range slices.Chunk(members, 1000) {
		found, err := s.readMessageStats(ctx, q, snap.Table, chunk)
		if err != nil {
			return nil, err
		}
		snap.doubts.add(found)
	}
	snap.linkConversations(s.db.Schema)
	return snap, nil
}
