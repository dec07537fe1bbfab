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
	hermes   string
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
	f.StringVar(&b.hermes, "hermes", "", "the `PROGRAM` that resumes (default HERMES_BIN, else hermes)")
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
	var id string
	if b.plain || !in || !isTerminal(out) || a.getenv("TERM") == "dumb" {
		id, err = a.plain(ctx, s, b)
	} else {
		id, err = a.screen(ctx, s, at, out, b)
	}
	switch {
	case err != nil:
		return err
	case id == "" && b.printID:
		return errNothing
	case id == "":
		return nil
	case b.printID:
		return a.printID(id)
	}
	return a.resume(ctx, s, at, id, b.hermes)
}

// screen runs the full-screen browser and gives the id that was chosen, "" for
// none.
func (a *app) screen(ctx context.Context, s *store.Store, at place, out io.Writer, b browsing) (string, error) {
	keys, err := ui.NewKeys(a.Keys)
	if err != nil {
		return "", err
	}
	styles, profile := a.look(out, b)
	// Whatever the screens still ask for ends with them.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var changes ui.Changes
	if !b.readOnly {
		changes = s
	}
	root := ui.New(ctx, ui.Options{
		Library: s, Changes: changes, Keys: keys, Styles: styles, Clock: a.Now,
		Query: b.query, List: b.list, Mouse: !b.noMouse, Where: at.where, Choose: b.printID,
		Command: func(id string) string { return a.hermesCommand(at, id, b.hermes).String() },
	})
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
		return "", crash
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "", errCancelled
	case err != nil:
		return "", fmt.Errorf("draw the screen: %w", err)
	case root.Outcome().Cancelled:
		return "", errCancelled
	}
	return root.Outcome().ID, nil
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
