package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// neighbour is a row of an answer.
type neighbour struct {
	model.Conversation
	query  model.Query
	hit    model.Hit
	at, of int // its place, and how many there are
}

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

// walkResults puts the transcript of the row before or after in the place of
// the one on top.
func (r *Root) walkResults(q WalkResults) tea.Cmd {
	t, ok := r.top().(*transcript)
	if !ok {
		return nil
	}
	dir, matching := q.Dir, q.Matching
	row, ok, partial, then := r.list().beside(q.From, dir, matching)
	if !ok {
		text := "this is the last result"
		switch {
		case partial:
			text = "more results are being read"
		case dir < 0:
			text = "this is the first result"
		}
		if matching && !partial {
			text = strings.Replace(text, "this is the", "no more hits: this is the", 1)
		}
		return tea.Batch(then, r.Say(text))
	}
	next := t.successor(row, dir, matching)
	r.pop()
	cmd := r.push(next)
	return tea.Batch(cmd, then, r.Say("result "+count(row.at)+" of "+count(row.of)+": "+next.title()))
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

// beside gives the row before (-1) or after (1) a conversation in the answer,
// and makes it the current one; with matching, the nearest that has a matching
// message. ok is false at the end of what has been read; then partial says
// whether there is more to come. then reads on and may be nil.
func (l *list) beside(c model.Conversation, dir int, matching bool) (r neighbour, ok, partial bool, then tea.Cmd) {
	at := placeOf(l.found.items, c)
	if at < 0 { // it has left the answer; the current row is where it was
		at = l.rows.sel
	}
	for at += dir; at >= 0 && at < len(l.found.items); at += dir {
		it := &l.found.items[at]
		if matching && l.shown.searching() && it.hits == 0 {
			continue
		}
		l.halt()
		l.rows.move(at)
		l.aimed = true
		r = neighbour{Conversation: *it.Conversation, query: l.shown.query, hit: it.hit(), at: at + 1, of: max(l.found.total, len(l.found.items))}
		return r, true, false, tea.Batch(l.follow(), l.more())
	}
	return neighbour{}, false, dir > 0 && !l.whole(), l.more()
}
