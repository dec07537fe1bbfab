package search

import (
	"context"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/ftsquery"
)

// readRoles returns the roles of some messages, and reads those that are not in the
// cache. Ids without a message are removed from ids. The answer has other messages
// too, and is not to be changed. sessionOf is called with the session of each message
// that is looked up; with it, unless it is nil, each is looked up by itself.
func (ex *executor) readRoles(ctx context.Context, ids *idset.Set, sessionOf func(id int64, session string)) (*snapshot.RoleSets, error) {
	r := &ex.engine.sessions.RoleSets
	cached := r.Read()
	unread := idset.Difference(ids, &cached.ReadIDs)
	if unread.Empty() {
		return cached, nil
	}
	var read snapshot.RoleSets
	session := "NULL"
	if sessionOf != nil {
		session = "m.session_id"
	} else if snapshot.IsDense(unread) {
		if err := ex.engine.sessions.ReadRoleSets(ctx, ex.tx, unread, false, &read); err != nil {
			return nil, err
		}
	}
	if rest := idset.Difference(unread, &read.ReadIDs); !rest.Empty() {
		err := db.EachRow(ctx, ex.tx, `SELECT m.id, `+session+`, m.role, `+ex.engine.db.Schema.ToolCallsOf("m")+`
			FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{db.JSONList(rest.All())}, func(r db.Row) {
			id := r.Int(0)
			read.ReadIDs.Add(id)
			switch r.Text(2) {
			case "tool":
				read.FromTools.Add(id)
			case "session_meta":
				read.NotShown.Add(id)
			case "user":
				read.FromUser.Add(id)
			case "assistant":
			default:
				read.OtherRoles.Add(id)
			}
			if r.Bool(3) {
				read.WithCalls.Add(id)
			}
			if sessionOf != nil {
				sessionOf(id, r.Text(1))
			}
		})
		r.Update(func(s *snapshot.RoleSets) { s.Union(&read) }) // on an error too: each role in it is complete
		if err != nil {
			return nil, err
		}
	}
	missed := idset.Difference(unread, &read.ReadIDs)
	if err := ex.checkMissed(ctx, missed); err != nil {
		return nil, err
	}
	ids.Subtract(missed) // deleted since the index was read
	read.Union(cached)   // not the current cache: another search may have removed some of these
	return &read, nil
}

// checkMissed returns an error of [db.IsCorrupt] where messages that an index has and a lookup
// misses are in their table. That takes a scan, so that it is done once: an index may name
// many messages that were deleted, other ones for each word.
func (ex *executor) checkMissed(ctx context.Context, missed *idset.Set) error {
	if missed.Empty() || ex.engine.missedChecked.Load() {
		return nil
	}
	err := db.CheckLost(ctx, ex.tx, missed.All())
	if err == nil {
		ex.engine.missedChecked.Store(true)
	}
	return err
}

// jsonContentIDs returns the messages whose content is NUL, "json:" and JSON
// (store/README.md#content). The trigrams of older SQLite end at the NUL, so the
// trigram index cannot decide about them; they are found by the word json. The set
// is not to be changed.
func (ex *executor) jsonContentIDs(ctx context.Context) (*idset.Set, error) {
	if ex.capabilities.jsonContent != nil {
		return ex.capabilities.jsonContent, nil
	}
	ids, err := ex.matchTable(ctx, &ex.words, ftsquery.Phrase("json", false))
	if err != nil {
		return nil, err
	}
	cache := &ex.engine.sessions.RoleSets
	if unread := idset.Difference(ids, &cache.Read().TextsRead); !unread.Empty() {
		escaped := &idset.Set{}
		if err := ex.queryInto(ctx, escaped, `SELECT m.id FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value WHERE m.content < char(1)`, db.JSONList(unread.All())); err != nil {
			return nil, err
		}
		cache.Update(func(s *snapshot.RoleSets) {
			s.TextsRead.Union(unread)
			s.EscapedText.Union(escaped)
		})
	}
	ex.capabilities.jsonContent = idset.Intersection(ids, &cache.Read().EscapedText)
	if !ex.hasIDRange() {
		ex.cacheCapabilities()
	}
	return ex.capabilities.jsonContent, nil
}
