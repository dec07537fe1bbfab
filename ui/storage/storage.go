// Package storage is the screen of where the bytes of a database are: the sizes of its
// files, and what each conversation, source and month takes, the largest first.
//
// It shows the sizes of the files at once, then the conversations, and then measures the
// texts in steps, newest messages first. Each step is one command, so that a screen that is
// closed measures nothing more.
package storage

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// part is what a question is about.
type part int

const (
	sizes part = iota
	conversations
	texts
)

// question is a part of what the screen shows; from is the message where a step begins.
type question struct {
	part part
	from int64
}

// found is the answer to a question.
type found struct {
	forecast      model.VacuumForecast
	conversations []model.Conversation
	step          model.StorageStep
}

// The lists of the screen.
const (
	byConversation = iota
	bySource
	byMonth
)

// Screen implements [shell.Screen].
type Screen struct {
	shell.KeysOnly
	sh   shell.Shell
	env  *shell.Env
	of   model.Conversation // whose database is shown, of several
	rows kit.Rows
	w, h int

	read     *kit.Latest[question, found]
	forecast model.VacuumForecast
	sized    bool // forecast has been read
	asked    bool // the question before a vacuum is to be opened
	all      []model.Conversation
	listed   bool // all has been read
	shown    model.Storage
	fresh    model.Storage // being measured
	again    bool          // shown is complete, and is measured again
	err      error

	list    int
	source  string // whose conversations are listed, where one is
	sourced bool
	entries []model.StorageRow
	largest int64 // of the texts of entries

	clicks shell.Clicks
}

// New makes the screen of the database of a conversation, which means nothing where there is
// only one.
func New(sh shell.Shell, of model.Conversation) *Screen {
	s := &Screen{sh: sh, env: sh.Env(), of: of}
	library := s.env.Library
	s.read = kit.NewLatest(s.env.Context, func(ctx context.Context, q question) (f found, err error) {
		switch q.part {
		case sizes:
			f.forecast, err = library.ForecastVacuum(ctx, of.ID)
		case conversations:
			var page model.ConversationPage
			page, err = library.Conversations(ctx, query.ListOptions{Scope: model.ScopeAll, RowsOnly: true})
			f.conversations = page.Conversations
			if s.env.Several {
				f.conversations = slices.DeleteFunc(f.conversations, func(c model.Conversation) bool { return c.Profile != of.Profile })
			}
		case texts:
			f.step, err = library.MeasureStorage(ctx, of.ID, q.from)
		}
		return f, err
	})
	s.rows.Lines = func(i int) []string { return []string{s.line(i)} }
	return s
}

// Context names the keys of the screen.
func (s *Screen) Context() shell.Context { return shell.InStorage }

// Heading names the screen for the window title.
func (s *Screen) Heading() string { return "storage · hermes sessions" }

// Start reads the sizes of the files.
func (s *Screen) Start() tea.Cmd { return s.Refresh() }

// Refresh measures again. The previous figures stay on the screen until the new ones arrive.
func (s *Screen) Refresh() tea.Cmd {
	s.fresh, s.again, s.err, s.listed = model.Storage{Next: model.FromNewest}, s.shown.Done, nil, false
	return s.read.Ask(question{part: sizes})
}

// Restyle has nothing to do: lines are drawn again each time.
func (s *Screen) Restyle() {}

// Resize lays the screen out for a window of w columns and h lines.
func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.rows.Resize(max(h-len(s.head()), 1))
	s.rows.Reveal()
}

// Update takes the answers of the library, and handles the mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[question, found]:
		if msg.From != s.read {
			return nil
		}
		ok, next := s.read.Take(msg)
		if !ok || !s.read.Settled() {
			return next
		}
		if s.err = msg.Err; s.err != nil {
			s.asked = false
			return nil
		}
		return s.take(msg.Query, msg.Value)
	case tea.MouseWheelMsg:
		s.rows.Scroll(shell.Wheel(msg))
	case tea.MouseClickMsg:
		return s.click(msg)
	}
	return nil
}

// take puts an answer on the screen and asks for what is still missing.
func (s *Screen) take(q question, f found) tea.Cmd {
	var ask tea.Cmd
	switch q.part {
	case sizes:
		s.forecast, s.sized = f.forecast, true
		s.fresh.Sizes, s.shown.Sizes = f.forecast.Sizes, f.forecast.Sizes
		if s.asked {
			s.asked = false
			ask = s.sh.Do(s.vacuumMenu())
		}
	case conversations:
		s.all, s.listed = f.conversations, true
	case texts:
		s.fresh.Add(f.step)
	}
	if !s.again || s.fresh.Done {
		s.shown, s.again = s.fresh, false
	}
	s.show()
	return tea.Batch(ask, s.goOn())
}

// goOn reads the next part that is missing, nil where all has been read.
func (s *Screen) goOn() tea.Cmd {
	switch {
	case !s.listed:
		return s.read.Ask(question{part: conversations})
	case !s.fresh.Done:
		return s.read.Ask(question{part: texts, from: s.fresh.Next})
	}
	return nil
}

// show fills the list; the current row stays the current one, unless it is the first.
func (s *Screen) show() {
	before := model.StorageRow{}
	if s.rows.Selected > 0 && s.rows.Selected < len(s.entries) {
		before = s.entries[s.rows.Selected]
	}
	switch s.list {
	case byConversation:
		s.entries = s.shown.ByConversation(s.all)
		if s.sourced {
			kept := s.entries[:0]
			for _, e := range s.entries {
				if e.Conversation.Source == s.source {
					kept = append(kept, e)
				}
			}
			s.entries = kept
		}
	case bySource:
		s.entries = s.shown.BySource(s.all)
	case byMonth:
		s.entries = s.shown.ByMonth()
	}
	s.largest = 0
	for i := range s.entries {
		s.largest = max(s.largest, s.entries[i].Text)
	}
	sel := min(max(s.rows.Selected, 0), len(s.entries)-1)
	for i := range s.entries {
		if s.rows.Selected > 0 && same(s.entries[i], before) {
			sel = i
		}
	}
	top := s.rows.Top
	s.rows.Reset(len(s.entries), sel)
	s.rows.Top = max(0, min(top, len(s.entries)-1))
	s.rows.Settle()
	s.rows.Reveal()
}

