package snapshot

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/sessiontable"
)

// How many changes are read one by one; with more, every session is read.
const (
	maxRefreshMessages = 10_000
	maxRefreshSessions = 500
)

// recentMessages is the number of messages before the new ones whose sessions are read again:
// their tokens, costs and end are written after the messages.
const recentMessages = 100

// refresh returns a snapshot of the transaction q, made of an older one and the changes
// since: sessions that were added, removed or renamed, got messages or had messages
// rewound, with their parents and children. Other columns, such as a pin, stay as in
// the older snapshot: comparing them would mean reading every row. After a write of
// this process every row is read, because its caller expects to see the change.
func (s *Sessions) refresh(ctx context.Context, q db.Querier, was *Snapshot) (*Snapshot, error) {
	snap, err := refresher{s}.refreshChanged(ctx, q, was)
	if snap != nil || err != nil {
		return snap, err
	}
	if snap, err = s.newSnapshot(ctx, q); err != nil {
		return nil, err
	}
	if err := s.fillSnapshot(ctx, q, nil, snap); err != nil {
		return nil, err
	}
	snap.linkConversations(s.db.Schema)
	return snap, nil
}

// refresher makes a snapshot of an older one and the changes since.
type refresher struct{ *Sessions }

// refreshChanged returns a snapshot made of an older one and the changes since, or nil
// where too much has changed.
func (r refresher) refreshChanged(ctx context.Context, q db.Querier, was *Snapshot) (*Snapshot, error) {
	if was.fingerprint == nil || was.ownWrites != r.db.OwnWrites.Load() {
		return nil, nil
	}
	now, ids, titles, err := r.readFingerprint(ctx, q, was.fingerprint)
	if err != nil {
		return nil, err
	}
	ch, err := r.findChanges(ctx, q, was, &now, ids, titles)
	if ch == nil || err != nil {
		return nil, err
	}
	locks, err := r.readLocks(ctx, q)
	if err != nil {
		return nil, err
	}
	snap := &Snapshot{readAt: was.readAt, ownWrites: was.ownWrites, locks: locks, fingerprint: &now, Table: was.Table, Lineage: was.Lineage, Conversations: was.Conversations, stale: true}
	if m := was.MessageSessions.Load(); m == nil || m.orphanCount == 0 || len(ch.added) == 0 { // else a message without a session may have got one
		snap.MessageSessions.Store(m)
	} else {
		r.DropRoles() // as after reading every session without a map
	}
	if len(ch.reread)+len(ch.removed) == 0 && reflect.DeepEqual(locks.BySession, was.locks.BySession) {
		return snap, nil
	}
	sessions, err := r.readChangedSessions(ctx, q, was, ch)
	if sessions == nil || err != nil {
		return nil, err
	}
	var changed []int32
	if snap.Table, changed, err = r.updateTable(ctx, q, was, &now, ch, sessions); snap.Table == nil || err != nil {
		return nil, err
	}
	var families []int32
	snap.Lineage, families = was.Lineage.Updated(snap.Table, changed, snap.Position)
	snap.Lineage.Locks = locks
	families = append(families, changed...) // removed ones too
	slices.Sort(families)
	snap.Conversations = was.Conversations.updated(snap, slices.Compact(families))
	return snap, nil
}

// sessionChanges is what happened to sessions since an older snapshot was read.
type sessionChanges struct {
	removed, added []string // ids
	reread         []string // ids to be read again, with the added ones
	recount        []string // those of reread whose messages are all counted again
}

// findChanges finds what changed since an older snapshot was read, by the present
// fingerprint and the ids and titles that it hashes. It returns nil where too much has
// changed.
func (r refresher) findChanges(ctx context.Context, q db.Querier, was *Snapshot, now *fingerprint, ids, titles string) (*sessionChanges, error) {
	ch := &sessionChanges{}
	if now.idsHash != was.fingerprint.idsHash {
		ch.removed, ch.added = diffLines(was.Table, was.ID, ids)
		ch.reread = append(ch.reread, ch.added...)
	}
	if now.titlesHash != was.fingerprint.titlesHash {
		lost, got := diffLines(was.Table, was.Title, titles)
		if len(got) > maxRefreshSessions {
			return nil, nil
		}
		titled, err := r.retitledIDs(ctx, q, was, lost, got)
		if err != nil {
			return nil, err
		}
		ch.reread = append(ch.reread, titled...)
	}
	if now.lastMessageID > was.fingerprint.lastMessageID {
		if now.lastMessageID-was.fingerprint.lastMessageID > maxRefreshMessages {
			return nil, nil
		}
	}
	wrote, err := db.QueryTexts(ctx, q, `SELECT DISTINCT session_id FROM messages NOT INDEXED WHERE id > ?`, was.fingerprint.lastMessageID-recentMessages)
	if err != nil {
		return nil, err
	}
	ch.reread = append(ch.reread, wrote...)
	if now.inactiveHash != was.fingerprint.inactiveHash {
		turned := idset.Difference(now.inactiveIDs, was.fingerprint.inactiveIDs)
		turned.Union(idset.Difference(was.fingerprint.inactiveIDs, now.inactiveIDs))
		if turned.Len() > maxRefreshMessages {
			return nil, nil
		}
		var err error
		if ch.recount, err = db.QueryTexts(ctx, q, `SELECT DISTINCT m.session_id FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value`, db.JSONList(turned.All())); err != nil {
			return nil, err
		}
		ch.reread = append(ch.reread, ch.recount...)
	}
	if len(ch.reread)+len(ch.removed) > maxRefreshSessions {
		return nil, nil
	}
	return ch, nil
}

