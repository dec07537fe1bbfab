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
	running     runningRows
	preparation preparation

	pane       *preview.Pane
	wish       previewWish
	layout     layout
	furtherFor string   // the query whose matches that are further away are shown too
	columns    []string // that the user wants, nil for all that there is room for
	noFolders  bool     // no row could have a folder, so titles have the room of that column
	clicks     shell.Clicks
}

// New makes the screen. history has the queries of earlier runs, newest first; excerpt
// draws the end of a conversation for the preview.
func New(sh shell.Shell, history []string, excerpt func(shell.Passage) shell.Excerpt) *Screen {
	env := sh.Env()
	s := &Screen{
		sh: sh, env: env, history: slices.Clone(history), prompt: kit.NewPrompt(env.Query), mode: newTypingMode(env.Keys, env.Query),
		filters: newFilters(env.List, env.Known), facets: newFacetCounter(env.Context, env.Library),
		fetch: newFetch(env), watch: newWatch(env.Clock()), running: newRunningRows(env), pane: preview.New(sh, excerpt), columns: env.Columns,
	}
	s.named = newNamedQueries(s)
	s.completion = newCompletion(s)
	s.results = newResults(env.List.Limit, env.Clock, s.drawRow)
	s.results.rows.Lines = s.results.linesOf
	return s
}

// ShowColumns shows these columns in the rows, with nil all that there is room for.
func (s *Screen) ShowColumns(columns []string) {
	s.columns = columns
	s.relayout()
}

// Context implements [shell.Screen].
func (s *Screen) Context() shell.Context { return shell.InList }

// Heading implements [shell.Screen].
func (s *Screen) Heading() string {
	if s.env.Where == "" {
		return "hermes sessions"
	}
	return "hermes sessions · " + s.env.Where
}

// Start implements [shell.Screen].
func (s *Screen) Start() tea.Cmd {
	return tea.Batch(s.ask(FirstRows), readVersion(s.env.Context, s.env.Library))
}

// Refresh reads the rows on the screen again. It implements [shell.Screen].
func (s *Screen) Refresh() tea.Cmd { return tea.Batch(s.reask(), s.pane.Again()) }

// Current is the row that actions are about, nil when there is none.
func (s *Screen) Current() *Item { return s.results.current() }

// Version returns the version of the database when it was last read, 0 before that.
func (s *Screen) Version() int64 { return s.watch.version }

// Listing returns scope, order, sources and folder of the list without a query.
func (s *Screen) Listing() query.ListOptions { return s.named.listing(&s.filters) }

// Queries returns the queries that led to a conversation, newest first; led says
// that the one that is typed has.
func (s *Screen) Queries(led bool) []string {
	if led {
		s.history.Add(s.prompt.Text())
	}
	return slices.Clone(s.history)
}

// Update takes answers, typing and the mouse. It implements [shell.Screen].
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[RowsQuery, rowsAnswer]:
		if msg.From == s.fetch.read {
			return s.answered(msg)
		}
		return nil
	case tea.ResumeMsg:
		return s.Refresh()
	case tea.BlurMsg:
		s.watch.away = true
		return nil
	case tea.FocusMsg:
		s.watch.away = false
		return readVersion(s.env.Context, s.env.Library)
	case tea.WindowSizeMsg: // there may be room for more rows, and for a preview
		return tea.Batch(s.follow(), s.More())
	case tea.KeyPressMsg:
		return s.typed(msg)
	case tea.PasteMsg:
		return s.edit(msg)
	case tea.MouseWheelMsg:
		return s.wheel(msg)
	case tea.MouseClickMsg:
		return s.click(msg)
	case shell.Polled:
		return s.polled(msg)
	case shell.Annotated:
		s.named.bar.Recount()
		if s.results.lines.clear(); msg.Err != nil {
			s.sh.Fail(msg.Err)
		}
		return nil
	case shell.ConversationRead:
		s.named.bar.Recount()
		s.results.lines.clear()
		return nil
	case shell.QueriesEdited:
		return s.named.edited(msg)
	}
	if cmd, ok := s.takeScheduled(msg); ok {
		return cmd
	}
	if cmd, ok := s.takeLookup(msg); ok {
		return cmd
	}
	return s.pane.Update(msg)
}

// takeScheduled takes the messages that the list has scheduled for itself; ok is false for
// everything else.
func (s *Screen) takeScheduled(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case firstDrawn:
		if msg.list == s {
			cmd = tea.Batch(s.More(), s.follow())
		}
	case prepared:
		if msg.by == &s.preparation && s.preparation.end(s.env.Clock()) && s.results.shown.searching() {
			cmd = s.reask()
		}
	case guardTick:
		if msg.guard == &s.results.guard {
			s.results.guard.take(msg)
		}
	case poll:
		if msg.watch == &s.watch && msg.n == s.watch.polls {
			cmd = readVersion(s.env.Context, s.env.Library)
		}
	default:
		return nil, false
	}
	return cmd, true
}

