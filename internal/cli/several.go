package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/export"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/lastread"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/sessionjson"
	"hermes-sessions/internal/cli/stats"
	"hermes-sessions/internal/cli/terminal"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/store/federation"
	"hermes-sessions/store/live"
	"hermes-sessions/ui"
	"hermes-sessions/ui/shell"
)

// library is what the browser needs of a database.
type library interface {
	shell.Library
	shell.Changes
	shell.FileWatcher
}

// history is what the browser shows: one database, or several as one.
type history struct {
	library library
	one     *live.Store     // the only database, nil for several
	at      hermes.Location // of the only one
	several *federation.Federation
	places  map[string]hermes.Named // of several, by name
}

// of returns the database of a session, where it is, and the id that the session has there.
// The store is nil where the database cannot be read now.
func (h history) of(id string) (s *store.Store, at hermes.Location, local string) {
	if h.several == nil {
		return h.one.Current(), h.at, id
	}
	l, name, local := h.several.Member(id)
	if l == nil {
		return nil, h.places[name].Location, local
	}
	return l.Current(), h.places[name].Location, local
}

// open is [history.of] for what cannot go on without the database.
func (h history) open(id string) (s *store.Store, at hermes.Location, local string, err error) {
	if s, at, local = h.of(id); s == nil {
		err = errors.New("the database of " + id + " cannot be read now")
	}
	return s, at, local, err
}

// in returns the database of sessions, and their ids there. All must be of one database.
func (h history) in(ids []string) (s *store.Store, local []string, err error) {
	var first string
	for i, id := range ids {
		of, at, l, err := h.open(id)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			s, first = of, at.DB
		}
		if at.DB != first {
			return nil, nil, errors.New("these conversations are in several databases; take those of one profile at a time")
		}
		local = append(local, l)
	}
	return s, local, nil
}

