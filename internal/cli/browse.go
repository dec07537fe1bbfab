package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/help"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/store/federation"
	"hermes-sessions/store/live"
	"hermes-sessions/theme"
	"hermes-sessions/ui"
	"hermes-sessions/ui/shell"
)

// browsing holds the flags and the query of the browser.
type browsing struct {
	list    query.ListOptions
	query   string
	theme   string
	resume  resumption
	limit   int
	pick    picking
	noMouse bool
	plain   bool
	ascii   bool
	vim     bool
}

func browseCommand(a *app) *cobra.Command {
	var b browsing
	cmd := &cobra.Command{
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			b.query = strings.Join(words, " ")
			if err := absoluteFolder(&b.list.CWD); err != nil {
				return err
			}
			if a.settings, err = state.ReadSettings(a.configFile, a.Environ); err != nil {
				return err
			}
			if !cmd.Flags().Changed("plain") {
				b.plain = a.settings.Plain && !b.pick.any() && b.pick.height == 0 && !a.selection.Several()
			}
			if a.selection.IsDefault() {
				a.selection.All = a.settings.AllProfiles && !b.plain && !a.json
			}
			if !cmd.Flags().Changed("theme") && a.settings.Theme != "" {
				b.theme = a.settings.Theme
			}
			if !cmd.Flags().Changed("sort") {
				b.list.Order = a.settings.ListOrder()
			}
			if !cmd.Flags().Changed("ascii") {
				b.ascii = a.settings.ASCII || !a.Environ.Unicode()
			}
			b.noMouse = b.noMouse || a.settings.Mouse != nil && !*a.settings.Mouse
			return b.run(cmd.Context(), a)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&b.list.Sources, "source", nil, "only conversations of this `SOURCE` (repeatable)")
	f.StringVar(&b.list.CWD, "cwd", "", "only conversations in the folder `DIR`")
	scopeFlag(cmd, &b.list.Scope)
	sortFlag(cmd, &b.list.Order)
	b.pick.flags(cmd)
	a.severalFlags(cmd, "list the conversations")
	f.BoolVar(&b.plain, "plain", false, "a numbered list and commands instead of the full screen, for screen readers")
	countFlag(cmd, &b.limit, "limit", 50, "rows per page of the plain list")
	f.BoolVar(&b.noMouse, "no-mouse", false, "do not use the mouse")
	chooseFlag(cmd, oneOf(&b.theme, "THEME", state.Themes(), state.Themes()), "theme", "color theme")
	f.BoolVar(&b.ascii, "ascii", false, "draw with ASCII only")
	f.BoolVar(&b.vim, "vim", false, "use letters as keys until / starts a query (preset vim)")
	hermesFlags(cmd, &b.resume.hermes)
	return cmd
}

// run opens the browser, or without a screen prints a numbered list, and then
// resumes the chosen conversation or prints the chosen ids.
func (b browsing) run(ctx context.Context, a *app) error {
	if a.selection.Several() {
		return b.runSeveral(ctx, a)
	}
	opts := a.undoFolder()
	s, at, err := a.open(ctx, opts...)
	if err != nil {
		return b.firstRun(ctx, a, at, err)
	}
	end := s.Close
	defer func() { _ = end() }() // nothing was written

	if a.json {
		return b.printJSON(ctx, a, single{s})
	}
	var out outcome
	if t, ok := output.OpenTerminal(a.Stdin, a.Stdout, a.Stderr, b.pick.any() && !b.plain, a.log); ok && !b.plain && a.Environ.Get("TERM") != "dumb" {
		defer t.Close()
		l := live.New(ctx, s, func(ctx context.Context) (*store.Store, error) {
			return store.Open(ctx, at.DB, append(a.openOptions(opts), store.WithTranscripts(at.Transcripts()), store.WithPruneSettings(hermes.PruneSettings(at)))...)
		})
		out, err = b.screen(ctx, a, history{Library: federation.Only(l), Changes: l, One: l, At: at}, t)
		s, end = l.Current(), l.Close
		b.resume.yes = true // the browser has asked already
	} else {
		out.ids, err = b.prompt(ctx, a, s, at)
	}
	if done, err := b.chosen(a, out, err); done {
		return err
	}
	if out.print {
		return a.printResumeCommand(ctx, s, at, out.ids[0], b.resume)
	}
	return a.resume(ctx, s, at, out.ids[0], b.resume)
}

// chosen prints the chosen ids where a script asked for them. It returns done unless there
// is a conversation to resume; an error counts as done.
func (b *browsing) chosen(a *app, out outcome, err error) (done bool, _ error) {
	switch {
	case err != nil:
		return true, err
	case len(out.ids) == 0 && b.pick.any():
		return true, fault.ErrNothing
	case len(out.ids) == 0:
		return true, nil
	case b.pick.any():
		return true, printIDs(a.out, out.ids, b.pick.null)
	}
	b.resume.hermes.TUI = b.resume.hermes.TUI || out.tui
	return false, nil
}

