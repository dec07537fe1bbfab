// Package comparison is the screen of two conversations beside each other: where they diverge,
// and what each did after that. In a narrow window one is below the other.
package comparison

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/compare"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// sideBySide is the width from which the two are beside each other, in columns.
const sideBySide = 100

// Screen implements [shell.Screen].
type Screen struct {
	shell.KeysOnly
	sh   shell.Shell
	env  *shell.Env
	w, h int

	read  *kit.Latest[shell.OpenComparison, compare.Pair]
	of    shell.OpenComparison
	pair  compare.Pair
	ready bool
	err   error

	lines [2][]line // of each side, for the width of the screen
	side  int       // of the current line
	at    [2]int    // the current line of each side
	top   int       // lines above the window
}

// New makes the screen.
func New(sh shell.Shell, of shell.OpenComparison) *Screen {
	env := sh.Env()
	library := env.Library
	s := &Screen{sh: sh, env: env, of: of}
	s.read = kit.NewLatest(env.Context, func(ctx context.Context, q shell.OpenComparison) (compare.Pair, error) {
		if q.Branch {
			return compare.Branch(ctx, library, q.B)
		}
		return compare.Two(ctx, library, q.A, q.B)
	})
	return s
}

// Context names the keys of the screen.
func (s *Screen) Context() shell.Context { return shell.InComparison }

// Heading names the screen for the window title.
func (s *Screen) Heading() string { return "compare · hermes sessions" }

// Start reads both conversations.
func (s *Screen) Start() tea.Cmd { return s.read.Ask(s.of) }

// Refresh reads them again.
func (s *Screen) Refresh() tea.Cmd { return s.read.Ask(s.of) }

// Restyle lays the lines out again.
func (s *Screen) Restyle() { s.layout() }

// Resize lays the screen out for a window of w columns and h lines.
func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.layout()
}

// Update takes the comparison, and handles the mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case kit.Answer[shell.OpenComparison, compare.Pair]:
		if msg.From != s.read {
			return nil
		}
		ok, next := s.read.Take(msg)
		if ok && s.read.Settled() {
			s.pair = msg.Value
			s.err = msg.Err
			s.ready = true
			for k := range s.pair.Conversations {
				kit.CleanConversation(&s.pair.Conversations[k])
			}
			s.layout()
			if s.current() == nil { // the other side has what there is to read
				s.side = 1 - s.side
			}
			s.top = 0
			s.reveal()
		}
		return next
	case tea.MouseWheelMsg:
		s.scroll(shell.Wheel(msg))
	case tea.MouseClickMsg:
		s.click(msg)
	}
	return nil
}

// wide reports whether the sides are beside each other.
func (s *Screen) wide() bool { return s.w >= sideBySide }

// click makes the line at a place the current one.
func (s *Screen) click(msg tea.MouseClickMsg) {
	side, y := 0, msg.Y-len(s.head())+s.top
	if msg.Button != tea.MouseLeft || y < s.top {
		return
	}
	below := s.below()
	if s.wide() && msg.X > s.w/2 {
		side = 1
	} else if !s.wide() && y >= below {
		side, y = 1, y-below
	}
	if y >= len(s.lines[side]) {
		return
	}
	if y = s.first(side, y); s.lines[side][y].message != 0 {
		s.side, s.at[side] = side, y
	}
}

// first returns the first of the lines that line i goes on with.
func (s *Screen) first(side, i int) int {
	for s.lines[side][i].more {
		i--
	}
	return i
}

// below is the line where the second side begins when it is below the first.
func (s *Screen) below() int { return len(s.lines[0]) + 1 }

// tall is how many lines the sides take.
func (s *Screen) tall() int {
	if s.wide() {
		return max(len(s.lines[0]), len(s.lines[1]))
	}
	return s.below() + len(s.lines[1])
}

// room is how many lines of them are in sight.
func (s *Screen) room() int { return max(s.h-len(s.head()), 1) }

// scroll moves the window.
func (s *Screen) scroll(by int) { s.top = max(0, min(s.top+by, s.tall()-s.room())) }

// place is the line on the screen of the current line.
func (s *Screen) place() int {
	if s.side == 1 && !s.wide() {
		return s.below() + s.at[1]
	}
	return s.at[s.side]
}

// reveal brings the current line into the window, the lines above the first of a side too.
func (s *Screen) reveal() {
	y := s.place()
	if s.at[s.side] == s.next(s.side, -1, 1) {
		s.top = min(s.top, y-s.at[s.side])
	}
	last := y
	for i := s.at[s.side] + 1; i < len(s.lines[s.side]) && s.lines[s.side][i].more; i++ {
		last++
	}
	s.top = max(s.top, last-s.room()+1)
	s.top = min(s.top, y)
	s.scroll(0)
}

// next returns the nearest line of a side after one (by 1) or before it (by -1) that leads to
// a message, -1 for none.
func (s *Screen) next(side, from, by int) int {
	for i := from + by; i >= 0 && i < len(s.lines[side]); i += by {
		if s.lines[side][i].message != 0 {
			return i
		}
	}
	return -1
}

// step moves to the next line that leads to a message. At the end it scrolls, or goes on to
// the side below.
func (s *Screen) step(by int) {
	if i := s.next(s.side, s.at[s.side], by); i >= 0 {
		s.at[s.side] = i
		s.reveal()
		return
	}
	if other := s.side + by; !s.wide() && (other == 0 || other == 1) {
		from := -1
		if by < 0 {
			from = len(s.lines[other])
		}
		if i := s.next(other, from, by); i >= 0 {
			s.side, s.at[other] = other, i
			s.reveal()
			return
		}
	}
	s.scroll(by)
}

// turn goes to the other side.
func (s *Screen) turn() {
	s.side = 1 - s.side
	s.reveal()
}

// current returns the line that Enter opens, nil for none.
func (s *Screen) current() *line {
	if i := s.at[s.side]; i >= 0 && i < len(s.lines[s.side]) && s.lines[s.side][i].message != 0 {
		return &s.lines[s.side][i]
	}
	return nil
}

// Handlers lists the actions of the screen, each with the reason why it is not possible
// now.
func (s *Screen) Handlers() []shell.Handler {
	none := ""
	switch {
	case !s.ready:
		none = "still comparing"
	case s.err != nil:
		none = "the conversations could not be compared"
	}
	open := none
	l := s.current()
	if open == "" && l == nil {
		open = "this side has no messages after that"
	}
	on := func(id shell.Action, do func()) shell.Handler {
		return shell.Handler{Action: id, Why: none, Do: func() tea.Cmd { do(); return nil }}
	}
	conversation := s.pair.Conversations[s.side]
	return append(shell.ResumeHandlers(s.sh, none, func() string { return conversation.ID }), []shell.Handler{
		shell.NewHandler(shell.Read, open, func() tea.Cmd {
			return s.sh.Do(shell.OpenTranscript{Conversation: conversation, Hit: model.Hit{MessageID: l.message, SessionID: l.session}})
		}),
		on(shell.OtherSide, s.turn),
		on(shell.Up, func() { s.step(-1) }),
		on(shell.Down, func() { s.step(1) }),
		on(shell.PageUp, func() { s.scroll(1 - s.room()) }),
		on(shell.PageDown, func() { s.scroll(s.room() - 1) }),
		on(shell.First, func() { s.top = 0 }),
		on(shell.Last, func() { s.scroll(s.tall()) }),
		shell.NewHandler(shell.Reload, "", s.Refresh),
		shell.NewHandler(shell.Back, "", func() tea.Cmd {
			s.read.Cancel()
			return s.sh.Do(shell.CloseScreen{})
		}),
	}...)
}
