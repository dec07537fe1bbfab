package dialog

import (
	"context"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Cleanup is the screen of conversations that could be deleted: those of no use, each with
// the reason, and those without activity for a number of days. All rows begin selected and
// can be deselected; nothing is deleted before the usual question. It implements
// shell.Screen.
type Cleanup struct {
	shell.KeysOnly
	sh   shell.Shell
	env  *shell.Env
	rows kit.Rows
	w, h int

	set    int // index in inactiveDays; 0 for conversations of no use
	read   *kit.Latest[int, cleanable]
	found  []model.CleanupFinding // safe to draw
	left   model.Left
	titles []string
	spared map[string]bool // roots that were deselected
	widest int             // columns of a reason
	ready  bool
	err    error

	clicks shell.Clicks
}

// cleanable is what is proposed, and how many conversations of the age are left out.
type cleanable struct {
	found []model.CleanupFinding
	left  model.Left
}

// inactiveDays are the ages, in days, by which old conversations are picked.
func inactiveDays() []int { return []int{0, 30, 90, 180, 365} }

// NewCleanup makes the screen.
func NewCleanup(sh shell.Shell) *Cleanup {
	env := sh.Env()
	c := &Cleanup{sh: sh, env: env, spared: map[string]bool{}}
	lib := env.Library
	c.read = kit.NewLatest(env.Context, func(ctx context.Context, set int) (cleanable, error) {
		if set == 0 {
			found, err := lib.CleanupFindings(ctx)
			return cleanable{found: found}, err
		}
		old, err := lib.Prunable(ctx, model.PruneOptions{OlderThan: time.Duration(inactiveDays()[set]) * 24 * time.Hour})
		found := make([]model.CleanupFinding, len(old.Conversations))
		for i := range found {
			found[i].Conversation = old.Conversations[i]
		}
		return cleanable{found, old.Left}, err
	})
	c.rows.Lines = func(i int) []string { return []string{c.line(i)} }
	return c
}

// Context names the keys of the clean-up.
func (c *Cleanup) Context() shell.Context { return shell.InCleanup }

// Heading names the screen for the window title.
func (c *Cleanup) Heading() string { return "clean up · hermes sessions" }

// Start asks what could be deleted.
func (c *Cleanup) Start() tea.Cmd { return c.read.Ask(c.set) }

// Refresh asks again.
func (c *Cleanup) Refresh() tea.Cmd { return c.read.Ask(c.set) }

// Restyle measures the reasons again: how wide a text is may have changed.
func (c *Cleanup) Restyle() { c.measure() }

func (c *Cleanup) current() *model.CleanupFinding { return &c.found[c.rows.Selected] }

func (c *Cleanup) spares(f *model.CleanupFinding) bool { return c.spared[f.RootID] }

// Resize lays the screen out for a window of w columns and h lines.
func (c *Cleanup) Resize(w, h int) {
	c.w, c.h = w, h
	c.measure()
	c.rows.Resize(max(h-c.top(), 1))
	c.rows.Reveal()
}

// top is the number of lines above the rows.
func (c *Cleanup) top() int {
	if c.h < 8 {
		return 1
	}
	return 3
}

// Update takes the conversations when they have been read, and handles the mouse.
func (c *Cleanup) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[int, cleanable]:
		if msg.From != c.read {
			return nil
		}
		ok, next := c.read.Take(msg)
		if ok && c.read.Settled() { // else it is about another age
			c.err = msg.Err
			c.ready = true
			c.left = msg.Value.left
			c.show(msg.Value.found)
		}
		return next
	case tea.MouseWheelMsg:
		c.rows.Scroll(shell.Wheel(msg))
	case tea.MouseClickMsg:
		return c.click(msg)
	}
	return nil
}

