package cli

import (
	"context"
	"errors"
	"fmt"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/store"
)

// salvage writes what can be read to a new file and lists what is lost, in which case
// the exit code is 1. It is doctor --salvage.
func salvage(ctx context.Context, a *app, out string) error {
	if err := a.notDatabase(out); err != nil {
		return err
	}
	s, _, err := a.open(ctx)
	if err != nil {
		return err
	}
	done, err := s.Salvage(ctx, out)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if a.json {
		err = a.out.JSON(salvageObject(done))
	} else {
		printSalvaged(a.out, done)
	}
	if err == nil && !done.Whole() {
		err = fault.ErrNothing // the exit code where something is lost
	}
	return err
}

// printSalvaged prints what a salvage wrote, then what is lost.
func printSalvaged(out *output.Writer, s store.Salvaged) {
	fmt.Fprintf(out, "Wrote %s and %s to %s (schema %d), checked with its full-text index.\n",
		output.Count(s.Sessions, "session", "sessions"), output.Count(s.Messages, "message", "messages"), output.Clean(s.Out), s.Version)
	for _, n := range s.Notes {
		fmt.Fprintf(out, "  ! %s\n", output.Clean(n))
	}
	for _, c := range s.Lost {
		title := c.Title
		if title == "" {
			title = "no title"
		}
		lost := output.Count(c.Messages, "message", "messages")
		if c.Sessions > 0 {
			lost = output.Count(c.Sessions, "session row", "session rows") + " and " + lost
		}
		fmt.Fprintf(out, "  ✗ %s (%s): %s lost, %d left\n", output.Clean(c.ID), output.Clean(title), lost, c.Left)
	}
	for _, t := range s.LostRows {
		rows := "rows"
		if t.Rows > 0 {
			rows = output.Count(t.Rows, "row", "rows")
		}
		fmt.Fprintf(out, "  ✗ %s of %s: lost\n", rows, output.Clean(t.Table))
	}
	switch {
	case s.Incomplete:
		fmt.Fprintln(out, "  ✗ pages of tables are damaged; what else they held, or held otherwise, is not known")
	case s.Whole():
		fmt.Fprintln(out, "Nothing is lost.")
	}
}

// salvageObject returns what a salvage wrote for JSON.
func salvageObject(s store.Salvaged) any {
	type conversation struct {
		ID       string `json:"id"`
		Title    any    `json:"title"`
		Sessions int    `json:"lost_sessions"`
		Messages int    `json:"lost_messages"`
		Left     int    `json:"left_messages"`
	}
	type rows struct {
		Table string `json:"table"`
		Rows  any    `json:"rows"` // null: not known how many
	}
	lost, others := []conversation{}, []rows{}
	for _, c := range s.Lost {
		lost = append(lost, conversation{c.ID, output.OrNull(c.Title), c.Sessions, c.Messages, c.Left})
	}
	for _, t := range s.LostRows {
		row := rows{Table: t.Table}
		if t.Rows > 0 {
			row.Rows = t.Rows
		}
		others = append(others, row)
	}
	return struct {
		Path     string         `json:"path"`
		Out      string         `json:"out"`
		Version  int            `json:"schema_version"`
		Sessions int            `json:"sessions"`
		Messages int            `json:"messages"`
		Whole    bool           `json:"whole"`
		Unknown  bool           `json:"lost_unknown"`
		Lost     []conversation `json:"lost"`
		Others   []rows         `json:"lost_rows"`
		Notes    []string       `json:"notes"`
	}{s.Path, s.Out, s.Version, s.Sessions, s.Messages, s.Whole(), s.Incomplete, lost, others, output.List(s.Notes)}
}
