// Package usage is the screen of what sessions have consumed over time: a year as a
// calendar, and rows by day, week or month, by model, source, folder, profile, tool, hour
// and conversation. Each row opens the conversations behind it.
//
// The sessions are read once and summed up in memory by package model/usage. The calls of
// tools are read from the messages, when they are first asked for, some sessions at a time.
//
//   - screen.go: reading, keys and mouse
//   - choice.go: what is shown: the view, the range, the measure, the groups that are open
//   - picture.go: the sums of a choice, made in a command
//   - tools.go: counting the calls of tools
//   - view.go: the layout of the screen, its head and its rows
//   - calendar.go: the calendar
package usage

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/usage"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Screen is the screen of usage. It implements [shell.Screen].
type Screen struct {
	shell.KeysOnly
	sh   shell.Shell
	env  *shell.Env
	w, h int

	read   *kit.Latest[request, answer]
	names  *kit.Latest[request, answer]
	tools  toolCounter
	report usage.Report
	ready  bool
	err    error
	fresh  shell.Freshness

	choice choice // what the next picture shows
	shown  choice // what the screen shows
	sums   *kit.Latest[request, answer]
	picture
	previews map[string]model.Conversation // of conversations, by their roots
	rows     kit.Rows
	shape    shape

	clicks shell.Clicks
}

// request is what the screen asks: nothing for the sessions, ids for what belongs to them,
// or a picture. It is one type for all, because each type of request takes some kilobytes
// of the program.
type request struct {
	ids     []string
	picture pictureQuery
}

// answer is the answer to a request.
type answer struct {
	report  usage.Report
	named   []model.Conversation
	counts  []usage.ToolCount
	picture picture
}

// New makes the screen. version is the version of the database, 0 if unknown.
func New(sh shell.Shell, version int64) *Screen {
	env := sh.Env()
	s := &Screen{sh: sh, env: env, fresh: shell.NewFreshness(version), choice: newChoice(), previews: map[string]model.Conversation{}}
	lib := env.Library
	s.read = kit.NewLatest(env.Context, func(ctx context.Context, _ request) (a answer, err error) {
		a.report, err = lib.UsageReport(ctx)
		return a, err
	})
	s.names = kit.NewLatest(env.Context, func(ctx context.Context, q request) (a answer, err error) {
		for _, id := range q.ids {
			c, err := lib.Conversation(ctx, id)
			if ctx.Err() != nil {
				return a, ctx.Err()
			}
			if err == nil { // one that is gone keeps its id
				a.named = append(a.named, c)
			}
		}
		return a, nil
	})
	s.shown = s.choice
	s.sums = kit.NewLatest(env.Context, draw)
	s.tools = newToolCounter(env)
	s.rows.Lines = s.lines
	return s
}

// Context names the keys of the screen.
func (s *Screen) Context() shell.Context { return shell.InUsage }

// Heading names the screen for the window title.
func (s *Screen) Heading() string { return "usage · hermes sessions" }

// Start reads the sessions.
func (s *Screen) Start() tea.Cmd { return s.Refresh() }

// Refresh reads the sessions again.
func (s *Screen) Refresh() tea.Cmd {
	s.fresh.Asked(s.env.Clock())
	return s.read.Ask(request{})
}

// Restyle lays out again: marks and widths may be others.
func (s *Screen) Restyle() { s.layOut() }

// Resize lays the screen out for a window of w columns and h lines.
func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.layOut()
}

// Update takes answers, and handles the mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[request, answer]:
		switch msg.From {
		case s.read:
			return s.take(msg)
		case s.names:
			return s.named(msg)
		case s.tools.read:
			return s.counted(msg)
		case s.sums:
			return s.drawn(msg)
		}
	case shell.Polled:
		if s.fresh.Outdated(msg, s.read.Settled(), s.env.Clock()) {
			return s.Refresh()
		}
	case tea.MouseWheelMsg:
		s.rows.Scroll(shell.Wheel(msg))
		return s.readNames()
	case tea.MouseClickMsg:
		return s.click(msg)
	}
	return nil
}

// take shows an answer of the library.
func (s *Screen) take(msg kit.Answer[request, answer]) tea.Cmd {
	ok, next := s.read.Take(msg)
	if !ok {
		return next
	}
	s.fresh.Answered(s.env.Clock())
	if s.err = msg.Err; msg.Err != nil {
		return next
	}
	first := !s.ready
	s.report, s.ready = msg.Value.report, true
	s.tools.forgetChanged(s.report)
	if first {
		total := s.report.Total().Usage
		switch { // the first versions count no costs, or no tokens either
		case total.Tokens() == 0 && total.Cost.USD == 0:
			s.choice.usual = usage.Messages
		case total.Cost.USD == 0:
			s.choice.usual = usage.Tokens
		}
		s.choice.measure = s.choice.usual
		s.choice.profiles = len(s.report.Group([]usage.Dimension{usage.ByProfile}, s.zone())) > 1
	}
	return tea.Batch(next, s.show())
}

func (s *Screen) zone() *time.Location { return s.env.Clock().Location() }

// readNames reads the first words of the conversations in sight that have no title.
func (s *Screen) readNames() tea.Cmd {
	if s.shown.by() != usage.ByConversation || len(s.list) == 0 {
		return nil
	}
	var tips []string
	first, last := s.rows.InView()
	for i := first; i <= last && i < len(s.list); i++ {
		c := s.of[s.list[i].Conversation]
		if _, known := s.previews[c.Root]; !known && kit.CleanLine(c.Title) == "" {
			tips = append(tips, c.Tip)
		}
	}
	if len(tips) == 0 {
		return nil
	}
	return s.names.Ask(request{ids: tips})
}

