package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// manyNodes is from how many sessions on a tree begins folded, but for the way
// to the session that it was opened at.
const manyNodes = 200

// lineage is the screen of the family tree of a conversation: one row for each
// session, what is known of the current one beside or below the tree, and on
// wide terminals its transcript.
type lineage struct {
	sh     Shell
	env    *Env
	reader func(model.Conversation, model.Hit) Reader // makes the transcript beside the tree
	layout treeLayout
	rows   rows

	id    string // the session that it was opened at
	read  *flight[wholeOf, family]
	tree  *model.Node     // nil until it has been read
	err   error           // why it could not be
	full  []model.TreeRow // every row
	place map[string]int  // of a session in full
	shown []model.TreeRow // those that no fold hides
	folds map[string]bool
	later []Action       // asked for before it was there
	cache map[int]string // finished rows other than the current one
	now   time.Time      // the minute that ages are told at

	askedAt time.Time
	took    time.Duration // by the latest answer
	version int64         // of the database, when it was last read; 0 for not known

	left   *flight[string, model.Fork]
	forks  map[string]fork // where sessions left what is above them, as far as known
	round  int             // of answers; what was known in an earlier one is shown until it is asked again
	gen    int             // of the current row
	then   func(model.Fork) tea.Cmd
	beside *beside
	find   treeFind

	clicked int
	at      time.Time
}

// wholeOf asks for a tree: a first picture of it, or the whole.
type wholeOf struct {
	id    string
	whole bool
}

// family answers it.
type family struct {
	root    *model.Node
	partial bool
}

// fork is where a session left the one above it, and when that was asked.
type fork struct {
	model.Fork
	round int
}

// nodeRested says that the current row has stayed the same for a while.
type nodeRested struct {
	lineage *lineage
	gen     int
}

// newLineage opens the tree of a session. version is that of the database, 0
// where it is not known; reader makes the transcript beside the tree.
func newLineage(sh Shell, id string, version int64, reader func(model.Conversation, model.Hit) Reader) *lineage {
	env := sh.Env()
	l := &lineage{
		sh: sh, env: env, reader: reader, id: id, now: env.Clock(), clicked: -1, version: version,
		folds: map[string]bool{}, cache: map[int]string{}, forks: map[string]fork{},
	}
	lib := env.Library
	l.read = newFlight(env.Context, func(ctx context.Context, w wholeOf) (family, error) {
		if w.whole {
			root, err := lib.Lineage(ctx, w.id)
			return family{root: root}, err
		}
		root, partial, err := lib.QuickLineage(ctx, w.id)
		return family{root, partial}, err
	})
	l.left = newFlight(env.Context, lib.Fork)
	l.find.of = l
	l.rows.lines = func(i int) []string { return []string{l.row(i)} }
	return l
}

func (l *lineage) Context() Context { return InLineage }

func (l *lineage) Heading() string {
	if l.tree == nil {
		return "lineage · hermes sessions"
	}
	return "lineage of " + nodeTitle(l.tree) + " · hermes sessions"
}

func (l *lineage) Start() tea.Cmd { return l.ask(l.tree != nil) }

func (l *lineage) ask(whole bool) tea.Cmd {
	l.askedAt = l.env.Clock()
	id := l.id
	if n := l.current(); n != nil {
		id = n.ID // the others may go; this one is looked at
	}
	return l.read.ask(wholeOf{id, whole})
}

// current is the session of the current row, nil when there is none.
func (l *lineage) current() *model.Node {
	if l.rows.sel < 0 || l.rows.sel >= len(l.shown) {
		return nil
	}
	return l.shown[l.rows.sel].Node
}