// click chooses a set by its tab, marks a row in its first columns, or chooses it and
// opens it with the second click.
func (c *Cleanup) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	if c.top() > 1 && msg.Y == 1 {
		if set := c.tabs().At(c.sh.Styles(), msg.X, c.w); set >= 0 && set != c.set {
			return c.showSet(set)
		}
		return nil
	}
	y := msg.Y - c.top()
	if i, _ := c.rows.At(y); i >= 0 && y >= 0 && msg.X < 3 {
		c.rows.Move(i)
		c.spared[c.current().RootID] = !c.spares(c.current())
		return nil
	}
	return c.clicks.OnRow(c.sh, c, shell.Read, &c.rows, y)
}

func (c *Cleanup) showSet(set int) tea.Cmd {
	c.set = set
	c.found = nil
	c.ready = false
	c.err = nil
	c.rows.Reset(0, 0)
	return c.read.Ask(set)
}

// show puts an answer on the screen; the current row follows its conversation.
func (c *Cleanup) show(found []model.CleanupFinding) {
	root := ""
	if c.rows.Selected < len(c.found) && c.rows.Selected >= 0 {
		root = c.current().RootID
	}
	sel := min(c.rows.Selected, len(found)-1)
	c.found, c.titles = found, make([]string, len(found))
	for i := range found {
		kit.CleanConversation(&found[i].Conversation)
		c.titles[i], _ = kit.TitleOf(&found[i].Conversation)
		found[i].Original = kit.CleanLine(found[i].Original)
		if found[i].RootID == root {
			sel = i
		}
	}
	c.measure()
	c.rows.Reset(len(found), sel)
	c.rows.Reveal()
}

// subjects are the selected conversations.
func (c *Cleanup) subjects() (s shell.Subjects) {
	for i := range c.found {
		if f := &c.found[i]; !c.spares(f) {
			s.Roots, s.IDs = append(s.Roots, f.RootID), append(s.IDs, f.ID)
			s.Titles, s.Conversations = append(s.Titles, c.titles[i]), append(s.Conversations, f.Conversation)
		}
	}
	return s
}

// marked counts the selected conversations.
func (c *Cleanup) marked() (n int) {
	for i := range c.found {
		if !c.spares(&c.found[i]) {
			n++
		}
	}
	return n
}

// Handlers lists the actions of the screen, each with the reason why it is not possible
// now.
func (c *Cleanup) Handlers() []shell.Handler {
	none := ""
	switch {
	case c.err != nil:
		none = "the conversations could not be read"
	case !c.ready:
		none = "still searching"
	case len(c.found) == 0:
		none = "nothing to clean up"
	}
	purge := none
	if none == "" && c.marked() == 0 {
		purge = "nothing is selected"
	}
	on := func(id shell.Action, do func()) shell.Handler {
		return shell.Handler{Action: id, Why: none, Do: func() tea.Cmd { do(); return nil }}
	}
	turn := func(by int) func() tea.Cmd {
		return func() tea.Cmd { return c.showSet((c.set + by + len(inactiveDays())) % len(inactiveDays())) }
	}
	return append(slices.Concat(shell.ResumeHandlers(c.sh, none, func() string { return c.current().ID }), shell.RowHandlers(&c.rows, none, nil)), []shell.Handler{
		shell.NewHandler(shell.Delete, c.env.WhyUnchangeable(purge), func() tea.Cmd { return c.sh.Do(shell.AskDelete{Of: c.subjects()}) }),
		shell.NewHandler(shell.Read, none, func() tea.Cmd {
			return c.sh.Do(shell.OpenTranscript{Conversation: c.current().Conversation})
		}),
		on(shell.Select, func() {
			c.spared[c.current().RootID] = !c.spares(c.current())
			c.rows.Move(c.rows.Selected + 1)
		}),
		on(shell.SelectAll, func() {
			all := c.marked() == len(c.found)
			for i := range c.found {
				c.spared[c.found[i].RootID] = all
			}
		}),
		shell.NewHandler(shell.View, "", turn(1)),
		shell.NewHandler(shell.PreviousView, "", turn(-1)),
		shell.NewHandler(shell.Reload, "", c.Refresh),
		shell.NewHandler(shell.Back, "", func() tea.Cmd { return c.sh.Do(shell.CloseScreen{}) }),
	}...)
}

