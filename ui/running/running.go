// Package running is the screen of the open sessions: which are working, which wait for
// the user, and which are silent. It reads them again when the database changes, and the
// clock moves on by itself.
//
//   - running.go: what it reads and when; rows.go: how a session is drawn
//   - actions.go: what can be done with the current one, and the mouse
package running

import (
	"context"
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/internal/running"
	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Screen is the running board. It implements shell.Screen.
type Screen struct {
	shell.KeysOnly
	sh   shell.Shell
	env  *shell.Env
	rows kit.Rows
	w, h int

	read  *kit.Latest[struct{}, []model.Running]
	found []model.Running // safe to draw, apart from the ids
	now   time.Time       // that they are drawn at
	ready bool
	err   error
	fresh shell.Freshness

	clicks shell.Clicks
}

// tick says that a second has gone by.
type tick struct{ of *Screen }

// New makes the screen. version is that of the database, 0 if unknown.
func New(sh shell.Shell, version int64) *Screen {
	env := sh.Env()
	b := &Screen{sh: sh, env: env, fresh: shell.NewFreshness(version), now: env.Clock()}
	reader, clock := &running.Reader{Source: env.Library}, env.Clock
	b.read = kit.NewLatest(env.Context, func(ctx context.Context, _ struct{}) ([]model.Running, error) {
		return reader.Sessions(ctx, clock())
	})
	b.rows.Lines = b.lines
	return b
}

// Context names the keys of the board.
func (b *Screen) Context() shell.Context { return shell.InRunning }

// Heading names the screen for the window title.
func (b *Screen) Heading() string { return "running · hermes sessions" }

// Start reads the sessions and begins to count the seconds.
func (b *Screen) Start() tea.Cmd { return tea.Batch(b.Refresh(), b.later()) }

// Refresh reads the sessions again.
func (b *Screen) Refresh() tea.Cmd {
	b.fresh.Asked(b.env.Clock())
	return b.read.Ask(struct{}{})
}

// Restyle has nothing to do: lines are drawn again each time.
func (b *Screen) Restyle() {}

func (b *Screen) later() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tick{b} })
}

// Update takes the sessions when they have been read, moves the clock on, and handles the
// mouse.
func (b *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[struct{}, []model.Running]:
		if msg.From == b.read {
			return b.take(msg)
		}
	case tick:
		if msg.of != b {
			return nil
		}
		b.show(b.found)
		return b.later()
	case shell.Polled:
		if b.fresh.Outdated(msg, b.read.Settled(), b.env.Clock()) {
			return b.Refresh()
		}
	case shell.ConversationsEdited:
		b.edited(msg)
	case tea.ResumeMsg:
		return b.Refresh()
	case tea.MouseMsg:
		return b.mouse(msg)
	}
	return nil
}

// take shows the sessions that were read.
func (b *Screen) take(msg kit.Answer[struct{}, []model.Running]) tea.Cmd {
	ok, next := b.read.Take(msg)
	if !ok {
		return next
	}
	b.fresh.Answered(b.env.Clock())
	b.err, b.ready = msg.Err, true
	if msg.Err == nil {
		for i := range msg.Value {
			r := &msg.Value[i]
			kit.CleanConversation(&r.Conversation)
			r.Tool, r.Object, r.Profile = kit.CleanLine(r.Tool), kit.CleanLine(r.Object), kit.CleanLine(r.Profile)
		}
		b.show(msg.Value)
	}
	return next
}

// edited takes over what has changed about conversations before they are read again.
func (b *Screen) edited(e shell.ConversationsEdited) {
	for i := range b.found {
		for _, root := range e.Roots {
			if r := &b.found[i]; r.RootID == root {
				e.Change(&r.Session)
				r.Title = kit.CleanLine(r.Title)
			}
		}
	}
}

// show puts the sessions on the screen as they are now: those that work before those that
// wait and those that are silent. A session that works keeps its place while it does. The
// current row follows its conversation.
func (b *Screen) show(found []model.Running) {
	root := ""
	if r := b.current(); r != nil {
		root = r.RootID
	}
	b.now = b.env.Clock()
	for i := range found {
		found[i] = found[i].At(b.now)
	}
	sort.SliceStable(found, func(i, k int) bool {
		x, y := &found[i], &found[k]
		switch {
		case x.Activity != y.Activity:
			return x.Activity < y.Activity
		case x.Activity == model.ActivityWorking && !x.RootStartedAt.Equal(y.RootStartedAt):
			return x.RootStartedAt.Before(y.RootStartedAt)
		case x.Activity != model.ActivityWorking && !x.LastActive.Equal(y.LastActive):
			return x.LastActive.After(y.LastActive)
		}
		return x.ID < y.ID
	})
	b.found = found
	at := b.rows.Selected
	for i := range found {
		if found[i].RootID == root && root != "" {
			at = i
		}
	}
	b.rows.Reset(len(found), at)
	b.rows.Reveal()
}

// current is the session of the current row, nil where there is none.
func (b *Screen) current() *model.Running {
	if b.rows.Selected < 0 || b.rows.Selected >= len(b.found) {
		return nil
	}
	return &b.found[b.rows.Selected]
}