func (l *lineage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case landed[wholeOf, family]:
		if msg.flight == l.read {
			return l.landed(msg)
		}
	case overdue[wholeOf, family]:
		if msg.flight == l.read {
			l.read.wait(msg)
		}
	case landed[string, model.Fork]:
		if msg.flight == l.left {
			return l.forked(msg)
		}
	case nodeRested:
		if msg.lineage == l && msg.gen == l.gen {
			return l.rested()
		}
	case polled:
		return l.watch(msg)
	case conversationsEdited:
		l.edited(msg)
		return nil
	case tea.ResumeMsg:
		return l.ask(true)
	case tea.KeyPressMsg, tea.PasteMsg:
		return l.find.update(msg)
	case tea.MouseMsg:
		return l.mouse(msg)
	default:
		if l.beside != nil {
			return l.beside.text.Update(msg)
		}
		return nil
	}
	if l.beside != nil {
		return l.beside.text.Update(msg)
	}
	return nil
}

// landed takes a tree. The current row follows its session, and where that has
// gone, the one that stood above it.
func (l *lineage) landed(msg landed[wholeOf, family]) tea.Cmd {
	ok, next := l.read.land(msg)
	if !ok {
		return next
	}
	l.took = l.env.Clock().Sub(l.askedAt)
	if msg.err != nil {
		if n := l.current(); n != nil && n.ID == msg.query.id && n != l.tree {
			// It may be this one alone that is gone.
			l.rows.sel = l.shown[l.rows.sel].ParentRow
			return tea.Batch(next, l.ask(true))
		}
		l.err = msg.err
		return next
	}
	l.err = nil
	first := l.tree == nil
	l.tree = msg.answer.root
	l.full = l.tree.Rows(func(*model.Node) bool { return false })
	l.place = make(map[string]int, len(l.full))
	for i, r := range l.full {
		l.place[r.Node.ID] = i
	}
	keep := msg.query.id
	if first {
		l.foldMany()
	} else if n := l.current(); n != nil {
		if _, ok := l.place[n.ID]; ok {
			keep = n.ID
		}
	}
	l.round++
	l.layout.tree.fit(l.full)
	l.refold(keep)
	l.find.look()
	if msg.answer.partial {
		next = tea.Batch(next, l.ask(true))
	}
	next = tea.Batch(next, l.follow())
	later := l.later
	l.later = nil
	for _, id := range later {
		next = tea.Batch(next, l.sh.Do(Perform{Screen: l, Action: id}))
	}
	return next
}

// foldMany folds a large tree, but for the way to where it was opened.
func (l *lineage) foldMany() {
	if len(l.full) < manyNodes {
		return
	}
	for _, r := range l.full[1:] {
		if len(r.Node.Children) > 0 {
			l.folds[r.Node.ID] = true
		}
	}
	l.unfoldTo(l.place[l.id])
}

// unfoldTo opens everything above a row of the full tree.
func (l *lineage) unfoldTo(i int) {
	for i = l.full[i].ParentRow; i >= 0; i = l.full[i].ParentRow {
		delete(l.folds, l.full[i].Node.ID)
	}
}

// refold shows the rows that the folds leave, with one session current, or
// what stands for it where it is folded away.
func (l *lineage) refold(id string) {
	y := l.rows.offset()
	l.shown = l.tree.Rows(func(n *model.Node) bool { return l.folds[n.ID] })
	at := make(map[string]int, len(l.shown))
	for i, r := range l.shown {
		at[r.Node.ID] = i
	}
	sel, i := 0, l.place[id]
	for ; i >= 0; i = l.full[i].ParentRow {
		if k, ok := at[l.full[i].Node.ID]; ok {
			sel = k
			break
		}
	}
	clear(l.cache)
	l.rows.n, l.rows.sel = len(l.shown), sel
	l.rows.hold(y) // no row is drawn that is not in sight then
}

// has gives the place of a session in the full tree.
func (l *lineage) has(id string) (place int, ok bool) {
	if l.tree == nil {
		return 0, false
	}
	place, ok = l.place[id]
	return place, ok
}

