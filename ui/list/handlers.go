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
func (s *Screen) obstacles() obstacles {
	r := &s.results
	var o obstacles
	it := r.current()
	switch {
	case r.err != nil:
		o.noRow = "the conversations could not be read; " + s.env.Keys.Find(shell.InList, shell.Reload).KeyText() + " retries"
	case !r.ready, it == nil && !r.whole():
		o.noRow = stillReading
	case it == nil:
		o.noRow = "no conversation here"
	}
	o.outdated, o.notHere = o.noRow, o.noRow
	if o.noRow == "" && !r.chosenByHand && s.answersPreviousQuery() {
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

// answersPreviousQuery reports whether the rows of the query have not come yet.
func (s *Screen) answersPreviousQuery() bool {
	return s.results.shown.Query.Text != s.fetch.asked.Query.Text
}

// Handlers implements [shell.Screen]: what can be done to the current row, to
// the marked ones, and to the list.
func (s *Screen) Handlers() []shell.Handler {
	o := s.obstacles()
	return slices.Concat(s.markHandlers(o.notHere, o.outdated), s.rowHandlers(o), s.listHandlers(), s.named.handlers(), s.moveHandlers())
}

// rowHandlers act on the current row, or on the marked ones. They are about the
// row that is current now, whatever answers come while a menu is open.
func (s *Screen) rowHandlers(o obstacles) []shell.Handler {
	var it Item
	var row model.Conversation
	if current := s.results.current(); current != nil {
		it, row = *current, *current.Conversation
	}
	one := func() model.Conversation { return row }
	of := func() shell.Subjects { return s.results.marks.subjects(row) }
	none := o.noRow
	if none == stillReading {
		none = ""
	}
	reading := func(a shell.Action) shell.Handler {
		return shell.NewHandler(a, none, func() tea.Cmd {
			if o.outdated != "" { // reading is harmless, so it may wait for its row
				s.results.pending.then = a
				return nil
			}
			return s.read(a, &it)
		})
	}
	resume := shell.ResumeHandlers(s.sh, o.outdated, func() string { return row.ID })
	for i := range resume {
		resume[i].Do = s.results.guard.protect(s.sh, resume[i].Do)
	}
	return append(slices.Concat(resume, shell.NoteHandlers(s.sh, o.notHere, row), shell.OutsideHandlers(s.sh, o.outdated, o.noSubjects, one, of), shell.ChangeHandlers(s.sh, o.outdated, o.noSubjects, row, of)),
		reading(shell.Read),
		reading(shell.Lineage),
		shell.NewHandler(shell.Copy, o.notHere, func() tea.Cmd { return s.sh.Do(shell.OpenCopyMenu{Toggle: shell.Copy, Conversation: row}) }),
	)
}

// listHandlers act on the list as a whole.
func (s *Screen) listHandlers() []shell.Handler {
	noHistory := ""
	if len(s.history) == 0 {
		noHistory = "no earlier queries"
	}
	return append(shell.SpaceHandlers(s.sh), []shell.Handler{
		shell.NewHandler(shell.Hidden, "", func() tea.Cmd {
			s.filters.toggleHidden()
			return s.ask(FirstPage)
		}),
		shell.NewHandler(shell.CycleSort, "", func() tea.Cmd {
			s.filters.nextOrder(s.rowsQuery().searching())
			return s.ask(FirstPage)
		}),
		shell.NewHandler(shell.EarlierQueries, noHistory, func() tea.Cmd {
			return s.sh.Do(s.history.Menu(func(text string) tea.Cmd { return s.retype(text) }))
		}),
		shell.NewHandler(shell.Preview, "", s.togglePreview),
		shell.CompareHandler(s.sh, len(s.results.marks.roots), s.results.marks.tips),
		s.runningHandler(),
		shell.NewHandler(shell.Usage, "", func() tea.Cmd { return s.sh.Do(shell.OpenScreen{In: shell.InUsage}) }),
		shell.NewHandler(shell.Reload, "", s.Refresh),
		shell.NewHandler(shell.Type, "", func() tea.Cmd {
			s.mode.begin()
			return nil
		}),
		shell.NewHandler(shell.Filter, "", func() tea.Cmd {
			count := s.LoadCommands() // first, so that the panel knows of it
			return tea.Batch(s.sh.Do(s.facetPanel()), count)
		}),
		shell.NewHandler(shell.Back, "", s.back),
	}...)
}

// moveHandlers move the current row and scroll the preview.
func (s *Screen) moveHandlers() []shell.Handler {
	noPane := ""
	if s.layout.pane.W == 0 {
		noPane = "the preview is hidden"
	}
	then := func(move func()) func() tea.Cmd {
		return func() tea.Cmd {
			move()
			return tea.Batch(s.follow(), s.More())
		}
	}
	all := []shell.Handler{
		shell.NewHandler(shell.PreviewUp, noPane, then(func() { s.pane.Scroll(-1) })),
		shell.NewHandler(shell.PreviewDown, noPane, then(func() { s.pane.Scroll(1) })),
	}
	for _, a := range []shell.Action{shell.Up, shell.Down, shell.PageUp, shell.PageDown, shell.First, shell.Last} {
		move := then(func() {
			s.results.moveByHand(a, s.sh.Held())
			// The rows are still those of the previous query. Until the screen says that it is
			// searching, the user cannot know that, so this move chooses no row.
			if s.answersPreviousQuery() && !s.fetch.late() {
				s.results.chosenByHand = false
			}
		})
		all = append(all, shell.NewHandler(a, "", func() tea.Cmd {
			if down := a == shell.Down || a == shell.PageDown || a == shell.Last; down && s.results.furtherBelow(s.results.rows.Selected) {
				return s.openFurther()
			}
			return move()
		}))
	}
	return all
}

// read opens the lineage of a conversation, or its transcript, at the hit when searching.
func (s *Screen) read(a shell.Action, it *Item) tea.Cmd {
	if a == shell.Lineage {
		return s.sh.Do(shell.OpenLineage{ID: it.ID})
	}
	s.history.Add(s.prompt.Text())
	return s.sh.Do(shell.OpenTranscript{Conversation: *it.Conversation, Query: s.results.queryOf(it), Hit: it.hit(), FromList: true})
}

// back takes one step out: the offers, the marks, the query, then the program.
func (s *Screen) back() tea.Cmd {
	r := &s.results
	switch {
	case s.completion.showing():
		s.completion.close()
		return nil
	case s.mode.end():
		return nil
	case len(r.marks.roots) > 0:
		r.unmark()
		return nil
	case s.prompt.Empty():
		return s.sh.Do(shell.EndProgram{})
	}
	if r.shown.Query.Text == s.fetch.asked.Query.Text && len(r.found.items) > 0 {
		s.history.Add(s.prompt.Text())
	}
	s.prompt.Clear()
	return s.edited(true)
}

// togglePreview shows or hides the preview, as far as there is room for it.
func (s *Screen) togglePreview() tea.Cmd {
	was := s.wish
	if s.layout.pane.W > 0 {
		s.wish = previewHidden
	} else {
		s.wish = previewShown
	}
	s.relayout()
	if s.wish == previewShown && s.layout.pane.W == 0 {
		s.wish = was
		s.relayout()
		return s.sh.Refuse("not enough room for a preview")
	}
	return s.follow()
}
