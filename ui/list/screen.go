package list

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/preview"
	"hermes-sessions/ui/shell"
)

// Screen is the screen of conversations. Typing searches; every other key moves
// or acts. It implements [shell.Screen].
type Screen struct {
	sh  shell.Shell
	env *shell.Env

	prompt     kit.Prompt // the query
	mode       typingMode
	completion *completion
	history    shell.QueryHistory
	filters    filters
	facets     facetCounter
	named      namedQueries

	fetch       fetch
	results     results
	watch       watch
	preparation preparation

	pane      *preview.Pane
	wish      previewWish
	layout    layout
	noFolders bool // no row could have a folder, so titles have the room of that column
	clicks    shell.Clicks
}

// New makes the screen. history has the queries of earlier runs, newest first; excerpt
// draws the end of a conversation for the preview.
func New(sh shell.Shell, history []string, excerpt func(messages []model.Message, earlier string) shell.Excerpt) *Screen {
	env := sh.Env()
	l := &Screen{
		sh: sh, env: env, history: slices.Clone(history), prompt: kit.NewPrompt(env.Query), mode: newTypingMode(env.Keys, env.Query),
		filters: newFilters(env.List, env.Known), facets: newFacetCounter(env.Context, env.Library),
		fetch: newFetch(env), watch: newWatch(env.Clock()), pane: preview.New(sh, excerpt),
	}
	l.named = newNamedQueries(l)
	l.completion = newCompletion(l)
	l.results = newResults(env.List.Limit, env.Clock, l.drawRow)
	l.results.rows.Lines = l.results.linesOf
	return l
}

// Context implements [shell.Screen].
func (l *Screen) Context() shell.Context { return shell.InList }

// Heading implements [shell.Screen].
func (l *Screen) Heading() string {
	if l.env.Where == "" {
		return "hermes sessions"
	}
	return "hermes sessions · " + l.env.Where
}

// Start implements [shell.Screen].
func (l *Screen) Start() tea.Cmd {
	return tea.Batch(l.ask(FirstRows), readVersion(l.env.Context, l.env.Library))
}

// Refresh reads the rows on the screen again. It implements [shell.Screen].
func (l *Screen) Refresh() tea.Cmd { return tea.Batch(l.reask(), l.pane.Again()) }

// Current is the row that actions are about, nil when there is none.
func (l *Screen) Current() *Item { return l.results.current() }

// Version is that of the database, when it was last read; 0 before.
func (l *Screen) Version() int64 { return l.watch.version }

// Listing returns scope, order, sources and folder of the list without a query.
func (l *Screen) Listing() query.ListOptions { return l.named.listing(&l.filters) }

// Queries returns the queries that led to a conversation, newest first; led says
// that the one that is typed has.
func (l *Screen) Queries(led bool) []string {
	if led {
		l.history.Add(l.prompt.Text())
	}
	return slices.Clone(l.history)
}

// Update takes answers, typing and the mouse. It implements [shell.Screen].
func (l *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[Question, Answer]:
		if msg.From == l.fetch.read {
			return l.answered(msg)
		}
		return nil
	case tea.ResumeMsg:
		return l.Refresh()
	case tea.WindowSizeMsg: // there may be room for more rows, and for a preview
		return tea.Batch(l.follow(), l.More())
	case tea.KeyPressMsg:
		return l.typed(msg)
	case tea.PasteMsg:
		return l.edit(msg)
	case tea.MouseWheelMsg:
		return l.wheel(msg)
	case tea.MouseClickMsg:
		return l.click(msg)
	case shell.Polled:
		return l.polled(msg)
	case shell.Annotated:
		if l.results.lines.clear(); msg.Err != nil {
			l.sh.Fail(msg.Err)
		}
		return nil
	case shell.ConversationRead:
		l.results.lines.clear()
		return nil
	case shell.QueriesEdited:
		return l.named.edited(msg)
	}
	if cmd, ok := l.takeScheduled(msg); ok {
		return cmd
	}
	if cmd, ok := l.takeLookup(msg); ok {
		return cmd
	}
	return l.pane.Update(msg)
}