// tabs are the sets of conversations, one of which is shown.
func (c *Cleanup) tabs() kit.Tabs {
	t := kit.Tabs{Shown: c.set}
	for set := range inactiveDays() {
		t.Names = append(t.Names, setName(set))
	}
	return t
}

func setName(set int) string {
	if set == 0 {
		return "Clutter"
	}
	return "Inactive " + strconv.Itoa(inactiveDays()[set]) + " d"
}

// Lines returns the finished lines of the screen.
func (c *Cleanup) Lines() []string {
	s := c.sh.Styles()
	messages := 0
	for i := range c.found {
		if !c.spares(&c.found[i]) {
			messages += c.found[i].Messages
		}
	}
	const name = "Clean up"
	head := " " + s.Strong.Render(name)
	if c.ready {
		n := " · " + kit.Count(c.marked()) + " of "
		conversations := kit.Plural(len(c.found), "conversation", "conversations")
		m := ", " + kit.Plural(messages, "message", "messages")
		stay := ""
		if left := c.left.String(); left != "" {
			stay = " · " + left + " stay"
		}
		few := n + kit.Count(len(c.found)) + " selected"
		head += s.Muted.Render(kit.Fit(s.Cells, c.w-1-len(name), n+conversations+" selected"+m+stay, n+conversations+" selected"+m, few+m, few))
	}
	out := []string{s.Cells.Truncate(head, c.w, s.Glyphs.Ellipsis)}
	if c.top() > 1 {
		out = append(out, s.Cells.Truncate(c.tabs().Line(s, c.w), c.w, s.Glyphs.Ellipsis), "")
	}
	switch {
	case c.err != nil:
		out = append(out, shell.ErrorLines(s, c.w, c.err)...)
	case !c.ready && c.read.Late:
		out = append(out, shell.WaitingLines(s, c.w, "searching", c.read.Moves)...)
	case c.ready && len(c.found) == 0 && c.set == 0:
		out = append(out, shell.TextLines(s, c.w, "No clutter: no empty, ghost or duplicate conversations.")...)
	case c.ready && len(c.found) == 0:
		out = append(out, shell.TextLines(s, c.w, "No ended conversation has been inactive for "+strconv.Itoa(inactiveDays()[c.set])+" days.")...)
	}
	return append(out, c.rows.Visible()...)
}

// reason says why a conversation is here.
func (c *Cleanup) reason(f *model.CleanupFinding) string {
	if c.w >= 100 {
		return f.Why()
	}
	return f.Reason.String()
}

// measure finds out how many columns the reasons take.
func (c *Cleanup) measure() {
	c.widest = 0
	for i := range c.found {
		c.widest = max(c.widest, c.sh.Styles().Cells.StringWidth(c.reason(&c.found[i])))
	}
}

// line draws a row: mark, title, reason, and what the list tells as well.
func (c *Cleanup) line(i int) string {
	s, f := c.sh.Styles(), &c.found[i]
	selected := i == c.rows.Selected
	mark, cursor := s.Glyphs.Marked, kit.RowMark(s, selected)
	if c.spares(f) {
		mark = " "
	}
	right := ""
	if c.w >= 60 {
		right = "  " + s.Cells.PadLeft(kit.Count(f.Messages), 6, "") + "  " + s.Cells.PadLeft(model.Age(c.env.Clock(), f.LastActive), 5, "") + "  " + s.Cells.Pad(f.Source, 9, s.Glyphs.Ellipsis)
	}
	why := ""
	if c.set == 0 {
		why = "  " + s.Cells.Pad(c.reason(f), min(c.w/3, c.widest), s.Glyphs.Ellipsis)
	}
	room := max(0, c.w-4-s.Cells.StringWidth(right)-s.Cells.StringWidth(why))
	return s.Cells.Truncate(s.On(selected, s.Accent).Render(mark+cursor+" ")+
		s.On(selected, s.Text).Render(s.Cells.Pad(c.titles[i], room, s.Glyphs.Ellipsis))+
		s.On(selected, s.Warn).Render(why)+s.On(selected, s.Muted).Render(right+" "), c.w, "")
}
