package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

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
known one, ? an unknown one.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.read(cmd.Context(), func(s *store.Store) error { return a.stats(cmd.Context(), s) })
		},
	}
}

// stats prints totals in the words of Hermes (store/README.md#command-line), and
// what each model has used.
func (a *app) stats(ctx context.Context, s *store.Store) error {
	st, err := s.Stats(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.out.JSON(statsObject(st))
	}
	fmt.Fprintf(a.out, "Total sessions: %d\nTotal messages: %d\n", st.Sessions, st.Messages)
	for _, source := range st.Sources {
		name := output.Clean(source.Source)
		if name == "" {
			name = "(no source)"
		}
		fmt.Fprintf(a.out, "  %s: %s, %s\n", name, output.Count(source.Sessions, "session", "sessions"), output.Count(source.Messages, "message", "messages"))
	}
	if len(st.Models) > 0 {
		printModels(a.out, st)
	}
	fmt.Fprintf(a.out, "Database size: %s", output.Megabytes(st.Bytes))
	if st.WALBytes > 0 {
		fmt.Fprintf(a.out, " and %s in the write-ahead log", output.Megabytes(st.WALBytes))
	}
	fmt.Fprintln(a.out)
	return nil
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

// usageObject is tokens and cost for JSON. A cost that is not known is null.
type usageObject struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_tokens"`
	CacheWrite int64 `json:"cache_write_tokens"`
	Reasoning  int64 `json:"reasoning_tokens"`
	Calls      int64 `json:"api_call_count"`
	Cost       any   `json:"cost_usd"`
	Estimated  bool  `json:"cost_estimated"`
	Partial    bool  `json:"cost_partial"` // the cost is a lower bound
}

func newUsageObject(u model.Usage) usageObject {
	o := usageObject{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		Reasoning: u.Reasoning, Calls: u.APICalls, Estimated: u.Cost.Estimated, Partial: u.Cost.Partial,
	}
	if u.Cost.Known {
		o.Cost = u.Cost.USD
	}
	return o
}

// statsObject returns the statistics for JSON.
func statsObject(st store.Stats) any {
	type source struct {
		Source   string `json:"source"`
		Sessions int    `json:"sessions"`
		Messages int    `json:"messages"`
	}
	type modelUsage struct {
		Model    any         `json:"model"`
		Sessions int         `json:"sessions"`
		Usage    usageObject `json:"usage"`
	}
	o := struct {
		Sessions int          `json:"sessions"`
		Messages int          `json:"messages"`
		Sources  []source     `json:"sources"`
		Models   []modelUsage `json:"models"`
		Total    usageObject  `json:"total"`
		Bytes    int64        `json:"bytes"`
		WALBytes int64        `json:"wal_bytes"`
	}{st.Sessions, st.Messages, []source{}, []modelUsage{}, newUsageObject(st.Total), st.Bytes, st.WALBytes}
	for _, s := range st.Sources {
		o.Sources = append(o.Sources, source(s))
	}
	for _, m := range st.Models {
		o.Models = append(o.Models, modelUsage{output.OrNull(m.Model), m.Sessions, newUsageObject(m.Usage)})
	}
	return o
}
