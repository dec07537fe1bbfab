// Package space is the screen of what could be deleted and what that frees, in tabs of the same
// rows: the largest conversations, those of no use, inactive ones, and those that Hermes deletes
// soon. Clutter begins selected; nothing is deleted before the usual
// question.
//
// The bytes are measured in steps, newest messages first. Each step is one command, so that a
// screen that is closed measures nothing more.
package space

import (
	"context"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// The tabs.
const (
	largest = iota
	clutter
	inactive
	expiring
	tabs
)

// days are the ages by which inactive conversations are found.
var days = [...]int{30, 90, 180, 365}

// question asks for the rows of a tab.
type question struct{ tab, age int }

// answer has the rows of a tab, and what there is to say of them.
type answer struct {
	found []finding
	left  model.Left
	hints []string
}

// finding is a conversation of a tab, and why it is there.
type finding struct {
	*model.Conversation
	why string // safe to draw
}

// row is a finding with what a delete of it frees.
type row struct {
	finding
	frees int64
}

// Screen implements [shell.Screen].
type Screen struct {
	shell.KeysOnly
	sh    shell.Shell
	env   *shell.Env
	rows  kit.Rows
	table kit.Table
	w, h  int

	tab, age int
	read     *kit.Latest[question, answer]
	tabErr   error
	ready    bool // answer is that of the tab
	answer
	list    []row
	most    int64 // of what rows free
	flipped [tabs]map[string]bool

	bytes  measure
	clicks shell.Clicks
}

// New makes the screen; action says which tab it opens.
func New(sh shell.Shell, action shell.Action) *Screen {
	s := &Screen{sh: sh, env: sh.Env()}
	s.tab = map[shell.Action]int{shell.CleanUp: clutter, shell.Expiring: expiring}[action]
	for i := range s.flipped {
		s.flipped[i] = map[string]bool{}
	}
	library := s.env.Library
	s.read = kit.NewLatest(s.env.Context, func(ctx context.Context, q question) (a answer, err error) {
		switch q.tab {
		case largest:
			page, err := library.Conversations(ctx, query.ListOptions{Scope: model.ScopeAll, RowsOnly: true})
			a.add(page.Conversations)
			return a, err
		case clutter:
			found, err := library.CleanupFindings(ctx)
			for i := range found {
				a.found = append(a.found, finding{&found[i].Conversation, kit.CleanLine(found[i].Why())})
			}
			return a, err
		case inactive:
			old, err := library.Prunable(ctx, model.PruneOptions{OlderThan: time.Duration(days[q.age]) * 24 * time.Hour})
			a.add(old.Conversations)
			a.left = old.Left
			return a, err
		}
		page, err := library.Conversations(ctx, query.ListOptions{Scope: model.ScopeAll, Filters: query.Parse("is:expiring", false).Filters})
		a.add(page.Conversations)
		a.hints = page.FilterHints
		return a, err
	})
	s.bytes = newMeasure(s.env)
	s.rows.Lines = func(i int) []string { return []string{s.line(i)} }
	return s
}

func (a *answer) add(found []model.Conversation) {
	for i := range found {
		a.found = append(a.found, finding{Conversation: &found[i]})
	}
}

// Context names the keys of the screen.
func (s *Screen) Context() shell.Context { return shell.InSpace }

// Heading names the screen for the window title.
func (s *Screen) Heading() string { return "space · hermes sessions" }

// Start reads the conversations of the tab and measures the texts.
func (s *Screen) Start() tea.Cmd { return s.Refresh() }

// Refresh reads and measures again. The figures stay on the screen until the new ones arrive.
func (s *Screen) Refresh() tea.Cmd {
	s.tabErr = nil
	return tea.Batch(s.read.Ask(question{s.tab, s.age}), s.bytes.begin())
}

// Restyle lays out again: how wide a text is may have changed.
func (s *Screen) Restyle() { s.layOut() }

// Resize lays the screen out for a window of w columns and h lines.
func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.layOut()
	s.rows.Reveal()
}

