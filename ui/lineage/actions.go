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

// withParent refuses an action on the parent of the current session where there is none.
func (s *Screen) withParent(h shell.Handler) shell.Handler {
	if n := s.Current(); n != nil && h.Why == "" {
		if _, ok := s.fullIndex[n.ParentID]; !ok {
			h.Why = "this session has no parent"
		}
	}
	return h
}

// Handlers lists the actions on the current session and the tree, each with the reason why
// it is not possible now.
func (s *Screen) Handlers() []shell.Handler {
	why := ""
	switch {
	case s.err != nil:
		why = "the lineage could not be read"
	case s.tree == nil:
		why = "still reading the lineage"
	}
	unread := ""
	if s.beside == nil {
		unread = "no transcript pane"
	}
	on := func(id shell.Action, do func() tea.Cmd) shell.Handler {
		if s.tree == nil && s.err == nil { // the tree comes within milliseconds
			return shell.Handler{Action: id, Do: func() tea.Cmd { s.later = append(s.later, id); return nil }}
		}
		return shell.Handler{Action: id, Why: why, Do: func() tea.Cmd {
			s.then = nil // this action replaces the one that waits for a fork
			return do()
		}}
	}
	find := on(shell.Find, s.find.begin)
	if s.tree == nil && s.err == nil {
		find.Do = s.find.begin
	}
	move := func(id shell.Action, do func()) shell.Handler {
		return on(id, func() tea.Cmd { do(); return s.follow() })
	}
	var current model.Conversation
	if why == "" {
		current = s.conversation()
	}
	these := func() shell.Subjects {
		of := shell.Single(s.conversation())
		of.Segment = s.Current().ID
		return of
	}
	routes := slices.Concat(shell.ResumeHandlers(s.sh, why, func() string { return s.Current().Tip }),
		shell.ChangeHandlers(s.sh, why, why, current, these), shell.OutsideHandlers(s.sh, why, why, s.conversation, these))
	compare := on(shell.Compare, func() tea.Cmd { return s.sh.Do(shell.OpenComparison{B: s.Current().ID, Branch: true}) })
	if why == "" && !s.parted(s.Current()) {
		compare.Why = "not a branch"
	}
	unfold := move(shell.UnfoldAll, func() { clear(s.folds); s.refold(s.Current().ID) })
	if why == "" && len(s.folds) == 0 {
		unfold.Why = "nothing is folded"
	}
	return append(routes, []shell.Handler{
		on(shell.Read, s.open),
		s.withParent(on(shell.ForkPoint, s.forkPoint)),
		compare,
		on(shell.Copy, s.copyID),
		move(shell.Up, func() { s.rows.Move(s.rows.Selected - 1) }),
		move(shell.Down, func() { s.rows.Move(s.rows.Selected + 1) }),
		move(shell.PageUp, func() { s.rows.Page(-1) }),
		move(shell.PageDown, func() { s.rows.Page(1) }),
		move(shell.HalfUp, func() { s.rows.Move(s.rows.Selected - max(s.rows.Height/2, 1)) }),
		move(shell.HalfDown, func() { s.rows.Move(s.rows.Selected + max(s.rows.Height/2, 1)) }),
		move(shell.First, func() { s.rows.GoToEnd(false) }),
		move(shell.Last, func() { s.rows.GoToEnd(true) }),
		on(shell.Unfold, s.expand),
		move(shell.Fold, s.collapse),
		unfold,
		move(shell.FoldAll, s.collapseAll),
		move(shell.Parent, func() {
			if above := s.shown[s.rows.Selected].ParentRow; above >= 0 {
				s.rows.Move(above)
			}
		}),
		on(shell.NextSibling, func() tea.Cmd { return s.sibling(1) }),
		on(shell.PreviousSibling, func() tea.Cmd { return s.sibling(-1) }),
		find,
		on(shell.NextMatch, func() tea.Cmd { return s.find.step(1) }),
		on(shell.PreviousMatch, func() tea.Cmd { return s.find.step(-1) }),
		{Action: shell.PreviewUp, Why: unread, Do: func() tea.Cmd { return s.beside.text.Scroll(-1) }},
		{Action: shell.PreviewDown, Why: unread, Do: func() tea.Cmd { return s.beside.text.Scroll(1) }},
		{Action: shell.Reload, Do: func() tea.Cmd { return s.ask(true) }},
		{Action: shell.Back, Do: func() tea.Cmd { return s.sh.Do(shell.CloseScreen{}) }},
	}...)
}

