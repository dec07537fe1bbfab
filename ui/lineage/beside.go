package lineage

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// sidePane is the transcript beside a tree: the current session's, from the first message
// that the session does not share with its parent.
type sidePane struct {
	text shell.Pane
	of   sessionStamp
}

// sessionStamp says how far a session has come. Any difference makes its
// transcript worth reading again.
type sessionStamp struct {
	id       string
	at       time.Time
	messages int
}

func stampOf(n *model.Node) sessionStamp {
	return sessionStamp{n.ID, n.LastActive(), n.VisibleMessages}
}

// is reports whether the transcript shows a session in its present state.
func (p *sidePane) is(n *model.Node) bool { return p != nil && p.of == stampOf(n) }

// show puts a session beside the tree, where there is room.
func (s *Screen) show(n *model.Node, f model.Fork) tea.Cmd {
	if s.layout.beside.W == 0 || s.beside.is(n) {
		return nil
	}
	if s.beside != nil && s.beside.of.id == n.ID {
		s.beside.of = stampOf(n)
		return s.beside.text.Poll()
	}
	t := s.reader(conversationOf(n), model.Hit{MessageID: f.FirstOwn})
	s.beside = &sidePane{t, stampOf(n)}
	t.Resize(s.layout.beside.W, s.layout.beside.H)
	return t.Start()
}
