package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
)

func doctorCommand(a *app) *cobra.Command {
	var full, migrate, yes, noBackup bool
	var into string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the database and report problems",
		Long: `doctor checks the whole database and names a remedy for each problem. It only reads,
and also checks files that no other command can open. ✗ marks a problem, ! advice.
Exit code 0: no problems; 1: problems found.

With --migrate it upgrades a file of schema 1 to 10 to schema 11, and repairs files
up to schema 11: duplicate titles, a full-text index that is missing or out of date.
It asks first, and keeps a copy beside the file.

With --salvage it writes everything that can be read to a new FILE, and lists what was
lost, by conversation. Exit code 0: nothing was lost; 1: something was lost.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case into != "" && (full || migrate || yes || noBackup || a.selection.Demo):
				return fault.Usage("--salvage cannot be combined with --demo or other flags of doctor")
			case into != "":
				return a.salvage(cmd.Context(), into)
			case cmd.Flags().Changed("salvage"):
				return fault.Usage("--salvage takes the name of a new file")
			case migrate && (full || a.selection.Demo):
				return fault.Usage("--migrate cannot be combined with --full or --demo")
			case migrate:
				return a.migrate(cmd.Context(), yes, noBackup)
			case yes || noBackup:
				return fault.Usage("--yes and --no-backup need --migrate")
			}
			return a.doctor(cmd.Context(), full)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&full, "full", false, "compare every text with the full-text index (about 20 s per gigabyte)")
	f.BoolVar(&migrate, "migrate", false, "upgrade the file to schema 11 and repair it")
	f.StringVar(&into, "salvage", "", "copy all readable rows to this new `FILE`, and list the lost ones")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	f.BoolVar(&noBackup, "no-backup", false, "keep no copy of the file, so that the upgrade cannot be undone")
	return cmd
}

// doctor checks the database and prints the findings.
func (a *app) doctor(ctx context.Context, full bool) error {
	meter := a.newMeter("Checking", messagesOf)
	defer meter.Stop()
	s, at, err := a.open(ctx, stepsOf(meter))
	if err != nil {
		meter.Stop()
		if ctx.Err() != nil || at.Label == "" {
			return err // it is not about the file
		}
		return a.printUnopened(at, err)
	}
	defer s.Close() //nolint:errcheck // nothing was written
	c, err := s.Check(ctx, full)
	meter.Stop()
	if errors.Is(err, context.Canceled) {
		a.say("hermes-sessions: stopped; a check changes nothing")
	}
	if err != nil {
		return err
	}
	if a.selection.Demo {
		c.Path = at.Label
	}
	if a.json {
		err = a.out.JSON(checkupObject(c))
	} else {
		printCheckup(a.out, c)
	}
	if err == nil && !c.Healthy() {
		err = fault.ErrNothing // the exit code of an unhealthy file
	}
	return err
}

// printUnopened prints, as a checkup, why a file cannot be opened, and makes the
// exit code 1.
func (a *app) printUnopened(at hermes.Location, err error) error {
	f := fault.Of(err)
	advice := model.Advise(f.Remedy)
	if f.Command != "" {
		advice = model.AdviseToRun(f.Remedy, f.Command)
	}
	c := model.Checkup{Path: at.Label, Problems: []model.HealthNote{{
		Kind: f.Kind, Message: strings.TrimPrefix(f.Message, at.DB+": "), Remedy: advice,
	}}}
	if a.json {
		return cmp.Or(a.out.JSON(checkupObject(c)), fault.ErrNothing)
	}
	fmt.Fprintf(a.out, "%s\n\n", a.out.Bold(output.Clean(c.Path)))
	printFindings(a.out, c)
	return fault.ErrNothing
}

func printCheckup(out *output.Writer, c model.Checkup) {
	fmt.Fprintf(out, "%s\n\n", out.Bold(output.Clean(c.Path)))
	line := func(name, value string) { fmt.Fprintln(out, " ", output.Cell(name, 12, 12), value) }
	schema := "none"
	if c.Version > 0 {
		schema = fmt.Sprint(c.Version)
	}
	line("schema", schema)
	line("contains", output.Count(c.Sessions, "session", "sessions")+", "+output.Count(c.Messages, "message", "messages"))
	size := model.ByteSize(c.Bytes)
	if c.WALBytes > 0 {
		size += " and " + model.ByteSize(c.WALBytes) + " in the write-ahead log"
	}
	line("size", size)
	line("journal", c.Journal)
	line("permissions", fs.FileMode(c.Mode).String())
	line("index", output.Clean(indexLine(c.Index)))
	fmt.Fprintln(out)
	printFindings(out, c)
}

// indexLine describes the full-text index in a few words.
func indexLine(x model.IndexCheck) string {
	if x.Layout == "none" {
		return "none"
	}
	parts := []string{x.Layout, "words"}
	if x.Trigrams.Present {
		parts[1] += " and trigrams"
	}
	if x.CJK {
		parts = append(parts, "CJK")
	}
	if x.Pending > 0 {
		parts = append(parts, output.Count(x.Pending, "message", "messages")+" pending")
	}
	if x.Compared {
		parts = append(parts, "compared with the texts")
	}
	return strings.Join(parts, ", ")
}

// printFindings prints the problems and the advice of a checkup, each with its
// remedy, and a last line that sums up.
func printFindings(out *output.Writer, c model.Checkup) {
	for _, list := range []struct {
		mark  string
		notes []model.HealthNote
	}{{"✗", c.Problems}, {"!", c.Advice}} {
		for _, n := range list.notes {
			fmt.Fprintf(out, "  %s %s\n", list.mark, output.Clean(n.Message))
			for _, line := range []string{n.Remedy.Text, kit.RemedyCommand(n.Remedy)} {
				if line != "" {
					fmt.Fprintf(out, "      %s\n", output.Clean(line))
				}
			}
		}
	}
	if len(c.Problems)+len(c.Advice) > 0 {
		fmt.Fprintln(out)
	}
	found := "No problems"
	if n := len(c.Problems); n > 0 {
		found = output.Count(n, "problem", "problems")
	}
	advice := ""
	if len(c.Advice) > 0 {
		advice = " Lines with ! are advice."
	}
	fmt.Fprintf(out, "%s found.%s\n", found, advice)
}

func findingsOf(notes []model.HealthNote) []answer.Finding {
	out := make([]answer.Finding, len(notes))
	for i, n := range notes {
		out[i] = answer.Finding{Kind: n.Kind, Message: n.Message, Remedy: n.Remedy.Text, Command: kit.RemedyCommand(n.Remedy)}
	}
	return out
}

func checkupObject(c model.Checkup) answer.Checkup {
	of := func(t model.TableCheck) *answer.IndexTable {
		if !t.Present {
			return nil
		}
		return &answer.IndexTable{Missing: t.Missing, Surplus: t.Extra}
	}
	o := answer.Checkup{Path: c.Path, Healthy: c.Healthy(), Problems: findingsOf(c.Problems), Advice: findingsOf(c.Advice)}
	if c.Version > 0 {
		o.Version = c.Version
	}
	if x := c.Index; x.Layout != "" {
		o.Journal = output.OrNull(c.Journal)
		o.Bytes = c.Bytes
		o.WALBytes = c.WALBytes
		o.Mode = fmt.Sprintf("%04o", c.Mode)
		o.Sessions, o.Messages = c.Sessions, c.Messages
		o.Index = &answer.Index{
			Layout: x.Layout, Words: of(x.Words), Trigrams: of(x.Trigrams), CJK: x.CJK, Stale: x.Stale,
			Pending: x.Pending, Compared: x.Compared,
		}
	}
	return o
}