// parts returns sessions by database, in the order of the first of each, and their ids there.
func (h history) parts(ids []string) (parts []export.Part, err error) {
	for _, id := range ids {
		s, _, local, err := h.open(id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(parts, func(p export.Part) bool { return p.Store == s })
		if i < 0 {
			i, parts = len(parts), append(parts, export.Part{Store: s})
		}
		parts[i].IDs = append(parts[i].IDs, local)
	}
	return parts, nil
}

// badge names what is listed, "" for the default database.
func (h history) badge() string {
	if h.several != nil {
		names := h.several.Names()
		if len(names) > 2 {
			return output.Count(len(names), "database", "databases")
		}
		return strings.Join(names, ", ")
	}
	return h.at.Badge()
}

// interrupted returns the undos of earlier runs that the browser can finish.
func (h history) interrupted(ctx context.Context, a *app) (all []ui.Interrupted) {
	if h.several == nil {
		return a.interruptedUndos(ctx, h.one)
	}
	for name, s := range h.several.Stores() {
		for _, u := range a.interruptedUndos(ctx, s) {
			u.Text = name + ": " + u.Text
			all = append(all, u)
		}
	}
	return all
}

// memberPatience is how long the browser waits for a database among several, such as one on
// a network drive that hangs, before it shows the others.
const memberPatience = 2 * time.Second

// openSeveral opens the databases that the flags name.
func openSeveral(ctx context.Context, a *app, readOnly bool) (history, error) {
	begun := a.Now()
	named, err := hermes.LocateSeveral(a.selection, a.Environ)
	if err != nil {
		return history{}, err
	}
	h := history{places: map[string]hermes.Named{}}
	var members []federation.Member
	for _, n := range named {
		h.places[n.Name] = n
		opts := append(a.undoFolder(), store.WithTranscripts(filepath.Join(filepath.Dir(n.DB), "sessions")), store.WithClock(a.Now))
		if readOnly || n.Archive {
			opts = append(opts, store.ReadOnly())
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
	if h.several, err = federation.Open(ctx, members, max(memberPatience-a.Now().Sub(begun), memberPatience/2)); err != nil {
		return history{}, err
	}
	h.library = h.several
	return h, nil
}

// runSeveral opens the browser over several databases, and then resumes the chosen
// conversation in its own, or prints the chosen ids.
func (b browsing) runSeveral(ctx context.Context, a *app) error {
	switch {
	case b.plain:
		return fault.Usage("several databases take no --plain")
	case a.json:
		return readListed(ctx, a, func(s listed) error { return b.printJSON(ctx, a, s) })
	}
	h, err := openSeveral(ctx, a, b.readOnly)
	if err != nil {
		return err
	}
	defer func() { _ = h.several.Close() }() // nothing was written
	t, ok := terminal.Open(a.Stdin, a.Stdout, a.Stderr, b.pick.any(), a.log)
	if !ok {
		return &fault.Fault{Kind: "no-terminal", Code: 1, Message: "several databases are browsed on a terminal", Remedy: "for scripts, name one with --profile or --db"}
	}
	out, err := b.screen(ctx, a, h, t)
	t.Close()
	b.resume.yes = true // the browser has asked already
	if done, err := b.chosen(a, out, err); done {
		return err
	}
	s, at, id, err := h.open(out.ids[0])
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
func severalFlags(a *app, cmd *cobra.Command, does string) {
	cmd.Flags().BoolVar(&a.selection.All, "all-profiles", false, does+" of all profiles")
}

// listed is what lists and searches need: one database, or several as one.
type listed interface {
	Conversations(ctx context.Context, list query.ListOptions) (model.ConversationPage, error)
	Search(ctx context.Context, q query.Query, list query.ListOptions) (model.SearchResults, error)
	Tail(ctx context.Context, id string, n int) ([]model.Message, error)
	stats.Source
	sessionjson.Source
	databases() lastread.Databases
	// in returns the database of a session, nil where it cannot be read now, and the id there.
	in(id string) (*store.Store, string)
}

// single is one database.
type single struct{ *store.Store }

// LocalID implements [sessionjson.Source].
func (s single) LocalID(id string) string { return id }

func (s single) databases() lastread.Databases {
	return lastread.Databases{One: hermes.RealPath(s.Path())}
}

func (s single) in(id string) (*store.Store, string) { return s.Store, id }

// members is several databases.
type members struct {
	*federation.Federation
	history history
}

func (m members) databases() lastread.Databases { return databasesOf(m.history) }

func (m members) in(id string) (*store.Store, string) {
	s, _, local := m.history.of(id)
	return s, local
}

// LocalID implements [sessionjson.Source].
func (m members) LocalID(id string) string {
	_, _, local := m.history.of(id)
	return local
}

// Records reads rows, each from its own database. Sessions without a row are left out.
func (m members) Records(ctx context.Context, ids []string) ([]store.Record, error) {
	of := map[*store.Store][]string{}
	for _, id := range ids {
		s, _, local, err := m.history.open(id)
		if err != nil {
			return nil, err
		}
		of[s] = append(of[s], local)
	}
	found := map[*store.Store][]store.Record{}
	for s, local := range of {
		records, err := s.Records(ctx, local)
		if err != nil {
			return nil, err
		}
		found[s] = records
	}
	all := make([]store.Record, 0, len(ids))
	for _, id := range ids {
		s, _, local := m.history.of(id)
		// They are in the order of the ids, without those that are left out.
		if left := found[s]; len(left) > 0 && (len(left) == len(of[s]) || left[0].Get("id") == local) {
			all, found[s] = append(all, left[0]), left[1:]
		}
		of[s] = of[s][1:]
	}
	return all, nil
}

// readListed opens the databases that the flags name for a command that lists them, and
// closes them.
func readListed(ctx context.Context, a *app, do func(listed) error) error {
	if !a.selection.Several() {
		return a.read(ctx, func(s *store.Store) error { return do(single{s}) })
	}
	h, err := openSeveral(ctx, a, true)
	if err != nil {
		return err
	}
	defer h.several.Close() //nolint:errcheck // nothing was written
	err = do(members{h.several, h})
	printNotes(a, h)
	return err
}

// readEach opens the databases that the flags name for a command that reads each by itself,
// calls do for each, with its name, "" for the only one, then print, and closes them.
func readEach(ctx context.Context, a *app, do func(name string, s *store.Store) error, print func() error) error {
	if !a.selection.Several() {
		return a.read(ctx, func(s *store.Store) error {
			if err := do("", s); err != nil {
				return err
			}
			return print()
		})
	}
	h, err := openSeveral(ctx, a, true)
	if err != nil {
		return err
	}
	defer h.several.Close() //nolint:errcheck // nothing was written
	open := h.several.Stores()
	for _, name := range h.several.Names() {
		if s := open[name]; s != nil && err == nil {
			err = do(name, s.Current())
		}
	}
	if err == nil {
		err = print()
	}
	printNotes(a, h)
	return err
}

// printNotes prints on standard error what is wrong with the databases.
func printNotes(a *app, h history) {
	for _, n := range h.several.Notes() {
		a.printNote(fault.OfNote(n))
	}
}
