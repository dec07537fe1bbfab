package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// walk goes on in another conversation of the list: at its best hit, or with
// matching at its first, or from below at its last.
func (t *transcript) walk(dir int, matching bool) tea.Cmd {
	if !t.fromList {
		return t.sh.Say("this conversation was not opened from the list")
	}
	return t.sh.Do(WalkResults{From: t.conv, Dir: dir, Matching: matching})
}

// successor is the transcript of another row of the list. What is unfolded here
// is so there.
func (t *transcript) successor(r neighbour, dir int, matching bool) *transcript {
	next := newTranscript(t.sh, r.Conversation, r.query, r.hit)
	next.fromList, next.habits = true, t.habits
	if matching {
		next.where.query, next.where.edge = r.query, dir
	}
	return next
}

// edge gives the first or the last message of a conversation that matches, 0
// when none does.
func edge(ctx context.Context, lib Library, o opening) (int64, error) {
	ids, err := lib.HitIDs(ctx, o.query, o.id)
	switch {
	case err != nil || len(ids) == 0:
		return 0, err
	case o.edge < 0:
		return ids[len(ids)-1], nil
	}
	return ids[0], nil
}
