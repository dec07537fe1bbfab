package search

import (
	"context"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
)

// roleSetsOf tells what is known of messages, and reads it of those of which nothing
// is; those that are not there it takes out of ids. The answer is for reading,
// and has other messages too.
func (f *executor) roleSetsOf(ctx context.Context, ids *fts.Set) (*snapshot.RoleSets, error) {
	r := &f.engine.sessions.RoleSets
	h := r.Read()
	unread := fts.Difference(ids, &h.ReadIDs)
	if unread.Empty() {
		return h, nil
	}
	var read snapshot.RoleSets
	if snapshot.IsDense(unread) {
		if err := f.engine.sessions.ReadRoleSets(ctx, f.tx, unread, &read); err != nil {
			return nil, err
		}
	}
	if rest := fts.Difference(unread, &read.ReadIDs); !rest.Empty() {
		err := f.eachRow(ctx, `SELECT m.id, CASE m.role WHEN 'tool' THEN 1 WHEN 'session_meta' THEN 2 ELSE 0 END, `+f.engine.db.Schema.ToolCallsOf("m")+`, coalesce(m.content < char(1), 0)
			FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{db.JsonList(rest.All())},
			func(scan func(...any) error) error {
				var id int64
				var role int
				var calls, coded bool
				err := scan(&id, &role, &calls, &coded)
				read.ReadIDs.Add(id)
				switch role {
				case 1:
					read.FromTools.Add(id)
				case 2:
					read.NotShown.Add(id)
				}
				if calls {
					read.WithCalls.Add(id)
				}
				if coded {
					read.EscapedText.Add(id)
				}
				return err
			})
		r.Update(func(h *snapshot.RoleSets) { h.Union(&read) }) // what was read before a cancellation too
		if err != nil {
			return nil, err
		}
	}
	ids.Subtract(fts.Difference(unread, &read.ReadIDs)) // gone since the index was asked
	read.Union(h)                                       // and not what is known now: others may have forgotten some of these
	return &read, nil
}

// jsonContentIDs gives the messages that are JSON behind a NUL, at which the trigrams of
// older SQLite end. Their first word is known. The set is for reading.
func (f *executor) jsonContentIDs(ctx context.Context) (*fts.Set, error) {
	if f.capabilities.jsonContent != nil {
		return f.capabilities.jsonContent, nil
	}
	ids, err := f.matchTable(ctx, &f.words, phrase("json", false))
	if err != nil {
		return nil, err
	}
	h, err := f.roleSetsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	f.capabilities.jsonContent = fts.Intersection(ids, &h.EscapedText)
	if !f.hasIDRange() {
		f.cacheCapabilities()
	}
	return f.capabilities.jsonContent, nil
}
