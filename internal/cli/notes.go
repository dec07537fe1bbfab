package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/annotations"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/lastread"
	"hermes-sessions/store"
	"hermes-sessions/ui/shell"
)

// openNotes opens the user's notes on databases.
func openNotes(a *app, of lastread.Databases) (*annotations.Book, error) {
	folder := a.Environ.StateFolder()
	if folder == "" {
		return nil, fault.Usage("notes need a home folder, HOME or XDG_STATE_HOME")
	}
	return annotations.Open(filepath.Join(folder, "notes.jsonl"), of, a.Now)
}

// annotationsOf gives the browser the notes on databases, nil where none are kept.
func annotationsOf(a *app, of lastread.Databases) shell.Annotations {
	if a.selection.Demo {
		return nil
	}
	b, err := openNotes(a, of)
	if err != nil {
		a.log.Warn("notes.jsonl", "error", err)
		return nil
	}
	return b
}

func notesCommand(a *app) *cobra.Command {
	return paged(a, annotations.Command(annotations.Surroundings{
		Stdin: a.Stdin, JSON: func() bool { return a.json }, Out: a.out, Say: a.say,
		Open: func() (*annotations.Book, error) {
			if a.selection.Several() {
				return nil, fault.Usage("notes takes one database")
			}
			at, err := a.locate()
			if err != nil {
				return nil, err
			}
			return openNotes(a, lastread.Databases{One: hermes.RealPath(at.DB)})
		},
		Store: func(ctx context.Context) (*store.Store, error) {
			s, _, err := a.open(ctx)
			return s, err
		},
	}))
}
