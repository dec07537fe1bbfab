package store

import "context"

// Resolve finds the session that a name means: by id, unique beginning of an
// id, title, or title of a numbered lineage, in this order. The error is of
// [KindNotFound] or, with the sessions that it could mean, [KindAmbiguous].
func (s *Store) Resolve(ctx context.Context, name string) (string, error) {
	return s.sessions.Resolve(ctx, name)
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
