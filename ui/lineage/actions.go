package lineage

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Handlers lists the actions on the current session and the tree, each with the reason why
// it is not possible now.
func (l *Screen) Handlers() []shell.Handler {
	why := ""
	switch {
	case l.err != nil:
		why = "the lineage could not be read"
	case l.tree == nil:
		why = "still reading the lineage"
	}
	unread := ""
	if l.beside == nil {
		unread = "no transcript pane"
	}
	on := func(id shell.Action, do func() tea.Cmd) shell.Handler {
		if l.tree == nil && l.err == nil { // the tree comes within milliseconds
			return shell.Handler{Action: id, Do: func() tea.Cmd { l.later = append(l.later, id); return nil }}
		}
		return shell.Handler{Action: id, Why: why, Do: func() tea.Cmd {
			l.then = nil // this action replaces the one that waits for a fork
			return do()
		}}
	}
	find := on(shell.Find, l.Find.Begin)
	if l.tree == nil && l.err == nil {
		find.Do = l.Find.Begin
	}
	move := func(id shell.Action, do func()) shell.Handler {
		return on(id, func() tea.Cmd { do(); return l.follow() })
	}
	var current model.Conversation
	if why == "" {
		current = l.conversation()
	}
	these := func() shell.Subjects {
		of := shell.Single(l.conversation())
		of.Segment = l.Current().ID
		return of
	}
	routes := slices.Concat(shell.ResumeHandlers(l.sh, why, func() string { return l.Current().Tip }),
		shell.ChangeHandlers(l.sh, why, why, current, these), shell.OutsideHandlers(l.sh, why, why, l.conversation, these))
	compare := on(shell.Compare, func() tea.Cmd { return l.sh.Do(shell.OpenComparison{B: l.Current().ID, Branch: true}) })
	if why == "" && !l.parted(l.Current()) {
		compare.Why = "not a branch"
	}
	unfold := move(shell.ExpandAll, func() { clear(l.folds); l.refold(l.Current().ID) })
	if why == "" && len(l.folds) == 0 {
		unfold.Why = "nothing is folded"
	}
	return append(routes, []shell.Handler{
		on(shell.Open, l.open),
		on(shell.ForkPoint, l.forkPoint),
		compare,
		on(shell.Copy, l.copyID),
		move(shell.Up, func() { l.Rows.Move(l.Rows.Selected - 1) }),
		move(shell.Down, func() { l.Rows.Move(l.Rows.Selected + 1) }),
		move(shell.PageUp, func() { l.Rows.Page(-1) }),
		move(shell.PageDown, func() { l.Rows.Page(1) }),
		move(shell.HalfUp, func() { l.Rows.Move(l.Rows.Selected - max(l.Rows.Height/2, 1)) }),
		move(shell.HalfDown, func() { l.Rows.Move(l.Rows.Selected + max(l.Rows.Height/2, 1)) }),
		move(shell.First, func() { l.Rows.GoToEnd(false) }),
		move(shell.Last, func() { l.Rows.GoToEnd(true) }),
		on(shell.Expand, l.expand),
		move(shell.Collapse, l.collapse),
		unfold,
		move(shell.CollapseAll, l.collapseAll),
		move(shell.Parent, func() {
			if above := l.Shown[l.Rows.Selected].ParentRow; above >= 0 {
				l.Rows.Move(above)
			}
		}),
		on(shell.NextSibling, func() tea.Cmd { return l.sibling(1) }),
		on(shell.PreviousSibling, func() tea.Cmd { return l.sibling(-1) }),
		find,
		on(shell.FindNext, func() tea.Cmd { return l.Find.step(1) }),
		on(shell.FindPrevious, func() tea.Cmd { return l.Find.step(-1) }),
		{Action: shell.PreviewUp, Why: unread, Do: func() tea.Cmd { return l.beside.text.Scroll(-1) }},
		{Action: shell.PreviewDown, Why: unread, Do: func() tea.Cmd { return l.beside.text.Scroll(1) }},
		{Action: shell.Refresh, Do: func() tea.Cmd { return l.ask(true) }},
		{Action: shell.Back, Do: func() tea.Cmd { return l.sh.Do(shell.CloseScreen{}) }},
	}...)
}

