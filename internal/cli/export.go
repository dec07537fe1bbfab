package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/export"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// exportOptions says what is to be exported, and in which format.
type exportOptions struct {
	model.ExportOptions
	format string // jsonl, md or html
	redact redacting
	only   bool // prompts, of --only

	pictures bool // Markdown shows them
}

func exportCommand(a *app) *cobra.Command {
	var o exportOptions
	var names []string
	var force bool
	cmd := &cobra.Command{
		Use:   "export FILE|-",
		Short: "Export sessions to JSON, or conversations to Markdown or HTML",
		Long: `export writes sessions as JSON, one object per line, in Hermes's own format; import
reads it. Rewound and compacted messages are not in it. With --format md or html, or a
FILE with that extension, it writes whole conversations for reading, as Markdown or one
self-contained HTML page. - is standard output. An existing FILE is replaced only with
--force.

--redact replaces API keys, tokens, private keys and passwords with masks such as
[redacted: GitHub token], and says how many. It knows them by their format or by the name
before them; --redact=emails,paths also masks e-mail addresses and home folders. It does
not find every secret: read the result before you share it.`,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) != 1 || words[0] == "" {
				return fault.Usage("export takes one file, or - for standard output; --session-id chooses a session")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx, file := cmd.Context(), words[0]
			if file != "-" {
				if err := a.notDatabase(file); err != nil {
					return err
				}
			}
			if !cmd.Flags().Changed("format") {
				if o.format = export.FormatOf(file); o.format == "" {
					f := fault.Usage("%s: unknown file extension %s", file, filepath.Ext(file))
					f.Remedy = "use .jsonl, .md or .html, or add --format"
					return f
				}
			}
			if o.only && o.format == "jsonl" {
				return fault.Usage("--only prompts needs a document: a FILE.md or FILE.html, or --format md")
			}
			if err := o.redact.begin(a, cmd); err != nil {
				return err
			}
			var err error
			if names, err = a.withinDatabase(names...); err != nil {
				return err
			}
			if a.selection.Several() {
				return a.exportSeveral(ctx, file, o, len(names) > 0, force)
			}
			return a.read(ctx, func(s *store.Store) error {
				part := export.Part{Store: s}
				for _, name := range names {
					id, err := findSession(ctx, s, name)
					if err != nil {
						return err
					}
					part.IDs = append(part.IDs, id)
				}
				return a.export(ctx, []export.Part{part}, file, o, force)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Source, "source", "", "only sessions of this `SOURCE`")
	f.StringArrayVar(&names, "session-id", nil, "only this session: `ID`, part of it, or a title (repeatable)")
	f.BoolVarP(&force, "force", "f", false, "replace an existing file")
	o.redact.flag(cmd)
	onlyFlag(cmd, &o.only)
	f.BoolVar(&o.pictures, "pictures", false, "show pictures in Markdown, which may load them, instead of links")
	a.severalFlags(cmd, "export the sessions")
	chooseFlag(cmd, oneOf(&o.format, "FORMAT", export.Formats(), export.Formats()), "format", "file format, overriding the extension")
	return cmd
}

// export writes to standard output, or to a file and then prints how much. Of a
// damaged database it keeps the file with what could be read, and returns the
// error.
func (a *app) export(ctx context.Context, parts []export.Part, file string, o exportOptions, force bool) error {
	meter := a.newMeter("Exporting", exportUnit(o.format))
	defer meter.Stop()
	if file == "-" {
		if a.out.ToTerminal() {
			meter.Stop() // the bar would stand in the middle of the text
		}
		out := io.Writer(a.out)
		if o.format == "jsonl" {
			out = output.Escaping(a.out)
		}
		n, err := a.writeExport(ctx, parts, out, o, meter.Messages)
		meter.Stop()
		if errors.Is(err, context.Canceled) {
			a.printStopped(meter, "nothing was written", "the output is not complete; export again")
		}
		o.redact.report(a)
		a.printFailures(err)
		if n == 0 && err == nil && !a.json {
			a.say("No sessions found.")
		}
		return cmp.Or(err, fault.NothingFound(n))
	}
	target := export.LinkTarget(file)
	n := 0
	var incomplete error
	err := export.WriteFile(file, force, func(w io.Writer) (err error) {
		n, err = a.writeExport(ctx, parts, w, o, meter.Messages)
		if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.KindIncomplete {
			incomplete, err = err, nil // keep the file
		}
		return err
	})
	meter.Stop()
	switch {
	case errors.Is(err, context.Canceled):
		a.say("hermes-sessions: stopped; nothing was written")
		return err
	case errors.Is(err, fs.ErrExist):
		return &fault.Fault{Kind: "exists", Code: 1, Err: err, Message: "export: " + file + " already exists", Remedy: "choose another name, or replace it with --force"}
	case err != nil:
		return err
	}
	if target != "" {
		a.printNote(fault.Fault{Kind: "symbolic-link", Message: file + " is a symbolic link; its target was written: " + target})
	}
	o.redact.report(a)
	if incomplete != nil {
		a.printFailures(incomplete)
		return incomplete
	}
	defer a.printInactive(ctx, parts, o) // after the answer
	if a.json {
		done := answer.Exported{Exported: n, File: file}
		if o.redact.masker != nil {
			done.Redacted = o.redact.masker.Counts
		}
		return a.out.JSON(done)
	}
	what := fmt.Sprintf("%d sessions", n) // Hermes's words
	if o.format != "jsonl" {
		what = output.Count(n, "conversation", "conversations")
	}
	if _, err := fmt.Fprintf(a.out, "Exported %s to %s\n", what, output.Clean(file)); err != nil {
		return err
	}
	return a.out.Flush() // before the note
}

// printInactive says how many messages JSON lines lack because they were rewound or
// compacted. That they cannot be counted takes nothing from the export.
func (a *app) printInactive(ctx context.Context, parts []export.Part, o exportOptions) {
	if o.format != "jsonl" {
		return
	}
	inactive := 0
	for _, p := range parts {
		o.IDs = p.IDs
		n, err := p.Store.CountInactive(ctx, o.ExportOptions)
		if err != nil {
			return
		}
		inactive += n
	}
	if inactive > 0 {
		what := "messages are"
		if inactive == 1 {
			what = "message is"
		}
		a.printNote(fault.Fault{Kind: "inactive-messages", Message: fmt.Sprintf("%d rewound or compacted %s not in the export", inactive, what), Remedy: "the database keeps them"})
	}
}

// printFailures prints as notes what an export lacks, except what the first error says.
func (a *app) printFailures(err error) {
	if all, ok := errors.AsType[export.Failures](err); ok {
		for _, err := range all[1:] {
			a.printNote(*fault.Of(err))
		}
	}
}

// exportUnit returns what the progress of an export counts.
func exportUnit(format string) func(n int64) string {
	if format == "jsonl" {
		return func(n int64) string { return output.Count(int(n), "session", "sessions") }
	}
	return messagesOf
}

// writeExport writes an export, see [export.Write].
func (a *app) writeExport(ctx context.Context, parts []export.Part, w io.Writer, o exportOptions, progress func(done, total int)) (int, error) {
	return export.Write(ctx, parts, w, export.Options{ExportOptions: o.ExportOptions, Format: o.format, Zone: a.Now().Location(), Masker: o.redact.masker, Prompts: o.only, Pictures: o.pictures}, progress)
}

// exportSeveral exports all sessions of several databases, one database after the other.
func (a *app) exportSeveral(ctx context.Context, file string, o exportOptions, named, force bool) error {
	if named {
		f := fault.Usage("with several databases, --session-id needs the name of the profile")
		f.Remedy = "name the session as the list does: --session-id PROFILE/ID"
		return f
	}
	h, err := a.openSeveral(ctx, true)
	if err != nil {
		return err
	}
	defer h.Several.Close() //nolint:errcheck // nothing was written
	var parts []export.Part
	open := h.Several.Stores()
	for _, name := range h.Several.Names() {
		if s := open[name]; s != nil {
			parts = append(parts, export.Part{Store: s.Current()})
		}
	}
	err = a.export(ctx, parts, file, o, force)
	a.printNotes(h)
	if len(parts) < len(h.Several.Names()) {
		err = cmp.Or(err, fault.ErrNothing) // the export lacks something, which a note says
	}
	return err
}
