package cli

import (
	"context"
	"errors"
	"fmt"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/store"
)

// migrate asks, and then brings the database to schema 11 and repairs it. It is
// doctor --migrate.
func (a *app) migrate(ctx context.Context, yes, noBackup bool) error {
	if err := a.checkRewritable(); err != nil {
		return err
	}
	// Opening it first refuses a file that does not exist, and explains best why a
	// file cannot be opened.
	s, at, err := a.open(ctx)
	if err != nil {
		return err
	}
	stopped := func(err error) error {
		if errors.Is(err, context.Canceled) {
			a.say("hermes-sessions: stopped; the database is unchanged")
		}
		return err
	}
	c, err := s.Check(ctx, false)
	if err = errors.Join(err, s.Close()); err != nil {
		return stopped(err)
	}
	if !yes && !a.json {
		for _, n := range c.Problems {
			fmt.Fprintf(a.marking(), "✗ %s\n", output.Clean(n.Message))
		}
	}
	action := fmt.Sprintf("Upgrade %s from schema %d to 11", output.Clean(at.DB), c.Version)
	if c.Version == 11 || c.Version == 0 {
		action = "Repair " + output.Clean(at.DB)
	}
	opts := []store.Option{store.WithClock(a.Now)}
	backup := "keeping a copy beside it"
	if noBackup {
		opts = append(opts, store.WithoutBackup())
		backup = "without a copy"
	}
	if c.Version <= 11 { // newer ones are refused without a question
		if err := a.confirm(ctx, yes, action+" ("+backup+")? [y/N] "); err != nil {
			return err
		}
	}
	meter := a.newMeter("Upgrading", messagesOf)
	done, err := store.Migrate(ctx, at.DB, append(opts, stepsOf(meter))...)
	meter.Stop()
	if err != nil {
		return stopped(err)
	}
	if a.json {
		return a.out.JSON(answer.Migrated{
			Path: done.Path, From: done.From, To: done.To, Backup: output.OrNull(done.Backup), Repaired: output.List(done.Repairs),
		})
	}
	switch {
	case done.From != done.To && done.From != 0:
		fmt.Fprintf(a.out, "Upgraded %s from schema %d to %d.\n", output.Clean(done.Path), done.From, done.To)
	case len(done.Repairs) > 0:
		fmt.Fprintf(a.out, "Repaired %s.\n", output.Clean(done.Path))
	default:
		fmt.Fprintf(a.out, "Nothing to do: %s has schema %d and is complete.\n", output.Clean(done.Path), done.To)
	}
	for _, what := range done.Repairs {
		fmt.Fprintln(a.out, "  "+output.Clean(what))
	}
	if done.Backup != "" {
		fmt.Fprintf(a.out, "Copy of the original file: %s\n", output.Clean(done.Backup))
	}
	return nil
}