// visit makes a session of the full tree current, unfolding the way to it.
func (l *lineage) visit(i int) tea.Cmd {
	id := l.full[i].Node.ID
	l.unfoldTo(i)
	l.refold(id)
	l.rows.reveal()
	return l.follow()
}

// watch reads the tree again when another process has changed the database:
// the list looks for that all the time.
func (l *lineage) watch(msg polled) tea.Cmd {
	now := l.env.Clock()
	if now.Truncate(time.Minute) != l.now.Truncate(time.Minute) {
		l.now = now
		clear(l.cache)
	}
	if msg.err != nil || !l.read.settled() || now.Sub(l.askedAt) < restAfter*l.took {
		return nil
	}
	known := l.version
	l.version = msg.version
	if known == 0 || known == msg.version {
		return nil
	}
	return l.ask(true)
}

// follow looks up what belongs to the current row, once it has stayed the same
// for a moment.
func (l *lineage) follow() tea.Cmd {
	n := l.current()
	if n == nil {
		return nil
	}
	if f, known := l.forks[n.ID]; known && f.round == l.round && (l.layout.beside.w == 0 || l.beside.is(n)) {
		return nil
	}
	l.gen++
	gen := l.gen
	return tea.Tick(resting, func(time.Time) tea.Msg { return nodeRested{l, gen} })
}

// rested asks where the current session left the one above it.
func (l *lineage) rested() tea.Cmd {
	n := l.current()
	if n == nil {
		return nil
	}
	if f, known := l.forks[n.ID]; known && f.round == l.round {
		return l.show(n, f.Fork)
	}
	return l.left.ask(n.ID)
}

// forked takes the answer.
func (l *lineage) forked(msg landed[string, model.Fork]) tea.Cmd {
	ok, next := l.left.land(msg)
	if !ok {
		return next
	}
	then := l.then
	if msg.err != nil {
		if then != nil {
			l.then = nil
			l.sh.Fail(msg.err)
		}
		return next
	}
	l.forks[msg.query] = fork{msg.answer, l.round}
	n := l.current()
	if n == nil || n.ID != msg.query {
		return next
	}
	if then != nil {
		l.then = nil
		return tea.Batch(next, then(msg.answer))
	}
	return tea.Batch(next, l.show(n, msg.answer))
}

// withFork goes on when it is known where the current session left the one
// above it.
func (l *lineage) withFork(then func(model.Fork) tea.Cmd) tea.Cmd {
	n := l.current()
	if f, known := l.forks[n.ID]; known {
		return then(f.Fork)
	}
	l.then = then
	if !l.left.settled() && l.left.want == n.ID {
		return nil
	}
	return l.left.ask(n.ID)
}

// open reads the current session: a branch where it begins to be its own, any
// other from its beginning.
func (l *lineage) open() tea.Cmd {
	n := l.current()
	return l.withFork(func(f model.Fork) tea.Cmd {
		return l.sh.Do(OpenTranscript{Conversation: conversationOf(n), Hit: model.Hit{MessageID: f.FirstOwn}})
	})
}

// origin reads what is above the current session, at the place where it left.
func (l *lineage) origin() tea.Cmd {
	return l.withFork(func(f model.Fork) tea.Cmd {
		i, ok := l.place[f.Parent]
		if !ok {
			return l.sh.Say("there is nothing above this session")
		}
		return l.sh.Do(OpenTranscript{Conversation: conversationOf(l.full[i].Node), Hit: model.Hit{MessageID: f.LastShared}})
	})
}

// conversationOf is what a transcript needs to know of a session before it has
// been read.
func conversationOf(n *model.Node) model.Conversation {
	return model.Conversation{
		Session: n.Session, RootID: n.ID, Segments: []string{n.ID}, Preview: n.Preview,
		Messages: n.VisibleMessages, Total: n.Usage, RootStartedAt: n.StartedAt, LastActive: n.LastActive(), State: n.State,
	}
}
