package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/store"
	"hermes-sessions/store/federation"
	"hermes-sessions/store/live"
	"hermes-sessions/ui"
)

// interruptedIn returns the undos of earlier runs that the browser offers to finish.
func (a *app) interruptedIn(ctx context.Context, h history) []ui.Saved {
	all, _ := eachSaved(h, func(s *live.Store) ([]ui.Saved, error) { return a.interruptedUndos(ctx, s), nil })
	return all
}

// savedIn returns all deletions of earlier runs that the browser can undo, the last first.
func (a *app) savedIn(ctx context.Context, h history) ([]ui.Saved, error) {
	all, err := eachSaved(h, func(s *live.Store) ([]ui.Saved, error) { return a.savedUndos(ctx, s) })
	slices.SortStableFunc(all, func(x, y ui.Saved) int { return y.At.Compare(x.At) })
	return all, err
}

// eachSaved collects what can be undone in all databases.
func eachSaved(h history, of func(*live.Store) ([]ui.Saved, error)) (all []ui.Saved, err error) {
	if h.Several == nil {
		return of(h.One)
	}
	for name, s := range h.Several.Stores() {
		found, failed := of(s)
		err = errors.Join(err, failed)
		for _, u := range found {
			u.Text = name + ": " + u.Text
			all = append(all, u)
		}
	}
	return all, err
}

// memberPatience is how long the browser waits for a database among several, such as one on
// a network drive that hangs, before it shows the others.
const memberPatience = 2 * time.Second

// openSeveral opens the databases that the flags name.
func (a *app) openSeveral(ctx context.Context, readOnly bool) (history, error) {
	begun := a.Now()
	named, err := hermes.LocateSeveral(a.selection, a.Environ)
	if err != nil {
		return history{}, err
	}
	h := history{Places: map[string]hermes.Named{}}
	var members []federation.Member
	for _, n := range named {
		h.Places[n.Name] = n
		opts := append(a.undoFolder(), store.WithTranscripts(n.Transcripts()), store.WithClock(a.Now))
		switch {
		case readOnly:
			opts = append(opts, store.ReadOnly())
		case n.Archive:
			opts = append(opts, store.ReadOnlyBecause(n.WhyReadOnly()))
		}
		open := func(ctx context.Context) (*store.Store, error) {
			// config.yaml is on the drive of the database, and is read where that may hang.
			return store.Open(ctx, n.DB, append(slices.Clip(opts), store.WithPruneSettings(hermes.PruneSettings(n.Location)))...)
		}
		members = append(members, federation.Member{Name: n.Name, Open: func(ctx context.Context) (*live.Store, error) {
			s, err := open(ctx)
			if err != nil {
				return nil, err
			}
			return live.New(ctx, s, open), nil
		}})
	}
	if h.Several, err = federation.Open(ctx, members, max(memberPatience-a.Now().Sub(begun), memberPatience/2)); err != nil {
		return history{}, err
	}
	h.Library, h.Changes = h.Several, h.Several
	return h, nil
}

// runSeveral opens the browser over several databases, and then resumes the chosen
// conversation in its own, or prints the chosen ids.
func (b browsing) runSeveral(ctx context.Context, a *app) error {
	switch {
	case b.plain:
		return fault.Usage("--plain takes only one database")
	case a.json:
		return a.readListed(ctx, func(s listed) error { return b.printJSON(ctx, a, s) })
	}
	h, err := a.openSeveral(ctx, a.readOnly)
	if err != nil {
		return err
	}
	defer func() { _ = h.Several.Close() }() // nothing was written
	t, ok := output.OpenTerminal(a.Stdin, a.Stdout, a.Stderr, b.pick.any(), a.log)
	if !ok {
		return &fault.Fault{Kind: "no-terminal", Code: 1, Message: "browsing several databases needs a terminal", Remedy: "for scripts, name one with --profile or --db"}
	}
	out, err := b.screen(ctx, a, h, t)
	t.Close()
	b.resume.yes = true // the browser has asked already
	if done, err := b.chosen(a, out, err); done {
		return err
	}
	s, at, id, err := h.Open(out.ids[0])
	if err != nil {
		return err
	}
	if out.print {
		return a.printResumeCommand(ctx, s, at, id, b.resume)
	}
	return a.resume(ctx, s, at, id, b.resume)
}

// severalFlags adds what takes several databases, beside --db and --home given repeatedly.
// does says what the command does to those of all profiles, as in "search the conversations".
func (a *app) severalFlags(cmd *cobra.Command, does string) {
	cmd.Flags().BoolVar(&a.selection.All, "all-profiles", false, does+" of all profiles")
}

// readListed opens the databases that the flags name for a command that lists them, and
// closes them.
func (a *app) readListed(ctx context.Context, do func(listed) error) error {
	if !a.selection.Several() {
		return a.read(ctx, func(s *store.Store) error { return do(single{s}) })
	}
	h, err := a.openSeveral(ctx, true)
	if err != nil {
		return err
	}
	defer h.Several.Close() //nolint:errcheck // nothing was written
	err = do(members{Federation: h.Several, History: h})
	a.printNotes(h)
	return err
}

// readEach opens the databases that the flags name for a command that reads each by itself,
// calls do for each, with its name, "" for the only one, then print, and closes them.
func (a *app) readEach(ctx context.Context, do func(name string, s *store.Store) error, print func() error) error {
	if !a.selection.Several() {
		return a.read(ctx, func(s *store.Store) error {
			if err := do("", s); err != nil {
				return err
			}
			return print()
		})
	}
	h, err := a.openSeveral(ctx, true)
	if err != nil {
		return err
	}
	defer h.Several.Close() //nolint:errcheck // nothing was written
	open := h.Several.Stores()
	for _, name := range h.Several.Names() {
		if s := open[name]; s != nil && err == nil {
			err = do(name, s.Current())
		}
	}
	if err == nil {
		err = print()
	}
	a.printNotes(h)
	return err
}

// printNotes prints on standard error what is wrong with the databases.
func (a *app) printNotes(h history) {
	for _, n := range h.Several.Notes() {
		a.printNote(fault.OfNote(n))
	}
}
