// Package lineage is the screen of a conversation's family tree: its segments, its
// branches and its subagents, one row each, with the details of the current session
// beside or below the tree and, on wide terminals, its transcript.
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
	reader func(model.Conversation, model.Hit) shell.Reader // makes the transcript beside the tree
	layout treeLayout
	Rows   kit.Rows

	id        string // the session that it was opened at
	Read      *kit.Latest[TreeQuery, TreeAnswer]
	tree      *model.Node     // nil until it has been read
	err       error           // why the tree could not be read
	full      []model.TreeRow // every row
	fullIndex map[string]int  // of a session in full
	Shown     []model.TreeRow // those that no fold hides
	folds     map[string]bool
	later     []shell.Action // chosen before the tree was read
	cache     map[int]string // finished rows other than the current one
	now       time.Time      // the minute that ages are told at
	fresh     shell.Freshness

	forkRequest *kit.Latest[string, model.Fork]
	Forks       map[string]fork // where sessions left what is above them, as far as known
	round       int             // counts the answers; a fork of an earlier one is shown until it has been read again
	generation  int             // of the current row
	then        func(model.Fork) tea.Cmd
	beside      *sidePane
	Find        finder

	clicks shell.Clicks
}

// TreeQuery asks for the tree of a session: a quick partial one, or the complete one.
type TreeQuery struct {
	ID       string
	complete bool
}

// TreeAnswer is the answer to a TreeQuery.
type TreeAnswer struct {
	Root    *model.Node
	Partial bool
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
func New(sh shell.Shell, id string, version int64, reader func(model.Conversation, model.Hit) shell.Reader) *Screen {
	env := sh.Env()
	l := &Screen{
		sh: sh, env: env, reader: reader, id: id, now: env.Clock(), fresh: shell.NewFreshness(version),
		folds: map[string]bool{}, cache: map[int]string{}, Forks: map[string]fork{},
	}
	lib := env.Library
	l.Read = kit.NewLatest(env.Context, func(ctx context.Context, w TreeQuery) (TreeAnswer, error) {
		if w.complete {
			root, err := lib.Lineage(ctx, w.ID)
			return TreeAnswer{Root: root}, err
		}
		root, partial, err := lib.QuickLineage(ctx, w.ID)
		return TreeAnswer{root, partial}, err
	})
	l.forkRequest = kit.NewLatest(env.Context, lib.Fork)
	l.Find.of = l
	l.Rows.Lines = func(i int) []string { return []string{l.row(i)} }
	return l
}

// Context is the context of the keys.
func (l *Screen) Context() shell.Context { return shell.InLineage }

// Heading is the title of the terminal's window.
func (l *Screen) Heading() string {
	if l.tree == nil {
		return "lineage · hermes sessions"
	}
	return "lineage of " + nodeTitle(l.tree) + " · hermes sessions"
}

// Start reads the tree.
func (l *Screen) Start() tea.Cmd { return l.ask(l.tree != nil) }

// Refresh implements [shell.Screen]: the tree is read again when the list has seen a new
// version of the database.
func (l *Screen) Refresh() tea.Cmd { return nil }

func (l *Screen) ask(complete bool) tea.Cmd {
	l.fresh.Asked(l.env.Clock())
	id := l.id
	if n := l.Current(); n != nil {
		id = n.ID // the session that it was opened at may be deleted meanwhile
	}
	return l.Read.Ask(TreeQuery{id, complete})
}

// Current is the session of the current row, nil when there is none.
func (l *Screen) Current() *model.Node {
	if l.Rows.Selected < 0 || l.Rows.Selected >= len(l.Shown) {
		return nil
	}
	return l.Shown[l.Rows.Selected].Node
}

// Update handles keys, the mouse, and the answers of the screen's requests.
func (l *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[TreeQuery, TreeAnswer]:
		if msg.From == l.Read {
			return l.takeTree(msg)
		}
	case kit.Answer[string, model.Fork]:
		if msg.From == l.forkRequest {
			return l.takeFork(msg)
		}
	case forkDue:
		if msg.lineage == l && msg.generation == l.generation {
			return l.readFork()
		}
	case shell.Polled:
		return l.watch(msg)
	case shell.ConversationsEdited:
		l.edited(msg)
		return nil
	case tea.ResumeMsg:
		return l.ask(true)
	case tea.WindowSizeMsg: // there may be room for the transcript now
		return l.follow()
	case tea.KeyPressMsg, tea.PasteMsg:
		return l.Find.update(msg)
	case tea.MouseMsg:
		return l.mouse(msg)
	}
	if l.beside != nil {
		return l.beside.text.Update(msg)
	}
	return nil
}

