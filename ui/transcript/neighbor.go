package transcript

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/shell"
)

// walk opens the next conversation of the list in a direction: at its best hit, or with
// matching at its first hit, or its last with dir below 0; one of those closest to the
// query always at its best hit.
func (s *Screen) walk(dir int, matching bool) tea.Cmd {
	if !s.FromList {
		return s.sh.Refuse("this conversation was not opened from the list")
	}
	return s.sh.Do(shell.ReadNextConversation{From: s.Conv, Dir: dir, Matching: matching})
}

// Successor makes the transcript of a neighboring row of the list. It takes over which
// kinds of items are unfolded.
func (s *Screen) Successor(r shell.Neighbor, dir int, matching bool) *Screen {
	next := New(s.sh, r.Conversation, r.Query, r.Hit)
	next.FromList, next.habits = true, s.habits
	if matching && !r.AtHit {
		next.where.query, next.where.edge = r.Query, dir
	}
	return next
}

// edge returns the id of the first or last matching message of a conversation, 0 for none.
func edge(ctx context.Context, lib shell.Library, o opening) (int64, error) {
	ids, err := lib.HitIDs(ctx, o.query, o.id)
	switch {
	case err != nil || len(ids) == 0:
		return 0, err
	case o.edge < 0:
		return ids[len(ids)-1], nil
	}
	return ids[0], nil
}
