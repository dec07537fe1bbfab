package search

import (
	"context"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
)

// lookUpUnmapped looks up whose messages are, in c, as far as it is not known.
func (f *executor) lookUpUnmapped(ctx context.Context, c *snapshot.Snapshot, ids *fts.Set) (snapshot.UnmappedSessions, error) {
	ids = fts.Difference(ids, c.MessageSessions.Load().AllIDs())
	if ids.Empty() {
		return nil, nil
	}
	of := snapshot.UnmappedSessions{}
	return of, f.eachRow(ctx, `SELECT m.id, m.session_id FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{db.JsonList(ids.All())},
		func(scan func(...any) error) error {
			var id int64
			var session any
			err := scan(&id, &session)
			of[id] = c.SessionNumber(db.AsText(session))
			return err
		})
}
