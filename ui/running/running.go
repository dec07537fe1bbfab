// Package running is the screen of the open sessions: what each is doing
// ([model.Activity]). It reads them again when the database changes, and the
// clock moves on by itself.
//
//   - reader.go: finds the open sessions, for the command of the same name too
//   - running.go: what it reads and when; rows.go: how a session is drawn
//   - actions.go: what can be done with the current one, and the mouse
package running

import (
	"context"
	"slices"
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

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

// lockInterval is after how many seconds sessions with a lock are read again: the end of a
// process changes no file.
const lockInterval = 5

// tick says that a second has gone by.
type tick struct{ of *Screen }

// New makes the screen. version is the version of the database, 0 if unknown.
func New(sh shell.Shell, version int64) *Screen {
	env := sh.Env()
	s := &Screen{sh: sh, env: env, fresh: shell.NewFreshness(version), now: env.Clock()}
	reader, clock := &Reader{Source: env.Library}, env.Clock
	s.read = kit.NewLatest(env.Context, func(ctx context.Context, _ struct{}) ([]model.Running, error) {
		return reader.Sessions(ctx, clock())
	})
	s.rows.Lines = s.lines
	return s
}

// Context names the keys of the board.
func (s *Screen) Context() shell.Context { return shell.InRunning }

// Heading names the screen for the window title.
func (s *Screen) Heading() string { return "running · hermes sessions" }

// Start reads the sessions and begins to count the seconds.
func (s *Screen) Start() tea.Cmd { return tea.Batch(s.Refresh(), s.later()) }

// Refresh reads the sessions again.
func (s *Screen) Refresh() tea.Cmd {
	s.fresh.Asked(s.env.Clock())
	return s.read.Ask(struct{}{})
}

// Restyle has nothing to do: lines are drawn again each time.
func (s *Screen) Restyle() {}

func (s *Screen) later() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tick{s} })
}

// Update takes the sessions when they have been read, moves the clock on, and handles the
// mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[struct{}, []model.Running]:
		if msg.From == s.read {
			return s.take(msg)
		}
	case tick:
		if msg.of != s {
			return nil
		}
		s.show(s.found)
		if s.now.Unix()%lockInterval == 0 && s.read.Settled() && slices.ContainsFunc(s.found, func(r model.Running) bool { return r.Lock.Live(s.now) }) {
			return tea.Batch(s.Refresh(), s.later())
		}
		return s.later()
	case shell.Polled:
		if s.fresh.Outdated(msg, s.read.Settled(), s.env.Clock()) {
			return s.Refresh()
		}
	case shell.ConversationsEdited:
		s.edited(msg)
	case tea.ResumeMsg:
		return s.Refresh()
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	return nil
}

// take shows the sessions that were read.
func (s *Screen) take(msg kit.Answer[struct{}, []model.Running]) tea.Cmd {
	ok, next := s.read.Take(msg)
	if !ok {
		return next
	}
	s.fresh.Answered(s.env.Clock())
	s.err, s.ready = msg.Err, true
	if msg.Err == nil {
		for i := range msg.Value {
			r := &msg.Value[i]
			kit.CleanConversation(&r.Conversation)
			r.Tool, r.Object, r.Profile = kit.CleanLine(r.Tool), kit.CleanLine(r.Object), kit.CleanLine(r.Profile)
		}
		s.show(msg.Value)
	}
	return next
}

// edited takes over what has changed about conversations before they are read again.
func (s *Screen) edited(e shell.ConversationsEdited) {
	for i := range s.found {
		for _, root := range e.Roots {
			if r := &s.found[i]; r.RootID == root {
				e.Change(&r.Session)
				r.Title = kit.CleanLine(r.Title)
			}
		}
	}
}

// show puts the sessions on the screen as they are now: those that work before those that
// wait and those that are silent or dead. A session that works keeps its place while it does. The
// current row follows its conversation.
func (s *Screen) show(found []model.Running) {
	root := ""
	if r := s.current(); r != nil {
		root = r.RootID
	}
	s.now = s.env.Clock()
	for i := range found {
		found[i] = found[i].At(s.now)
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
	s.found = found
	at := s.rows.Selected
	for i := range found {
		if found[i].RootID == root && root != "" {
			at = i
		}
	}
	s.rows.Reset(len(found), at)
	s.rows.Reveal()
}

// current is the session of the current row, nil where there is none.
func (s *Screen) current() *model.Running {
	if s.rows.Selected < 0 || s.rows.Selected >= len(s.found) {
		return nil
	}
	return &s.found[s.rows.Selected]
}