// Update takes the answers of the library, and handles the mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[question, answer]:
		if msg.From != s.read {
			return nil
		}
		ok, next := s.read.Take(msg)
		if ok && s.read.Settled() { // else it is about another tab
			if s.tabErr, s.ready = msg.Err, true; msg.Err == nil {
				s.answer = msg.Value
			}
			s.show()
		}
		return next
	case kit.Answer[step, stepped]:
		if msg.From != s.bytes.read {
			return nil
		}
		return s.measured(msg)
	case tea.MouseWheelMsg:
		s.rows.Scroll(shell.Wheel(msg))
	case tea.MouseClickMsg:
		return s.click(msg)
	}
	return nil
}

// measured takes a step of measuring and asks for the next.
func (s *Screen) measured(msg kit.Answer[step, stepped]) tea.Cmd {
	m := &s.bytes
	ok, next := m.read.Take(msg)
	if !ok || !m.read.Settled() {
		return next
	}
	asked := m.asked
	m.asked = false
	if m.err = msg.Err; m.err != nil {
		return nil
	}
	next = m.take(msg.Query, msg.Value)
	s.show()
	if asked {
		return tea.Batch(s.sh.Do(s.vacuumMenu(msg.Query.file)), next)
	}
	return next
}

// show fills the list. The current row stays the current one, unless it is the first.
func (s *Screen) show() {
	before := ""
	if r := s.current(); r != nil && s.rows.Selected > 0 {
		before = r.RootID
	}
	s.list, s.most = s.list[:0], 0
	for _, f := range s.found {
		r := row{f, s.bytes.frees(f.Conversation)}
		s.list, s.most = append(s.list, r), max(s.most, r.frees)
	}
	if s.tab == largest {
		slices.SortStableFunc(s.list, func(a, b row) int { return int(max(-1, min(1, b.frees-a.frees))) })
	}
	at := min(max(s.rows.Selected, 0), len(s.list)-1)
	if i := slices.IndexFunc(s.list, func(r row) bool { return r.RootID == before }); i >= 0 {
		at = i
	}
	top := s.rows.Top
	s.rows.Reset(len(s.list), at)
	s.rows.Top = max(0, min(top, len(s.list)-1))
	s.layOut()
	s.rows.Reveal()
}

// turn shows another tab, or inactive conversations of another age.
func (s *Screen) turn(tab, age int) tea.Cmd {
	s.tab, s.age = tab, age
	s.answer = answer{}
	s.tabErr = nil
	s.ready = false
	s.rows.Reset(0, 0)
	s.show()
	return s.read.Ask(question{tab, age})
}

// proposes reports whether the rows of the tab begin selected.
func (s *Screen) proposes() bool { return s.tab == clutter }

func (s *Screen) selected(r *row) bool { return s.proposes() != s.flipped[s.tab][r.RootID] }

func (s *Screen) flip(r *row) { s.flipped[s.tab][r.RootID] = !s.flipped[s.tab][r.RootID] }

// sum counts the selected conversations, their messages, and what a delete of them frees.
func (s *Screen) sum() (n, messages int, frees int64) {
	for i := range s.list {
		if r := &s.list[i]; s.selected(r) {
			n++
			messages += r.Messages
			frees += r.frees
		}
	}
	return n, messages, frees
}

// subjects are the selected conversations, the current one where none is selected.
func (s *Screen) subjects() (of shell.Subjects) {
	for i := range s.list {
		if r := &s.list[i]; s.selected(r) {
			c := *r.Conversation
			kit.CleanConversation(&c)
			of.Roots, of.IDs = append(of.Roots, c.RootID), append(of.IDs, c.ID)
			of.Titles, of.Conversations = append(of.Titles, shell.ConversationName(c)), append(of.Conversations, c)
		}
	}
	if r := s.current(); r != nil && len(of.IDs) == 0 {
		return shell.Single(*r.Conversation)
	}
	return of
}

