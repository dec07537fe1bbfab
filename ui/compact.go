package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// compact vacuums the database as a job, or empties its write-ahead log.
func (c *changes) compact(q shell.CompactDatabase) tea.Cmd {
	lib, ok := c.sh.Env().Library.(shell.StorageLibrary)
	if !ok {
		return nil
	}
	doing := "emptying the write-ahead log"
	if q.Vacuum {
		doing = "vacuuming the database"
	}
	return c.jobs.add(&job{doing: doing, do: func(ctx context.Context, _ func(done, total int)) (func() tea.Cmd, error) {
		before, err := lib.ForecastVacuum(ctx)
		text := ""
		if err == nil {
			text, err = compacted(ctx, lib, q.Vacuum, before.Sizes)
		}
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { return c.sh.Say(text) }, nil
	}})
}

// compacted vacuums the database, or only empties its log, and returns the notice to show.
func compacted(ctx context.Context, lib shell.StorageLibrary, vacuum bool, before model.FileSizes) (string, error) {
	if !vacuum {
		emptied, err := lib.Checkpoint(ctx)
		if err == nil && !emptied {
			return "another process is using the database; the log could not be emptied", nil
		}
		return "emptied the write-ahead log, " + model.ByteSize(before.Log), err
	}
	if err := lib.Vacuum(ctx); err != nil {
		return "", err
	}
	after, err := lib.ForecastVacuum(ctx)
	return "vacuumed: " + model.ByteSize(after.Sizes.File) + ", was " + model.ByteSize(before.File), err
}
