package ui

import (
	"context"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
)

// cleanup is the screen of conversations that could go: what nobody misses,
// each with the reason, and what nobody has touched for long. It is a dry run:
// all rows are marked, marks can be taken away, and nothing goes before the
// question of every deletion.
type cleanup struct {
	sh   Shell
	env  *Env
	rows rows
	w, h int

	set    int // of silences; 0 is what nobody misses
	read   *flight[int, []model.CleanupFinding]
	found  []model.CleanupFinding // safe to draw
	titles []string
	spared map[string]bool // roots whose mark was taken away
	widest int             // columns of a reason
	ready  bool
	err    error
}

// silences are the ages, in days, by which old conversations are picked.
func silences() []int { return []int{0, 30, 90, 180, 365} }

func newCleanup(sh Shell) *cleanup {
	env := sh.Env()
	c := &cleanup{sh: sh, env: env, spared: map[string]bool{}}
	changes := env.Changes
	c.read = newFlight(env.Context, func(ctx context.Context, set int) ([]model.CleanupFinding, error) {
		if set == 0 {
			return changes.CleanupFindings(ctx)
		}
		old, err := changes.Prunable(ctx, model.PruneOptions{OlderThan: time.Duration(silences()[set]) * 24 * time.Hour})
		found := make([]model.CleanupFinding, len(old))
		for i := range old {
			found[i].Conversation = old[i]
		}
		return found, err
	})
	c.rows.lines = func(i int) []string { return []string{c.line(i)} }
	return c
}

func (c *cleanup) Context() Context                    { return InCleanup }
func (c *cleanup) Heading() string                     { return "clean up · hermes sessions" }
func (c *cleanup) Start() tea.Cmd                      { return c.read.ask(c.set) }
func (c *cleanup) Refresh() tea.Cmd                    { return c.read.ask(c.set) }
func (c *cleanup) Restyle()                            {}
func (c *cleanup) Claims(tea.KeyPressMsg) bool         { return false }
func (c *cleanup) Cursor() *tea.Cursor                 { return nil }
func (c *cleanup) current() *model.CleanupFinding      { return &c.found[c.rows.sel] }
func (c *cleanup) spares(f *model.CleanupFinding) bool { return c.spared[f.RootID] }

func (c *cleanup) Resize(w, h int) {
	c.w, c.h = w, h
	c.measure()
	c.rows.resize(w, max(h-c.top(), 1))
	c.rows.reveal()
}

// top is the number of lines above the rows.
func (c *cleanup) top() int {
	if c.h < 8 {
		return 1
	}
	return 3
}

func (c *cleanup) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case landed[int, []model.CleanupFinding]:
		if msg.flight != c.read {
			return nil
		}
		ok, next := c.read.land(msg)
		if ok && c.read.settled() { // else it is about another age
			c.err, c.ready = msg.err, true
			c.show(msg.answer)
		}
		return next
	case tea.MouseWheelMsg:
		by := map[tea.MouseButton]int{tea.MouseWheelUp: -3, tea.MouseWheelDown: 3}[msg.Button]
		c.rows.scroll(by)
	case tea.MouseClickMsg:
		if i, _ := c.rows.at(msg.Y - c.top()); msg.Button == tea.MouseLeft && i >= 0 && msg.Y >= c.top() {
			c.rows.move(i)
		}
	}
	return nil
}

// show puts an answer on the screen; the current row follows its conversation.
func (c *cleanup) show(found []model.CleanupFinding) {
	root := ""
	if c.rows.sel < len(c.found) && c.rows.sel >= 0 {
		root = c.current().RootID
	}
	sel := min(c.rows.sel, len(found)-1)
	c.found, c.titles = found, make([]string, len(found))
	for i := range found {
		cleanConversation(&found[i].Conversation)
		c.titles[i], _ = titleOf(&found[i].Conversation)
		found[i].Original = CleanLine(found[i].Original)
		if found[i].RootID == root {
			sel = i
		}
	}
	c.measure()
	c.rows.reset(len(found), sel)
	c.rows.reveal()
}

// subjects are the marked conversations.
func (c *cleanup) subjects() (s Subjects) {
	for i := range c.found {
		if f := &c.found[i]; !c.spares(f) {
			s.Roots, s.IDs = append(s.Roots, f.RootID), append(s.IDs, f.ID)
			s.Titles, s.Conversations = append(s.Titles, c.titles[i]), append(s.Conversations, f.Conversation)
		}
	}
	return s
}

// marked counts them.
func (c *cleanup) marked() (n int) {
	for i := range c.found {
		if !c.spares(&c.found[i]) {
			n++
		}
	}
	return n
}

