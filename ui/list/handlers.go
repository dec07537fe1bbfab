package list

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// obstacles are the reasons against acting now, "" where there is none.
type obstacles struct {
	noRow      string // there is no current row
	notHere    string // noRow, or the row that the user is going to is still being read
	outdated   string // notHere, or the rows answer the previous query
	noSubjects string // outdated, unless rows are marked: they are known already
}

// stillReading is why nothing can be done before the first rows have come.
const stillReading = "still reading"

// obstacles finds the reasons against acting on the list as it is now.
func (l *Screen) obstacles() obstacles {
	r := &l.results
	var o obstacles
	switch it := r.current(); {
	case r.err != nil:
		o.noRow = "the conversations could not be read; " + l.env.Keys.Find(shell.InList, shell.Refresh).KeyText() + " retries"
	case !r.ready, it == nil && !r.whole():
		o.noRow = stillReading
	case it == nil:
		o.noRow = "no conversation here"
	}
	o.outdated, o.notHere = o.noRow, o.noRow
	if o.noRow == "" && !r.chosenByHand && r.shown.Query.Text != l.fetch.asked.Query.Text {
		o.outdated = "still searching; these rows are for the previous query"
	}
	if why := r.waitReason(); why != "" && o.noRow == "" {
		o.outdated, o.notHere = why, why
	}
	o.noSubjects = o.outdated
	if len(r.marks.roots) > 0 && !r.marks.all {
		o.noSubjects = ""
	}
	return o
}

// Handlers implements [shell.Screen]: what can be done to the current row, to
// the marked ones, and to the list.
func (l *Screen) Handlers() []shell.Handler {
	o := l.obstacles()
	return slices.Concat(l.markHandlers(o.notHere, o.outdated), l.rowHandlers(o), l.listHandlers(), l.named.handlers(), l.moveHandlers())
}

// rowHandlers act on the current row, or on the marked ones. They are about the
// row that is current now, whatever answers come while a menu is open.
func (l *Screen) rowHandlers(o obstacles) []shell.Handler {
	var row model.Conversation
	if it := l.results.current(); it != nil {
		row = *it.Conversation
	}
	one := func() model.Conversation { return row }
	of := func() shell.Subjects { return l.results.marks.subjects(row) }
	none := o.noRow
	if none == stillReading {
		none = ""
	}
	reading := func(a shell.Action) shell.Handler {
		return shell.NewHandler(a, none, func() tea.Cmd {
			if o.outdated != "" { // reading is harmless, so it may wait for its row
				l.results.pending.read = a
				return nil
			}
			return l.read(a)
		})
	}
	resume := shell.ResumeHandlers(l.sh, o.outdated, func() string { return row.ID })
	for i := range resume {
		resume[i].Do = l.results.guard.protect(l.sh, resume[i].Do)
	}
	return append(slices.Concat(resume, shell.NoteHandlers(l.sh, o.notHere, row), shell.OutsideHandlers(l.sh, o.outdated, o.noSubjects, one, of), shell.ChangeHandlers(l.sh, o.outdated, o.noSubjects, row, of)),
		reading(shell.Open),
		reading(shell.Lineage),
		shell.NewHandler(shell.Copy, o.notHere, func() tea.Cmd { return l.sh.Do(shell.OpenCopyMenu{Toggle: shell.Copy, Conversation: row}) }),
	)
}

