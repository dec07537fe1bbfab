package print

import (
	"cmp"
	"fmt"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// Stats prints totals in the words of Hermes (store/README.md#command-line), and what
// each model has used. On a terminal, and with Wide anywhere, sources and models are in
// columns that fit.
func Stats(out *output.Writer, o Options, st store.Stats) error {
	archived, inactive := "", ""
	if st.Archived > 0 {
		archived = fmt.Sprintf(" (%d of them archived)", st.Archived)
	}
	if st.Inactive > 0 {
		inactive = fmt.Sprintf(" (and %d that were rewound or compacted, which Hermes counts)", st.Inactive)
	}
	fmt.Fprintf(out, "Total sessions: %d%s\nTotal messages: %d%s\n", st.Sessions, archived, st.Messages, inactive)
	if o.Wide || out.ToTerminal() {
		if err := statColumns(out, o, st); err != nil {
			return err
		}
	} else {
		for _, source := range st.Sources {
			fmt.Fprintf(out, "  %s: %s, %s\n", sourceName(source.Source), output.Count(source.Sessions, "session", "sessions"), output.Count(source.Messages, "message", "messages"))
		}
		if len(st.Models) > 0 {
			fixedModels(out, st)
		}
	}
	fmt.Fprintf(out, "Database size: %s", output.Megabytes(st.Bytes))
	if st.WALBytes > 0 {
		fmt.Fprintf(out, " and %s in the write-ahead log", output.Megabytes(st.WALBytes))
	}
	_, err := fmt.Fprintln(out)
	return err
}

// sourceName names a source, also where a session has none.
func sourceName(source string) string {
	if source = output.Clean(source); source == "" {
		return "(none)"
	}
	return source
}

// statColumns prints sources and models in columns that fit.
func statColumns(out *output.Writer, o Options, st store.Stats) error {
	s := out.Styles()
	number := func(head string, drop int) column {
		return column{Head: head, Right: true, Drop: drop, Style: s.Muted.Render}
	}
	sources := newTable(column{Head: "Source", Min: 12}, number("Sessions", 1), number("Messages", 0))
	for _, source := range st.Sources {
		sources.Row(sourceName(source.Source), output.Grouped(source.Sessions), output.Grouped(source.Messages))
	}
	models := newTable(column{Head: "Model", Min: 12}, number("Sessions", 1), number("Tokens in", 3), number("Tokens out", 2), number("Cost", 0))
	eachModel(st, func(name string, sessions int, u model.Usage) {
		models.Row(name, output.Grouped(sessions), output.Grouped(int(u.Input)), output.Grouped(int(u.Output)), o.Cost(u.Cost))
	})
	for _, t := range []*table{sources, models} {
		if t.Empty() {
			continue
		}
		fmt.Fprintln(out)
		if err := o.Print(out, t); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(out)
	return err
}

// eachModel calls row for each model, and for their total if they are several.
func eachModel(st store.Stats, row func(name string, sessions int, u model.Usage)) {
	for _, m := range st.Models {
		name := cmp.Or(output.Clean(m.Model), "(none)")
		row(name, m.Sessions, m.Usage)
	}
	if len(st.Models) > 1 {
		row("Total", st.Sessions, st.Total)
	}
}

// fixedModels prints the usage of each model in columns of a fixed width, with a total.
func fixedModels(out *output.Writer, st store.Stats) {
	fmt.Fprintf(out, "\n  %s %10s %14s %14s %10s\n", output.Cell("Model", 36, 36), "Sessions", "Tokens in", "Tokens out", "Cost")
	eachModel(st, func(name string, sessions int, u model.Usage) {
		fmt.Fprintf(out, "  %s %10s %14s %14s %10s\n", output.Cell(name, 36, 36), output.Grouped(sessions), output.Grouped(int(u.Input)), output.Grouped(int(u.Output)), u.Cost)
	})
	fmt.Fprintln(out)
}
