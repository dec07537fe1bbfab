package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/ui"
)

// firstRun shows on a terminal that there is no database at the usual place, and offers
// the demo. Everywhere else, and when the user quits, the error is the answer.
func (b browsing) firstRun(ctx context.Context, a *app, at hermes.Location, failed error) error {
	f, ok := errors.AsType[*fault.Fault](failed)
	if !ok || f.Kind != hermes.KindNoHistory || at.DB == "" || b.plain || a.json || b.pick.any() || b.pick.height > 0 || a.Environ.Get("TERM") == "dumb" {
		return failed
	}
	t, ok := output.OpenTerminal(a.Stdin, a.Stdout, a.Stderr, false, a.log)
	if !ok {
		return failed
	}
	defer t.Close()
	setup, profile := b.colors(a, t.Out)
	screen := ui.NewFirstRun(setup, !b.noMouse, ui.LookedFor{Database: at.DB, Home: a.Environ.Get("HERMES_HOME"), Profile: at.ProfileName()})
	crashed, err := a.draw(ctx, screen, t, profile, 0)
	switch {
	case crashed != nil:
		return crashed
	case err != nil:
		return err
	case screen.Choice() == ui.FirstRunDemo:
		a.selection = hermes.Selection{Demo: true}
		return b.run(ctx, a)
	case screen.Choice() == ui.FirstRunCanceled:
		return fault.ErrCanceled
	}
	return failed
}

// draw runs a full-screen program until it ends. crashed is its panic, if it had one.
func (a *app) draw(ctx context.Context, model tea.Model, t output.Terminal, profile colorprofile.Profile, height int) (crashed, err error) {
	ctx, cancel := t.WhileThere(ctx)
	defer cancel()
	g := &fault.Guard{Model: model}
	program := tea.NewProgram(g, tea.WithContext(ctx), tea.WithInput(t.Keyboard()), tea.WithOutput(t.Canvas(height)),
		tea.WithEnvironment(a.Environ), tea.WithColorProfile(profile),
		tea.WithFilter(ui.LimitMotion(a.Now)),
		tea.WithFPS(120),           // a change waits at most 8 ms for its frame, not 16
		tea.WithoutSignalHandler()) // signals cancel ctx, which ends the program
	g.Quit = program.Quit
	_, err = program.Run()
	_, _ = io.WriteString(t.Out, ui.EndBackgroundReports) // the screen is left already: an error shows there
	switch {
	case errors.Is(err, context.Canceled):
		err = fault.ErrCanceled
	case err != nil:
		err = fmt.Errorf("draw the screen: %w", err)
	}
	return g.Err(a.Build.Version), err
}