// named shows the first words of conversations.
func (s *Screen) named(msg kit.Answer[request, answer]) tea.Cmd {
	ok, next := s.names.Take(msg)
	if !ok || msg.Err != nil {
		return next
	}
	for _, c := range msg.Value.named {
		kit.CleanConversation(&c)
		s.previews[c.RootID] = c
	}
	for i := range s.list {
		s.list[i].name = ""
	}
	s.layOut()
	return next
}

// current is the current row, nil for none.
func (s *Screen) current() *row {
	if i := s.rows.Selected; s.ready && i >= 0 && i < len(s.list) {
		return &s.list[i]
	}
	return nil
}

// Handlers lists the actions of the screen, each with the reason why it is not possible
// now.
func (s *Screen) Handlers() []shell.Handler {
	none, failed := "", ""
	switch {
	case s.err != nil:
		failed = "the sessions could not be read"
		none = failed
	case !s.ready || s.levels == nil:
		none = "still reading the sessions"
	}
	empty := none
	if empty == "" && len(s.list) == 0 {
		empty = "no session here"
	}
	turn := func(id shell.Action, do func()) shell.Handler { // while reading, for the first picture
		return shell.NewHandler(id, failed, func() tea.Cmd { do(); return s.show() })
	}
	query, listed := s.query()
	if listed = cmp.Or(empty, listed); listed == "" && query == "" {
		listed = "that is the whole list"
	}
	later := none
	if later == "" && s.choice.back == 0 {
		later = "this is the newest period"
	}
	if none == "" && s.choice.length() == (length{}) {
		later = "all sessions are shown"
	}
	earlier := none
	if later == "all sessions are shown" {
		earlier = later
	}
	one := empty
	if one == "" && s.shown.by() != usage.ByConversation {
		one = "this row has several conversations; " + s.env.Keys.Find(shell.InUsage, shell.Open).KeyText() + " lists them"
	}
	var row usage.Row // also when another is current in the end: a menu may be open meanwhile
	var of usage.Conversation
	if r := s.current(); r != nil {
		if row = r.Row; one == "" {
			of = s.of[row.Conversation]
		}
	}
	shown := s.shown
	resume := shell.ResumeHandlers(s.sh, one, func() string { return of.Tip })
	return append(slices.Concat(resume, shell.RowHandlers(&s.rows, empty, s.readNames)), []shell.Handler{
		shell.NewHandler(shell.Open, empty, func() tea.Cmd { return s.open(shown, row, of) }),
		shell.NewHandler(shell.List, listed, func() tea.Cmd { return s.sh.Do(shell.OpenList{Query: query}) }),
		turn(shell.View, func() { s.choice.turn(1) }),
		turn(shell.PreviousView, func() { s.choice.turn(-1) }),
		turn(shell.Unit, s.choice.nextGrain),
		turn(shell.Range, func() { s.choice.nextRange(1) }),
		turn(shell.ShorterRange, func() { s.choice.nextRange(-1) }),
		turn(shell.Measure, func() {
			if s.choice.nextMeasure(); !s.choice.ordered() {
				s.rows.GoToEnd(false)
			}
		}),
		shell.NewHandler(shell.Earlier, earlier, func() tea.Cmd { s.choice.back++; return s.show() }),
		shell.NewHandler(shell.Later, later, func() tea.Cmd { s.choice.back--; return s.show() }),
		shell.NewHandler(shell.Reload, "", s.Refresh),
		shell.NewHandler(shell.Back, "", s.back),
	}...)
}

// open lists the conversations of a row of a view, or opens the transcript of a row that is one.
func (s *Screen) open(shown choice, r usage.Row, of usage.Conversation) tea.Cmd {
	if shown.by() != usage.ByConversation {
		s.choice = shown
		s.choice.openGroup(r.Keys[0])
		return s.show()
	}
	c, ok := s.previews[of.Root]
	if !ok {
		c = model.Conversation{Session: model.Session{ID: of.Tip, Title: kit.CleanLine(of.Title)}, RootID: of.Root, Segments: []string{of.Tip}}
	}
	return s.sh.Do(shell.OpenTranscript{Conversation: c})
}

// back closes the group that was opened last, else the screen.
func (s *Screen) back() tea.Cmd {
	if key, ok := s.choice.closeGroup(); ok {
		return s.showAt(key)
	}
	s.tools.stop()
	s.read.Cancel()
	s.sums.Cancel()
	return s.sh.Do(shell.CloseScreen{})
}

// click chooses a view by its tab, a day of the calendar, or a row, which a second click
// opens.
func (s *Screen) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft || !s.ready {
		return nil
	}
	if view := s.tabAt(msg.X, msg.Y); view >= 0 {
		s.choice.setView(view)
		return s.show()
	}
	if day, ok := s.dayAt(msg.X, msg.Y); ok {
		if by := s.shown.by(); by.Dated() {
			s.selectKey(by.KeyOf(day, s.zone()))
		}
		return nil
	}
	i, line := s.rows.At(msg.Y - s.shape.top)
	if i < 0 || line > 0 || msg.Y < s.shape.top || msg.Y >= s.shape.top+s.rows.Height {
		return nil
	}
	s.rows.Move(i)
	if s.clicks.Second(i, s.env.Clock()) {
		return s.sh.Do(shell.RunAction{Screen: s, Action: shell.Open})
	}
	return s.readNames()
}

// selectKey makes the row with a key current, if there is one.
func (s *Screen) selectKey(key string) {
	for i := range s.list {
		if s.list[i].Keys[0] == key {
			s.rows.Move(i)
		}
	}
}
