package ui

import (
	"strings"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/transcript"

	tea "charm.land/bubbletea/v2"
)

// readNextConversation replaces the transcript on top by that of the row before or
// after.
func (r *Root) readNextConversation(q shell.ReadNextConversation) tea.Cmd {
	s, ok := r.top().(*transcript.Screen)
	if !ok {
		return nil
	}
	dir, matching := q.Dir, q.Matching
	row, ok, partial, then := r.list.Neighbor(q.From, dir, matching)
	if !ok {
		text := "this is the last conversation"
		switch {
		case partial:
			text = "more conversations are being read"
		case dir < 0:
			text = "this is the first conversation"
		}
		if matching && !partial {
			text = strings.Replace(text, "this is the", "no more matches: this is the", 1)
		}
		return tea.Batch(then, r.Say(text))
	}
	next := s.Successor(row, dir, matching)
	r.pop()
	cmd := r.push(next)
	return tea.Batch(cmd, then, r.Say("conversation "+kit.Count(row.Number)+" of "+kit.Count(row.Count)+": "+next.Title()))
}
