package store

import (
	"context"

	"hermes-sessions/model"
)

// Resolve finds the session that a name means: by id, unique beginning of an
// id, title, or title of a numbered lineage, in this order. The error is of
// [KindNotFound] or, with the sessions that it could mean, [KindAmbiguous].
func (s *Store) Resolve(ctx context.Context, name string) (string, error) {
	return s.sessions.Resolve(ctx, name)
}

// MatchName returns the sessions that a name may mean to a person. The first of these
// that finds any decides: an id, the beginning of one id only, a title, the title of a
// numbered lineage, both in any case, the beginning of several ids, a part of a title.
// If none does, it gives up to three sessions with similar ids or titles. A name of
// several sessions is not an error: the result lists them. Where the database has none, the
// ids of conversations that only files have count.
func (s *Store) MatchName(ctx context.Context, name string) (model.NameMatch, error) {
	snap, err := s.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return model.NameMatch{}, err
	}
	found := snap.MatchName(name)
	if found.By == model.NameUnknown {
		ids, err := s.files.WithName(ctx, name)
		if err != nil || len(ids) == 0 {
			return found, ctx.Err() // a checkup says what is wrong with the folder
		}
		found = model.NameMatch{By: model.NameID}
		for _, id := range ids {
			found.Sessions = append(found.Sessions, model.NamedSession{ID: id})
		}
	}
	return found, nil
}

// ResolveID finds the session with this id, or the only one whose id begins
// with it; the case of ASCII letters does not matter (store/README.md#id-prefixes).
// The error is of [KindNotFound] or, with the sessions that it could mean,
// [KindAmbiguous].
func (s *Store) ResolveID(ctx context.Context, prefix string) (string, error) {
	return s.sessions.ResolveID(ctx, prefix)
}

// ResolveTitle finds the session with this title, or with the highest number
// after it ("title #3"; the title itself counts as #1). Titles are compared
// exactly (store/README.md#q4). Of equal ones the newest is meant. The error is
// of [KindNotFound] where there is none.
func (s *Store) ResolveTitle(ctx context.Context, title string) (string, error) {
	return s.sessions.ResolveTitle(ctx, title)
}
