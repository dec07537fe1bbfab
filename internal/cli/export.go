package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model/document"
	"hermes-sessions/store"
)

// exporting says what is to be exported, and in which form.
type exporting struct {
	store.ExportOptions
	format string // jsonl, md or html
}

// formats are the forms of export, by the endings of their files.
var formats = []string{"jsonl", "md", "html"}

func (a *app) exportCommand() *cobra.Command {
	var o exporting
	var names []string
	cmd := &cobra.Command{
		Use:   "export FILE|-",
		Short: "Write sessions with their messages to a file, or conversations to read elsewhere",
		Long: `export writes sessions as JSON, one object per line, in Hermes's own shape; import
reads it back. With --format md or html, or a FILE that ends so, it writes whole
conversations, over all their segments, for reading: Markdown, or one HTML page
that needs nothing else. FILE is replaced when it is there; - is standard output.`,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) != 1 {
				return fault.Usage("export takes one file, or - for standard output")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx, file := cmd.Context(), words[0]
			if !cmd.Flags().Changed("format") {
				o.format = formatOf(file)
			}
			return a.read(ctx, func(s *store.Store) error {
				for _, name := range names {
					id, err := s.Resolve(ctx, name)
					if err != nil {
						return err
					}
					o.IDs = append(o.IDs, id)
				}
				return a.export(ctx, s, file, o)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Source, "source", "", "only sessions of this `SOURCE`")
	f.StringArrayVar(&names, "session-id", nil, "only this session: `ID`, its unique beginning, or title (repeatable)")
	choiceFlag(cmd, oneOf(&o.format, formats, formats), "format", "form of the file (default: by its ending, else jsonl)")
	return cmd
}

// formatOf tells the form of a file by its ending.
func formatOf(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".md", ".markdown":
		return "md"
	case ".html", ".htm":
		return "html"
	}
	return "jsonl"
}

// export writes to standard output or to a file, and says how much.
func (a *app) export(ctx context.Context, s *store.Store, file string, o exporting) error {
	if file == "-" {
		out := io.Writer(a.out)
		if o.format == "jsonl" {
			out = output.Escaping(a.out)
		}
		n, err := a.writeExport(ctx, s, out, o, nil)
		return firstError(err, nothingFound(n))
	}
	if err := a.notDatabase(file); err != nil {
		return err
	}
	n := 0
	var incomplete error
	err := writeFile(file, true, func(w io.Writer) (err error) {
		n, err = a.writeExport(ctx, s, w, o, nil)
		if e, ok := errors.AsType[*store.Error](err); ok && e.Kind == store.KindIncomplete {
			incomplete, err = err, nil // what there is stays
		}
		return err
	})
	if err != nil {
		return err
	}
	if incomplete != nil {
		return incomplete
	}
	if a.json {
		return a.out.JSON(struct {
			Exported int    `json:"exported"`
			File     string `json:"file"`
		}{n, file})
	}
	what := fmt.Sprintf("%d sessions", n) // Hermes's words
	if o.format != "jsonl" {
		what = output.Count(n, "conversation", "conversations")
	}
	_, err = fmt.Fprintf(a.out, "Exported %s to %s\n", what, output.Clean(file))
	return err
}

// writeExport gives how many sessions, or conversations, it has written. wrote
// is told of messages as they are written to a document; it may be nil.
func (a *app) writeExport(ctx context.Context, s *store.Store, w io.Writer, o exporting, wrote func(n int)) (int, error) {
	form := document.Markdown
	switch o.format {
	case "jsonl":
		return s.Export(ctx, w, o.ExportOptions)
	case "html":
		form = document.HTML
	}
	ids, err := conversations(ctx, s, o.IDs, o.Source)
	if err != nil {
		return 0, err
	}
	return a.writeDocument(ctx, s, w, form, ids, wrote)
}

// writeFile writes to a file beside the target and then puts it in its place,
// so that nothing half written ever has the name. It is private, like the
// database. Unless a file there is to be replaced, one that is there is left
// alone and the error is fs.ErrExist.
func writeFile(file string, replace bool, write func(io.Writer) error) (err error) {
	info, err := os.Stat(file)
	switch {
	case err == nil && !replace:
		return fmt.Errorf("export to %s: %w", file, fs.ErrExist)
	case err == nil && !info.Mode().IsRegular():
		// A pipe or a device is written as it is; a folder says so itself.
		out, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		return firstError(write(out), out.Close())
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // keep the link, replace what it leads to
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".hermes-sessions-export-*")
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	if err = firstError(write(tmp), tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("export to %s: %w", file, err)
	}
	if !replace {
		// Another program may have made the file in the meantime. A link does
		// not replace it; not every file system has them.
		switch err = os.Link(tmp.Name(), file); {
		case errors.Is(err, fs.ErrExist):
			return fmt.Errorf("export to %s: %w", file, fs.ErrExist)
		case err == nil:
			return os.Remove(tmp.Name())
		}
	}
	if err = os.Rename(tmp.Name(), file); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}
