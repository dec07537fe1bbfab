package store

import (
	"context"

	"hermes-sessions/model"
)

// MatchName returns the sessions that a name may mean to a person. The first of these
// that finds any decides: an id; the newest title of a series ("name #2"), else a title; the
// beginning of one id only; both titles in any case; the beginning of several ids; a part of a
// title. If none does, it gives up to three sessions with similar ids or titles. A name of
// several sessions is not an error: the result lists them. Where the database has none, the ids
// of conversations that only files have count.
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
// The error is of [model.KindNotFound] or, with the sessions that it could mean,
// [model.KindAmbiguous].
func (s *Store) ResolveID(ctx context.Context, prefix string) (string, error) {
	return s.sessions.ResolveID(ctx, prefix)
}

// ResolveTitle finds the session that a title means (resolve_session_by_title): the
// newest whose title continues it ("title #3", "title #draft"), in either case of ASCII letters,
// although another has exactly this title; else the one with exactly this title. Only "Bot Chat",
// which Hermes keeps for itself, is first looked up exactly (store/README.md#titles). The error is
// of [model.KindNotFound] where there is none.
func (s *Store) ResolveTitle(ctx context.Context, title string) (string, error) {
	return s.sessions.ResolveTitle(ctx, title)
}

// Newest returns the session that Hermes continues when it is not told which: of these sources,
// the one that was active last in a workspace, else the one active last anywhere, else one without
// an id (store/README.md#resume-target). A workspace is the top folder of a git work tree, or a folder:
// a session without a work tree is in it and in the folders above it. Those that are archived,
// hidden or the work of delegates are left out, other than by Hermes, and dates in the future
// count as none.
func (s *Store) Newest(ctx context.Context, workspace string, sources ...string) (model.Session, error) {
	return s.sessions.Newest(ctx, workspace, sources...)
}