// conversation is what the current session belongs to, with all its segments.
func (s *Screen) conversation() model.Conversation {
	head := s.fullIndex[s.Current().ID]
	for s.full[head].Node.Segment > 1 {
		head = s.full[head].ParentRow
	}
	root := s.full[head].Node
	c := conversationOf(s.full[s.fullIndex[root.Tip]].Node)
	if c.RootID = root.ID; c.Title == "" { // then it is called what its first segment is, as in the header
		c.Preview = nodeTitle(root)
	}
	c.Messages = root.VisibleMessages
	c.Total = root.Usage
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
func (s *Screen) edited(e shell.ConversationsEdited) {
	for _, root := range e.Roots {
		i, ok := s.fullIndex[root]
		if !ok {
			continue
		}
		if i, ok = s.fullIndex[s.full[i].Node.Tip]; ok {
			e.Change(&s.full[i].Node.Session)
			clear(s.cache)
		}
	}
}

// expand unfolds the current session, goes to the first one below it if it is unfolded
// already, and opens its transcript if it has none below.
func (s *Screen) expand() tea.Cmd {
	r := s.shown[s.rows.Selected]
	switch {
	case len(r.Node.Children) == 0:
		return s.open()
	case !r.Expanded:
		delete(s.folds, r.Node.ID)
		s.refold(r.Node.ID)
	default:
		s.rows.Move(s.rows.Selected + 1)
	}
	return s.follow()
}

// collapse folds the current session, or goes to the one above it if there is nothing
// to fold.
func (s *Screen) collapse() {
	r := s.shown[s.rows.Selected]
	switch {
	case r.Expanded:
		s.folds[r.Node.ID] = true
		s.refold(r.Node.ID)
	case r.ParentRow >= 0:
		s.rows.Move(r.ParentRow)
	}
}

// collapseAll leaves the root and what is right below it.
func (s *Screen) collapseAll() {
	id := s.Current().ID
	for _, r := range s.full[1:] {
		if len(r.Node.Children) > 0 {
			s.folds[r.Node.ID] = true
		}
	}
	s.refold(id)
}

// sibling goes to the next session under the same one.
func (s *Screen) sibling(dir int) tea.Cmd {
	above := s.shown[s.rows.Selected].ParentRow
	for i := s.rows.Selected + dir; i >= 0 && i < len(s.shown) && i != above; i += dir {
		if s.shown[i].ParentRow == above {
			s.rows.Move(i)
			return s.follow()
		}
	}
	if dir < 0 {
		return s.sh.Refuse("this is the first sibling")
	}
	return s.sh.Refuse("this is the last sibling")
}

// copyID sends the id to the terminal's clipboard. Terminals do not report whether they
// accepted it, so the notice only says that it was sent.
func (s *Screen) copyID() tea.Cmd {
	id := kit.CleanLine(s.Current().ID)
	return tea.Batch(tea.SetClipboard(id), s.sh.Say("sent to the terminal's clipboard: "+id))
}

// foldColumn returns the column of the mark that says whether row i is folded, -1 where it
// has nothing to fold.
func (s *Screen) foldColumn(i int) int {
	st, r := s.sh.Styles(), s.shown[i]
	mark := st.Glyphs.Folded
	switch {
	case len(r.Node.Children) == 0:
		return -1
	case r.Expanded:
		mark = st.Glyphs.Unfolded
	}
	line := ansi.Strip(s.drawRow(i, false)) // without the mark of the current row
	before, _, found := strings.Cut(line, mark)
	if !found {
		return -1
	}
	return st.Cells.StringWidth(before)
}

func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if s.tree == nil || s.err != nil {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		by := shell.Wheel(msg)
		if s.beside != nil && s.layout.beside.Has(msg.X, msg.Y) {
			return s.beside.text.Scroll(by)
		}
		s.rows.Scroll(by)
		return s.follow()
	case tea.MouseClickMsg:
		if msg.Button != tea.MouseLeft || !s.layout.rows.Has(msg.X, msg.Y) {
			return nil
		}
		i, _ := s.rows.At(msg.Y - s.layout.rows.Y)
		if i < 0 {
			return nil
		}
		if x := s.foldColumn(i); x >= 0 && msg.X >= x && msg.X < x+2 {
			s.rows.Move(i)
			if s.shown[i].Expanded {
				s.collapse()
				return s.follow()
			}
			return s.expand()
		}
		s.rows.Move(i)
		if s.clicks.Second(i, s.env.Clock()) {
			return s.sh.Do(shell.RunAction{Screen: s, Action: shell.Read})
		}
		return s.follow()
	}
	return nil
}
