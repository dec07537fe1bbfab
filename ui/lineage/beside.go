package lineage

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// sidePane is the transcript beside a tree: that of the current session, from the
// first message of its own.
type sidePane struct {
	text shell.Reader
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

// is reports whether the transcript is that of a session in its present state.
func (b *sidePane) is(n *model.Node) bool { return b != nil && b.of == stampOf(n) }

// show puts a session beside the tree, where there is room.
func (l *Screen) show(n *model.Node, f model.Fork) tea.Cmd {
	if l.layout.beside.W == 0 || l.beside.is(n) {
		return nil
	}
	if l.beside != nil && l.beside.of.id == n.ID {
		l.beside.of = stampOf(n)
		return l.beside.text.Poll()
	}
	t := l.reader(conversationOf(n), model.Hit{MessageID: f.FirstOwn})
	l.beside = &sidePane{t, stampOf(n)}
	t.Resize(l.layout.beside.W, l.layout.beside.H)
	return t.Start()
}