// takeTree shows a tree that was read. The current row follows its session, or the parent
// row if the session is gone.
func (l *Screen) takeTree(msg kit.Answer[TreeQuery, TreeAnswer]) tea.Cmd {
	ok, next := l.Read.Take(msg)
	if !ok {
		return next
	}
	l.fresh.Answered(l.env.Clock())
	if msg.Err != nil {
		if n := l.Current(); n != nil && n.ID == msg.Query.ID && n != l.tree {
			// This session alone may be gone: ask for the tree of its parent.
			l.Rows.Selected = l.Shown[l.Rows.Selected].ParentRow
			return tea.Batch(next, l.ask(true))
		}
		l.err = msg.Err
		return next
	}
	l.err = nil
	first := l.tree == nil
	l.tree = msg.Value.Root
	l.full = l.tree.Rows(func(*model.Node) bool { return false })
	l.fullIndex = make(map[string]int, len(l.full))
	for i, r := range l.full {
		l.fullIndex[r.Node.ID] = i
	}
	keep := msg.Query.ID
	if first {
		l.foldMany()
	} else if n := l.Current(); n != nil {
		if _, ok := l.fullIndex[n.ID]; ok {
			keep = n.ID
		}
	}
	l.round++
	l.layout.tree.fit(l.full)
	l.refold(keep)
	l.Find.findRows()
	if msg.Value.Partial {
		next = tea.Batch(next, l.ask(true))
	}
	next = tea.Batch(next, l.follow())
	if first && l.Find.match != nil { // typed before the tree was read
		next = tea.Batch(next, l.Find.nearest())
	}
	later := l.later
	l.later = nil
	for _, id := range later {
		next = tea.Batch(next, l.sh.Do(shell.RunAction{Screen: l, Action: id}))
	}
	return next
}

// foldMany folds a large tree, except for the path to the session it was opened at.
func (l *Screen) foldMany() {
	if len(l.full) < manyNodes {
		return
	}
	for _, r := range l.full[1:] {
		if len(r.Node.Children) > 0 {
			l.folds[r.Node.ID] = true
		}
	}
	l.unfoldTo(l.fullIndex[l.id])
}

// unfoldTo opens everything above a row of the full tree.
func (l *Screen) unfoldTo(i int) {
	for i = l.full[i].ParentRow; i >= 0; i = l.full[i].ParentRow {
		delete(l.folds, l.full[i].Node.ID)
	}
}

// refold recomputes the visible rows and makes a session current, or the nearest visible
// row above it.
func (l *Screen) refold(id string) {
	y := l.Rows.Offset()
	l.Shown = l.tree.Rows(func(n *model.Node) bool { return l.folds[n.ID] })
	at := make(map[string]int, len(l.Shown))
	for i, r := range l.Shown {
		at[r.Node.ID] = i
	}
	sel, i := 0, l.fullIndex[id]
	for ; i >= 0; i = l.full[i].ParentRow {
		if k, ok := at[l.full[i].Node.ID]; ok {
			sel = k
			break
		}
	}
	clear(l.cache)
	l.Rows.Len, l.Rows.Selected = len(l.Shown), sel
	l.Rows.KeepAt(y) // rows outside the window are not drawn
}

// RowOf returns the index of a session in the full tree, for [Screen.Visit]; ok is false
// where it is not in the tree.
func (l *Screen) RowOf(id string) (place int, ok bool) {
	if l.tree == nil {
		return 0, false
	}
	place, ok = l.fullIndex[id]
	return place, ok
}

