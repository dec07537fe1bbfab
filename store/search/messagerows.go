package search

import (
	"context"

	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
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
	// long as looking up 800 messages; of a million, as long as 20,000, which are mostly of
	// more sessions than a part may have.
	minPartMessages     = 500
	partMessageFraction = 20
	maxPartMessages     = 10_000
	// newestMessages is how many messages are searched where only the newest are.
	newestMessages = 2_000
	// mapFrom is the number of messages without a known session from which the map of all
	// messages is read: looking up one message costs as much as reading ten of the map.
	mapFrom = 50_000
)

// rowsOf returns the roles of some messages, and their sessions: the map of the snapshot,
// and the sessions of messages that the map lacks. Ids without a message, and those of
// messages that no transcript shows, are removed from ids. This is the one place that
// decides between reading the rows of these messages and reading all messages. The error is
// [snapshot.ErrPart] where the snapshot is a part and there are too many messages for it.
func (ex *executor) rowsOf(ctx context.Context, snap *snapshot.Snapshot, ids *idset.Set) (*snapshot.RoleSets, *snapshot.MessageSessions, unmappedSessions, error) {
	if snap.IsPart() {
		return ex.rowsOfPart(ctx, snap, ids)
	}
	roles, err := ex.readRoles(ctx, ids, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	ids.Subtract(&roles.NotShown)
	sessions, unmapped, err := ex.sessionsOfMessages(ctx, snap, ids)
	return roles, sessions, unmapped, err
}

// sessionsOfMessages returns the sessions of some messages, as rowsOf does.
func (ex *executor) sessionsOfMessages(ctx context.Context, snap *snapshot.Snapshot, ids *idset.Set) (*snapshot.MessageSessions, unmappedSessions, error) {
	if snap.MessageSessions.Load() == nil && ids.Len() >= mapFrom {
		if err := ex.engine.sessions.ReadMessageSessions(ctx, ex.tx, snap); err != nil {
			return nil, nil, err
		}
	}
	sessions, unmapped := snap.MessageSessions.Load(), unmappedSessions{}
	err := ex.engine.sessions.ReadSessionIDs(ctx, ex.tx, idset.Difference(ids, sessions.AllIDs()), func(id int64, session string) { unmapped[id] = snap.SessionNumber(session) })
	return sessions, unmapped, err
}

// partMessages returns how many messages a part may look up in a file with a last id.
func partMessages(last int64) int {
	return int(min(max(minPartMessages, last/partMessageFraction), maxPartMessages))
}

// rowsOfPart is rowsOf for a part: one look-up gives the session and the role of a
// message.
func (ex *executor) rowsOfPart(ctx context.Context, snap *snapshot.Snapshot, ids *idset.Set) (*snapshot.RoleSets, *snapshot.MessageSessions, unmappedSessions, error) {
	_, last, err := ex.idRange(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	most, looked := partMessages(last), snap.KnownMessages()
	if snap.NewestOnly() {
		most = max(most, newestMessages)
		if ids.Len() > newestMessages {
			snap.Cut()
			ids.KeepLast(newestMessages)
		}
	}
	if ids.Len() > most {
		return nil, nil, nil, snapshot.ErrPart
	}
	for id := range ids.All() {
		if _, ok := snap.KnownSession(id); !ok {
			looked++
		}
	}
	if looked > most {
		return nil, nil, nil, snapshot.ErrPart
	}
	roles, err := ex.readRoles(ctx, ids, snap.RememberSession)
	if err != nil {
		return nil, nil, nil, err
	}
	ids.Subtract(&roles.NotShown)
	unmapped, unknown := unmappedSessions{}, &idset.Set{}
	for id := range ids.All() {
		if session, ok := snap.KnownSession(id); ok {
			unmapped[id] = snap.SessionNumber(session)
		} else {
			unknown.Add(id)
		}
	}
	err = ex.engine.sessions.ReadSessionIDs(ctx, ex.tx, unknown, func(id int64, session string) {
		snap.RememberSession(id, session)
		unmapped[id] = snap.SessionNumber(session)
	})
	return roles, nil, unmapped, err
}
