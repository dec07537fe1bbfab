package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// beside is the transcript that stands beside a tree: of the current session,
// where it begins to be its own.
type beside struct {
	text *transcript
	of   subject
}

// subjectOf is what makes a session's transcript worth reading again.
func subjectOf(n *model.Node) subject {
	return subject{id: n.ID, at: n.LastActive(), count: n.Visible}
}

// is reports whether the transcript is that of a session as it stands now.
func (b *beside) is(n *model.Node) bool { return b != nil && b.of == subjectOf(n) }

// show puts a session beside the tree, where there is room.
func (l *lineage) show(n *model.Node, f model.Fork) tea.Cmd {
	if l.layout.beside.w == 0 || l.beside.is(n) {
		return nil
	}
	if l.beside != nil && l.beside.of.id == n.ID {
		l.beside.of = subjectOf(n)
		return l.beside.text.look()
	}
	t := newTranscript(l.root, conversationOf(n), model.Query{}, model.Hit{MessageID: f.First}).(*transcript)
	l.beside = &beside{t, subjectOf(n)}
	t.resize(l.layout.beside.w, l.layout.beside.h)
	return t.start()
}

// scroll moves the transcript; the tree keeps the keys.
func (b *beside) scroll(by int) tea.Cmd {
	if b.text.pages == nil || b.text.rows.n == 0 {
		return nil
	}
	b.text.rows.scroll(by)
	return b.text.moved()
}
