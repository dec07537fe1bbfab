package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"hermes-sessions/store"
)

func (a *app) exportCommand() *cobra.Command {
	var o store.ExportOptions
	var names []string
	var format string
	cmd := &cobra.Command{
		Use:   "export FILE|-",
		Short: "Write sessions with their messages, one JSON object per line",
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) != 1 {
				return usage("export takes one file, or - for standard output")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx, file := cmd.Context(), words[0]
			return a.read(ctx, func(s *store.Store, _ place) error {
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
	addChoice(cmd, oneOf(&format, []string{"jsonl"}, []string{"jsonl"}), "format", "form of the file")
	return cmd
}

// export writes to standard output or to a file, and says how much.
func (a *app) export(ctx context.Context, s *store.Store, file string, o store.ExportOptions) error {
	if file == "-" {
		n, err := s.Export(ctx, harmless{a.out}, o)
		return firstOf(err, nothing(n))
	}
	if err := a.notDatabase(file); err != nil {
		return err
	}
	n, err := exportFile(ctx, s, file, o)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(struct {
			Exported int    `json:"exported"`
			File     string `json:"file"`
		}{n, file})
	}
	_, err = fmt.Fprintf(a.out, "Exported %d sessions to %s\n", n, clean(file))
	return err
}

// exportFile writes to a file beside the target and then puts it in its place,
// so that nothing half written ever has the name. It is private, like the
// database.
func exportFile(ctx context.Context, s *store.Store, file string, o store.ExportOptions) (n int, err error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		// A pipe or a device is written as it is; a folder says so itself.
		out, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return 0, fmt.Errorf("export: %w", err)
		}
		n, err := s.Export(ctx, out, o)
		return n, firstOf(err, out.Close())
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // keep the link, replace what it leads to
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".hermes-sessions-export-*")
	if err != nil {
		return 0, fmt.Errorf("export: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	n, err = s.Export(ctx, io.Writer(tmp), o)
	if err = firstOf(err, tmp.Sync(), tmp.Close()); err != nil {
		return n, fmt.Errorf("export to %s: %w", file, err)
	}
	if err = os.Rename(tmp.Name(), file); err != nil {
		return n, fmt.Errorf("export: %w", err)
	}
	return n, nil
}