// click chooses a tab, selects a row in its first columns, or makes it the current one and
// opens it with the second click.
func (s *Screen) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	if s.h >= tabsFrom && msg.Y == 1 {
		if tab := s.tabs().At(s.sh.Styles(), msg.X, s.w); tab >= 0 && tab != s.tab {
			return s.turn(tab, s.age)
		}
		return nil
	}
	y := msg.Y - len(s.head())
	if i, _ := s.rows.At(y); i >= 0 && y >= 0 && msg.X < 3 {
		s.rows.Move(i)
		s.flip(&s.list[i])
		return nil
	}
	return s.clicks.OnRow(s.sh, s, shell.Read, &s.rows, y)
}

// current returns the row that the next key acts on, nil for none.
func (s *Screen) current() *row {
	if i := s.rows.Selected; i >= 0 && i < len(s.list) {
		return &s.list[i]
	}
	return nil
}

// Handlers lists the actions of the screen, each with the reason why it is not possible
// now.
func (s *Screen) Handlers() []shell.Handler {
	var c model.Conversation // the rows may be others when a menu has been open
	none := ""
	r := s.current()
	switch {
	case s.tabErr != nil:
		none = "the conversations could not be read"
	case r != nil:
		c = *r.Conversation
	case !s.ready:
		none = "still reading"
	default:
		none = "nothing here"
	}
	one := func() model.Conversation { return c }
	on := func(id shell.Action, do func()) shell.Handler {
		return shell.NewHandler(id, none, func() tea.Cmd { do(); return nil })
	}
	turn := func(id shell.Action, by int) shell.Handler {
		return shell.NewHandler(id, "", func() tea.Cmd { return s.turn((s.tab+by+tabs)%tabs, s.age) })
	}
	age := ""
	if s.tab != inactive {
		age = "only inactive conversations have an age to choose"
	}
	file := s.bytes.of(c.Profile)
	vacuum, checkpoint := s.bytes.obstacles(file)
	changes := slices.DeleteFunc(slices.Concat(shell.ChangeHandlers(s.sh, none, none, c, s.subjects), shell.OutsideHandlers(s.sh, none, none, one, s.subjects)), func(h shell.Handler) bool {
		return h.Action != shell.Delete && h.Action != shell.Pin && h.Action != shell.Export && shell.GroupOf(h.Action) != shell.Own
	})
	return append(slices.Concat(shell.ResumeHandlers(s.sh, none, func() string { return c.ID }), shell.RowHandlers(&s.rows, none, nil), changes), []shell.Handler{
		shell.NewHandler(shell.Read, none, func() tea.Cmd { return s.sh.Do(shell.OpenTranscript{Conversation: c}) }),
		on(shell.Select, func() {
			s.flip(s.current())
			s.rows.Move(s.rows.Selected + 1)
		}),
		on(shell.SelectAll, func() {
			n, _, _ := s.sum()
			for i := range s.list {
				s.flipped[s.tab][s.list[i].RootID] = s.proposes() == (n == len(s.list))
			}
		}),
		turn(shell.View, 1),
		turn(shell.PreviousView, -1),
		shell.NewHandler(shell.Range, age, func() tea.Cmd { return s.turn(inactive, (s.age+1)%len(days)) }),
		shell.NewHandler(shell.Vacuum, s.env.WhyUnchangeable(vacuum), func() tea.Cmd { return s.bytes.askForecast(file) }),
		shell.NewHandler(shell.EmptyTheLog, s.env.WhyUnchangeable(checkpoint), func() tea.Cmd {
			return s.sh.Do(shell.CompactDatabase{Session: s.bytes.files[file].session})
		}),
		shell.NewHandler(shell.Reload, "", s.Refresh),
		shell.NewHandler(shell.Back, "", func() tea.Cmd { return s.sh.Do(shell.CloseScreen{}) }),
	}...)
}

// tabs are the tabs, one of which is shown.
func (s *Screen) tabs() kit.Tabs {
	return kit.Tabs{Names: []string{"Largest", "Clutter", "Inactive " + strconv.Itoa(days[s.age]) + " d", "Expiring"}, Shown: s.tab}
}
