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

// MatchName returns the sessions that a person may mean by a name: by id, unique
// beginning of an id, title in any case, or a part of a title, in this order. Where
// there is none, it gives up to three with similar ids or titles. A name of
// several sessions is not an error: the result lists them.
func (s *Store) MatchName(ctx context.Context, name string) (model.NameMatch, error) {
	c, err := s.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return model.NameMatch{}, err
	}
	return c.MatchName(name), nil
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
