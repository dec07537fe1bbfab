package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"hermes-sessions/model"
	"hermes-sessions/store"
	"hermes-sessions/theme"
	"hermes-sessions/ui"
)

// browsing is what the flags of the browser say.
type browsing struct {
	list     model.ListQuery
	query    string
	theme    string
	resume   resumption
	limit    int
	printID  bool
	readOnly bool
	noMouse  bool
	plain    bool
	ascii    bool
}

func (a *app) browseCommand() *cobra.Command {
	var b browsing
	cmd := &cobra.Command{
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			b.query = strings.Join(words, " ")
			if b.list.CWD != "" {
				folder, err := filepath.Abs(b.list.CWD)
				if err != nil {
					return fmt.Errorf("find the folder %s: %w", b.list.CWD, err)
				}
				b.list.CWD = folder
			}
			return a.browse(cmd.Context(), b)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&b.list.Sources, "source", nil, "only conversations of this `SOURCE` (repeatable)")
	f.StringVar(&b.list.CWD, "cwd", "", "only conversations of this folder `DIR`")
	addChoice(cmd, oneOf(&b.list.Scope, []string{"conversations", "automation", "subagents", "archived", "all"},
		[]model.Scope{model.Conversations, model.Automation, model.Subagents, model.Archived, model.Everything}),
		"scope", "part of the history to start with")
	sortFlag(cmd, &b.list.Sort)
	f.BoolVar(&b.printID, "print-id", false, "print the id of the chosen conversation instead of resuming it")
	f.BoolVar(&b.readOnly, "read-only", false, "open the database strictly for reading")
	f.BoolVar(&b.plain, "plain", false, "a numbered list and a prompt instead of the full screen")
	f.IntVar(&b.limit, "limit", 50, "rows of the plain list")
	f.BoolVar(&b.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	addChoice(cmd, oneOf(&b.theme, themes, themes), "theme", "colours")
	f.BoolVar(&b.ascii, "ascii", false, "draw with ASCII only")
	b.resume.hermes.flags(cmd)
	return cmd
}

var themes = []string{"auto", "dark", "light", "ansi", "mono"}

// browse opens the browser, or what stands in for it where there is no screen
// to draw on, and carries out what was chosen.
func (a *app) browse(ctx context.Context, b browsing) error {
	opts := a.transcripts()
	if b.readOnly {
		opts = append(opts, store.ReadOnly())
	}
	s, at, err := a.open(ctx, opts...)
	if err != nil {
		return err
	}
	defer s.Close()

	if a.json {
		return a.browseJSON(ctx, s, b)
	}
	in, out := isTerminal(a.Stdin), io.Writer(a.Stdout)
	if b.printID && !isTerminal(out) && isTerminal(a.Stderr) {
		out = a.Stderr // as in id=$(hermes-sessions --print-id)
	}
	var chosen ui.Outcome
	if b.plain || !in || !isTerminal(out) || a.getenv("TERM") == "dumb" {
		chosen.ID, err = a.plain(ctx, s, b)
	} else {
		chosen, err = a.screen(ctx, s, at, out, b)
		b.resume.sure = true // what stands against it was said there
	}
	switch {
	case err != nil:
		return err
	case chosen.ID == "" && b.printID:
		return errNothing
	case chosen.ID == "":
		return nil
	case b.printID:
		return a.printID(chosen.ID)
	}
	b.resume.tui = b.resume.tui || chosen.TUI
	if chosen.Print {
		return a.printCommand(ctx, s, at, chosen.ID, b.resume)
	}
	return a.resume(ctx, s, at, chosen.ID, b.resume)
}

// screen runs the full-screen browser and gives what was chosen.
func (a *app) screen(ctx context.Context, s *store.Store, at place, out io.Writer, b browsing) (ui.Outcome, error) {
	keys, err := ui.NewKeys(a.Keys)
	if err != nil {
		return ui.Outcome{}, err
	}
	styles, profile := a.look(out, b)
	// Whatever the screens still ask for ends with them.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var changes ui.Changes
	if !b.readOnly {
		changes = s
	}
	opt := ui.Options{
		Library: s, Changes: changes, Keys: keys, Styles: styles, Clock: a.Now,
		Query: b.query, List: b.list, Mouse: !b.noMouse, Where: at.where, Choose: b.printID,
		Command: func(id string) string { return a.hermesCommand(at, id, b.resume).String() },
		Profile: at.hermesProfile(), Outside: a.outside(s, out),
	}
	if !a.demo || b.resume.hermes.program != "" {
		opt.Child = a.childOf(ctx, at, out, b.resume)
	}
	root := ui.New(ctx, opt)
	g := &guard{Model: root}
	program := tea.NewProgram(g, tea.WithContext(ctx), tea.WithInput(a.Stdin), tea.WithOutput(out),
		tea.WithEnvironment(a.Environ), tea.WithColorProfile(profile),
		tea.WithFilter(ui.Calm(a.Now)),
		tea.WithFPS(120),           // what is drawn waits for the next frame: 8 ms, not 16
		tea.WithoutSignalHandler()) // signals cancel ctx, and that ends the program
	g.quit = program.Quit
	_, err = program.Run()
	cancel()
	if stopped := a.partly(root.Close()); stopped != nil {
		a.log.Warn("a change was stopped", "error", stopped)
	}
	if crash := g.err(a.Version); crash != nil {
		return ui.Outcome{}, crash
	}
	switch {
	case errors.Is(err, context.Canceled):
		return ui.Outcome{}, errCancelled
	case err != nil:
		return ui.Outcome{}, fmt.Errorf("draw the screen: %w", err)
	case root.Outcome().Cancelled:
		return ui.Outcome{}, errCancelled
	}
	return root.Outcome(), nil
}

// look gives the styles and how many colours the terminal gets. NO_COLOR
// counts with any value, as no-color.org has it.
func (a *app) look(out io.Writer, b browsing) (func(dark bool) theme.Styles, colorprofile.Profile) {
	profile := colorprofile.Detect(out, a.Environ)
	if a.getenv("NO_COLOR") != "" {
		profile = colorprofile.ASCII
	}
	name := b.theme
	if name == "auto" && profile == colorprofile.ANSI {
		name = "ansi" // sixteen colours of its own: nothing to approximate
	}
	if profile <= colorprofile.ASCII {
		name = "mono"
	}
	return func(dark bool) theme.Styles {
		switch {
		case name == "mono":
			return theme.New(theme.Mono, b.ascii)
		case name == "ansi":
			return theme.New(theme.ANSI, b.ascii)
		case name == "light", name == "auto" && !dark:
			return theme.New(theme.Light, b.ascii)
		}
		return theme.New(theme.Dark, b.ascii)
	}, profile
}

// printID prints an id for a script.
func (a *app) printID(id string) error {
	if a.person() {
		id = ui.CleanLine(id)
	}
	_, err := fmt.Fprintln(a.out, id)
	return err
}
