// Package lineage is the screen of a conversation's family tree: its segments, its
// branches and its subagents, one row each, with the details of the current session
// beside or below the tree and, where there is room, its transcript.
//
// A first, partial tree comes from Library.QuickLineage; the complete one from
// Library.Lineage replaces it. Rows are drawn when they come into the window and cached
// until something about the tree changes.
//
//   - lineage.go: reading the tree, folding it, following the current row
//   - rows.go: the layout of the screen, the columns of a row, drawing
//   - details.go: the details of the current session
//   - beside.go: the transcript beside the tree
//   - find.go: the search in the tree
//   - actions.go: keys and mouse
package lineage

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// manyNodes is the number of sessions from which a tree opens folded, except for the path
// to the session that it was opened at.
const manyNodes = 200

// Screen is the screen of a family tree. It implements shell.Screen.
type Screen struct {
	sh     shell.Shell
	env    *shell.Env
	reader func(model.Conversation, model.Hit) shell.Pane // makes the transcript beside the tree
	layout treeLayout
	rows   kit.Rows

	id        string // the session that it was opened at
	read      *kit.Latest[treeQuery, treeAnswer]
	tree      *model.Node     // nil until it has been read
	err       error           // why the tree could not be read
	full      []model.TreeRow // every row
	fullIndex map[string]int  // of a session in full
	shown     []model.TreeRow // those that no fold hides
	folds     map[string]bool
	later     []shell.Action // chosen before the tree was read
	cache     map[int]string // finished rows other than the current one
	now       time.Time      // the minute that ages are told at
	fresh     shell.Freshness

	forkRequest *kit.Latest[string, model.Fork]
	forks       map[string]fork // where sessions left what is above them, as far as known
	round       int             // counts the answers; a fork of an earlier one is shown until it has been read again
	generation  int             // of the current row
	then        func(model.Fork) tea.Cmd
	beside      *sidePane
	find        finder

	clicks shell.Clicks
}

// treeQuery asks for the tree of a session: a quick partial one, or the complete one.
type treeQuery struct {
	id       string
	complete bool
}

// treeAnswer is the answer to a treeQuery.
type treeAnswer struct {
	root    *model.Node
	partial bool
}

// fork is the message at which a session left its parent, and the round that it was read
// in.
type fork struct {
	model.Fork
	round int
}

// forkDue says that the current row has stayed the same for a while.
type forkDue struct {
	lineage    *Screen
	generation int
}

// New makes the screen for the tree of a session. version is the database version, 0 if
// unknown; reader makes the transcript beside the tree.
func New(sh shell.Shell, id string, version int64, reader func(model.Conversation, model.Hit) shell.Pane) *Screen {
	env := sh.Env()
	s := &Screen{
		sh: sh, env: env, reader: reader, id: id, now: env.Clock(), fresh: shell.NewFreshness(version),
		folds: map[string]bool{}, cache: map[int]string{}, forks: map[string]fork{},
	}
	lib := env.Library
	s.read = kit.NewLatest(env.Context, func(ctx context.Context, w treeQuery) (treeAnswer, error) {
		if w.complete {
			root, err := lib.Lineage(ctx, w.id)
			return treeAnswer{root: root}, err
		}
		root, partial, err := lib.QuickLineage(ctx, w.id)
		return treeAnswer{root, partial}, err
	})
	s.forkRequest = kit.NewLatest(env.Context, lib.Fork)
	s.find.of = s
	s.rows.Lines = func(i int) []string { return []string{s.row(i)} }
	return s
}

// Context is the context of the keys.
func (s *Screen) Context() shell.Context { return shell.InLineage }

// Heading is the title of the terminal's window.
func (s *Screen) Heading() string {
	if s.tree == nil {
		return "lineage · hermes sessions"
	}
	return "lineage of " + nodeTitle(s.tree) + " · hermes sessions"
}

// Start reads the tree.
func (s *Screen) Start() tea.Cmd { return s.ask(s.tree != nil) }

// Refresh implements [shell.Screen]: the tree is read again when the list has seen a new
// version of the database.
func (s *Screen) Refresh() tea.Cmd { return nil }

func (s *Screen) ask(complete bool) tea.Cmd {
	s.fresh.Asked(s.env.Clock())
	id := s.id
	if n := s.Current(); n != nil {
		id = n.ID // the session that it was opened at may be deleted meanwhile
	}
	return s.read.Ask(treeQuery{id, complete})
}

// Current is the session of the current row, nil when there is none.
func (s *Screen) Current() *model.Node {
	if s.rows.Selected < 0 || s.rows.Selected >= len(s.shown) {
		return nil
	}
	return s.shown[s.rows.Selected].Node
}