// screen runs the full-screen browser and returns the user's choice.
func (b browsing) screen(ctx context.Context, a *app, s history, t output.Terminal) (outcome, error) {
	keys, err := b.keyMap(a)
	if err != nil {
		return outcome{}, err
	}
	setup, profile := b.colors(a, t.Out)
	// Requests of the screens that still run are canceled at the end.
	whole := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var changes shell.Changes
	var interrupted []ui.Saved
	var saved func(context.Context) ([]ui.Saved, error)
	kept := ""
	if !a.readOnly {
		changes = s.Changes
		interrupted = a.interruptedIn(ctx, s)
		if a.keepsUndo("") {
			limits, _ := a.undoLimits() // keepsUndo has read them
			kept, saved = limits.Kept(), func(ctx context.Context) ([]ui.Saved, error) { return a.savedIn(ctx, s) }
		}
	}
	opt := ui.Options{
		Env: shell.Env{
			Library: s.Library, Changes: changes, Outside: a.outside(s, t), Keys: keys, Clock: a.Now,
			Query: b.query, List: b.list, Where: s.At.Label, Badge: s.Badge(), Several: s.Several != nil, Queries: a.settings.Named, Commands: a.settings.Own, Columns: a.settings.Columns, Choose: b.pick.any(), Multi: b.pick.multi,
			Command: func(id string) string {
				if hasControls(id) {
					return ""
				}
				_, at, local := s.Of(id)
				return a.hermesCommand(at, local, b.resume).String()
			},
			After: a.afterResume(), UndoKept: kept,
		},
		Theme: setup, Mouse: !b.noMouse, Still: a.settings.Motion == "reduced", Height: b.pick.height, NoShell: !output.HasShell(), Profile: s.At.ProfileName(), Interrupted: interrupted, Saved: saved,
	}
	var notes []string
	if gone := a.settings.Overrides.FormerNames(); len(gone) > 0 {
		notes = append(notes, "settings: "+strings.Join(gone, "; "))
	}
	opt.ResumeNote = func(id string) string {
		_, at, _ := s.Of(id)
		return otherDatabase(at)
	}
	if a.tmux().Inside() {
		opt.Windows = a.windows(s, b.resume)
	}
	if opt.DryRun = a.selection.Demo && b.resume.hermes.Program == ""; !opt.DryRun {
		opt.Child = a.resumeAndReturn(ctx, s, t, b.resume)
	}
	if s.One != nil {
		if opt.Place, err = messageOf(ctx, s.One.Current(), b.query); err != nil {
			return outcome{}, err
		}
	}
	if opt.Place != nil {
		opt.Query = ""
	}
	memory, damaged := b.recall(a, s, &opt)
	if damaged != "" {
		notes = append(notes, damaged)
	}
	if b.query != "" && !strings.Contains(b.query, " ") {
		if near := help.Mistyped(Commands(), b.query); near != "" { //nolint:contextcheck // only the names of commands are asked for
			notes = append(notes, searchedFor(b.query)+"; "+near+" is a command: hermes-sessions "+near)
		}
	}
	opt.Note = strings.Join(notes, "; ")
	root := ui.New(ctx, opt)
	crashed, err := a.draw(ctx, root, t, profile, b.pick.height)
	cancel()
	stopped, unwritten := root.Close()
	if a.printPartial(stopped) != nil {
		a.log.Warn("a change was stopped", "error", stopped)
	}
	if unwritten != nil {
		a.printNote(unsaved("a note or a named query could not be saved: ", unwritten))
	}
	if crashed != nil {
		return outcome{}, crashed
	}
	memory.save(a, root)
	switch {
	case err != nil:
		return outcome{}, err
	case root.Outcome().Canceled:
		return outcome{}, fault.ErrCanceled
	}
	o := root.Outcome()
	if o.Command != nil {
		return outcome{}, a.leaveFor(whole, s, t, *o.Command)
	}
	return outcome{ids: root.Chosen(), tui: o.TUI, print: o.Print}, nil
}

// messageOf returns the message that a query names, as show takes it:
// ID#MESSAGE. It is nil where the query names none and is words to search for.
func messageOf(ctx context.Context, s *store.Store, query string) (*ui.Place, error) {
	if !messageSuffix.MatchString(query) {
		return nil, nil
	}
	errWords := errors.New("a query")
	id, message, err := findMessage(query, func(name string) (string, error) {
		m, err := s.MatchName(ctx, name)
		if err == nil && (len(m.Sessions) != 1 || !m.By.Whole()) {
			err = errWords
		}
		if err != nil {
			return "", err
		}
		return m.Sessions[0].ID, nil
	})
	if errors.Is(err, errWords) || err == nil && message == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := s.MessagesOf(ctx, id, []int64{message})
	if err != nil {
		return nil, err
	}
	c, err := s.Conversation(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || !slices.Contains(c.Segments, found[0].SessionID) {
		return nil, noMessage(id, message)
	}
	return &ui.Place{Conversation: c, Message: message}, nil
}

// colors returns what is known of the colors before the terminal is asked, and how many
// colors it gets. NO_COLOR turns colors off with any value (no-color.org).
func (b browsing) colors(a *app, out io.Writer) (theme.Setup, colorprofile.Profile) {
	profile := colorprofile.Detect(out, a.Environ)
	if a.Environ.Get("NO_COLOR") != "" {
		profile = colorprofile.ASCII
	}
	setup := theme.Setup{Theme: b.theme, Own: a.settings.Look().Themes, ASCII: b.ascii}
	switch {
	case profile <= colorprofile.ASCII:
		setup.Colors = theme.NoColors
	case profile == colorprofile.ANSI:
		setup.Colors = theme.Colors16
	case profile == colorprofile.ANSI256:
		setup.Colors = theme.Colors256
	}
	return setup, profile
}

// keyMap returns the key map that the flags or the settings ask for, with the user's own
// keys.
func (b browsing) keyMap(a *app) (shell.Keys, error) {
	preset := a.settings.Preset
	if b.vim {
		preset = "vim"
	}
	return a.keysOf(a.settings, preset)
}

// keysOf returns the key map of settings, with a preset.
func (a *app) keysOf(s state.Settings, preset string) (shell.Keys, error) {
	keys, err := a.Keys(preset, s.EnterLF, s.Overrides, shell.Bindings(s.Own))
	if err != nil && s.File != "" {
		return shell.Keys{}, s.Fault(err)
	}
	return keys, err
}
