package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

func statsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "Count sessions, messages, tokens and costs",
		Long: `stats counts the sessions and messages of each source, the tokens and the cost of
each model, and the size of the database. ~ marks an estimated cost, ≥ a partly
known one, ? an unknown one. Archived sessions count, messages that were rewound do not;
how many there are is said beside the number.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.read(cmd.Context(), func(s *store.Store) error {
				st, err := s.Stats(cmd.Context())
				if err != nil {
					return err
				}
				if a.json {
					return a.out.JSON(statsObject(st))
				}
				printStats(a.out, st)
				return nil
			})
		},
	}
}

// printStats prints totals in the words of Hermes (store/README.md#command-line), and
// what each model has used.
func printStats(out *output.Writer, st store.Stats) {
	archived, inactive := "", ""
	if st.Archived > 0 {
		archived = fmt.Sprintf(" (%d of them archived)", st.Archived)
	}
	if st.Inactive > 0 {
		inactive = fmt.Sprintf(" (and %d that were rewound or compacted, which Hermes counts)", st.Inactive)
	}
	fmt.Fprintf(out, "Total sessions: %d%s\nTotal messages: %d%s\n", st.Sessions, archived, st.Messages, inactive)
	for _, source := range st.Sources {
		name := output.Clean(source.Source)
		if name == "" {
			name = "(no source)"
		}
		fmt.Fprintf(out, "  %s: %s, %s\n", name, output.Count(source.Sessions, "session", "sessions"), output.Count(source.Messages, "message", "messages"))
	}
	if len(st.Models) > 0 {
		printModels(out, st)
	}
	fmt.Fprintf(out, "Database size: %s", output.Megabytes(st.Bytes))
	if st.WALBytes > 0 {
		fmt.Fprintf(out, " and %s in the write-ahead log", output.Megabytes(st.WALBytes))
	}
	fmt.Fprintln(out)
}

// printModels prints the usage of each model as a table, with a total.
func printModels(out *output.Writer, st store.Stats) {
	row := func(name string, sessions int, u model.Usage) {
		fmt.Fprintf(out, "  %s %10s %14s %14s %10s\n", output.Cell(name, 36, 36), output.Grouped(sessions), output.Grouped(int(u.Input)), output.Grouped(int(u.Output)), u.Cost)
	}
	fmt.Fprintf(out, "\n  %s %10s %14s %14s %10s\n", output.Cell("Model", 36, 36), "Sessions", "Tokens in", "Tokens out", "Cost")
	for _, m := range st.Models {
		name := m.Model
		if name == "" {
			name = "(not stated)"
		}
		row(name, m.Sessions, m.Usage)
	}
	if len(st.Models) > 1 {
		row("Total", st.Sessions, st.Total)
	}
	fmt.Fprintln(out)
}

// usageOf returns tokens and cost for JSON.
func usageOf(u model.Usage) answer.Usage {
	o := answer.Usage{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		Reasoning: u.Reasoning, Calls: u.APICalls, Estimated: u.Cost.Estimated, Partial: u.Cost.Partial,
	}
	if u.Cost.Known {
		o.Cost = u.Cost.USD
	}
	return o
}

// statsObject returns the statistics for JSON.
func statsObject(st store.Stats) answer.Stats {
	o := answer.Stats{
		Sessions: st.Sessions, Messages: st.Messages, Sources: []answer.SourceStats{}, Models: []answer.ModelStats{},
		Archived: st.Archived, Inactive: st.Inactive, Total: usageOf(st.Total), Bytes: st.Bytes, WALBytes: st.WALBytes,
	}
	for _, s := range st.Sources {
		o.Sources = append(o.Sources, answer.SourceStats(s))
	}
	for _, m := range st.Models {
		o.Models = append(o.Models, answer.ModelStats{Model: output.OrNull(m.Model), Sessions: m.Sessions, Usage: usageOf(m.Usage)})
	}
	return o
}
