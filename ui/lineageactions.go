package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// actions says what can be done to the current session and to the tree.
func (l *lineage) Handlers() []Handler {
	why := ""
	switch {
	case l.err != nil:
		why = "the lineage could not be read"
	case l.tree == nil:
		why = "the lineage is still being read"
	}
	unread := ""
	if l.beside == nil {
		unread = "there is no transcript beside the tree"
	}
	on := func(id Action, do func() tea.Cmd) Handler {
		if l.tree == nil && l.err == nil { // it is a matter of milliseconds
			return Handler{Action: id, Do: func() tea.Cmd { l.later = append(l.later, id); return nil }}
		}
		return Handler{Action: id, Why: why, Do: func() tea.Cmd {
			l.then = nil // a newer wish than what is waited for
			return do()
		}}
	}
	move := func(id Action, do func()) Handler {
		return on(id, func() tea.Cmd { do(); return l.follow() })
	}
	var current model.Conversation
	if why == "" {
		current = l.conversation()
	}
	these := func() Subjects {
		of := only(l.conversation())
		of.Segment = l.current().ID
		return of
	}
	routes := slices.Concat(resumeHandlers(l.sh, why, func() string { return l.current().Tip }),
		changeHandlers(l.sh, why, why, current, these), outHandlers(l.sh, why, why, l.conversation, these))
	return append(routes, []Handler{
		on(Open, l.open),
		on(Origin, l.origin),
		on(Copy, l.copyID),
		move(Up, func() { l.rows.move(l.rows.sel - 1) }),
		move(Down, func() { l.rows.move(l.rows.sel + 1) }),
		move(PageUp, func() { l.rows.page(-1) }),
		move(PageDown, func() { l.rows.page(1) }),
		move(HalfUp, func() { l.rows.move(l.rows.sel - max(l.rows.h/2, 1)) }),
		move(HalfDown, func() { l.rows.move(l.rows.sel + max(l.rows.h/2, 1)) }),
		move(First, func() { l.rows.ends(false) }),
		move(Last, func() { l.rows.ends(true) }),
		on(Expand, l.expand),
		move(Collapse, l.collapse),
		move(ExpandAll, func() { clear(l.folds); l.refold(l.current().ID) }),
		move(CollapseAll, l.collapseAll),
		move(Parent, func() {
			if above := l.shown[l.rows.sel].ParentRow; above >= 0 {
				l.rows.move(above)
			}
		}),
		on(NextSibling, func() tea.Cmd { return l.sibling(1) }),
		on(PreviousSibling, func() tea.Cmd { return l.sibling(-1) }),
		on(Find, l.find.begin),
		on(FindNext, func() tea.Cmd { return l.find.step(1) }),
		on(FindPrevious, func() tea.Cmd { return l.find.step(-1) }),
		{Action: PreviewUp, Why: unread, Do: func() tea.Cmd { return l.beside.text.Scroll(-1) }},
		{Action: PreviewDown, Why: unread, Do: func() tea.Cmd { return l.beside.text.Scroll(1) }},
		{Action: Refresh, Do: func() tea.Cmd { return l.ask(true) }},
		{Action: Back, Do: func() tea.Cmd { return l.sh.Do(CloseScreen{}) }},
	}...)
}

// conversation is what the current session belongs to, with all its segments.
func (l *lineage) conversation() model.Conversation {
	head := l.place[l.current().ID]
	for l.full[head].Node.Segment > 1 {
		head = l.full[head].ParentRow
	}
	root := l.full[head].Node
	c := conversationOf(l.full[l.place[root.Tip]].Node)
	c.RootID, c.Messages, c.Total = root.ID, root.VisibleMessages, root.Usage
	c.Segments = []string{root.ID}
	for _, n := range root.Children {
		if n.Link == model.LinkSegment {
			c.Segments = append(c.Segments, n.ID)
			c.Messages, c.Total = c.Messages+n.VisibleMessages, c.Total.Add(n.Usage)
		}
	}
	return c
}

// edited takes over what has changed about conversations before the tree is
// read again.
func (l *lineage) edited(e conversationsEdited) {
	for _, root := range e.roots {
		i, ok := l.place[root]
		if !ok {
			continue
		}
		if i, ok = l.place[l.full[i].Node.Tip]; ok {
			e.change(&l.full[i].Node.Session)
			clear(l.cache)
		}
	}
}

// expand unfolds the current session; one that is unfolded leads to the first
// below it, and one without any below it is read.
func (l *lineage) expand() tea.Cmd {
	r := l.shown[l.rows.sel]
	switch {
	case len(r.Node.Children) == 0:
		return l.open()
	case !r.Expanded:
		delete(l.folds, r.Node.ID)
		l.refold(r.Node.ID)
	default:
		l.rows.move(l.rows.sel + 1)
	}
	return l.follow()
}

// collapse folds the current session; one that has nothing to fold leads to
// the one above it.
func (l *lineage) collapse() {
	r := l.shown[l.rows.sel]
	switch {
	case r.Expanded:
		l.folds[r.Node.ID] = true
		l.refold(r.Node.ID)
	case r.ParentRow >= 0:
		l.rows.move(r.ParentRow)
	}
}

// collapseAll leaves the root and what is right below it.
func (l *lineage) collapseAll() {
	id := l.current().ID
	for _, r := range l.full[1:] {
		if len(r.Node.Children) > 0 {
			l.folds[r.Node.ID] = true
		}
	}
	l.refold(id)
}

// sibling goes to the next session under the same one.
func (l *lineage) sibling(dir int) tea.Cmd {
	above := l.shown[l.rows.sel].ParentRow
	for i := l.rows.sel + dir; i >= 0 && i < len(l.shown) && i != above; i += dir {
		if l.shown[i].ParentRow == above {
			l.rows.move(i)
			return l.follow()
		}
	}
	if dir < 0 {
		return l.sh.Say("this is the first below the one above")
	}
	return l.sh.Say("this is the last below the one above")
}

// copyID sends the id to the terminal's clipboard. Terminals do not tell
// whether they took it, so neither do we.
func (l *lineage) copyID() tea.Cmd {
	id := CleanLine(l.current().ID)
	return tea.Batch(tea.SetClipboard(id), l.sh.Say("sent to the terminal's clipboard: "+id))
}

func (l *lineage) mouse(msg tea.MouseMsg) tea.Cmd {
	if l.tree == nil || l.err != nil {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		by := map[tea.MouseButton]int{tea.MouseWheelUp: -3, tea.MouseWheelDown: 3}[msg.Button]
		if l.beside != nil && l.layout.beside.has(msg.X, msg.Y) {
			return l.beside.text.Scroll(by)
		}
		l.rows.scroll(by)
		return l.follow()
	case tea.MouseClickMsg:
		if msg.Button != tea.MouseLeft || !l.layout.rows.has(msg.X, msg.Y) {
			return nil
		}
		i, _ := l.rows.at(msg.Y - l.layout.rows.y)
		if i < 0 {
			return nil
		}
		now := l.env.Clock()
		again := i == l.clicked && now.Sub(l.at) < doubleClick
		l.clicked, l.at = i, now
		l.rows.move(i)
		if again {
			l.clicked = -1
			return l.sh.Do(Perform{Screen: l, Action: Open})
		}
		return l.follow()
	}
	return nil
}
