package search

import (
	"context"
	"slices"

	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
)

// deferRolesFrom is the number of messages from which the first page of results is found
// before their roles are read. No index has the role of a message: reading one costs a page
// of the file.
const deferRolesFrom = 1_000

// deferRoles reports whether the messages are counted before their roles are read: many of
// them have none in the cache, and one page is wanted. They then count as messages of the user
// or the agent, so that no conversation gets less than its relevance, and readPageRoles
// corrects those of the page.
func (t *hitCounter) deferRoles(f *executor, ids *fts.Set) bool {
	if !t.onePage || ids.Len() < f.engine.deferRolesFrom {
		return false
	}
	roles := f.engine.sessions.RoleSets.Read()
	unread := fts.Difference(ids, &roles.ReadIDs)
	if unread.Len() < f.engine.deferRolesFrom {
		return false
	}
	t.roles, t.unread, t.executor = roles, unread, f
	return true
}

// readPageRoles reads deferred roles for the first page, the best conversations of found, as
// many as most. It counts these again with the roles of their messages, which may move others
// onto the page, and repeats this until all on the page are counted right. What follows the
// page was counted at its best and stays behind. The totals may still include messages that
// no transcript shows, which Hermes writes without text. It reports whether it read any role.
func (t *hitCounter) readPageRoles(ctx context.Context, found []int32, by query.Order, most int) (read bool, err error) {
	ahead := most
	for !t.unread.Empty() {
		page := t.sorted(slices.Clone(found), by, ahead)
		page = page[:min(ahead, len(page))]
		wanted, ids := make([]bool, len(t.scores)), &fts.Set{}
		for _, n := range page {
			wanted[n] = true
		}
		for id := range t.unread.All() {
			if n := t.conversationOf(t.sessionOf(id)); n >= 0 && wanted[n] {
				ids.Add(id)
			}
		}
		if ids.Empty() {
			return read, nil
		}
		if err := t.countAgain(ctx, ids, wanted); err != nil {
			return read, err
		}
		read = true
		found = slices.DeleteFunc(found, t.withoutMatch)
	}
	return read, nil
}

// countAgain reads the roles of messages and counts again the conversations that they
// belong to.
func (t *hitCounter) countAgain(ctx context.Context, ids *fts.Set, conversations []bool) error {
	t.unread.Subtract(ids)
	read, err := t.executor.readRoles(ctx, ids, func(int64, string) {})
	if err != nil {
		return err
	}
	roles := &snapshot.RoleSets{}
	roles.Union(t.roles)
	roles.Union(read)
	t.roles = roles
	t.ids.Subtract(&roles.NotShown)
	for n, again := range conversations {
		if again {
			t.scores[n] = hitScore{}
		}
	}
	nonZero := len(t.nonZero)
	for id := range t.ids.All() {
		session := t.sessionOf(id)
		if n := t.conversationOf(session); n >= 0 && conversations[n] {
			t.countOne(id, session)
		}
	}
	t.nonZero = slices.DeleteFunc(t.nonZero[:nonZero], t.withoutMatch)
	return nil
}

// withoutMatch reports whether nothing of a conversation matches.
func (t *hitCounter) withoutMatch(n int32) bool {
	return t.scores[n].total() == 0 && t.nameMatches[n] == 0
}
