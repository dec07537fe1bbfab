package search

import (
	"context"

	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
)

// unmappedSessions are the sessions, by number, of messages that the map of the
// snapshot does not have, by the ids of the messages. They came later, or there is no
// map.
type unmappedSessions map[int64]int32

// How the sessions of messages are read.
const (
	// A search that reads only the sessions of its messages looks up minPartMessages in any
	// file, one in partMessageFraction messages of a larger file, and at most
	// maxPartMessages. Reading all sessions of a file with 10,000 messages takes 4 ms, as
	// long as looking up 800 messages.
	minPartMessages     = 500
	partMessageFraction = 20
	maxPartMessages     = 30_000
	// newestMessages is how many messages are searched where only the newest are.
	newestMessages = 2_000
	// mapFrom is the number of messages without a known session from which the map of all
	// messages is read: looking up one message costs as much as reading ten of the map.
	mapFrom = 50_000
)

// rowsOf returns the roles of some messages, and their sessions: the map of the snapshot,
// and those that it does not have. Ids without a message, and of messages that no
// transcript shows, are removed from ids. This is the one place that decides between
// reading the rows of these messages and reading all messages. The error is
// [snapshot.ErrPart] where c is a part and there are too many for it.
func (f *executor) rowsOf(ctx context.Context, c *snapshot.Snapshot, ids *fts.Set) (*snapshot.RoleSets, *snapshot.MessageSessions, unmappedSessions, error) {
	if c.IsPart() {
		return f.rowsOfPart(ctx, c, ids)
	}
	roles, err := f.roleSetsOf(ctx, ids)
	if err != nil {
		return nil, nil, nil, err
	}
	ids.Subtract(&roles.NotShown)
	sessions, unmapped, err := sessionsOf(ctx, f, c, ids)
	return roles, sessions, unmapped, err
}

// sessionsOf returns the sessions of some messages, as rowsOf does.
func sessionsOf(ctx context.Context, f *executor, c *snapshot.Snapshot, ids *fts.Set) (*snapshot.MessageSessions, unmappedSessions, error) {
	if c.MessageSessions.Load() == nil && ids.Len() >= mapFrom {
		if err := f.engine.sessions.ReadMessageSessions(ctx, f.tx, c); err != nil {
			return nil, nil, err
		}
	}
	sessions, unmapped := c.MessageSessions.Load(), unmappedSessions{}
	err := f.engine.sessions.ReadSessionIDs(ctx, f.tx, fts.Difference(ids, sessions.AllIDs()), func(id int64, session string) { unmapped[id] = c.SessionNumber(session) })
	return sessions, unmapped, err
}

// partMessages returns how many messages a part may look up in a file with a last id.
func partMessages(last int64) int {
	return int(min(max(minPartMessages, last/partMessageFraction), maxPartMessages))
}

// rowsOfPart is rowsOf for a part: one look-up gives the session and the role of a
// message.
func (f *executor) rowsOfPart(ctx context.Context, c *snapshot.Snapshot, ids *fts.Set) (*snapshot.RoleSets, *snapshot.MessageSessions, unmappedSessions, error) {
	_, last, err := f.idRange(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	most, looked := partMessages(last), c.KnownMessages()
	if c.NewestOnly() {
		most = max(most, newestMessages)
		if ids.Len() > newestMessages {
			c.Cut()
			ids.KeepLast(newestMessages)
		}
	}
	if ids.Len() > most {
		return nil, nil, nil, snapshot.ErrPart
	}
	for id := range ids.All() {
		if _, ok := c.KnownSession(id); !ok {
			looked++
		}
	}
	if looked > most {
		return nil, nil, nil, snapshot.ErrPart
	}
	roles, err := f.readRoles(ctx, ids, c.RememberSession)
	if err != nil {
		return nil, nil, nil, err
	}
	ids.Subtract(&roles.NotShown)
	unmapped, unknown := unmappedSessions{}, &fts.Set{}
	for id := range ids.All() {
		if session, ok := c.KnownSession(id); ok {
			unmapped[id] = c.SessionNumber(session)
		} else {
			unknown.Add(id)
		}
	}
	err = f.engine.sessions.ReadSessionIDs(ctx, f.tx, unknown, func(id int64, session string) {
		c.RememberSession(id, session)
		unmapped[id] = c.SessionNumber(session)
	})
	return roles, nil, unmapped, err
}
