package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// compact vacuums the database as a job, or empties its write-ahead log.
func (c *changes) compact(q shell.CompactDatabase) tea.Cmd {
	library := c.sh.Env().Library
	doing := "emptying the write-ahead log"
	if q.Vacuum {
		doing = "vacuuming the database"
	}
	return c.jobs.add(&job{doing: doing, do: func(ctx context.Context, _ func(done, total int)) (func() tea.Cmd, error) {
		before, err := library.ForecastVacuum(ctx, q.Session)
		text := ""
		if err == nil {
			text, err = c.compacted(ctx, q, before.Sizes)
		}
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { return c.sh.Say(text) }, nil
	}})
}

// compacted vacuums the database, or only empties its log, and returns the notice to show.
func (c *changes) compacted(ctx context.Context, q shell.CompactDatabase, before model.FileSizes) (string, error) {
	if !q.Vacuum {
		emptied, err := c.made.Checkpoint(ctx, q.Session)
		if err == nil && !emptied {
			return "another process is using the database; the log could not be emptied", nil
		}
		return "emptied the write-ahead log, " + model.ByteSize(before.Log), err
	}
	if err := c.made.Vacuum(ctx, q.Session); err != nil {
		return "", err
	}
	after, err := c.sh.Env().Library.ForecastVacuum(ctx, q.Session)
	return "vacuumed: " + model.ByteSize(after.Sizes.File) + ", was " + model.ByteSize(before.File), err
}