// Update handles keys, the mouse, and the answers of the screen's requests.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[treeQuery, treeAnswer]:
		if msg.From == s.read {
			return s.takeTree(msg)
		}
	case kit.Answer[string, model.Fork]:
		if msg.From == s.forkRequest {
			return s.takeFork(msg)
		}
	case forkDue:
		if msg.lineage == s && msg.generation == s.generation {
			return s.readFork()
		}
	case shell.Polled:
		return s.watch(msg)
	case shell.ConversationsEdited:
		s.edited(msg)
		return nil
	case tea.ResumeMsg:
		return s.ask(true)
	case tea.WindowSizeMsg: // there may be room for the transcript now
		return s.follow()
	case tea.KeyPressMsg, tea.PasteMsg:
		return s.find.update(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	if s.beside != nil {
		return s.beside.text.Update(msg)
	}
	return nil
}

// takeTree shows a tree that was read. The current row follows its session, or the parent
// row if the session is gone.
func (s *Screen) takeTree(msg kit.Answer[treeQuery, treeAnswer]) tea.Cmd {
	ok, next := s.read.Take(msg)
	if !ok {
		return next
	}
	s.fresh.Answered(s.env.Clock())
	if msg.Err != nil {
		if n := s.Current(); n != nil && n.ID == msg.Query.id && n != s.tree {
			// This session alone may be gone: ask for the tree of its parent.
			s.rows.Selected = s.shown[s.rows.Selected].ParentRow
			return tea.Batch(next, s.ask(true))
		}
		s.err = msg.Err
		return next
	}
	s.err = nil
	first := s.tree == nil
	s.tree = msg.Value.root
	s.full = s.tree.Rows(func(*model.Node) bool { return false })
	s.fullIndex = make(map[string]int, len(s.full))
	for i, r := range s.full {
		s.fullIndex[r.Node.ID] = i
	}
	keep := msg.Query.id
	if first {
		s.foldMany()
	} else if n := s.Current(); n != nil {
		if _, ok := s.fullIndex[n.ID]; ok {
			keep = n.ID
		}
	}
	s.round++
	s.layout.tree.fit(s.full)
	s.relayout()
	s.refold(keep)
	s.find.findRows()
	if msg.Value.partial {
		next = tea.Batch(next, s.ask(true))
	}
	next = tea.Batch(next, s.follow())
	if first && s.find.match != nil { // typed before the tree was read
		next = tea.Batch(next, s.find.nearest())
	}
	later := s.later
	s.later = nil
	for _, id := range later {
		next = tea.Batch(next, s.sh.Do(shell.RunAction{Screen: s, Action: id}))
	}
	return next
}

// foldMany folds a large tree, except for the path to the session it was opened at.
func (s *Screen) foldMany() {
	if len(s.full) < manyNodes {
		return
	}
	for _, r := range s.full[1:] {
		if len(r.Node.Children) > 0 {
			s.folds[r.Node.ID] = true
		}
	}
	s.unfoldTo(s.fullIndex[s.id])
}

// unfoldTo opens everything above a row of the full tree.
func (s *Screen) unfoldTo(i int) {
	for i = s.full[i].ParentRow; i >= 0; i = s.full[i].ParentRow {
		delete(s.folds, s.full[i].Node.ID)
	}
}

// refold recomputes the visible rows and makes a session current, or the nearest visible
// row above it.
func (s *Screen) refold(id string) {
	y := s.rows.Offset()
	s.shown = s.tree.Rows(func(n *model.Node) bool { return s.folds[n.ID] })
	at := make(map[string]int, len(s.shown))
	for i, r := range s.shown {
		at[r.Node.ID] = i
	}
	sel, i := 0, s.fullIndex[id]
	for ; i >= 0; i = s.full[i].ParentRow {
		if k, ok := at[s.full[i].Node.ID]; ok {
			sel = k
			break
		}
	}
	clear(s.cache)
	s.rows.Len, s.rows.Selected = len(s.shown), sel
	s.rows.KeepAt(y) // rows outside the window are not drawn
}

// RowOf returns the index of a session in the full tree, for [Screen.Visit]; ok is false
// where it is not in the tree.
func (s *Screen) RowOf(id string) (place int, ok bool) {
	if s.tree == nil {
		return 0, false
	}
	place, ok = s.fullIndex[id]
	return place, ok
}

// Visit makes a session of the full tree current, unfolding the way to it.
func (s *Screen) Visit(i int) tea.Cmd {
	id := s.full[i].Node.ID
	s.unfoldTo(i)
	s.refold(id)
	s.rows.Reveal()
	return s.follow()
}