// conversation is what the current session belongs to, with all its segments.
func (l *Screen) conversation() model.Conversation {
	head := l.fullIndex[l.Current().ID]
	for l.full[head].Node.Segment > 1 {
		head = l.full[head].ParentRow
	}
	root := l.full[head].Node
	c := conversationOf(l.full[l.fullIndex[root.Tip]].Node)
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
func (l *Screen) edited(e shell.ConversationsEdited) {
	for _, root := range e.Roots {
		i, ok := l.fullIndex[root]
		if !ok {
			continue
		}
		if i, ok = l.fullIndex[l.full[i].Node.Tip]; ok {
			e.Change(&l.full[i].Node.Session)
			clear(l.cache)
		}
	}
}

// expand unfolds the current session, goes to the first one below it if it is unfolded
// already, and opens its transcript if it has none below.
func (l *Screen) expand() tea.Cmd {
	r := l.Shown[l.Rows.Selected]
	switch {
	case len(r.Node.Children) == 0:
		return l.open()
	case !r.Expanded:
		delete(l.folds, r.Node.ID)
		l.refold(r.Node.ID)
	default:
		l.Rows.Move(l.Rows.Selected + 1)
	}
	return l.follow()
}

// collapse folds the current session, or goes to the one above it if there is nothing
// to fold.
func (l *Screen) collapse() {
	r := l.Shown[l.Rows.Selected]
	switch {
	case r.Expanded:
		l.folds[r.Node.ID] = true
		l.refold(r.Node.ID)
	case r.ParentRow >= 0:
		l.Rows.Move(r.ParentRow)
	}
}

// collapseAll leaves the root and what is right below it.
func (l *Screen) collapseAll() {
	id := l.Current().ID
	for _, r := range l.full[1:] {
		if len(r.Node.Children) > 0 {
			l.folds[r.Node.ID] = true
		}
	}
	l.refold(id)
}

// sibling goes to the next session under the same one.
func (l *Screen) sibling(dir int) tea.Cmd {
	above := l.Shown[l.Rows.Selected].ParentRow
	for i := l.Rows.Selected + dir; i >= 0 && i < len(l.Shown) && i != above; i += dir {
		if l.Shown[i].ParentRow == above {
			l.Rows.Move(i)
			return l.follow()
		}
	}
	if dir < 0 {
		return l.sh.Refuse("this is the first sibling")
	}
	return l.sh.Refuse("this is the last sibling")
}

// copyID sends the id to the terminal's clipboard. Terminals do not report whether they
// accepted it, so the notice only says that it was sent.
func (l *Screen) copyID() tea.Cmd {
	id := kit.CleanLine(l.Current().ID)
	return tea.Batch(tea.SetClipboard(id), l.sh.Say("sent to the terminal's clipboard: "+id))
}

// foldColumn returns the column of the mark that says whether row i is folded, -1 where it
// has nothing to fold.
func (l *Screen) foldColumn(i int) int {
	s, r := l.sh.Styles(), l.Shown[i]
	mark := s.Glyphs.Folded
	switch {
	case len(r.Node.Children) == 0:
		return -1
	case r.Expanded:
		mark = s.Glyphs.Unfolded
	}
	line := ansi.Strip(l.DrawRow(i, false)) // without the mark of the current row
	before, _, found := strings.Cut(line, mark)
	if !found {
		return -1
	}
	return s.Cells.StringWidth(before)
}

func (l *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if l.tree == nil || l.err != nil {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		by := shell.Wheel(msg)
		if l.beside != nil && l.layout.beside.Has(msg.X, msg.Y) {
			return l.beside.text.Scroll(by)
		}
		l.Rows.Scroll(by)
		return l.follow()
	case tea.MouseClickMsg:
		if msg.Button != tea.MouseLeft || !l.layout.rows.Has(msg.X, msg.Y) {
			return nil
		}
		i, _ := l.Rows.At(msg.Y - l.layout.rows.Y)
		if i < 0 {
			return nil
		}
		if x := l.foldColumn(i); x >= 0 && msg.X >= x && msg.X < x+2 {
			l.Rows.Move(i)
			if l.Shown[i].Expanded {
				l.collapse()
				return l.follow()
			}
			return l.expand()
		}
		l.Rows.Move(i)
		if l.clicks.Second(i, l.env.Clock()) {
			return l.sh.Do(shell.RunAction{Screen: l, Action: shell.Open})
		}
		return l.follow()
	}
	return nil
}
