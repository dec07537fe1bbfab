package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/transcript"
)

// reads notes how far conversations were read.
type reads struct {
	root    *Root
	resumed map[string]bool // roots of conversations that were resumed: they are read on in Hermes
}

// note remembers that the conversation of a transcript was read, up to the last message that
// it has now.
func (r *reads) note(s *transcript.Screen) {
	read, ok := s.ReadUntil()
	if r.root.env.Memory == nil || !ok || r.resumed[s.Conv.RootID] {
		return
	}
	r.root.env.Memory.Note(s.Conv.RootID, read)
	r.root.list.Update(shell.ConversationRead{Root: s.Conv.RootID})
}

// noteAll notes the transcripts that are open.
func (r *reads) noteAll() {
	for _, s := range r.root.screens {
		if t, ok := s.(*transcript.Screen); ok {
			r.note(t)
		}
	}
}

// save writes what was noted, in a command.
func (r *reads) save() tea.Cmd {
	m := r.root.env.Memory
	if m == nil {
		return nil
	}
	return func() tea.Msg {
		_ = m.Save() // the save at the end of the run tries again and reports the error
		return nil
	}
}

// forget drops how far a conversation was read, when it is resumed: the messages that come
// then are read in Hermes.
func (r *reads) forget(id string) {
	if r.root.env.Memory == nil {
		return
	}
	root := ""
	if it := r.root.list.Current(); it != nil && it.ID == id {
		root = it.RootID
	}
	if s, ok := r.root.top().(*transcript.Screen); ok && s.Conv.ID == id {
		root = s.Conv.RootID
	}
	if root != "" {
		r.resumed[root] = true
		r.root.env.Memory.Forget(root)
	}
}