// retitledIDs returns the ids of the sessions that have lost or got a title.
func (r refresher) retitledIDs(ctx context.Context, q db.Querier, was *Snapshot, lost, got []string) (ids []string, err error) {
	had := map[string]bool{}
	for _, title := range lost {
		had[title] = true
	}
	for i := range was.Live() {
		if had[was.Title(i)] {
			ids = append(ids, was.ID(i))
		}
	}
	err = db.InChunks(got, func(where string, args []any) error {
		named, err := db.QueryTexts(ctx, q, `SELECT id FROM sessions WHERE title `+where, args...)
		ids = append(ids, named...)
		return err
	})
	return ids, err
}

// readChangedSessions reads the sessions that changed, the children of added and removed
// ones, and the parents of added ones. It returns nil where an id is not one line of text.
func (r refresher) readChangedSessions(ctx context.Context, q db.Querier, was *Snapshot, ch *sessionChanges) (map[string]model.Session, error) {
	sessions := map[string]model.Session{}
	for _, part := range []struct {
		condition string
		ids       []string
	}{
		{`s.id THESE`, ch.reread},
		{`s.parent_session_id THESE`, slices.Concat(ch.added, ch.removed)},
		{`s.id IN (SELECT parent_session_id FROM sessions WHERE id THESE)`, ch.added},
	} {
		err := db.InChunks(part.ids, func(where string, args []any) error {
			return r.eachSession(ctx, q, strings.ReplaceAll(part.condition, "THESE", where), args, func(m *model.Session) { sessions[m.ID] = *m })
		})
		if err != nil {
			return nil, err
		}
	}
	for _, id := range ch.reread {
		_, read := sessions[id]
		_, known := was.Position(id)
		if !read && (known && !slices.Contains(ch.removed, id) || slices.Contains(ch.added, id)) {
			return nil, nil // an id that is not text, or has more than one line
		}
	}
	return sessions, nil
}

// updateTable returns the table of an older snapshot with the sessions that changed, and
// their positions in it; nil where too many have changed since the whole table was
// read. Their messages are counted; of long sessions only the new ones.
func (r refresher) updateTable(ctx context.Context, q db.Querier, was *Snapshot, now *fingerprint, ch *sessionChanges, sessions map[string]model.Session) (*sessiontable.Table, []int32, error) {
	var members []string // whose messages are counted
	var some []model.Session
	for id, m := range sessions {
		if i, ok := was.Position(id); ok {
			old := was.Session(i)
			m.VisibleMessages, m.LastMessageAt = old.VisibleMessages, old.LastMessageAt
		}
		if m.VisibleMessages < countLaterFrom || slices.Contains(ch.recount, id) {
			m.VisibleMessages, m.LastMessageAt = 0, time.Time{}
			members = append(members, id)
		}
		some = append(some, m)
	}
	updated, changed := was.Table.Updated(some, ch.removed)
	if updated.ChangedCount() > maxRefreshSessions {
		return nil, nil, nil
	}
	if len(members) < len(some) && now.lastMessageID > was.fingerprint.lastMessageID {
		said, err := queryMessageStats(ctx, q, r.db.Schema, ` NOT INDEXED WHERE id > ?`, []any{was.fingerprint.lastMessageID})
		if err == nil {
			_, _, err = r.applyMessageStats(ctx, q, updated, said)
		}
		if err != nil {
			return nil, nil, err
		}
		for _, id := range members {
			if i, ok := updated.Position(id); ok {
				updated.SetMessageStats(i, 0, time.Time{})
			}
		}
	}
	if len(members) > 0 {
		if _, err := r.readMessageStats(ctx, q, updated, members); err != nil {
			return nil, nil, err
		}
	}
	return updated, changed, nil
}
