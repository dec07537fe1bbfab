package list

import (
	"hermes-sessions/model"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// Neighbor gives the row before (-1) or after (1) a conversation in the answer,
// and makes it the current one; with matching, the nearest that has a matching
// message. ok is false at the end of what has been read; then partial says
// whether there is more to come. then reads on and may be nil.
func (l *Screen) Neighbor(c model.Conversation, dir int, matching bool) (r shell.Neighbor, ok, partial bool, then tea.Cmd) {
	at := PlaceOf(l.Found.Items, c)
	if at < 0 { // it has left the answer; the current row is where it was
		at = l.Rows.Selected
	}
	for at += dir; at >= 0 && at < len(l.Found.Items); at += dir {
		it := &l.Found.Items[at]
		if matching && l.Shown.Searching() && it.Hits == 0 {
			continue
		}
		l.cancelPending()
		l.Rows.Move(at)
		l.chosenByHand = true
		r = shell.Neighbor{Conversation: *it.Conversation, Query: l.Shown.Query, Hit: it.hit(), Number: at + 1, Count: max(l.Found.Total, len(l.Found.Items))}
		return r, true, false, tea.Batch(l.follow(), l.More())
	}
	return shell.Neighbor{}, false, dir > 0 && !l.whole(), l.More()
}