// same reports whether two rows are about the same.
func same(a, b model.StorageRow) bool {
	if a.Conversation != nil && b.Conversation != nil {
		return a.Conversation.RootID == b.Conversation.RootID
	}
	return a.Conversation == nil && b.Conversation == nil && a.Name == b.Name && a.Month.Equal(b.Month)
}

// look shows another list.
func (s *Screen) look(list int) tea.Cmd {
	s.list, s.sourced = list, false
	s.rows.Reset(0, 0)
	s.show()
	return nil
}

// click chooses a list by its tab, or a row, which a second click opens.
func (s *Screen) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	top := len(s.head())
	if top > 1 && msg.Y == 1 {
		if list := s.tabs().At(s.sh.Styles(), msg.X, s.w); list >= 0 {
			return s.look(list)
		}
		return nil
	}
	return s.clicks.OnRow(s.sh, s, shell.Open, &s.rows, msg.Y-top)
}

// current returns the row that the next key acts on, nil for none.
func (s *Screen) current() *model.StorageRow {
	if i := s.rows.Selected; i >= 0 && i < len(s.entries) {
		return &s.entries[i]
	}
	return nil
}

// Handlers lists the actions of the screen, each with the reason why it is not possible
// now.
func (s *Screen) Handlers() []shell.Handler {
	row := s.current()
	if row != nil {
		row = new(*row) // the rows may be others when a menu has been open
	}
	none, open := "", ""
	switch {
	case s.err != nil:
		none = "the database could not be read"
	case row == nil && s.listed:
		none = "nothing here"
	case row == nil:
		none = "still reading"
	}
	if open = none; open == "" && s.list == byMonth {
		open = "months cannot be opened; conversations and sources can"
	}
	remove, resume := none, none
	if none == "" && row.Conversation == nil {
		remove, resume = "only conversations can be deleted", "only conversations can be resumed"
	}
	vacuum, checkpoint := "", ""
	switch {
	case !s.sized:
		vacuum, checkpoint = "still reading", "still reading"
	case s.forecast.Sizes.Free == 0:
		vacuum = "the file has no free pages"
	}
	if checkpoint == "" && s.forecast.Sizes.Log == 0 {
		checkpoint = "the write-ahead log is empty"
	}
	return append(slices.Concat(shell.ResumeHandlers(s.sh, resume, func() string { return row.Conversation.ID }), shell.RowHandlers(&s.rows, none, nil)), []shell.Handler{
		shell.NewHandler(shell.Open, open, func() tea.Cmd { return s.open(row) }),
		shell.NewHandler(shell.Delete, s.env.WhyUnchangeable(remove), func() tea.Cmd { return s.sh.Do(shell.AskDelete{Of: shell.Single(*row.Conversation)}) }),
		shell.NewHandler(shell.Vacuum, s.env.WhyUnchangeable(vacuum), func() tea.Cmd {
			s.asked = true
			return s.read.Ask(question{part: sizes})
		}),
		shell.NewHandler(shell.EmptyTheLog, s.env.WhyUnchangeable(checkpoint), func() tea.Cmd { return s.sh.Do(shell.CompactDatabase{Session: s.of.ID}) }),
		shell.NewHandler(shell.View, "", func() tea.Cmd { return s.look((s.list + 1) % len(listNames())) }),
		shell.NewHandler(shell.PreviousView, "", func() tea.Cmd { return s.look((s.list + len(listNames()) - 1) % len(listNames())) }),
		shell.NewHandler(shell.Reload, "", s.Refresh),
		shell.NewHandler(shell.Back, "", s.back),
	}...)
}

// open reads the conversation of a row, or lists those of its source.
func (s *Screen) open(row *model.StorageRow) tea.Cmd {
	if row.Conversation != nil {
		return s.sh.Do(shell.OpenTranscript{Conversation: *row.Conversation})
	}
	source := row.Name
	s.look(byConversation)
	s.source, s.sourced = source, true
	s.show()
	return nil
}

// back leaves the conversations of one source, and then the screen.
func (s *Screen) back() tea.Cmd {
	if s.sourced {
		source := s.source
		s.look(bySource)
		for i := range s.entries {
			if s.entries[i].Name == source {
				s.rows.Move(i)
			}
		}
		return nil
	}
	return s.sh.Do(shell.CloseScreen{})
}

// vacuumMenu is the question before a vacuum, with what it takes. Where it is known that it
// would fail, it says why and offers nothing.
func (s *Screen) vacuumMenu() shell.OpenMenu {
	f := s.forecast
	menu := shell.OpenMenu{Title: "Vacuum the database?", Text: f.Text(), Entries: []shell.Entry{
		{Letter: "n", Label: "cancel", Do: func() tea.Cmd { return nil }},
	}}
	if why := f.Why(); why != "" {
		menu.Title = "Cannot vacuum: " + why
		return menu
	}
	menu.Entries = append(menu.Entries, shell.Entry{Letter: "y", Label: "vacuum", Do: func() tea.Cmd {
		return s.sh.Do(shell.CompactDatabase{Session: s.of.ID, Vacuum: true})
	}})
	return menu
}