// takeLookup takes the answers to the lesser requests: values of filters, their counts,
// and the counts of named queries; ok is false for every other message.
func (s *Screen) takeLookup(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case kit.Answer[[]model.Conversation, []model.Running]:
		if msg.From == s.running.read {
			cmd = s.running.take(msg)
			s.results.lines.clear()
		}
	case kit.Answer[query.Field, []query.FieldValue]:
		if msg.From == s.completion.read {
			cmd = s.completion.take(msg)
		}
	case kit.Answer[query.ListOptions, facets]:
		if msg.From == s.facets.read {
			cmd = tea.Batch(s.facets.take(msg), s.sh.Do(shell.RefillDialogs{}))
		}
	default:
		return s.named.bar.Update(msg)
	}
	return cmd, true
}

// polled takes the version of the database, and looks at the clock.
func (s *Screen) polled(msg shell.Polled) tea.Cmd {
	now := s.env.Clock()
	s.running.now = now
	if s.watch.minute(now) || len(s.running.byRoot) > 0 {
		s.results.lines.clear()
	}
	if r := &s.results; r.ready {
		if notes := r.found.healthNotes(msg.Notes); !slices.Equal(r.found.notes, notes) {
			r.found.notes = notes
			s.relayout()
		}
	}
	next := s.watch.later()
	s.watch.note(msg, now)
	if msg.Notice != "" {
		s.fetch.took = 0 // in what may be another file
	}
	if s.fetch.mustPause(now) {
		return next
	}
	if s.watch.due() || !s.results.shown.searching() && s.running.outdated(s.fetch.at, now) {
		return tea.Batch(next, s.reask())
	}
	if s.preparation.begun { // it may have rested
		next = tea.Batch(next, s.prepare())
	}
	return tea.Batch(next, s.More(), s.named.count())
}

// follow keeps the preview on the current row.
func (s *Screen) follow() tea.Cmd {
	it := s.results.current()
	if it == nil || s.layout.pane.W == 0 || s.results.err != nil {
		return nil
	}
	return s.pane.Aim(it.Conversation, it.hit().MessageID, s.results.queryOf(it))
}

// Resize implements [shell.Screen].
func (s *Screen) Resize(w, h int) {
	s.layout.w, s.layout.h = w, h
	s.relayout()
}

// Restyle implements [shell.Screen].
func (s *Screen) Restyle() {
	s.results.lines.clear()
	s.pane.Restyle()
	s.relayout()
}

// relayout places the parts; the current row stays in sight.
func (s *Screen) relayout() {
	old, r := s.layout, &s.results
	st := s.sh.Styles()
	chips, banner := len(chipLines(st, s.remarks(), old.w)), len(shell.Banner(st, r.found.notes, old.w, max(old.h/4, 3)))
	s.layout = newLayout(old.w, old.h, s.wish, chips, banner, s.env.Several, len(s.named.bar.Queries) > 0, r.shown.List.SortOrder())
	if s.columns != nil && !s.layout.tiny {
		s.layout.row = s.layout.row.choose(s.columns, s.env.Several)
	}
	if s.noFolders {
		s.layout.row.folder = 0
	}
	if s.layout.row != old.row {
		r.lines.clear()
	}
	r.rows.Resize(s.layout.rows.H)
	r.rows.Reveal()
	s.pane.Resize(s.layout.inside())
}

// age tells when a row was last active, or when it started where that orders the rows: how
// long ago, and the day under the heading of a month.
func (s *Screen) age(it *Item) string {
	at, order := it.LastActive, s.results.shown.List.SortOrder()
	if order == query.ByStart {
		at = it.RootStartedAt
	}
	cal, headed := s.watch.days, false
	switch {
	case it.isClose() || at.IsZero():
	case order == query.ByActivity:
		headed = cal.OfConversation(*it.Conversation) == model.GroupOlder
	case order == query.ByStart:
		headed = cal.OfTime(at) == model.GroupOlder
	}
	if headed {
		return at.In(s.watch.now.Location()).Format("2 Jan")
	}
	return model.Age(s.watch.now, at)
}

func (s *Screen) drawRow(i int, selected bool) []string {
	r := &s.results
	st := s.sh.Styles()
	it := &r.found.items[i]
	age := s.age(it)
	it.running = s.running.of(it)
	it.unread, it.noted = s.env.Unread(it.Conversation), kit.CleanLine(s.env.Noted(it.RootID))
	it.bookmarked = s.env.Bookmarked(it.RootID)
	if it.expires = ""; it.Expiring(s.watch.now) {
		it.expires = "expires in " + it.ExpiresIn(s.watch.now)
		if !it.ExpiresAt.After(s.watch.now) {
			it.expires = "expires now"
		}
	}
	if it.isClose() {
		return closeRowLines(st, s.layout.row, r, i, selected, age, s.env.Keys)
	}
	return rowLines(st, s.layout.row, it, r.shown.searching(), selected, age, "")
}
