package transcript

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/shell"
)

// walk goes on in another conversation of the list: at its best hit, or with
// matching at its first, or from below at its last.
func (t *Screen) walk(dir int, matching bool) tea.Cmd {
	if !t.FromList {
		return t.sh.Say("this conversation was not opened from the list")
	}
	return t.sh.Do(shell.WalkResults{From: t.Conv, Dir: dir, Matching: matching})
}

// Successor is the transcript of another row of the list. What is unfolded here
// is so there.
func (t *Screen) Successor(r shell.Neighbor, dir int, matching bool) *Screen {
	next := New(t.sh, r.Conversation, r.Query, r.Hit)
	next.FromList, next.habits = true, t.habits
	if matching {
		next.Where.query, next.Where.edge = r.Query, dir
	}
	return next
}

// edge gives the first or the last message of a conversation that matches, 0
// when none does.
func edge(ctx context.Context, lib shell.Library, o Opening) (int64, error) {
	ids, err := lib.HitIDs(ctx, o.query, o.id)
	switch {
	case err != nil || len(ids) == 0:
		return 0, err
	case o.edge < 0:
		return ids[len(ids)-1], nil
	}
	return ids[0], nil
}
