package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// maxBadLinesShown is how many bad lines are reported on standard error.
const maxBadLinesShown = 20

func importCommand(a *app) *cobra.Command {
	var o model.ImportOptions
	var fresh bool
	var schema []store.Option // of a new database
	cmd := &cobra.Command{
		Use:   "import FILE|ID|-",
		Short: "Import exported sessions, a backup, or a transcript file",
		Long: `import reads a JSON file from export, one session per line, or a --backup file from
delete or prune. Sessions that already exist are skipped.

It also reads the transcript files in Hermes's folder sessions, by their names or by the ID
of a session. An existing session gets the messages that only the files have.

With --new it creates the database if there is none. New databases have schema 26, with
folders, pins, archive and message flags; newer versions of Hermes upgrade it. For older
versions, use --schema 11.`,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) != 1 || words[0] == "" {
				return fault.Usage("import takes one file or the ID of a session with transcript files, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			ctx := cmd.Context()
			if id, path := a.transcriptToImport(ctx, words[0]); id != "" && !fresh {
				return a.importTranscript(ctx, id, path, o)
			}
			var in io.Reader = a.Stdin
			size := int64(0)
			if file := words[0]; file != "-" {
				if err := a.notDatabase(file); err != nil {
					return err
				}
				f, err := os.Open(file)
				if err != nil {
					return fmt.Errorf("import: %w", err)
				}
				defer f.Close() //nolint:errcheck // the file was only read
				in = f
				info, err := f.Stat()
				switch {
				case err == nil && info.IsDir():
					return fault.Usage("import takes a file, and %s is a folder", file)
				case err == nil && info.Mode().IsRegular() && hermes.IsDatabase(file):
					f := fault.Usage("%s is a database, not an export", file)
					f.Remedy, f.Command = "export it, then import that", "hermes-sessions export all.jsonl --db "+model.ShellWord(file)
					return f
				case err == nil:
					size = info.Size()
				}
			}
			if cmd.Flags().Changed("schema") && !fresh {
				return fault.Usage("--schema needs --new")
			}
			if fresh {
				if err := a.createDatabase(cmd.Context(), schema); err != nil {
					return err
				}
			}
			s, err := a.openForChange(ctx)
			if err != nil {
				return offerNew(err)
			}
			defer func() { err = cmp.Or(err, s.Close()) }()
			meter := a.newMeter("Importing", output.Bytes)
			o.Progress = func(read int64) { meter.Set(read, size) }
			r, err := s.Import(ctx, in, o)
			meter.Stop()
			if errors.Is(err, context.Canceled) {
				a.printStopped(meter, "nothing was imported", "import the file again to continue: existing sessions are skipped")
			}
			return cmp.Or(err, a.printImported(r))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Strict, "strict", false, "stop at the first line that cannot be imported")
	f.BoolVar(&o.DropTitles, "drop-titles", false, "omit titles that are taken")
	f.BoolVar(&fresh, "new", false, "create the database if there is none")
	chooseFlag(cmd, oneOf(&schema, "NUMBER", []string{"26", "11"}, [][]store.Option{{store.WithNewestSchema()}, nil}), "schema",
		"with --new: schema of the database, 11 for older versions of Hermes")
	return cmd
}

// createDatabase makes a new database where the file is missing or empty.
func (a *app) createDatabase(ctx context.Context, schema []store.Option) error {
	if err := a.checkRewritable(); err != nil {
		return err
	}
	at, err := a.locate()
	if err != nil || a.selection.Demo {
		return err
	}
	s, err := store.Open(ctx, at.DB)
	switch {
	case err == nil:
		return s.Close()
	case missing(err) == nil:
		return nil // the caller opens it again and reports the error
	}
	_, err = store.Migrate(ctx, at.DB, schema...)
	return err
}

// missing returns the store's error where err says that the file is missing or
// empty, else nil.
func missing(err error) *model.Error {
	if e, ok := errors.AsType[*model.Error](err); ok && (e.Kind == model.KindAbsent || e.Kind == model.KindEmpty) {
		return e
	}
	return nil
}

// offerNew adds --new to the remedy of an error about a missing database.
func offerNew(err error) error {
	e := missing(err)
	if e == nil {
		return err
	}
	offer := *e
	offer.Remedy = model.Advise("create it with --new, or name another file with --db")
	return &offer
}

// printImported prints the report of an import. It returns an error for exit code
// 1 where a line could not be imported.
func (a *app) printImported(r model.ImportReport) error {
	bad := []answer.BadLine{}
	for _, b := range r.Bad {
		bad = append(bad, answer.BadLine{Line: b.Line, Message: strings.ToValidUTF8(b.Err.Error(), "\uFFFD")})
	}
	if a.json {
		err := a.out.JSON(answer.Imported{
			Imported: r.Sessions, Messages: r.Messages, Skipped: r.Skipped, Renumbered: r.Renumbered, Untitled: r.Untitled,
			Unlinked: r.Unlinked, Unknown: output.List(r.Unknown), BadLines: r.BadLines, Bad: bad,
		})
		return cmp.Or(err, failedLines(r))
	}
	for i, b := range bad {
		if i == maxBadLinesShown {
			break
		}
		fmt.Fprintf(a.Stderr, "hermes-sessions: line %d: %s\n", b.Line, output.Clean(b.Message))
	}
	fmt.Fprintf(a.out, "Imported %s with %s.\n", output.Count(r.Sessions, "session", "sessions"), output.Count(r.Messages, "message", "messages"))
	for _, more := range []struct {
		n         int
		one, many string
	}{
		{r.Skipped, "session already existed", "sessions already existed"},
		{r.Renumbered, "message got a new number", "messages got new numbers"},
		{r.Untitled, "session lost its title to another one", "sessions lost their titles to others"},
		{r.Unlinked, "session is missing its parent", "sessions are missing their parents"},
		{r.BadLines, "line could not be imported", "lines could not be imported"},
	} {
		if more.n > 0 {
			fmt.Fprintln(a.out, output.Count(more.n, more.one, more.many)+".")
		}
	}
	if len(r.Unknown) > 0 {
		fmt.Fprintf(a.out, "These columns do not exist in this database and were skipped: %s.\n", output.Clean(strings.Join(r.Unknown, ", ")))
	}
	return failedLines(r)
}

// failedLines returns fault.ErrNothing where a line could not be imported.
func failedLines(r model.ImportReport) error {
	if r.BadLines > 0 {
		return fault.ErrNothing
	}
	return nil
}