// Visit makes a session of the full tree current, unfolding the way to it.
func (l *Screen) Visit(i int) tea.Cmd {
	id := l.full[i].Node.ID
	l.unfoldTo(i)
	l.refold(id)
	l.Rows.Reveal()
	return l.follow()
}

// watch reads the tree again when another process has changed the database, which the
// list polls for.
func (l *Screen) watch(msg shell.Polled) tea.Cmd {
	now := l.env.Clock()
	if now.Truncate(time.Minute) != l.now.Truncate(time.Minute) {
		l.now = now
		clear(l.cache)
	}
	if l.fresh.Outdated(msg, l.Read.Settled(), now) {
		return l.ask(true)
	}
	return nil
}

// follow reads the details of the current row once it has stayed current for
// shell.RestTime.
func (l *Screen) follow() tea.Cmd {
	n := l.Current()
	if n == nil {
		return nil
	}
	if f, known := l.Forks[n.ID]; known && f.round == l.round && (l.layout.beside.W == 0 || l.beside.is(n)) {
		return nil
	}
	l.generation++
	generation := l.generation
	return tea.Tick(shell.RestTime, func(time.Time) tea.Msg { return forkDue{l, generation} })
}

// readFork asks where the current session left the one above it.
func (l *Screen) readFork() tea.Cmd {
	n := l.Current()
	if n == nil {
		return nil
	}
	if f, known := l.Forks[n.ID]; known && f.round == l.round {
		return l.show(n, f.Fork)
	}
	return l.forkRequest.Ask(n.ID)
}

// takeFork stores where a session left its parent and continues what waited for that.
func (l *Screen) takeFork(msg kit.Answer[string, model.Fork]) tea.Cmd {
	ok, next := l.forkRequest.Take(msg)
	if !ok {
		return next
	}
	then := l.then
	if msg.Err != nil {
		if then != nil {
			l.then = nil
			l.sh.Fail(msg.Err)
		}
		return next
	}
	l.Forks[msg.Query] = fork{msg.Value, l.round}
	n := l.Current()
	if n == nil || n.ID != msg.Query {
		return next
	}
	if then != nil {
		l.then = nil
		return tea.Batch(next, then(msg.Value))
	}
	return tea.Batch(next, l.show(n, msg.Value))
}

// withFork calls then with the place where the current session left its parent, reading it
// first if it is unknown.
func (l *Screen) withFork(then func(model.Fork) tea.Cmd) tea.Cmd {
	n := l.Current()
	if f, known := l.Forks[n.ID]; known {
		return then(f.Fork)
	}
	l.then = then
	if !l.forkRequest.Settled() && l.forkRequest.Wanted == n.ID {
		return nil
	}
	return l.forkRequest.Ask(n.ID)
}

// open opens the current session: a branch at its first own message, any other at its
// beginning.
func (l *Screen) open() tea.Cmd {
	n := l.Current()
	return l.withFork(func(f model.Fork) tea.Cmd {
		return l.sh.Do(shell.OpenTranscript{Conversation: conversationOf(n), Hit: model.Hit{MessageID: f.FirstOwn}})
	})
}

// forkPoint opens the parent of the current session at the message where the session left
// it.
func (l *Screen) forkPoint() tea.Cmd {
	return l.withFork(func(f model.Fork) tea.Cmd {
		i, ok := l.fullIndex[f.Parent]
		if !ok {
			return l.sh.Refuse("this session has no parent")
		}
		return l.sh.Do(shell.OpenTranscript{Conversation: conversationOf(l.full[i].Node), Hit: model.Hit{MessageID: f.LastShared}})
	})
}

// parted reports whether the parent of a session is in another conversation.
func (l *Screen) parted(n *model.Node) bool {
	i, ok := l.fullIndex[n.ParentID]
	return ok && l.full[i].Node.Tip != n.Tip
}

// conversationOf makes the conversation that a transcript of a session opens with.
func conversationOf(n *model.Node) model.Conversation {
	return model.Conversation{
		Session: n.Session, RootID: n.ID, Segments: []string{n.ID}, Preview: n.Preview,
		Messages: n.VisibleMessages, Total: n.Usage, RootStartedAt: n.StartedAt, LastActive: n.LastActive(), State: n.State,
	}
}
