package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// salvage copies all readable rows to a new file and lists the lost ones, in which case
// the exit code is 1. It is doctor --salvage.
func (a *app) salvage(ctx context.Context, out string) error {
	if err := a.notDatabase(out); err != nil {
		return err
	}
	meter := a.newMeter("Copying rows", messagesOf)
	defer meter.Stop()
	var done model.Salvaged
	s, at, err := a.open(ctx, stepsOf(meter))
	e, _ := errors.AsType[*model.Error](err)
	switch {
	case e != nil && (e.Kind == model.KindNotADatabase || errors.Is(err, store.ErrPagesBehindHeader)): // the header may be lost, or be wrong
		var nothing error
		if done, nothing = store.SalvagePages(ctx, at.DB, out, stepsOf(meter)); nothing == nil || fault.Of(nothing).Kind != model.KindDamaged {
			err = nothing
		}
	case e != nil && e.Remedy.Kind == model.RemedySalvage:
		done, err = store.SalvagePages(ctx, at.DB, out, stepsOf(meter))
	case err == nil:
		done, err = s.Salvage(ctx, out)
		err = errors.Join(err, s.Close())
	}
	meter.Stop()
	if errors.Is(err, context.Canceled) {
		a.say("hermes-sessions: stopped; nothing was written, and the database is unchanged")
	}
	if err != nil {
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
func printSalvaged(out *output.Writer, s model.Salvaged) {
	fmt.Fprintf(out, "Wrote %s and %s to %s (schema %d), checked with its full-text index.\n",
		output.Count(s.Sessions, "session", "sessions"), output.Count(s.Messages, "message", "messages"), output.Clean(s.Out), s.Version)
	for _, n := range s.Notes {
		fmt.Fprintf(out, "  ! %s\n", output.Clean(n))
	}
	for _, c := range s.Lost {
		title := cmp.Or(c.Title, "no title")
		lost := output.Count(c.Messages, "message", "messages")
		if c.Sessions > 0 {
			lost = output.Count(c.Sessions, "session row", "session rows") + " and " + lost
		}
		id := cmp.Or(output.Clean(c.ID), "a session without an ID")
		fmt.Fprintf(out, "  ✗ %s (%s): %s lost, %s left\n", id, output.Clean(title), lost, output.Count(c.Left, "message", "messages"))
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
		fmt.Fprintln(out, "  ✗ pages of tables are damaged; they may have held more rows, or other values")
	case s.Whole():
		fmt.Fprintln(out, "Nothing was lost.")
	}
}

// salvageObject returns what a salvage wrote for JSON.
func salvageObject(s model.Salvaged) answer.Salvaged {
	o := answer.Salvaged{
		Path: s.Path, Out: s.Out, Version: s.Version, Sessions: s.Sessions, Messages: s.Messages, Whole: s.Whole(),
		Unknown: s.Incomplete || s.LogDamaged, Lost: []answer.LostConversation{}, Others: []answer.LostRows{}, Notes: output.List(s.Notes),
	}
	for _, c := range s.Lost {
		o.Lost = append(o.Lost, answer.LostConversation{ID: c.ID, Title: output.OrNull(c.Title), Sessions: c.Sessions, Messages: c.Messages, Left: c.Left})
	}
	for _, t := range s.LostRows {
		o.Others = append(o.Others, answer.LostRows{Table: t.Table, Rows: output.OrNull(t.Rows)})
	}
	return o
}
