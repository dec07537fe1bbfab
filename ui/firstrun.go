package ui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/kit"
)

// LookedFor is where a database was looked for and not found.
type LookedFor struct {
	Database string
	Home     string // value of HERMES_HOME, "" where it is not set
	Profile  string // that Hermes would start with
}

// FirstRunChoice is what the user chose on the screen of the first run.
type FirstRunChoice uint8

// The choices.
const (
	FirstRunQuit     FirstRunChoice = iota
	FirstRunDemo                    // open the demo
	FirstRunCanceled                // Ctrl+C
)

// FirstRun is the Bubble Tea model of the screen that opens where there is no database: what
// was looked for, what to do, and the demo.
type FirstRun struct {
	looked LookedFor
	colors colors
	styles *theme.Styles
	mouse  bool
	w, h   int
	choice FirstRunChoice
	done   bool
}

// NewFirstRun makes the screen. mouse says that its keys can be clicked.
func NewFirstRun(setup theme.Setup, mouse bool, looked LookedFor) *FirstRun {
	return &FirstRun{looked: looked, mouse: mouse, colors: colors{setup: setup, chosen: setup.Theme}, styles: setup.Styles(), w: 80, h: 24}
}

// Choice is the user's choice; call it when the program has ended.
func (f *FirstRun) Choice() FirstRunChoice { return f.choice }

// Init implements tea.Model.
func (f *FirstRun) Init() tea.Cmd { return followBackground() }

// Update implements tea.Model.
func (f *FirstRun) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		f.w, f.h = max(msg.Width, 1), max(msg.Height, 1)
	case tea.ModeReportMsg:
		if graphemes(msg) {
			f.colors.setup.Cells = cells.ByGrapheme
		}
	case tea.MouseClickMsg:
		lines := strings.Split(ansi.Strip(f.draw()), "\n")
		if msg.Button != tea.MouseLeft || msg.Y >= len(lines) {
			return f, nil
		}
		if key := hintAt(f.styles.Cells, lines[msg.Y], msg.X); len(key) == 1 {
			return f.Update(tea.KeyPressMsg{Code: rune(key[0]), Text: key})
		}
	case tea.KeyPressMsg:
		switch msg.String() {
		case "d", "D":
			return f, f.end(FirstRunDemo)
		case "q", "Q", "esc":
			return f, f.end(FirstRunQuit)
		case "ctrl+c":
			return f, f.end(FirstRunCanceled)
		}
	default:
		cmd, taken := f.colors.update(msg)
		if !taken {
			cmd = f.colors.askAgain(msg)
		}
		f.styles = f.colors.setup.Styles()
		return f, cmd
	}
	f.styles = f.colors.setup.Styles()
	return f, nil
}

func (f *FirstRun) end(choice FirstRunChoice) tea.Cmd {
	f.choice, f.done = choice, true
	return tea.Quit
}

// graphemes reports whether the terminal can measure text by graphemes. The renderer measures
// by graphemes from this report on.
func graphemes(msg tea.ModeReportMsg) bool {
	return msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet)
}

// View implements tea.Model.
func (f *FirstRun) View() tea.View {
	v := tea.NewView(" ") // an empty frame would be written again and again
	v.AltScreen = true
	v.ReportFocus = true
	v.WindowTitle = "hermes sessions"
	if f.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if f.done {
		return v
	}
	paint(&v, f.styles.Palette)
	v.Content = f.styles.SpellFrame(f.draw())
	return v
}

// draw returns the lines of the screen: in a frame in the middle where there is room, else
// from the first line on, with less where the window is low.
func (f *FirstRun) draw() string {
	s := f.styles
	const frameWide, frameTall = 64, 18
	if f.w >= frameWide && f.h >= frameTall {
		inner := min(f.w-6, 76)
		lines := f.lines(inner, frameTall-2)
		wide := 0
		for i, l := range lines {
			lines[i] = s.Cells.Truncate(l, inner, s.Glyphs.Ellipsis)
			wide = max(wide, s.Cells.StringWidth(lines[i]))
		}
		for i, l := range lines {
			lines[i] = s.Cells.Pad(l, wide, "")
		}
		box := strings.Join(s.Frame(lines, wide, s.Border), "\n")
		return dialog.Overlay(s.Cells, strings.Repeat("\n", f.h-1), box, f.w, f.h)
	}
	lines := f.lines(f.w-2, f.h)
	for i, l := range lines {
		lines[i] = " " + s.Cells.Truncate(l, max(f.w-2, 1), s.Glyphs.Ellipsis)
	}
	return strings.Join(lines[:min(len(lines), f.h)], "\n")
}

// lines returns what the screen says, in at most tall lines of w columns where that is
// possible. What matters less goes first: blank lines, then how the place was found.
func (f *FirstRun) lines(w, tall int) []string {
	s := f.styles
	wrap := func(text string) (out []string) {
		for _, l := range s.Cells.Wrap(text, max(w, 1)) {
			out = append(out, s.Text.Render(l))
		}
		return out
	}
	title := []string{s.Accent.Render("No Hermes history")}
	home := cmp.Or(f.looked.Home, "not set")
	facts := [][2]string{{"Database", f.looked.Database}, {"HERMES_HOME", home}, {"Profile", f.looked.Profile}}
	var looked []string
	for _, fact := range facts {
		values := s.Cells.Wrap(kit.CleanLine(fact[1]), max(w-13, 8))
		for i, v := range values {
			name := ""
			if i == 0 {
				name = fact[0]
			}
			looked = append(looked, s.Muted.Render(s.Cells.Pad(name, 13, ""))+s.Text.Render(v))
		}
	}
	start := wrap("Start Hermes once to create the database. If your history is somewhere else, open it with one of these:")
	var commands []string
	for _, c := range []string{"--home DIR", "-p PROFILE", "--db FILE"} {
		if c = "hermes-sessions " + c; len(c) <= w { // a command is never cut
			commands = append(commands, s.Strong.Render(c))
		}
	}
	demo := " open the demo"
	if w < 30 {
		demo = " demo"
	}
	keys := []string{s.Key.Render("d") + s.Muted.Render(demo+" · ") + s.Key.Render("q") + s.Muted.Render(" quit")}
	indented := make([]string, len(commands))
	for i, c := range commands {
		indented[i] = "  " + c
	}
	short := "Start Hermes, or:"
	if len(commands) == 0 {
		short = "Start Hermes first."
	}
	path := wrap(kit.CleanLine(f.looked.Database))
	for _, form := range []struct {
		gap    string
		blocks [][]string
	}{
		{"\n", [][]string{title, looked, start, indented, keys}},
		{"", [][]string{title, looked, start, indented, keys}},
		{"", [][]string{title, path, wrap(short), commands, keys}},
		{"", [][]string{title, path, keys}},
		{"", [][]string{title, keys}},
	} {
		var lines []string
		for i, b := range form.blocks {
			if i > 0 && form.gap != "" {
				lines = append(lines, "")
			}
			lines = append(lines, b...)
		}
		if len(lines) <= tall {
			return lines
		}
	}
	return keys
}