// takeScheduled takes the messages that the list has scheduled for itself; ok is false for
// everything else.
func (l *Screen) takeScheduled(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case firstDrawn:
		if msg.list == l {
			cmd = tea.Batch(l.More(), l.follow())
		}
	case prepared:
		if msg.by == &l.preparation && l.preparation.end(l.env.Clock()) && l.results.shown.Searching() {
			cmd = l.reask()
		}
	case guardTick:
		if msg.guard == &l.results.guard {
			l.results.guard.take(msg)
		}
	case poll:
		if msg.watch == &l.watch {
			cmd = readVersion(l.env.Context, l.env.Library)
		}
	default:
		return nil, false
	}
	return cmd, true
}

// takeLookup takes the answers to the lesser requests: values of filters, their counts,
// and the counts of named queries; ok is false for every other message.
func (l *Screen) takeLookup(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case kit.Answer[query.Field, []query.FieldValue]:
		if msg.From == l.completion.read {
			cmd = l.completion.take(msg)
		}
	case kit.Answer[query.ListOptions, facets]:
		if msg.From == l.facets.read {
			cmd = tea.Batch(l.facets.take(msg), l.sh.Do(shell.RefillDialogs{}))
		}
	default:
		return l.named.bar.Update(msg)
	}
	return cmd, true
}

// polled takes the version of the database, and looks at the clock.
func (l *Screen) polled(msg shell.Polled) tea.Cmd {
	now := l.env.Clock()
	if l.watch.minute(now) {
		l.results.lines.clear()
	}
	if r := &l.results; r.ready {
		if notes := r.found.healthNotes(msg.Notes); !slices.Equal(r.found.notes, notes) {
			r.found.notes = notes
			l.relayout()
		}
	}
	next := l.watch.later()
	if l.fetch.mustPause(now) {
		return next
	}
	if l.watch.outdated(msg, now) {
		return tea.Batch(next, l.reask())
	}
	if l.preparation.begun { // it may have rested
		next = tea.Batch(next, l.prepare())
	}
	return tea.Batch(next, l.More(), l.named.count())
}

// follow keeps the preview on the current row.
func (l *Screen) follow() tea.Cmd {
	it := l.results.current()
	if it == nil || l.layout.pane.W == 0 || l.results.err != nil {
		return nil
	}
	var best *model.Hit
	if it.isClose() {
		best = &it.found.Best
	}
	return l.pane.Aim(it.Conversation, best, l.results.shown.Query)
}

// Resize implements [shell.Screen].
func (l *Screen) Resize(w, h int) {
	l.layout.w, l.layout.h = w, h
	l.relayout()
}

// Restyle implements [shell.Screen].
func (l *Screen) Restyle() {
	l.results.lines.clear()
	l.pane.Restyle()
	l.relayout()
}

// relayout places the parts; the current row stays in sight.
func (l *Screen) relayout() {
	old, r := l.layout, &l.results
	s := l.sh.Styles()
	chips, banner := len(chipLines(s, l.remarks(), old.w)), len(shell.Banner(s, r.found.notes, old.w, max(old.h/4, 3)))
	l.layout = newLayout(old.w, old.h, l.wish, chips, banner, l.env.Several, len(l.named.bar.Queries) > 0)
	if l.noFolders {
		l.layout.row.folder = 0
	}
	if l.layout.row != old.row {
		r.lines.clear()
	}
	r.rows.Resize(l.layout.rows.H)
	r.rows.Reveal()
	l.pane.Resize(l.layout.inside())
}

func (l *Screen) drawRow(i int, selected bool) []string {
	r, s, age := &l.results, l.sh.Styles(), model.Age(l.watch.now, l.results.found.Items[i].LastActive)
	it := &r.found.Items[i]
	it.unread, it.noted = l.env.Unread(it.Conversation), kit.CleanLine(l.env.Noted(it.RootID))
	if it.expires = ""; it.Expiring(l.watch.now) {
		it.expires = "expires " + it.ExpiresIn(l.watch.now)
	}
	if it.isClose() {
		return closeRowLines(s, l.layout.row, r, i, selected, age, l.env.Keys)
	}
	return rowLines(s, l.layout.row, it, r.shown.Searching(), selected, age, "")
}
