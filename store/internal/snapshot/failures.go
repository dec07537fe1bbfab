package snapshot

import (
	"context"

	"hermes-sessions/store/internal/sessionroles"
)

// FailuresOf returns the failed calls of sessions of a snapshot.
func (s *Sessions) FailuresOf(ctx context.Context, snap *Snapshot, ids []string) (map[string]sessionroles.Failures, error) {
	failed := make(map[string]sessionroles.Failures, len(ids))
	if s.FailedResults != nil && s.sessionRoles.Missing(ids, snap.PreviewKey) > s.ReadFailuresUpTo {
		all, ok, err := s.FailedResults(ctx)
		if err != nil {
			return nil, s.db.WrapError("read messages of", err)
		}
		if ok {
			var unsure []string // their calls have the names
			for _, id := range ids {
				if all[id][""] > 0 {
					unsure = append(unsure, id)
				} else if all[id] != nil {
					failed[id] = all[id]
				}
			}
			ids = unsure
		}
	}
	roles, err := s.SessionRolesOf(ctx, snap, ids)
	if err != nil {
		return nil, err
	}
	for id, r := range roles {
		failed[id] = r.Failed
	}
	return failed, nil
}