// listHandlers act on the list as a whole.
func (l *Screen) listHandlers() []shell.Handler {
	noHistory := ""
	if len(l.history) == 0 {
		noHistory = "no earlier queries"
	}
	var row model.Conversation
	if it := l.results.current(); it != nil {
		row = *it.Conversation
	}
	return []shell.Handler{
		shell.NewHandler(shell.CycleScope, "", func() tea.Cmd {
			l.filters.nextScope(&l.results)
			return l.ask(FirstPage)
		}),
		shell.NewHandler(shell.CycleSort, "", func() tea.Cmd {
			l.filters.nextOrder(l.question().Searching())
			return l.ask(FirstPage)
		}),
		shell.NewHandler(shell.History, noHistory, func() tea.Cmd {
			return l.sh.Do(l.history.Menu(func(text string) tea.Cmd { return retype(l, text) }))
		}),
		shell.NewHandler(shell.Expiring, "", func() tea.Cmd { return retype(l, "is:expiring") }),
		shell.NewHandler(shell.Preview, "", l.togglePreview),
		cleanUp(l.sh),
		shell.StorageHandler(l.sh, row),
		shell.CompareHandler(l.sh, len(l.results.marks.roots), l.results.marks.tips),
		shell.NewHandler(shell.Running, "", func() tea.Cmd { return l.sh.Do(shell.OpenScreen{In: shell.InRunning}) }),
		shell.NewHandler(shell.Usage, "", func() tea.Cmd { return l.sh.Do(shell.OpenScreen{In: shell.InUsage}) }),
		shell.NewHandler(shell.Refresh, "", l.Refresh),
		shell.NewHandler(shell.Type, "", func() tea.Cmd {
			l.mode.begin()
			return nil
		}),
		shell.NewHandler(shell.Filter, "", func() tea.Cmd {
			return tea.Batch(l.sh.Do(facetPanel(l)), l.LoadCommands())
		}),
		shell.NewHandler(shell.Back, "", l.back),
	}
}

// moveHandlers move the current row and scroll the preview.
func (l *Screen) moveHandlers() []shell.Handler {
	noPane := ""
	if l.layout.pane.W == 0 {
		noPane = "the preview is hidden"
	}
	then := func(move func()) func() tea.Cmd {
		return func() tea.Cmd {
			move()
			return tea.Batch(l.follow(), l.More())
		}
	}
	all := []shell.Handler{
		shell.NewHandler(shell.PreviewUp, noPane, then(func() { l.pane.Scroll(-1) })),
		shell.NewHandler(shell.PreviewDown, noPane, then(func() { l.pane.Scroll(1) })),
	}
	for _, a := range []shell.Action{shell.Up, shell.Down, shell.PageUp, shell.PageDown, shell.First, shell.Last} {
		all = append(all, shell.NewHandler(a, "", then(func() { l.results.moveByHand(a, l.sh.Held()) })))
	}
	return all
}

// read opens the lineage of the current conversation, or its transcript, at the hit when
// searching.
func (l *Screen) read(a shell.Action) tea.Cmd {
	it := l.results.current()
	if a == shell.Lineage {
		return l.sh.Do(shell.OpenLineage{ID: it.ID})
	}
	l.history.Add(l.prompt.Text())
	return l.sh.Do(shell.OpenTranscript{Conversation: *it.Conversation, Query: l.results.queryOf(it), Hit: it.hit(), FromList: true})
}

// back takes one step out: the offers, the marks, the query, then the program.
func (l *Screen) back() tea.Cmd {
	r := &l.results
	switch {
	case l.completion.showing():
		l.completion.close()
		return nil
	case l.mode.end():
		return nil
	case len(r.marks.roots) > 0:
		r.unmark()
		return nil
	case l.prompt.Empty():
		return l.sh.Do(shell.EndProgram{})
	}
	if r.shown.Query.Text == l.fetch.asked.Query.Text && len(r.found.Items) > 0 {
		l.history.Add(l.prompt.Text())
	}
	l.prompt.Clear()
	return l.edited(true)
}

// togglePreview shows or hides the preview, as far as there is room for it.
func (l *Screen) togglePreview() tea.Cmd {
	was := l.wish
	if l.layout.pane.W > 0 {
		l.wish = previewHidden
	} else {
		l.wish = previewShown
	}
	l.relayout()
	if l.wish == previewShown && l.layout.pane.W == 0 {
		l.wish = was
		l.relayout()
		return l.sh.Refuse("not enough room for a preview")
	}
	return l.follow()
}
