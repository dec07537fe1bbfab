package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// errIncomplete says that a part of the sessions lacks some that were requested of it.
var errIncomplete = errors.New("more sessions are needed")

// minPartSessions is how many sessions a part may have in any file, and
// maxPartFraction the fraction of a large file that it may have: reading one session
// with its family costs as much as reading four of all sessions.
const (
	minPartSessions = 1_000
	maxPartFraction = 8
)

// searchPart answers a query before any session was read, where few messages match:
// it reads the sessions of these, and those with a name that matches. ok is false
// where all sessions have to be read. The answer is that of [Engine.search] with all
// sessions, because that counts: it is called with the sessions that are known so far,
// until it has found no message of another session.
func (e *Engine) searchPart(ctx context.Context, q query.Query, list query.ListOptions) (res model.SearchResults, ok bool, err error) {
	err = e.db.ReadTx(ctx, func(conn db.Querier) error {
		version := e.db.SameVersion(ctx, conn)
		if version == 0 || e.partVersion.Swap(version) != version {
			e.sessions.DropRoles() // without a map it is not known which messages were deleted
		}
		c, err := e.sessions.NewPart(ctx, conn, version)
		var plan []string // of the first call: a later one may take steps of it from caches
		for err == nil {
			res, err = e.search(ctx, conn, c, q, list)
			if plan == nil {
				plan = res.Plan
			}
			if res.Plan = plan; !errors.Is(err, errIncomplete) {
				return err
			}
			if c.Requested() > max(minPartSessions, c.SessionCount()/maxPartFraction) {
				return snapshot.ErrPart
			}
			k := capabilitiesOf(c)
			if c, err = e.sessions.ExtendPart(ctx, conn, c); err == nil {
				c.Derived.GetOrCreate(func() any { return k })
			}
		}
		return err
	})
	switch {
	case err == nil:
		return res, true, nil
	case ctx.Err() == nil && (errors.Is(err, snapshot.ErrPart) || db.IsCorrupt(err)):
		return model.SearchResults{}, false, nil
	}
	return model.SearchResults{}, false, cmp.Or(ctx.Err(), err)
}

// requestNames notes in a part the conversations that may match by a title or an id.
// The error is [snapshot.ErrPart] where they may match by a source.
func (e *Engine) requestNames(ctx context.Context, conn db.Querier, c *snapshot.Snapshot, names *nameMatch) error {
	if slices.ContainsFunc(c.AllSources(), func(source string) bool { return slices.Contains(names.words, strings.ToLower(source)) }) {
		return snapshot.ErrPart
	}
	c.RequestTitles(names.matcher)
	if names.idPrefix == "" {
		return nil
	}
	return e.sessions.RequestPrefix(ctx, conn, c, names.idPrefix)
}
