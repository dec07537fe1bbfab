package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// locate chooses the database of this run.
func (a *app) locate() (hermes.Location, error) { return hermes.Locate(a.selection, a.Environ) }

// withinDatabase takes the name of a database off the names of sessions, such as work/ID, and
// selects that database for this run.
func (a *app) withinDatabase(sessions ...string) (names []string, err error) {
	for _, s := range sessions {
		a.noProfile = cmp.Or(a.noProfile, a.selection.UnknownProfile(s, a.Environ))
	}
	a.selection, names, err = a.selection.Within(sessions, a.Environ)
	return names, err
}

// open opens the database that the flags and the environment name. The caller
// closes it.
func (a *app) open(ctx context.Context, opts ...store.Option) (*store.Store, hermes.Location, error) {
	opts = a.openOptions(opts)
	at, err := a.locate()
	if err != nil {
		return nil, at, err
	}
	if a.selection.Demo {
		s, err := store.Demo(ctx, append(opts, store.WithPruneSettings(&model.PruneSettings{Auto: new(true), Days: model.DefaultRetentionDays}))...)
		return s, at, err
	}
	a.log.Info("open", "path", at.DB, "profile", at.Profile)
	s, err := a.openPatiently(ctx, at.DB, func() (*store.Store, error) {
		return store.Open(ctx, at.DB, append(opts, store.WithTranscripts(at.Transcripts()), store.WithPruneSettings(hermes.PruneSettings(at)))...)
	})
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.KindAbsent && a.selection.DB == "" {
		return nil, at, hermes.NoHistory(at, err)
	}
	if err != nil {
		return nil, at, err
	}
	for _, n := range s.Notes() {
		a.log.Warn("note", "kind", n.Kind, "message", n.Message)
	}
	return s, at, nil
}

// openOptions adds to the options of a database what this run says of all.
func (a *app) openOptions(opts []store.Option) []store.Option {
	opts = append(opts, store.WithClock(a.Now))
	if a.readOnly {
		opts = append(opts, store.ReadOnly())
	}
	return opts
}

// interruptPatience is how long an interrupted opening may take to end by itself.
const interruptPatience = time.Second

// openPatiently opens a database, says so where its file does not answer, as on a network drive
// that hangs, and then ends at an interrupt, although the system does not let go of the file.
func (a *app) openPatiently(ctx context.Context, path string, open func() (*store.Store, error)) (*store.Store, error) {
	type opening struct {
		store *store.Store
		err   error
	}
	ended := make(chan opening, 1)
	go func() {
		s, err := open()
		ended <- opening{s, err}
	}()
	late := time.After(memberPatience)
	interrupted := ctx.Done()
	var last <-chan time.Time
	for {
		select {
		case o := <-ended:
			return o.store, o.err
		case <-late:
			a.printNoteAtOnce(fault.Fault{Kind: "file-slow", Message: path + ": the file does not answer yet", Remedy: "wait, or stop with ctrl+c"})
		case <-interrupted:
			interrupted, last = nil, time.After(interruptPatience)
		case <-last:
			return nil, ctx.Err()
		}
	}
}

// read opens the database for a command that prints from it, and closes it. When
// part of the file could not be read, a note on standard error says so.
func (a *app) read(ctx context.Context, do func(*store.Store) error) error {
	s, _, err := a.open(ctx, a.undoFolder()...)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // nothing was written
	err = do(s)
	a.printInterrupted(ctx, s)
	if a.printDamage(s) {
		err = cmp.Or(err, fault.ErrNothing) // the answer lacks something, which the note says
	}
	return err
}

// printDamage prints on standard error that part of the database could not be read,
// or that an index is damaged. lacks is true where an answer may lack something.
func (a *app) printDamage(s *store.Store) (lacks bool) {
	for _, n := range s.Notes() {
		gone := n.Kind == model.NoteDamaged || n.Kind == model.NoteUnnamed || n.Kind == model.NoteDangling || n.Kind == model.NoteLogDamaged
		if gone || n.Kind == model.NoteIndexDamaged {
			a.printNote(fault.OfNote(n))
		}
		lacks = lacks || gone
	}
	return lacks
}

// openForChange opens the database for a command that changes it. The caller closes it.
func (a *app) openForChange(ctx context.Context) (*store.Store, error) {
	if err := a.selection.CheckWritable(); err != nil {
		return nil, err
	}
	if _, err := a.undoLimits(); err != nil {
		return nil, err
	}
	s, _, err := a.open(ctx, a.undoFolder()...)
	if err == nil {
		a.printInterrupted(ctx, s)
	}
	return s, err
}

// readSession opens the database of the session that words name for a command that prints
// from it, and closes it.
func (a *app) readSession(ctx context.Context, words []string, do func(s *store.Store, id string) error) error {
	names, err := a.withinDatabase(strings.Join(words, " "))
	if err != nil {
		return err
	}
	return a.read(ctx, func(s *store.Store) error {
		id, err := findSession(ctx, s, names[0])
		if err != nil {
			return err
		}
		return do(s, id)
	})
}

// changeSessions opens the database of sessions for a command that changes them, and
// closes it. do gets the names that the sessions have there.
func (a *app) changeSessions(ctx context.Context, sessions []string, do func(s *store.Store, names []string) error) (err error) {
	names, err := a.withinDatabase(sessions...)
	if err != nil {
		return err
	}
	s, err := a.openForChange(ctx)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, s.Close()) }()
	return do(s, names)
}

// checkRewritable refuses with --read-only what makes or rewrites a file, which no open database says.
func (a *app) checkRewritable() error {
	if a.readOnly {
		return fault.Usage("--read-only takes neither doctor --migrate nor import --new")
	}
	return nil
}

// undoFolder tells the store which folder keeps deleted rows while a deletion can be
// undone, and for how long.
func (a *app) undoFolder() []store.Option {
	folder := a.Environ.StateFolder()
	if folder == "" || a.selection.Demo {
		return nil
	}
	limits, err := a.undoLimits()
	if err != nil { // by other limits, what is kept could go too early
		a.log.Warn("undo", "error", err) // commands that change something report it
		return nil
	}
	return []store.Option{store.WithUndoFolder(filepath.Join(folder, "undo")), store.WithUndoLimits(limits)}
}

// undoLimits returns the limits of what is kept for an undo by later runs.
func (a *app) undoLimits() (model.UndoLimits, error) {
	if a.Environ.StateFolder() == "" || a.selection.Demo {
		return model.UndoLimits{}, nil
	}
	file := a.configFile
	if file == "none" { // does not shorten what the user's settings promise
		file = ""
	}
	s, err := state.ReadSettings(file, a.Environ)
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		f.Remedy = "correct it: it says how long deleted rows are kept"
	}
	return s.UndoLimits(), err
}

// notDatabase refuses to write to the database that this run would open, or to
// the files that SQLite keeps beside it.
func (a *app) notDatabase(file string) error {
	var paths []string
	if a.selection.Several() {
		named, err := hermes.LocateSeveral(a.selection, a.Environ)
		if err != nil {
			return err
		}
		for _, n := range named {
			paths = append(paths, n.DB)
		}
	} else if at, err := a.locate(); err == nil && !a.selection.Demo { // the command reports the error
		paths = []string{at.DB}
	}
	target, err := os.Stat(file)
	for _, path := range paths {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			same := filepath.Clean(file) == filepath.Clean(path+suffix)
			if info, e := os.Stat(path + suffix); e == nil && err == nil {
				same = same || os.SameFile(info, target)
			}
			if same {
				return fault.Usage("%s is the session database itself", file)
			}
		}
	}
	return nil
}
