package search

import (
	"context"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
)

// deferRolesFrom is the number of messages from which the first page of results is found
// before their roles are read. No index has the role of a message: reading one costs a page
// of the file.
const deferRolesFrom = 1_000

// deferRoles reports whether the messages are counted before their roles are read: many of
// them have none in the cache, and one page is wanted. They then count as messages of the user
// or the agent, so that no conversation gets less than its relevance, and readPageRoles
// corrects those of the page.
func (h *hitCounter) deferRoles(ex *executor, ids *idset.Set) bool {
	if !h.onePage || ids.Len() < ex.engine.deferRolesFrom {
		return false
	}
	unread := idset.Difference(ids, &ex.engine.sessions.RoleSets.Read().ReadIDs)
	if unread.Len() < ex.engine.deferRolesFrom {
		return false
	}
	h.deferUnread(ex, ids)
	return true
}

// deferUnread takes the roles in the cache, and defers those of the other messages. Messages
// in the cache that no transcript shows are removed from ids: only what is read later is counted
// again.
func (h *hitCounter) deferUnread(ex *executor, ids *idset.Set) {
	h.roles, h.executor = ex.engine.sessions.RoleSets.Read(), ex
	h.unread = idset.Difference(ids, &h.roles.ReadIDs)
	ids.Subtract(&h.roles.NotShown)
}

// readPageRoles reads deferred roles for the first page, the best conversations of found, as
// many as most. It counts these again with the roles of their messages, which may move others
// onto the page, and repeats this until all on the page are counted right. What follows the
// page was counted at its best and stays behind. The totals may still include messages that
// no transcript shows, which Hermes writes without text. It reports whether it read any role.
func (h *hitCounter) readPageRoles(ctx context.Context, found []int32, by query.Order, most int) (read bool, err error) {
	ahead := most
	for !h.unread.Empty() {
		page := h.sorted(slices.Clone(found), by, ahead)
		page = page[:min(ahead, len(page))]
		wanted, ids := make([]bool, len(h.scores)), &idset.Set{}
		for _, n := range page {
			wanted[n] = true
		}
		for id := range h.unread.All() {
			if n := h.conversationOf(h.sessionOf(id)); n >= 0 && wanted[n] {
				ids.Add(id)
			}
		}
		if ids.Empty() {
			return read, nil
		}
		err := h.countAgain(ctx, ids, wanted)
		if db.IsCorrupt(err) {
			h.executor.engine.db.AddNote(model.NoteDamaged)
			return read, nil // those that cannot be read count as before
		}
		if err != nil {
			return read, err
		}
		read = true
		found = slices.DeleteFunc(found, h.withoutMatch)
	}
	return read, nil
}

// countAgain reads the roles of messages and counts again the conversations that they
// belong to.
func (h *hitCounter) countAgain(ctx context.Context, ids *idset.Set, conversations []bool) error {
	h.unread.Subtract(ids)
	read, err := h.executor.readRoles(ctx, ids, func(int64, string) {})
	if err != nil {
		return err
	}
	roles := &snapshot.RoleSets{}
	roles.Union(h.roles)
	roles.Union(read)
	h.roles = roles
	h.ids.Subtract(&roles.NotShown)
	for n, again := range conversations {
		if again {
			h.scores[n] = hitScore{}
		}
	}
	nonZero := len(h.nonZero)
	for id := range h.ids.All() {
		session := h.sessionOf(id)
		if n := h.conversationOf(session); n >= 0 && conversations[n] {
			h.countOne(id, session)
		}
	}
	h.nonZero = slices.DeleteFunc(h.nonZero[:nonZero], h.withoutMatch)
	return nil
}

// withoutMatch reports whether nothing of a conversation matches.
func (h *hitCounter) withoutMatch(n int32) bool {
	return h.scores[n].total() == 0 && h.nameMatches[n] == 0
}
