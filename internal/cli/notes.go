package cli

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/annotations"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/history"
	"hermes-sessions/internal/cli/lastread"
	"hermes-sessions/store"
	"hermes-sessions/ui/shell"
)

// openNotes opens the user's notes on databases. Those on the demo are in no file.
func openNotes(a *app, of lastread.Databases) (*annotations.Book, error) {
	if a.selection.Demo {
		return annotations.Open("", of, a.Now)
	}
	folder := a.Environ.StateFolder()
	if folder == "" {
		return nil, &fault.Fault{Kind: "failed", Code: 1, Message: "notes need a home folder", Remedy: "set HOME or XDG_STATE_HOME"}
	}
	return annotations.Open(filepath.Join(folder, "notes.jsonl"), of, a.Now)
}

// annotationsOf gives the browser the notes on databases, nil where none are kept.
func annotationsOf(a *app, of lastread.Databases) shell.Annotations {
	b, err := openNotes(a, of)
	if err != nil {
		a.log.Warn("notes.jsonl", "error", err)
		return nil
	}
	return b
}

func notesCommand(a *app) *cobra.Command {
	cmd := annotations.Command(annotations.Surroundings{
		Stdin: a.Stdin, JSON: func() bool { return a.json }, Out: a.out, Say: a.say,
		Open: func() (*annotations.Book, error) {
			of, err := locateDatabases(a)
			if err != nil {
				return nil, err
			}
			return openNotes(a, of)
		},
		There: func(ctx context.Context, roots []string) (map[string]bool, error) {
			there := map[string]bool{}
			err := readListed(ctx, a, func(l history.Listed) error {
				for _, root := range roots {
					s, local := l.In(root)
					if s == nil { // it cannot be read now
						there[root] = true
						continue
					}
					found, err := s.Records(ctx, []string{local})
					if err != nil {
						return err
					}
					there[root] = len(found) > 0
				}
				return nil
			})
			if e, ok := errors.AsType[*store.Error](err); ok && e.Kind == store.KindAbsent && !a.selection.Several() {
				return there, nil // notes outlive the database
			}
			return there, err
		},
	})
	severalFlags(a, cmd, "list the notes on the conversations")
	return paged(a, cmd)
}

// locateDatabases returns the paths of the databases that the flags name, without opening them.
func locateDatabases(a *app) (lastread.Databases, error) {
	if !a.selection.Several() {
		at, err := a.locate()
		return lastread.Databases{One: hermes.RealPath(at.DB)}, err
	}
	named, err := hermes.LocateSeveral(a.selection, a.Environ)
	h := history.History{Places: map[string]hermes.Named{}}
	for _, n := range named {
		h.Places[n.Name] = n
	}
	return h.Paths(), err
}
