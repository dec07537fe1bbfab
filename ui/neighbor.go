package ui

import (
	"hermes-sessions/model"

	tea "charm.land/bubbletea/v2"
)

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
