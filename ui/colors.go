package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/theme"
	"hermes-sessions/ui/shell"
)

// colors follows the terminal's background and holds the theme in force.
type colors struct {
	setup    theme.Setup
	chosen   string // name of the theme; setup may hold one that is only being tried
	answered bool   // the terminal has told its background
}

// askBackground is when to ask for the background.
type askBackground struct{}

// repaintTime is how long a change of the painted background takes to reach the
// terminal, at the most.
const repaintTime = 100 * time.Millisecond

// followBackground asks for the terminal's background, and to be told when the
// terminal goes from dark to light or back.
func followBackground() tea.Cmd {
	return tea.Batch(tea.Raw(ansi.SetModeLightDark), tea.RequestBackgroundColor)
}

// unfollowed is written to the terminal to end the reports about its background. The command
// then runs after that: it gives the terminal to another program, which would take a report
// for keys.
type unfollowed struct{ then tea.Cmd }

// String is what is written.
func (unfollowed) String() string { return EndBackgroundReports }

// unfollowBackground ends the reports about the background before a command runs.
func unfollowBackground(then tea.Cmd) tea.Cmd { return tea.Raw(unfollowed{then}) }

// EndBackgroundReports is the sequence that ends the reports about the background. The caller
// of the program writes it to the terminal after the program has ended, however it ended.
const EndBackgroundReports = ansi.ResetModeLightDark

// update takes what the terminal tells about its background. taken is false for other
// messages.
func (c *colors) update(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		if msg.Color == nil {
			return nil, true
		}
		red, green, blue, _ := msg.RGBA()
		told := fmt.Sprintf("#%02X%02X%02X", red>>8, green>>8, blue>>8)
		if told == c.setup.Palette().Ground {
			return nil, true // it is the one that was painted
		}
		c.answered = true
		c.setup.Background, c.setup.Light = told, !msg.IsDark()
		return nil, true
	case uv.DarkColorSchemeEvent:
		return c.changed(false), true
	case uv.LightColorSchemeEvent:
		return c.changed(true), true
	case tea.RawMsg: // it has been written
		if u, ok := msg.Msg.(unfollowed); ok {
			return u.then, true
		}
		return nil, true
	case askBackground:
		return tea.RequestBackgroundColor, true
	}
	return nil, false
}

// changed is called when the terminal has become dark or light. One that tells its
// background is asked, so that there is one change of colors and not two.
func (c *colors) changed(light bool) tea.Cmd {
	if c.answered && c.setup.Palette().Ground == "" {
		return tea.RequestBackgroundColor
	}
	c.setup.Light, c.setup.Background = light, ""
	return nil
}

// askAgain asks for the background when the user has been elsewhere: not every terminal
// reports a change, and another program has ended the reports.
func (c *colors) askAgain(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.FocusMsg:
		return tea.RequestBackgroundColor
	case tea.ResumeMsg:
		return followBackground()
	}
	return nil
}

// paint sets the background and the text color of the terminal, if a palette has a
// background of its own.
func paint(v *tea.View, p theme.Palette) {
	v.BackgroundColor, v.ForegroundColor = p.Painted()
}

// themeCommands are the themes to choose from.
func (r *Root) themeCommands() []shell.Command {
	var all []shell.Command
	for _, t := range append(theme.Themes(), r.colors.setup.Own...) {
		c := shell.Command{Words: "theme " + t.Name, Help: t.Help, Also: "colors palette", On: t.Name == r.colors.chosen}
		c.Do = func() tea.Cmd {
			r.colors.chosen = t.Name
			return tea.Batch(r.applyTheme(t.Name), r.Say("Theme "+t.Name))
		}
		c.Try = func(on bool) tea.Cmd {
			if on {
				return r.applyTheme(t.Name)
			}
			return r.applyTheme(r.colors.chosen)
		}
		if why := r.colors.setup.Refuses(t.Name); why != "" {
			c.Why, c.Try = why, nil
		}
		all = append(all, c)
	}
	return all
}

// applyTheme draws everything in a theme.
func (r *Root) applyTheme(name string) tea.Cmd {
	painted := r.styles.Palette.Ground != ""
	r.colors.setup.Theme = name
	r.restyle()
	if !painted || r.styles.Palette.Ground != "" {
		return nil
	}
	return tea.Tick(repaintTime, func(time.Time) tea.Msg { return askBackground{} })
}