// Leave goes from a deleted session to the nearest one of its conversation that is left,
// else to one above it, else to the nearest row, and reads the tree again from there. left
// is false where all sessions of the tree were deleted.
func (s *Screen) Leave(deleted []string) (read tea.Cmd, left bool) {
	gone := map[int]bool{}
	for _, id := range deleted {
		if i, ok := s.fullIndex[id]; ok {
			gone[i] = true
		}
	}
	if len(gone) == 0 {
		return nil, true
	}
	at := s.fullIndex[s.Current().ID]
	nearest := func(tip string) int { // those above come first; "" is for any
		is := func(i int) bool { return !gone[i] && (tip == "" || s.full[i].Node.Tip == tip) }
		for i := at; i >= 0; i-- {
			if is(i) {
				return i
			}
		}
		for i := at + 1; i < len(s.full); i++ {
			if is(i) {
				return i
			}
		}
		return -1
	}
	to := nearest(s.full[at].Node.Tip)
	if to < 0 {
		for to = s.full[at].ParentRow; to >= 0 && gone[to]; {
			to = s.full[to].ParentRow
		}
	}
	if to < 0 {
		to = nearest("")
	}
	switch to {
	case -1:
		return nil, false
	case at:
		return s.ask(true), true
	}
	return tea.Batch(s.Visit(to), s.ask(true)), true
}

// watch reads the tree again when another process has changed the database, which the
// list polls for.
func (s *Screen) watch(msg shell.Polled) tea.Cmd {
	now := s.env.Clock()
	if now.Truncate(time.Minute) != s.now.Truncate(time.Minute) {
		s.now = now
		clear(s.cache)
	}
	if s.fresh.Outdated(msg, s.read.Settled(), now) {
		return s.ask(true)
	}
	return nil
}

// follow reads the details of the current row once it has stayed current for
// shell.RestTime.
func (s *Screen) follow() tea.Cmd {
	n := s.Current()
	if n == nil {
		return nil
	}
	if f, known := s.forks[n.ID]; known && f.round == s.round && (s.layout.beside.W == 0 || s.beside.is(n)) {
		return nil
	}
	s.generation++
	generation := s.generation
	return tea.Tick(shell.RestTime, func(time.Time) tea.Msg { return forkDue{s, generation} })
}

// readFork asks where the current session left the one above it.
func (s *Screen) readFork() tea.Cmd {
	n := s.Current()
	if n == nil {
		return nil
	}
	if f, known := s.forks[n.ID]; known && f.round == s.round {
		return s.show(n, f.Fork)
	}
	return s.forkRequest.Ask(n.ID)
}

// takeFork stores where a session left its parent and continues what waited for that.
func (s *Screen) takeFork(msg kit.Answer[string, model.Fork]) tea.Cmd {
	ok, next := s.forkRequest.Take(msg)
	if !ok {
		return next
	}
	then := s.then
	if msg.Err != nil {
		if then != nil {
			s.then = nil
			s.sh.Fail(msg.Err)
		}
		return next
	}
	s.forks[msg.Query] = fork{msg.Value, s.round}
	n := s.Current()
	if n == nil || n.ID != msg.Query {
		return next
	}
	if then != nil {
		s.then = nil
		return tea.Batch(next, then(msg.Value))
	}
	return tea.Batch(next, s.show(n, msg.Value))
}

// withFork calls then with the place where the current session left its parent, reading it
// first if it is unknown.
func (s *Screen) withFork(then func(model.Fork) tea.Cmd) tea.Cmd {
	n := s.Current()
	if f, known := s.forks[n.ID]; known {
		return then(f.Fork)
	}
	s.then = then
	if !s.forkRequest.Settled() && s.forkRequest.Wanted == n.ID {
		return nil
	}
	return s.forkRequest.Ask(n.ID)
}

// open opens the current session: a branch at its first own message, any other at its
// beginning.
func (s *Screen) open() tea.Cmd {
	n := s.Current()
	return s.withFork(func(f model.Fork) tea.Cmd {
		return s.sh.Do(shell.OpenTranscript{Conversation: conversationOf(n), Hit: model.Hit{MessageID: f.FirstOwn}})
	})
}

// forkPoint opens the parent of the current session at the message where the session left
// it.
func (s *Screen) forkPoint() tea.Cmd {
	return s.withFork(func(f model.Fork) tea.Cmd {
		i, ok := s.fullIndex[f.Parent]
		if !ok {
			return s.sh.Refuse("this session has no parent")
		}
		return s.sh.Do(shell.OpenTranscript{Conversation: conversationOf(s.full[i].Node), Hit: model.Hit{MessageID: f.LastShared}})
	})
}

// parted reports whether the parent of a session is in another conversation.
func (s *Screen) parted(n *model.Node) bool {
	i, ok := s.fullIndex[n.ParentID]
	return ok && s.full[i].Node.Tip != n.Tip
}

// conversationOf makes the conversation that a transcript of a session opens with.
func conversationOf(n *model.Node) model.Conversation {
	return model.Conversation{
		Session: n.Session, RootID: n.ID, Link: n.Link, Segments: []string{n.ID}, Preview: n.Preview,
		Messages: n.VisibleMessages, Total: n.Usage, RootStartedAt: n.StartedAt, LastActive: n.LastActive(), State: n.State,
	}
}