func (c *cleanup) Handlers() []Handler {
	none := ""
	switch {
	case c.err != nil:
		none = "the conversations could not be read"
	case !c.ready:
		none = "still looking"
	case len(c.found) == 0:
		none = "there is nothing here to clean up"
	}
	purge := none
	if none == "" && c.marked() == 0 {
		purge = "none is marked"
	}
	on := func(id Action, do func()) Handler {
		return Handler{Action: id, Why: none, Do: func() tea.Cmd { do(); return nil }}
	}
	turn := func(by int) func() tea.Cmd {
		return func() tea.Cmd {
			c.set = (c.set + by + len(silences())) % len(silences())
			c.found, c.ready, c.err = nil, false, nil
			c.rows.reset(0, 0)
			return c.read.ask(c.set)
		}
	}
	return append(resumeHandlers(c.sh, none, func() string { return c.current().ID }), []Handler{
		newHandler(Delete, c.env.changing(purge), func() tea.Cmd { return c.sh.Do(AskDelete{Of: c.subjects()}) }),
		newHandler(Open, none, func() tea.Cmd {
			return c.sh.Do(OpenTranscript{Conversation: c.current().Conversation})
		}),
		on(Mark, func() {
			c.spared[c.current().RootID] = !c.spares(c.current())
			c.rows.move(c.rows.sel + 1)
		}),
		on(MarkAll, func() {
			all := c.marked() == len(c.found)
			for i := range c.found {
				c.spared[c.found[i].RootID] = all
			}
		}),
		newHandler(NextSet, "", turn(1)),
		newHandler(PreviousSet, "", turn(-1)),
		newHandler(Refresh, "", c.Refresh),
		on(Up, func() { c.rows.move(c.rows.sel - 1) }),
		on(Down, func() { c.rows.move(c.rows.sel + 1) }),
		on(PageUp, func() { c.rows.page(-1) }),
		on(PageDown, func() { c.rows.page(1) }),
		on(First, func() { c.rows.ends(false) }),
		on(Last, func() { c.rows.ends(true) }),
		newHandler(Back, "", func() tea.Cmd { return c.sh.Do(CloseScreen{}) }),
	}...)
}

// setName names what is looked at.
func setName(set int) string {
	if set == 0 {
		return "what nobody misses"
	}
	return "silent for " + strconv.Itoa(silences()[set]) + " days"
}

func (c *cleanup) Lines() []string {
	s := c.sh.Styles()
	messages := 0
	for i := range c.found {
		if !c.spares(&c.found[i]) {
			messages += c.found[i].Messages
		}
	}
	head := " " + s.Strong.Render("Clean up")
	if c.ready {
		head += s.Muted.Render(" · " + count(c.marked()) + " of " + some(len(c.found), "conversation", "conversations") + " marked, " + some(messages, "message", "messages"))
	}
	out := []string{ansi.Truncate(head, c.w, s.Glyphs.Ellipsis)}
	if c.top() > 1 {
		line := " "
		for i := range silences() {
			style := s.Faint
			if i == c.set {
				style = s.Chip
			}
			line += style.Render(" "+setName(i)+" ") + " "
		}
		if ansi.StringWidth(line) > c.w {
			line = " " + s.Faint.Render("← ") + s.Chip.Render(" "+setName(c.set)+" ") + s.Faint.Render(" →")
		}
		out = append(out, ansi.Truncate(line, c.w, s.Glyphs.Ellipsis), "")
	}
	text := ""
	switch {
	case c.err != nil:
		text = because(c.err)
	case !c.ready && c.read.late:
		text = "looking" + s.Glyphs.Ellipsis
	case c.ready && len(c.found) == 0 && c.set == 0:
		text = "There is nothing that nobody would miss."
	case c.ready && len(c.found) == 0:
		text = "There is no conversation that has ended and was " + setName(c.set) + "."
	}
	for _, l := range wrap(CleanLine(text), max(c.w-4, 1)) {
		if text != "" {
			out = append(out, "  "+s.Text.Render(l))
		}
	}
	return append(out, c.rows.view()...)
}

// reason says why a conversation is here.
func (c *cleanup) reason(f *model.CleanupFinding) string {
	if f.Original != "" && c.w >= 100 {
		return f.Reason.String() + " of " + f.Original
	}
	return f.Reason.String()
}

// measure finds out how many columns the reasons take.
func (c *cleanup) measure() {
	c.widest = 0
	for i := range c.found {
		c.widest = max(c.widest, ansi.StringWidth(c.reason(&c.found[i])))
	}
}

// line draws a row: mark, title, reason, and what the list tells as well.
func (c *cleanup) line(i int) string {
	s, f := c.sh.Styles(), &c.found[i]
	selected := i == c.rows.sel
	mark, cursor := s.Glyphs.Marked, " "
	if c.spares(f) {
		mark = " "
	}
	if selected {
		cursor = s.Glyphs.Cursor
	}
	right := ""
	if c.w >= 60 {
		right = "  " + padLeft(count(f.Messages), 6, "") + "  " + padLeft(model.Age(c.env.Clock(), f.LastActive), 5, "") + "  " + pad(f.Source, 9, s.Glyphs.Ellipsis)
	}
	why := ""
	if c.set == 0 {
		why = "  " + pad(c.reason(f), min(c.w/3, c.widest), s.Glyphs.Ellipsis)
	}
	room := max(0, c.w-4-ansi.StringWidth(right)-ansi.StringWidth(why))
	return ansi.Truncate(s.On(selected, s.Accent).Render(mark+cursor+" ")+
		s.On(selected, s.Text).Render(pad(c.titles[i], room, s.Glyphs.Ellipsis))+
		s.On(selected, s.Warn).Render(why)+s.On(selected, s.Muted).Render(right+" "), c.w, "")
}
